import { selectBiller } from '../../db/billers.ts';
import { insertLedgerTransactions, type LedgerTransactionRow, lockPosition } from '../../db/ledger.ts';
import { endPayout, type PayoutRow } from '../../db/payouts.ts';
import {
  type EntryToPost,
  insertPostedEntries,
  insertProcessorPayout,
  listEntriesToPost,
  listPayoutsTold,
  listPayoutsToReconcile,
  listPostedEntries,
  listTenantsToPost,
  lockProcessorPayout,
  type PostedEntryRow,
  reconcilePayout,
  removePayoutTold,
} from '../../db/processor-books.ts';
import type { TenantKey } from '../../db/tenant.ts';
import { dateIn, startOfDay } from '../../domain/calendar.ts';
import { derivedId, newId } from '../../domain/ids.ts';
import { withoutClock } from '../../domain/instants.ts';
import type { ProcessorPayout } from '../../domain/ledger/processor-entries.ts';
import { postingsOfEntry } from '../../domain/ledger/processor-entries.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { pass } from '../crash-points.ts';
import { payoutEvent, record, transact } from '../events.ts';

// The books of live mode, as far as only the processor knows them: what a payment cost and when it is available, fees
// and adjustments, and payouts. What it has said is kept (`processor_entries`), and posted beside the events.

/** Rises with each change of what an entry posts. */
const ruleVersion = 1;

/** How many entries one transaction posts. */
const entriesAtOnce = 500;

/**
 * Records the payouts that the live processor has told, posts what it has said of its books as far as the payments are
 * in the ledger, and completes the payouts whose items are then known. Any number of processes may call it.
 * @param now by the database's clock.
 * @throws AggregateError with the errors of the billers whose books cannot be posted. They do not hold up the others.
 */
export async function postProcessorBooks(sql: Pool, now: RealInstant): Promise<void> {
  const failures: unknown[] = [];
  for (const { id, told } of await listPayoutsTold(sql)) {
    await transact(sql, { requestId: null, now }, async (tx) => {
      if (await removePayoutTold(tx, id)) await recordPayout(tx, told, now);
    }).catch((error: unknown) => failures.push(error));
  }
  for (const tenant of await listTenantsToPost(sql)) {
    await postEntries(sql, tenant).catch((error: unknown) => failures.push(error));
  }
  const at = withoutClock(now);
  for (const id of await listPayoutsToReconcile(sql)) {
    await transact(sql, { requestId: null, now }, async (tx) => {
      const payout = await reconcilePayout(tx, id, at);
      if (payout !== null) record(tx, payoutEvent('payout.reconciled', payout, at));
    }).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the books of the live processor could not be posted');
}

async function postEntries(sql: Pool, tenant: TenantKey): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after;
    after = await atomically(sql, async (tx) => {
      const sequence = Math.max(1, await lockPosition(tx, tenant));
      const entries = await listEntriesToPost(tx, tenant, { after: from, limit: entriesAtOnce });
      const next = entries.length < entriesAtOnce ? null : (entries.at(-1)?.id ?? null);
      const ready = entries.filter(({ waits }) => !waits);
      if (ready.length === 0) return next;
      const posted = ready.map((entry) => transactionsOfEntry(tenant, entry, sequence));
      await insertTransactions(
        tx,
        tenant,
        posted.flatMap(({ transactions }) => transactions),
      );
      await insertPostedEntries(
        tx,
        tenant,
        posted.map(({ row }) => row),
      );
      return next;
    });
    pass('processor entries posted');
  }
}

/** Posts again what entries of the processor have posted, where the ledger has lost it. */
export async function repostEntries(tx: Tx, tenant: TenantKey): Promise<void> {
  for (let after = 0; ; ) {
    const entries = await listPostedEntries(tx, tenant, after, entriesAtOnce);
    const last = entries.at(-1);
    if (last === undefined) return;
    const posted = entries.map((entry) => transactionsOfEntry(tenant, entry, entry.sequence));
    await insertTransactions(
      tx,
      tenant,
      posted.flatMap(({ transactions }) => transactions),
    );
    after = last.id;
  }
}

async function insertTransactions(tx: Tx, tenant: TenantKey, transactions: LedgerTransactionRow[]): Promise<void> {
  if (transactions.length > 0) await insertLedgerTransactions(tx, tenant, transactions);
}

/** Returns what an entry posts, and which transaction it is in: that of an event, or its own. */
function transactionsOfEntry(
  { billerId }: TenantKey,
  entry: EntryToPost,
  sequence: number,
): { transactions: LedgerTransactionRow[]; row: PostedEntryRow } {
  const { id: number, fee, currency, available_on, transaction_id: known } = entry;
  const own = known === null;
  const id = known ?? derivedId('balance_transaction', billerId, `entry.${number}`);
  const transactions = postingsOfEntry(entry, { isPosted: !own, isKnown: entry.payment_intent_id !== null }).map(
    ({ kind, entries }): LedgerTransactionRow => ({
      id: own ? id : derivedId('balance_transaction', id, kind),
      ...{ test_clock_id: null, kind, currency, entries, sequence, available_on },
      source_id: entry.transaction_source ?? entry.payment_intent_id ?? id,
      payment_intent_id: entry.payment_intent_id,
      customer_id: entry.customer_id,
      source_key: `entry.${number}.${kind}`,
      rule_version: ruleVersion,
      occurred_at: entry.transaction_at ?? entry.occurred_at,
      payable_at: null,
    }),
  );
  const told = own ? { fee: 0, available_on: null } : { fee, available_on };
  return { transactions, row: { entry: number, transaction_id: id, own, sequence, ...told } };
}

/**
 * Records the state of a payout that the live processor has told, with its events. What it has told before changes
 * nothing, and a payout that has ended is not in transit again.
 */
async function recordPayout(tx: Tx, told: ProcessorPayout, now: RealInstant): Promise<void> {
  const timeZone = (await selectBiller(tx, told.billerId))?.time_zone ?? 'UTC';
  const payout = (await lockProcessorPayout(tx, told)) ?? (await openPayout(tx, told, timeZone));
  if (told.status === 'in_transit' || payout.status === told.status || payout.status === 'failed') return;
  const end = { status: told.status, failure_code: told.failureCode, ended_at: withoutClock(now) };
  const ended = await endPayout(tx, payout.id, end);
  record(tx, payoutEvent(told.status === 'paid' ? 'payout.paid' : 'payout.failed', ended, end.ended_at));
}

async function openPayout(tx: Tx, told: ProcessorPayout, timeZone: string): Promise<PayoutRow> {
  const madeOn = dateIn(told.at, timeZone);
  const arrivesOn = told.arrivesOn < madeOn ? madeOn : told.arrivesOn;
  const payout = await insertProcessorPayout(tx, told, {
    id: newId('payout'),
    paid_out_on: madeOn,
    arrives_on: arrivesOn,
    arrives_at: startOfDay(arrivesOn, timeZone),
    created_at: told.at,
  });
  record(tx, payoutEvent('payout.created', payout, told.at));
  return payout;
}
