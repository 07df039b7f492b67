import type { Chance } from '../../lab/random.ts';
import type { SupervisedProcess } from '../../lab/supervised-process.ts';
import type { Cluster } from '../cluster.ts';
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

/** The processes that are up, by their names. */
export function upProcesses({ cluster }: Arena, kind?: 'api' | 'worker'): SupervisedProcess[] {
  const all =
    kind === undefined ? [...cluster.apis, ...cluster.workers] : kind === 'api' ? cluster.apis : cluster.workers;
  return all.filter(({ state }) => state === 'up');
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
