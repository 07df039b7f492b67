import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { attributes } from '../../src/messages/search-attributes.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { startDispatcher } from '../../src/processes/dispatcher.ts';
import type { Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { testLogger } from '../support/temporal.ts';
import { batchIdAt, commitEvents, promptEndpoint, useReceiver } from '../support/webhooks.ts';

describe('webhooks to an endpoint that responds promptly', () => {
  const receiver = useReceiver();
  const service = useService({ isAlone: true });
  afterEach(() => receiver.reset());

  interface Endpoint {
    merchant: Merchant;
    id: string;
  }

  async function endpointAt(path = '/hook', merchant?: Merchant): Promise<Endpoint> {
    const owner = merchant ?? (await service.merchant());
    const id = await promptEndpoint(owner, receiver.url + path);
    receiver.received = [];
    return { merchant: owner, id };
  }

  const commit = ({ id }: Endpoint, count: number) => commitEvents(service.db.sql, id, count);

  const pending = async (ids: string[]) => {
    const rows = await service.db.sql`
      select 1 from webhook_deliveries where id = any(${ids}) and status = 'pending' and attempt_count = 0`;
    return rows.length;
  };
  const untilAttempted = (ids: string[]) => eventually('all were attempted', async () => (await pending(ids)) === 0);

  /** The batch of an endpoint's biller that runs, or has run last. */
  const batchOf = async ({ id }: Endpoint) => service.temporal.workflow.getHandle(await batchIdAt(service.db.sql, id));
  const batchesOf = async (endpoint: Endpoint) => {
    const { workflowId } = await batchOf(endpoint);
    return (await service.temporal.workflow.count(`WorkflowId="${workflowId}"`)).count;
  };
  const hasOwnWorkflow = (id: string) =>
    service.temporal.workflow
      .getHandle(workflowIdOf('webhookDelivery', id))
      .describe()
      .then(
        () => true,
        () => false,
      );

  /** An endpoint that responds promptly, and a delivery to it whose own workflow waits for half an hour. */
  async function endpointWithOneInLine(): Promise<Endpoint & { waiting: string }> {
    const endpoint = await endpointAt();
    await service.stopDispatcher();
    const [waiting = ''] = await commit(endpoint, 1);
    await service.db.sql`
      update webhook_deliveries set next_attempt_at = now() + interval '30 minutes' where id = ${waiting}`;
    service.startDispatcher();
    await eventually('its workflow waits', async () => {
      const handle = service.temporal.workflow.getHandle(workflowIdOf('webhookDelivery', waiting));
      const { events } = (await handle.fetchHistory().catch(() => null)) ?? {};
      return events?.some(({ timerStartedEventAttributes: timer }) => timer);
    });
    return { ...endpoint, waiting };
  }

  it('go to an endpoint that responds promptly in one batch, in the order of their events', async () => {
    const endpoint = await endpointAt();
    const ids = await commit(endpoint, 20);
    await untilAttempted(ids);
    const nths = receiver.received.map(({ body }) => JSON.parse(body).data.nth);
    assert.deepEqual(
      nths,
      ids.map((_, nth) => nth),
    );
    const { status, typedSearchAttributes: found } = await eventually('the batch has ended', async () => {
      const description = await (await batchOf(endpoint)).describe();
      return description.status.name === 'COMPLETED' && description;
    });
    assert.equal(status.name, 'COMPLETED');
    assert.equal(found.get(attributes.livemode), false);
    assert.match(found.get(attributes.billerId) ?? '', /^acct_/);
    for (const id of ids) assert.equal(await hasOwnWorkflow(id), false);
    const { attempts } = await endpoint.merchant.delivery(ids[7] ?? '');
    assert.deepEqual([attempts.length, attempts[0]?.status_code], [1, 200]);
  });

  it('go in a batch that takes what becomes due while it is under way, and then in the next', async () => {
    const endpoint = await endpointAt();
    const before = await eventually('the ping is counted', async () => batchesOf(endpoint));
    const ids: string[] = [];
    for (let nth = 0; nth < 60; nth++) {
      ids.push(...(await commit(endpoint, 2)));
      await pause(10);
    }
    await untilAttempted(ids);
    for (const id of ids) assert.equal(await hasOwnWorkflow(id), false);
    assert.equal(receiver.received.length, 120);
    await pause(1_500); // until Temporal lists those that have ended
    const batches = (await batchesOf(endpoint)) - before;
    assert.ok(batches >= 1 && batches <= 12, `${batches} batches for 60 events within a second or two`);
  });

  it('come once, and all of them, while dispatchers of two processes see that a batch runs', async () => {
    const endpoint = await endpointAt();
    const another = startDispatcher(service.db.sql, service.sides[0], testLogger());
    try {
      const ids: string[] = [];
      for (let nth = 0; nth < 20; nth++) {
        ids.push(...(await commit(endpoint, 5)));
        await pause(nth % 3 === 0 ? 120 : 5); // longer than a batch waits for the next
      }
      await untilAttempted(ids);
      assert.equal(receiver.received.length, 100);
    } finally {
      await another.close();
    }
  });

  it('go one by one to an endpoint that has not responded yet, or fails', async () => {
    const merchant = await service.merchant();
    const { id } = await merchant.endpoint(`${receiver.url}/new`);
    const endpoint = { merchant, id };
    const ids = await commit(endpoint, 5);
    await untilAttempted(ids);
    for (const each of ids) assert.equal(await hasOwnWorkflow(each), true);
    await service.db.sql`update webhook_endpoints set failing_since = now() where id = ${id}`;
    const others = await commit(endpoint, 5);
    await untilAttempted(others);
    for (const each of others) assert.equal(await hasOwnWorkflow(each), true);
  });

  it('are retried by workflows of their own if they fail, and can be given up there', async () => {
    const endpoint = await endpointAt();
    receiver.answer = (_request, response, nth) => response.writeHead(nth === 2 ? 500 : 200).end();
    const ids = await commit(endpoint, 5);
    await untilAttempted(ids);
    const failed = ids[1] ?? '';
    const handle = service.temporal.workflow.getHandle(workflowIdOf('webhookDelivery', failed));
    await eventually('it has a workflow', () => hasOwnWorkflow(failed));
    await eventually('it shows what it waits for', async () => {
      const { typedSearchAttributes: found } = await handle.describe();
      return found.get(attributes.failedAttempts) === 1;
    });
    assert.deepEqual((await endpoint.merchant.delivery(failed)).attempts.length, 1);
    await handle.signal('retryNow');
    await eventually('it is delivered', async () => (await endpoint.merchant.delivery(failed)).status === 'delivered');
    assert.equal((await endpoint.merchant.delivery(failed)).attempts.length, 2);
    assert.equal(receiver.received.length, 6);
  });

  it('are shown on the page of the batch: where to, how many, and what has failed', async () => {
    const endpoint = await endpointAt();
    receiver.answer = (_request, response, nth) => response.writeHead(nth === 3 ? 503 : 200).end();
    const ids = await commit(endpoint, 4);
    await untilAttempted(ids);
    const batch = await batchOf(endpoint);
    const details = await eventually('the page is there', async () => {
      const metadata = await batch.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      return /3 delivered/.test(metadata.currentDetails ?? '') && metadata.currentDetails;
    });
    assert.match(details, /^### Webhook batch: 3 delivered$/m);
    assert.match(details, /Failed at the first attempt.*1/);
    assert.ok(details.includes(`webhook-delivery/${ids[2]}`) && details.includes('status 503'), details);
    assert.ok(details.includes(endpoint.id) && details.includes(`\`${receiver.url}\``), details);
  });

  it('go in batches when thousands are replayed', async () => {
    const endpoint = await endpointAt();
    const ids = await commit(endpoint, 300);
    await untilAttempted(ids);
    await service.db.sql`
      update webhook_deliveries set status = 'failed', failure_reason = 'test' where id = any(${ids})`;
    receiver.received = [];
    const { status } = await endpoint.merchant.request('POST', `/webhook_endpoints/${endpoint.id}/replay`, {
      since: new Date(realNow().getTime() - 600_000).toISOString(),
    });
    assert.equal(status, 200);
    const delivered = async () => {
      const rows = await service.db.sql`
        select 1 from webhook_deliveries where id = any(${ids}) and status = 'delivered'`;
      return rows.length === 300;
    };
    await eventually('all are delivered again', delivered);
    const own = await Promise.all(ids.map(hasOwnWorkflow));
    assert.equal(own.filter(Boolean).length, 0);
  });

  it('are retried at their time when they fail in a batch while workflows of their own wait for a turn', async () => {
    const { merchant, id, waiting } = await endpointWithOneInLine();
    receiver.answer = (_request, response, nth) => response.writeHead(nth <= 2 ? 500 : 200).end();
    await service.stopDispatcher();
    const since = new Date(realNow().getTime() - 600_000).toISOString();
    const { body } = await merchant.request('POST', `/webhook_endpoints/${id}/replay`, { since });
    assert.equal(body.enqueued, 1);
    const [other = ''] = await commit({ merchant, id }, 1);
    service.startDispatcher();
    await untilAttempted([waiting, other]);
    const delivered = async () => (await merchant.delivery(waiting)).status === 'delivered';
    await eventually('its second attempt is made', delivered, { timeoutMs: 20_000 });
    const { attempts } = await merchant.delivery(waiting);
    const [first, second] = attempts.map(({ at }) => Date.parse(at));
    assert.equal(attempts.length, 2);
    assert.ok(Number(second) - Number(first) >= 4_500, 'its second attempt was made before its time');
  });

  it('come once each from an advance of a test clock', async () => {
    const { merchant, clock } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    await endpointAt('/clock', merchant);
    await merchant.advance(clock.id, '2027-01-18T00:00:00Z');
    const events = await merchant.client.events.list({ test_clock: clock.id, limit: 100 }).toArray();
    const wanted = events.filter(({ event_type }) => event_type === 'payment_intent.succeeded').map(({ id }) => id);
    assert.equal(wanted.length, 2);
    const arrived = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));
    await eventually('all have come', () => wanted.every((id) => arrived().includes(id)));
    assert.equal(new Set(arrived()).size, arrived().length, 'one came twice');
  });

  it('come to an endpoint in company of one that hangs, and no worker has its places taken by that one', async function () {
    this.timeout(90_000);
    const merchant = await service.merchant();
    const slow = await endpointAt('/hangs', merchant);
    const quick = await endpointAt('/responds', merchant);
    receiver.answer = (request, response) => {
      if (request.url !== '/hangs') response.end();
    };
    const hanging = () => receiver.received.filter(({ path }) => path === '/hangs').length;
    for (let round = 0; round < 3; round++) {
      const ids = await commit(quick, 100);
      await eventually('the healthy one has all', async () => (await pending(ids)) === 0, { timeoutMs: 20_000 });
      await pause(1_000);
    }
    assert.ok(hanging() > 0 && hanging() <= 57, `${hanging()} requests to the one that hangs`);
    const toSlow = await service.db.sql`
      select 1 from webhook_endpoints where id = ${slow.id} and not responds_promptly`;
    assert.equal(toSlow.length, 1);
    receiver.answer = undefined;
  });

  it('leave charges the places that they need: beside 20,000 of them, an activated plan is paid within seconds', async function () {
    this.timeout(180_000);
    const endpoint = await endpointAt();
    const payer = await endpoint.merchant.payer();
    const start_date = dateIn(withoutClock(realNow()), 'UTC');
    const waiting = async () => {
      const [row] = await service.db.sql<[{ count: number }]>`
        select count(*)::integer from workflow_intents where workflow_type = 'webhookBatch'`;
      return row.count;
    };
    for (let round = 0; round < 4; round++) await commit(endpoint, 5_000);
    const paidAfter: number[] = [];
    for (let nth = 0; nth < 5; nth++) {
      const begun = performance.now();
      const { id } = await endpoint.merchant.activePlan({ customer_id: payer.id, start_date });
      await eventually('it is paid', async () => (await endpoint.merchant.payments(id))[0]?.status === 'paid');
      paidAfter.push(performance.now() - begun);
    }
    assert.ok((await waiting()) > 1_000, 'the deliveries were over before');
    const longest = Math.max(...paidAfter);
    assert.ok(longest < 5_000, `paid after ${Math.round(longest)} ms`);
  });
});
