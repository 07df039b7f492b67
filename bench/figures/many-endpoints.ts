import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { PaymentsClient } from '@payments-service/client';
import { clientOf } from '../../lab/client.ts';
import { eventually } from '../../lab/eventually.ts';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { inParallel, itemInTurn, range } from '../../lab/parallel.ts';
import { type ServiceCopy, startService } from '../../lab/service.ts';
import { percentile } from '../../lab/statistics.ts';
import { type Id, newId } from '../../src/domain/ids.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey } from '../../src/services/accounts/api-keys.ts';
import { createBiller } from '../../src/services/accounts/billers.ts';
import { type NewEvent, record, transact } from '../../src/services/events.ts';
import type { Measurement, RunContext } from '../bench.ts';
import { type Figure, figure } from '../figure.ts';
import { watchParts } from '../part-use.ts';
import { recordedProcesses } from '../processes.ts';

/** A biller may have 16. One of these ten hangs. */
const endpointsPerBiller = 10;
const timeoutMs = 240_000;

/** A biller whose endpoints take every event. */
interface Biller {
  id: Id<'biller'>;
  client: PaymentsClient;
  /** The paths of its endpoints that respond. */
  healthy: string[];
}

interface Scene {
  sql: Pool;
  billers: Biller[];
  /** When each event came first to each endpoint that responds, by `keyOf`. Like all times, of `performance.now()`. */
  arrivals: Map<string, number>;
}

/** Deliveries to many endpoints of which a tenth hang, and how long a healthy one waits. */
export const manyEndpoints: Measurement = {
  name: 'many-endpoints',
  needs: 'nothing',
  async measure(context) {
    const figures: Figure[] = [];
    for (const count of [1, 10, 100]) figures.push(...(await measureWith(count, context)));
    return {
      name: 'many-endpoints',
      title: 'Deliveries to endpoints that take every event; one of ten takes it and never responds',
      how: [
        `A copy of the service for each number of endpoints; up to ${endpointsPerBiller} of one biller. Healthy ones return 200 at once. Only what comes to healthy endpoints counts.`,
        'Capacity: events for some 1,000 deliveries are committed at once; from the commit to the last arrival. Then payments are canceled steadily, for half of that rate, but for 100 a second at most, and each delivery is timed from the request.',
      ],
      figures,
    };
  },
};

async function measureWith(count: number, context: RunContext): Promise<Figure[]> {
  const copy = await startService(join(context.folder, `endpoints-${count}`));
  const arrivals: Scene['arrivals'] = new Map();
  const receiver = await serveOnLoopback(({ path, body }, response) => {
    if (path.startsWith('/hangs')) return;
    const key = keyOf(path, JSON.parse(body).data.id);
    if (!arrivals.has(key)) arrivals.set(key, performance.now());
    response.end();
  });
  const sql = openPool(copy.databaseUrl, { max: 4, name: 'bench' });
  try {
    const scene: Scene = { sql, arrivals, billers: await makeEndpoints(copy, sql, count, receiver.url) };
    // Meets cold code, and the hanging endpoints for the first time.
    await burst(scene, 3);
    await pause(1_000);
    const watch = await watchParts(await recordedProcesses(copy.dataDir));
    const events = Math.ceil((context.quick ? 200 : 1_000) / count);
    const perSecond = await burst(scene, events);
    const use = await watch.stop();
    context.log(`many-endpoints: ${count}: ${perSecond.toFixed(1)} a second`);
    const seconds = await flow(scene, Math.min(perSecond / 2, maxPerSecond), context.quick ? 5 : 20);
    const processor = use.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
    const id = `many-endpoints.${count}`;
    const of = `${count} ${count === 1 ? 'endpoint' : 'endpoints'}`;
    return [
      figure(`${id}.rate`, `${of}: deliveries a second to those that respond`, '1/s', [perSecond]),
      figure(`${id}.processor`, `${of}: processor time of all parts for one event and one endpoint`, 'ms', [
        (processor * 1000) / (events * count),
      ]),
      figure(`${id}.delay`, `${of}: from the request to the arrival, in that flow`, 's', seconds),
      figure(`${id}.delay-p99`, `${of}: … 99 of 100 within`, 's', [percentile(seconds, 0.99)], {
        target: { atMost: 1 },
      }),
    ];
  } finally {
    await sql.end();
    await copy.stop();
    await receiver.close();
  }
}

