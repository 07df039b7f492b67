import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { useDebits } from '../support/debits.ts';
import { makeKey } from '../support/factories.ts';
import { refusal, useStage } from '../support/stage.ts';

const day = 86_400_000;
const ofRange = ['balance_transactions', 'failed_payments', 'payouts', 'plans'] as const;
const ofNow = ['aging', 'mandates'] as const;
const january = 'from=2020-01-01&to=2020-02-01';

describe('reports', () => {
  const stage = useStage();
  const debits = useDebits(stage);
  const follow = () => postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
  const get = (path: string) => stage.request('GET', `/reports/${path}`);
  const rows = async (path: string) => {
    const { status, body } = await get(path);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const today = () => {
    const [from, to] = [-day, day].map((ms) => new Date(Date.now() + ms).toISOString());
    return `from=${from}&to=${to}`;
  };

  /** A payment by card, and its customer. */
  async function pay(amount: number, about: object = {}, customer: object = {}) {
    const { id: customer_id } = await stage.merchant.customer(customer);
    const payment_method = await stage.merchant.card(customer_id);
    const { id } = await stage.merchant.intent({ amount, customer_id, ...about });
    await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    return { id, customer_id };
  }

  /** The response as it is, with `Accept`. */
  async function read(path: string, accept = '*/*', key = stage.keys.sandboxSecret) {
    const response = await fetch(`${stage.api.url}/api/v1/${path}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: accept },
    });
    return { response, text: await response.text() };
  }

  it('are empty before anything has happened: no rows in JSON, a header row in CSV', async () => {
    for (const name of [...ofRange, ...ofNow]) {
      assert.deepEqual((await get(`${name}?${january}`)).body, { data: [] }, name);
      const { response, text } = await read(`reports/${name}.csv?${january}`);
      assert.equal(response.status, 200);
      assert.match(text, /^[a-z_0-9]+(,[a-z_0-9]+)+\r\n$/, name);
    }
  });

  it('have the rows of the books, oldest first, which add up to the balance', async () => {
    const [first, second] = [await pay(10_000), await pay(20_000)];
    await stage.request('POST', `/payment_intents/${first.id}/refunds`, { amount: 2_500 });
    await follow();
    const data = await rows(`balance_transactions?${today()}`);
    const shown = data.map((row: Record<string, unknown>) => [row.type, row.payment_intent_id, row.gross, row.net]);
    assert.deepEqual(shown, [
      ['payment', first.id, 10_000, 9_795],
      ['payment', second.id, 20_000, 19_620],
      ['refund', first.id, -2_500, -2_500],
    ]);
    const balance = (await stage.request('GET', '/balance')).body.data[0];
    const net = data.reduce((sum: number, row: { net: number }) => sum + row.net, 0);
    assert.equal(net, balance.pending + balance.available);
  });

  it('have in CSV what they have in JSON, as RFC 4180 says, by Accept or by .csv', async () => {
    const metadata = { order: '7', note: 'a "b", c' };
    const customer = { name: 'Ada, "the first"\nLovelace', reference: 'R-1' };
    const { id } = await pay(10_000, { description: 'Lesson; 5 €', metadata }, customer);
    await follow();
    const path = `reports/balance_transactions?${today()}&columns=gross,description,metadata,customer_name,available_on`;
    const [row] = await rows(path.slice('reports/'.length));
    assert.deepEqual([row.metadata, row.customer_name], [metadata, customer.name]);
    const byAccept = await read(path, 'text/csv');
    const byPath = await read(path.replace('?', '.csv?'));
    assert.equal(byAccept.text, byPath.text);
    assert.equal(
      byPath.text,
      'gross,description,metadata,customer_name,available_on\r\n' +
        `10000,Lesson; 5 €,"{""note"":""a \\""b\\"", c"",""order"":""7""}","Ada, ""the first""\nLovelace",${row.available_on}\r\n`,
    );
    assert.equal(byPath.response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    assert.equal(byPath.response.headers.get('content-disposition'), 'attachment; filename="balance_transactions.csv"');
    assert.match((await read(path, 'text/html')).response.headers.get('content-type') ?? '', /json/, id);
  });

  it('defuse text that a spreadsheet would run, and leave numbers alone', async () => {
    const names = ['=1+1', '+61', '-2', '@SUM(A1)', '\tTab', 'plain'];
    for (const name of names) {
      const made = await stage.request('POST', '/customers', { name });
      if (made.status !== 201) continue;
      const payment_method = await stage.merchant.card(made.body.id);
      const { id } = await stage.merchant.intent({ amount: 1_000, customer_id: made.body.id });
      await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
      await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 400 });
    }
    await follow();
    const { text } = await read(`reports/balance_transactions.csv?${today()}&columns=gross,customer_name`);
    const lines = text.trimEnd().split('\r\n').slice(1);
    assert.ok(lines.length >= 10);
    assert.ok(lines.includes("1000,'=1+1") && lines.includes("-400,'=1+1"), text);
    assert.ok(lines.includes("1000,'+61") && lines.includes("1000,'-2") && lines.includes("1000,'@SUM(A1)"), text);
    assert.ok(lines.includes('1000,plain'), text);
    for (const line of lines) assert.doesNotMatch(line, /,"?[=+\-@\t]/);
  });

  it('have the columns that are asked for, in their order, and name all if one is unknown', async () => {
    await pay(10_000);
    await follow();
    const [row] = await rows(`balance_transactions?${today()}&columns=net,type`);
    assert.equal(JSON.stringify(row), '{"net":9795,"type":"payment"}');
    for (const columns of ['net,nothing', 'net,net', '', 'net,', 'constructor', '__proto__']) {
      const refused = await get(`balance_transactions?${january}&columns=${columns}`);
      assert.deepEqual(refusal(refused, 400), ['query/columns invalid_value'], columns);
      assert.match(refused.body.error.message, /The columns are: id, created_at, available_on/);
    }
  });

  it('take dates in a time zone, across a change to daylight saving, and instants', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-04-03T12:59:59.999Z');
    const card = await stage.merchant.card(payer.id);
    const buy = async () => {
      const { id } = await stage.merchant.intent({ amount: 1_000, customer_id: payer.id });
      await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
      return id;
    };
    // In Sydney, 4 April begins at 13:00 UTC and ends 25 hours later, at 14:00 UTC.
    const third = await buy();
    await stage.advance(clock.id, '2027-04-03T13:00:00.000Z');
    const fourth = [await buy()];
    await stage.advance(clock.id, '2027-04-04T13:59:59.999Z');
    fourth.push(await buy());
    await stage.advance(clock.id, '2027-04-04T14:00:00.000Z');
    const fifth = await buy();
    await follow();
    const ids = async (query: string) =>
      (await rows(`balance_transactions?test_clock=${clock.id}&${query}`)).map((row: { source: string }) => row.source);
    const sydney = 'timezone=Australia/Sydney';
    assert.deepEqual(await ids(`${sydney}&from=2027-04-04&to=2027-04-05`), fourth);
    assert.deepEqual(await ids('from=2027-04-03T13:00:00Z&to=2027-04-04T14:00:00Z'), fourth);
    assert.deepEqual(await ids(`${sydney}&from=2027-04-03&to=2027-04-04`), [third]);
    assert.deepEqual(await ids(`${sydney}&from=2027-04-05&to=2027-04-06`), [fifth]);
    assert.deepEqual(await ids(`${sydney}&from=2027-04-04&to=2027-04-04`), []);
    assert.deepEqual(await rows('balance_transactions?from=2027-04-01&to=2027-05-01'), []);
  });

  it('read at most 400 days, from before to', async () => {
    for (const [range, path] of [
      ['from=2026-01-01&to=2027-02-06', 'query/to'],
      ['from=2016-01-01&to=2026-01-01', 'query/to'],
      ['from=2026-01-02&to=2026-01-01', 'query/to'],
      ['from=2026-01-01&to=2026-01-02&timezone=Nowhere', 'query/timezone'],
      ['from=2026-01-01&to=2026-01-02&timezone=%2B10:00', 'query/timezone'],
      ['from=0001-01-01&to=0001-01-02&timezone=Australia/Sydney', 'query/from'],
    ]) {
      assert.deepEqual(refusal(await get(`plans?${range}`), 400), [`${path} invalid_value`], range);
    }
    assert.equal((await get('plans?from=2026-01-01&to=2027-02-05')).status, 200);
    // 400 days in Sydney, which are an hour longer than 400 times 24 hours.
    assert.equal((await get('plans?from=2026-03-01&to=2027-04-05&timezone=Australia/Sydney')).status, 200);
    for (const name of ofRange) {
      assert.deepEqual(refusal(await get(name), 400), ['query/from parameter_missing', 'query/to parameter_missing']);
    }
    for (const name of ofNow) assert.equal((await get(name)).status, 200);
    for (const from of ['2026-02-30', 'yesterday', '2026-01-01T00:00:00', '%00']) {
      assert.equal((await get(`plans?from=${from}&to=2026-03-01`)).status, 400, from);
    }
    assert.deepEqual(refusal(await get('aging?test_clock=clk_none'), 400), ['query/test_clock resource_missing']);
  });

  it('have each payout with what it is made of, which adds up to the deposit', async () => {
    const payer = await debits.payer('2027-03-01T00:00:00.000Z');
    const card = await stage.merchant.card(payer.customer);
    const buy = async (amount: number, metadata: Record<string, string> = {}) => {
      const { id } = await stage.merchant.intent({ amount, customer_id: payer.customer, metadata });
      await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
      return id;
    };
    const first = await buy(10_000, { _sandbox_payout: 'fail,paid' });
    await buy(20_000);
    await stage.request('POST', `/payment_intents/${first}/refunds`, { amount: 2_500 });
    const { id: debit } = await debits.debit(payer, 'settled', { amount: 5_000 });
    await stage.advance(payer.clock, '2027-03-05T12:00:00.000Z');
    await stage.request('POST', `/test_helpers/payment_intents/${debit}/bank_result`, { result: 'returned' });
    await buy(8_000);
    await stage.advance(payer.clock, '2027-03-12T00:00:00.000Z');
    const path = `payouts?test_clock=${payer.clock}&from=2027-03-01&to=2027-04-01`;
    const data = await rows(path);
    const shown = data.map((row: Record<string, number | string>) =>
      ['paid_out_on', 'status', 'item_count', 'payments', 'refunds', 'returns', 'adjustments', 'fees', 'net', 'amount']
        .map((column) => row[column])
        .join(' '),
    );
    assert.deepEqual(shown, [
      '2027-03-03 failed 3 30000 -2500 0 0 585 26915 26915',
      '2027-03-04 paid 4 35000 -2500 0 0 703 31797 31797',
      '2027-03-09 paid 3 8000 0 -5000 118 170 2948 2948',
    ]);
    for (const row of data) {
      const { payments, refunds, returns, adjustments, fees, net, amount } = row;
      assert.equal(payments + refunds + returns + adjustments - fees, net);
      assert.equal(net, amount);
      const { body } = await stage.request('GET', `/payouts/${row.id}/items?limit=100`);
      assert.equal(body.data.length, row.item_count);
    }
    const { text } = await read(`reports/${path.replace('?', '.csv?')}&columns=id,net`);
    assert.equal(
      text,
      ['id,net', ...data.map((row: { id: string; net: number }) => `${row.id},${row.net}`), ''].join('\r\n'),
    );
    assert.deepEqual(await rows('payouts?from=2027-03-01&to=2027-04-01'), [], 'not on a clock');
    const stranger = await stage.stranger();
    const others = await stranger.merchant.request('GET', '/reports/payouts?from=2027-03-01&to=2027-04-01');
    assert.deepEqual(others.body, { data: [] });
  });

  it('tell each failure with its reason and the next attempt, and what has become of the payment', async () => {
    const payer = await debits.payer('2027-03-01T00:00:00.000Z');
    const plan = await debits.plan(payer, 'dishonoured,late_dishonour,settled', { frequency_type: 'monthly' });
    await stage.advance(payer.clock, '2027-03-20T00:00:00.000Z');
    const told = await rows(`failed_payments?test_clock=${payer.clock}&from=2027-03-01&to=2027-04-01`);
    const shown = told.map((row: Record<string, unknown>) => [
      row.kind,
      row.attempt,
      row.code,
      row.bank_code,
      row.amount,
    ]);
    assert.deepEqual(shown, [
      ['failed', 1, 'insufficient_funds', '6', 1_000],
      ['returned', 2, 'insufficient_funds', '6', 1_000],
    ]);
    const [first] = told;
    assert.equal(first.payment_plan_id, plan.id);
    assert.equal(first.customer_id, payer.customer);
    assert.equal(first.will_retry, true);
    assert.ok(first.next_attempt_at > first.failed_at);
    assert.equal(first.payment_method_type, 'au_becs_debit');
    assert.equal(first.payment_method_last4.length, 4);
    assert.deepEqual(await rows('failed_payments?from=2027-03-01&to=2027-04-01'), []);
  });

  it('age what is owed by plan and customer, from the day on which it failed', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-01-04T00:00:00.000Z');
    await stage.merchant.card(payer.id, 'tok_sandbox_visa_decline_insufficient_funds');
    const terms = { customer_id: payer.id, frequency_type: 'monthly', failure_behaviour: 'retry' } as const;
    const plan = await stage.merchant.activePlan({ ...terms, start_date: '2027-01-04', recurring_amount_cents: 2_500 });
    await stage.collectAll(plan.id, '2027-01-04T00:00:00.000Z');
    const aging = () => rows(`aging?test_clock=${clock.id}`);
    const [soon] = await aging();
    assert.deepEqual(
      [soon.customer_id, soon.type, soon.id, soon.owed, soon.days_0_to_30, soon.days_late, soon.late_since],
      [payer.id, 'payment_plan', plan.id, 2_500, 2_500, 0, '2027-01-04'],
    );
    assert.equal(soon.next_attempt_at, '2027-01-05T00:00:00.000Z');
    await stage.advance(clock.id, '2027-03-01T00:00:00.000Z');
    const [late] = await aging();
    assert.deepEqual(
      [late.state, late.owed, late.days_0_to_30, late.days_31_to_60, late.days_late, late.next_attempt_at],
      ['suspended', 2_500, 0, 2_500, 56, null],
    );
    assert.deepEqual(await rows(`aging?test_clock=${clock.id}&from=2027-01-05`), []);
    assert.equal((await rows(`aging?test_clock=${clock.id}&from=2027-01-04&to=2027-01-05`)).length, 1);
    await stage.request('POST', `/payment_plans/${plan.id}/close`);
    assert.deepEqual(await aging(), []);
    const [row] = await rows(`plans?test_clock=${clock.id}&from=2027-01-01&to=2027-12-31`);
    assert.deepEqual(
      [row.type, row.id, row.state, row.charged, row.waived, row.collected, row.owed],
      ['payment_plan', plan.id, 'closed', 2_500, 2_500, 0, 0],
    );
  });

  it('sum up what plans and subscriptions charged and collected, as the books have it', async () => {
    const payer = await debits.payer('2027-03-01T00:00:00.000Z');
    const plan = await debits.plan(payer, 'dishonoured,settled');
    await stage.advance(payer.clock, '2027-03-14T00:00:00.000Z');
    const [row] = await rows(`plans?test_clock=${payer.clock}&from=2027-03-01&to=2027-04-01`);
    assert.equal(row.id, plan.id);
    assert.equal(row.charged, 2_000);
    assert.equal(row.owed, row.charged - row.collected);
    const movements = await rows(`balance_transactions?test_clock=${payer.clock}&from=2027-03-01&to=2027-04-01`);
    const ofPlan = movements.filter((movement: { payment_plan_id: string }) => movement.payment_plan_id === plan.id);
    const gross = ofPlan.reduce((sum: number, movement: { gross: number }) => sum + movement.gross, 0);
    assert.equal(row.collected - row.refunded - row.returned, gross);
  });

  it('list mandates with their status and dates', async () => {
    const payer = await debits.payer();
    await stage.request('POST', `/mandates/${payer.mandate}/cancel`);
    const [row] = await rows(`mandates?test_clock=${payer.clock}`);
    assert.deepEqual(
      [row.id, row.status, row.status_reason, row.customer_id, row.account_last4.length],
      [payer.mandate, 'canceled', 'requested', payer.customer, 4],
    );
    assert.ok(row.accepted_at <= row.ended_at);
    assert.deepEqual(await rows('mandates'), []);
  });

  it('are read with reports:read, and with no other scope or kind of key', async () => {
    const { biller } = stage.keys;
    const make = async (scopes: string[]) => (await makeKey(stage.db.sql, { billerId: biller.id, scopes })).key;
    const own = await make(['reports:read']);
    const other = await make(['balance:read', 'customers:read']);
    const { id } = await stage.merchant.customer();
    const paths = [...ofRange, ...ofNow].flatMap((name) => [`reports/${name}`, `reports/${name}.csv`]);
    const statements = ['', '.csv', '/document'].map((form) => `customers/${id}/statement${form}`);
    for (const path of [...paths, ...statements]) {
      assert.equal((await read(`${path}?${january}`, '*/*', own)).response.status, 200, path);
      for (const [key, code] of [
        [other, 'insufficient_scope'],
        [stage.keys.sandboxPublishable, 'secret_key_required'],
      ] as const) {
        const { response, text } = await read(`${path}?${january}`, 'text/csv', key);
        assert.deepEqual([response.status, JSON.parse(text).error.code], [403, code], path);
      }
    }
  });

  it('have nothing of another biller or of the other mode', async () => {
    const { customer_id } = await pay(10_000);
    const payer = await debits.payer();
    await follow();
    const { keys } = await stage.stranger();
    for (const key of [keys.sandboxSecret, stage.keys.liveSecret]) {
      for (const name of [...ofRange, ...ofNow]) {
        const { text } = await read(`reports/${name}?${today()}`, '*/*', key);
        assert.equal(text, '{"data":[]}', name);
        const { response } = await read(`reports/${name}?${today()}&test_clock=${payer.clock}`, '*/*', key);
        assert.equal(response.status, 400, name);
      }
      for (const form of ['', '.csv', '/document']) {
        const { response } = await read(`customers/${customer_id}/statement${form}?${today()}`, '*/*', key);
        assert.equal(response.status, 404);
      }
    }
    assert.equal((await get('nothing')).status, 404);
    assert.equal((await get('plans.json')).status, 404);
  });
});
