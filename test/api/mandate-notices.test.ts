import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { monday, useDebits } from '../support/debits.ts';
import { faultPaths, refusal, useStage } from '../support/stage.ts';

describe('the notices of a mandate', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const notices = async (mandate: string) => (await debits.get(mandate)).notices;
  const record = (mandate: string, body: object) => stage.request('POST', `/mandates/${mandate}/notices`, body);
  const told = async (clock: string) =>
    (await stage.merchant.events({ event_type: 'mandate.notice_due', test_clock: clock })).map(({ data }) => data);
  const confirmation = { kind: 'confirmation', due_by: '2027-03-01', sent_at: null, channel: null };

  it('begin with a confirmation when it becomes active, due by the first day on which it can be debited', async () => {
    const { mandate } = await debits.payer();
    assert.deepEqual(await notices(mandate), [confirmation]);
    const [activated] = await stage.merchant.events({ event_type: 'mandate.activated' });
    assert.deepEqual(activated?.data.notices, [confirmation]);
    assert.deepEqual((await debits.pending()).notices, []);
  });

  it('are sent by the biller, who records when and how; the default is now', async () => {
    const { mandate } = await debits.payer();
    const sent = { kind: 'confirmation', channel: 'letter', sent_at: '2027-02-26T09:00:00Z' };
    const { status, body } = await record(mandate, sent);
    assert.equal(status, 200);
    assert.deepEqual(body.notices, [{ ...confirmation, sent_at: '2027-02-26T09:00:00.000Z', channel: 'letter' }]);
    await record(mandate, { kind: 'terms_changed', channel: 'email' });
    const [, change] = await notices(mandate);
    assert.deepEqual(change, { kind: 'terms_changed', due_by: null, sent_at: monday, channel: 'email' });
  });

  it('are refused with an instant ahead of the customer’s time, and with unknown words', async () => {
    const { mandate } = await debits.payer();
    const ahead = { kind: 'confirmation', channel: 'email', sent_at: '2027-03-01T00:00:00.001Z' };
    assert.deepEqual(refusal(await record(mandate, ahead), 422), ['/sent_at out_of_range']);
    assert.deepEqual(faultPaths(await record(mandate, { kind: 'other', channel: 'pigeon' }), 422), [
      '/channel',
      '/kind',
    ]);
    assert.deepEqual(await notices(mandate), [confirmation]);
  });

  it('include a change of the amount of a plan that is debited under it, due 14 days before the next payment', async () => {
    const { mandate, clock, customer } = await debits.payer();
    const { id } = await debits.plan({ customer }, undefined, { start_date: '2027-03-31' });
    const change = (recurring_amount_cents: number) =>
      stage.merchant.client.paymentPlans.update(id, { recurring_amount_cents });
    await change(1000);
    assert.deepEqual(await told(clock), [], 'it is the same amount');
    await change(1200);
    const due = { kind: 'amount_changed', due_by: '2027-03-17', sent_at: null, channel: null };
    assert.deepEqual(await notices(mandate), [confirmation, due]);
    assert.deepEqual(
      (await told(clock)).map((data) => data.notices),
      [[confirmation, due]],
    );
    await change(1300);
    assert.equal((await told(clock)).length, 1, 'the notice is still open');
    await record(mandate, { kind: 'amount_changed', channel: 'email' });
    await change(1400);
    assert.deepEqual(await notices(mandate), [confirmation, { ...due, sent_at: monday, channel: 'email' }, due]);
    assert.equal((await told(clock)).length, 2);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('are due at once for a suspended plan, and there are none for one that is pending or paid by card', async () => {
    const { mandate, customer } = await debits.payer();
    const terms = { customer_id: customer, start_date: '2027-03-31' };
    const raise = (id: string) => stage.merchant.client.paymentPlans.update(id, { recurring_amount_cents: 1500 });
    await raise((await stage.merchant.plan(terms)).id);
    await raise(
      (await stage.merchant.activePlan({ ...terms, payment_instrument_id: await stage.merchant.card(customer) })).id,
    );
    assert.deepEqual(await notices(mandate), [confirmation]);
    const { id } = await stage.merchant.activePlan(terms);
    await stage.merchant.move(id, 'suspend');
    await raise(id);
    assert.equal((await notices(mandate))[1]?.due_by, '2027-02-15');
  });
});
