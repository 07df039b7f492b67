declare const timeOf: unique symbol;

/** An instant of one kind of time. To JavaScript it is a `Date`; only the compiler knows the kind. */
export type InstantOf<Kind extends string> = Date & { readonly [timeOf]: Kind };

/** An instant of real time (UTC). */
export type RealInstant = InstantOf<'real'>;

/**
 * Returns the real current instant (UTC), for what never follows a test clock: webhook attempts, key checks,
 * idempotency, ids. This is the only place that reads the machine's clock, so a search for its uses finds everything
 * that depends on it. Never throws.
 */
export function realNow(): RealInstant {
  return new Date() as RealInstant;
}

/** Returns an instant of real time that came as text or as milliseconds since 1970. */
export function realInstant(value: string | number): RealInstant {
  return new Date(value) as RealInstant;
}
