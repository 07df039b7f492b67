import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { attributes } from '../../src/messages/search-attributes.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import type { Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { batchIdAt, commitEvents, promptEndpoint, useReceiver } from '../support/webhooks.ts';

describe('webhooks of one biller to several endpoints', () => {
  const receiver = useReceiver();
  const service = useService({ isAlone: true });
  afterEach(() => receiver.reset());

  async function endpointsAt(paths: string[]): Promise<{ merchant: Merchant; endpoints: string[] }> {
    const merchant = await service.merchant();
    const endpoints: string[] = [];
    for (const path of paths) endpoints.push(await promptEndpoint(merchant, receiver.url + path));
    receiver.received = [];
    return { merchant, endpoints };
  }

  /** Commits events. Returns their deliveries to all of these endpoints, the first of the batch first. */
  async function commit(endpoints: string[], count: number): Promise<string[]> {
    const [first = ''] = endpoints;
    const ids = await commitEvents(service.db.sql, first, count);
    const rows = await service.db.sql<{ id: string }[]>`
      select d.id from webhook_deliveries d
      join webhook_deliveries f on f.event_id = d.event_id and f.id = any(${ids})
      join events e on e.id = d.event_id
      where d.endpoint_id = any(${endpoints}) order by e.sequence, d.id`;
    return rows.map(({ id }) => id);
  }

  const pending = async (ids: string[]) =>
    (await service.db.sql`select 1 from webhook_deliveries where id = any(${ids}) and status = 'pending'`).length;
  const untilDelivered = (ids: string[], timeoutMs = 10_000) =>
    eventually('all are delivered', async () => (await pending(ids)) === 0, { timeoutMs });
  const batchesOf = async (billerId: string) => {
    const query = `WorkflowType="webhookBatch" and BillerId="${billerId}"`;
    return (await service.temporal.workflow.count(query)).count;
  };
  const billerOf = async (endpoint: string) => {
    const [row] = await service.db.sql<[{ biller_id: string }]>`
      select biller_id from webhook_endpoints where id = ${endpoint}`;
    return row.biller_id;
  };

  it('are one batch: its page lists the endpoints, and it is found by its biller', async () => {
    const { endpoints } = await endpointsAt(['/a', '/b', '/c']);
    const ids = await commit(endpoints, 1);
    await untilDelivered(ids);
    const batch = service.temporal.workflow.getHandle(await batchIdAt(service.db.sql, endpoints[0] ?? ''));
    const { typedSearchAttributes: found } = await batch.describe();
    assert.deepEqual(
      [found.get(attributes.billerId), found.get(attributes.endpointId)],
      [await billerOf(endpoints[0] ?? ''), undefined],
    );
    const details = await eventually('the page is there', async () => {
      const metadata = await batch.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      return /3 delivered/.test(metadata.currentDetails ?? '') && metadata.currentDetails;
    });
    for (const id of endpoints) assert.ok(details.includes(`\`${id}\`, at \`${receiver.url}\``), details);
    await eventually('it is listed', async () => (await batchesOf(await billerOf(endpoints[0] ?? ''))) >= 1);
  });

  it('are two batches at a time if they are of two billers', async () => {
    const [one, other] = [await endpointsAt(['/a', '/b']), await endpointsAt(['/c', '/d'])];
    await service.stopDispatcher();
    const ids = [...(await commit(one.endpoints, 3)), ...(await commit(other.endpoints, 3))];
    service.startDispatcher();
    await untilDelivered(ids);
    for (const { endpoints } of [one, other]) {
      const billerId = await billerOf(endpoints[0] ?? '');
      await eventually('it is listed', async () => (await batchesOf(billerId)) >= 1);
    }
  });

  it('keep coming to the others when one begins to hang: those of the next event wait for two seconds at most, once', async function () {
    this.timeout(60_000);
    const { endpoints } = await endpointsAt(['/hangs', '/b', '/c']);
    receiver.answer = (request, response) => {
      if (request.url !== '/hangs') response.end();
    };
    const healthy = endpoints.slice(1);
    const waits: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const begun = performance.now();
      const all = await commit(endpoints, 1);
      const toHealthy = await service.db.sql<{ id: string }[]>`
        select id from webhook_deliveries where id = any(${all}) and endpoint_id = any(${healthy})`;
      await untilDelivered(toHealthy.map(({ id }) => id));
      waits.push(performance.now() - begun);
      await pause(200);
    }
    const [first = 0, second = 0, ...others] = waits;
    assert.ok(first < 1_000 && second < 3_000 && others.every((ms) => ms < 1_000), waits.map(Math.round).join(', '));
    receiver.answer = undefined;
  });
});

describe('a batch that is started behind deliveries with workflows of their own', () => {
  const receiver = useReceiver();
  const service = useService({ idle: true });

  it('is begun before them, but for those that polls have taken already', async function () {
    this.timeout(120_000);
    const { sql } = service.db;
    const merchant = await service.merchant();
    const { id: ofNew } = await merchant.endpoint(`${receiver.url}/new`);
    const others = await service.merchant();
    const { id: ofBatch } = await others.endpoint(`${receiver.url}/prompt`);
    await sql`update webhook_endpoints set responds_promptly = true where id = ${ofBatch}`;
    const deliveries = await commitEvents(sql, ofNew, 60);
    service.startDispatcher();
    await eventually('all have a workflow', async () => (await sql`select from workflow_intents`).length === 0);
    await commitEvents(sql, ofBatch, 1);
    const batchId = await batchIdAt(sql, ofBatch);
    const handleOf = (id: string) => service.temporal.workflow.getHandle(id);
    await eventually('the batch runs', () =>
      handleOf(batchId)
        .describe()
        .catch(() => false),
    );
    await service.startWorkers();
    const beginOf = async (id: string) => {
      await handleOf(id).result();
      const { events } = await handleOf(id).fetchHistory();
      const begun = events?.find(({ workflowTaskStartedEventAttributes: started }) => started != null);
      return Number(begun?.eventTime?.seconds) * 1000 + Number(begun?.eventTime?.nanos) / 1e6;
    };
    const batchBegun = await beginOf(batchId);
    const ids = deliveries.map((id) => workflowIdOf('webhookDelivery', id));
    const before = (await Promise.all(ids.map(beginOf))).filter((begun) => begun < batchBegun);
    // Ten polls of a worker may have been responded to at once.
    assert.ok(before.length <= 10, `${before.length} of ${ids.length} deliveries were begun before the batch`);
  });
});
