import type { CheckoutSessionRow } from '../../db/checkout-sessions.ts';
import { listSubjectsPaidBy, type PaidSubject } from '../../db/page-payments.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import { fitsCurrency } from '../../domain/schemes/schemes.ts';
import type { Db } from '../../platform/postgres/connection.ts';

/**
 * Returns what the customer of a session pays by the default: the plans and subscriptions that name no method. Empty
 * where the page does not make another method the default. Writes nothing.
 */
export async function paidByDefault(db: Db, session: CheckoutSessionRow): Promise<PaidSubject[]> {
  if (session.makes_default === 'no' || session.customer_id === null) return [];
  return listSubjectsPaidBy(db, tenantOf(session), session.customer_id, null);
}

/**
 * Returns what a method pays now that the payer has made the default in a session. Empty if it is no longer the default
 * and named by nothing. Writes nothing.
 */
export async function paidByUsual(
  db: Db,
  session: CheckoutSessionRow,
  method: Pick<PaymentMethodRow, 'id' | 'instrument'> | null,
): Promise<PaidSubject[]> {
  if (!session.made_default || session.customer_id === null || method === null) return [];
  const paid = await listSubjectsPaidBy(db, tenantOf(session), session.customer_id, method.id);
  return paid.filter(({ currency }) => fitsCurrency(method, currency));
}
