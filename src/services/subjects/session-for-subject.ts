import type { CheckoutSessionRow } from '../../db/checkout-sessions.ts';
import { lockCustomer } from '../../db/customers.ts';
import { selectSubscription } from '../../db/subscriptions.ts';
import { type Id, namedId } from '../../domain/ids.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { CheckoutSessionCreate } from '../../resources/checkout-session-input.ts';
import type { Vault } from '../accounts/vault.ts';
import { timeOf } from '../customer-time.ts';
import { InvalidState, missingReference, ValidationFailed } from '../errors.ts';
import { createCheckoutSession } from '../links/checkout-sessions.ts';
import type { OfferingKey } from '../links/offers.ts';
import type { RequestContext } from '../request-context.ts';
import { lockWithPeriods } from '../subscriptions/locked-subscription.ts';
import { collectByNewMethod } from '../subscriptions/method-for-subscription.ts';
import { chargeHook } from './charge-hook.ts';

/**
 * Creates a session without a link. For a subscription with an unpaid payment it is one that saves a method and then
 * collects what a resume or a retry would take.
 * @throws as `createCheckoutSession`; InvalidState if the subscription has nothing to collect.
 */
export async function createSession(
  db: Writer,
  vault: Vault,
  context: RequestContext,
  { subscription_id: id, ...input }: CheckoutSessionCreate,
  key: OfferingKey,
): Promise<CheckoutSessionRow> {
  return atomically(db, async (tx) => {
    const body =
      id === undefined
        ? input
        : { ...input, ...(await collecting(tx, context, namedId('subscription', id), input.name)) };
    return createCheckoutSession(tx, vault, chargeHook, context, body, key);
  });
}

/** The body of a setup session that collects what a subscription has not been paid. Locks the subscription. */
async function collecting(
  tx: Tx,
  context: RequestContext,
  id: Id<'subscription'>,
  name: string | undefined,
): Promise<Partial<CheckoutSessionCreate>> {
  const missing = missingReference('/subscription_id', 'subscription', id);
  const found = await selectSubscription(tx, context, id);
  if (found === null) throw new ValidationFailed([missing]);
  const at = timeOf(await lockCustomer(tx, context, found.customer_id), context.now);
  const locked = await lockWithPeriods(tx, id);
  if (locked === null) throw new ValidationFailed([missing]);
  const { row } = locked;
  const change = collectByNewMethod(locked, at);
  if ('refused' in change) throw new InvalidState(`Subscription ${id}: ${change.refused}`);
  return {
    mode: 'setup',
    name: name ?? row.name,
    customer_id: row.customer_id,
    apply_to: { subscription_id: id },
  };
}
