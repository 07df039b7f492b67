// Records the histories of live mode, in which a charge waits for a processor service: npx mocha
// test/replay/record-live-mode.ts See record.ts.

import { fallsDueAt, letRetryFallDue } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { useRecorder } from './recorder.ts';

const today = () => dateIn(withoutClock(realNow()), 'UTC');

async function paid(merchant: Merchant, planId: string, count = 1): Promise<void> {
  await eventually(`${count} are paid`, async () => {
    const payments = await merchant.payments(planId);
    return payments.length === count && payments.every(({ status }) => status === 'paid');
  });
}

describe('recording histories of live mode', function () {
  this.timeout(120_000);
  const service = useService({ live: true });
  const { keep, signal, send } = useRecorder(service, (name) => name.startsWith('live-mode-'));

  it('records a plan that is paid at once and by a timer, suspended, resumed and closed', async () => {
    const merchant = await service.liveMerchant();
    const plan = await merchant.activePlan({ start_date: today() });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await paid(merchant, plan.id);
    const due = new Date(realNow().getTime() + 1000);
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, due)} where id = ${plan.id}`;
    await signal(workflowId, 'recheck');
    await paid(merchant, plan.id, 2);
    for (const transition of ['suspend', 'resume', 'close'] as const) await merchant.move(plan.id, transition);
    await keep('live-mode-plan-is-paid-at-once-and-by-a-timer', workflowId);
  });

  it('records a plan whose payment is declined, retried on its date, and paid', async () => {
    const { sql } = service.db;
    const merchant = await service.liveMerchant();
    const metadata = { _sandbox_outcome: 'decline,succeed' };
    const { id } = await merchant.activePlan({ start_date: today(), metadata });
    await eventually('it is declined', async () => (await merchant.payments(id))[0]?.status === 'retrying');
    const due = new Date(realNow().getTime() + 1000);
    await letRetryFallDue(sql, id, 0, due);
    const workflowId = workflowIdOf('paymentPlan', id);
    await signal(workflowId, 'recheck');
    await paid(merchant, id);
    await merchant.move(id, 'close');
    await keep('live-mode-plan-is-declined-and-retried', workflowId);
  });

  it('records a plan that stalls because the processor gives no outcome, and is freed by an operator', async () => {
    const merchant = await service.liveMerchant();
    const lost = Array(8).fill('error_500').join(',');
    const metadata = { _stand_in: lost, _stand_in_inquire: lost };
    const { id } = await merchant.activePlan({ start_date: today(), metadata });
    const workflowId = workflowIdOf('paymentPlan', id);
    const handle = service.temporal.workflow.getHandle(workflowId);
    const waiting = { timeoutMs: 100_000 };
    await eventually(
      'it has stalled',
      async () => {
        const { events } = await handle.fetchHistory().catch(() => ({ events: [] }));
        return events?.some(({ timerStartedEventAttributes: timer }) => timer);
      },
      waiting,
    );
    await send(workflowId, 'recheck', 'ada');
    await paid(merchant, id);
    await merchant.move(id, 'close');
    await keep('live-mode-plan-stalls-and-is-freed', workflowId);
  });

  it('records a scheduled payment for today', async () => {
    const merchant = await service.liveMerchant();
    const customer = await merchant.customer();
    const { id } = await merchant.intent({
      customer_id: customer.id,
      payment_method: await merchant.card(customer.id),
      scheduled_payment_date: today(),
    });
    await keep('live-mode-scheduled-payment-is-made', workflowIdOf('scheduledPayment', id));
  });
});

describe('recording histories of live mode whose worker dies', function () {
  this.timeout(120_000);
  const service = useService({ live: true, idle: true });
  const { keep } = useRecorder(service, () => false);

  it('records a plan whose worker is killed while the processor is slow', async () => {
    service.startDispatcher();
    const first = await service.startWorkerProcess();
    const merchant = await service.liveMerchant();
    const { id } = await merchant.activePlan({ start_date: today(), metadata: { _stand_in: 'slow_60000' } });
    const isAsked = async () => (await service.standIn.calls()).some(({ kind }) => kind === 'charge');
    await eventually('the processor is asked to charge', isAsked);
    await first.end('SIGKILL');
    await service.startWorkers();
    await paid(merchant, id);
    await merchant.move(id, 'close');
    await keep('live-mode-plan-outlives-its-worker', workflowIdOf('paymentPlan', id));
  });
});
