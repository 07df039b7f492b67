import assert from 'node:assert/strict';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { useDebtor } from '../support/debtor.ts';
import { paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';

describe('a plan on a test clock', () => {
  const service = useService();

  const statusOf = async (workflowId: string): Promise<string> =>
    (await service.temporal.workflow.getHandle(workflowId).describe()).status.name;

  /** Goes on in a fresh run, and waits until it is there. */
  async function startFreshRun(workflowId: string): Promise<void> {
    const handle = service.temporal.workflow.getHandle(workflowId);
    const { runId } = await handle.describe();
    await handle.signal('startFreshRun');
    await eventually(`${workflowId} runs afresh`, async () => (await handle.describe()).runId !== runId);
  }

  it('collects each slot at its own instant, the first one without an advance', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T10:00:00Z', { start_date: '2027-01-04' });
    await eventually('the first slot is paid', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');

    await merchant.advance(clock.id, '2027-01-18T10:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-04T10:00:00.000Z',
      '1 paid 2027-01-11T00:00:00.000Z',
      '2 paid 2027-01-18T00:00:00.000Z',
    ]);
    const succeeded = await merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.deepEqual(
      succeeded.map(({ created_at, test_clock }) => [created_at, test_clock]),
      ['2027-01-04T10:00:00.000Z', '2027-01-11T00:00:00.000Z', '2027-01-18T00:00:00.000Z'].map((at) => [at, clock.id]),
    );
    const { collected_amount_cents, next_payment_date } = await merchant.getPlan(plan.id);
    assert.deepEqual([collected_amount_cents, next_payment_date], [3000, '2027-01-25']);
  });

  it('goes on after an advance that was accepted by a process with a clock that is ahead', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-11' });
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    // Its id sorts after those of the next advances.
    await service.db.sql`update clock_advances set id = 'adv_zz' || substr(id, 7) where test_clock_id = ${clock.id}`;

    await merchant.advance(clock.id, '2027-01-26T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-11T00:00:00.000Z',
      '1 paid 2027-01-18T00:00:00.000Z',
      '2 paid 2027-01-25T00:00:00.000Z',
    ]);
    assert.equal((await merchant.getClock(clock.id)).last_advance?.target_time, '2027-01-26T00:00:00.000Z');
  });

  it('sleeps to the first due date without reading the plan: two due dates are two steps', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const steps = async (): Promise<number> => {
      const { events } = await service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id)).fetchHistory();
      return (events ?? []).filter(({ markerRecordedEventAttributes }) => markerRecordedEventAttributes).length;
    };
    await merchant.advance(clock.id, '2027-01-13T00:00:00Z');
    const before = await steps();
    await merchant.advance(clock.id, '2027-01-27T00:00:00Z');
    assert.equal((await steps()) - before, 2);
    assert.equal((await merchant.payments(plan.id)).length, 4);
  });

  it('collects when the database says that it is due, earlier or later than the workflow has read', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-11' });
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    // No poke tells the workflow of it.
    const fallDue = (at: string) =>
      service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, new Date(at))} where id = ${plan.id}`;
    await fallDue('2027-01-15T00:00:00Z');
    await merchant.advance(clock.id, '2027-01-16T00:00:00Z');
    await fallDue('2027-01-27T00:00:00Z');
    await merchant.advance(clock.id, '2027-01-29T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-11T00:00:00.000Z',
      '1 paid 2027-01-15T00:00:00.000Z',
      '2 paid 2027-01-27T00:00:00.000Z',
    ]);
  });

  it('collects nothing in an advance over a span without due dates, and goes on afterwards', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T10:00:00Z');
    const monthly = { customer_id: payer.id, start_date: '2027-02-01', frequency_type: 'monthly' as const };
    const plan = await merchant.activePlan(monthly);

    const ready = await merchant.advance(clock.id, '2027-01-11T10:00:00Z');
    assert.equal(ready.frozen_time, '2027-01-11T10:00:00.000Z');
    await merchant.advance(clock.id, '2027-01-31T23:59:59.999Z');
    assert.deepEqual(await merchant.payments(plan.id), []);
    await merchant.advance(clock.id, '2027-02-01T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), ['0 paid 2027-02-01T00:00:00.000Z']);

    const manifests = await merchant.manifests(clock.id);
    const nothing = { payment_intents_enqueued: 0, links_expired: 0, subscriptions_rolled: 0, plans_recalculated: 0 };
    assert.deepEqual(manifests, [nothing, nothing, { ...nothing, payment_intents_enqueued: 1, plans_recalculated: 1 }]);
  });

  it('keeps every slot through many advances with a fresh run of each workflow between them', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-11' });
    const instants: string[] = [];
    for (let week = 1; week <= 8; week++) {
      const instant = new Date(Date.UTC(2027, 0, 4 + 7 * week)).toISOString();
      instants.push(instant);
      await merchant.advance(clock.id, instant);
      await startFreshRun(workflowIdOf('paymentPlan', plan.id));
      await startFreshRun(workflowIdOf('testClock', clock.id));
    }
    assert.deepEqual(
      paymentLines(await merchant.payments(plan.id)),
      instants.map((instant, slot) => `${slot} paid ${instant}`),
    );
  });

  it('closes with its last payment cut to what remains of the total, and its workflow completes', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T00:00:00Z');
    const terms = { first_amount_cents: 700, recurring_amount_cents: 1000, total_amount_cents: 2300 };
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-04', ...terms });
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');

    const payments = await merchant.payments(plan.id);
    assert.deepEqual(
      payments.map(({ amount }) => amount),
      [700, 1000, 600],
    );
    const closed = await merchant.getPlan(plan.id);
    assert.deepEqual(
      [closed.state, closed.state_reason, closed.collected_amount_cents],
      ['closed', 'total_collected', 2300],
    );
    const [event] = await merchant.events({ event_type: 'payment_plan.closed' });
    assert.equal(event?.created_at, '2027-01-18T00:00:00.000Z');
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await eventually('the workflow has completed', async () => (await statusOf(workflowId)) === 'COMPLETED');

    await merchant.advance(clock.id, '2027-02-18T00:00:00Z');
    assert.equal((await merchant.payments(plan.id)).length, 3);
  });

  it('keeps to the last day of each month when it starts on the 31st', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-30T00:00:00Z');
    const monthly = { customer_id: payer.id, start_date: '2027-01-31', frequency_type: 'monthly' as const };
    const plan = await merchant.activePlan(monthly);
    for (const target of ['2027-03-25T00:00:00Z', '2027-05-20T00:00:00Z', '2027-07-01T00:00:00Z']) {
      await merchant.advance(clock.id, target);
    }
    const days = ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30'];
    assert.deepEqual(
      paymentLines(await merchant.payments(plan.id)),
      days.map((day, slot) => `${slot} paid ${day}T00:00:00.000Z`),
    );
  });

  const midnights = [
    ['Australia/Sydney', '2027-03-25', ['2027-03-24T13:00', '2027-03-31T13:00', '2027-04-07T14:00']],
    ['Australia/Sydney', '2027-09-27', ['2027-09-26T14:00', '2027-10-03T13:00', '2027-10-10T13:00']],
    ['America/New_York', '2027-03-08', ['2027-03-08T05:00', '2027-03-15T04:00', '2027-03-22T04:00']],
    ['America/New_York', '2027-11-01', ['2027-11-01T04:00', '2027-11-08T05:00', '2027-11-15T05:00']],
    ['Pacific/Auckland', '2027-03-31', ['2027-03-30T11:00', '2027-04-06T12:00', '2027-04-13T12:00']],
    ['Pacific/Auckland', '2027-09-22', ['2027-09-21T12:00', '2027-09-28T11:00', '2027-10-05T11:00']],
    ['Australia/Lord_Howe', '2027-03-31', ['2027-03-30T13:00', '2027-04-06T13:30', '2027-04-13T13:30']],
    ['Australia/Lord_Howe', '2027-09-29', ['2027-09-28T13:30', '2027-10-05T13:00', '2027-10-12T13:00']],
  ] as const;
  for (const [timeZone, startDate, [first, second, third]] of midnights) {
    it(`is charged at midnight in ${timeZone}, before and after the clocks change: ${second.slice(0, 7)}`, async () => {
      const merchant = await service.merchant({ timeZone });
      const before = new Date(Date.parse(`${first}Z`) - 1).toISOString();
      const { clock, plan } = await merchant.planOnClock(before, { start_date: startDate });
      await merchant.advance(clock.id, `${second}:00Z`);
      await merchant.advance(clock.id, `${third}:00Z`);
      assert.deepEqual(
        paymentLines(await merchant.payments(plan.id)),
        [first, second, third].map((instant, slot) => `${slot} paid ${instant}:00.000Z`),
      );
    });
  }

  it('leaves another clock of the same biller as it was, and moves beside it without mixing', async () => {
    const merchant = await service.merchant();
    const lives = await Promise.all(
      ['2027-01-04T00:00:00Z', '2030-06-03T00:00:00Z'].map(async (frozen) => {
        const { clock, plan } = await merchant.planOnClock(frozen, { start_date: frozen.slice(0, 10) });
        await eventually(
          'its first slot is paid',
          async () => (await merchant.payments(plan.id))[0]?.status === 'paid',
        );
        const look = async () => ({
          clock: await merchant.getClock(clock.id),
          plan: await merchant.getPlan(plan.id),
          payments: await merchant.payments(plan.id),
          events: await merchant.events({ test_clock: clock.id }),
        });
        return { clock, plan, look };
      }),
    );
    const [first, second] = lives;
    assert.ok(first && second);
    const before = await second.look();
    await merchant.advance(first.clock.id, '2027-01-18T00:00:00Z');
    assert.deepEqual(await second.look(), before);

    await Promise.all([
      merchant.advance(first.clock.id, '2027-01-25T00:00:00Z'),
      merchant.advance(second.clock.id, '2030-06-17T00:00:00Z'),
    ]);
    assert.deepEqual(paymentLines(await merchant.payments(first.plan.id)), [
      '0 paid 2027-01-04T00:00:00.000Z',
      '1 paid 2027-01-11T00:00:00.000Z',
      '2 paid 2027-01-18T00:00:00.000Z',
      '3 paid 2027-01-25T00:00:00.000Z',
    ]);
    assert.deepEqual(paymentLines(await merchant.payments(second.plan.id)), [
      '0 paid 2030-06-03T00:00:00.000Z',
      '1 paid 2030-06-10T00:00:00.000Z',
      '2 paid 2030-06-17T00:00:00.000Z',
    ]);
  });

  it('follows what is done to it between advances: changed, suspended, resumed and closed', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T00:00:00Z');
    const pending = await merchant.plan({ customer_id: payer.id, start_date: '2027-01-11' });
    await merchant.advance(clock.id, '2027-01-05T00:00:00Z');
    await merchant.move(pending.id, 'activate');
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    await merchant.updatePlan(pending.id, { recurring_amount_cents: 2500 });
    await merchant.advance(clock.id, '2027-01-19T00:00:00Z');
    await merchant.move(pending.id, 'suspend');
    await merchant.advance(clock.id, '2027-02-03T00:00:00Z');
    await merchant.move(pending.id, 'resume');
    await merchant.advance(clock.id, '2027-02-09T00:00:00Z');
    await merchant.move(pending.id, 'close');
    await merchant.advance(clock.id, '2027-03-09T00:00:00Z');

    const payments = await merchant.payments(pending.id);
    assert.deepEqual(paymentLines(payments), [
      '0 paid 2027-01-11T00:00:00.000Z',
      '1 paid 2027-01-18T00:00:00.000Z',
      '2 skipped',
      '3 skipped',
      '4 paid 2027-02-08T00:00:00.000Z',
    ]);
    assert.deepEqual(
      payments.map(({ amount }) => amount),
      [1000, 2500, null, null, 2500],
    );
    await eventually('its workflow has completed', async () => {
      return (await statusOf(workflowIdOf('paymentPlan', pending.id))) === 'COMPLETED';
    });
  });

  it('is charged no more once it was deactivated, though the clock goes on', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    await merchant.move(plan.id, 'deactivate');
    await merchant.advance(clock.id, '2027-02-06T00:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), ['0 paid 2027-01-05T00:00:00.000Z']);
  });

  it('fails at its own instant by a bank account once the mandate has lapsed, which has expired when the clock is ready', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T00:00:00Z');
    const debtor = useDebtor({ merchant, request: merchant.request });
    const { id } = await debtor.active({ payment_method_id: await debtor.account(payer.id) });
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-11' });
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    const lapse = '2027-01-20T14:00:00.000Z';
    await service.db.sql`update mandates set lapses_at = ${new Date(lapse)} where id = ${id}`;
    const later = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-21' });
    await merchant.move(plan.id, 'suspend');
    await merchant.advance(clock.id, '2027-01-26T00:00:00Z');

    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), ['0 paid 2027-01-11T00:00:00.000Z']);
    assert.deepEqual(paymentLines(await merchant.payments(later.id)), ['0 failed 2027-01-21T00:00:00.000Z']);
    assert.equal((await merchant.getPlan(later.id)).state, 'suspended');
    const { status, ended_at, last_debited_at } = await debtor.get(id);
    assert.deepEqual([status, ended_at, last_debited_at], ['expired', lapse, '2027-01-11T05:00:00.000Z']);
    const types = (await merchant.events({ test_clock: clock.id })).map(({ event_type }) => event_type);
    assert.ok(types.indexOf('mandate.expired') < types.lastIndexOf('test_clock.ready'));
    assert.ok(types.indexOf('mandate.expired') > 0);
  });

  it('ends its workflows when the clock is deleted, and leaves nothing to be charged', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T00:00:00Z');
    const card = await merchant.card(payer.id);
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-11' });
    const intent = await merchant.intent({
      amount: 500,
      customer_id: payer.id,
      payment_method: card,
      scheduled_payment_date: '2027-01-20',
    });
    const workflowIds = [
      workflowIdOf('paymentPlan', plan.id),
      workflowIdOf('scheduledPayment', intent.id),
      workflowIdOf('testClock', clock.id),
    ];
    for (const id of workflowIds) {
      await eventually(`${id} runs`, async () => (await statusOf(id).catch(() => '')) === 'RUNNING');
    }
    await merchant.deleteClock(clock.id);
    for (const id of workflowIds) {
      await eventually(`${id} has completed`, async () => (await statusOf(id)) === 'COMPLETED');
    }
    for (const path of [`/payment_plans/${plan.id}`, `/payment_intents/${intent.id}`, `/customers/${payer.id}`]) {
      assert.equal((await merchant.request('GET', path)).status, 404, path);
    }
    const types = (await merchant.events({ test_clock: clock.id })).map(({ event_type }) => event_type);
    assert.deepEqual(types, ['test_clock.created', 'payment_plan.activated', 'test_clock.deleted']);
  });

  describe('with a scheduled payment beside it', () => {
    it('makes the payment at midnight of its date, in the biller’s time zone, and never again', async () => {
      const merchant = await service.merchant({ timeZone: 'Australia/Sydney' });
      const { clock, payer } = await merchant.customerOnClock('2027-01-04T00:00:00Z');
      const card = await merchant.card(payer.id);
      const scheduled = { amount: 500, currency: 'AUD' as const, customer_id: payer.id, payment_method: card };
      const intent = await merchant.intent({ ...scheduled, scheduled_payment_date: '2027-01-20' });
      const declined = await merchant.intent({
        ...scheduled,
        scheduled_payment_date: '2027-01-20',
        metadata: { _sandbox_outcome: 'decline' },
      });

      await merchant.advance(clock.id, '2027-01-19T12:59:59.999Z');
      assert.equal((await merchant.getIntent(intent.id)).status, 'requires_payment_method');
      await merchant.advance(clock.id, '2027-01-21T00:00:00Z');
      await merchant.advance(clock.id, '2027-02-21T00:00:00Z');

      const paid = await merchant.getIntent(intent.id);
      assert.deepEqual([paid.status, paid.updated_at], ['succeeded', '2027-01-19T13:00:00.000Z']);
      const failed = await merchant.getIntent(declined.id);
      assert.deepEqual([failed.status, failed.last_payment_error?.code], ['failed', 'insufficient_funds']);
      const events = await merchant.events({ test_clock: clock.id });
      assert.equal(events.filter(({ event_type }) => event_type === 'payment_intent.succeeded').length, 1);
      assert.equal(events.filter(({ event_type }) => event_type === 'payment_intent.failed').length, 1);
      assert.deepEqual(
        (await merchant.manifests(clock.id)).map(({ payment_intents_enqueued }) => payment_intents_enqueued),
        [0, 2, 0],
      );
    });

    it('makes a payment for today within seconds while the clock is frozen', async () => {
      const merchant = await service.merchant();
      const { payer } = await merchant.customerOnClock('2027-01-04T15:30:00Z');
      const intent = await merchant.intent({
        amount: 500,
        customer_id: payer.id,
        payment_method: await merchant.card(payer.id),
        scheduled_payment_date: '2027-01-04',
      });
      assert.equal('scheduled_payment_date' in intent, false);
      const paid = await eventually('it is paid', async () => {
        const now = await merchant.getIntent(intent.id);
        return now.status === 'succeeded' && now;
      });
      assert.equal(paid.updated_at, '2027-01-04T15:30:00.000Z');
    });
  });
});
