import { listSubscriptionChanges, type SubscriptionChangeRow } from '../../db/subscription-changes.ts';
import { listPeriods, type SubscriptionPeriodRow } from '../../db/subscription-periods.ts';
import { selectClock } from '../../db/test-clocks.ts';
import { dateIn } from '../../domain/calendar.ts';
import { withoutClock } from '../../domain/instants.ts';
import { type ComingPeriod, comingPeriods } from '../../domain/subscriptions/coming.ts';
import { firstDayAfterPause } from '../../domain/subscriptions/steps.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { defaultLimit } from '../../resources/common.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { BadParameters } from '../errors.ts';
import type { PageQuery, Rows } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import { getSubscription } from './subscriptions.ts';

/**
 * Returns the periods of a subscription that have begun, newest first. The cursor is a period's number.
 * @throws NotFound; BadParameters if the cursor is not a period of this subscription.
 */
export async function subscriptionPeriods(
  db: Db,
  context: RequestContext,
  id: string,
  query: PageQuery,
): Promise<Rows<SubscriptionPeriodRow>> {
  await getSubscription(db, context, id);
  const limit = query.limit ?? defaultLimit;
  const list = (page: { limit: number; before?: number | undefined }) => listPeriods(db, id, page);
  const before = query.starting_after === undefined ? undefined : await numberCursor(query.starting_after, list);
  return { rows: await list({ limit, before }), limit };
}

/**
 * Returns the periods to come, at most `count`, as if every one were paid. One that is pending is shown as if it were
 * started now, one that is paused as if it were resumed. None come after the end.
 * @throws NotFound
 */
export async function subscriptionSchedule(
  db: Db,
  context: RequestContext,
  id: string,
  count: number,
): Promise<{ periods: ComingPeriod[]; hasMore: boolean }> {
  const row = await getSubscription(db, context, id);
  const clock = row.test_clock_id === null ? null : await selectClock(db, context, row.test_clock_id);
  const today = dateIn(clock?.frozen_time ?? withoutClock(context.now), context.timeZone);
  const from = row.state === 'paused' ? firstDayAfterPause(row.current_period, today) : today;
  const periods = comingPeriods(row, from, count + 1);
  return { periods: periods.slice(0, count), hasMore: periods.length > count };
}

/**
 * Returns the changes of a subscription that were requested for a period under way, newest first. The cursor is a
 * change's number.
 * @throws NotFound; BadParameters if the cursor is not a change of this subscription.
 */
export async function subscriptionChanges(
  db: Db,
  context: RequestContext,
  id: string,
  query: PageQuery,
): Promise<Rows<SubscriptionChangeRow>> {
  await getSubscription(db, context, id);
  const limit = query.limit ?? defaultLimit;
  const list = (page: { limit: number; before?: number | undefined }) => listSubscriptionChanges(db, id, page);
  const before = query.starting_after === undefined ? undefined : await numberCursor(query.starting_after, list);
  return { rows: await list({ limit, before }), limit };
}

/** @throws BadParameters if the list has no such number. */
async function numberCursor(
  text: string,
  list: (page: { limit: number; before: number }) => Promise<{ number: number }[]>,
): Promise<number> {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : null;
  const [found] = number === null ? [] : await list({ limit: 1, before: number + 1 });
  if (number !== null && found?.number === number) return number;
  const message = `starting_after must be the number of an item of this list: ${text}.`;
  throw new BadParameters([fieldError('query/starting_after', 'invalid_value', message)]);
}
