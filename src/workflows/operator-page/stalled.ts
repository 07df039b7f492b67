import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { attributes } from '../../messages/search-attributes.ts';

/** Marks the subject as stalled, so that operators can search for it. */
export function markStalled(): void {
  const isKnown = workflowInfo().typedSearchAttributes.get(attributes.stalled) === true;
  if (!isKnown) upsertSearchAttributes([{ key: attributes.stalled, value: true }]);
}

/** Clears the mark if it was set. */
export function markFreed(): void {
  const isMarked = workflowInfo().typedSearchAttributes.get(attributes.stalled) === true;
  if (isMarked) upsertSearchAttributes([{ key: attributes.stalled, value: false }]);
}
