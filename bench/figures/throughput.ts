import { inParallel, itemInTurn, range } from '../../lab/parallel.ts';
import { makePayer } from '../../lab/payer.ts';
import type { Bench, Measurement } from '../bench.ts';
import { besideOf, type Figure, figure, type Target } from '../figure.ts';
import { type Job, type Operation, type Outcome, type Place, startLoadGenerator } from '../load/jobs.ts';
import { stockCustomers } from '../load/stock.ts';

const stock = 100_000;
const pageSize = 20;
const deepPage = 1_000;

/** In this order: what reads comes before what adds to the rows that are read. */
const reads: Operation[] = ['fetch-customer', 'list-first', 'list-deep'];
const writes: Operation[] = ['customer', 'intent', 'customer-intent', 'confirm', 'payment'];

const names: Record<Operation, string> = {
  'fetch-customer': 'fetch customer',
  'list-first': 'list 20 customers, page 1',
  'list-deep': 'list 20 customers, page 1,000',
  customer: 'create customer',
  intent: 'create payment intent',
  'customer-intent': 'create payment intent of a customer',
  confirm: 'confirm payment intent',
  payment: 'a paid payment in one request',
};

/** The first marks at 16 connections, and what is aimed at; requests a second. Most aim at half of what is bare. */
const marks: Partial<Record<Operation, Target>> = {
  customer: { atLeast: 2000, aim: 3000 },
  intent: { atLeast: 1500, aim: 2000 },
  'customer-intent': { atLeast: 1500, aim: 2000 },
};
const aimRatio = 0.5;
/** Where more of the bare rate is aimed at. */
const aimRatios: Partial<Record<Operation, number>> = { confirm: 0.6, payment: 0.6 };
/** For one request at a time, in milliseconds. */
const aims: Partial<Record<Operation, Target>> = {
  customer: { aim: 1 },
  intent: { aim: 1.5 },
  'customer-intent': { aim: 1.5 },
};

type Run = (job: Job) => Promise<Outcome>;
type Mix = Pick<Job, 'operation' | 'connections' | 'keyed'>;

interface Taken {
  mix: Mix;
  api: Outcome[];
  bare: Outcome[];
}

/** How fast the API reads and writes, beside the same rows by the bare client of the database. */
export const throughput: Measurement = {
  name: 'throughput',
  needs: 'copy',
  async measure(bench) {
    const place = await placeOf(bench);
    const generator = await startLoadGenerator();
    const run: Run = (job) => generator.run({ place, job });
    const milliseconds = bench.quick ? 200 : 1000;
    const rounds = bench.quick ? 1 : 2;
    try {
      await warmUp(run, bench.quick);
      const taken: Taken[] = [];
      for (const operations of [reads, writes]) {
        bench.log(`throughput: ${operations.map((operation) => names[operation]).join(', ')}`);
        taken.push(...(await takeTurns(run, mixesOf(operations), rounds, milliseconds)));
      }
      return {
        name: 'throughput',
        title: 'Through the API, beside the same rows by bare `postgres`',
        how: [
          `One load generator in a process of its own, on the same cores; each connection is kept alive and has one request under way. ${rounds} stretches of ${milliseconds / 1000} s each, API and bare client turn by turn, after a warm-up.`,
          `Customers are read from among ${stock.toLocaleString('en')}; intents of customers go to ${place.payers.length} customers in turn.`,
          'Bare: the same columns, in one statement and one round trip for each (with the row of the key in the same statement), at the same number of connections; nothing is parsed, checked or responded. A confirm, and a payment in one request, is two of them: the attempt (and the intent) before the processor would be called, then the outcome and its event.',
          'A rate is the median of its stretches; the ratio is the median of those of neighbouring stretches. A latency is over all requests: the median is its p50.',
        ],
        figures: [...taken.flatMap(figuresOf), depthFigure(taken)],
      };
    } finally {
      await generator.stop();
    }
  },
};

function mixesOf(operations: Operation[]): Mix[] {
  return operations.flatMap((operation) =>
    [1, 16].flatMap((connections) =>
      (writes.includes(operation) ? [false, true] : [false]).map((keyed) => ({ operation, connections, keyed })),
    ),
  );
}

async function takeTurns(run: Run, mixes: Mix[], rounds: number, milliseconds: number) {
  const taken: Taken[] = mixes.map((mix) => ({ mix, api: [], bare: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const { mix, api, bare } of taken) {
      api.push(await run({ ...mix, by: 'api', milliseconds }));
      bare.push(await run({ ...mix, by: 'postgres', milliseconds }));
    }
  }
  return taken;
}

function figuresOf({ mix: { operation, connections, keyed }, api, bare }: Taken): Figure[] {
  const id = `throughput.${operation}.${connections}${keyed ? '.keyed' : ''}`;
  const what = `${names[operation]}${keyed ? ', with key' : ''}, at ${connections}`;
  const latencies = api.flatMap((outcome) => outcome.latencies);
  return [
    figure(`${id}.rate`, what, '1/s', ratesOf(api), {
      beside: besideOf('bare', ratesOf(api), ratesOf(bare)),
      target: connections === 16 ? { ...marks[operation], aimRatio: aimRatios[operation] ?? aimRatio } : null,
    }),
    figure(`${id}.latency`, `${what}: each`, 'ms', latencies, {
      target: (connections === 1 && aims[operation]) || null,
    }),
  ];
}

/** A page is found by its cursor, so it should cost the same wherever it is. */
function depthFigure(taken: Taken[]): Figure {
  const rates = (wanted: Operation) =>
    taken.flatMap(({ mix, api }) => (mix.operation === wanted && mix.connections === 16 ? ratesOf(api) : []));
  const first = rates('list-first');
  const ratios = rates('list-deep').map((rate, round) => rate / itemInTurn(first, round));
  const what = `rate of page ${deepPage.toLocaleString('en')} beside that of page 1, at 16`;
  return figure('throughput.list-depth', what, 'ratio', ratios, { target: { aim: 1 } });
}

function ratesOf(outcomes: Outcome[]): number[] {
  return outcomes.map(({ perSecond }) => perSecond);
}

async function placeOf({ client, copy, sql, log }: Bench): Promise<Place> {
  const { baseUrl, key, databaseUrl, billerId } = copy;
  const payers = await inParallel(range(100), 8, () => makePayer(client));
  log(`throughput: a stock of ${stock} customers`);
  const ids = await stockCustomers(sql, billerId, stock);
  const fetched = range(1_000).map((nth) => itemInTurn(ids, nth * 7_919));
  return {
    baseUrl,
    key,
    databaseUrl,
    billerId,
    payers,
    fetched,
    deepCursor: itemInTurn(ids, stock - (deepPage - 1) * pageSize),
  };
}

/** A server that has just started runs cold code, and its pool has few connections. */
async function warmUp(run: Run, quick: boolean): Promise<void> {
  for (const mix of mixesOf([...reads, ...writes]).filter(({ connections }) => connections === 16)) {
    for (const by of ['api', 'postgres'] as const) {
      await run({ ...mix, by, milliseconds: quick ? 100 : 600 });
    }
  }
}
