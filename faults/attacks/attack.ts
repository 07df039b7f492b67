import type { Chance } from '../../lab/random.ts';
import type { SupervisedProcess } from '../../lab/supervised-process.ts';
import type { Cluster } from '../cluster.ts';
import type { Finding } from '../evidence.ts';
import type { FaultReceiver } from '../receiver.ts';

/** What an attack has to work with. */
export interface Arena {
  readonly cluster: Cluster;
  readonly receiver: FaultReceiver;
  readonly chance: Chance;
  /** A short run has short outages too. */
  readonly isQuick: boolean;
  /** Crash points at which a process has carried out an order. */
  readonly fired: Set<string>;
  /** Promises that a strike has seen broken. */
  readonly findings: Finding[];
}

/** One fault, chosen and ready to be injected. */
export interface Strike {
  /** For the list of the faults. */
  title: string;
  /** What is hit: no two strikes at once have the same target. */
  targets: string[];
  /** Injects the fault and takes it back. False if it had no effect: it is not counted then. */
  run(): Promise<boolean>;
}

export interface Attack {
  /** The kind, for the counts and for `--only`. */
  kind: string;
  weight: number;
  /** False for what takes longer than a short run. */
  isQuick?: boolean;
  /** Draws one; null if there is nothing to hit now. */
  draw(arena: Arena): Strike | null;
}

/** The processes of the service that are up, or those of one kind. */
export function upProcesses({ cluster }: Arena, kind?: 'api' | 'worker' | 'pages'): SupervisedProcess[] {
  const all = { api: cluster.apis, worker: cluster.workers, pages: cluster.pages };
  const wanted = kind === undefined ? Object.values(all).flat() : all[kind];
  return wanted.filter(({ state }) => state === 'up');
}

/** The same, and the live processor. */
export function upProcessesAndProcessor(arena: Arena): SupervisedProcess[] {
  const { process: processor } = arena.cluster.standIn;
  return [...upProcesses(arena), ...(processor.state === 'up' ? [processor] : [])];
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
