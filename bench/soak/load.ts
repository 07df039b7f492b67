import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { type Bench, inParallel, range, turn } from '../bench.ts';
import { type Json, stringIn } from '../client.ts';
import { customer, intent } from '../load/bodies.ts';
import { advance, expectAttempts, makePayer, setUp, tearDown } from '../scenery.ts';
import { type LivePlans, openLivePlans } from './live-plans.ts';

/** What happens how often, each second. Kept when the service is slow: requests are not waited for before the next. */
export interface Rates {
  reads: number;
  customers: number;
  /** An intent that is made and confirmed, each with an Idempotency-Key. */
  payments: number;
  /** Plans in real time that fall due. */
  dues: number;
}

export const modestRates: Rates = { reads: 3, customers: 0.5, payments: 0.5, dues: 0.5 };

const livePlanCount = 30;
const payerCount = 20;
/** A clock's life: so many weeks, with a rest between two advances, and its deletion. */
const weeks = 6;
const restMs = 8_000;
const scene = { customers: 2, plansEach: 2, frequency: 'weekly' } as const;
/** As many failures are kept in words. */
const mostFailures = 50;

/** What happened since it was last asked for. Milliseconds; advances in seconds. */
export interface Observed {
  requests: number[];
  advances: number[];
  dueLags: number[];
}

export interface Load {
  readonly plans: LivePlans;
  readonly failures: { count: number; first: string[] };
  take(): Promise<Observed>;
  /** Begins nothing more and waits for what is under way. */
  stop(): Promise<void>;
}

/** Puts a steady mix of everything on the copy. */
export async function startLoad(bench: Bench, rates: Rates): Promise<Load> {
  const plans = await openLivePlans(bench, livePlanCount);
  const payers = await inParallel(range(payerCount), 6, async () => {
    const id = await makePayer(bench.client);
    const { default_payment_method } = await bench.client.get(`/customers/${id}`);
    return { id, methodId: String(default_payment_method) };
  });
  const pool = new Pool(bench.copy.baseUrl, { connections: 16, pipelining: 1, keepAliveTimeout: 60_000 });
  const failures: Load['failures'] = { count: 0, first: [] };
  const underWay = new Set<Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  let seen: Omit<Observed, 'dueLags'> = { requests: [], advances: [] };
  let isStopping = false;

  async function send(method: 'GET' | 'POST', path: string, body?: object): Promise<Json> {
    const begun = performance.now();
    const headers: Record<string, string> = { authorization: `Bearer ${bench.copy.key}` };
    if (body !== undefined)
      Object.assign(headers, { 'content-type': 'application/json', 'idempotency-key': randomUUID() });
    const answer = await pool.request({
      method,
      path: `/api/v1${path}`,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
    seen.requests.push(performance.now() - begun);
    return Object.fromEntries(Object.entries(JSON.parse(text)));
  }

  function begin(work: () => Promise<unknown>): void {
    const deed = work().then(
      () => {},
      (error: unknown) => {
        failures.count += 1;
        if (failures.first.length < mostFailures) failures.first.push(String(error));
      },
    );
    underWay.add(deed);
    void deed.then(() => underWay.delete(deed));
  }

  function every(perSecond: number, work: (nth: number) => Promise<unknown>): void {
    let nth = 0;
    timers.push(setInterval(() => begin(() => work(nth++)), 1000 / perSecond));
  }

  every(rates.reads, (nth) => send('GET', turn(reads(turn(payers, nth).id), nth)));
  every(rates.customers, () => send('POST', '/customers', customer));
  every(rates.dues, () => plans.letNextFallDue());
  every(rates.payments, async (nth) => {
    const { id, methodId } = turn(payers, nth);
    const made = await send('POST', '/payment_intents', { ...intent, customer_id: id });
    await send('POST', `/payment_intents/${stringIn(made, 'id')}/confirm`, { payment_method: methodId });
  });
  begin(async () => {
    while (!isStopping) await liveOnAClock();
  });

  /** A clock with four plans, from its creation to its deletion; each advance has to charge each of them once. */
  async function liveOnAClock(): Promise<void> {
    const played = await setUp(bench, scene);
    for (let week = 1; week <= weeks && !isStopping; week += 1) {
      await pause(restMs);
      seen.advances.push(await advance(bench, played, 7));
      await expectAttempts(bench.sql, played, { succeeded: 4 * (week + 1), failed: 0 });
    }
    await tearDown(bench, played);
  }

  return {
    plans,
    failures,
    async take() {
      const taken = seen;
      seen = { requests: [], advances: [] };
      return { ...taken, dueLags: await plans.takeLags() };
    },
    async stop() {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all(underWay);
      await pool.close();
    },
  };
}

function reads(customerId: string): string[] {
  return [
    `/customers/${customerId}`,
    '/customers?limit=20',
    `/payment_intents?customer_id=${customerId}`,
    '/payment_plans?limit=20',
    '/events?limit=20',
  ];
}
