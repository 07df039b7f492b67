import { join } from 'node:path';
import { findFreePorts } from '../dev/ports.ts';
import { diskNames } from '../lab/disks.ts';
import { becomesTrue } from '../lab/eventually.ts';
import { range } from '../lab/parallel.ts';
import { type Parts, startParts, type TemporalStore } from '../lab/parts.ts';
import type { Mode } from '../lab/payer.ts';
import type { CarriedOut } from '../lab/processes/crash-orders.ts';
import type { Chance } from '../lab/random.ts';
import type { SupervisedProcess } from '../lab/supervised-process.ts';
import { realNow } from '../src/platform/real-time.ts';
import type { LedgerEntry } from '../src/processors/ledger.ts';
import { type FakeClock, findFakeClocks } from './fake-clocks.ts';
import { followLines, type Lines } from './lines.ts';
import { readCommits } from './net/commit-reader.ts';
import { type Link, openLink } from './net/link.ts';

/** A process that serves HTTP, and the way to it that clients take. */
interface HttpProcess extends SupervisedProcess {
  /** By way of its link, which may be cut. */
  readonly url: string;
  /** Past the link. */
  readonly directUrl: string;
}

/**
 * The service as it runs in production, on one machine: two processes of each kind, each with links of its own, and the
 * processor of live mode.
 */
export interface Cluster extends Pick<Parts, 'postgres' | 'temporal' | 'sql' | 'side' | 'standIn' | 'disks'> {
  readonly apis: readonly HttpProcess[];
  readonly workers: readonly SupervisedProcess[];
  /** The pages for payers. */
  readonly pages: readonly HttpProcess[];
  /** The clock of each process, by its name; null if clocks cannot or must not be set off. */
  readonly clocks: ReadonlyMap<string, FakeClock> | null;
  /** The ways from each process to PostgreSQL, Temporal and the live processor, and from clients and payers to it. */
  readonly links: Record<'postgres' | 'temporal' | 'processor' | 'client', readonly Link[]>;
  /** What the processor of each mode has recorded. */
  readonly ledgers: Record<Mode, Lines<LedgerEntry>>;
  readonly carriedOut: Lines<CarriedOut>;
  /** Processes that ended without being killed, and how. */
  readonly ownEnds: { name: string; how: string; at: number }[];
  /** Milliseconds from each start of a process to its `ready`. */
  readonly startTimes: { name: string; ms: number }[];
  /** Ends all faults: links pass, what was frozen continues, what is down starts. Resolves when all is up. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

const processesOfAKind = 2;
const upTimeoutMs = 90_000;

export async function startCluster(
  folder: string,
  chance: Chance,
  { canSetClocks, temporalStore }: { canSetClocks: boolean; temporalStore: TemporalStore },
): Promise<Cluster> {
  const ownEnds: Cluster['ownEnds'] = [];
  const startTimes: Cluster['startTimes'] = [];
  const supervisionOf = (name: string) => {
    const restarts = chance.fork(name);
    return {
      name,
      restartAfterMs: () => restarts.between(0, 800),
      onReady: (ms: number) => startTimes.push({ name, ms }),
      onOwnEnd: (how: string) => ownEnds.push({ name, how, at: realNow().getTime() }),
    };
  };
  const parts = await startParts(folder, {
    store: temporalStore,
    ofProcessor: supervisionOf('processor'),
    withDisks: diskNames,
  });
  const { postgres, temporal, standIn } = parts;
  const clockOf = canSetClocks ? await findFakeClocks(join(folder, 'clocks')) : null;
  const clocks = new Map<string, FakeClock>();
  const links: Record<keyof Cluster['links'], Link[]> = { postgres: [], temporal: [], processor: [], client: [] };

  async function startProcess(kind: 'api' | 'worker' | 'pages', number: number, environment: Record<string, string>) {
    const name = `${kind} ${number}`;
    const [toPostgres, toTemporal, toProcessor] = await Promise.all([
      openLink(`postgres of ${name}`, postgres.port, readCommits),
      openLink(`temporal of ${name}`, temporal.port),
      openLink(`processor of ${name}`, standIn.port),
    ]);
    links.postgres.push(toPostgres);
    links.temporal.push(toTemporal);
    links.processor.push(toProcessor);
    const database = new URL(postgres.url);
    database.port = String(toPostgres.port);
    const clock = (await clockOf?.(name)) ?? null;
    if (clock !== null) clocks.set(name, clock);
    return parts.start(kind, supervisionOf(name), {
      DATABASE_URL: database.href,
      TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`,
      LIVE_PROCESSOR_URL: `http://127.0.0.1:${toProcessor.port}`,
      LOG_LEVEL: 'info',
      ...environment,
      ...clock?.environment,
    });
  }

  async function startHttp(kind: 'api' | 'pages', number: number): Promise<HttpProcess> {
    const [port = 0] = await findFreePorts(1);
    const link = await openLink(`${kind === 'api' ? 'clients' : 'payers'} of ${kind} ${number}`, port);
    links.client.push(link);
    const started = await startProcess(kind, number, { [kind === 'api' ? 'PORT' : 'PAGES_PORT']: String(port) });
    return Object.assign(started, { url: `http://127.0.0.1:${link.port}`, directUrl: `http://127.0.0.1:${port}` });
  }

  const numbers = range(processesOfAKind).map((index) => index + 1);
  const apis = await Promise.all(numbers.map((number) => startHttp('api', number)));
  const workers = await Promise.all(numbers.map((number) => startProcess('worker', number, {})));
  const pages = await Promise.all(numbers.map((number) => startHttp('pages', number)));
  const processes = [...apis, ...workers, ...pages, standIn.process];
  const ledgers = {
    sandbox: followLines<LedgerEntry>(parts.ledgerFile),
    live: followLines<LedgerEntry>(standIn.ledgerFile),
  };
  const carriedOut = followLines<CarriedOut>(parts.ordersFile);
  const allLinks = () => Object.values(links).flat();

  async function untilAllUp(): Promise<void> {
    if (await becomesTrue(() => processes.every(({ state }) => state === 'up'), { timeoutMs: upTimeoutMs })) return;
    const late = processes.filter(({ state }) => state !== 'up').map(({ name }) => name);
    throw new Error(`${late.join(', ')} did not start within ${upTimeoutMs / 1000} s`);
  }

  await untilAllUp();
  return {
    ...parts,
    apis,
    workers,
    pages,
    clocks: clockOf === null ? null : clocks,
    links,
    ledgers,
    carriedOut,
    ownEnds,
    startTimes,
    async heal() {
      await Promise.all([...parts.disks.values()].map((disk) => disk.free()));
      await Promise.all([postgres.revive(), temporal.revive()]);
      await Promise.all([...clocks.values()].map((clock) => clock.setOff(0)));
      await Promise.all([postgres.thaw(), temporal.thaw()]);
      for (const link of allLinks()) link.heal();
      await Promise.all([postgres.start(), temporal.start()]);
      for (const each of processes) {
        each.order(null);
        each.thaw();
        each.release();
      }
      await untilAllUp();
    },
    async close() {
      await Promise.all([...Object.values(ledgers), carriedOut].map((lines) => lines.close()));
      await parts.stop();
      await Promise.all(allLinks().map((link) => link.close()));
    },
  };
}
