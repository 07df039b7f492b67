import { type AuditRow, listPersonsActions } from '../../db/audit-log.ts';
import { selectCustomer } from '../../db/customers.ts';
import { listAlike, listAttempts, purposesOf } from '../../db/dashboard-payment.ts';
import { selectPaymentMethod } from '../../db/payment-methods.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { getPaymentIntent } from '../payments/payment-intents.ts';
import { listRefunds } from '../payments/refunds.ts';
import type { RequestContext } from '../request-context.ts';

const refundsShown = 50;
const alikeShown = 10;

/** A payment with what the dashboard shows of it. */
export type PaymentDetails = Awaited<ReturnType<typeof getPaymentDetails>>;

/**
 * Returns a payment with its customer, method, attempts and refunds, what it is for, what people have done with it, and
 * others of the same day that look like it.
 * @throws NotFound
 */
export async function getPaymentDetails(db: Db, context: RequestContext, id: string) {
  const payment = await getPaymentIntent(db, context, id);
  const { customer_id: customerId, payment_method_id: methodId } = payment;
  const [customer, method, attempts, refunds, purposes, alike, done] = await Promise.all([
    customerId === null ? null : selectCustomer(db, context, customerId),
    methodId === null ? null : selectPaymentMethod(db, context, methodId),
    listAttempts(db, payment.id),
    listRefunds(db, context, payment.id, { limit: refundsShown }),
    purposesOf(db, context, [payment.id]),
    listAlike(db, payment, context.timeZone, alikeShown),
    listPersonsActions(db, context, [payment.id]),
  ]);
  return {
    ...{ payment, customer, method, attempts, alike },
    purpose: purposes.get(payment.id) ?? null,
    purposesOfAlike: await purposesOf(
      db,
      context,
      alike.map((each) => each.id),
    ),
    refunds: refunds.rows.slice(0, refundsShown),
    done: done as AuditRow[],
  };
}
