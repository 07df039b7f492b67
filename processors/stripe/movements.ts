// What was taken and given back, and what Stripe's books have of it, in one list for all accounts of a mode. Stripe's
// lists are newest first, in whole seconds, and one for each account. So they are read with some overlap into a table,
// whose order never changes.
import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import type { Logger } from '../../src/platform/logger.ts';
import type { Db, Pool } from '../../src/platform/postgres/connection.ts';
import { type Account, listAccounts, type StripeAccounts } from './accounts.ts';
import { readBalance } from './balance.ts';
import {
  chargeMovement,
  type Movement,
  type MovementRow,
  overlapSeconds,
  recordMovements,
  refundMovement,
} from './movement-list.ts';
import type { Answer, For, MovementsBody } from './protocol.ts';
import { inWords } from './stripe-errors.ts';

/** Movements in one answer. */
const pageSize = 500;
/** The service waits ten seconds for a list. */
const mostReadingMs = 6_000;
export interface Sources {
  db: Pool;
  accounts: StripeAccounts;
  logger: Logger;
}

/** Answers `/movements`. */
export type ReadMovements = (body: MovementsBody) => Promise<Answer>;

/**
 * Opens the list. It returns what was taken and given back after a cursor; without one, nothing, and where the list
 * ends now.
 */
export function openMovements(sources: Sources): ReadMovements {
  const { db } = sources;
  const underWay: UnderWay = new Map();
  return async ({ livemode, after }) => {
    await readLists(sources, underWay, livemode);
    const from = await positionOf(db, livemode, after);
    const page = await db<(MovementRow & { account: string; cursor: string })[]>`
      select *, ${cursorIn(db)} as cursor from processor_stripe.movements where livemode = ${livemode} and serial > ${from}
      order by serial limit ${pageSize + 1}`;
    const shown = page.slice(0, pageSize);
    const last = shown.at(-1);
    return {
      status: 200,
      body: {
        movements: shown.map(({ booked, kind, account, idempotency_key, reference, payment_intent_id, ...money }) => {
          const { amount, currency } = money;
          return booked ?? { kind, account, idempotency_key, reference, payment_intent_id, amount, currency };
        }),
        cursor: last?.cursor ?? after ?? (await cursorAt(db, from)),
        has_more: page.length > pageSize,
      },
    };
  };
}

/** A cursor is the number of a movement, Stripe's time of it, and when it was recorded, in microseconds since 1970. */
function cursorIn(db: Db) {
  return db`serial || '.' || created || '.' || (extract(epoch from recorded_at) * 1000000)::bigint`;
}

async function cursorAt(db: Db, serial: number): Promise<string> {
  const [row] = await db<{ cursor: string }[]>`
    select ${cursorIn(db)} as cursor from processor_stripe.movements where serial = ${serial}`;
  return row?.cursor ?? '0.0.';
}

/**
 * The number after which a cursor goes on. If this database was restored from a back-up, the number may be gone, or
 * movements were numbered anew: then the list goes on at Stripe's time of it, with the overlap.
 */
async function positionOf(db: Db, livemode: boolean, cursor: string | null): Promise<number> {
  if (cursor === null) {
    const [end] = await db<{ serial: number }[]>`
      select coalesce(max(serial), 0) as serial from processor_stripe.movements`;
    return end?.serial ?? 0;
  }
  const [, serial = '0', created = '0'] = /^(\d{1,15})\.(\d{1,15})\.\d*$/.exec(cursor) ?? [];
  if ((await cursorAt(db, Number(serial))) === cursor) return Number(serial);
  const [row] = await db<{ serial: number }[]>`
    select coalesce(min(serial), 1) - 1 as serial from processor_stripe.movements
    where livemode = ${livemode} and created >= ${Number(created) - overlapSeconds}`;
  return row?.serial ?? 0;
}

/** The readings of accounts that go on, by account and mode. Each ends with what went wrong, or null. */
type UnderWay = Map<string, Promise<unknown>>;

/**
 * Reads Stripe's lists of all accounts of a mode, side by side. An account that Stripe refuses, or that does not
 * respond in time, holds up no other: what it has done comes in a later answer. Its reading goes on, and is the only
 * one.
 * @throws what the first account has thrown, if all of them have.
 */
