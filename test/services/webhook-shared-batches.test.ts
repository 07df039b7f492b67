import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../lab/eventually.ts';
import { batchIdOf } from '../../src/messages/workflow-types.ts';
import { sendBatch } from '../../src/services/webhooks/batch.ts';
import { createWebhookSender } from '../../src/services/webhooks/sender.ts';
import { useDatabase } from '../support/database.ts';
import {
  commitEvents,
  makeEndpoint,
  makePrompt,
  useDeliveries,
  useReceiver,
  webhookDeps,
} from '../support/webhooks.ts';

describe('the batches of a biller with several endpoints', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const the = useDeliveries(db, receiver);
  const send = (deps = the.deps) => sendBatch(db.sql, deps, batchIdOf(the.call));

  /** Endpoints of one biller at these paths, and so many events to each: their deliveries by path, and in turn. */
  async function made(paths: string[], count: number) {
    const endpoints: Awaited<ReturnType<typeof makeEndpoint>>[] = [];
    for (const path of paths) endpoints.push(await makeEndpoint(db.sql, the.call, receiver.url + path));
    await makePrompt(db.sql, ...endpoints.map(({ id }) => id));
    await commitEvents(db.sql, endpoints[0]?.id ?? '', count);
    const rows = await db.sql<{ id: string; endpoint_id: string }[]>`
      select d.id, d.endpoint_id from webhook_deliveries d join events e on e.id = d.event_id
      where d.endpoint_id = any(${endpoints.map(({ id }) => id)}) order by e.sequence, d.id`;
    const idsOf = (nth: number) => rows.filter((row) => row.endpoint_id === endpoints[nth]?.id).map(({ id }) => id);
    return { endpoints, ids: rows.map(({ id }) => id), idsOf };
  }
  const nthsAt = (path: string): number[] =>
    receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).data.nth);
  const statuses = async (ids: string[]) => {
    const rows = await db.sql<{ status: string }[]>`select status from webhook_deliveries where id = any(${ids})`;
    return [...new Set(rows.map(({ status }) => status))];
  };
  const responds = async (id = '') =>
    (await db.sql`select responds_promptly from webhook_endpoints where id = ${id}`)[0]?.responds_promptly;

  it('come to each once, signed with its own secret', async () => {
    const { endpoints, idsOf } = await made(['/a', '/b', '/c'], 20);
    const progress = await send();
    assert.deepEqual([progress.delivered, progress.handedOver], [60, 0]);
    const inOrder = Array.from({ length: 20 }, (_, nth) => nth);
    for (const [nth, path] of ['/a', '/b', '/c'].entries()) {
      // The order is best effort: on a busy machine, a response may take longer than the next request waits.
      assert.deepEqual(
        nthsAt(path).toSorted((a, b) => a - b),
        inOrder,
      );
      for (const { body, headers } of receiver.received.filter((one) => one.path === path)) {
        new Webhook(endpoints[nth]?.secret ?? '').verify(body, headers as Record<string, string>);
      }
      assert.deepEqual(await statuses(idsOf(nth)), ['delivered']);
    }
    const origins = endpoints.map(({ id }) => `${id} ${receiver.url}`).sort();
    assert.deepEqual(progress.endpoints.map(({ id, goesTo }) => `${id} ${goesTo}`).sort(), origins);
  });

  it('are refused, and none is sent, if a part has deliveries to two endpoints', async () => {
    const [one, other] = [await made(['/one'], 2), await made(['/other'], 0)];
    const [first = '', second = ''] = one.idsOf(0);
    const [there] = other.endpoints;
    await db.sql`update webhook_deliveries set endpoint_id = ${there?.id ?? ''} where id = ${second}`;
    await assert.rejects(send(), new RegExp(`${first} and ${second} are in one part of a batch`));
    assert.deepEqual([nthsAt('/one'), nthsAt('/other'), await statuses([first, second])], [[], [], ['pending']]);
  });

  it('come to the others while one hangs, and only that one gets no further batch', async () => {
    const { endpoints, idsOf } = await made(['/hangs', '/responds'], 30);
    const held: (() => void)[] = [];
    receiver.answer = (request, response) => {
      if (request.url === '/hangs') held.push(() => response.end());
      else response.end();
    };
    const sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 10_000 });
    const sending = send({ ...the.deps, sender });
    await pause(800);
    assert.deepEqual(await statuses(idsOf(1)), ['delivered'], 'recorded before the other is known to take long');
    await pause(1_000);
    the.pass(5_000);
    const later = await commitEvents(db.sql, endpoints[1]?.id ?? '', 5);
    await eventually(
      'what becomes due meanwhile comes too',
      async () => (await statuses(later)).join() === 'delivered',
    );
    assert.deepEqual([await responds(endpoints[0]?.id), await responds(endpoints[1]?.id)], [false, true]);
    for (const respond of held) respond();
    const { delivered, handedOver } = await sending;
    assert.ok(held.length <= 8, `${held.length} requests to the one that hangs`);
    assert.deepEqual([delivered, handedOver], [35 + held.length, 30 - held.length]);
    await sender.close();
  });

  it('do not wait for the one that hangs: one that takes a while gets its own meanwhile', async () => {
    const { endpoints, idsOf } = await made(['/hangs', '/takes-a-while'], 20);
    const held: (() => void)[] = [];
    receiver.answer = async (request, response) => {
      if (request.url === '/hangs') return void held.push(() => response.end());
      await pause(150);
      response.end();
    };
    const sender = createWebhookSender({ policy: webhookDeps.outbound, timeoutMs: 10_000 });
    const sending = send({ ...the.deps, sender });
    await eventually('all are delivered', async () => (await statuses(idsOf(1))).join() === 'delivered', {
      timeoutMs: 5_000,
    });
    await pause(1_000);
    for (const respond of held) respond();
    await sending;
    assert.deepEqual([await responds(endpoints[0]?.id), await responds(endpoints[1]?.id)], [false, true]);
    await sender.close();
  });

  it('fail for one endpoint alone', async () => {
    const { idsOf } = await made(['/fails', '/responds'], 5);
    receiver.answer = (request, response) => response.writeHead(request.url === '/fails' ? 500 : 200).end();
    const { delivered, failed } = await send();
    assert.deepEqual([delivered, failed], [5, 5]);
    assert.deepEqual([await statuses(idsOf(0)), await statuses(idsOf(1))], [['pending'], ['delivered']]);
    const own = await db.sql`
      select from workflow_intents where subject_id = any(${idsOf(0)}) and start and signal = 'poke'`;
    assert.equal(own.length, 5);
  });
});
