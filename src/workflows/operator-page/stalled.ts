import { patched, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { attributes } from '../../messages/search-attributes.ts';
import { patches } from '../../messages/workflow-versions.ts';

/** Whether this run upserts what goes wrong with its subject. */
export function keepsStalledSearchable(): boolean {
  return patched(patches.searchableTrouble);
}

/** Lets operators find a subject that cannot go on. */
export function markStalled(): void {
  const isKnown = workflowInfo().typedSearchAttributes.get(attributes.stalled) === true;
  if (!isKnown && keepsStalledSearchable()) upsertSearchAttributes([{ key: attributes.stalled, value: true }]);
}

/** Takes back that it could not go on, where that was said. */
export function markFreed(): void {
  const isMarked = workflowInfo().typedSearchAttributes.get(attributes.stalled) === true;
  if (isMarked) upsertSearchAttributes([{ key: attributes.stalled, value: false }]);
}
