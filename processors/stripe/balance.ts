// Stripe's books: its list of balance transactions, and what its payouts pay. They come into the list of movements.
import type Stripe from 'stripe';
import type { Db, Pool } from '../../src/platform/postgres/connection.ts';
import {
  type Booked,
  entriesOf,
  intentOf,
  type KnownReservation,
  payoutMember,
  payoutOf,
  withSource,
} from './balance-entries.ts';
import { overlapSeconds, recordBooked } from './movement-list.ts';
import type { For } from './protocol.ts';

/** How much of the list is read at once, in seconds: after an upgrade it begins when the account was added. */
const windowSeconds = 86_400;
/** How often a payout is looked at: while it is on its way, and as long as a bank may still refuse it. */
const openAgain = '1 minute';
const paidAgain = '1 hour';
const mayFailFor = '7 days';

/**
 * Reads Stripe's books of an account as far as they have grown, and records what is new. One call reads a day at most
 * of a list that is behind.
 * @throws what Stripe says.
 */
export async function readBalance(db: Pool, stripe: Stripe, place: For & { created_at: Date }): Promise<void> {
  const { account, livemode } = place;
  const [cursor] = await db<{ read_to: number }[]>`
    select read_to from processor_stripe.cursors
    where account = ${account} and livemode = ${livemode} and list = 'balance_transactions'`;
  const readTo = cursor?.read_to ?? Math.floor(place.created_at.getTime() / 1000);
  const [gte, lt] = [readTo - overlapSeconds, readTo + windowSeconds];
  const found: Stripe.BalanceTransaction[] = [];
  const created = { gte, lt };
  for await (const each of stripe.balanceTransactions.list({ created, limit: 100, expand: withSource })) {
    found.push(each);
  }
  await recordBooked(db, place, await bookedOf(db, place, found.reverse()));
  const newest = found.at(-1)?.created ?? readTo;
  const now = Math.floor(Date.now() / 1000);
  // An empty day is behind us, the present one is not.
  const reached = lt < now - overlapSeconds ? lt : Math.max(readTo, newest);
  await db`
    insert into processor_stripe.cursors (account, livemode, list, read_to)
    values (${account}, ${livemode}, 'balance_transactions', ${reached})
    on conflict (account, livemode, list) do update set read_to = greatest(cursors.read_to, excluded.read_to)`;
  await readPayouts(db, stripe, place);
}

/** What balance transactions are in the books, oldest first; the payouts among them are noted. */
async function bookedOf(db: Db, place: For, transactions: readonly Stripe.BalanceTransaction[]): Promise<Booked[]> {
  const intents = transactions.flatMap(({ source }) => intentOf(source) ?? []);
  const known = await knownReservations(db, place, intents);
  const booked: Booked[] = [];
  for (const transaction of transactions) {
    const payout = payoutOf(transaction);
    if (payout !== null && payout.amount > 0) {
      booked.push(payoutMember(payout, place));
      await db`
        insert into processor_stripe.payouts ${db({ account: place.account, livemode: place.livemode, payout: payout.id })}
        on conflict do nothing`;
    }
    booked.push(...entriesOf(transaction, place, known.get(intentOf(transaction.source) ?? '') ?? null));
  }
  return booked;
}

async function knownReservations(db: Db, { account, livemode }: For, intents: readonly string[]) {
  const rows = await db<(KnownReservation & { reference: string })[]>`
    select reference, idempotency_key, mandate_reference is not null as "isDebit"
    from processor_stripe.reservations
    where account = ${account} and livemode = ${livemode} and reference = any(${[...intents]})`;
  return new Map(rows.map((row) => [row.reference, row]));
}

/** Looks at the payouts that may have changed, and records their state and, once Stripe tells it, what they pay. */
async function readPayouts(db: Pool, stripe: Stripe, place: For): Promise<void> {
  const { account, livemode } = place;
  const due = await db<{ payout: string; itemized: boolean }[]>`
    select payout, itemized from processor_stripe.payouts
    where account = ${account} and livemode = ${livemode} and look_at <= clock_timestamp()
    order by look_at limit 20`;
  for (const { payout: id, itemized } of due) {
    const payout = await stripe.payouts.retrieve(id);
    await recordBooked(db, place, [payoutMember(payout, place)]);
    const isKnown = itemized || payout.reconciliation_status === 'completed';
    if (!itemized && isKnown) await recordItems(db, stripe, place, id);
    const isOver = /^(paid|failed|canceled)$/.test(payout.status) && (isKnown || !payout.automatic);
    await db`
      update processor_stripe.payouts set itemized = ${isKnown}, look_at = case
        when ${isOver && payout.status !== 'paid'} or clock_timestamp() > made_at + ${mayFailFor}::interval and ${isOver}
          then 'infinity'
        else clock_timestamp() + ${isOver ? paidAgain : openAgain}::interval end
      where account = ${account} and livemode = ${livemode} and payout = ${id}`;
  }
}

/** Records what a payout pays: each entry again, with its payout. */
async function recordItems(db: Pool, stripe: Stripe, place: For, payout: string): Promise<void> {
  const paid: Stripe.BalanceTransaction[] = [];
  for await (const each of stripe.balanceTransactions.list({ payout, limit: 100, expand: withSource })) {
    if (each.type !== 'payout' || payoutOf(each)?.id !== payout) paid.push(each);
  }
  const booked = await bookedOf(db, place, paid.reverse());
  const items = booked.filter(({ member }) => member.kind !== 'payout');
  await recordBooked(
    db,
    place,
    items.map(({ listedAs, created, member }) => ({
      listedAs: `${listedAs}/${payout}`,
      created,
      member: { ...member, payout },
    })),
  );
}
