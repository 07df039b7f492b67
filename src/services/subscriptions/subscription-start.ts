import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { priceOfItems } from '../../domain/subscriptions/lines.ts';
import { respondTo } from '../../domain/subscriptions/requests.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { InvalidState, ValidationFailed } from '../errors.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { isAboveLimit } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/new-intent.ts';
import { refusalError } from '../payments/rail.ts';
import { type RepeatableRequest, unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { collectWithin, type RequestedStep } from './collecting-request.ts';
import type { LockedSubscription } from './locked-subscription.ts';
import { refused } from './subscription-requests.ts';
import { begin, save } from './subscription-steps.ts';
import { endErrors } from './subscription-terms.ts';

/**
 * Starts a subscription: its trial begins, or its first period is charged now. If the charge is declined, it stays
 * pending and nothing is owed. With a start date to come, it starts automatically then.
 * @throws NotFound
 * @throws InvalidState if it has been started or was canceled, or while the customer's clock is advancing.
 * @throws ValidationFailed if there is no method that can be charged, or its end is no end of a period.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
export async function startSubscription(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  id: string,
  request: RepeatableRequest<ShownSubscriptionRow> = unrepeatable,
): Promise<ShownSubscriptionRow> {
  return collectWithin(pool, charging, { context, id, request }, openStart);
}

async function openStart(step: RequestedStep): Promise<Charge | null> {
  const { tx, locked, at, asked } = step;
  const { row, subscription } = locked;
  const change = respondTo({ name: 'start' }, subscription, at);
  if ('refused' in change) throw refused(row.id, change);
  if (row.customer_deleted_at !== null) throw new InvalidState(`Customer ${row.customer_id} has been deleted.`);
  const fieldErrors = endErrors(row, change.course?.start_date ?? row.start_date);
  if (fieldErrors.length > 0) throw new ValidationFailed(fieldErrors);
  await assertWithinLimit(tx, locked, at);
  const confirmed = { ...step, asked: { ...asked, isConfirm: true } };
  return change.begins === undefined ? save(confirmed, change) : begin(confirmed, change);
}

/** Says before the first payment that a whole period with its fees costs more than the mandate allows for one debit. */
async function assertWithinLimit(tx: Tx, { row }: LockedSubscription, at: CustomerInstant): Promise<void> {
  const method = await chargeableMethod(tx, row);
  // A discount may end, so it counts for nothing here.
  const most = priceOfItems(row.items) + priceOfItems(row.one_off_items);
  if (method === null || !(await isAboveLimit(tx, method, row, most, at))) return;
  throw refusalError('mandate_limit_exceeded', method.id, '/payment_instrument_id');
}
