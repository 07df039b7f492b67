import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { selectPaymentLink } from '../../src/db/payment-links.ts';
import { millisecondsPerDay } from '../../src/domain/calendar.ts';
import { namedId } from '../../src/domain/ids.ts';
import { addMs, withoutClock } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import type { Event } from '../../src/resources/event.ts';
import { transact } from '../../src/services/events.ts';
import { paySession } from '../../src/services/links/session-payment.ts';
import { startSession } from '../../src/services/links/session-start.ts';
import { throttleLink } from '../../src/services/links/throttling.ts';
import { endMandateAfterReturn, expireMandates } from '../../src/services/mandates/mandate-ends.ts';
import { chargeHook, linkedSubjects } from '../../src/services/subjects/charge-hook.ts';
import { makeKey } from '../support/factories.ts';
import { card } from '../support/links.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { assertIsWebhook, document } from '../support/openapi.ts';
import { useService } from '../support/service.ts';
import { useReceiver } from '../support/webhooks.ts';
import { debit, intent } from './bodies.ts';
import { itIsTheTable } from './tables.ts';

const manifestFields = ['payment_intents_enqueued', 'links_expired', 'subscriptions_rolled', 'plans_recalculated'];

/** Everything that happened while the receiver of this suite recorded it. */
interface StatusDetails {
  merchant: Merchant;
  /** The bodies that the receiver got, by type, in the order of their sequence. */
  told: Map<string, Event[]>;
  clock: string;
  kept: string;
  ended: string;
  closed: string;
  once: string;
}

