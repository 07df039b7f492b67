// The list of movements as it is kept: numbered in the order in which they became known here.
import type Stripe from 'stripe';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { jsonb } from '../../src/platform/postgres/types.ts';
import type { Booked } from './balance-entries.ts';
import type { For } from './protocol.ts';

/** How much of a list is read again, in seconds: what appears in it late is found. Stripe promises no such bound. */
export const overlapSeconds = 600;
/** The lock under which movements are numbered: a reader that has seen a number has seen all lower ones. */
const numbering = 7_266_339;

/** A charge or a refund as Stripe made it. */
export interface Movement {
  kind: 'charge' | 'refund';
  stripe_id: string;
  idempotency_key: string;
  reference: string | null;
  payment_intent_id: string;
  amount: number;
  currency: string;
  /** Stripe's time, in seconds since 1970. */
  created: number;
}

/** The movement of a charge of this reservation. */
export function chargeMovement(
  charge: Stripe.Charge,
  of: { idempotency_key: string; reference: string; payment_intent_id: string },
): Movement {
  const { idempotency_key, reference, payment_intent_id } = of;
  const { id: stripe_id, amount, currency, created } = charge;
  const money = { amount, currency: currency.toUpperCase() };
  return { kind: 'charge', stripe_id, idempotency_key, reference, payment_intent_id, ...money, created };
}

/** The movement of a refund that was made under a key. */
export function refundMovement(made: Stripe.Refund, of: { key: string; reference: string | null }): Movement {
  const { id: stripe_id, amount, currency, created } = made;
  return {
    ...{ kind: 'refund', stripe_id, idempotency_key: of.key, reference: of.reference },
    ...{ payment_intent_id: made.metadata?.payment_intent ?? '', amount, currency: currency.toUpperCase(), created },
  };
}

/** A movement as the table has it. `booked`: a member of the list that is about Stripe's books. */
export type MovementRow = Omit<Movement, 'kind'> & {
  kind: Movement['kind'] | 'booked';
  booked: Record<string, unknown> | null;
};

/** Adds movements of an account to the list, in this order. Those that are in it stay where they are. */
export async function recordMovements(db: Db, place: For, movements: Movement[]): Promise<void> {
  await insertMovements(
    db,
    place,
    movements.map((each) => ({ ...each, booked: null })),
  );
}

/** Adds to the list what Stripe's books have, in this order, each once. What is in it stays where it is. */
export async function recordBooked(db: Db, place: For, booked: readonly Booked[]): Promise<void> {
  const each = new Map(booked.map((one) => [one.listedAs, one]));
  const rows = [...each.values()].map(({ listedAs, created, member }): MovementRow => {
    const { amount, currency } = member as { amount: number; currency: string };
    const none = { idempotency_key: '', reference: null, payment_intent_id: '' };
    return { kind: 'booked', stripe_id: listedAs, ...none, amount, currency, created, booked: member };
  });
  await insertMovements(db, place, rows);
}

async function insertMovements(db: Db, { account, livemode }: For, movements: MovementRow[]): Promise<void> {
  if (movements.length === 0) return;
  await atomically(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(${numbering})`;
    const known = await tx<{ stripe_id: string }[]>`
      select stripe_id from processor_stripe.movements
      where account = ${account} and livemode = ${livemode} and stripe_id in ${tx(movements.map((each) => each.stripe_id))}`;
    const isKnown = new Set(known.map(({ stripe_id }) => stripe_id));
    const fresh = movements.filter(({ stripe_id }) => !isKnown.has(stripe_id));
    if (fresh.length === 0) return;
    const [last] = await tx<{ serial: number }[]>`
      select coalesce(max(serial), 0) as serial from processor_stripe.movements`;
    const first = (last?.serial ?? 0) + 1;
    const rows = fresh.map((each, index) => {
      return { serial: first + index, account, livemode, ...each, booked: jsonb(tx, each.booked) };
    });
    await tx`insert into processor_stripe.movements ${tx(rows)}`;
  });
}
