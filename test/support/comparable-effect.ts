import type { ClockEffect } from '../../src/resources/clock-effect.ts';

/** Returns an effect as text, without the ids that only the advance can give: a dry run has none. */
export function comparableEffect({ advance_id, event_id, object_id, ...effect }: ClockEffect): string {
  return JSON.stringify(effect);
}
