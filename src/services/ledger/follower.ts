import { selectBiller } from '../../db/billers.ts';
import {
  type FollowedEventRow,
  insertLedgerTransactions,
  type LedgerTransactionRow,
  listFollowedEvents,
  listLedgersBehind,
  listPosted,
  lockExistingClocks,
  lockPosition,
  noteStopped,
  selectPosition,
  updatePosition,
} from '../../db/ledger.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { TestClockRow } from '../../db/test-clocks.ts';
import { dateIn, type PlainDate, startOfDay } from '../../domain/calendar.ts';
import type { Currency } from '../../domain/currencies.ts';
import { derivedId } from '../../domain/ids.ts';
import { type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import { availableOn } from '../../domain/ledger/available-on.ts';
import { payoutDayAfter } from '../../domain/ledger/payout-days.ts';
import {
  moneyEventTypes,
  type PostedEventType,
  postingsOf,
  type TransactionKind,
} from '../../domain/ledger/postings.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Pool, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically, isOutage } from '../../platform/postgres/transaction.ts';
import type { RecordedEvent } from '../events.ts';
import type { Tenant } from '../request-context.ts';

/** Rises with each change of what an event posts. A transaction keeps the version that posted it. */
const ruleVersion = 2;

/** How many events one transaction posts. */
const eventsAtOnce = 500;

/**
 * Posts the events of all billers that are not in the ledger yet, in their order. Any number of processes may call it:
 * one at a time posts for a biller and mode. A biller whose events cannot be posted does not hold up the others.
 * @throws AggregateError with the errors of those billers.
 */
export async function followLedgers(sql: Pool, closing: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const tenant of await listLedgersBehind(sql)) {
    if (closing.aborted) return;
    await postEvents(sql, tenant, closing).catch(async (error: unknown) => {
      failures.push(error);
      await noteWhyStopped(sql, tenant, error);
    });
  }
  if (failures.length > 0) throw new AggregateError(failures, 'events could not be posted to the ledger');
}

/**
 * Posts the events of a biller and mode up to the last one that is committed now. Each transaction posts at most 500
 * and moves the position with them, so a process that dies loses nothing and posts nothing twice.
 * @throws Error, which names the event, if an event cannot be posted. The ledger waits in front of it.
 */
export async function postEvents(db: Writer, tenant: Tenant, closing?: AbortSignal): Promise<void> {
  const { last, posted } = await selectPosition(db, tenant);
  for (let position = posted; position < last && closing?.aborted !== true; ) {
    position = await atomically(db, (tx) => postNext(tx, tenant));
  }
}

/**
 * As `postEvents`, for those who go on without the ledger when an event cannot be posted. `ops stuck` then names it,
 * and the ledger goes on once it can be posted.
 * @throws when PostgreSQL is not reachable.
 */
export async function postUnlessStopped(db: Writer, tenant: Tenant): Promise<void> {
  try {
    await postEvents(db, tenant);
  } catch (error) {
    if (isOutage(error)) throw error;
    await noteWhyStopped(db, tenant, error);
  }
}

/** Without PostgreSQL, nothing is wrong with the event. */
async function noteWhyStopped(db: Db, tenant: Tenant, error: unknown): Promise<void> {
  if (!isOutage(error)) await noteStopped(db, tenant, error instanceof Error ? error.message : String(error));
}

/** Posts the events of a test clock that are not posted yet, in a dry run: its position is that of all clocks. */
export async function postInDryRun(tx: Tx, clock: TestClockRow): Promise<void> {
  const tenant = tenantOf(clock);
  const { posted } = await selectPosition(tx, tenant);
  const events = await listFollowedEvents(tx, tenant, posted, { limit: null, testClockId: clock.id });
  await insertPosted(tx, tenant, events, Number.MAX_SAFE_INTEGER);
}

/**
 * Posts events that a dry run has recorded and that nobody writes, in its transaction: they come after all that are
 * posted. What is in flight is known from the rows of the same dry run.
 */
export async function postRecorded(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
  const [first] = events;
  if (first === undefined) return;
  const { last } = await selectPosition(tx, first);
  const followed = events.map((event, index) => followedOf(event, last + index + 1));
  await insertPosted(tx, first, followed, Number.MAX_SAFE_INTEGER);
}

/** Adds what events post to the ledger; `position` is that of the ledger before them. */
async function insertPosted(tx: Tx, tenant: Tenant, events: FollowedEventRow[], position: number): Promise<void> {
  const posting = events.filter(isPosted);
  if (posting.length === 0) return;
  await insertLedgerTransactions(tx, tenant, await transactionsOf(tx, tenant, posting, position));
}

/** Returns an event as `listFollowedEvents` does once it is written. */
function followedOf(event: RecordedEvent, sequence: number): FollowedEventRow {
  const isOf = (kind: 'payment_intent' | 'subscription') => event.type.startsWith(`${kind}.`);
  const data = event.data as Partial<Record<'payment_intent_id' | 'dispute_id', string>> &
    Partial<Record<'total_amount' | 'amount' | 'credit_balance_cents' | 'fee_amount', MinorUnits>> & {
      currency?: Currency;
    };
  const posted = isOf('subscription') ? 'subscription' : moneyEventTypes.find((known) => known === event.type);
  const type = data.dispute_id === undefined ? posted : undefined;
  return {
    id: event.id,
    sequence,
    type: type ?? null,
    test_clock_id: event.testClockId,
    customer_id: event.customerId,
    subject_id: event.subjectId,
    occurred_at: customerInstant(event.at.getTime()),
    payment_intent_id: data.payment_intent_id ?? (isOf('payment_intent') ? event.subjectId : null),
    currency: data.currency ?? null,
    amount: data.total_amount ?? data.amount ?? data.credit_balance_cents ?? null,
    fee: data.fee_amount ?? 0,
  };
}

