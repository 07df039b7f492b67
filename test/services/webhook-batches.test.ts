import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../src/domain/ids.ts';
import { batchIdOf } from '../../src/messages/workflow-types.ts';
import { type CrashPoint, listenToCrashPoints } from '../../src/services/crash-points.ts';
import { sendBatch } from '../../src/services/webhooks/batch.ts';
import {
  pingWebhookEndpoint,
  replayWebhookDeliveries,
  retryWebhookDelivery,
} from '../../src/services/webhooks/deliveries.ts';
import { deleteWebhookEndpoint, rotateSecret, updateWebhookEndpoint } from '../../src/services/webhooks/endpoints.ts';
import { giveUpDelivery } from '../../src/services/webhooks/operator-commands.ts';
import { createWebhookSender } from '../../src/services/webhooks/sender.ts';
import { useDatabase } from '../support/database.ts';
import {
  commitEvents,
  makeCall,
  makeEndpoint,
  makePrompt,
  useDeliveries,
  useReceiver,
  webhookDeps,
} from '../support/webhooks.ts';

describe('the batches of a biller', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const the = useDeliveries(db, receiver);
  const send = (deps = the.deps) => sendBatch(db.sql, deps, batchIdOf(the.call));
  afterEach('no crash', () => listenToCrashPoints(() => {}));

  /** An endpoint and so many deliveries to it, in the order of their events. */
  async function made(count: number) {
    const endpoint = await makeEndpoint(db.sql, the.call, `${receiver.url}/hook`);
    await makePrompt(db.sql, endpoint.id);
    const ids = await commitEvents(db.sql, endpoint.id, count);
    const rows = await db.sql<{ id: string; event_id: string }[]>`
      select id, event_id from webhook_deliveries where id = any(${ids})`;
    const eventIds = ids.map((id) => rows.find((row) => row.id === id)?.event_id);
    return { endpoint, ids, eventIds };
  }

  const sentIds = () => receiver.received.map(({ headers }) => headers['webhook-id']);
  const paths = () => receiver.received.map(({ path }) => path);
  async function statuses(ids: string[]): Promise<string[]> {
    const found = new Map<string, string>();
    for (const { id, status, attempt_count } of await db.sql`
      select id, status, attempt_count from webhook_deliveries where id = any(${ids})`)
      found.set(id, `${status} ${attempt_count}`);
    return ids.map((id) => found.get(id) ?? 'none');
  }
  /** By what each of these deliveries waits in the outbox: by its `batch`, its `own` workflow, or not. */
  async function waits(ids: string[]): Promise<string[]> {
    const rows = await db.sql<{ subject_id: string; workflow_id: string; workflow_type: string }[]>`
      select subject_id, workflow_id, workflow_type from workflow_intents where subject_id = any(${ids}) and start`;
    return ids.map((id) => {
      const own = rows.filter(({ subject_id }) => subject_id === id);
      for (const { workflow_id, workflow_type } of own)
        assert.equal(workflow_id, workflow_type === 'webhookBatch' ? batchIdOf(the.call) : `webhook-delivery/${id}`);
      return own.map(({ workflow_type }) => (workflow_type === 'webhookBatch' ? 'batch' : 'own')).join() || 'not';
    });
  }
  const set = async (values: Promise<string[]>) => [...new Set(await values)];
  const responds = async (endpointId: string) =>
    (await db.sql`select responds_promptly from webhook_endpoints where id = ${endpointId}`)[0]?.responds_promptly;

  it('are sent in the order of their events, each signed, and each recorded with its one attempt', async () => {
    const { endpoint, eventIds, ids } = await made(120);
    assert.deepEqual(await set(waits(ids)), ['batch']);
    const progress = await send();
    assert.deepEqual([progress.delivered, progress.failed, progress.handedOver], [120, 0, 0]);
    assert.deepEqual(progress.attempted.toSorted(), ids.toSorted());
    assert.deepEqual(sentIds(), eventIds);
    for (const { body, headers } of receiver.received) {
      new Webhook(endpoint.secret).verify(body, headers as Record<string, string>);
    }
    assert.deepEqual(new Set(await statuses(ids)), new Set(['delivered 1']));
    const { attempts } = await the.read(ids[77] ?? '');
    assert.deepEqual(
      attempts.map(({ number, status_code, error, response_excerpt }) => [
        number,
        status_code,
        error,
        response_excerpt,
      ]),
      [[1, 200, null, 'ok']],
    );
    assert.equal(await responds(endpoint.id), true);
    assert.deepEqual(await set(waits(ids)), ['not']);
  });

  it('reuse the connections to their receiver', async () => {
    await made(60);
    const before = receiver.connections;
    await send();
    assert.ok(receiver.connections - before <= 6, `${receiver.connections - before} connections`);
  });

  it('go several at a time to a receiver that takes a while', async () => {
    await made(60);
    let [underWay, most] = [0, 0];
    receiver.answer = async (_request, response) => {
      most = Math.max(most, ++underWay);
      await pause(150);
      underWay--;
      response.end();
    };
    const { delivered } = await send();
    assert.equal(delivered, 60);
    assert.ok(most > 10, `${most} at a time`);
  });

  it('get a workflow each if they fail, with the retry schedule, in the transaction that records the attempt', async () => {
    const { ids } = await made(10);
    receiver.answer = (_request, response, nth) => response.writeHead(nth % 5 === 0 ? 500 : 200).end();
    const progress = await send();
    const failed = [ids[4], ids[9]];
    assert.deepEqual([progress.delivered, progress.failed], [8, 2]);
    assert.deepEqual(
      progress.failures,
      failed.map((id) => ({ id, error: 'status 500' })),
    );
    assert.deepEqual(
      await waits(ids),
      ids.map((id) => (failed.includes(id) ? 'own' : 'not')),
    );
    for (const id of failed) {
      const { status, attempts, next_attempt_at } = await the.read(id ?? '');
      assert.deepEqual([status, attempts.length], ['pending', 1]);
      assert.equal(next_attempt_at?.getTime(), the.now.getTime() + 5000);
    }
  });

  for (const [point, again] of [
    ['batch posted', 100],
    ['batch recorded', 50],
  ] as [CrashPoint, number][]) {
    it(`are sent again under the same ids if the worker dies at "${point}", but for those recorded`, async () => {
      const { eventIds, ids } = await made(100);
      let passes = 0;
      listenToCrashPoints((passed) => {
        if (passed === point && ++passes === 1) throw new Error('died');
      });
      await assert.rejects(send(), /died/);
      const before = receiver.received.length;
      const progress = await send();
      assert.equal(progress.delivered, again);
      assert.deepEqual(sentIds().slice(before), eventIds.slice(100 - again));
      assert.deepEqual(new Set(await statuses(ids)), new Set(['delivered 1']));
    });
  }

  it('are sent once more, and recorded once, if two workers send one batch', async () => {
    const { eventIds, ids } = await made(20);
    // The first event is not answered before both workers have sent it: so neither has recorded what the other takes.
    const isSentTwice = () => sentIds().filter((id) => id === eventIds[0]).length === 2;
    receiver.answer = async ({ headers }, response) => {
      while (headers['webhook-id'] === eventIds[0] && !isSentTwice()) await pause(2);
      response.end();
    };
    const [first, second] = await Promise.all([send(), send()]);
    assert.equal(first.delivered + second.delivered, 40);
    assert.deepEqual(new Set(await statuses(ids)), new Set(['delivered 1']));
  });

  it('are not sent behind one that hangs: the others get workflows of their own, and the endpoint no batch', async function () {
    this.timeout(20_000);
    const sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 2_500 });
    try {
      const { endpoint, ids } = await made(120);
      receiver.answer = (_request, response, nth) => {
        if (nth <= 10) response.end();
      };
      const begun = performance.now();
      const progress = await send({ ...the.deps, sender });
      assert.ok(performance.now() - begun < 4_500, 'it took long');
      assert.deepEqual([progress.delivered, progress.failed], [10, 8]);
      assert.equal(progress.handedOver, 102);
      assert.equal(receiver.received.length, 18);
      assert.equal(progress.failures[0]?.error, 'no response within 2.5 s');
      assert.deepEqual(
        await waits(ids),
        ids.map((_, index) => (index < 10 ? 'not' : 'own')),
      );
      assert.equal(await responds(endpoint.id), false);
    } finally {
      await sender.close();
    }
  });

  it('share the requests to an endpoint, and wait for their share', async () => {
    await made(30);
    receiver.answer = async (_request, response) => {
      await pause(40);
      response.end();
    };
    const { delivered, handedOver } = await send();
    assert.deepEqual([delivered, handedOver], [30, 0]);
  });

  it('send what becomes due while they are under way, and end when nothing is due for a moment', async () => {
    const { endpoint, ids } = await made(1);
    const later: string[] = [];
    receiver.answer = async (_request, response, nth) => {
      if (nth <= 3) later.push(...(await commitEvents(db.sql, endpoint.id, 1)));
      response.end();
    };
    const { attempted, delivered } = await send();
    assert.deepEqual([attempted, delivered], [[...ids, ...later], 4]);
    assert.deepEqual(await set(waits([...ids, ...later])), ['not']);
  });

  it('end after 500 attempts or five seconds, and leave the rest to the next one', async function () {
    this.timeout(60_000);
    const { ids } = await made(560);
    const first = await send();
    assert.ok(first.delivered > 0 && first.delivered < 560, `${first.delivered} were delivered`);
    assert.equal(first.attempted.length, Math.min(500, first.delivered));
    const left = (await waits(ids)).filter((by) => by === 'batch').length;
    assert.equal(left, 560 - first.delivered);
    assert.ok((await send()).delivered > 0);
  });

  it('leave alone what another biller has, and the other mode', async () => {
    const { ids } = await made(2);
    for (const other of [{ ...the.call, livemode: true }, await makeCall(db.sql)]) {
      const { attempted } = await sendBatch(db.sql, the.deps, batchIdOf(other));
      assert.deepEqual(attempted, []);
    }
    assert.deepEqual(await statuses(ids), ['pending 0', 'pending 0']);
    assert.equal((await send()).delivered, 2);
  });

  it('go one by one from the next part on if all of one have failed', async () => {
    const { ids } = await made(70);
    receiver.answer = the.fail;
    const progress = await send();
    assert.deepEqual([progress.failed, progress.handedOver, receiver.received.length], [50, 20, 50]);
    assert.deepEqual(await set(waits(ids)), ['own']);
  });

  it('end with the endpoint when its receiver returns 410, and the rest is not sent', async () => {
    const { endpoint, ids } = await made(70);
    receiver.answer = (_request, response, nth) => response.writeHead(nth === 5 ? 410 : 200).end();
    const progress = await send();
    assert.ok(receiver.received.length < 10, `${receiver.received.length} were sent`);
    assert.equal(progress.handedOver, 0);
    assert.deepEqual(await set(waits(ids)), ['not']);
    const [row] = await db.sql`select status, disabled_reason from webhook_endpoints where id = ${endpoint.id}`;
    assert.deepEqual({ ...row }, { status: 'disabled', disabled_reason: 'gone' });
    assert.deepEqual(new Set((await statuses(ids)).slice(10)), new Set(['failed 0']));
  });

  describe('when the endpoint changes in the middle', () => {
    /** Sends 120 deliveries, and lets `change` happen during the 60th. Returns what was sent after the part of that. */
    async function changed(change: (endpointId: string) => Promise<unknown>) {
      const { endpoint, ids } = await made(120);
      receiver.answer = async (_request, response, nth) => {
        if (nth === 60) await change(endpoint.id);
        response.end();
      };
      await send();
      return { endpoint, ids, later: receiver.received.slice(100) };
    }

    it('end by its deletion: the rest is not sent, and fails', async () => {
      const { ids, later } = await changed((id) => deleteWebhookEndpoint(db.sql, the.call, id));
      assert.equal(later.length, 0);
      assert.deepEqual(new Set((await statuses(ids)).slice(100)), new Set(['failed 0']));
      assert.equal((await the.read(ids[110] ?? '')).failure_reason, 'endpoint deleted');
    });

    it('end by its being disabled: the rest is not sent, and fails', async () => {
      const { ids, later } = await changed((id) =>
        updateWebhookEndpoint(db.sql, the.call, id, { status: 'disabled' }, webhookDeps),
      );
      assert.equal(later.length, 0);
      assert.equal((await the.read(ids[110] ?? '')).failure_reason, 'endpoint disabled');
    });

    it('go to another URL from then on, and what came from the old one does not count for it', async () => {
      const { endpoint, later } = await changed((id) =>
        updateWebhookEndpoint(db.sql, the.call, id, { url: `${receiver.url}/moved` }, webhookDeps),
      );
      assert.equal(later.length, 20);
      assert.deepEqual(new Set(paths().slice(0, 100)), new Set(['/hook']));
      assert.deepEqual(new Set(paths().slice(100)), new Set(['/moved']));
      assert.equal(await responds(endpoint.id), true);
    });

    it('are signed with a new secret from then on', async () => {
      let secret = '';
      const { later } = await changed(async (id) => {
        ({ secret } = await rotateSecret(db.sql, the.call, id, { overlap_hours: 0 }, webhookDeps));
      });
      assert.equal(later.length, 20);
      for (const { body, headers } of later) new Webhook(secret).verify(body, headers as Record<string, string>);
    });
  });

  it('leave alone what was given up, delivered or attempted before, and what is not there', async () => {
    const { ids } = await made(4);
    const [givenUp = '', alone = '', failed = ''] = ids;
    await giveUpDelivery(db.sql, givenUp, the.now);
    await the.attempt(alone);
    receiver.answer = the.fail;
    await the.attempt(failed);
    receiver.reset();
    await db.sql`update webhook_endpoints set failing_since = null`;
    const lost = newId('webhook_delivery');
    await db.sql`
      insert into workflow_intents (workflow_id, workflow_type, subject_id, livemode, start, created_at, available_at)
      values (${batchIdOf(the.call)}, 'webhookBatch', ${lost}, false, true, now(), now())`;
    const progress = await send();
    assert.deepEqual([progress.delivered, progress.handedOver, receiver.received.length], [1, 2, 1]);
    assert.deepEqual(await statuses(ids), ['failed 0', 'delivered 1', 'pending 1', 'delivered 1']);
    assert.deepEqual(await waits([...ids, lost]), ['not', 'not', 'own', 'not', 'own']);
  });

  it('leave a delivery that is given up while it is sent as it is, unless the receiver has accepted it', async () => {
    const { ids } = await made(2);
    receiver.answer = async (_request, response, nth) => {
      await giveUpDelivery(db.sql, ids[nth - 1] ?? '', the.now);
      response.writeHead(nth === 1 ? 500 : 200).end();
    };
    await send();
    assert.deepEqual(await statuses(ids), ['failed 1', 'delivered 1']);
    assert.deepEqual(await waits(ids), ['not', 'not']);
  });

  it('get a workflow each if they are not due by the clock of this process, and the endpoint still gets batches', async () => {
    const { endpoint, ids } = await made(2);
    const [early = '', due = ''] = ids;
    await db.sql`
      update webhook_deliveries set next_attempt_at = ${new Date(the.now.getTime() + 60_000)} where id = ${early}`;
    const progress = await send();
    assert.deepEqual([progress.delivered, progress.handedOver], [1, 1]);
    assert.deepEqual(await statuses([early, due]), ['pending 0', 'delivered 1']);
    assert.deepEqual(await waits(ids), ['own', 'not']);
    assert.equal(await responds(endpoint.id), true);
  });

  it('send anew, as a new series, what has ended and is replayed; a retry by the API has a workflow of its own', async () => {
    const { endpoint, ids } = await made(2);
    await send();
    const [replayed = '', retried = ''] = ids;
    await retryWebhookDelivery(db.sql, the.call, retried);
    assert.deepEqual(await waits(ids), ['not', 'own']);
    const since = new Date(the.now.getTime() - 60_000).toISOString();
    await db.sql`update webhook_deliveries set status = 'failed', failure_reason = 'test' where id = ${replayed}`;
    await replayWebhookDeliveries(db.sql, the.call, endpoint.id, { since });
    assert.deepEqual(await waits(ids), ['batch', 'own']);
    receiver.answer = the.fail;
    await send();
    assert.deepEqual(await statuses(ids), ['pending 2', 'pending 1']);
    assert.equal((await the.read(replayed)).next_attempt_at?.getTime(), the.now.getTime() + 5000);
  });

  it('send a delivery once that is replayed before its attempt', async () => {
    const { endpoint, ids } = await made(1);
    await db.sql`update webhook_deliveries set next_attempt_at = ${new Date(the.now.getTime() + 60_000)}
      where id = ${ids[0] ?? ''}`;
    const since = new Date(the.now.getTime() - 60_000).toISOString();
    await replayWebhookDeliveries(db.sql, the.call, endpoint.id, { since });
    assert.deepEqual(await waits(ids), ['batch,batch']);
    assert.equal((await send()).delivered, 1);
    assert.deepEqual([receiver.received.length, await waits(ids)], [1, ['not']]);
  });

  it('verify their endpoint when one of them is a ping whose challenge comes back', async () => {
    const { endpoint } = await made(2);
    await pingWebhookEndpoint(db.sql, the.call, endpoint.id);
    receiver.answer = (_request, response) => {
      const { challenge } = JSON.parse(receiver.received.at(-1)?.body ?? '').data;
      response.end(JSON.stringify({ challenge }));
    };
    await send();
    const [row] = await db.sql`select verified_at from webhook_endpoints where id = ${endpoint.id}`;
    assert.ok(row?.verified_at);
  });
});