async function makeEndpoints(copy: ServiceCopy, sql: Pool, count: number, url: string): Promise<Biller[]> {
  const by = { by: { kind: 'service', id: 'benchmark' } as const, now: realNow() };
  const each = Math.min(count, endpointsPerBiller);
  return inParallel(range(count / each), 4, async () => {
    const { id } = await createBiller(sql, { name: 'Many endpoints', ...by });
    const { key } = await createKey(sql, { billerId: id, livemode: false, kind: 'secret', ...by });
    const client = clientOf({ baseUrl: copy.baseUrl, key });
    const healthy: string[] = [];
    for (const nth of range(each)) {
      const hangs = nth === endpointsPerBiller - 1;
      const path = `/${hangs ? 'hangs' : 'responds'}/${id}/${nth}`;
      await client.webhookEndpoints.create({ url: url + path });
      if (!hangs) healthy.push(path);
    }
    return { id, client, healthy };
  });
}

/** Commits so many events of each biller at once. Returns how many deliveries a second came to healthy endpoints. */
async function burst(scene: Scene, events: number): Promise<number> {
  const keys = (await inParallel(scene.billers, 4, (biller) => commit(scene, biller, events))).flat();
  const begun = performance.now();
  await untilArrived(scene, keys);
  const last = Math.max(...keys.map((key) => scene.arrivals.get(key) ?? 0));
  return (keys.length * 1000) / (last - begun);
}

/** Deliveries a second in the flow. The cancels that cause them must not fill the cores themselves. */
const maxPerSecond = 100;

/**
 * Cancels payments of the billers in turn, so that so many deliveries a second come to healthy endpoints. Returns the
 * seconds from the request for each to its arrival.
 */
async function flow(scene: Scene, perSecond: number, seconds: number): Promise<number[]> {
  const each = itemInTurn(scene.billers, 0).healthy.length;
  const count = Math.ceil((perSecond * seconds) / each);
  const payments = await inParallel(range(count), 8, async (nth) => {
    const biller = itemInTurn(scene.billers, nth);
    const { id } = await biller.client.paymentIntents.create({ amount: 2_000, currency: 'AUD' });
    return { id, biller };
  });
  const sent = new Map<string, number>();
  const requests: Promise<unknown>[] = [];
  const begun = performance.now();
  for (const [nth, { id, biller }] of payments.entries()) {
    await pause(Math.max(0, begun + (nth * seconds * 1000) / count - performance.now()));
    for (const path of biller.healthy) sent.set(keyOf(path, id), performance.now());
    requests.push(biller.client.paymentIntents.cancel(id));
  }
  await Promise.all(requests);
  await untilArrived(scene, [...sent.keys()]);
  return [...sent].map(([key, at]) => ((scene.arrivals.get(key) ?? 0) - at) / 1000);
}

/** Commits events of a biller. Returns the keys of their arrivals at its healthy endpoints. */
async function commit({ sql }: Scene, { id: billerId, healthy }: Biller, count: number): Promise<string[]> {
  const now = realNow();
  const ids = range(count).map(() => newId('payment_intent', { livemode: false }));
  const events = ids.map((id): NewEvent => {
    const about = { subjectId: id, customerId: null, testClockId: null, data: { id } };
    return { billerId, livemode: false, type: 'payment_intent.canceled', ...about, at: now };
  });
  await transact(sql, { requestId: null, now }, async (tx) => record(tx, ...events));
  return ids.flatMap((id) => healthy.map((path) => keyOf(path, id)));
}

async function untilArrived({ arrivals }: Scene, keys: readonly string[]): Promise<void> {
  const left = () => keys.filter((key) => !arrivals.has(key)).length;
  await eventually(
    () => `${left()} of ${keys.length} deliveries come`,
    () => left() === 0,
    { timeoutMs, everyMs: 10 },
  );
}

function keyOf(path: string, subjectId: string): string {
  return `${path} ${subjectId}`;
}
