import assert from 'node:assert/strict';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';

const today = () => dateIn(withoutClock(realNow()), 'UTC');

describe('a plan in real time', () => {
  const service = useService();

  it('is charged at once when it is activated on the day of its first payment', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: today() });
    const [payment] = await eventually('it is paid', async () => {
      const payments = await merchant.payments(plan.id);
      return payments[0]?.status === 'paid' && payments;
    });
    assert.deepEqual([payment?.slot, payment?.due_date], [0, today()]);
  });

  it('is charged automatically, on a timer, when its instant comes', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const due = new Date(realNow().getTime() + 1500);
    await service.db.sql`update payment_plans set ${fallsDueAt(service.db.sql, due)} where id = ${plan.id}`;
    const handle = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id));
    await eventually('its workflow is told', () =>
      handle.signal('recheck').then(
        () => true,
        () => false,
      ),
    );

    const [payment] = await eventually('it is paid', async () => {
      const payments = await merchant.payments(plan.id);
      return payments[0]?.status === 'paid' && payments;
    });
    const late = Date.parse(payment?.attempts[0]?.at ?? '') - due.getTime();
    assert.ok(late >= 0 && late < 2000, `charged ${late} ms after its instant`);
    const { events = [] } = await handle.fetchHistory();
    assert.ok(events?.some(({ timerFiredEventAttributes }) => timerFiredEventAttributes));
  });

  it('is not charged when it is closed before its instant', async () => {
    const merchant = await service.merchant();
    const plan = await merchant.activePlan({ start_date: '2099-01-01' });
    const handle = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id));
    await eventually('its workflow waits', () => handle.describe().catch(() => null));
    await merchant.move(plan.id, 'close');
    await eventually('its workflow has completed', async () => (await handle.describe()).status.name === 'COMPLETED');
    assert.deepEqual(await merchant.payments(plan.id), []);
  });

  it('makes a scheduled payment for today within seconds', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.customer();
    const intent = await merchant.intent({
      amount: 500,
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      scheduled_payment_date: today(),
    });
    await eventually('it is paid', async () => (await merchant.getIntent(intent.id)).status === 'succeeded');
    const handle = service.temporal.workflow.getHandle(workflowIdOf('scheduledPayment', intent.id));
    await eventually('its workflow has completed', async () => (await handle.describe()).status.name === 'COMPLETED');
  });
});
