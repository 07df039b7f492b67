import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import type { ClockEffect, DryRun } from '../../src/resources/clock-effect.ts';
import { comparableEffect } from '../support/comparable-effect.ts';
import { useDebits } from '../support/debits.ts';
import { useService } from '../support/service.ts';
import { useSkippedTime } from '../support/skipped-time.ts';

describe('a bank debit that Temporal drives on a test clock', () => {
  const service = useService();

  async function here() {
    const merchant = await service.merchant();
    const debits = useDebits({ merchant, request: merchant.request });
    return { merchant, debits, payer: await debits.payer() };
  }
  const workflowOf = async (intentId: string) => {
    const [row] = await service.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where payment_intent_id = ${intentId}`;
    return workflowIdOf('bankDebit', row?.attempt_id ?? '');
  };
  const statusOf = async (workflowId: string): Promise<string> =>
    (await service.temporal.workflow.getHandle(workflowId).describe()).status.name;

  it('is settled when an advance over its result is ready, each step at its own instant', async () => {
    const { merchant, debits, payer } = await here();
    const { id } = await debits.debit(payer, 'late_dishonour');
    await merchant.advance(payer.clock, '2027-03-05T00:00:00Z');
    assert.equal((await merchant.getIntent(id)).status, 'succeeded');
    await merchant.advance(payer.clock, '2027-03-20T00:00:00Z');
    assert.deepEqual(await debits.story(payer.clock), [
      '2027-03-01T00:00 payment_intent.processing',
      '2027-03-02T22:00 payment_intent.succeeded',
      '2027-03-07T22:00 payment_intent.returned',
    ]);
    const [debit] = await service.db.sql`select submitted_at from bank_debits where payment_intent_id = ${id}`;
    assert.equal(debit?.submitted_at.toISOString(), '2027-03-01T05:00:00.000Z');
    const workflowId = await workflowOf(id);
    await eventually('its workflow ends', async () => (await statusOf(workflowId)) === 'COMPLETED');
  });

  it('is carried by the plan’s workflow, which ends only when the bank has nothing more of it', async () => {
    const { merchant, debits, payer } = await here();
    const { id } = await debits.plan(payer, 'late_dishonour,settled', { total_amount_cents: 1500 });
    await merchant.advance(payer.clock, '2027-03-14T00:00:00Z');
    await merchant.advance(payer.clock, '2027-03-20T00:00:00Z');
    assert.deepEqual(await debits.story(payer.clock), [
      '2027-03-01T00:00 payment_plan.activated',
      '2027-03-01T00:00 payment_intent.processing',
      '2027-03-02T22:00 payment_intent.succeeded',
      '2027-03-07T22:00 payment_intent.returned',
      '2027-03-08T00:00 payment_intent.processing',
      '2027-03-08T22:00 payment_intent.processing',
      '2027-03-09T22:00 payment_intent.succeeded',
      '2027-03-10T22:00 payment_intent.succeeded',
      '2027-03-10T22:00 payment_plan.closed',
      '2027-03-14T22:00 payment_intent.returned',
    ]);
    const plan = await merchant.getPlan(id);
    assert.deepEqual([plan.state, plan.shortfall_amount_cents], ['closed', 500]);
    const workflowId = workflowIdOf('paymentPlan', id);
    await eventually('its workflow ends', async () => (await statusOf(workflowId)) === 'COMPLETED');
  });

  it('changes the other subjects of its customer in the order of their instants, in one advance', async () => {
    const { merchant, debits, payer } = await here();
    const disputed = await debits.debit(payer, 'disputed');
    const { id: plan } = await debits.plan(payer, undefined, { start_date: '2027-03-30', frequency_period: 8 });
    const terms = { customer_id: payer.customer, payment_method: payer.account };
    const scheduled = await merchant.intent({ ...terms, scheduled_payment_date: '2027-04-02' });
    await merchant.advance(payer.clock, '2027-04-12T00:00:00Z');
    assert.deepEqual(await debits.story(payer.clock), [
      '2027-03-01T00:00 payment_intent.processing',
      '2027-03-01T00:00 payment_plan.activated',
      '2027-03-02T22:00 payment_intent.succeeded',
      '2027-03-30T00:00 payment_intent.processing',
      '2027-03-31T22:00 payment_intent.succeeded',
      '2027-04-01T22:00 payment_intent.returned',
      '2027-04-02T00:00 payment_intent.failed',
    ]);
    assert.equal((await merchant.getIntent(disputed.id)).status, 'returned');
    assert.equal((await merchant.getIntent(scheduled.id)).last_payment_error?.code, 'mandate_unavailable');
    assert.equal((await merchant.getPlan(plan)).collected_amount_cents, 1000);
  });

  it('does in an advance what its dry run has said, with every effect at its instant', async () => {
    const { merchant, debits, payer } = await here();
    await debits.debit(payer, 'disputed');
    await debits.debit(payer, 'dishonoured');
    await debits.plan(payer, 'late_dishonour,settled', { start_date: '2027-03-02', frequency_period: 2 });
    await debits.plan(payer, 'dishonoured,settled', { start_date: '2027-03-03', frequency_period: 3 });
    const terms = { customer_id: payer.customer, payment_method: payer.account };
    await merchant.intent({ ...terms, scheduled_payment_date: '2027-03-10' });
    const path = `/test_helpers/test_clocks/${payer.clock}`;
    for (const target of ['2027-03-08T12:00:00.000Z', '2027-04-05T00:00:00.000Z']) {
      const dryRun = await merchant.request('POST', `${path}/advance`, { frozen_time: target, dry_run: true });
      assert.equal(dryRun.status, 200, dryRun.text);
      const predicted: DryRun = dryRun.body;
      const { last_advance: advance } = await merchant.advance(payer.clock, target);
      const effects = await merchant.request('GET', `${path}/effects?limit=100&advance_id=${advance?.id}`);
      const done: ClockEffect[] = effects.body.data;
      assert.deepEqual(done.map(comparableEffect), predicted.effects.map(comparableEffect));
      assert.ok(done.length >= 5, `only ${done.length} effects`);
      assert.deepEqual(advance?.effects_manifest, predicted.effects_manifest);
    }
  });

  it('comes to the same in one advance and in many', async () => {
    const stories: string[][] = [];
    for (const days of [31, 3, 1]) {
      const { merchant, debits, payer } = await here();
      await debits.debit(payer, 'disputed');
      await debits.plan(payer, 'late_dishonour,dishonoured,settled', { start_date: '2027-03-02', frequency_period: 3 });
      const end = Date.parse('2027-04-01T23:00:00Z');
      for (let at = Date.parse('2027-03-01T00:00:00Z'); at < end; ) {
        at = Math.min(end, at + days * 86_400_000);
        await merchant.advance(payer.clock, new Date(at).toISOString());
      }
      stories.push(await debits.story(payer.clock));
    }
    assert.ok((stories[0]?.length ?? 0) >= 8);
    assert.deepEqual(stories[1], stories[0]);
    assert.deepEqual(stories[2], stories[0]);
  });
});

describe('a bank debit at a processor service', () => {
  const service = useService({ sandboxOverHttp: true });

  for (const [what, weather] of [
    ['every answer arrives', {}],
    ['the answer to the charge is lost', { _stand_in: 'answer_lost' }],
    ['the charge is made and answered by a 500 for ever', { _stand_in: 'http_500_stored' }],
    ['the charge does not arrive', { _stand_in: 'reset_before' }],
    ['the bank cannot be asked at first', { _stand_in_inquire: 'rate_limited,error_500' }],
  ] as [string, Record<string, string>][]) {
    it(`is reserved, charged once and asked about by its reference, when ${what}`, async () => {
      const merchant = await service.merchant();
      const debits = useDebits({ merchant, request: merchant.request });
      const payer = await debits.payer();
      const metadata = { _sandbox_bank_outcome: 'late_dishonour', ...weather };
      const { id } = await debits.debit(payer, undefined, { metadata });
      await merchant.advance(payer.clock, '2027-03-08T00:00:00Z');
      assert.deepEqual(await debits.story(payer.clock), [
        '2027-03-01T00:00 payment_intent.processing',
        '2027-03-02T22:00 payment_intent.succeeded',
        '2027-03-07T22:00 payment_intent.returned',
      ]);
      const calls = (await service.standIn.calls()).filter((call) => call.payment_intent_id === id);
      const charges = calls.filter((call) => call.kind === 'charge' && !call.repeated);
      assert.equal(charges.length, 1);
    });
  }
});

describe('a bank debit in real time, skipped', () => {
  const { service, pass, until } = useSkippedTime();

  it('is handed over, settles and comes back on business days, for a single payment and for a plan', async () => {
    const merchant = await service.merchant();
    const debits = useDebits({ merchant, request: merchant.request });
    const customer = (await merchant.customer()).id;
    const account = await debits.account(customer);
    await debits.active({ payment_method_id: account });
    const { id } = await debits.debit({ customer, account }, 'late_dishonour');
    const plan = await debits.plan({ customer }, 'dishonoured,settled', {
      start_date: new Date().toISOString().slice(0, 10),
      total_amount_cents: 1000,
    });
    const [row] = await service.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where payment_intent_id = ${id}`;
    await until('RUNNING', workflowIdOf('bankDebit', row?.attempt_id ?? ''));
    await pass(40);
    await until('COMPLETED', workflowIdOf('bankDebit', row?.attempt_id ?? ''));
    await until('COMPLETED', workflowIdOf('paymentPlan', plan.id));
    assert.equal((await merchant.getIntent(id)).status, 'returned');
    assert.equal((await merchant.getPlan(plan.id)).collected_amount_cents, 1000);
    const debitsMade = await service.db.sql<{ charge_date: string; submitted_at: Date; result_at: Date }[]>`
      select charge_date, submitted_at, result_at from bank_debits`;
    assert.equal(debitsMade.length, 3);
    for (const { charge_date: date, submitted_at: at } of debitsMade) {
      const inSydney = new Intl.DateTimeFormat('en-CA', { timeZone: 'Australia/Sydney', dateStyle: 'short' }).format(
        at,
      );
      assert.equal(inSydney, date);
    }
  });

  it('that the sandbox reports on by hand ends its workflow at once', async () => {
    const merchant = await service.merchant();
    const debits = useDebits({ merchant, request: merchant.request });
    const customer = (await merchant.customer()).id;
    const account = await debits.account(customer);
    await debits.active({ payment_method_id: account });
    const { id } = await debits.debit({ customer, account });
    const [row] = await service.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where payment_intent_id = ${id}`;
    await until('RUNNING', workflowIdOf('bankDebit', row?.attempt_id ?? ''));
    await merchant.request('POST', `/test_helpers/payment_intents/${id}/bank_result`, { result: 'settled' });
    await until('COMPLETED', workflowIdOf('bankDebit', row?.attempt_id ?? ''));
  });
});
