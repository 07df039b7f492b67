// A process of its own that makes load: its work must not wait in the event loop that measures.
import { randomUUID } from 'node:crypto';
import { Client } from 'undici';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { serveJobs } from '../child.ts';
import { bareOf } from './bare.ts';
import type { Job, Outcome, Place } from './jobs.ts';
import { requestsOf } from './requests.ts';
import { stockIntents } from './stock.ts';

/** More than can be confirmed in a stretch: a stretch that runs out of them ends earlier. */
const intentsPerMillisecond = (connections: number) => (connections === 1 ? 1 : 3);

serveJobs(({ place, job }: { place: Place; job: Job }) => carryOut(place, job));

async function carryOut(place: Place, job: Job): Promise<Outcome> {
  const sql = openPool(place.databaseUrl, { max: job.connections, name: 'bench' });
  try {
    const count = job.operation === 'confirm' ? job.milliseconds * intentsPerMillisecond(job.connections) : 0;
    const intents = count === 0 ? [] : await stockIntents(sql, place.billerId, place.payers, count);
    const limit = count === 0 ? Number.POSITIVE_INFINITY : count;
    return await (job.by === 'api'
      ? throughTheApi(place, job, intents, limit)
      : byPostgres(sql, place, job, intents, limit));
  } finally {
    await sql.end();
  }
}

/** Each connection has one request under way at any time and sends the next after its response. */
async function throughTheApi(place: Place, job: Job, intents: string[], limit: number): Promise<Outcome> {
  const clients = Array.from({ length: job.connections }, () => new Client(place.baseUrl, { pipelining: 1 }));
  const requests = requestsOf(job.operation, place, intents);
  const common = { authorization: `Bearer ${place.key}`, 'content-type': 'application/json' };
  try {
    return await drive(clients, job.milliseconds, limit, async (client, nth) => {
      const { method, path, body, status } = requests(nth);
      const headers = job.keyed ? { ...common, 'idempotency-key': randomUUID() } : common;
      const response = await client.request({ method, path, headers, body });
      const text = await response.body.text();
      if (response.statusCode !== status) throw new Error(`${method} ${path} returned ${response.statusCode}: ${text}`);
    });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function byPostgres(sql: Pool, place: Place, job: Job, intents: string[], limit: number): Promise<Outcome> {
  // Connecting is left out, as it is on the side of the API, whose pool stands.
  await Promise.all(Array.from({ length: job.connections }, () => sql`select pg_sleep(0.05)`));
  const lanes = Array.from({ length: job.connections }, () => sql);
  const work = bareOf(sql, job, place, intents);
  return drive(lanes, job.milliseconds, limit, (_, nth) => work(nth));
}

async function drive<Lane>(
  lanes: Lane[],
  milliseconds: number,
  limit: number,
  makeOne: (lane: Lane, nth: number) => Promise<void>,
): Promise<Outcome> {
  const latencies: number[] = [];
  let nth = 0;
  const begun = performance.now();
  const endAt = begun + milliseconds;
  await Promise.all(
    lanes.map(async (lane) => {
      for (let now = performance.now(); now < endAt && nth < limit; ) {
        await makeOne(lane, nth++);
        const after = performance.now();
        latencies.push(after - now);
        now = after;
      }
    }),
  );
  return { perSecond: (latencies.length * 1000) / (performance.now() - begun), latencies };
}
