import type { Child } from '../child.ts';
import type { Cluster } from '../cluster.ts';
import type { Chance } from '../random.ts';
import type { Receiver } from '../receiver.ts';

/** What an attack has to work with. */
export interface Arena {
  readonly cluster: Cluster;
  readonly receiver: Receiver;
  readonly chance: Chance;
  /** Of a short run: outages are kept short too. */
  readonly isQuick: boolean;
  /** Names of crash points at which a process has done what it was told. */
  readonly fired: Set<string>;
}

/** One fault, chosen and ready to be injected. */
export interface Strike {
  /** What happens to whom, for the list of the faults. */
  title: string;
  /** Who is hit: no two strikes at once have the same target. */
  targets: string[];
  /** Injects the fault and takes it back. False when it did not bite: it is not counted then. */
  run(): Promise<boolean>;
}

export interface Attack {
  /** The kind, for the counts and for `--only`. */
  kind: string;
  weight: number;
  /** False for what takes longer than a short run has. */
  isQuick?: boolean;
  /** Draws one; null when there is nothing to hit as things are. */
  draw(arena: Arena): Strike | null;
}

/** The processes that are up, by their names. */
export function upProcesses({ cluster }: Arena, kind?: 'api' | 'worker'): Child[] {
  const all =
    kind === undefined ? [...cluster.apis, ...cluster.workers] : kind === 'api' ? cluster.apis : cluster.workers;
  return all.filter(({ state }) => state === 'up');
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
