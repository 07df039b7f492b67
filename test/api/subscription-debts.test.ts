import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useDebtor } from '../support/debtor.ts';
import { useSubscriber } from '../support/subscriber.ts';

describe('what a subscription by bank debit owes while it is paused', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const debtor = useDebtor(stage);

  async function started(): Promise<{ id: string; first: string }> {
    const account = await debtor.account(here.customer);
    await debtor.active({ payment_method_id: account });
    const id = await subscriber.started({ payment_instrument_id: account });
    await here.advance('2027-01-20T00:00:00Z');
    return { id, first: (await subscriber.get(id)).latest_payment_intent_id };
  }

  async function disputed(intentId: string): Promise<void> {
    const path = `/test_helpers/payment_intents/${intentId}/bank_result`;
    assert.equal((await stage.request('POST', path, { result: 'disputed' })).body.status, 'returned');
  }

  it('stays owed until the biller decides, if the pause has another reason than the one that was planned', async () => {
    const { id, first } = await started();
    await subscriber.ask(id, 'pause', { resumes_at: '2027-02-20' });
    await disputed(first);
    // Nothing is retried by this mandate, but until the retries would have ended a new method can pay.
    const due = await subscriber.get(id);
    assert.deepEqual([due.state, due.in_effect, due.next_attempt_at], ['past_due', false, null]);
    await here.advance('2027-02-05T00:00:00Z');
    const paused = await subscriber.get(id);
    assert.deepEqual(
      [paused.state, paused.state_reason, paused.pauses_at, paused.resumes_at],
      ['paused', 'payment_failed', null, null],
    );
    await here.advance('2027-03-01T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), ['1 2027-01-10 2027-02-10 unpaid 4900']);
    assert.equal((await subscriber.get(id)).state, 'paused');
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('stays owed if it came back during the pause that was planned, which ends once that is paid', async () => {
    const { id, first } = await started();
    await subscriber.ask(id, 'pause', { resumes_at: '2027-02-20' });
    await here.advance('2027-02-12T00:00:00Z');
    await disputed(first);
    const waiting = await subscriber.get(id);
    assert.deepEqual([waiting.state_reason, waiting.next_period_start], ['requested', null]);
    await here.advance('2027-03-01T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), ['1 2027-01-10 2027-02-10 unpaid 4900']);
    const card = await stage.merchant.card(here.customer);
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: card });
    const paid = await subscriber.ask(id, 'retry_now');
    assert.deepEqual([paid.state, paid.resumes_at, paid.next_period_start], ['paused', '2027-03-02', '2027-03-02']);
    await here.advance('2027-03-03T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-03-02 2027-04-02 paid 4900',
    ]);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });
});
