// A process of its own that sends requests of one key: the flood and its neighbour do not share an event loop.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { itemInTurn } from '../../lab/parallel.ts';
import { serveJobs } from '../child.ts';
import { customer, intent } from '../load/bodies.ts';
import type { Sending, SendingJob, Sent } from './job.ts';

serveJobs(send);

const tickMs = 1;

async function send(job: SendingJob): Promise<Sent> {
  const pool = new Pool(job.baseUrl, { connections: job.connections, pipelining: 1 });
  const sent: Sent = { latencies: [], refused: 0, seconds: 0 };
  const requests = job.hostile ?? requestsOf(job.customerId);
  const headers = { authorization: `Bearer ${job.key}`, 'content-type': 'application/json' };

  async function one(nth: number, dueAt: number): Promise<void> {
    const { method, path, body, headers: more } = itemInTurn(requests, nth);
    const response = await pool.request({
      method,
      path: `${job.below ?? '/api/v1'}${path}`,
      headers: { ...headers, ...more },
      body,
    });
    await response.body.dump();
    if (response.statusCode === 429) sent.refused += 1;
    else if (response.statusCode < (job.hostile ? 500 : 300)) sent.latencies.push(performance.now() - dueAt);
    else throw new Error(`${method} ${path} returned ${response.statusCode}`);
  }

  const begun = performance.now();
  const endAt = begun + job.milliseconds;
  try {
    if (job.perSecond === null) await flatOut(job.connections, endAt, one);
    else await atTheRate(job.perSecond, begun, endAt, one);
    sent.seconds = (performance.now() - begun) / 1000;
    return sent;
  } finally {
    await pool.close();
  }
}

type SendOne = (nth: number, dueAt: number) => Promise<void>;

async function flatOut(connections: number, endAt: number, one: SendOne): Promise<void> {
  let nth = 0;
  const lanes = Array.from({ length: connections }, async () => {
    while (performance.now() < endAt) await one(nth++, performance.now());
  });
  await Promise.all(lanes);
}

async function atTheRate(perSecond: number, begun: number, endAt: number, one: SendOne): Promise<void> {
  const underWay: Promise<void>[] = [];
  const instantOf = (nth: number) => begun + (nth * 1000) / perSecond;
  for (let nth = 0; instantOf(nth) < endAt; ) {
    for (; instantOf(nth) <= performance.now() && instantOf(nth) < endAt; nth++)
      underWay.push(one(nth, instantOf(nth)));
    await pause(tickMs);
  }
  await Promise.all(underWay);
}

/** Reads and creates, in turn. */
function requestsOf(customerId: string): readonly Sending[] {
  const get = (path: string) => ({ method: 'GET' as const, path, body: null });
  const post = (path: string, body: object) => ({ method: 'POST' as const, path, body: JSON.stringify(body) });
  return [
    get(`/customers/${customerId}`),
    get('/customers?limit=20'),
    post('/customers', customer),
    get('/payment_intents?limit=20'),
    post('/payment_intents', { ...intent, customer_id: customerId }),
  ];
}