async function readLists(sources: Sources, underWay: UnderWay, livemode: boolean): Promise<void> {
  const { db } = sources;
  const inMode = (await listAccounts(db)).filter((each) => each.livemode === livemode && each.status !== 'disabled');
  const readings = inMode.map((place) => {
    const name = `${place.account} ${livemode}`;
    const reading = underWay.get(name) ?? readAccountLists(sources, place).finally(() => underWay.delete(name));
    underWay.set(name, reading);
    return reading;
  });
  const late = new AbortController();
  const limit = pause(mostReadingMs, null, { signal: late.signal }).catch(() => null);
  const ended = await Promise.race([Promise.all(readings), limit]);
  late.abort();
  const failures = ended?.filter((each) => each !== null) ?? [];
  if (failures.length > 0 && failures.length === inMode.length) throw failures[0];
}

/** Reads both lists of an account. Returns what went wrong, or null. */
async function readAccountLists(sources: Sources, place: Account): Promise<unknown> {
  const { db, accounts, logger } = sources;
  const { account, livemode } = place;
  try {
    const stripe = await accounts.clientOf(place);
    await readList(db, place, 'charges', (gte) => chargesFrom(stripe, place, gte));
    await readList(db, place, 'refunds', (gte) => refundsFrom(stripe, place, gte));
    await accounts.noteHealth(place, null);
    await readBooks(sources, stripe, place);
    return null;
  } catch (error) {
    const what = error instanceof Stripe.errors.StripeError ? { why: inWords(error) } : { err: error };
    logger.error({ ...what, account, livemode }, 'the movements of an account were not read');
    await accounts.noteHealth(place, error).catch(() => {});
    return error;
  }
}

/**
 * Reads Stripe's books of an account. Without them, charges and refunds are listed all the same; a key that may not
 * read them is no reason to call the account degraded.
 */
async function readBooks({ db, logger }: Sources, stripe: Stripe, place: Account): Promise<void> {
  const { account, livemode } = place;
  try {
    await readBalance(db, stripe, place);
  } catch (error) {
    const what = error instanceof Stripe.errors.StripeError ? { why: inWords(error) } : { err: error };
    logger.warn({ ...what, account, livemode }, 'the books of an account were not read');
  }
}

/** Reads one list from where it was read to, and records what is ours. */
async function readList(
  db: Pool,
  place: For & { created_at: Date },
  list: 'charges' | 'refunds',
  read: (gte: number) => Promise<{ ours: Movement[]; newest: number }>,
): Promise<void> {
  const { account, livemode } = place;
  const [cursor] = await db<{ read_to: number }[]>`
    select read_to from processor_stripe.cursors
    where account = ${account} and livemode = ${livemode} and list = ${list}`;
  const readTo = cursor?.read_to ?? Math.floor(place.created_at.getTime() / 1000);
  const { ours, newest } = await read(readTo - overlapSeconds);
  await recordMovements(
    db,
    place,
    ours.sort((one, other) => one.created - other.created),
  );
  await db`
    insert into processor_stripe.cursors (account, livemode, list, read_to)
    values (${account}, ${livemode}, ${list}, ${Math.max(readTo, newest)})
    on conflict (account, livemode, list) do update set read_to = greatest(cursors.read_to, excluded.read_to)`;
}

/** The charges that the service has asked for. A Stripe account may have others, and may be another biller's too. */
async function chargesFrom(stripe: Stripe, { account }: For, gte: number) {
  const ours: Movement[] = [];
  let newest = 0;
  for await (const charge of stripe.charges.list({ created: { gte }, limit: 100 })) {
    newest = Math.max(newest, charge.created);
    const { attempt, biller, payment_intent: paymentIntentId = '' } = charge.metadata;
    const { payment_intent: intent } = charge;
    const reference = typeof intent === 'string' ? intent : (intent?.id ?? null);
    if (attempt === undefined || biller !== account || reference === null || charge.status === 'failed') continue;
    ours.push(chargeMovement(charge, { idempotency_key: attempt, reference, payment_intent_id: paymentIntentId }));
  }
  return { ours, newest };
}

async function refundsFrom(stripe: Stripe, { account }: For, gte: number) {
  const ours: Movement[] = [];
  let newest = 0;
  for await (const made of stripe.refunds.list({ created: { gte }, limit: 100 })) {
    newest = Math.max(newest, made.created);
    const key = made.metadata?.refund;
    const { payment_intent: intent } = made;
    const reference = typeof intent === 'string' ? intent : (intent?.id ?? null);
    const isOurs = key !== undefined && made.metadata?.biller === account;
    if (isOurs && made.status === 'succeeded') ours.push(refundMovement(made, { key, reference }));
  }
  return { ours, newest };
}
