import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { Merchant } from '../support/merchant.ts';
import type { ServiceProcess } from '../support/process.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';

/** A heartbeat is missed after 8 s; then Temporal pauses half a second before it gives the charge to another worker. */
const missedWithinMs = 10_000;
/** Half a second of pause, and what a busy machine takes to ask and record. */
const restMs = 4_000;

describe('a live charge that waits for a slow processor', function () {
  this.timeout(serverStartTimeoutMs);
  const service = useService({ live: true, idle: true });
  let workers: ServiceProcess[] = [];

  before('start two workers', async () => {
    service.startDispatcher();
    workers = await Promise.all([1, 2].map(() => service.startWorkerProcess()));
  });

  /** An active plan that is due, and the worker that has asked the processor for its first payment. */
  async function chargeBeingMade(merchant: Merchant, weather: string) {
    const plan = await merchant.activePlan({
      start_date: dateIn(withoutClock(realNow()), 'UTC'),
      metadata: { _stand_in: weather },
    });
    const intentId = await eventually('the processor is asked to charge', async () => {
      const payment = (await merchant.payments(plan.id))[0];
      const charges = (await service.standIn.calls()).filter(({ kind }) => kind === 'charge');
      return charges.find((call) => call.payment_intent_id === payment?.payment_intent_id)?.payment_intent_id;
    });
    const handle = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan.id));
    const pid = await eventually('its activity is known', async () => {
      const { raw } = await handle.describe();
      return Number(raw.pendingActivities?.[0]?.lastWorkerIdentity?.split('@')[0]);
    });
    const worker = workers.find(({ child }) => child.pid === pid);
    assert.ok(worker, `the charge is with process ${pid}`);
    return { plan, intentId, worker };
  }

  const isPaid = async (merchant: Merchant, intentId: string) =>
    (await merchant.getIntent(intentId)).status === 'succeeded';

  /** Asserts that the processor took the money once, and that the payment has one attempt and one event. */
  async function assertChargedOnce(merchant: Merchant, planId: string, intentId: string): Promise<void> {
    const calls = (await service.standIn.calls()).filter((call) => call.payment_intent_id === intentId);
    const taken = calls.filter((call) => call.kind === 'charge' && !call.repeated);
    assert.deepEqual([taken.length, new Set(calls.map((call) => call.idempotency_key)).size], [1, 1]);
    assert.equal((await merchant.payments(planId))[0]?.attempts.length, 1);
    const events = await merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.equal(events.filter(({ data }) => data.id === intentId).length, 1);
  }

  it('is completed by the other worker while its own is frozen, which loses when it is thawed', async () => {
    const merchant = await service.liveMerchant();
    const { plan, intentId, worker } = await chargeBeingMade(merchant, 'slow_3000');
    await eventually('it is frozen while it holds no lock', async () => {
      worker.child.kill('SIGSTOP');
      const [open] = await service.db.sql`
        select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
      if (open !== undefined) worker.child.kill('SIGCONT');
      return open === undefined;
    });
    try {
      // Temporal may give the retry to the frozen worker too: its polls are still open. Housekeeping does not ask it.
      const ago = new Date(realNow().getTime() - 3_600_000);
      await service.db.sql`update payment_attempts set opened_at = ${ago} where payment_intent_id = ${intentId}`;
      await eventually('the other completes it', () => isPaid(merchant, intentId));
    } finally {
      worker.child.kill('SIGCONT');
    }
    await pause(2_000); // it reads the answer that has waited for it, and records nothing
    await assertChargedOnce(merchant, plan.id, intentId);
    assert.equal(worker.child.exitCode, null, 'it lives');
  });

  it('is completed by the other worker within ten seconds and a retry when its own is killed', async () => {
    const merchant = await service.liveMerchant();
    const { plan, intentId, worker } = await chargeBeingMade(merchant, 'slow_60000');
    const killedAt = performance.now();
    await worker.end('SIGKILL');
    await eventually('the other completes it', () => isPaid(merchant, intentId));
    const took = performance.now() - killedAt;
    assert.ok(took < missedWithinMs + restMs, `it took ${Math.round(took)} ms`);
    await assertChargedOnce(merchant, plan.id, intentId);
  });

  it('is left to another worker by one that shuts down in order', async () => {
    workers = [...workers.filter(({ child }) => child.signalCode === null), await service.startWorkerProcess()];
    const merchant = await service.liveMerchant();
    const { plan, intentId, worker } = await chargeBeingMade(merchant, 'slow_60000');
    const code = await worker.end('SIGTERM');
    assert.equal(code, 0);
    await eventually('the other completes it', () => isPaid(merchant, intentId));
    await assertChargedOnce(merchant, plan.id, intentId);
  });
});
