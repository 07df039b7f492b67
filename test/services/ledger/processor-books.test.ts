import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { resetPositions } from '../../../src/db/ledger.ts';
import { listPayoutsToReconcile } from '../../../src/db/processor-books.ts';
import { customerInstant } from '../../../src/domain/instants.ts';
import type { ProcessorEntry, ProcessorPayout } from '../../../src/domain/ledger/processor-entries.ts';
import { findViolations } from '../../../src/operations/invariants/invariants.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import { followLedgers } from '../../../src/services/ledger/follower.ts';
import { postProcessorBooks } from '../../../src/services/ledger/processor-books.ts';
import { rebuildLedgers } from '../../../src/services/ledger/rebuild.ts';
import { sendChecked } from '../../support/api.ts';
import { makeBiller, makeKey } from '../../support/factories.ts';
import { createMerchant } from '../../support/merchant.ts';
import { useRestorable } from '../../support/restored.ts';
import { stuckBySubject } from '../../support/stuck.ts';

describe('the books of the live processor', function () {
  this.timeout(60_000);
  const here = useRestorable();
  const { service } = here;
  const open = new AbortController().signal;
  let merchant: Awaited<ReturnType<typeof liveMerchant>>;
  let serial = 0;
  const newId = (kind: string) => `${kind}_${++serial}`;

  beforeEach('be another biller', async () => {
    merchant = await liveMerchant();
  });
  async function liveMerchant() {
    const { id } = await makeBiller(service.db.sql, {});
    const { key } = await makeKey(service.db.sql, { billerId: id, livemode: true });
    return { ...(await createMerchant(service.url, key, 'live')), biller: { id } };
  }

  /** A live payment of 10.18 that has succeeded, with the processor's reference of it. */
  async function paid() {
    const payer = await merchant.customer();
    const card = await merchant.card(payer.id);
    const { id } = await merchant.intent({ amount: 1018, customer_id: payer.id, payment_method: card });
    const confirmed = await send('POST', `/payment_intents/${id}/confirm`, {});
    assert.equal(confirmed.status, 'succeeded');
    const [row] = await service.db.sql<[{ reference: string; attempt: string }]>`
      select r.reference, a.id as attempt from payment_attempts a join payment_reservations r on r.attempt_id = a.id
      where a.payment_intent_id = ${id}`;
    return { id, refund: (amount: number) => send('POST', `/payment_intents/${id}/refunds`, { amount }), ...row };
  }
  async function send(method: string, path: string, body?: object) {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const url = `${service.url}/api/v1${path}`;
    const with_ = body === undefined ? { key: merchant.key } : { key: merchant.key, body, headers };
    return (await sendChecked(url, method, with_)).body;
  }

  const at = customerInstant(Date.now());
  const entry = (of: Partial<ProcessorEntry>): ProcessorEntry => ({
    ...{ kind: 'settlement', id: newId('bt'), billerId: merchant.biller.id, idempotencyKey: null, reference: null },
    ...{ amount: 0, fee: 0, currency: 'AUD', availableOn: '2027-01-14', at, description: null, payout: null, ...of },
  });
  const settlement = (payment: { reference: string; attempt: string }, of: Partial<ProcessorEntry> = {}) =>
    entry({ idempotencyKey: payment.attempt, reference: payment.reference, amount: 1018, fee: 47, ...of });
  const payout = (of: Partial<ProcessorPayout>): ProcessorPayout => ({
    ...{ id: newId('po'), billerId: merchant.biller.id, amount: 971, currency: 'AUD', status: 'in_transit' },
    ...{ failureCode: null, arrivesOn: '2040-01-14', at, ...of },
  });

  /** What every worker does, after the processor has told this. */
  async function tell(entries: ProcessorEntry[], payouts: ProcessorPayout[] = []) {
    const { cursor } = await here.processor.movements(null);
    await here.compare({
      movements: async () => ({ movements: [], cursor, hasMore: false, entries, payouts }),
    });
    await post();
  }
  async function post() {
    await followLedgers(service.db.sql, open);
    await postProcessorBooks(service.db.sql, realNow());
    await followLedgers(service.db.sql, open);
  }
  const rows = async (query = '') => {
    const { data } = await send('GET', `/balance_transactions${query}`);
    return data.map((row: Record<string, unknown>) => {
      const { type, gross, fee, net, available_on: from } = row;
      return [type, gross, fee, net, from];
    });
  };
  const dump = async () => ({
    transactions: [
      ...(await service.db.sql`
        select *, null as recorded_at from ledger_transactions where biller_id = ${merchant.biller.id} order by id`),
    ],
    entries: [
      ...(await service.db.sql`
        select e.* from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
        where t.biller_id = ${merchant.biller.id} order by transaction_id, account`),
    ],
    balances: [
      ...(await service.db.sql`
        select *, null as number from ledger_balances where biller_id = ${merchant.biller.id} and amount <> 0
        order by currency, account, available_on`),
    ],
  });

  it('give a payment its fee and its date, whichever is known first', async () => {
    const payment = await paid();
    await followLedgers(service.db.sql, open);
    assert.deepEqual(await rows(), [['payment', 1018, 0, 1018, null]]);
    const told = settlement(payment);
    await tell([told]);
    await tell([told, { ...told, fee: 1 }]);
    assert.deepEqual(await rows(), [['payment', 1018, 47, 971, '2027-01-14']]);
    const { data } = await send('GET', '/balance');
    assert.deepEqual([data[0].pending, data[0].available], [971, 0]);

    const later = await paid();
    const early = settlement(later, { fee: 30, availableOn: '2020-01-14' });
    // The ledger has not posted the payment yet.
    await here.compare({
      movements: async (after) => ({ ...(await here.processor.movements(after)), entries: [early], payouts: [] }),
    });
    await postProcessorBooks(service.db.sql, realNow());
    assert.equal((await rows()).length, 1);
    await post();
    assert.deepEqual(await rows(), [
      ['payment', 1018, 30, 988, '2020-01-14'],
      ['payment', 1018, 47, 971, '2027-01-14'],
    ]);
    const balance = (await send('GET', '/balance')).data[0];
    assert.deepEqual([balance.pending, balance.available], [971, 988]);
  });

  it('have a refund, a fee for no payment, and what nobody knows, which operators are shown', async () => {
    const payment = await paid();
    const refund = await payment.refund(400);
    await tell([
      settlement(payment),
      entry({ idempotencyKey: refund.id, reference: payment.reference, amount: -400, fee: 0 }),
      entry({ kind: 'fee', fee: 250, description: 'Radar' }),
      entry({ kind: 'dispute', reference: payment.reference, amount: -618, fee: 2500 }),
      entry({ kind: 'adjustment', amount: 90, description: '=cmd' }),
    ]);
    assert.deepEqual((await rows()).sort(), [
      ['adjustment', -618, 2500, -3118, '2027-01-14'],
      ['adjustment', 0, 250, -250, '2027-01-14'],
      ['adjustment', 90, 0, 90, '2027-01-14'],
      ['payment', 1018, 47, 971, '2027-01-14'],
      ['refund', -400, 0, -400, '2027-01-14'],
    ]);
    const { movements_unexplained: found } = await stuckBySubject(service.db.sql, merchant.biller.id);
    assert.match(
      found?.why ?? '',
      /have 1 movements, 0.90 AUD in all, that only the processor knows, such as bt_\d+ \(=cmd\)/,
    );
    const { settlement_waiting: waiting } = await stuckBySubject(service.db.sql, merchant.biller.id);
    assert.equal(waiting, undefined);
  });

  it('pay out what the processor says, with its events, and reconcile it when the items add up', async () => {
    const [first, second] = [await paid(), await paid()];
    const made = payout({ amount: 1942 });
    await tell([settlement(first, { payout: made.id })], [made]);
    const [shown] = (await send('GET', '/payouts')).data;
    assert.deepEqual([shown.amount, shown.status, shown.reconciliation_status], [1942, 'in_transit', 'in_progress']);
    assert.deepEqual(await listPayoutsToReconcile(service.db.sql), [], 'it is not looked at before something comes');
    await tell([settlement(second, { payout: made.id })], [{ ...made, status: 'paid' }]);
    const [ended] = (await send('GET', '/payouts')).data;
    assert.deepEqual([ended.id, ended.status, ended.reconciliation_status], [shown.id, 'paid', 'completed']);
    // What is told again, or too late, changes nothing.
    await tell([], [made, { ...made, status: 'paid' }]);
    const types = await service.db.sql<{ type: string }[]>`
      select event_type as type from events where subject_id = ${shown.id} order by sequence`;
    assert.deepEqual(
      types.map(({ type }) => type),
      ['payout.created', 'payout.paid', 'payout.reconciled'],
    );
    const items = (await send('GET', `/payouts/${shown.id}/items`)).data;
    assert.deepEqual(
      items.map((item: { net: number }) => item.net),
      [971, 971],
    );
    const [sum] = await service.db.sql`
      select sum(e.amount) as left from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
      where t.biller_id = ${merchant.biller.id} and e.account = 'processor'`;
    assert.equal(Number(sum?.left), 0, 'the clearing account is empty after the payout');
  });

  it('have the money of a payout that the bank has refused again, and the next payout has it', async () => {
    const failed = payout({});
    await tell([settlement(await paid(), { payout: failed.id })], [{ ...failed, status: 'paid' }]);
    const next = payout({});
    await tell([], [{ ...failed, status: 'failed', failureCode: 'account_closed' }]);
    const back = entry({ kind: 'payout_failure', reference: failed.id, amount: 971, payout: next.id });
    await tell([back], [{ ...next, status: 'paid' }]);
    const shown = (await send('GET', '/payouts')).data.map((each: Record<string, unknown>) => [
      ...[each.status, each.failure_code, each.reconciliation_status],
    ]);
    assert.deepEqual(shown, [
      ['paid', null, 'completed'],
      ['failed', 'account_closed', 'completed'],
    ]);
    assert.deepEqual((await rows()).map(([type]: string[]) => type).sort(), [
      'payment',
      'payout',
      'payout',
      'payout_failure',
    ]);
  });

  it('are of nobody if the account is no biller or the payment another biller’s', async () => {
    const payment = await paid();
    const other = await liveMerchant();
    await tell(
      [settlement(payment, { billerId: other.biller.id }), settlement(payment, { billerId: 'acct_nobody' })],
      [payout({ billerId: 'acct_nobody' })],
    );
    assert.deepEqual(await rows(), [['payment', 1018, 0, 1018, null]]);
    const posted = await service.db.sql`select from ledger_transactions where biller_id = ${other.biller.id}`;
    assert.equal(posted.length, 0);
    await service.db.sql`delete from entries_to_post where biller_id = ${other.biller.id}`;
    await service.db.sql.unsafe(`alter table processor_entries disable trigger processor_entries_only_grow`);
    await service.db.sql`delete from processor_entries where biller_id = ${other.biller.id}`;
    await service.db.sql.unsafe(`alter table processor_entries enable always trigger processor_entries_only_grow`);
  });

  it('are the same under the same ids when the ledger is made again', async () => {
    const made = payout({});
    const payment = await paid();
    await tell([settlement(payment, { payout: made.id }), entry({ kind: 'fee', fee: 25 })], [made]);
    const before = await dump();
    await service.db.sql.unsafe(`
      alter table ledger_transactions disable trigger ledger_transactions_kept;
      alter table ledger_entries disable trigger ledger_entries_kept;
      delete from ledger_transactions where true;
      delete from ledger_balances;
      alter table ledger_transactions enable always trigger ledger_transactions_kept;
      alter table ledger_entries enable always trigger ledger_entries_kept`);
    await resetPositions(service.db.sql, null);
    await rebuildLedgers(service.db.sql, null, open);
    assert.deepEqual(await dump(), before);
    assert.deepEqual(await findViolations(service.db.sql), []);
  });

  it('are posted once by any number of processes at once', async () => {
    const payments = [await paid(), await paid(), await paid()];
    await followLedgers(service.db.sql, open);
    const told = payments.map((payment) => settlement(payment));
    await here.compare({ movements: async (after) => ({ ...(await here.processor.movements(after)), entries: told }) });
    await Promise.all([1, 2, 3, 4].map(() => postProcessorBooks(service.db.sql, realNow())));
    assert.deepEqual(
      (await rows()).map(([, , fee]: number[]) => fee),
      [47, 47, 47],
    );
  });
});
