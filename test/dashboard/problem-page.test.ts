import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { IdempotencyKeyInUse, InvalidState } from '../../src/services/errors.ts';
import { problemPage } from '../../src/sites/account/plain-pages.ts';

describe('the page of a refused form', () => {
  const pageFor = (error: unknown) => problemPage({} as never, {} as never, error);

  it('says that nothing has changed', () => {
    const { status, main } = pageFor(new InvalidState('It is closed.'));
    assert.deepEqual([status, main.text.includes('Nothing has changed')], [422, true]);
  });

  it('does not say so, nor asks to try again, while the first sending of the same form is still at work', () => {
    const { status, main } = pageFor(new IdempotencyKeyInUse());
    assert.deepEqual([status, /Nothing has changed|try again/.test(main.text)], [409, false]);
    assert.match(main.text, /Do not send it again/);
  });
});