/** Posts the next events after the position. Returns the new position. */
async function postNext(tx: Tx, tenant: Tenant): Promise<number> {
  const position = await lockPosition(tx, tenant);
  const events = await listFollowedEvents(tx, tenant, position, { limit: eventsAtOnce });
  const last = events.at(-1);
  if (last === undefined) return position;
  await insertPosted(tx, tenant, events, position);
  await updatePosition(tx, tenant, last.sequence);
  return last.sequence;
}

type PostedEventRow = FollowedEventRow & { type: PostedEventType };

function isPosted(event: FollowedEventRow): event is PostedEventRow {
  return event.type !== null;
}

/** Returns what events post. Those of a test clock that was deleted post nothing. */
async function transactionsOf(
  tx: Tx,
  tenant: Tenant,
  events: PostedEventRow[],
  position: number,
): Promise<LedgerTransactionRow[]> {
  const clockIds = events.flatMap(({ test_clock_id: id }) => (id === null ? [] : [id]));
  const clocks = clockIds.length === 0 ? new Set() : await lockExistingClocks(tx, clockIds);
  const posted = await postedAt(tx, events, position);
  const timeZone = (await selectBiller(tx, tenant.billerId))?.time_zone ?? 'UTC';
  return events
    .filter(({ test_clock_id: clock }) => clock === null || clocks.has(clock))
    .flatMap((event) => transactionsOfEvent(tenant, event, posted, timeZone));
}

/** What the ledger has at a position of the payments and subscriptions that events are about: see `listPosted`. */
async function postedAt(db: Db, events: PostedEventRow[], position: number): Promise<Map<string, MinorUnits>> {
  const ids = (isOne: (event: PostedEventRow) => boolean) => events.filter(isOne).flatMap((e) => subjectOf(e) ?? []);
  const ofSubscription = ({ type }: PostedEventRow) => type === 'subscription';
  const subscriptionIds = ids(ofSubscription);
  const paymentIntentIds = ids((event) => !ofSubscription(event));
  const rows = await listPosted(db, { paymentIntentIds, subscriptionIds }, position);
  return new Map(rows.map(({ id, amount }) => [id, amount]));
}

/** The payment or the subscription, of which what is posted depends on what was posted before. Null for a payout. */
function subjectOf({ type, subject_id, payment_intent_id }: PostedEventRow): string | null {
  return type === 'subscription' ? subject_id : payment_intent_id;
}

/** Returns what an event posts, and keeps `posted` up to date for the events after it. */
function transactionsOfEvent(
  tenant: Tenant,
  event: PostedEventRow,
  posted: Map<string, MinorUnits>,
  timeZone: string,
): LedgerTransactionRow[] {
  const { id, type, amount, fee, currency, payment_intent_id: paymentId, occurred_at: at } = event;
  if (amount === null || fee === null || currency === null) {
    throw new Error(`event ${id} (${type}) does not say what it moves: it cannot be posted to the ledger`);
  }
  // The fee of live mode is the processor's own: `processor-books.ts` posts what it says.
  const moved = { type, amount, fee: tenant.livemode ? 0 : fee };
  const subject = subjectOf(event);
  const before = subject === null ? 0 : (posted.get(subject) ?? 0);
  const postings = postingsOf(moved, before);
  const after = postings
    .flatMap(({ entries }) => entries)
    .reduce((sum, entry) => {
      if (entry.account === 'in_flight') return sum + entry.amount;
      return entry.account === 'credit' ? sum - entry.amount : sum;
    }, before);
  if (subject !== null) posted.set(subject, after);
  return postings.map(({ kind, entries }) => {
    const sourceKey = `${id}.${kind}`;
    const date = dateIn(at, timeZone);
    const isUndated = kind === 'credit' || (tenant.livemode && payableKinds.includes(kind));
    const availableFrom = isUndated ? null : dateOf(kind, date, currency);
    return {
      id: derivedId('balance_transaction', id, kind),
      test_clock_id: event.test_clock_id,
      kind,
      currency,
      source_id: event.subject_id,
      payment_intent_id: paymentId,
      customer_id: event.customer_id,
      source_key: sourceKey,
      rule_version: ruleVersion,
      sequence: event.sequence,
      available_on: availableFrom,
      occurred_at: at,
      payable_at: availableFrom === null ? null : payableAt(kind, { date, availableFrom, currency, timeZone }),
      entries,
    };
  });
}

/** Rows that a payout pays. Its own rows are not among them, and what is in flight is none yet. */
const payableKinds: readonly TransactionKind[] = [
  'payment',
  'refund',
  'return',
  'adjustment',
  'dispute',
  'dispute_reversal',
];

/**
 * When the sandbox may pay a row out: what a payment has collected when it is available, everything else on the first
 * business day after it. So a payout at an instant is made of what was before it. Null for rows that no payout pays.
 */
function payableAt(
  kind: TransactionKind,
  {
    date,
    availableFrom,
    currency,
    timeZone,
  }: { date: PlainDate; availableFrom: PlainDate; currency: string; timeZone: string },
): CustomerInstant | null {
  if (!payableKinds.includes(kind)) return null;
  return startOfDay(kind === 'payment' ? availableFrom : payoutDayAfter(date, currency), timeZone);
}

/** What a payment collected is available later; what leaves is taken from what is available at once. */
function dateOf(kind: TransactionKind, date: PlainDate, currency: string): PlainDate {
  return kind === 'payment' ? availableOn(date, currency) : date;
}
