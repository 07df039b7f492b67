import { type EffectEventRow, listAttemptFacts, listEffectEvents } from '../../db/clock-effects.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type ClockEffect, type EffectEvent, presentEffect } from '../../resources/clock-effect.ts';
import { page } from '../../resources/common.ts';
import { pageOf } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import { fetchTestClock } from './test-clocks.ts';

/** Which effects of a clock's advances to list: those of one advance, or of all. */
export interface EffectQuery {
  advance_id?: string | undefined;
  limit?: number | undefined;
  starting_after?: string | undefined;
}

/**
 * Returns a page of the effects of a clock's advances, ordered by the clock's time.
 * @throws NotFound; BadRequest if the cursor is not the id of an event.
 */
export async function listClockEffects(
  db: Db,
  call: RequestContext,
  clockId: string,
  query: EffectQuery,
): Promise<{ data: ClockEffect[]; has_more: boolean }> {
  await fetchTestClock(db, call, clockId);
  const wanted = await pageOf(db, 'events', call, query);
  const rows = await listEffectEvents(db, clockId, query.advance_id, wanted);
  const { data, has_more } = page(rows, wanted.limit, (row: EffectEventRow) => row);
  return { data: await effectsOf(db, data), has_more };
}

/** Returns the effects that these events describe, in the same order. */
export async function effectsOf(db: Db, events: EffectEvent[]): Promise<ClockEffect[]> {
  const ofIntents = events.filter(isOfIntent);
  const facts = await listAttemptFacts(
    db,
    ofIntents.map(({ subject_id, at }) => ({ intentId: subject_id, at })),
  );
  const factsOf = new Map(ofIntents.map((event, index) => [event, facts[index] ?? null]));
  return events.map((event) => presentEffect(event, factsOf.get(event) ?? null));
}

function isOfIntent({ event_type }: EffectEvent): boolean {
  return event_type.startsWith('payment_intent.');
}
