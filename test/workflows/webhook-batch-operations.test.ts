import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { addMs } from '../../src/domain/instants.ts';
import { sendCommand } from '../../src/operations/operator-commands.ts';
import { findMismatches } from '../../src/operations/reconciler/reconciler.ts';
import { findEndedWorkflows, reportWanted } from '../../src/operations/stuck/ended-workflows.ts';
import { explain } from '../../src/operations/stuck/explain.ts';
import { workflowIntentsWaiting } from '../../src/operations/stuck/kinds/outbox.ts';
import { deliveryBacklog } from '../../src/operations/stuck/kinds/webhooks.ts';
import { findStuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';
import { workflowBundle } from '../support/temporal.ts';
import { batchIdAt, commitEvents, promptEndpoint, useReceiver } from '../support/webhooks.ts';

describe('a batch of webhooks, for operators', () => {
  const receiver = useReceiver();
  const service = useService({ isAlone: true });
  afterEach(() => receiver.reset());
  const side = () => service.sides[0];

  /** An endpoint that responds promptly, and a batch of so many deliveries to it that no worker has taken up. */
  async function waitingBatch(count: number): Promise<{ endpointId: string; ids: string[]; batchId: string }> {
    const endpointId = await promptEndpoint(await service.merchant(), receiver.url);
    receiver.received = [];
    await service.stopWorkers();
    const ids = await commitEvents(service.db.sql, endpointId, count);
    const batchId = await batchIdAt(service.db.sql, endpointId);
    const batch = service.temporal.workflow.getHandle(batchId);
    const status = () =>
      batch.describe().then(
        ({ status: { name } }) => name,
        () => null,
      );
    await eventually('the batch has begun', async () => (await status()) === 'RUNNING');
    return { endpointId, ids, batchId };
  }

  const missing = async () =>
    (await findMismatches(service.db.sql, side())).filter(({ workflowType }) => workflowType === 'webhookDelivery');
  const delivered = async (ids: string[]) => {
    const rows = await service.db.sql`
      select 1 from webhook_deliveries where id = any(${ids}) and status = 'delivered'`;
    return rows.length;
  };

  it('has its deliveries in the outbox: no comparison misses a workflow of their own, and ops stuck looks at the batch', async () => {
    const { ids, batchId, endpointId } = await waitingBatch(5);
    assert.deepEqual(await missing(), []);
    await service.db.sql`
      update webhook_deliveries set next_attempt_at = now() - interval '10 minutes' where id = any(${ids})`;
    const inAMinute = addMs(realNow(), 120_000);
    const reports = await findStuck(service.db.sql, [deliveryBacklog, workflowIntentsWaiting], inAMinute);
    assert.deepEqual(
      reports.filter(({ kind, count }) => kind === 'workflow_intents_waiting' && count > 0),
      [],
    );
    const backlog = reports.filter(({ kind }) => kind === 'delivery_backlog');
    const [explained] = await explain(backlog, () => ({ temporal: service.temporal, hasWorker: false }));
    const found = explained?.found.find(({ subject_id }) => subject_id === endpointId);
    assert.equal(found?.workflow_id, batchId);
    assert.match(found?.why ?? '', /5 due and not attempted.*; no worker takes deliveries$/);
    await service.startWorkers();
    await eventually('all are delivered', async () => (await delivered(ids)) === 5);
  });

  it('that was terminated is followed by the next, which sends what it has left', async () => {
    const { ids, batchId } = await waitingBatch(4);
    const batch = service.temporal.workflow.getHandle(batchId);
    const { runId } = await batch.describe();
    await batch.terminate('by the test');
    await eventually('the next one runs', async () => (await batch.describe()).runId !== runId);
    const inAMinute = addMs(realNow(), 60_000);
    const ended = await findEndedWorkflows(side(), inAMinute);
    assert.deepEqual(await reportWanted(service.db.sql, side(), ended), []);
    assert.deepEqual(await missing(), []);
    await service.startWorkers();
    await eventually('all are delivered', async () => (await delivered(ids)) === 4);
    assert.equal(receiver.received.length, 4);
  });

  it('lets one of its deliveries be given up by an operator, and does not send it', async () => {
    const { ids } = await waitingBatch(3);
    const [, second = ''] = ids;
    const by = { kind: 'command_line' as const, id: 'ada' };
    const operations = { sql: service.db.sql, sides: service.sides, by };
    assert.equal(
      await sendCommand(operations, second, { name: 'giveUp' }),
      'The delivery is given up (0 attempts). It can be retried later.',
    );
    await assert.rejects(sendCommand(operations, second, { name: 'giveUp' }), /Nothing to give up/);
    await service.startWorkers();
    await eventually('the others are delivered', async () => (await delivered(ids)) === 2);
    assert.equal(receiver.received.length, 2);
    const [entry] = await service.db.sql`select action, actor_id from audit_log where subject_id = ${second}`;
    assert.equal(entry?.action, 'webhook_delivery.given_up');
  });

  it('waits for a new worker, and loses nothing, when one of a former version that does not know it polls', async function () {
    this.timeout(120_000);
    const { ids, batchId } = await waitingBatch(3);
    const { code, ...bundle } = (await workflowBundle()) as { code: string };
    await service.startWorkers({ ...bundle, code: code.replaceAll('webhookBatch', 'unknownToIt') } as never);
    await eventually('the old worker fails its task', async () => {
      const { history } = await service.temporal.workflowService.getWorkflowExecutionHistoryReverse({
        namespace: service.temporal.options.namespace,
        execution: { workflowId: batchId },
      });
      const types = history?.events?.map(({ workflowTaskFailedEventAttributes: task }) => task?.failure?.message ?? '');
      return types?.some((message) => message.includes('webhookBatch'));
    });
    assert.equal(await delivered(ids), 0);
    await service.startWorkers();
    await eventually('all are delivered by the new one', async () => (await delivered(ids)) === 3, {
      timeoutMs: 90_000,
    });
    assert.equal(receiver.received.length, 3);
  });
});
