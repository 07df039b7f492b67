import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clientOf } from '../../lab/client.ts';
import { type ServiceCopy, startService } from '../../lab/service.ts';
import { median, percentile } from '../../lab/statistics.ts';
import type { Id } from '../../src/domain/ids.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey } from '../../src/services/accounts/api-keys.ts';
import { createBiller } from '../../src/services/accounts/billers.ts';
import type { Measurement } from '../bench.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { type Sender, type Sent, startSender } from '../flood/job.ts';

/** The service's own defaults, which the other figures raise. */
const limits = { RATE_LIMIT_PER_SECOND: '', RATE_LIMIT_BURST: '' };
const steadyPerSecond = 50;
const floodPerSecond = 2_000;
const floodConnections = 64;
const restMs = 300;

/** A key that sends requests, and a customer of its biller. */
interface Tenant {
  key: string;
  customerId: string;
}

/** Which key floods, how fast, and which one is beside it. */
interface Case {
  id: string;
  what: string;
  flooder: Tenant;
  neighbour: Tenant;
  perSecond: number | null;
}

/** What a key that sends far too much does to the requests of others. */
export const flood: Measurement = {
  name: 'flood',
  needs: 'nothing',
  async measure({ folder, quick, log }) {
    const rounds = quick ? 1 : 5;
    const milliseconds = quick ? 2_000 : 6_000;
    const copy = await startService(join(folder, 'flooded'), { environment: limits });
    const [flooding, steady] = await Promise.all([startSender(), startSender()]);
    const figures: Figure[] = [];
    try {
      for (const one of await makeCases(copy)) {
        log(`flood: ${one.what}`);
        const measured = [];
        for (let round = -1; round < rounds; round++) {
          const taken = await takeTurns(copy, one, { flooding, steady }, milliseconds);
          if (round >= 0) measured.push(taken); // the first one meets cold code
        }
        figures.push(...figuresOf(one, measured));
      }
    } finally {
      await Promise.all([flooding.stop(), steady.stop()]);
      await copy.stop();
    }
    return {
      name: 'flood',
      title: `One key's flood beside another's ${steadyPerSecond} requests a second, one API process`,
      how: [
        `In each of ${rounds} rounds the steady key sends reads and creates in turn at ${steadyPerSecond} a second for ${milliseconds / 1000} s, once alone and once beside the flood; each request's time runs from the instant at which it was due. Rate limit as configured by default: 500 a second for each key, bursts of 1,000.`,
        `The flood: the same requests under another key, over ${floodConnections} connections, at ${floodPerSecond} a second or as fast as the responses come. Both senders are processes of their own on the same cores.`,
      ],
      figures,
    };
  },
};

async function makeCases(copy: ServiceCopy): Promise<Case[]> {
  const sql = openPool(copy.databaseUrl, { max: 1, name: 'bench' });
  try {
    const by = { by: { kind: 'service', id: 'benchmark' } as const, now: realNow() };
    const keyOf = async (billerId: Id<'biller'>, livemode: boolean) =>
      (await createKey(sql, { billerId, livemode, kind: 'secret', ...by })).key;
    const other = await createBiller(sql, { name: 'A flood', ...by });
    const tenant = async (key: string): Promise<Tenant> => {
      const client = clientOf({ baseUrl: copy.baseUrl, key });
      const { id: customerId } = await client.customers.create({ name: 'Ada Example' });
      return { key, customerId };
    };
    const flooder = await tenant(await keyOf(other.id, false));
    const neighbour = await tenant(copy.key);
    const live = await tenant(await keyOf(copy.billerId, true));
    return [
      { id: 'tenant', what: 'another biller at 4 times its limit', flooder, neighbour, perSecond: floodPerSecond },
      { id: 'flat-out', what: 'another biller as fast as it can', flooder, neighbour, perSecond: null },
      {
        id: 'sandbox',
        what: "a biller's sandbox beside its live mode",
        flooder: neighbour,
        neighbour: live,
        perSecond: floodPerSecond,
      },
    ];
  } finally {
    await sql.end();
  }
}

interface Turns {
  alone: Sent;
  beside: Sent;
  flood: Sent;
}

async function takeTurns(
  { baseUrl }: ServiceCopy,
  { flooder, neighbour, perSecond }: Case,
  { flooding, steady }: { flooding: Sender; steady: Sender },
  milliseconds: number,
): Promise<Turns> {
  const calm = { baseUrl, ...neighbour, perSecond: steadyPerSecond, connections: 16, milliseconds };
  const alone = await steady.run(calm);
  await pause(restMs);
  const [flood, beside] = await Promise.all([
    flooding.run({ baseUrl, ...flooder, perSecond, connections: floodConnections, milliseconds }),
    steady.run(calm),
  ]);
  if (beside.refused > 0) throw new Error(`${beside.refused} requests of the steady key were refused`);
  await pause(restMs);
  return { alone, beside, flood };
}

function figuresOf({ id, what }: Case, turns: readonly Turns[]): Figure[] {
  const share = (part: number, of: (turn: Turns) => Sent) => turns.map((turn) => percentile(of(turn).latencies, part));
  const times = (name: string, part: number) => {
    const [beside, alone] = [share(part, (turn) => turn.beside), share(part, (turn) => turn.alone)];
    return figure(`flood.${id}.${name}`, `${what}: ${name} of the steady key`, 'ms', beside, {
      beside: besideOf('alone', beside, alone),
    });
  };
  const rate = (name: string, of: (flood: Sent) => number) =>
    figure(`flood.${id}.${name}`, `  the flood's requests that were ${name}`, '1/s', [
      median(turns.map(({ flood }) => of(flood) / flood.seconds)),
    ]);
  return [
    times('p50', 0.5),
    times('p99', 0.99),
    rate('served', ({ latencies }) => latencies.length),
    rate('refused', ({ refused }) => refused),
  ];
}
