import type { CheckoutSessionRow } from '../../db/checkout-sessions.ts';
import {
  listSubjectsPaidBy,
  type PaidSubject,
  type PurposeRow,
  selectDatesPaid,
  selectPurpose,
  selectStatement,
} from '../../db/page-payments.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { PaymentLinkRow } from '../../db/payment-links.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { selectPlan } from '../../db/payment-plans.ts';
import { selectSubscription } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import { fitsCurrency } from '../../domain/schemes/schemes.ts';
import type { PeriodLine, SubscriptionItem } from '../../domain/subscriptions/lines.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RequestContext } from '../request-context.ts';
import { type ComingPayments, paymentsBesides, type TakenNow } from '../subjects/coming-payments.ts';

/** What a payer has paid in a session, or saved a way to pay for, in the biller's words. */
export interface Purchase extends PurposeRow {
  /** The plan or subscription that the way to pay is kept for, and the items of the subscription. */
  keptFor: { name: string; items: readonly Pick<SubscriptionItem, 'name' | 'quantity'>[] } | null;
  /** The statement of the subscription's period that was paid; otherwise empty. */
  lines: readonly PeriodLine[];
}

/** Reads what a session was for. Writes nothing. */
export async function purchaseOf(
  db: Db,
  session: CheckoutSessionRow,
  link: Pick<PaymentLinkRow, 'reference'> | null,
): Promise<Purchase> {
  const { payment_intent_id: intentId, name, description } = session;
  const [paid, lines, keptFor] = await Promise.all([
    intentId === null ? null : selectPurpose(db, intentId),
    intentId === null ? [] : selectStatement(db, intentId),
    keptForOf(db, session),
  ]);
  return {
    name: name ?? paid?.name ?? null,
    description: description ?? paid?.description ?? null,
    reference: link?.reference ?? null,
    keptFor,
    lines,
  };
}

async function keptForOf(db: Db, session: CheckoutSessionRow): Promise<Purchase['keptFor']> {
  const { apply_to_payment_plan_id: planId, apply_to_subscription_id: subscriptionId } = session;
  const tenant = tenantOf(session);
  if (planId !== null) {
    const plan = await selectPlan(db, tenant, planId);
    return plan === null ? null : { name: plan.name, items: [] };
  }
  return subscriptionId === null ? null : selectSubscription(db, tenant, subscriptionId);
}

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
