import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import { respondTo } from '../../domain/subscriptions/requests.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { InvalidState, ValidationFailed } from '../errors.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { type RepeatableRequest, unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { collectWithin, type RequestedStep } from './collecting-request.ts';
import { assertPayable } from './payable.ts';
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
  await assertPayable(tx, locked, at);
  const confirmed = { ...step, asked: { ...asked, isConfirm: true } };
  return change.begins === undefined ? save(confirmed, change) : begin(confirmed, change);
}
