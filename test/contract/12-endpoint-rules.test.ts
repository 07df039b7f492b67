import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { usePayer } from '../support/payer.ts';
import { refusal, useStage } from '../support/stage.ts';
import { card, clock, intent } from './bodies.ts';
import type { Json } from './rows.ts';

const clocks = '/test_helpers/test_clocks';

describe('Endpoints: the filters of lists', () => {
  const here = usePayer();
  const { stage } = here;
  const ids = async (list: string): Promise<string[]> =>
    (await stage.request('GET', list)).body.data.map(({ id }: { id: string }) => id);

  for (const [filter, mine, theirs] of [
    ['status', { status: 'inactive' }, { status: 'active' }],
    ['email', { email: 'ada@example.com' }, { email: 'bob@example.com' }],
    ['name', { name: 'Ada Lovelace' }, { name: 'Bob' }],
    ['reference', { reference: 'R-7' }, { reference: 'R-8' }],
  ] as const) {
    it(`customers by ${filter}`, async () => {
      const found = await stage.merchant.customer(mine);
      await stage.merchant.customer(theirs);
      const value = encodeURIComponent(Object.values(mine)[0] ?? '');
      assert.deepEqual(await ids(`/customers?${filter}=${value}`), [found.id]);
    });
  }

  it('customers by test_clock; the default list excludes clock-bound customers', async () => {
    const free = await stage.merchant.customer();
    assert.deepEqual(await ids('/customers'), [free.id]);
    assert.deepEqual(await ids(`/customers?test_clock=${here.clock}`), [here.customer]);
  });

  it('the payment intents of a customer by status', async () => {
    const body = intent({ customer_id: here.customer });
    const [waiting, charged] = [
      await stage.merchant.intent({ ...body, amount: 300 }),
      await stage.merchant.intent({ ...body, amount: 400 }),
    ];
    await stage.request('POST', `/payment_intents/${charged.id}/confirm`, { payment_method: here.card });
    const list = `/customers/${here.customer}/payment_intents`;
    assert.deepEqual(await ids(`${list}?status=succeeded`), [charged.id]);
    assert.deepEqual(await ids(`${list}?status=requires_payment_method`), [waiting.id]);
  });

  it('payment plans by customer_id, and by each state', async () => {
    const other = await stage.merchant.payer();
    const theirs = await stage.merchant.plan({ customer_id: other.id, start_date: '2100-01-01' });
    assert.deepEqual(await ids(`/payment_plans?customer_id=${other.id}`), [theirs.id]);
    const moves = { pending: [], active: ['activate'], suspended: ['activate', 'suspend'] } as const;
    const ends = { deactivated: ['activate', 'deactivate'], closed: ['close'] } as const;
    for (const [state, path] of Object.entries({ ...moves, ...ends })) {
      const { id } = await here.plan({ start_date: '2100-01-01' });
      for (const move of path) await stage.merchant.move(id, move);
      assert.deepEqual(await ids(`/payment_plans?customer_id=${here.customer}&state=${state}`), [id], state);
    }
    refusal(await stage.request('GET', '/payment_plans?state=paused'), 400);
  });

  it('test clocks newest first', async () => {
    const newer = await stage.merchant.clock('2027-01-10T00:00:00Z');
    assert.deepEqual(await ids(clocks), [newer.id, here.clock]);
  });
});

describe('Endpoints: payment intents', () => {
  const stage = useStage();
  const create = (headers: Record<string, string>, body: Json = intent()) =>
    stage.api.send('POST', '/api/v1/payment_intents', { key: stage.merchant.key, headers, body });

  it('Idempotency-Key is optional, and a repeated request with it returns the first response', async () => {
    assert.notEqual((await create({})).body.id, (await create({})).body.id);
    const [first, second] = [await create({ 'Idempotency-Key': 'k1' }), await create({ 'Idempotency-Key': 'k1' })];
    assert.deepEqual([second.status, second.text], [201, first.text]);
    assert.notEqual((await create({ 'Idempotency-Key': 'k2' })).body.id, first.body.id);
  });

  it('Idempotency-TTL is optional, the time to live of the key in seconds', async () => {
    const headers = { 'Idempotency-Key': 'k3', 'Idempotency-TTL': '60' };
    const { body } = await create(headers);
    const [row] = await stage.db.sql<{ seconds: number }[]>`
      select extract(epoch from expires_at - created_at)::integer as seconds from idempotency_keys where key = 'k3'`;
    assert.equal(row?.seconds, 60);
    await stage.db
      .sql`update idempotency_keys set created_at = created_at - interval '61 s', expires_at = expires_at - interval '61 s'`;
    assert.notEqual((await create(headers)).body.id, body.id);
    for (const ttl of ['0', 'soon', '1.5'])
      refusal(await create({ ...headers, 'Idempotency-TTL': ttl }), 400, 'invalid_header');
  });

  it('a freshly created one has the status requires_payment_method and a client_secret', async () => {
    const { body } = await create({});
    assert.equal(body.status, 'requires_payment_method');
    assert.ok(body.client_secret.length > 20);
  });

  it('confirm accepts {payment_method: pm_...}', async () => {
    const { id } = (await create({})).body;
    const confirm = (body: Json) => stage.request('POST', `/payment_intents/${id}/confirm`, body);
    assert.deepEqual(refusal(await confirm({}), 400), ['/payment_method parameter_missing']);
    assert.deepEqual(refusal(await confirm({ payment_method: 'pm_none' }), 400), ['/payment_method resource_missing']);
    assert.deepEqual(refusal(await confirm({ payment_method: 7 }), 400), ['/payment_method invalid_type']);
  });

  it('the typical client flow: intent on the server, method by the client, confirm, status, payment_intent.succeeded', async () => {
    const made = (await create({})).body;
    const method = await stage.api.send('POST', '/api/v1/payment_methods', {
      key: stage.keys.sandboxPublishable,
      body: card(),
    });
    const { id } = method.body.payment_method;
    assert.match(id, /^pm_/);
    const confirmed = await stage.request('POST', `/payment_intents/${made.id}/confirm`, { payment_method: id });
    assert.equal(confirmed.body.status, 'succeeded');
    const [event] = await stage.merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.equal(event?.data.id, made.id);
  });
});

