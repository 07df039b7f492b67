// Records the histories of the workflows as they are now, on the real server: npx mocha test/replay/record.ts, and for
// live mode npx mocha test/replay/record-live-mode.ts. Do it after a change of the workflows that is meant to change
// what they do, and read the difference. Where runs of the former version may be under way, rename histories/current
// first, to `before-<name of the patch>` (docs/upgrades.md).

import type { ServerResponse } from 'node:http';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { allowTimeSkipping } from '../../src/processes/temporal/time-skipping.ts';
import { maxRequestsUnderWay } from '../../src/services/webhooks/sending-turns.ts';
import { useService } from '../support/service.ts';
import { useReceiver } from '../support/webhooks.ts';
import { useRecorder } from './recorder.ts';

describe('recording histories', function () {
  this.timeout(60_000);
  const receiver = useReceiver();
  const service = useService({ isAlone: true });
  const { keep, signal, send } = useRecorder(
    service,
    (name) => !/^(live-mode|bank-debit|payment-link|checkout-session|subscription|webhook-batch)-/.test(name),
  );

  /** Sends a command that is refused. */
  const attempt = (workflowId: string, command: string, input?: unknown): Promise<unknown> =>
    send(workflowId, command, input).then(
      (result) => result,
      (error: unknown) => error,
    );

  it('records a live plan, charged at once and by a timer, suspended, resumed and closed', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: dateIn(withoutClock(realNow()), 'UTC') });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    const paid = (count: number): Promise<true> =>
      eventually(`${count} are paid`, async () => {
        const payments = await merchant.payments(plan.id);
        return payments.length === count && payments.every(({ status }) => status === 'paid');
      });
    await paid(1);
    const due = new Date(realNow().getTime() + 1000);
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, due)} where id = ${plan.id}`;
    await signal(workflowId, 'recheck');
    await paid(2);
    await merchant.move(plan.id, 'suspend');
    await merchant.move(plan.id, 'resume');
    await merchant.move(plan.id, 'close');
    await keep('live-plan-is-charged-at-once-and-by-a-timer', workflowId);
  });

  it('records a plan on a clock, moved by several advances until its total is collected', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      total_amount_cents: 3500,
    });
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    await merchant.updatePlan(plan.id, { recurring_amount_cents: 1200 });
    await merchant.advance(clock.id, '2027-01-19T00:00:00Z');
    await merchant.advance(clock.id, '2027-01-27T00:00:00Z');
    await keep('plan-on-a-clock-collects-slot-by-slot-through-advances', workflowIdOf('paymentPlan', plan.id));
    await merchant.deleteClock(clock.id);
    await keep('clock-carries-out-advances-and-is-deleted', workflowIdOf('testClock', clock.id));
  });

  it('records a plan on a clock, retried, suspended, resumed and deactivated', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      metadata: { _sandbox_outcome: 'decline,decline,decline,decline,succeed' },
    });
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');
    await merchant.move(plan.id, 'resume');
    await merchant.advance(clock.id, '2027-01-20T00:00:00Z');
    await merchant.move(plan.id, 'deactivate');
    await keep('plan-on-a-clock-is-retried-suspended-and-resumed', workflowIdOf('paymentPlan', plan.id));
  });

  it('records a plan on a clock that goes on in a fresh run between advances', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      total_amount_cents: 2000,
    });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    const { runId } = await service.temporal.workflow.getHandle(workflowId).describe();
    await signal(workflowId, 'startFreshRun');
    await keep('plan-on-a-clock-goes-on-in-a-fresh-run-1', workflowId, runId);
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    await keep('plan-on-a-clock-goes-on-in-a-fresh-run-2', workflowId);
  });

  it('records a plan on a clock whose history grows long, until it goes on in a fresh run on its own', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      total_amount_cents: 20_000,
    });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    const { runId } = await eventually('it runs', () =>
      service.temporal.workflow
        .getHandle(workflowId)
        .describe()
        .catch(() => null),
    );
    for (let week = 2; week <= 20; week += 2) {
      await merchant.advance(clock.id, new Date(Date.UTC(2027, 0, 4 + 7 * week)).toISOString());
    }
    await keep('plan-on-a-clock-makes-many-payments-1', workflowId, runId);
    await keep('plan-on-a-clock-makes-many-payments-2', workflowId);
  });

  it('records a plan on a clock that stalls and is freed', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const poison = service.db.sql.json({ _sandbox_outcome: 'no such word' });
    await service.db.sql`update payment_plans set metadata = ${poison} where id = ${plan.id}`;
    await merchant.beginAdvance(clock.id, '2027-01-06T00:00:00Z');
    await merchant.stopped(clock.id);
    await service.db.sql`update payment_intents set metadata = '{}' where payment_plan_id = ${plan.id}`;
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await signal(workflowId, 'recheck');
    await eventually('it is paid', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    await merchant.move(plan.id, 'close');
    await keep('plan-on-a-clock-stalls-and-is-freed', workflowId);
  });

  it('records a plan that stalls in real time, goes on in a fresh run, and is freed', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const plan = await merchant.plan({ customer_id: payer.id, start_date: dateIn(withoutClock(realNow()), 'UTC') });
    const poison = service.db.sql.json({ _sandbox_outcome: 'no such word' });
    await service.db.sql`update payment_plans set metadata = ${poison} where id = ${plan.id}`;
    await merchant.move(plan.id, 'activate');
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    const stalled = (looks: number): Promise<true> =>
      eventually(`it has looked ${looks} times`, async () => {
        const handle = service.temporal.workflow.getHandle(workflowId);
        const history = await handle.fetchHistory().catch(() => ({ events: [] }));
        return (history.events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer).length >= looks;
      });
    await stalled(1);
    const { runId } = await service.temporal.workflow.getHandle(workflowId).describe();
    await signal(workflowId, 'startFreshRun');
    await eventually('it is in a fresh run', async () => {
      const now = await service.temporal.workflow.getHandle(workflowId).describe();
      return now.runId !== runId;
    });
    await stalled(1);
    await service.db.sql`update payment_intents set metadata = '{}' where payment_plan_id = ${plan.id}`;
    await signal(workflowId, 'recheck');
    await eventually('it is paid', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    await merchant.move(plan.id, 'close');
    await keep('plan-stalls-in-real-time-and-goes-on-in-a-fresh-run-1', workflowId, runId);
    await keep('plan-stalls-in-real-time-and-goes-on-in-a-fresh-run-2', workflowId);
  });

  it('records a plan in real time that skips time, stalls and is looked at again when its date has come', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await signal(workflowId, 'poke');
    await allowTimeSkipping(service.temporal, workflowId);
    const handle = service.temporal.workflow.getHandle(workflowId);
    await eventually('it waits without a timer', async () => {
      const events = (await handle.fetchHistory()).events ?? [];
      const fired = events.filter(({ timerFiredEventAttributes: timer }) => timer);
      const looked = events.findLast(({ markerRecordedEventAttributes: marker }) => marker);
      // One for its date, one for the look after that, which was skipped as well.
      return fired.length === 2 && Number(looked?.eventId) > Number(fired[1]?.eventId);
    });
    const due = new Date(realNow().getTime() - 100);
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, due)} where id = ${plan.id}`;
    await send(workflowId, 'recheck');
    await eventually('it is paid', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    await merchant.move(plan.id, 'close');
    await keep('plan-in-real-time-is-skipped-and-stalls', workflowId);
  });

  it('records a plan whose payment an operator retries, and then skips', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      metadata: { _sandbox_outcome: 'decline' },
    });
    await merchant.advance(clock.id, '2027-01-05T12:00:00Z');
    await service.db.sql`update payment_attempts set settled_at = settled_at - interval '2 minutes'`;
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await send(workflowId, 'retryNow');
    await eventually('it is tried', async () => (await merchant.payments(plan.id))[0]?.attempts.length === 2);
    await send(workflowId, 'skipSlot', { slot: 0, by: 'ada' });
    await send(workflowId, 'recheck');
    await merchant.advance(clock.id, '2027-01-12T12:00:00Z');
    await merchant.move(plan.id, 'close');
    await keep('plan-on-a-clock-is-retried-and-skipped-by-an-operator', workflowId);
  });

  it('records a clock whose advance hangs and is resumed by an operator', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('testClock', clock.id);
    await service.db.sql.begin(async (tx) => {
      await tx`select 1 from payment_plans where id = ${plan.id} for update`;
      await merchant.beginAdvance(clock.id, '2027-01-06T00:00:00Z');
      await eventually(
        'it is shown as advancing',
        async () =>
          (await service.temporal.workflow.count(`WorkflowId="${workflowId}" and ClockStatus="advancing"`)).count > 0,
        { timeoutMs: 30_000 },
      );
      await send(workflowId, 'retryAdvance');
    });
    await merchant.stopped(clock.id);
    await send(workflowId, 'recheck');
    await merchant.deleteClock(clock.id);
    await keep('clock-whose-advance-hangs-is-freed-by-an-operator', workflowId);
  });

  it('records scheduled payments, on a clock and for today', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T00:00:00Z');
    const scheduled = { amount: 500, currency: 'AUD' as const };
    const later = await merchant.intent({
      ...scheduled,
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      scheduled_payment_date: '2027-01-20',
    });
    await merchant.advance(clock.id, '2027-01-10T00:00:00Z');
    await merchant.advance(clock.id, '2027-01-20T00:00:00Z');
    await keep('scheduled-payment-is-made-by-an-advance', workflowIdOf('scheduledPayment', later.id));

    const customer = await merchant.customer();
    const now = await merchant.intent({
      ...scheduled,
      customer_id: customer.id,
      payment_method: await merchant.card(customer.id),
      scheduled_payment_date: dateIn(withoutClock(realNow()), 'UTC'),
    });
    await keep('scheduled-payment-for-today-is-made-at-once', workflowIdOf('scheduledPayment', now.id));
  });

  it('records webhook deliveries, retried and given up', async () => {
    receiver.answer = (_request, response, nth) => {
      response.statusCode = nth === 2 ? 200 : 500;
      response.end();
    };
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint(receiver.url);
    const retried = workflowIdOf('webhookDelivery', (await merchant.ping(endpoint.id)).id);
    await keep('webhook-delivery-is-retried-on-its-timer', retried);
    const { id } = await merchant.ping(endpoint.id);
    await eventually('it has failed', async () => (await merchant.delivery(id)).attempts.length === 1);
    await signal(workflowIdOf('webhookDelivery', id), 'retryNow');
    await eventually('it has failed again', async () => (await merchant.delivery(id)).attempts.length === 2);
    await signal(workflowIdOf('webhookDelivery', id), 'giveUp');
    await keep('webhook-delivery-is-given-up-by-an-operator', workflowIdOf('webhookDelivery', id));
    const sent = await merchant.ping(endpoint.id);
    const workflowId = workflowIdOf('webhookDelivery', sent.id);
    await eventually('it has failed', async () => (await merchant.delivery(sent.id)).attempts.length === 1);
    await send(workflowId, 'retryNow', 'ada');
    await eventually('it has failed again', async () => (await merchant.delivery(sent.id)).attempts.length === 2);
    await send(workflowId, 'giveUp', 'ada');
    await keep('webhook-delivery-is-retried-and-given-up-by-commands', workflowId);
  });

  it('records webhook deliveries that are made at once, and after a wait for their turn', async () => {
    receiver.reset();
    const held: ServerResponse[] = [];
    receiver.answer = (_request, response, nth) => (nth === 1 ? response.end() : held.push(response));
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint(receiver.url);
    const workflowOf = async () => workflowIdOf('webhookDelivery', (await merchant.ping(endpoint.id)).id);
    await keep('webhook-delivery-is-made-at-once', await workflowOf());
    // So that no batch takes the next ones.
    await service.db.sql`update webhook_endpoints set responds_promptly = false where id = ${endpoint.id}`;
    await workflowOf();
    await eventually('it is under way', () => held.length === 1);
    const share = Math.ceil(maxRequestsUnderWay / 9);
    for (let sent = held.length; sent < share; sent++) await workflowOf();
    await eventually('the share is used up', () => held.length === share);
    const { id } = await merchant.ping(endpoint.id);
    await eventually('it waits', async () => {
      const { next_attempt_at } = await merchant.delivery(id);
      return Date.parse(next_attempt_at ?? '') > realNow().getTime();
    });
    receiver.answer = undefined;
    for (const response of held) response.end();
    await keep('webhook-delivery-waits-for-its-turn', workflowIdOf('webhookDelivery', id));
  });

  it('records commands that are refused: by a plan, by one whose step fails, and by a delivery', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      metadata: { _sandbox_outcome: 'decline' },
    });
    await merchant.advance(clock.id, '2027-01-05T12:00:00Z');
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await attempt(workflowId, 'skipSlot', 9);
    await attempt(workflowId, 'retryNow', 'ada');
    await service.db.sql`alter table audit_log rename to audit_log_away`;
    await attempt(workflowId, 'recheck');
    await service.db.sql`alter table audit_log_away rename to audit_log`;
    await merchant.move(plan.id, 'close');
    await keep('plan-on-a-clock-refuses-commands', workflowId);

    receiver.reset();
    let respond = () => {};
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    receiver.answer = async (_request, response, nth) => {
      if (nth === 2) await held;
      response.statusCode = nth === 2 ? 200 : 500;
      response.end();
    };
    const endpoint = await merchant.endpoint(receiver.url);
    const { id } = await merchant.ping(endpoint.id);
    const delivery = workflowIdOf('webhookDelivery', id);
    await eventually('it has failed', async () => (await merchant.delivery(id)).attempts.length === 1);
    await send(delivery, 'retryNow');
    await eventually('it is tried again', () => receiver.received.length === 2);
    await attempt(delivery, 'retryNow');
    respond();
    await keep('webhook-delivery-refuses-a-command', delivery);
  });
});
