import type { CheckoutSessionRow } from '../../db/checkout-sessions.ts';
import { type PurposeRow, selectPurpose, selectStatement } from '../../db/page-payments.ts';
import type { PaymentLinkRow } from '../../db/payment-links.ts';
import { selectPlan } from '../../db/payment-plans.ts';
import { selectSubscription } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { PeriodLine, SubscriptionItem } from '../../domain/subscriptions/lines.ts';
import type { Db } from '../../platform/postgres/connection.ts';

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
