// What Stripe's balance transactions are in the words of the protocol: the books of docs/processors.md.
import type Stripe from 'stripe';
import type { For } from './protocol.ts';

/** A member of the list of movements that is about Stripe's books. */
export interface Booked {
  /** Listed once under it. */
  listedAs: string;
  /** Stripe's time, in seconds since 1970. */
  created: number;
  member: Record<string, unknown>;
}

/** The charge or the refund of a reservation, as far as it is known here. */
export interface KnownReservation {
  idempotency_key: string;
  isDebit: boolean;
}

/** With what it is about: `expand` of the list. */
export const withSource = ['data.source'];

/** The intent that an object of Stripe belongs to, or null. */
export function intentOf(source: Stripe.BalanceTransactionSource | string | null): string | null {
  if (source === null || typeof source === 'string') return null;
  const { payment_intent: intent } = source as { payment_intent?: string | { id: string } | null };
  return typeof intent === 'string' ? intent : (intent?.id ?? null);
}

/**
 * Returns the payout that a balance transaction is about, or null. One of a payout that has come back is about it too.
 */
export function payoutOf({ source }: Stripe.BalanceTransaction): Stripe.Payout | null {
  return typeof source === 'object' && source?.object === 'payout' ? source : null;
}

/**
 * Returns what a balance transaction is in the books. It is nothing for the making of a payout, which is a member of
 * its own, and for what is another biller's of the same Stripe account.
 * @param known what is reserved here for its intent, or null.
 */
export function entriesOf(
  transaction: Stripe.BalanceTransaction,
  { account }: For,
  known: KnownReservation | null,
): Booked[] {
  const { id, amount, fee, net, created, type, description } = transaction;
  const currency = transaction.currency.toUpperCase();
  const at = instantOf(created);
  const common = { id, account, currency, at, available_on: dateOf(transaction.available_on) };
  const booked = (member: Record<string, unknown>): Booked[] => [{ listedAs: id, created, member }];
  const payout = payoutOf(transaction);
  if (payout !== null && type === 'payout' && amount < 0) {
    return fee === 0 ? [] : booked({ ...common, kind: 'fee', amount: 0, fee, net: 0 - fee, description: 'payout' });
  }
  if (payout !== null && amount > 0 && payout.amount > 0) {
    return booked({ ...common, kind: 'payout_failure', reference: payout.id, amount, fee, net });
  }
  if (/^(stripe|tax|stripe_fx)_fee$/.test(type)) {
    return booked({ ...common, kind: 'fee', amount: 0, fee: 0 - net, net, description: description ?? type });
  }
  if (isAnothers(transaction.source, account)) return [];
  const reference = intentOf(transaction.source);
  const key = keyOf(transaction, account, known);
  const words = `${type}${description === null ? '' : `: ${description}`}`;
  if (reference !== null && key !== null) {
    return booked({ ...common, kind: 'settlement', idempotency_key: key, reference, amount, fee, net });
  }
  const isDispute = typeof transaction.source === 'object' && transaction.source?.object === 'dispute';
  const about = known === null ? {} : { reference };
  const kind = isDispute && known !== null ? 'dispute' : 'adjustment';
  return booked({ ...common, kind, ...about, amount, fee, net, description: words });
}

/** Two billers may share a Stripe account: what is the other's is in the other's books. */
function isAnothers(source: Stripe.BalanceTransactionSource | string | null, account: string): boolean {
  if (source === null || typeof source === 'string') return false;
  const { biller } = (source as { metadata?: Stripe.Metadata | null }).metadata ?? {};
  return biller !== undefined && biller !== account;
}

/**
 * The key of the charge or the refund that a balance transaction settles; null if it settles none of ours. In another
 * currency than its charge it settles none: the books of the charge stay open.
 */
function keyOf(
  { source, currency, amount, type }: Stripe.BalanceTransaction,
  account: string,
  known: KnownReservation | null,
): string | null {
  if (source === null || typeof source === 'string') return null;
  if ('currency' in source && source.currency !== currency) return null;
  if (source.object === 'charge') {
    const isOurs = source.metadata.biller === account;
    return (isOurs ? source.metadata.attempt : undefined) ?? known?.idempotency_key ?? null;
  }
  // A debit that the bank has taken back after it was collected, or that was disputed: the service has it returned.
  const isTakenBack = type === 'payment_failure_refund' || source.object === 'dispute';
  if (isTakenBack) return known?.isDebit === true && amount < 0 ? known.idempotency_key : null;
  if (source.object !== 'refund' || amount > 0) return null;
  return source.metadata?.biller === account ? (source.metadata.refund ?? null) : null;
}

/** A payout as it is now, listed once for each state. */
export function payoutMember(payout: Stripe.Payout, { account }: For): Booked {
  const { id, amount, created, arrival_date, failure_code } = payout;
  const status =
    payout.status === 'paid' ? 'paid' : /^(failed|canceled)$/.test(payout.status) ? 'failed' : 'in_transit';
  const failure = status === 'failed' ? { failure_code: failure_code ?? payout.status } : {};
  const money = { amount, currency: payout.currency.toUpperCase() };
  const member = { kind: 'payout', id, account, ...money, at: instantOf(created), arrives_on: dateOf(arrival_date) };
  return { listedAs: `${id}/${status}`, created, member: { ...member, status, ...failure } };
}

const instantOf = (seconds: number) => new Date(seconds * 1000).toISOString();
const dateOf = (seconds: number) => instantOf(seconds).slice(0, 10);
