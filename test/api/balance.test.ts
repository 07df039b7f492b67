import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { listBalanceTransactionRows } from '../../src/db/balance.ts';
import { addMs } from '../../src/domain/instants.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { useDebits } from '../support/debits.ts';
import { makeKey } from '../support/factories.ts';
import { refusal, useStage } from '../support/stage.ts';

const noBalance = { data: [], complete_up_to: 0 };

describe('the balance', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const follow = () => postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
  const get = (path: string) => stage.request('GET', path);
  const rows = async (query = '') => (await get(`/balance_transactions?limit=100${query}`)).body.data;
  const balance = async (query = '') => (await get(`/balance${query}`)).body.data;

  /** A payment by card. */
  async function pay(amount: number, currency: 'AUD' | 'JPY' = 'AUD'): Promise<string> {
    const { id: customer_id } = await stage.merchant.customer();
    const payment_method = await stage.merchant.card(customer_id);
    const about = { description: 'Class', metadata: { order: '7' } };
    const { id } = await stage.merchant.intent({ amount, currency, customer_id, ...about });
    const paid = await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    assert.equal(paid.body.status, 'succeeded');
    return id;
  }

  it('is empty before money has moved, and says so', async () => {
    assert.deepEqual((await get('/balance')).body, noBalance);
    assert.deepEqual((await get('/balance_transactions')).body, { data: [], has_more: false });
  });

  it('has each currency of its own, pending until the second business day', async () => {
    await pay(10_000);
    await pay(5_000, 'JPY');
    await follow();
    assert.deepEqual(await balance(), [
      { currency: 'AUD', in_flight: 0, pending: 9_795, available: 0, held: 0, credit: 0 },
      { currency: 'JPY', in_flight: 0, pending: 4_882, available: 0, held: 0, credit: 0 },
    ]);
  });

  it('passes events that move no money', async () => {
    await stage.merchant.request('POST', `/payment_intents/${(await stage.merchant.intent({})).id}/cancel`);
    await follow();
    const [events] = [await stage.merchant.events()];
    assert.deepEqual((await get('/balance')).body, { data: [], complete_up_to: events.length });
  });

  it('has one row for a payment and one for a refund, whose net adds up to the balance', async () => {
    const id = await pay(10_000);
    const { body: refund } = await stage.request('POST', `/payment_intents/${id}/refunds`, {
      amount: 2_500,
      metadata: { why: 'ill' },
    });
    await follow();
    const [last, first] = await rows();
    const { id: rowId, created_at: at, available_on: on, ...shown } = first;
    assert.match(rowId, /^txn_/);
    assert.ok(on > at.slice(0, 10));
    assert.deepEqual(shown, {
      type: 'payment',
      reporting_category: 'charge',
      currency: 'AUD',
      gross: 10_000,
      fee: 205,
      net: 9_795,
      source: id,
      payment_intent_id: id,
      payout_id: null,
      customer_id: (await get(`/payment_intents/${id}`)).body.customer_id,
      description: 'Class',
      metadata: { order: '7' },
      biller_id: stage.keys.biller.id,
      livemode: false,
      test_clock: null,
    });
    assert.deepEqual(
      [last.type, last.gross, last.fee, last.net, last.source, last.payment_intent_id, last.metadata],
      ['refund', -2_500, 0, -2_500, refund.id, id, { why: 'ill' }],
    );
    const [{ pending, available }] = await balance();
    assert.equal(pending + available, first.net + last.net);
    assert.deepEqual((await get(`/balance_transactions/${rowId}`)).body, first);
  });

  it('moves with the course of a debit on its test clock, and is complete when the clock is ready', async () => {
    const payer = await debits.payer();
    const clock = `?test_clock=${payer.clock}`;
    const { id } = await debits.debit(payer, 'settled', { amount: 10_000 });
    await follow();
    assert.deepEqual(await balance(clock), [
      { currency: 'AUD', in_flight: 10_000, pending: 0, available: 0, held: 0, credit: 0 },
    ]);
    assert.deepEqual(await rows(`&test_clock=${payer.clock}`), []);
    await stage.advance(payer.clock, '2027-03-03T12:00:00Z');
    assert.deepEqual(await balance(clock), [
      { currency: 'AUD', in_flight: 0, pending: 9_795, available: 0, held: 0, credit: 0 },
    ]);
    // Settled on Wednesday in Sydney; the biller's zone is UTC, where it is Tuesday: paid out on Thursday.
    await stage.advance(payer.clock, '2027-03-04T00:00:00Z');
    assert.deepEqual(await balance(clock), [
      { currency: 'AUD', in_flight: 0, pending: 0, available: 0, held: 0, credit: 0 },
    ]);
    await stage.request('POST', `/test_helpers/payment_intents/${id}/bank_result`, { result: 'returned' });
    await follow();
    assert.deepEqual(await balance(clock), [
      { currency: 'AUD', in_flight: 0, pending: 0, available: -9_795, held: 0, credit: 0 },
    ]);
    const all = await rows(`&test_clock=${payer.clock}`);
    const told = all.map((row: Record<string, unknown>) => [
      row.type,
      row.reporting_category,
      row.gross,
      row.fee,
      row.net,
    ]);
    assert.deepEqual(
      new Set(told.map(String)),
      new Set([
        'adjustment,other_adjustment,0,-205,205',
        'return,charge_failure,-10000,0,-10000',
        'payment,charge,10000,205,9795',
        'payout,payout,-9795,0,-9795',
      ]),
    );
    assert.equal(
      all.reduce((sum: number, { fee }: { fee: number }) => sum + fee, 0),
      0,
    );
    // Without the clock nothing of it shows.
    assert.deepEqual(await balance(), []);
    assert.deepEqual(await rows(), []);
    assert.equal((await get(`/balance_transactions/${all[0].id}`)).status, 200);
  });

  it('goes below 0 when a debit comes back that was paid out and refunded', async () => {
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, 'settled', { amount: 10_000 });
    await stage.advance(payer.clock, '2027-03-04T00:00:00Z');
    await stage.request('POST', `/payment_intents/${id}/refunds`, {});
    await stage.request('POST', `/test_helpers/payment_intents/${id}/bank_result`, { result: 'returned' });
    await follow();
    const [{ available }] = await balance(`?test_clock=${payer.clock}`);
    assert.equal(available, -10_000 - 9_795);
  });

  it('lists by type, source, payment, customer and time, and page by page without a gap', async () => {
    const before = addMs(realNow(), -60_000).toISOString();
    const ids = [await pay(1_000), await pay(2_000), await pay(3_000)];
    await stage.request('POST', `/payment_intents/${ids[1]}/refunds`, {});
    await follow();
    const count = async (query: string) => (await rows(query)).length;
    assert.deepEqual(
      await Promise.all([
        count('&type=payment'),
        count('&type=return'),
        count(`&source=${ids[1]}`),
        count(`&payment_intent_id=${ids[1]}`),
        count('&customer_id=cus_none'),
        count(`&from=${before}`),
        count(`&to=${before}`),
        count('&test_clock=clk_none'),
      ]),
      [3, 0, 1, 2, 0, 4, 0, 0],
    );
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await get(`/balance_transactions?limit=1${after}`);
      seen.push(...body.data.map((row: { id: string }) => row.id));
      if (!body.has_more) break;
      after = `&starting_after=${seen.at(-1)}`;
    }
    assert.deepEqual(
      seen,
      (await rows()).map((row: { id: string }) => row.id),
    );
  });

  it('lists rows of one instant in the order of their events, and a return before its fee', async () => {
    const payer = await debits.payer();
    await debits.debit(payer, 'late_dishonour');
    await debits.debit(payer, 'late_dishonour');
    await stage.advance(payer.clock, '2027-03-20T00:00:00Z');
    const card = await stage.merchant.card(payer.customer);
    for (const amount of [1_000, 2_000, 3_000]) {
      const { id } = await stage.merchant.intent({ amount, customer_id: payer.customer });
      await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
      await stage.request('POST', `/payment_intents/${id}/refunds`, {});
    }
    await follow();
    const query = `&test_clock=${payer.clock}`;
    const listed: { id: string; type: string; gross: number; created_at: string }[] = (await rows(query)).reverse();
    const returned = listed.filter(({ type }) => type === 'return' || type === 'adjustment');
    const last = listed.filter(({ created_at: at }) => at === '2027-03-20T00:00:00.000Z');
    assert.deepEqual(
      [returned.map(({ type }) => type), last.map(({ type, gross }) => `${type} ${gross}`)],
      [
        ['return', 'adjustment', 'return', 'adjustment'],
        ['payment 1000', 'refund -1000', 'payment 2000', 'refund -2000', 'payment 3000', 'refund -3000'],
      ],
    );
    const report = await get(`/reports/balance_transactions?from=2027-03-01&to=2027-04-01&columns=id${query}`);
    const pages: string[] = [];
    for (let after = ''; ; after = `&starting_after=${pages.at(-1)}`) {
      const { body } = await get(`/balance_transactions?limit=1${query}${after}`);
      pages.push(...body.data.map((row: { id: string }) => row.id));
      if (!body.has_more) break;
    }
    const ids = listed.map(({ id }) => id);
    assert.deepEqual([report.body.data.map((row: { id: string }) => row.id), pages.reverse()], [ids, ids]);
  });

  it('reads the rows of a page and no others', async () => {
    for (const amount of [1_000, 2_000, 3_000, 4_000]) await pay(amount);
    await follow();
    const tenant = { billerId: stage.keys.biller.id, livemode: false };
    const read = await atomically(stage.db.sql, async (tx) => {
      // In a table of a few rows, PostgreSQL would read all.
      await tx`set local enable_seqscan = off`;
      await tx`set local enable_sort = off`;
      await tx`set local enable_incremental_sort = off`;
      await tx`set local enable_bitmapscan = off`;
      const readSoFar = async () => {
        const [table] = await tx`
          select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
          where relname = 'ledger_transactions'`;
        return Number(table?.read);
      };
      const before = await readSoFar();
      assert.equal((await listBalanceTransactionRows(tx, tenant, {}, { limit: 1 })).length, 2);
      return (await readSoFar()) - before;
    });
    assert.equal(read, 2);
  });

  it('refuses a cursor, a clock, a type and a parameter that it does not know', async () => {
    const refused = async (path: string) => refusal(await get(path), 400);
    assert.deepEqual(await refused('/balance_transactions?starting_after=txn_none'), [
      'query/starting_after resource_missing',
    ]);
    assert.deepEqual(await refused('/balance?test_clock=clk_none'), ['query/test_clock resource_missing']);
    assert.equal((await refused('/balance_transactions?type=debit_accepted')).length, 1);
    assert.deepEqual((await get('/balance_transactions?payout_id=po_none')).body.data, []);
    assert.equal((await get('/balance_transactions/txn_none')).status, 404);
  });

  it('shows nothing of another biller or of the other mode', async () => {
    await pay(10_000);
    const payer = await debits.payer();
    await debits.debit(payer, 'settled');
    await stage.advance(payer.clock, '2027-03-04T00:00:00Z');
    await follow();
    const [row] = await rows();
    const stranger = await stage.stranger();
    for (const key of [stranger.keys.sandboxSecret, stage.keys.liveSecret]) {
      const as = (path: string) => stage.api.send('GET', `/api/v1${path}`, { key });
      assert.deepEqual((await as('/balance')).body, noBalance);
      assert.deepEqual((await as('/balance_transactions')).body.data, []);
      assert.equal((await as(`/balance_transactions/${row.id}`)).status, 404);
      assert.equal((await as(`/balance_transactions?starting_after=${row.id}`)).status, 400);
      assert.equal((await as(`/balance?test_clock=${payer.clock}`)).status, 400);
      assert.deepEqual((await as(`/balance_transactions?test_clock=${payer.clock}`)).body.data, []);
    }
  });

  it('is read with the scope balance:read, and with no other', async () => {
    const { biller } = stage.keys;
    const make = async (scope: string) =>
      (await makeKey(stage.db.sql, { billerId: biller.id, livemode: false, kind: 'secret', scopes: [scope] })).key;
    const [own, other] = [await make('balance:read'), await make('payment_intents:read')];
    for (const path of ['/balance', '/balance_transactions']) {
      assert.equal((await stage.api.send('GET', `/api/v1${path}`, { key: own })).status, 200);
      assert.equal(
        (await stage.api.send('GET', `/api/v1${path}`, { key: other })).body.error.code,
        'insufficient_scope',
      );
    }
  });
});
