import { setTimeout as pause } from 'node:timers/promises';
import { inParallel, itemInTurn, range } from '../../lab/parallel.ts';
import { makePayer } from '../../lab/payer.ts';
import type { Bench } from '../bench.ts';
import { customer, intent } from '../load/bodies.ts';
import { advance, expectAttempts, setUp, tearDown } from '../scenery.ts';
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
interface Observed {
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
  const payers = await inParallel(range(payerCount), 6, () => makePayer(bench.client));
  const failures: Load['failures'] = { count: 0, first: [] };
  const underWay = new Set<Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  let seen: Omit<Observed, 'dueLags'> = { requests: [], advances: [] };
  let isStopping = false;

  const { customers, paymentIntents, paymentPlans, events } = bench.client;

  async function timed<T>(request: PromiseLike<T>): Promise<T> {
    const begun = performance.now();
    const result = await request;
    seen.requests.push(performance.now() - begun);
    return result;
  }

  const reads: ((customerId: string) => PromiseLike<unknown>)[] = [
    (id) => customers.get(id),
    () => customers.list({ limit: 20 }),
    (customer_id) => paymentIntents.list({ customer_id }),
    () => paymentPlans.list({ limit: 20 }),
    () => events.list({ limit: 20 }),
  ];

  function begin(work: () => Promise<unknown>): void {
    const done = work().then(
      () => {},
      (error: unknown) => {
        failures.count += 1;
        if (failures.first.length < mostFailures) failures.first.push(String(error));
      },
    );
    underWay.add(done);
    void done.then(() => underWay.delete(done));
  }

  function every(perSecond: number, work: (nth: number) => Promise<unknown>): void {
    let nth = 0;
    timers.push(setInterval(() => begin(() => work(nth++)), 1000 / perSecond));
  }

  every(rates.reads, (nth) => timed(itemInTurn(reads, nth)(itemInTurn(payers, nth).customerId)));
  every(rates.customers, () => timed(customers.create(customer)));
  every(rates.dues, () => plans.letNextFallDue());
  every(rates.payments, async (nth) => {
    const { customerId, methodId } = itemInTurn(payers, nth);
    const made = await timed(paymentIntents.create({ ...intent, customer_id: customerId }));
    await timed(paymentIntents.confirm(made.id, { payment_method: methodId }));
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
    },
  };
}
