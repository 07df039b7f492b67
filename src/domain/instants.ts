import type { InstantOf, RealInstant } from '../platform/real-time.ts';
import type { Milliseconds } from './units.ts';

/**
 * An instant of the customer's time: of its test clock, or real if it has none. Business dates are of this time: what a
 * row is stamped with, when something is due. It does not mix with `RealInstant`: the compiler refuses to pass or
 * compare one as the other. A pair is named `at` (the customer's) and `now` (real).
 */
export type CustomerInstant = InstantOf<'customer'>;

/** An instant of either time: of an event about a customer the customer's, of one about an endpoint real. */
export type Instant = CustomerInstant | RealInstant;

/**
 * Returns an instant of the customer's time that came as text or as milliseconds since 1970: in a request, from a
 * workflow, from a calendar.
 */
export function customerInstant(value: string | number): CustomerInstant {
  return new Date(value) as CustomerInstant;
}

/** Returns what a real instant is to a customer without a test clock: the same. */
export function withoutClock(now: RealInstant): CustomerInstant {
  return now as Date as CustomerInstant;
}

/** Returns the instant that is so many milliseconds later, of the same time. */
export function addMs<T extends Date>(at: T, milliseconds: Milliseconds): T {
  return new Date(at.getTime() + milliseconds) as T;
}

/** Returns an instant as text for operators, or "none". */
export function isoOrNone(at: Instant | null): string {
  return at?.toISOString() ?? 'none';
}
