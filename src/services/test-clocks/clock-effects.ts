import {
  countDebitEffects,
  type DebitCounts,
  type EffectEventRow,
  listAttemptFacts,
  listEffectEvents,
} from '../../db/clock-effects.ts';
import { all } from '../../platform/all-settled.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type Effect, type EffectEvent, effectTypes } from '../../resources/clock-effect.ts';
import { type PageQuery, pageOf, type Rows } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import { getTestClock } from './test-clocks.ts';

/**
 * Returns a page of the effects of a clock's advances, or of the one that the query names, ordered by the clock's time;
 * and how many of all its effects are steps of bank debits.
 * @throws NotFound; BadParameters if the cursor is not the id of an event.
 */
export async function listClockEffects(
  db: Db,
  context: RequestContext,
  clockId: string,
  query: PageQuery & { advance_id?: string | undefined },
): Promise<Rows<EffectEventRow & Effect> & { debits: DebitCounts }> {
  await getTestClock(db, context, clockId);
  const page = await pageOf(db, 'events', context, query);
  const filter = { advanceId: query.advance_id, types: effectTypes };
  const [events, debits] = await all([
    listEffectEvents(db, clockId, filter, page),
    countDebitEffects(db, clockId, query.advance_id),
  ]);
  return { rows: await withFacts(db, events), limit: page.limit, debits };
}

/**
 * Returns the events with the facts about their attempts, in the same order. Leaves out payments that were deleted
 * meanwhile, with their clock.
 */
export async function withFacts<E extends EffectEvent>(db: Db, events: E[]): Promise<(E & Effect)[]> {
  const ofIntents = events.filter(isOfIntent);
  const facts = await listAttemptFacts(
    db,
    ofIntents.map(({ subject_id, at }) => ({ intentId: subject_id, at })),
  );
  const factsOf = new Map(ofIntents.map((event, index) => [event, facts[index] ?? null]));
  const existing = events.filter((event) => !isOfIntent(event) || factsOf.get(event));
  return existing.map((event) => ({ ...event, facts: factsOf.get(event) ?? null }));
}

function isOfIntent({ event_type }: EffectEvent): boolean {
  return event_type.startsWith('payment_intent.');
}
