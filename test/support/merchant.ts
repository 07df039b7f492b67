import {
  type AdvancingTestClock,
  type Customer,
  type CustomerCreate,
  type EffectsManifest,
  type Event,
  type PaymentIntent,
  type PaymentIntentCreate,
  type PaymentPlan,
  type PaymentPlanUpdate,
  type PlanPayment,
  type TestClock,
  TestClockError,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@payments-service/client';
import { type Mode, makePlan, type PlanTerms, saveCard } from '../../lab/payer.ts';
import { type Reply, sendChecked } from './api.ts';
import { checkedClient } from './client.ts';
import { assertIsWebhook } from './openapi.ts';

type Transition = 'activate' | 'suspend' | 'resume' | 'deactivate' | 'close';

/** For how long a clock may take to be ready. */
const advanceTimeoutMs = 60_000;

/** Each slot with its status and the instants of its attempts, such as `1 paid 2027-01-11T00:00:00.000Z`. */
export function paymentLines(payments: PlanPayment[]): string[] {
  return payments.map(({ slot, status, attempts }) => [slot, status, ...attempts.map(({ at }) => at)].join(' '));
}

/** An event whose data are compared as they are, whatever its type. */
export type AnyEvent = Omit<Event, 'data'> & { data: Record<string, unknown> };

export type Merchant = ReturnType<typeof createMerchant>;

/**
 * What a biller's own software does with the API at `url`, through the client with this key: a refusal fails the test.
 * Nothing here looks into the database.
 */
export function createMerchant(url: string, key: string, mode: Mode = 'sandbox') {
  const client = checkedClient(url, key);
  const { customers, paymentMethods, paymentIntents, paymentPlans, testClocks, webhookEndpoints } = client;

  const merchant = {
    key,
    client,
    /** A request as it is, whose response is a value: for what the client would not send, and for refusals. */
    request: (method: string, path: string, body?: unknown): Promise<Reply> =>
      sendChecked(`${url}/api/v1${path}`, method, { key, body }),

    customer: (input: Partial<CustomerCreate> = {}): Promise<Customer> =>
      customers.create({ name: 'Test payer', ...input }),

    /** Saves a card with the customer; the first one becomes the default. Returns its id. */
    card: (customerId: string, token?: string): Promise<string> => saveCard(client, customerId, token, mode),
    detach: (methodId: string): Promise<unknown> => paymentMethods.detach(methodId),

    /** A customer with a card that is charged without fail. */
    async payer(input: Partial<CustomerCreate> = {}): Promise<Customer> {
      const customer = await merchant.customer(input);
      await merchant.card(customer.id);
      return customer;
    },

    /** A pending plan: weekly, 1000 AUD cents, until further notice, unless its terms say otherwise. */
    plan: (terms: PlanTerms): Promise<PaymentPlan> => makePlan(client, { name: 'Test plan', ...terms }),
    /** The same, activated; of a new payer unless the terms name a customer. */
    async activePlan({ customer_id, ...terms }: Omit<PlanTerms, 'customer_id'> & { customer_id?: string }) {
      const payer = customer_id ?? (await merchant.payer()).id;
      const { id } = await merchant.plan({ customer_id: payer, ...terms });
      return merchant.move(id, 'activate');
    },
    /** A new clock with a customer on it. */
    async customerOnClock(frozenTime: string) {
      const clock = await merchant.clock(frozenTime);
      return { clock, payer: await merchant.customer({ test_clock: clock.id }) };
    },
    /** A new clock with a payer on it. */
    async payerOnClock(frozenTime: string) {
      const clock = await merchant.clock(frozenTime);
      return { clock, payer: await merchant.payer({ test_clock: clock.id }) };
    },
    /** The same, with an active plan. */
    async planOnClock(frozenTime: string, terms: Omit<PlanTerms, 'customer_id'>) {
      const { clock, payer } = await merchant.payerOnClock(frozenTime);
      return { clock, payer, plan: await merchant.activePlan({ customer_id: payer.id, ...terms }) };
    },
    move: (planId: string, transition: Transition): Promise<PaymentPlan> => paymentPlans[transition](planId),
    updatePlan: (planId: string, change: PaymentPlanUpdate): Promise<PaymentPlan> =>
      paymentPlans.update(planId, change),
    getPlan: (planId: string): Promise<PaymentPlan> => paymentPlans.get(planId),
    /** The slots that have come, oldest first. */
    payments: async (planId: string): Promise<PlanPayment[]> =>
      (await paymentPlans.listPayments(planId, { limit: 100 }).toArray()).reverse(),

    /** An intent of 1000 AUD cents, unless it says otherwise. */
    intent: (input: Partial<PaymentIntentCreate> = {}): Promise<PaymentIntent> =>
      paymentIntents.create({ amount: 1000, currency: 'AUD', ...input }),
    getIntent: (id: string): Promise<PaymentIntent> => paymentIntents.get(id),

    clock: (frozenTime: string): Promise<TestClock> => testClocks.create({ frozen_time: frozenTime }),
    getClock: (id: string): Promise<TestClock> => testClocks.get(id),
    /** Asks for an advance and does not wait for it. */
    beginAdvance: (clockId: string, target: string): Promise<AdvancingTestClock> =>
      testClocks.advance(clockId, { frozen_time: target }),
    /** Waits until the clock has stopped advancing; returns it, ready or failed. */
    async stopped(clockId: string, waitTimeoutMs = advanceTimeoutMs): Promise<TestClock> {
      try {
        return await testClocks.waitUntilReady(clockId, { waitTimeoutMs });
      } catch (error) {
        if (error instanceof TestClockError && error.clock.status === 'failed') return error.clock;
        throw error;
      }
    },
    /** Advances and waits for `ready`. */
    advance: (clockId: string, target: string): Promise<TestClock> =>
      testClocks.advanceAndWait(clockId, { frozen_time: target }, { waitTimeoutMs: advanceTimeoutMs }),
    deleteClock: (clockId: string): Promise<unknown> => testClocks.delete(clockId),

    /** The events of a type or of a clock, oldest first. */
    async events(query: { event_type?: string; test_clock?: string } = {}): Promise<AnyEvent[]> {
      const events = await client.events.list({ ...query, limit: 100 }).toArray();
      for (const event of events) assertIsWebhook(event);
      return events.reverse();
    },
    /** What each finished advance of a clock says that it did, oldest first. */
    async manifests(clockId: string): Promise<EffectsManifest[]> {
      const events = await merchant.events({ test_clock: clockId });
      const ready = events.filter(({ event_type }) => event_type === 'test_clock.ready');
      return ready.map(({ data }) => data.effects_manifest as EffectsManifest);
    },

    endpoint: (to: string, eventTypes = ['*']): Promise<WebhookEndpoint> =>
      webhookEndpoints.create({ url: to, event_types: eventTypes }),
    getEndpoint: (id: string): Promise<WebhookEndpoint> => webhookEndpoints.get(id),
    ping: (endpointId: string): Promise<WebhookDelivery> => webhookEndpoints.ping(endpointId),
    delivery: (id: string): Promise<WebhookDelivery> => client.webhookDeliveries.get(id),
    deliveries: async (endpointId: string): Promise<WebhookDelivery[]> =>
      (await webhookEndpoints.listDeliveries(endpointId, { limit: 100 }).toArray()).reverse(),
  };
  return merchant;
}
