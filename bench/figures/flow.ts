import { setTimeout as pause } from 'node:timers/promises';
import { inParallel, range } from '../../lab/parallel.ts';
import { makePayer } from '../../lab/payer.ts';
import type { Bench, Measurement } from '../bench.ts';
import { besideOf, figure } from '../figure.ts';
import { type LoadGenerator, type Place, startLoadGenerator } from '../load/jobs.ts';
import { type PartUse, watchParts } from '../part-use.ts';
import { recordedProcesses } from '../processes.ts';
import { startBenchReceiver } from '../receiver.ts';

const connections = 16;
/** Payments go on while no more events than this are undelivered. */
const mostUndelivered = 200;
const burstMs = 500;
const timeoutMs = 120_000;
const parts = ['api', 'worker', 'temporal', 'postgres'] as const;

/** What a stretch of payments came to. */
interface Stretch {
  perSecond: number;
  payments: number;
  use: PartUse[];
}

/** Payments without an endpoint, and with one that gets each of their events. */
export const flow: Measurement = {
  name: 'flow',
  needs: 'copy',
  async measure(bench) {
    const generator = await startLoadGenerator();
    const receiver = await startBenchReceiver();
    const place = await placeOf(bench);
    const [rounds, ms] = bench.quick ? [1, 2_000] : [3, 10_000];
    const alone: Stretch[] = [];
    const told: Stretch[] = [];
    try {
      await stretch(bench, { generator, place }, null, bench.quick ? 500 : 3_000);
      await stretch(bench, { generator, place }, receiver.url, bench.quick ? 500 : 3_000);
      for (let round = 0; round < rounds; round++) {
        alone.push(await stretch(bench, { generator, place }, null, ms));
        told.push(await stretch(bench, { generator, place }, receiver.url, ms));
        const [one, other] = [alone.at(-1), told.at(-1)];
        bench.log(`flow: ${one?.perSecond.toFixed(0)} a second alone, ${other?.perSecond.toFixed(0)} with an endpoint`);
      }
    } finally {
      await generator.stop();
      await receiver.close();
    }
    const rates = (stretches: Stretch[]) => stretches.map(({ perSecond }) => perSecond);
    const paymentMs = (named: readonly string[]) => alone.map((one) => msOf(one, named));
    const deliveryMs = (named: readonly string[]) =>
      told.map((one, round) => msOf(one, named) - (alone[round] ? msOf(alone[round], named) : 0));
    return {
      name: 'flow',
      title: 'Payments in one request each, and the same with one endpoint whose receiver returns 200 at once',
      how: [
        `${connections} connections; stretches of ${ms / 1000} s, turn by turn, ${rounds} of each, after a warm-up. Payments go on while at most ${mostUndelivered} events are undelivered; a stretch ends when the outcome of every delivery is recorded.`,
        'Processor time for one delivery: that of a payment with the endpoint, less that of a payment alone.',
      ],
      figures: [
        figure('flow.alone', 'payments a second, no endpoint', '1/s', rates(alone)),
        figure('flow.told', 'payments a second, one endpoint', '1/s', rates(told), {
          beside: besideOf('alone', rates(told), rates(alone)),
          target: { aimRatio: 0.8 },
        }),
        figure('flow.payment', 'processor time of all parts for one payment, no endpoint', 'ms', paymentMs(parts), {
          target: { atMost: 4 },
        }),
        ...parts.map((part) =>
          figure(`flow.payment.${part}`, `${part}: processor time for one payment`, 'ms', paymentMs([part])),
        ),
        figure('flow.processor', 'processor time of all parts for one delivery', 'ms', deliveryMs(parts), {
          target: { atMost: 1.5 },
        }),
        ...parts.map((part) =>
          figure(`flow.processor.${part}`, `${part}: processor time for one delivery`, 'ms', deliveryMs([part])),
        ),
      ],
    };
  },
};

/** Makes payments for so long, with an endpoint at `url` if there is one, until all of their events are delivered. */
async function stretch(
  { client, copy, sql }: Bench,
  { generator, place }: { generator: LoadGenerator; place: Place },
  url: string | null,
  milliseconds: number,
): Promise<Stretch> {
  const endpoint = url === null ? null : await client.webhookEndpoints.create({ url: `${url}/flow` });
  const undelivered = async (): Promise<number> => {
    if (endpoint === null) return 0;
    const [row] = await sql<[{ count: number }]>`
      select count(*)::integer from webhook_deliveries where endpoint_id = ${endpoint.id} and status = 'pending'`;
    return row.count;
  };
  const untilAtMost = async (count: number) => {
    const giveUpAt = performance.now() + timeoutMs;
    while ((await undelivered()) > count) {
      if (performance.now() > giveUpAt) throw new Error(`${await undelivered()} events were not delivered`);
      await pause(10);
    }
  };
  // As of an endpoint that has been there for a while: the service knows how it responds.
  if (endpoint !== null) {
    await client.webhookEndpoints.ping(endpoint.id);
    await untilAtMost(0);
  }
  const watch = await watchParts(await recordedProcesses(copy.dataDir));
  const begun = performance.now();
  let payments = 0;
  while (performance.now() - begun < milliseconds) {
    const job = { operation: 'payment', by: 'api', keyed: false, connections, milliseconds: burstMs } as const;
    payments += (await generator.run({ place, job })).latencies.length;
    await untilAtMost(mostUndelivered);
  }
  await untilAtMost(0);
  const seconds = (performance.now() - begun) / 1000;
  const use = await watch.stop();
  if (endpoint !== null) await client.webhookEndpoints.delete(endpoint.id);
  return { perSecond: payments / seconds, payments, use };
}

/** Processor time of these parts for one payment, in milliseconds. */
function msOf({ use, payments }: Stretch, named: readonly string[]): number {
  const seconds = use.filter(({ part }) => named.includes(part)).reduce((sum, one) => sum + one.processorSeconds, 0);
  return (seconds * 1000) / payments;
}

async function placeOf({ client, copy }: Bench): Promise<Place> {
  const { baseUrl, key, databaseUrl, billerId } = copy;
  const payers = await inParallel(range(20), 4, () => makePayer(client));
  return { baseUrl, key, databaseUrl, billerId, payers, fetched: [], deepCursor: '' };
}
