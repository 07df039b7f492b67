import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { newId } from '../../src/domain/ids.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { attributes } from '../../src/messages/search-attributes.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { startOptionsOf } from '../../src/processes/temporal/start-options.ts';
import type { WebhookDelivery } from '../../src/resources/webhook-delivery.ts';
import { maxRequestsUnderWay } from '../../src/services/webhooks/sending-turns.ts';
import type { Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { useReceiver } from '../support/webhooks.ts';

describe('the delivery of a webhook', () => {
  const receiver = useReceiver();
  const service = useService({ isAlone: true });
  afterEach(() => receiver.reset());

  const workflowOf = (deliveryId: string) =>
    service.temporal.workflow.getHandle(workflowIdOf('webhookDelivery', deliveryId));

  /** A ping on its way to the receiver. */
  async function ping(): Promise<{ merchant: Merchant; id: string }> {
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint(receiver.url);
    return { merchant, id: (await merchant.ping(endpoint.id)).id };
  }

  const untilAttempted = async (merchant: Merchant, id: string, times: number): Promise<WebhookDelivery> => {
    await eventually(`${times} attempts`, async () => (await merchant.delivery(id)).attempts.length >= times);
    return merchant.delivery(id);
  };

  /** What Temporal knows of its workflow, once it is started. */
  const described = (id: string) =>
    eventually('it is started', () =>
      workflowOf(id)
        .describe()
        .catch(() => null),
    );
  const untilEnded = (id: string): Promise<true> =>
    eventually('its workflow has completed', async () => (await described(id)).status.name === 'COMPLETED');

  /** The types of the events of its workflow's history. */
  const eventsOf = async (id: string): Promise<string[]> => {
    const history: { events: { eventType: string }[] } = JSON.parse(historyToJSON(await workflowOf(id).fetchHistory()));
    return history.events.map(({ eventType }) => eventType.replace('EVENT_TYPE_', ''));
  };
  const isActivity = (event: string) => event === 'ACTIVITY_TASK_SCHEDULED';

  it('never holds up a payment: a plan that is activated behind hundreds of deliveries is paid before they are', async () => {
    const { sql } = service.db;
    const waiting = async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::integer from workflow_intents where workflow_type = 'webhookDelivery'`;
      return row?.count ?? 0;
    };
    await sql`
      insert into workflow_intents (workflow_id, workflow_type, subject_id, livemode, start, created_at, available_at)
      select 'webhook-delivery/' || id, 'webhookDelivery', id, false, true, now(), now()
      from unnest(${Array.from({ length: 600 }, () => newId('webhook_delivery'))}::text[]) id`;
    const merchant = await service.merchant();
    const { id: customer_id } = await merchant.payer();
    const { id } = await merchant.activePlan({ customer_id, start_date: dateIn(withoutClock(realNow()), 'UTC') });
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    assert.ok((await waiting()) > 0, 'all deliveries were dispatched before the plan');
    await eventually('they are all dispatched', async () => (await waiting()) === 0);
  });

  it('succeeds at the first attempt, and its workflow completes', async () => {
    const { merchant, id } = await ping();
    const delivery = await untilAttempted(merchant, id, 1);
    assert.deepEqual([delivery.status, delivery.next_attempt_at], ['delivered', null]);
    assert.deepEqual([delivery.attempts.length, delivery.attempts[0]?.status_code], [1, 200]);
    assert.equal(receiver.received.length, 1);
    assert.equal(receiver.received[0]?.headers['webhook-id'], delivery.event_id);
    await untilEnded(id);
  });

  it('is attempted again for as long as it takes when it cannot be recorded', async () => {
    const { sql } = service.db;
    await sql`alter table webhook_delivery_attempts add constraint refused check (number < 0) not valid`;
    let id = '';
    try {
      ({ id } = await ping());
      await eventually('it was sent twice, and not recorded', () => receiver.received.length >= 2);
    } finally {
      await sql`alter table webhook_delivery_attempts drop constraint refused`;
    }
    await untilEnded(id);
    assert.equal((await eventsOf(id)).filter(isActivity).length, 1);
    const [recorded] = await sql`select status, attempt_count from webhook_deliveries where id = ${id}`;
    assert.deepEqual({ ...recorded }, { status: 'delivered', attempt_count: 1 });
  });

  it('is found by endpoint, event type, biller and mode from its start, before any worker has taken it up', async () => {
    await service.stopWorkers();
    const { merchant, id } = await ping();
    try {
      const { endpoint_id } = await merchant.delivery(id);
      const found = (await described(id)).typedSearchAttributes;
      assert.equal(found.get(attributes.endpointId), endpoint_id);
      assert.equal(found.get(attributes.eventType), 'webhook_endpoint.ping');
      assert.match(found.get(attributes.billerId) ?? '', /^acct_/);
      assert.equal(found.get(attributes.livemode), false);
      const running = `EndpointId="${endpoint_id}" and ExecutionStatus="Running"`;
      await eventually('it is found', async () => (await service.temporal.workflow.count(running)).count === 1);
    } finally {
      await service.startWorkers();
      await untilEnded(id);
    }
  });

  it('gets its search attributes with its first result if it was started without them', async () => {
    await service.stopDispatcher();
    try {
      const { merchant, id } = await ping();
      const options = startOptionsOf(service.sides[0], 'webhookDelivery', id);
      await service.temporal.workflow.start('webhookDelivery', options);
      await untilEnded(id);
      const found = (await described(id)).typedSearchAttributes;
      const { endpoint_id } = await merchant.delivery(id);
      assert.deepEqual([found.get(attributes.endpointId), found.get(attributes.livemode)], [endpoint_id, false]);
    } finally {
      service.startDispatcher();
    }
  });

  it('is tried again at once when an operator sends retryNow, long before its time', async () => {
    receiver.answer = (_request, response, nth) => {
      response.statusCode = nth === 1 ? 500 : 204;
      response.end();
    };
    const { merchant, id } = await ping();
    const failed = await untilAttempted(merchant, id, 1);
    assert.equal(failed.status, 'pending');
    const wait = Date.parse(failed.next_attempt_at ?? '') - Date.parse(failed.attempts[0]?.at ?? '');
    assert.ok(wait >= 4500 && wait < 6500, `the next attempt was to come after ${wait} ms`);
    await workflowOf(id).signal('retryNow');

    const delivered = await untilAttempted(merchant, id, 2);
    assert.equal(delivered.status, 'delivered');
    const [first, second] = delivered.attempts.map(({ at }) => Date.parse(at));
    assert.ok(first && second && second - first < wait, 'the second attempt came at its own time');
    assert.equal(receiver.received.length, 2);
    assert.equal(receiver.received[0]?.headers['webhook-id'], receiver.received[1]?.headers['webhook-id']);
    await untilEnded(id);
  });

  it('is tried again on its own when its time has come', async () => {
    receiver.answer = (_request, response, nth) => {
      response.statusCode = nth === 1 ? 503 : 200;
      response.end();
    };
    const { merchant, id } = await ping();
    const delivered = await untilAttempted(merchant, id, 2);
    assert.equal(delivered.status, 'delivered');
    const [first, second] = delivered.attempts.map(({ at }) => Date.parse(at));
    assert.ok(first && second && second - first >= 4500, 'the second attempt came too early');
  });

  it('ends as failed when an operator gives it up, and a retry by the API begins it afresh', async () => {
    receiver.answer = (_request, response, nth) => {
      response.statusCode = nth === 1 ? 500 : 200;
      response.end();
    };
    const { merchant, id } = await ping();
    await untilAttempted(merchant, id, 1);
    await workflowOf(id).signal('giveUp');
    await untilEnded(id);
    const givenUp = await merchant.delivery(id);
    assert.deepEqual([givenUp.status, givenUp.failure_reason], ['failed', 'given up by an operator']);
    assert.equal(receiver.received.length, 1);

    const retried = await merchant.request('POST', `/webhook_deliveries/${id}/retry`);
    assert.equal(retried.status, 200);
    const delivered = await untilAttempted(merchant, id, 2);
    assert.equal(delivered.status, 'delivered');
  });

  it('shows operators the last response, the next attempt and what they can do', async () => {
    receiver.answer = (_request, response) => {
      response.statusCode = 500;
      response.end();
    };
    const { merchant, id } = await ping();
    const delivery = await untilAttempted(merchant, id, 1);
    const handle = workflowOf(id);
    const currentDetails = await eventually('the details are there', async () => {
      const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      return metadata.currentDetails;
    });
    assert.match(
      currentDetails,
      /^### Webhook delivery: pending after 1 attempt$[\s\S]*\*\*Last response:\*\* status 500/m,
    );
    assert.ok(currentDetails.includes((delivery.next_attempt_at ?? 'null').slice(0, 19).replace('T', ' ')));
    assert.ok(currentDetails.includes(`**Goes to:** \`${receiver.url}\` (`), currentDetails);
    assert.match(currentDetails, /`retryNow`: .*\n- `giveUp`: /);
    const query = `WorkflowType="webhookDelivery" and EndpointId="${delivery.endpoint_id}" and EventType="webhook_endpoint.ping"`;
    await eventually('it is found', async () => (await service.temporal.workflow.count(query)).count === 1);
    await handle.signal('giveUp');
    await untilEnded(id);
  });

  it('waits for its share of the slots while its receiver hangs, at no cost of attempts, and holds up no other', async function () {
    this.timeout(60_000);
    const hanging: ServerResponse[] = [];
    receiver.answer = (request, response) => {
      if (request.url === '/hangs') hanging.push(response);
      else response.end();
    };
    const merchant = await service.merchant();
    const slow = await merchant.endpoint(`${receiver.url}/hangs`);
    const quick = await merchant.endpoint(`${receiver.url}/answers`);
    const pings: unknown[] = [];
    // A few at a time: a key's requests wait for each other, and too many are refused.
    while (pings.length < 64)
      pings.push(...(await Promise.all(Array.from({ length: 16 }, () => merchant.ping(slow.id)))));
    const share = Math.ceil(maxRequestsUnderWay / 9);
    await eventually('its share is used up', () => hanging.length === share);
    const { id } = await merchant.ping(quick.id);
    await eventually('the other has its own', async () => (await merchant.delivery(id)).status === 'delivered', {
      timeoutMs: 5000,
    });
    assert.equal(hanging.length, share, 'more than its share was sent');
    const isPostponed = ({ attempts, created_at, next_attempt_at }: WebhookDelivery) =>
      attempts.length === 0 && Date.parse(next_attempt_at ?? '') - Date.parse(created_at) >= 900;
    const turnedAway = await eventually('an instant is recorded for each that was turned away', async () => {
      const postponed = (await merchant.deliveries(slow.id)).filter(isPostponed).map((delivery) => delivery.id);
      return postponed.length === pings.length - share && postponed;
    });

    receiver.answer = undefined;
    for (const response of hanging) response.end();
    const done = async () => (await merchant.deliveries(slow.id)).every(({ status }) => status === 'delivered');
    await eventually('all have arrived', done, { timeoutMs: 40_000, everyMs: 200 });
    // On a busy machine one of the others may have waited for longer than a receiver may take, and was sent again.
    for (const each of turnedAway) assert.equal((await merchant.delivery(each)).attempts.length, 1);
  });
});
