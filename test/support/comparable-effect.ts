import type { ClockEffect } from '../../src/resources/clock-effect.ts';

/** Returns an effect as text, without the ids that only an advance gives: the same for a dry run and its advance. */
export function comparableEffect({ advance_id, event_id, object_id, ...effect }: ClockEffect): string {
  return JSON.stringify(effect);
}
