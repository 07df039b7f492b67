import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { type WorkflowType, workflowIdOf } from '../../src/messages/workflow-types.ts';
import { sendCommand } from '../../src/operations/operator-commands.ts';
import type { Stuck } from '../../src/operations/stuck/find-stuck.ts';
import { lookForStuck } from '../../src/operations/stuck/stuck.ts';
import { countStuckWorkflows } from '../../src/operations/stuck/workflows.ts';
import { unpause } from '../../src/operations/unpause.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { tester } from '../support/factories.ts';
import { useService } from '../support/service.ts';

const today = () => realNow().toISOString().slice(0, 10);
/** The processor gives no outcome, so the step is tried again until it is paused. */
const down = { seed: 'paused', share: 1, kinds: ['reset_before' as const] };
/** PENDING_ACTIVITY_STATE_PAUSED: it is not running either. */
const paused = 4;

describe('a step that was paused in Temporal', function () {
  this.timeout(120_000);
  const service = useService({ live: true });
  const operations = () => ({ sql: service.db.sql, sides: service.sides, by: tester });

  async function about(id: string): Promise<Stuck[]> {
    const reports = await lookForStuck(service.db.sql, service.sides, realNow());
    return reports.flatMap(({ found }) => found).filter(({ subject_id }) => subject_id === id);
  }

  /** Pauses the step, as `temporal activity pause` does, and waits until no worker has it. */
  async function pause(type: WorkflowType, id: string, step: string): Promise<void> {
    const { workflow, workflowService, options } = service.temporal;
    const handle = workflow.getHandle(workflowIdOf(type, id));
    const pending = async () =>
      (await handle.describe().catch(() => null))?.raw.pendingActivities?.find(
        ({ activityType }) => activityType?.name === step,
      );
    await eventually(`${step} is under way`, pending, { everyMs: 50 });
    const execution = { workflowId: handle.workflowId };
    const request = { namespace: options.namespace, execution, identity: 'ada', reason: 'to look at it', type: step };
    await workflowService.pauseActivity(request);
    await eventually(`${step} is paused`, async () => (await pending())?.state === paused, { timeoutMs: 30_000 });
  }

  const isFree = (id: string) =>
    eventually(`${id} is free`, async () => (await about(id)).every(({ kind }) => kind !== 'workflow_paused'));

  it('is found at once with who paused it, what a command says of it, and free after `ops unpause`', async () => {
    const merchant = await service.liveMerchant();
    await service.standIn.setClimate(down);
    const { id } = await merchant.activePlan({ start_date: today() });
    await pause('paymentPlan', id, 'collectPlan');
    await service.standIn.setClimate(null);
    const at = performance.now();
    const stuck = await eventually('it is found', async () =>
      (await about(id)).find(({ kind }) => kind === 'workflow_paused'),
    );
    assert.ok(performance.now() - at < 15_000, 'within 15 s');
    assert.match(stuck.why, /^its step collectPlan was paused in Temporal at \S+Z by ada \(to look at it\)$/);
    assert.ok(stuck.remedy.startsWith(`npm run --silent ops -- unpause ${id}. `), stuck.remedy);
    assert.equal((await countStuckWorkflows(service.db.sql, service.sides, realNow())).get('workflow_paused'), 1);

    for (const name of ['recheck', 'retryNow'] as const) {
      await assert.rejects(sendCommand(operations(), id, { name }), (error: Error) => {
        assert.match(error.message, /its step collectPlan was paused in Temporal.*ops -- unpause pp_\w+\.$/);
        return !/worker/i.test(error.message);
      });
    }
    const { raw } = await service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', id)).describe();
    assert.ok(raw.pendingActivities?.length === 1, 'nothing has tried it meanwhile');

    assert.match(await unpause(operations(), id), /^payment-plan\/pp_\w+ continues: its step collectPlan was paused/);
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid', {
      timeoutMs: 60_000,
    });
    await isFree(id);
    await assert.rejects(unpause(operations(), id), /^CommandRefused: Nothing to continue/);
    const actions = (await listAudit(service.db.sql, { limit: 100 })).filter(({ subject_id }) => subject_id === id);
    assert.ok(actions.some(({ action, actor }) => action === 'workflow.unpaused' && actor.id === tester.id));
  });

  it('is named on the page of its workflow, which says where to look', async () => {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    await service.standIn.setClimate(down);
    const { id } = await merchant.intent({
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      scheduled_payment_date: today(),
    });
    await pause('scheduledPayment', id, 'collectScheduledPayment');
    await service.standIn.setClimate(null);
    const handle = service.temporal.workflow.getHandle(workflowIdOf('scheduledPayment', id));
    const { currentDetails = '' } = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    assert.match(currentDetails, /which is being collected/);
    assert.match(currentDetails, /`ops stuck` says whether the step fails or was paused/);
    assert.equal((await about(id))[0]?.kind, 'workflow_paused');
    await unpause(operations(), id);
    await eventually('it is paid', async () => (await merchant.getIntent(id)).status === 'succeeded', {
      timeoutMs: 60_000,
    });
    await isFree(id);
  });

  it('is found on a test clock too, and the reason of a slow advance names it', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    await service.db.sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await tx`select from payment_plans where id = ${plan.id} for update`;
      await merchant.beginAdvance(clock.id, '2027-01-06T00:00:00Z');
      await pause('testClock', clock.id, 'advanceOrExpire');
    });
    await service.db.sql`
      update clock_advances set requested_at = requested_at - interval '5 minutes' where test_clock_id = ${clock.id}`;
    // On a slow machine a reading may be cut off at its time limit: then that part is not there.
    const found = await eventually('both are found', async () => {
      const both = await about(clock.id);
      const kinds = both.map(({ kind }) => kind).sort();
      return kinds.join() === 'advance_slow,workflow_paused' && both;
    });
    for (const { why, remedy } of found) {
      assert.match(why, /its step advanceOrExpire was paused in Temporal/);
      assert.match(remedy, /ops -- unpause clk_/);
    }
    await unpause(operations(), clock.id);
    assert.equal((await merchant.stopped(clock.id)).status, 'ready');
    await isFree(clock.id);
  });
});