describe('Events', () => {
  const service = useService();
  const receiver = useReceiver();
  let story: StatusDetails;
  let ofLiveMode: Merchant;
  let liveEndpoint: string;
  let tried: { merchant: Merchant; delivery: string };

  before('tell a story', async function () {
    this.timeout(60_000);
    // The first try at one path fails, another path returns 410; everything else is accepted.
    let refused = false;
    receiver.answer = (request: IncomingMessage, response: ServerResponse) => {
      const refuses = request.url === '/flaky' && !refused;
      if (refuses) refused = true;
      response.writeHead(refuses ? 500 : request.url === '/gone' ? 410 : 200).end();
    };
    tried = await beginRetried();
    story = await tell();
  });
  after(() => receiver.reset());

  async function beginRetried() {
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint(`${receiver.url}/flaky`);
    return { merchant, delivery: (await merchant.ping(endpoint.id)).id };
  }

  async function tell(): Promise<StatusDetails> {
    const merchant = await service.merchant();
    await merchant.endpoint(`${receiver.url}/all`);
    const clock = (await merchant.clock('2027-01-10T00:00:00Z')).id;
    const payer = await merchant.payer({ test_clock: clock });
    const live = await makeKey(service.db.sql, {
      billerId: namedId('biller', String(payer.biller_id)),
      livemode: true,
    });
    ofLiveMode = createMerchant(service.url, live.key);
    liveEndpoint = (await ofLiveMode.endpoint('https://8.8.8.8/hook')).id;

    const weekly = { customer_id: payer.id, start_date: '2027-01-17' };
    const kept = await merchant.activePlan(weekly);
    const failing = await merchant.activePlan({
      ...weekly,
      failure_behaviour: 'stop',
      metadata: { _sandbox_outcome: 'decline' },
    });
    const [ended, closed] = [await merchant.activePlan(weekly), await merchant.activePlan(weekly)];
    await merchant.move(ended.id, 'deactivate');
    await merchant.move(closed.id, 'close');
    await merchant.intent({
      ...{ amount: 1002, currency: 'AUD', customer_id: payer.id },
      ...{ payment_method: await merchant.card(payer.id), scheduled_payment_date: '2027-01-16' },
      metadata: { _sandbox_outcome: 'timeout' },
    });
    await merchant.advance(clock, '2027-01-17T00:00:00Z');
    const once = await merchant.intent({ customer_id: payer.id });
    const [card] = (await merchant.request('GET', `/customers/${payer.id}/payment_methods`)).body.payment_methods;
    await merchant.request('POST', `/payment_intents/${once.id}/confirm`, { payment_method: card.id });
    assert.equal((await merchant.getPlan(failing.id)).state, 'suspended');
    await merchant.deleteClock(clock);

    const events = await merchant.events();
    const received = () => receiver.received.filter(({ path }) => path === '/all');
    await eventually('everything is delivered', () => received().length >= events.length);
    const told = new Map<string, Event[]>();
    const bodies: Event[] = received().map(({ body }) => JSON.parse(body));
    for (const event of bodies.toSorted((a, b) => a.sequence - b.sequence)) {
      told.set(event.event_type, [...(told.get(event.event_type) ?? []), event]);
    }
    return { merchant, told, clock, kept: kept.id, ended: ended.id, closed: closed.id, once: once.id };
  }

  const the = (type: string): Event[] => story.told.get(type) ?? [];
  const dataOf = (type: string) => the(type).map(({ data }) => data);

  const rows: readonly { event: string; when: string; payload: string; holds(): void }[] = [
    {
      event: 'payment_intent.succeeded',
      when: 'a payment is collected, a plan-generated one too',
      payload: 'the payment intent',
      holds() {
        const [ofPlan, single] = dataOf('payment_intent.succeeded');
        assert.deepEqual([ofPlan?.payment_plan_id, ofPlan?.status, ofPlan?.amount], [story.kept, 'succeeded', 1000]);
        assert.deepEqual([single?.id, single?.status, single?.currency], [story.once, 'succeeded', 'AUD']);
        assert.equal(dataOf('payment_intent.succeeded').length, 2);
      },
    },
    {
      event: 'payment_intent.failed',
      when: 'a payment fails, a scheduled one too',
      payload: 'the payment intent',
      holds() {
        // A plan and a scheduled payment of one advance are collected side by side.
        const codes = dataOf('payment_intent.failed').map((data) => [data.status, data.last_payment_error]);
        assert.deepEqual(codes.map(([status, error]) => [status, (error as { code: string }).code]).toSorted(), [
          ['failed', 'gateway_timeout'],
          ['failed', 'insufficient_funds'],
        ]);
      },
    },
    {
      event: 'payment_plan.activated',
      when: 'a plan becomes active',
      payload: 'the plan',
      holds: () =>
        assert.deepEqual(
          dataOf('payment_plan.activated').map(({ state }) => state),
          Array(4).fill('active'),
        ),
    },
    {
      event: 'payment_plan.suspended',
      when: 'a plan is suspended',
      payload: 'the plan',
      holds: () =>
        assert.deepEqual(
          dataOf('payment_plan.suspended').map(({ state }) => state),
          ['suspended'],
        ),
    },
    {
      event: 'payment_plan.deactivated',
      when: 'a plan ends',
      payload: 'the plan',
      holds: () =>
        assert.deepEqual(
          dataOf('payment_plan.deactivated').map(({ id }) => id),
          [story.ended],
        ),
    },
    {
      event: 'payment_plan.closed',
      when: 'a plan is closed',
      payload: 'the plan',
      holds: () =>
        assert.deepEqual(
          dataOf('payment_plan.closed').map(({ id }) => id),
          [story.closed],
        ),
    },
    {
      event: 'test_clock.created',
      when: 'a clock is created',
      payload: 'the clock object',
      holds() {
        const [data, ...more] = dataOf('test_clock.created');
        assert.deepEqual([data?.object, data?.id, data?.status, more], ['test_clock', story.clock, 'created', []]);
      },
    },
    {
      event: 'test_clock.advancing',
      when: 'an advance is accepted',
      payload: 'the clock object plus target_time',
      holds() {
        const [data, ...more] = dataOf('test_clock.advancing');
        assert.deepEqual([data?.object, data?.id, data?.status], ['test_clock', story.clock, 'advancing']);
        assert.deepEqual([data?.target_time, more], ['2027-01-17T00:00:00.000Z', []]);
      },
    },
    {
      event: 'test_clock.ready',
      when: 'an advance is completed',
      payload: 'the clock object plus effects_manifest',
      holds() {
        const [data, ...more] = dataOf('test_clock.ready');
        assert.deepEqual(
          [data?.object, data?.status, data?.frozen_time],
          ['test_clock', 'ready', '2027-01-17T00:00:00.000Z'],
        );
        const manifest = data?.effects_manifest as Record<string, unknown>;
        assert.deepEqual([Object.keys(manifest).sort(), more], [manifestFields.toSorted(), []]);
      },
    },
    {
      event: 'test_clock.deleted',
      when: 'a clock is deleted',
      payload: 'the clock object at deletion',
      holds() {
        const [data, ...more] = dataOf('test_clock.deleted');
        assert.deepEqual(
          [data?.id, data?.status, data?.frozen_time, more],
          [story.clock, 'ready', '2027-01-17T00:00:00.000Z', []],
        );
      },
    },
  ];

  itIsTheTable(
    'events',
    ['Event'],
    rows.map(({ event }) => [event]),
  );
  for (const { event, when, payload, holds } of rows) it(`${event} is delivered when ${when}, with ${payload}`, holds);

  it('are delivered to webhook subscriptions, in sandbox too', () => {
    for (const events of story.told.values()) for (const event of events) assert.equal(event.livemode, false);
    for (const { event } of rows) assert.ok(story.told.has(event), event);
  });

  it('have the envelope {event_type: string, data: object}, where data is the resource', () => {
    for (const events of story.told.values()) {
      for (const event of events) {
        assertIsWebhook(event);
        assert.equal(typeof event.data.id, 'string');
      }
    }
  });

  for (const type of ['payment_intent.succeeded', 'payment_intent.failed']) {
    it(`${type} carries id, status, amount and currency in its data`, () => {
      for (const data of dataOf(type)) {
        assert.match(String(data.id), /^pi_/);
        for (const [field, form] of Object.entries({ status: 'string', amount: 'number', currency: 'string' })) {
          assert.equal(typeof data[field], form, field);
        }
      }
    });
  }

  for (const field of manifestFields) {
    it(`effects_manifest.${field} is an integer`, () => {
      const manifest = dataOf('test_clock.ready')[0]?.effects_manifest as Record<string, unknown>;
      const expected = {
        payment_intents_enqueued: 3,
        plans_recalculated: 2,
        links_expired: 0,
        subscriptions_rolled: 0,
      };
      assert.equal(manifest[field], expected[field as keyof typeof expected]);
    });
  }

  it('reach sandbox subscriptions alone when they are of test clocks', async () => {
    assert.deepEqual([await ofLiveMode.deliveries(liveEndpoint), await ofLiveMode.events()], [[], []]);
    for (const { event } of rows.filter((row) => row.event.startsWith('test_clock.'))) assert.ok(story.told.has(event));
  });

  it('that the contract does not specify also match their schemas in the document', async () => {
    const merchant = await service.merchant();
    const post = async (path: string, body: unknown = {}) => (await merchant.request('POST', path, body)).body;
    const { id: customer_id } = await merchant.customer();
    const { id: card } = (await post('/payment_methods', debit({}, { customer_reference: customer_id })))
      .payment_method;
    const confirmed = async (amount: number): Promise<string> => {
      const { id } = await post('/payment_intents', intent({ amount, customer_id }));
      await post(`/payment_intents/${id}/confirm`, { payment_method: card });
      return id;
    };
    await post(`/payment_intents/${await confirmed(1002)}/cancel`);
    const paid = await confirmed(1000);
    for (const amount of [100, 303]) await post(`/payment_intents/${paid}/refunds`, { amount });
    const endpoint = await merchant.endpoint(`${receiver.url}/gone`);
    await merchant.ping(endpoint.id);
    await eventually('it is disabled', async () => (await merchant.getEndpoint(endpoint.id)).status === 'disabled');
    await endMandates(merchant);
    await liveThrough(merchant);
    await endLinks(merchant);
    await payOut(merchant);

    const types = new Set((await merchant.events()).map(({ event_type }) => event_type as string));
    const named = rows.map(({ event }) => event);
    for (const type of Object.keys(document.webhooks)) assert.ok(named.includes(type) || types.has(type), type);
  });

  /** A payout that fails, and one that is paid; a dispute that is won, and one that is lost. */
  async function payOut(merchant: Merchant): Promise<void> {
    const clock = await merchant.clock('2027-03-01T00:00:00.000Z');
    const { id: customer_id } = await merchant.customer({ test_clock: clock.id });
    const payment_method = await merchant.card(customer_id);
    await merchant.intent({ customer_id, payment_method, confirm: true, metadata: { _sandbox_payout: 'fail,paid' } });
    for (const result of ['won', 'lost'] as const) {
      const { id } = await merchant.intent({ customer_id, payment_method, confirm: true });
      await merchant.client.paymentIntents.dispute(id, { result });
    }
    await merchant.advance(clock.id, '2027-03-15T00:00:00.000Z');
  }

  /**
   * Links: paid, failed ten times, deactivated, renewed and expired, and one whose debit came back; and a checkout
   * session that is expired.
   */
  async function endLinks(merchant: Merchant): Promise<void> {
    const { vault, db } = service;
    const { paymentLinks, checkoutSessions } = merchant.client;
    const terms = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' } as const;
    const now = realNow();
    const paid = await paymentLinks.create(terms);
    const tokenOf = (url = '') => url.split('/').at(-1) ?? '';
    const started = await startSession(db.sql, vault, tokenOf(paid.url), { requestId: 'req_test', now });
    assert.equal(started.kind, 'started');
    const form = { version: 0, method: card(), details: { name: 'Jo Nguyen', email: 'jo@example.com' } };
    const deps = {
      charging: { processors: { sandbox: sandboxProcessor, live: null }, hook: chargeHook },
      vault,
      ...linkedSubjects,
    };
    await paySession(db.sql, deps, started.kind === 'started' ? started.token : '', form, {
      requestId: 'req_test',
      now,
    });
    const debited = await paymentLinks.create({ ...terms, payment_method_types: ['au_becs_debit'] });
    const toDebit = await startSession(db.sql, vault, tokenOf(debited.url), { requestId: 'req_test', now });
    const { version: text_version, sha256: text_sha256 } = await merchant.client.mandates.getText();
    const agreed = {
      type: 'online',
      ip_address: '203.0.113.7',
      user_agent: 'Test',
      text_version,
      text_sha256,
    } as const;
    const byAccount = {
      ...form,
      method: {
        data: {
          type: 'au_becs_debit',
          payment_method_data: { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '12345678' },
        },
      } as const,
      acceptance: { ...agreed, signatory_name: 'Jo Nguyen' },
    };
    await paySession(db.sql, deps, toDebit.kind === 'started' ? toDebit.token : '', byAccount, {
      requestId: 'req_test',
      now,
    });
    const [payment] = (await paymentLinks.listPayments(debited.id)).data;
    for (const result of ['settled', 'returned'] as const) {
      await merchant.client.paymentIntents.reportBankResult(payment?.id ?? '', { result });
    }
    const tried = await paymentLinks.create(terms);
    const sitting = await startSession(db.sql, vault, tokenOf(tried.url), { requestId: 'req_test', now });
    const declined = { ...form, method: card('tok_sandbox_visa_decline_insufficient_funds') };
    for (let version = 0; sitting.kind === 'started' && version < 10; version += 1) {
      await paySession(db.sql, deps, sitting.token, { ...declined, version }, { requestId: 'req_test', now });
    }
    const { clock, payer } = await merchant.payerOnClock('2027-01-01T00:00:00Z');
    const { id } = await paymentLinks.create({ ...terms, customer_id: payer.id });
    await paymentLinks.deactivate(id);
    await paymentLinks.renew(id, { expires_at: '2027-01-05T00:00:00Z' });
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    await checkoutSessions.expire((await checkoutSessions.create(terms)).id);
    const refused = await selectPaymentLink(
      db.sql,
      { billerId: namedId('biller', String(payer.biller_id)), livemode: false },
      id,
    );
    assert.ok(refused);
    await throttleLink(db.sql, refused, addMs(now, 60_000), { requestId: 'req_test', now });
  }

  /** One subscription that ends its trial, is declined, recovers, is changed, paused, resumed and canceled. */
  async function liveThrough(merchant: Merchant): Promise<void> {
    const { clock, payer } = await merchant.payerOnClock('2027-01-01T00:00:00Z');
    const { subscriptions } = merchant.client;
    const { id } = await subscriptions.create({
      ...{ customer_id: payer.id, name: 'Membership', currency: 'AUD', frequency_type: 'monthly', trial_days: 5 },
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      metadata: { _sandbox_outcome_by_period: 'decline,succeed;succeed' },
    });
    await subscriptions.start(id);
    await merchant.advance(clock.id, '2027-01-06T12:00:00Z');
    await subscriptions.update(id, { one_off_items: [{ name: 'Card', unit_amount_cents: 500 }] });
    await merchant.advance(clock.id, '2027-01-10T00:00:00Z');
    const dearer = [{ name: 'Membership', unit_amount_cents: 9900 }];
    for (const items of [dearer, [{ name: 'Membership', unit_amount_cents: 4900 }]]) {
      await subscriptions.change(id, { items });
    }
    await subscriptions.update(id, { metadata: { _sandbox_outcome: 'decline' } });
    await subscriptions.change(id, { items: dearer, when: 'now', collect: 'now' });
    await subscriptions.update(id, { metadata: {} });
    await subscriptions.change(id, { items: dearer, when: 'now', collect: 'now' });
    await subscriptions.pause(id, {});
    await subscriptions.resume(id);
    await subscriptions.cancel(id, {});
    await subscriptions.uncancel(id);
    await subscriptions.pause(id, {});
    await merchant.advance(clock.id, '2027-02-10T00:00:00Z');
    await subscriptions.resume(id);
    await subscriptions.cancel(id, { at: 'now' });
  }

  /**
   * Four mandates: a debit under one comes back, one is canceled, the account of one is closed, and one is not used for
   * two years. A plan that is debited under the last one takes another amount.
   */
  async function endMandates(merchant: Merchant): Promise<void> {
    const { sql } = service.db;
    const { id: customer_reference } = await merchant.customer();
    const acceptance = { type: 'imported', accepted_at: '2026-01-01T00:00:00Z', signatory_name: 'Ada' } as const;
    const give = async (): Promise<string> => {
      const { body } = await merchant.request('POST', '/payment_methods', debit({}, { customer_reference }));
      return (await merchant.client.mandates.create({ payment_method_id: body.payment_method.id, acceptance })).id;
    };
    const { payment_method_id: payment_method } = await merchant.client.mandates.get(await give());
    const { id } = await merchant.intent({ customer_id: customer_reference });
    await merchant.client.paymentIntents.confirm(id, { payment_method });
    for (const result of ['settled', 'returned']) {
      await merchant.request('POST', `/test_helpers/payment_intents/${id}/bank_result`, { result });
    }
    await merchant.client.mandates.cancel(await give());
    const closed = await give();
    const now = realNow();
    await transact(sql, { requestId: null, now }, (tx) =>
      endMandateAfterReturn(tx, closed, 'account_closed', withoutClock(now)),
    );
    const { payment_method_id: debited } = await merchant.client.mandates.get(await give());
    const { id: plan } = await merchant.activePlan({
      customer_id: customer_reference,
      payment_instrument_id: debited,
      start_date: '2100-01-01',
    });
    await merchant.client.paymentPlans.update(plan, { recurring_amount_cents: 1100 });
    await expireMandates(sql, addMs(now, 731 * millisecondsPerDay));
  }

  it('are delivered again after a failure: delivery is retried', async function () {
    this.timeout(20_000);
    const { merchant, delivery } = tried;
    const { attempts, event_id } = await eventually('it is delivered', async () => {
      const found = await merchant.delivery(delivery);
      return found.status === 'delivered' && found;
    });
    assert.deepEqual(
      attempts.map(({ status_code }) => status_code),
      [500, 200],
    );
    const ids = receiver.received.filter(({ path }) => path === '/flaky').map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(ids, [event_id, event_id]);
  });
});
