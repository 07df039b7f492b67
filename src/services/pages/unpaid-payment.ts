import { selectDatesPaid, selectPurpose } from '../../db/page-payments.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RequestContext } from '../request-context.ts';
import { type ComingPayments, paymentsBesides, type TakenNow } from '../subjects/coming-payments.ts';

/** A payment of a plan or a subscription that a payer can pay on a page. */
export interface UnpaidPayment extends Pick<TakenNow, 'from' | 'to'> {
  /** The name of the plan or subscription. */
  name: string;
  /** What the plan or subscription takes besides. Null if that has ended. */
  coming: ComingPayments | null;
}

/** Reads what the payment of a session is for. Null if it is of no plan and no subscription. Writes nothing. */
export async function unpaidPaymentOf(
  db: Db,
  context: RequestContext,
  intent: PaymentIntentRow | null,
  payer: Parameters<typeof paymentsBesides>[3],
): Promise<UnpaidPayment | null> {
  if (intent === null || (intent.payment_plan_id === null && intent.subscription_id === null)) return null;
  const [dates, coming, { name }] = await Promise.all([
    selectDatesPaid(db, intent.id),
    paymentsBesides(db, context, intent, payer),
    selectPurpose(db, intent.id),
  ]);
  return dates && { ...dates, name: coming?.name ?? name ?? '', coming };
}
