import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { addMs } from '../../src/domain/instants.ts';
import { batchIdOf, workflowIdOf } from '../../src/messages/workflow-types.ts';
import { sendCommand } from '../../src/operations/operator-commands.ts';
import { findMismatches, reconcile } from '../../src/operations/reconciler/reconciler.ts';
import { listCarried, listCarriedTo } from '../../src/operations/sides/webhook-batches.ts';
import { findEndedWorkflows, reportWanted } from '../../src/operations/stuck/ended-workflows.ts';
import { explain } from '../../src/operations/stuck/explain.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';
import { workflowBundle } from '../support/temporal.ts';
import { commitEvents, promptEndpoint, useReceiver } from '../support/webhooks.ts';

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
    const batchId = batchIdOf(ids[0] ?? '');
    await eventually('the batch has begun', async () => (await listCarried(side())).size === count);
    return { endpointId, ids, batchId };
  }

  const missing = async () =>
    (await findMismatches(service.db.sql, side())).filter(({ workflowType }) => workflowType === 'webhookDelivery');
  const delivered = async (ids: string[]) => {
    const rows = await service.db.sql`
      select 1 from webhook_deliveries where id = any(${ids}) and status = 'delivered'`;
    return rows.length;
  };

  it('carries its deliveries: no comparison misses a workflow of their own, and ops stuck looks at the batch', async () => {
    const { ids, batchId, endpointId } = await waitingBatch(5);
    // Other test files have batches in the same Temporal.
    const carried = await listCarriedTo(service.temporal, endpointId);
    assert.deepEqual([...new Set(ids.map((id) => carried.get(id)))], [batchId]);
    assert.deepEqual(await missing(), []);
    const why = 'due';
    const backlog = { kind: 'delivery_backlog', subject_id: endpointId, why, remedy: '', since: null };
    const found = {
      ...backlog,
      workflow_id: workflowIdOf('webhookDelivery', ids[3] ?? ''),
      biller_id: null,
      livemode: null,
    };
    const report = { kind: 'delivery_backlog', meaning: '', after_seconds: 0, count: 1, found: [found] };
    const [explained] = await explain([report], () => ({ temporal: service.temporal, hasWorker: false }));
    const { workflow_id, why: explanation } = explained?.found[0] ?? {};
    assert.deepEqual([workflow_id, explanation], [batchId, 'due; no worker takes deliveries']);
    await service.startWorkers();
    await eventually('all are delivered', async () => (await delivered(ids)) === 5);
  });

  it('that was terminated is reported as stuck, and the next comparison sends its deliveries again', async () => {
    const { ids, batchId } = await waitingBatch(4);
    await service.temporal.workflow.getHandle(batchId).terminate('by the test');
    const inAMinute = addMs(realNow(), 60_000);
    const [stuck] = await eventually('it is reported', async () => {
      const found = await reportWanted(service.db.sql, side(), await findEndedWorkflows(side(), inAMinute));
      return found?.length === 1 && found;
    });
    assert.deepEqual([stuck?.subject_id, stuck?.workflow_id], [ids[0], batchId]);
    assert.equal(stuck?.why, 'the batch that carried it was terminated, with 3 more that were not sent');
    assert.match(stuck?.remedy ?? '', /retry-delivery/);
    await eventually('they are missed', async () => (await missing()).length === 4);
    await reconcile(service.db.sql, service.sides);
    await service.startWorkers();
    await eventually('all are delivered', async () => (await delivered(ids)) === 4);
    assert.deepEqual(await reportWanted(service.db.sql, side(), await findEndedWorkflows(side(), inAMinute)), []);
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
