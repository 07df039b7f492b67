import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Route } from '../../src/api/http/route.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import type { Reply } from '../support/api.ts';
import { useDebtor } from '../support/debtor.ts';
import { useLinks } from '../support/links.ts';
import type { Merchant } from '../support/merchant.ts';
import { refusal, useStage } from '../support/stage.ts';

type Json = Reply['body'];

/** The lists of objects that take dates, by path. Events have an order of their own: see `events-in-order.test.ts`. */
const byDate = allRoutes.filter(
  ({ query, path }) => query !== undefined && 'created_from' in query.properties && path !== '/api/v1/events',
);
const ofBiller = byDate.filter(({ path }) => !path.includes(':'));

const long = { from: '2020-01-01T00:00:00Z', to: '2199-01-01T00:00:00Z' };
const datesOfCursors: Record<string, string>[] = [{}, { created_from: long.from }, { created_from: long.to }];
const hostile = [
  ...["' or 1=1 --", '"; drop table refunds; --', '%00', '%', '_%', '../..', '\u202e', 'x'.repeat(100), '{}', 'null'],
  ...['Ⅷ', '😀', '-1', '0x10', 'NaN'],
];

describe('finding what happened', () => {
  const stage = useStage();
  const list = (path: string, query: Record<string, string> = {}, key = stage.merchant.key) =>
    stage.api.send('GET', `${path}?${new URLSearchParams(query)}`, { key });
  const found = async (path: string, query: Record<string, string> = {}, key?: string): Promise<Json[]> => {
    const reply = await list(path, query, key);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const idsIn = (items: Json[]) => items.map(({ id }) => id);

  /** Something in each list, on two clocks whose time differs from the order in which the objects were made. */
  async function estate(merchant: Merchant = stage.merchant) {
    const made = [];
    for (const at of ['2028-03-01T00:00:00Z', '2028-01-01T00:00:00Z', '2028-02-01T00:00:00Z']) {
      const clock = await merchant.clock(at);
      const customer = await merchant.customer({ test_clock: clock.id });
      const card = await merchant.card(customer.id);
      const intent = await merchant.intent({ amount: 500, customer_id: customer.id, payment_method: card });
      await merchant.client.paymentIntents.confirm(intent.id);
      const refund = await merchant.client.refunds.create(intent.id, { amount: 100 });
      const plan = await merchant.plan({ customer_id: customer.id, start_date: '2028-04-01' });
      const terms = { customer_id: customer.id, currency: 'AUD', name: 'Membership' } as const;
      const subscription = await merchant.client.subscriptions.create({
        ...{ ...terms, frequency_type: 'monthly', items: [{ name: 'Membership', unit_amount_cents: 4900 }] },
      });
      const account = await useAccount(customer.id);
      await merchant.client.mandates.create({ payment_method_id: account });
      const priced = { name: 'Invoice', amount: 2500, currency: 'AUD', customer_id: customer.id } as const;
      const link = await merchant.client.paymentLinks.create(priced);
      const session = await merchant.client.checkoutSessions.create(priced);
      made.push({ clock, customer, intent, refund, plan, subscription, link, session });
    }
    return made;
  }
  const debtor = useDebtor(stage);
  const links = useLinks(stage);
  const useAccount = (customerId: string) => debtor.account(customerId);
  /** Some lists have the objects of a clock only if it is named. */
  const isOfClocks = ({ query }: Route) => query !== undefined && 'test_clock' in query.properties;

  it('is by date in each list of the objects of a biller, in the order of created_at', async () => {
    const made = await estate();
    assert.deepEqual(
      ofBiller.map(({ path }) => path.replace('/api/v1/', '')).sort(),
      [
        ...[
          'checkout_sessions',
          'customers',
          'mandates',
          'payment_intents',
          'payment_links',
          'payment_plans',
          'refunds',
        ],
        'subscriptions',
      ].sort(),
    );
    for (const { path } of ofBiller.filter(({ path }) => /intents|refunds|plans|subscriptions|mandates/.test(path))) {
      const all = await found(path);
      assert.ok(all.length >= 3, path);
      const dated = await found(path, { created_from: long.from, created_to: long.to });
      const expected = all.toSorted((one, other) =>
        `${other.created_at} ${other.id}` < `${one.created_at} ${one.id}` ? -1 : 1,
      );
      assert.deepEqual(idsIn(dated), idsIn(expected), path);
      assert.notDeepEqual(idsIn(dated), idsIn(all), `${path}: clocks differ from the order of the ids`);
      // Page by page it is the same.
      const paged: Json[] = [];
      for (let more = true; more; ) {
        const last = paged.at(-1)?.id;
        const query = { created_from: long.from, limit: '1', ...(last === undefined ? {} : { starting_after: last }) };
        const { body } = await list(path, query);
        paged.push(...body.data);
        more = body.has_more;
      }
      assert.deepEqual(idsIn(paged), idsIn(expected), path);
      // From is included, to is not.
      const february = { created_from: '2028-02-01T00:00:00Z', created_to: '2028-03-01T00:00:00Z' };
      for (const { created_at } of await found(path, february)) assert.match(created_at, /^2028-02-/);
      assert.ok((await found(path, february)).length >= 1, path);
      assert.deepEqual(await found(path, { created_to: '2028-01-01T00:00:00Z' }), []);
      assert.deepEqual(await found(path, { created_from: long.to }), []);
      assert.deepEqual(await found(path, { created_from: long.to, created_to: long.from }), []);
    }
    for (const { path } of ofBiller.filter(isOfClocks)) {
      for (const { clock } of made) {
        const test_clock = clock.id;
        const all = await found(path, { test_clock });
        assert.ok(all.length >= 1, path);
        const day = { created_from: clock.frozen_time, created_to: `${clock.frozen_time.slice(0, 10)}T00:00:00.001Z` };
        assert.deepEqual(idsIn(await found(path, { test_clock, ...day })), idsIn(all), path);
      }
    }
    const [first] = made;
    const path = `/api/v1/customers/${first?.customer.id}/payment_intents`;
    assert.deepEqual(idsIn(await found(path, { created_from: '2028-03-01T00:00:00Z' })), [first?.intent.id]);
    assert.deepEqual(await found(path, { created_to: '2028-03-01T00:00:00Z' }), []);
  });

  it('is by the date of the last change in each list by date, in the order of updated_at', async () => {
    const made = await estate();
    for (const route of ofBiller) {
      const { path } = route;
      assert.ok('updated_from' in (route.query?.properties ?? {}), path);
      const every: Record<string, string>[] = isOfClocks(route)
        ? made.map(({ clock }) => ({ test_clock: clock.id }))
        : [{}];
      for (const query of every) {
        const all = await found(path, query);
        assert.ok(all.length >= 1, path);
        const expected = all.toSorted((one, other) =>
          `${other.updated_at} ${other.id}` < `${one.updated_at} ${one.id}` ? -1 : 1,
        );
        const dated = await found(path, { ...query, updated_from: long.from, updated_to: long.to });
        assert.deepEqual(idsIn(dated), idsIn(expected), path);
        const { updated_at: last } = expected[0] ?? {};
        assert.deepEqual(await found(path, { ...query, updated_from: long.to }), []);
        assert.ok((await found(path, { ...query, updated_from: last })).length >= 1, path);
        for (const { updated_at } of await found(path, { ...query, updated_to: last })) assert.ok(updated_at < last);
        const paged: Json[] = [];
        for (let more = true; more; ) {
          const last: string | undefined = paged.at(-1)?.id;
          const cursor: Record<string, string> = last === undefined ? {} : { starting_after: last };
          const { body } = await list(path, { ...query, updated_from: long.from, limit: '1', ...cursor });
          paged.push(...body.data);
          more = body.has_more;
        }
        assert.deepEqual(idsIn(paged), idsIn(expected), path);
      }
    }
    // A change moves its object to the front, which its creation does not.
    const [first] = made;
    const { id } = first?.intent ?? assert.fail();
    await stage.advance(String(first?.clock.id), '2028-03-20T00:00:00Z');
    const refund = await stage.merchant.client.refunds.create(id, { amount: 100 });
    assert.equal(refund.created_at, '2028-03-20T00:00:00.000Z');
    const since = { updated_from: '2028-03-20T00:00:00Z' };
    assert.deepEqual(idsIn(await found('/api/v1/payment_intents', since)), [id]);
    assert.deepEqual(await found('/api/v1/payment_intents', { created_from: since.updated_from }), []);
  });

  it('is of refunds by payment, customer, clock, status and what was paid', async () => {
    const [one, other] = await estate();
    assert.ok(one && other);
    const refunds = async (query: Record<string, string>) => idsIn(await found('/api/v1/refunds', query));
    assert.deepEqual(await refunds({ payment_intent_id: one.intent.id }), [one.refund.id]);
    assert.deepEqual(await refunds({ customer_id: one.customer.id }), [one.refund.id]);
    assert.deepEqual(await refunds({ test_clock: other.clock.id }), [other.refund.id]);
    assert.deepEqual(await refunds({ customer_id: one.customer.id, test_clock: other.clock.id }), []);
    assert.equal((await refunds({ status: 'succeeded' })).length, 3);
    const failed = await stage.merchant.client.refunds.create(one.intent.id, { amount: 103 });
    assert.equal(failed.status, 'failed');
    assert.deepEqual(await refunds({ status: 'failed' }), [failed.id]);
    const [refund] = await found('/api/v1/refunds', { status: 'failed' });
    assert.deepEqual(refund, (await list(`/api/v1/refunds/${failed.id}`)).body);
  });

  it('is of payments and refunds by plan, subscription and link, and of links by plan and subscription', async () => {
    const { merchant } = stage;
    const { clock, payer } = await merchant.payerOnClock('2028-03-01T00:00:00Z');
    const plan = await merchant.plan({ customer_id: payer.id, start_date: '2028-03-01' });
    await merchant.move(plan.id, 'activate');
    await stage.collectAll(plan.id, clock.frozen_time);
    const { id: subscription } = await merchant.client.subscriptions.create({
      ...{ customer_id: payer.id, currency: 'AUD', name: 'Membership', frequency_type: 'monthly' },
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
    });
    await merchant.client.subscriptions.start(subscription);
    const link = await links.link();
    assert.equal(links.outcome(await links.pay(await links.open(link))), 'completed');
    const seen = new Set<string>();
    const owners: Record<string, string>[] = [
      { payment_plan_id: plan.id },
      { subscription_id: subscription },
      { payment_link_id: link.id },
    ];
    for (const query of owners) {
      const [intent, ...others] = await found('/api/v1/payment_intents', query);
      assert.deepEqual([intent?.status, others], ['succeeded', []], JSON.stringify(query));
      assert.deepEqual(intent, { ...intent, ...query });
      const refund = await merchant.client.refunds.create(String(intent?.id), { amount: 100 });
      assert.deepEqual(idsIn(await found('/api/v1/refunds', query)), [refund.id]);
      seen.add(refund.id);
    }
    assert.equal(seen.size, 3);

    const terms = { customer_id: payer.id, name: 'Pay what is open', amount: 2500, currency: 'AUD' } as const;
    const applied = { ...terms, apply_to: { payment_plan_id: plan.id } };
    for (const [path, made] of [
      ['/api/v1/payment_links', await merchant.client.paymentLinks.create(applied)],
      ['/api/v1/checkout_sessions', await merchant.client.checkoutSessions.create(applied)],
    ] as const) {
      const test_clock = clock.id;
      assert.deepEqual(idsIn(await found(path, { payment_plan_id: plan.id, test_clock })), [made.id]);
      assert.deepEqual(await found(path, { subscription_id: subscription, test_clock }), []);
    }
  });

  it('is of events by object and by customer, and both', async () => {
    const [one, other] = await estate();
    assert.ok(one && other);
    const events = (query: Record<string, string>) => found('/api/v1/events', query);
    const types = async (query: Record<string, string>) => (await events(query)).map(({ event_type }) => event_type);
    assert.deepEqual(await types({ object_id: one.intent.id }), ['payment_intent.succeeded']);
    assert.deepEqual(await types({ object_id: one.refund.id }), ['refund.succeeded']);
    assert.deepEqual(await types({ object_id: one.clock.id }), ['test_clock.created']);
    const ofCustomer = await events({ customer_id: one.customer.id });
    assert.ok(ofCustomer.length >= 4, String(ofCustomer.length));
    for (const { data, test_clock } of ofCustomer) {
      assert.equal(test_clock, one.clock.id);
      assert.ok(data.customer_id === undefined || data.customer_id === one.customer.id);
    }
    assert.deepEqual(await types({ customer_id: other.customer.id, object_id: one.intent.id }), []);
    assert.deepEqual(
      await types({ customer_id: one.customer.id, object_id: one.intent.id, event_type: 'payment_intent.failed' }),
      [],
    );
    const [newest, ...rest] = ofCustomer;
    const page = await events({ customer_id: one.customer.id, starting_after: newest?.id });
    assert.deepEqual(idsIn(page), idsIn(rest));
  });

  it('finds nothing of another biller or the other mode, by whatever it is asked', async () => {
    const [one] = await estate();
    assert.ok(one);
    const stranger = await stage.stranger();
    const { clock, customer, intent, refund, plan, subscription, link, session } = one;
    const ids = [clock, customer, intent, refund, plan, subscription, link, session].map(({ id }) => id);
    const lists = allRoutes.filter(
      ({ method, path, query }) =>
        method === 'GET' && !path.includes(':') && query && 'starting_after' in query.properties,
    );
    for (const { path, query, access } of lists) {
      const keys = [stranger.keys.sandboxSecret];
      if (access !== 'public' && !access.sandboxOnly) keys.push(stage.keys.liveSecret);
      const names = Object.keys(query?.properties ?? {}).filter((name) => /_id$|^test_clock$/.test(name));
      for (const name of names) {
        for (const id of ids) {
          for (const key of keys) {
            const dates: Record<string, string> =
              query && 'created_from' in query.properties ? { created_from: long.from } : {};
            assert.deepEqual(await found(path, { [name]: id, ...dates }, key), [], `${path} ${name}`);
          }
        }
      }
    }
  });

  it('refuses dates that are none, and cursors of another list, with and without dates', async () => {
    const [one] = await estate();
    assert.ok(one);
    const { customer, intent, refund, plan, subscription, link, session } = one;
    const objects = { customers: customer, payment_intents: intent, refunds: refund, payment_plans: plan };
    const cursors = { ...objects, subscriptions: subscription, payment_links: link, checkout_sessions: session };
    for (const { path } of ofBiller) {
      for (const value of ['2028-02-30T00:00:00Z', '2028-02-01', 'now', '1e9', '2028-02-01T00:00:00', ...hostile]) {
        const name = path.length % 2 === 0 ? 'created_from' : 'created_to';
        assert.deepEqual(refusal(await list(path, { [name]: value }), 400), [`query/${name} invalid_format`], value);
      }
      for (const [name, { id }] of Object.entries(cursors)) {
        if (path.endsWith(`/${name}`)) continue;
        for (const dates of datesOfCursors) {
          const reply = await list(path, { starting_after: id, ...dates });
          assert.deepEqual(refusal(reply, 400), ['query/starting_after resource_missing'], `${path} ${name}`);
        }
      }
    }
    const twice = await stage.api.send('GET', `/api/v1/refunds?created_from=${long.from}&created_from=${long.to}`, {
      key: stage.merchant.key,
    });
    assert.equal(twice.status, 400);
  });

  it('takes hostile text as text, in every parameter that names something', async () => {
    await estate();
    const lists = allRoutes.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
    for (const { path, query } of lists) {
      for (const name of Object.keys(query?.properties ?? {}).filter((each) => each.endsWith('_id'))) {
        for (const text of hostile) {
          const reply = await list(path, { [name]: text });
          assert.deepEqual([reply.status, reply.body.data], [200, []], `${path} ${name} ${text}`);
        }
        assert.equal((await list(path, { [name]: '' })).status, 400);
        assert.equal((await list(path, { [name]: 'x'.repeat(101) })).status, 400);
        assert.equal((await list(path, { [name]: 'cus_\u0000' })).status, 400);
      }
    }
  });
});
