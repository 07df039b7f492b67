import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { eventually } from '../../lab/eventually.ts';
import { workflowIdOf } from '../../src/platform/postgres/outbox.ts';
import type { WebhookDelivery } from '../../src/resources/webhook-delivery.ts';
import { maxRequestsUnderWay } from '../../src/services/webhooks/sender.ts';
import type { Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { useReceiver } from '../support/webhooks.ts';

describe('the delivery of a webhook', () => {
  const receiver = useReceiver();
  const service = useService();
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

  const untilEnded = (id: string): Promise<true> =>
    eventually('its workflow has completed', async () => (await workflowOf(id).describe()).status.name === 'COMPLETED');

  it('succeeds at the first attempt, and its workflow completes', async () => {
    const { merchant, id } = await ping();
    const delivery = await untilAttempted(merchant, id, 1);
    assert.deepEqual([delivery.status, delivery.next_attempt_at], ['delivered', null]);
    assert.deepEqual([delivery.attempts.length, delivery.attempts[0]?.status_code], [1, 200]);
    assert.equal(receiver.received.length, 1);
    assert.equal(receiver.received[0]?.headers['webhook-id'], delivery.event_id);
    await untilEnded(id);
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

  it('is tried again by itself when its time has come', async () => {
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
    const pings = await Promise.all(Array.from({ length: 64 }, () => merchant.ping(slow.id)));
    const share = Math.ceil(maxRequestsUnderWay / 9);
    await eventually('its share is used up', () => hanging.length === share);
    const { id } = await merchant.ping(quick.id);
    await eventually('the other has its own', async () => (await merchant.delivery(id)).status === 'delivered', {
      timeoutMs: 5000,
    });
    assert.equal(hanging.length, share, 'more than its share was sent');

    receiver.answer = undefined;
    for (const response of hanging) response.end();
    const done = async () => (await merchant.deliveries(slow.id)).every(({ status }) => status === 'delivered');
    await eventually('all have arrived', done, { timeoutMs: 40_000, everyMs: 200 });
    const deliveries = await merchant.deliveries(slow.id);
    assert.deepEqual(
      deliveries.map(({ attempts }) => attempts.length),
      pings.map(() => 1),
    );
  });
});
