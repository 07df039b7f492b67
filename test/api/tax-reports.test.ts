import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { useDebits } from '../support/debits.ts';
import { tester } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';

const range = 'from=2027-03-01&to=2027-05-01';
type Row = Record<string, unknown>;

describe('the tax in reports and statements', () => {
  const stage = useStage({ isAlone: true });
  const debits = useDebits(stage);

  beforeEach('state a tax of 10 %', async () => {
    const change = { tax: { label: 'GST', basisPoints: 1000 }, tax_id: 'ABN 51 824 753 556' };
    await changeBillerProfile(stage.db.sql, stage.keys.biller.id, change, { by: tester, now: realNow() });
  });

  async function get(path: string, accept = 'application/json') {
    const headers = { Authorization: `Bearer ${stage.keys.sandboxSecret}`, Accept: accept };
    const response = await fetch(new URL(`/api/v1/${path}`, stage.api.url), { headers });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return { response, text };
  }
  const rows = async (path: string): Promise<Row[]> => JSON.parse((await get(path)).text).data;
  const columnOf = (csv: string, name: string) => {
    const [header = '', ...lines] = csv.trimEnd().split('\r\n');
    return lines.map((line) => line.split(',')[header.split(',').indexOf(name)]);
  };

  /** A plan of 10.00 a week by debit, of which one payment is refunded in part and one comes back. */
  async function story(name = 'Lessons') {
    const payer = await debits.payer('2027-03-01T00:00:00.000Z');
    const plan = await debits.plan(payer, 'settled,settled', { name, start_date: '2027-03-02' });
    await stage.advance(payer.clock, '2027-03-14T00:00:00.000Z');
    const [first, second] = await stage.merchant.payments(plan.id);
    await stage.request('POST', `/payment_intents/${first?.payment_intent_id}/refunds`, { amount: 501 });
    const path = `/test_helpers/payment_intents/${second?.payment_intent_id}/bank_result`;
    const back = await stage.request('POST', path, { result: 'returned' });
    assert.equal(back.status, 200, JSON.stringify(back.body));
    return { ...payer, plan };
  }

  it('is in each row of the books with the sign of what moved, in JSON and in CSV, and in the sum of the plan', async () => {
    const { clock, plan } = await story();
    await postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
    const path = `reports/balance_transactions?test_clock=${clock}&${range}&columns=type,gross,tax`;
    const found = (await rows(path)).filter(({ type }) => type !== 'payout' && type !== 'payout_failure');
    const moved = found.map(({ type, gross, tax }) => `${type} ${gross} ${tax}`).toSorted();
    assert.deepEqual(moved, [
      'adjustment 0 0',
      'payment 1000 91',
      'payment 1000 91',
      'refund -501 -45',
      'return -1000 -91',
    ]);
    const { text } = await get(path.replace('?', '.csv?'));
    const all = await rows(path);
    assert.deepEqual(
      columnOf(text, 'tax'),
      all.map(({ tax }) => String(tax)),
    );
    const [row] = await rows(`reports/plans?test_clock=${clock}&${range}`);
    assert.deepEqual([row?.id, row?.tax], [plan.id, 91 + 91 - 45 - 91]);
    const csv = await get(`reports/plans.csv?test_clock=${clock}&${range}`);
    assert.deepEqual(columnOf(csv.text, 'tax'), ['46']);
  });

  it('is what a dispute takes without the part that was refunded before, and comes back if the dispute is won', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-03-01T10:00:00Z');
    const payment_method = await stage.merchant.card(payer.id);
    for (const [result, refunded] of [
      ['lost', 501],
      ['won', 0],
    ] as const) {
      const terms = { amount: 1000, customer_id: payer.id, payment_method, confirm: true };
      const { id } = await stage.merchant.intent(terms);
      if (refunded > 0) await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: refunded });
      await stage.request('POST', `/test_helpers/payment_intents/${id}/dispute`, { result });
    }
    await stage.advance(clock.id, '2027-03-12T10:00:00Z');
    const path = `reports/balance_transactions?test_clock=${clock.id}&${range}&columns=type,gross,tax`;
    const moved = (await rows(path)).filter(({ type }) => type !== 'payout');
    assert.deepEqual(moved.map(({ type, gross, tax }) => `${type} ${gross} ${tax}`).toSorted(), [
      'dispute -1000 -91',
      'dispute -499 -46',
      'dispute_reversal 1000 91',
      'payment 1000 91',
      'payment 1000 91',
      'refund -501 -45',
    ]);
    const { totals } = JSON.parse((await get(`customers/${payer.id}/statement`)).text);
    assert.deepEqual(
      totals.map(({ tax }: Row) => tax),
      [91],
    );
  });

  it('is that of each time, if a payment came back and was collected again with another surcharge', async () => {
    const surcharges = { country: 'AU', costs: { amex: 190 } };
    await changeBillerProfile(stage.db.sql, stage.keys.biller.id, surcharges, { by: tester, now: realNow() });
    const payer = await debits.payer('2027-03-01T00:00:00.000Z');
    const fee_preferences = { customer_pays_transaction_fees: true };
    await stage.request('PUT', `/customers/${payer.customer}`, { fee_preferences });
    const terms = { start_date: '2027-03-02', failure_behaviour: 'stop' } as const;
    const plan = await debits.plan(payer, 'late_dishonour', terms);
    await stage.advance(payer.clock, '2027-03-14T00:00:00.000Z');
    const amex = await stage.merchant.card(payer.customer, 'tok_sandbox_amex_succeed');
    await stage.request('PUT', `/payment_plans/${plan.id}`, { payment_instrument_id: amex });
    await stage.merchant.move(plan.id, 'resume');
    await stage.advance(payer.clock, '2027-03-15T00:00:00.000Z');
    await postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
    const columns = 'type,payment_intent_id,gross,tax';
    const all = await rows(`reports/balance_transactions?test_clock=${payer.clock}&${range}&columns=${columns}`);
    const [first] = await stage.merchant.payments(plan.id);
    assert.deepEqual(
      all
        .filter(({ payment_intent_id: id }) => id === first?.payment_intent_id)
        .map(({ type, gross, tax }) => `${type} ${gross} ${tax}`)
        .toSorted(),
      ['adjustment 0 0', 'payment 1000 91', 'payment 1019 93', 'return -1000 -91'],
    );
    const { totals } = JSON.parse((await get(`customers/${payer.customer}/statement`)).text);
    assert.deepEqual(
      totals.map(({ tax }: Row) => tax),
      [93],
    );
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('is in the lines of a statement that move money, and in its totals; the lines name the plan', async () => {
    const { customer, plan } = await story();
    const { text } = await get(`customers/${customer}/statement`);
    const { totals, data } = JSON.parse(text);
    assert.deepEqual(
      totals.map(({ tax }: Row) => tax),
      [46],
    );
    const moved = data.filter(({ tax }: Row) => tax !== null);
    assert.deepEqual(
      moved.map(({ type, tax, name }: Row) => [type, tax, name]),
      [
        ['collected', 91, 'Lessons'],
        ['collected', 91, 'Lessons'],
        ['refunded', 45, 'Lessons'],
        ['returned', 91, 'Lessons'],
      ],
    );
    const others = data.filter(({ tax }: Row) => tax === null);
    assert.ok(others.every(({ type }: Row) => ['owed_before', 'charged', 'owed'].includes(String(type))));
    await stage.request('PUT', `/payment_plans/${plan.id}`, { name: 'Swimming' });
    const renamed = JSON.parse((await get(`customers/${customer}/statement`)).text);
    assert.equal(renamed.data.find(({ type }: Row) => type === 'collected').name, 'Swimming');
    const csv = await get(`customers/${customer}/statement.csv`);
    assert.deepEqual(
      columnOf(csv.text, 'tax'),
      data.map(({ tax }: Row) => String(tax ?? '')),
    );
  });

  it('is on the page to print, whose texts are text, and which loads and runs nothing', async () => {
    const { customer } = await story('<script>alert(1)</script> "Lessons"');
    await stage.request('PUT', `/customers/${customer}`, { name: '<b>Ada</b>' });
    const { response, text } = await get(`customers/${customer}/statement/document?${range}`);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.ok(!policy.includes('unsafe-inline'), policy);
    for (const words of [
      'Statement of &lt;b&gt;Ada&lt;/b&gt;',
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      'ABN 51 824',
    ]) {
      assert.ok(text.includes(words), `${words} in ${text}`);
    }
    assert.ok(!text.includes('<script') && !text.includes('<b>'), text);
    for (const words of ['2027-03-01', '2027-04-30', '0.46 AUD', 'Taken back by the bank', '5.01 AUD', 'Tax in it']) {
      assert.ok(text.includes(words), `${words} in ${text}`);
    }
    const { id } = await stage.merchant.customer({ name: 'Grace' });
    const empty = await get(`customers/${id}/statement/document`);
    assert.ok(empty.text.includes('Nothing was charged and nothing was paid.') && !empty.text.includes('Tax in it'));
  });

  it('refuses to print a range that the statement refuses', async () => {
    const { id } = await stage.merchant.customer();
    for (const form of ['', '/document']) {
      const reply = await stage.request('GET', `/customers/${id}/statement${form}?from=2027-05-01&to=2027-03-01`);
      assert.deepEqual([reply.status, reply.body.error.code], [400, 'validation_failed'], form);
    }
    assert.equal((await stage.request('GET', '/customers/cus_unknown/statement/document')).status, 404);
  });
});
