import { listSubscriptionChanges, type SubscriptionChangeRow } from '../../db/subscription-changes.ts';
import { listPeriods, type SubscriptionPeriodRow } from '../../db/subscription-periods.ts';
import { selectCollecting } from '../../db/subscriptions.ts';
import { type ComingPeriod, comingPeriods } from '../../domain/subscriptions/coming.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { timeNow } from '../customer-time.ts';
import { type PageQuery, type Rows, rowsByNumber } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import { readWithPeriods } from './locked-subscription.ts';
import { readWayToCollect } from './payable.ts';
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
  return rowsByNumber(
    query,
    ({ number }) => number,
    (page) => listPeriods(db, id, page),
  );
}

/**
 * Returns the periods to come, at most `count`, as if every one were paid: see `comingPeriods`.
 * @throws NotFound
 */
export async function subscriptionSchedule(
  db: Db,
  context: RequestContext,
  id: string,
  count: number,
): Promise<{ periods: ComingPeriod[]; hasMore: boolean }> {
  const row = await getSubscription(db, context, id);
  const subscription = await readWithPeriods(db, row, context.timeZone);
  const at = await timeNow(db, context, row);
  const collecting = row.state === 'paused' ? await selectCollecting(db, id) : null;
  const isOwedApart =
    collecting !== null && (await readWayToCollect(db, { row: collecting, subscription }, at)).way === 'apart';
  const periods = comingPeriods(subscription, at, count + 1, { isOwedApart });
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
  return rowsByNumber(
    query,
    ({ number }) => number,
    (page) => listSubscriptionChanges(db, id, page),
  );
}
