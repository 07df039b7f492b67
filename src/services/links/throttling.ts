import { lockCustomer } from '../../db/customers.ts';
import { lockPaymentLink, type PaymentLinkRow, updatePaymentLink } from '../../db/payment-links.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { Writer } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { timeOf } from '../customer-time.ts';
import { paymentLinkEvent, record, transact } from '../events.ts';
import type { PayerRequest } from '../request-context.ts';
import { busyWhileAdvancing } from './session-start.ts';

/**
 * Records that payers of a link are asked to try later, until this instant: with one event for each throttling, however
 * many payers meet it. While the customer's clock is advancing, it records nothing: the next refusal does.
 */
export async function throttleLink(
  db: Writer,
  found: PaymentLinkRow,
  until: RealInstant,
  payer: PayerRequest,
): Promise<void> {
  if (isThrottled(found, until)) return;
  const tenant = tenantOf(found);
  await transact(db, payer, async (tx) => {
    const customer = found.customer_id === null ? null : await lockCustomer(tx, tenant, found.customer_id);
    const at = timeOf(customer, payer.now);
    const link = await lockPaymentLink(tx, found.id);
    if (link === null || isThrottled(link, until)) return;
    const change = { throttled_until: until, throttlings: link.throttlings + 1 };
    const row = await updatePaymentLink(tx, link.id, change);
    record(tx, paymentLinkEvent('payment_link.throttled', row, at));
  }).catch(busyWhileAdvancing);
}

function isThrottled({ throttled_until: known }: PaymentLinkRow, until: RealInstant): boolean {
  return known !== null && known >= until;
}
