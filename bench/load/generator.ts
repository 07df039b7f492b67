// A process of its own that makes load: its work must not wait in the event loop of who measures.
import { randomUUID } from 'node:crypto';
import { Client } from 'undici';
import { openPool } from '../../src/db/connection.ts';
import { insertBare } from './bare-inserts.ts';
import { bodiesOf } from './bodies.ts';
import type { Job, Outcome, Place } from './jobs.ts';

process.on('message', (message: { place: Place; job: Job }) => {
  carryOut(message.place, message.job).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function carryOut(place: Place, job: Job): Promise<Outcome> {
  return job.by === 'api' ? throughTheApi(place, job) : byPostgres(place, job);
}

/** Each connection has one request under way at any time and sends the next when it is answered. */
async function throughTheApi(place: Place, { resource, keyed, connections, milliseconds }: Job): Promise<Outcome> {
  const clients = Array.from({ length: connections }, () => new Client(place.baseUrl, { pipelining: 1 }));
  const path = resource === 'customer' ? '/api/v1/customers' : '/api/v1/payment_intents';
  const bodies = bodiesOf(resource, place);
  const common = { authorization: `Bearer ${place.key}`, 'content-type': 'application/json' };
  try {
    return await drive(clients, milliseconds, async (client, nth) => {
      const body = turn(bodies, nth);
      const headers = keyed ? { ...common, 'idempotency-key': randomUUID() } : common;
      const answer = await client.request({ method: 'POST', path, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 201) throw new Error(`POST ${path} answered ${answer.statusCode}: ${text}`);
    });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function byPostgres(place: Place, { resource, keyed, connections, milliseconds }: Job): Promise<Outcome> {
  const sql = openPool(place.databaseUrl, { max: connections, name: 'bench' });
  try {
    // Connecting is left out, as it is on the side of the API, whose pool stands.
    await Promise.all(Array.from({ length: connections }, () => sql`select pg_sleep(0.05)`));
    const lanes = Array.from({ length: connections }, () => sql);
    return await drive(lanes, milliseconds, (lane, nth) =>
      insertBare(lane, place.billerId, { resource, keyed, customerId: turn(place.customerIds, nth) }),
    );
  } finally {
    await sql.end();
  }
}

async function drive<Lane>(
  lanes: Lane[],
  milliseconds: number,
  makeOne: (lane: Lane, nth: number) => Promise<void>,
): Promise<Outcome> {
  const latencies: number[] = [];
  let nth = 0;
  const begun = performance.now();
  const endAt = begun + milliseconds;
  await Promise.all(
    lanes.map(async (lane) => {
      for (let now = performance.now(); now < endAt; ) {
        await makeOne(lane, nth++);
        const after = performance.now();
        latencies.push(after - now);
        now = after;
      }
    }),
  );
  return { perSecond: (latencies.length * 1000) / (performance.now() - begun), latencies };
}

function turn<T>(items: readonly T[], nth: number): T {
  const item = items[nth % items.length];
  if (item === undefined) throw new Error('there is nothing to take turns with');
  return item;
}
