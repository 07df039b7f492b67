import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useDebits } from '../support/debits.ts';
import { card, useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';

describe('a plan that a payer resumes by a setup link', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const links = useLinks(stage);

  /** A payer saves a card by a setup link that names the plan; then the plan's workflow looks again. */
  async function applyMethod(customer: string, planId: string, at: string): Promise<void> {
    const apply_to = { payment_plan_id: planId };
    const session = await links.open(await links.link({ mode: 'setup', customer_id: customer, apply_to }));
    assert.equal(links.outcome(await links.save(session, { method: card() })), 'completed');
    await stage.collectAll(planId, at);
  }

  for (const [what, outcomes, until, reason] of [
    ['a debit that was dishonoured for good', 'account_closed', '2027-03-04T00:00:00.000Z', 'payment_failed'],
    ['a payer who disputed a debit', 'settled', '2027-03-04T00:00:00.000Z', 'payment_returned'],
  ] as const) {
    it(`is resumed after ${what}, and collects what is unpaid by the new card`, async () => {
      const payer = await debits.payer();
      const plan = await debits.plan(payer, outcomes);
      await stage.advance(payer.clock, until);
      if (reason === 'payment_returned') {
        const [payment] = await stage.merchant.payments(plan.id);
        const path = `/test_helpers/payment_intents/${payment?.payment_intent_id}/bank_result`;
        assert.equal((await stage.request('POST', path, { result: 'disputed' })).status, 200);
      }
      const { state, state_reason } = await stage.merchant.getPlan(plan.id);
      assert.deepEqual([state, state_reason], ['suspended', reason]);
      await applyMethod(payer.customer, plan.id, until);
      const continued = await stage.merchant.getPlan(plan.id);
      assert.deepEqual([continued.state, continued.collected_amount_cents], ['active', 1000]);
      assert.deepEqual(await findViolations(stage.db.sql), []);
    });
  }

  it('tries at once, with a new series of retries, what it was still retrying', async () => {
    const { clock, payer } = await stage.merchant.payerOnClock('2027-03-01T00:00:00Z');
    const metadata = { _sandbox_outcome: 'decline,decline,succeed' };
    const { id } = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-03-01', metadata });
    await stage.collectAll(id, '2027-03-01T00:00:00Z');
    assert.equal((await stage.merchant.getPlan(id)).next_attempt_at, '2027-03-02T00:00:00.000Z');
    await stage.advance(clock.id, '2027-03-01T12:00:00.000Z');
    await applyMethod(payer.id, id, '2027-03-01T12:00:00.000Z');
    const tried = await stage.merchant.getPlan(id);
    assert.deepEqual([tried.state, tried.next_attempt_at], ['active', '2027-03-02T12:00:00.000Z']);
    await stage.advance(clock.id, '2027-03-03T00:00:00Z');
    assert.equal((await stage.merchant.getPlan(id)).collected_amount_cents, 1000);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('stays as it is if the biller has suspended it, but for its method', async () => {
    const { payer } = await stage.merchant.payerOnClock('2027-03-01T00:00:00Z');
    const { id, payment_instrument_id: before } = await stage.merchant.activePlan({
      customer_id: payer.id,
      start_date: '2027-04-01',
    });
    await stage.merchant.move(id, 'suspend');
    await applyMethod(payer.id, id, '2027-03-01T00:00:00.000Z');
    const plan = await stage.merchant.getPlan(id);
    assert.deepEqual([plan.state, plan.state_reason], ['suspended', 'requested']);
    assert.notEqual(plan.payment_instrument_id, before);
  });
});
