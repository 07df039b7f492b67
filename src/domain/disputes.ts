import { addMs, type CustomerInstant } from './instants.ts';
import type { Milliseconds } from './units.ts';

/** How a dispute can end. */
export const disputeResults = ['won', 'lost'] as const;

export type DisputeResult = (typeof disputeResults)[number];

/** What can become of a dispute. */
export const disputeStatuses = ['needs_response', ...disputeResults] as const;

export type DisputeStatus = (typeof disputeStatuses)[number];

/** Ten days of 24 hours (books, settled point 6). */
const closesAfterMs: Milliseconds = 10 * 86_400_000;

/** Returns when the sandbox closes a dispute whose result was said at this instant. */
export function disputeEnd(saidAt: CustomerInstant): CustomerInstant {
  return addMs(saidAt, closesAfterMs);
}
