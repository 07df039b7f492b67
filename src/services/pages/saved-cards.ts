import { listMethodsOfCustomer } from '../../db/payment-methods.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { MethodFacts } from '../../domain/surcharges/means.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { SessionForPayer } from '../links/public-tokens.ts';

/** A card that the payer need not enter again: as much of it as the page shows. */
export interface SavedCard {
  id: Id<'payment_method'>;
  brand: string | null;
  last4: string | null;
  instrument: MethodFacts['instrument'];
}

const shownAtMost = 5;

/**
 * Returns the saved cards that the page of a session offers, newest first, at most five. Who has the URL can charge
 * them, so they are offered only where that is worth no more than paying what the biller has asked of this customer:
 * the biller has named the customer, the amount is fixed, and it is taken once. A bank account is not offered: a debit
 * needs its holder's agreement. Writes nothing.
 */
export async function savedCards(db: Db, { session, link, customer }: SessionForPayer): Promise<SavedCard[]> {
  const isOnce = link === null || link.max_payments === 1;
  const isAsked =
    session.mode === 'payment' && session.amount !== null && session.payment_method_types.includes('card');
  if (customer === null || !isOnce || !isAsked || !isNamed(session, customer)) return [];
  const methods = await listMethodsOfCustomer(db, customer.id, { limit: 20, after: undefined });
  return methods
    .filter(({ instrument }) => instrument.type === 'card')
    .slice(0, shownAtMost)
    .map(({ id, brand, last4, instrument }) => ({ id, brand, last4, instrument }));
}

/** Whether the biller has named the customer: one that a payer's details have made is younger than the session. */
function isNamed(
  { created_at: at, test_clock_id: clock }: SessionForPayer['session'],
  { created_at: since }: { created_at: CustomerInstant },
): boolean {
  return clock !== null || since < at;
}
