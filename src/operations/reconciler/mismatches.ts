import type { WorkflowType } from '../../messages/workflow-types.ts';
import type { ReconciliationCounts } from './reconciliations.ts';

/** How many workflows are described at once. */
const describedAtOnce = 20;

/** A difference between an object in PostgreSQL and its workflow in Temporal. */
export interface Mismatch {
  workflowType: WorkflowType;
  subjectId: string;
  problem: keyof ReconciliationCounts;
  /** The mode of the Temporal to repair it in. */
  livemode: boolean;
  /** Its workflow runs in the Temporal of the other mode. It is terminated there: the right one has another. */
  isMisplaced: boolean;
  /** It has no row, and its workflow waits: not the service has deleted it. */
  isLost: boolean;
  /** Its workflow is not started, because a row of it breaks an invariant: it would do what that row says. */
  isHeld: boolean;
  /** For an operator. */
  detail: string;
}

/** Returns what is wrong with which object, for an operator. */
export function inWords({ subjectId, problem, detail }: Mismatch): string {
  return `${subjectId} is ${problem}: ${detail}`;
}

/** Looks at some items at once, and returns what is found of them. */
export async function inBatches<T, R>(
  items: readonly T[],
  look: (item: T) => Promise<R | null>,
  signal?: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += describedAtOnce) {
    signal?.throwIfAborted();
    const batch = await Promise.all(items.slice(from, from + describedAtOnce).map(look));
    results.push(...batch.flatMap((result) => result ?? []));
  }
  return results;
}
