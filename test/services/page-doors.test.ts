import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { customerInstant } from '../../src/domain/instants.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { stateOfLink, stateOfSession } from '../../src/services/links/availability.ts';
import { checkForm, signForm } from '../../src/services/pages/signatures.ts';

const halfAnHourMs = 30 * 60_000;

describe('the door of a page for payers', () => {
  const end = Date.parse('2027-01-10T00:00:00Z');
  const link = { status: 'open' as const, expires_at: customerInstant(end) };

  it('of a link closes at the very instant of its end, and that of its sessions too', () => {
    const [before, at] = [customerInstant(end - 1), customerInstant(end)];
    assert.deepEqual([stateOfLink(link, before), stateOfLink(link, at)], ['open', 'expired']);
    const session = { status: 'open' as const, expires_at: customerInstant(end + 1000) };
    assert.deepEqual(
      [before, at].map((now) => stateOfSession(session, link, null, now)),
      ['open', 'expired'],
    );
    const own = { ...session, expires_at: customerInstant(end) };
    assert.deepEqual(
      [before, at].map((now) => stateOfSession(own, null, null, now)),
      ['open', 'expired'],
    );
  });

  it('takes a form for half an hour, for its own page and action alone', () => {
    const vault = createVault([{ id: 'test', key: randomBytes(32) }]);
    const form = { token: 'token', action: 'pay' };
    const signature = signForm(vault, { ...form, version: 'v1' }, realInstant(end));
    const check = (afterMs: number, of = form) => checkForm(vault, of, signature, realInstant(end + afterMs));
    assert.deepEqual([check(0), check(halfAnHourMs), check(-60_000)], Array(3).fill({ version: 'v1' }));
    assert.deepEqual([check(halfAnHourMs + 1), check(-60_001)], ['stale', 'stale']);
    assert.deepEqual(
      [check(0, { ...form, token: 'other' }), check(0, { ...form, action: 'save' })],
      ['forged', 'forged'],
    );
  });
});
