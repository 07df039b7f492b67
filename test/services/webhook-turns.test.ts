import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { attemptDelivery } from '../../src/services/webhooks/attempt.ts';
import { retryWebhookDelivery } from '../../src/services/webhooks/deliveries.ts';
import { createWebhookSender, type WebhookSender } from '../../src/services/webhooks/sender.ts';
import { useDatabase } from '../support/database.ts';
import { deliveryOf, makeEvent, useDeliveries, useReceiver, webhookDeps } from '../support/webhooks.ts';

/** Longer than the second within which a receiver counts as prompt. */
const timeoutMs = 1_300;

describe('a delivery whose endpoint is busy', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const the = useDeliveries(db, receiver);
  const senders: WebhookSender[] = [];
  /** The responses that a hanging receiver owes. */
  let owed: ServerResponse[] = [];

  beforeEach('hang', () => {
    owed = [];
    receiver.answer = (_request, response) => owed.push(response);
  });
  afterEach('close the senders', async () => {
    for (const sender of senders.splice(0)) await sender.close();
  });

  /** A process that makes attempts, and knows nothing of others. */
  function startProcess() {
    const sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs });
    senders.push(sender);
    return (id: string, after: number | null = null) => attemptDelivery(db.sql, { ...the.deps, sender }, id, after);
  }

  const another = async (endpointId: string) => deliveryOf(db.sql, await makeEvent(db.sql, the.call), endpointId);

  /** An endpoint that has just let a request time out, and a delivery on its way to it. */
  async function hung() {
    const { endpoint, id } = await the.made();
    const attempt = startProcess();
    const made = await attempt(id);
    assert.ok(made?.lastAnswer === 'no response within 1.3 s');
    return { attempt, endpoint };
  }

  it('is postponed while another request is under way to a receiver that does not respond, and counts no attempt', async () => {
    const { attempt, endpoint } = await hung();
    const [first, second] = [await another(endpoint.id), await another(endpoint.id)];
    const probe = attempt(first);
    await eventually('it is under way', () => owed.length === 2);
    for (let times = 0; times < 2; times++) {
      const progress = await attempt(second, 0);
      assert.ok(progress !== null);
      assert.deepEqual(
        [progress.status, progress.attempts, progress.isTurnedAway, progress.lastAnswer],
        ['pending', 0, true, 'not sent, because the receiver does not respond, so it gets one request at a time'],
      );
      assert.ok(progress.waitMs >= 1_000 + timeoutMs && progress.waitMs < 10_000, `${progress.waitMs} ms`);
      const shown = await the.read(second);
      assert.deepEqual([shown.status, shown.attempts.length], ['pending', 0]);
      assert.equal(shown.next_attempt_at?.getTime(), the.now.getTime() + progress.waitMs);
      assert.equal(shown.next_attempt_at?.toISOString(), progress.nextAttemptAt);
    }
    for (const response of owed) response.end();
    await probe;
    receiver.answer = undefined;
    const delivered = await attempt(second, 0);
    assert.ok(delivered?.status === 'delivered');
    assert.equal((await the.read(second)).attempts.length, 1);
  });

  it('is not postponed once it has ended, or was attempted elsewhere meanwhile', async () => {
    const { attempt, endpoint } = await hung();
    const id = await another(endpoint.id);
    const probe = attempt(await another(endpoint.id));
    await eventually('it is under way', () => owed.length === 2);
    const elsewhere = startProcess();
    const made = elsewhere(id);
    await eventually('it is attempted', () => owed.length === 3);
    owed[2]?.writeHead(500).end();
    await made;
    const before = await the.read(id);
    const progress = await attempt(id, 0);
    assert.ok(progress !== null);
    assert.deepEqual([progress.attempts, progress.lastAnswer], [1, 'made before']);
    assert.deepEqual(await the.read(id), before);
    for (const response of owed) response.end();
    await probe;
  });

  it('is sent now if it is retried by its biller while it waits, when the receiver works again', async () => {
    const { attempt, endpoint } = await hung();
    const id = await another(endpoint.id);
    const probe = attempt(await another(endpoint.id));
    await eventually('it is under way', () => owed.length === 2);
    await attempt(id);
    for (const response of owed) response.end();
    await probe;
    receiver.answer = undefined;
    const waits = await attempt(id);
    assert.ok(waits?.lastAnswer === 'waiting', 'it asks before its time');
    await retryWebhookDelivery(db.sql, the.call, id);
    const delivered = await attempt(id);
    assert.ok(delivered?.status === 'delivered');
  });
});
