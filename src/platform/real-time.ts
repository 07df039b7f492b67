/**
 * Returns the real current instant (UTC), for what never follows a test clock: webhook attempts, key checks,
 * idempotency, ids. This is the only place that reads the machine's clock, so a search for its uses finds everything
 * that depends on it. Real time and the customer's time must not be mixed by accident. Never throws.
 */
export function realNow(): Date {
  return new Date();
}
