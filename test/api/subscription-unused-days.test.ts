import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useSubscriber } from '../support/subscriber.ts';

describe('a subscription that is canceled at once', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;

  const cancel = (id: string, body: object) => stage.request('POST', `/subscriptions/${id}/cancel`, body);

  it('turns the days that are left into credit, if that is asked for, as the dry run has said', async () => {
    const id = await subscriber.started();
    await here.advance('2027-01-20T00:00:00Z');
    const told = await cancel(id, { at: 'now', unused: 'credit', dry_run: true });
    assert.equal(told.status, 200, told.text);
    assert.equal(told.body.state, 'active');
    // 21 of 31 days of 4900.
    assert.equal(told.body.quote.credit_cents, 3319);
    const { body: ended } = await cancel(id, { at: 'now', unused: 'credit' });
    assert.deepEqual(
      [ended.state, ended.credit_balance_cents, ended.quote.lines],
      ['canceled', 3319, told.body.quote.lines],
    );
    const refund = await stage.request('POST', `/subscriptions/${id}/refund_credit`);
    assert.equal(refund.body.amount, 3319);
  });

  it('keeps the days that are left by default, and refuses fields that do not go together', async () => {
    const id = await subscriber.started();
    const later = await cancel(id, { unused: 'credit' });
    assert.deepEqual([later.status, later.body.error.details[0].path], [422, '/unused']);
    const quote = await cancel(id, { at: 'now', dry_run: true });
    assert.deepEqual([quote.status, quote.body.error.details[0].path], [422, '/dry_run']);
    const { body: ended } = await cancel(id, { at: 'now' });
    assert.deepEqual([ended.state, ended.credit_balance_cents, ended.quote], ['canceled', 0, null]);
  });

  it('has nothing to credit in a trial', async () => {
    const id = await subscriber.started({ trial_days: 14 });
    const { body: ended } = await cancel(id, { at: 'now', unused: 'credit' });
    assert.deepEqual([ended.state, ended.credit_balance_cents, ended.quote.credit_cents], ['canceled', 0, 0]);
  });
});
