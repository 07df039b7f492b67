import { patched, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { patches } from './patches.ts';
import { attributes } from './search-attributes.ts';

/** Whether this run upserts what goes wrong with its subject. */
export function keepsTroubleSearchable(): boolean {
  return patched(patches.searchableTrouble);
}

/** Lets operators find a subject that cannot go on. */
export function markStalled(): void {
  const isKnown = workflowInfo().typedSearchAttributes.get(attributes.stalled) === true;
  if (!isKnown && keepsTroubleSearchable()) upsertSearchAttributes([{ key: attributes.stalled, value: true }]);
}

/** Takes back that it could not go on, where that was said. */
export function markFreed(): void {
  const isMarked = workflowInfo().typedSearchAttributes.get(attributes.stalled) === true;
  if (isMarked) upsertSearchAttributes([{ key: attributes.stalled, value: false }]);
}