describe('Endpoints: the advance bound', () => {
  const here = usePayer();
  const { stage } = here;
  const day = (days: number, ms = 0) => new Date(Date.UTC(2027, 0, 10) + days * 86_400_000 + ms).toISOString();
  const begin = (target: string) => stage.request('POST', `${clocks}/${here.clock}/advance`, { frozen_time: target });

  const rows: readonly { rule: string; plans: readonly Json[]; days: number }[] = [
    { rule: 'with no billing objects: 31 days, a 62-day window', plans: [], days: 62 },
    { rule: 'a weekly plan counts 7 days', plans: [{}], days: 14 },
    { rule: 'a fortnightly plan counts 14 days', plans: [{ frequency_period: 2 }], days: 28 },
    { rule: 'a monthly plan counts 30 days', plans: [{ frequency_type: 'monthly' }], days: 60 },
    {
      rule: 'the shortest interval counts',
      plans: [{ frequency_type: 'monthly' }, {}, { frequency_period: 2 }],
      days: 14,
    },
  ];
  for (const { rule, plans, days } of rows) {
    it(`frozen_time + 2 × the shortest billing interval: ${rule}`, async () => {
      for (const more of plans) await here.active({ start_date: '2100-01-01', ...more });
      const beyond = await begin(day(days, 1));
      refusal(beyond, 422, 'advance_bound_exceeded');
      assert.equal(beyond.body.error.max_frozen_time, day(days));
      assert.equal((await stage.merchant.getClock(here.clock)).status, 'created');
      assert.equal((await begin(day(days))).status, 202);
    });
  }

  it('is taken over active plans only', async () => {
    for (const moves of [[], ['activate', 'suspend'], ['activate', 'deactivate'], ['close']] as const) {
      const { id } = await here.plan({ start_date: '2100-01-01' });
      for (const move of moves) await stage.merchant.move(id, move);
    }
    assert.equal((await begin(day(62))).status, 202);
  });

  it('the 422 error for an exceeded bound states the maximum allowed target time', async () => {
    const { body } = await begin(day(63));
    assert.ok(body.error.message.includes(day(62)), body.error.message);
  });

  it('larger moves are several advances, each with its own test_clock.advancing and test_clock.ready', async () => {
    for (const target of [day(62), day(124)]) await here.advance(target);
    const types = (await stage.merchant.events({ test_clock: here.clock })).map(({ event_type }) => event_type);
    const pair = ['test_clock.advancing', 'test_clock.ready'];
    assert.deepEqual(types, ['test_clock.created', ...pair, ...pair]);
  });

  it('an advance needs a frozen_time that is a date-time', async () => {
    const advance = (body: Json) => stage.request('POST', `${clocks}/${here.clock}/advance`, body);
    assert.deepEqual(refusal(await advance({}), 422), ['/frozen_time parameter_missing']);
    assert.deepEqual(refusal(await advance({ frozen_time: '2027-01-11' }), 422), ['/frozen_time invalid_format']);
  });

  it('deletion is irreversible: the clock, its customers and their objects stay deleted', async () => {
    await stage.merchant.deleteClock(here.clock);
    for (const path of [`${clocks}/${here.clock}`, `/customers/${here.customer}`]) {
      assert.equal((await stage.request('GET', path)).status, 404);
    }
    const reply = await stage.request('POST', '/customers', { name: 'Ada', test_clock: here.clock });
    assert.deepEqual(refusal(reply, 422), ['/test_clock resource_missing']);
    assert.equal((await stage.request('POST', clocks, clock())).status, 201);
  });
});
