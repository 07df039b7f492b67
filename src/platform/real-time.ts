/**
 * The real current instant (UTC), for what never follows a test clock: webhook tries, key checks, idempotency, ids.
 * The one place that reads the machine's clock (rule of the design: real time and the customer's time are never mixed
 * by accident), so a search for uses of this function finds everything that depends on it. Never throws.
 */
export function realNow(): Date {
  return new Date();
}
