import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Bench, inParallel, type Measurement, range } from '../bench.ts';
import { startChild, stopChild } from '../child.ts';
import { stringIn } from '../client.ts';
import { besideOf, type Figure, figure, type Target } from '../figure.ts';
import type { Job, Outcome, Place, Resource } from '../load/jobs.ts';

/** The first marks at 16 connections, and what is aimed at; requests a second. */
const marks: Record<Resource, Target> = {
  customer: { atLeast: 2000, aim: 3000 },
  intent: { atLeast: 1500, aim: 2000 },
  'customer-intent': { atLeast: 1500, aim: 2000 },
};
/** For one request at a time, in milliseconds. */
const aims: Record<Resource, Target> = { customer: { aim: 1 }, intent: { aim: 1.5 }, 'customer-intent': { aim: 1.5 } };

const names: Record<Resource, string> = {
  customer: 'create customer',
  intent: 'create payment intent',
  'customer-intent': 'create payment intent of a customer',
};

type Mix = Pick<Job, 'resource' | 'connections' | 'keyed'>;

/** How fast the API writes, beside the same rows written by the bare client of the database. */
export const throughput: Measurement = {
  name: 'throughput',
  needs: 'copy',
  async measure(bench) {
    const generator = await startChild('./load/generator.ts');
    try {
      const place = await placeOf(bench);
      const run = (job: Job) => ask(generator, place, job);
      const milliseconds = bench.quick ? 250 : 1200;
      const rounds = bench.quick ? 1 : 2;
      await warmUp(run, bench.quick);
      const taken = mixes().map((mix) => ({ mix, api: [] as Outcome[], bare: [] as Outcome[] }));
      for (let round = 0; round < rounds; round++) {
        bench.log(`throughput: round ${round + 1} of ${rounds}`);
        for (const { mix, api, bare } of taken) {
          api.push(await run({ ...mix, by: 'api', milliseconds }));
          bare.push(await run({ ...mix, by: 'postgres', milliseconds }));
        }
      }
      return {
        name: 'throughput',
        title: 'Writing through the API, beside the same rows inserted by bare `postgres`',
        how: [
          `One load generator in a process of its own, on the same cores; each connection is kept alive and has one request under way. ${rounds} stretches of ${milliseconds / 1000} s each, API and bare client turn by turn, after a warm-up.`,
          'The intents of customers go to 100 customers in turn.',
          'Bare: the same columns, in one statement and one round trip for each (with the row of the key in the same statement), at the same number of connections; nothing is parsed, checked or answered.',
          'A rate is the median of its stretches; the ratio is the median of those of neighbouring stretches. A latency is over all requests.',
        ],
        figures: taken.flatMap(({ mix, api, bare }) => figuresOf(mix, api, bare)),
      };
    } finally {
      await stopChild(generator);
    }
  },
};

function mixes(): Mix[] {
  const resources: Resource[] = ['customer', 'intent', 'customer-intent'];
  return resources.flatMap((resource) =>
    [1, 16].flatMap((connections) => [false, true].map((keyed) => ({ resource, connections, keyed }))),
  );
}

function figuresOf({ resource, connections, keyed }: Mix, api: Outcome[], bare: Outcome[]): Figure[] {
  const id = `throughput.${resource}.${connections}${keyed ? '.keyed' : ''}`;
  const what = `${names[resource]}${keyed ? ', with key' : ''}, at ${connections}`;
  const rates = (outcomes: Outcome[]) => outcomes.map(({ perSecond }) => perSecond);
  const latencies = api.flatMap((outcome) => outcome.latencies);
  return [
    figure(`${id}.rate`, what, '1/s', rates(api), {
      beside: besideOf('bare insert', rates(api), rates(bare)),
      target: connections === 16 ? marks[resource] : null,
    }),
    figure(`${id}.latency`, `${what}: each`, 'ms', latencies, { target: connections === 1 ? aims[resource] : null }),
  ];
}

async function placeOf({ client, copy }: Bench): Promise<Place> {
  const { baseUrl, key, databaseUrl, billerId } = copy;
  const customers = await inParallel(range(100), 8, () => client.post('/customers', { name: 'Ada Example' }));
  const customerIds = customers.map((customer) => stringIn(customer, 'id'));
  return { baseUrl, key, databaseUrl, billerId, customerIds };
}

/** A server that has just started runs cold code, and its pool has few connections. */
async function warmUp(run: (job: Job) => Promise<Outcome>, quick: boolean): Promise<void> {
  const resources: Resource[] = ['customer', 'intent', 'customer-intent'];
  for (const resource of resources) {
    for (const by of ['api', 'postgres'] as const) {
      for (const keyed of [true, false]) {
        await run({ resource, by, keyed, connections: 16, milliseconds: quick ? 100 : 800 });
      }
    }
  }
}

async function ask(generator: ChildProcess, place: Place, job: Job): Promise<Outcome> {
  const stop = new AbortController();
  const { signal } = stop;
  generator.send({ place, job });
  try {
    const [answer]: { outcome?: Outcome; error?: string }[] = await Promise.race([
      once(generator, 'message', { signal }),
      once(generator, 'exit', { signal }).then(() => [{ error: 'the load generator has ended' }]),
    ]);
    if (answer?.outcome === undefined) throw new Error(`under load: ${answer?.error}`);
    return answer.outcome;
  } finally {
    stop.abort();
  }
}
