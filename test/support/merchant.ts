import assert from 'node:assert/strict';
import type { Static, TSchema } from 'typebox';
import type { Customer, CustomerCreate } from '../../src/resources/customer.ts';
import type { Event } from '../../src/resources/event.ts';
import type { PaymentIntent, PaymentIntentCreate } from '../../src/resources/payment-intent.ts';
import type { CreatedPaymentMethod } from '../../src/resources/payment-method.ts';
import type {
  PaymentPlan,
  PaymentPlanCreate,
  PaymentPlanUpdate,
  PlanPayment,
} from '../../src/resources/payment-plan.ts';
import type { EffectsManifest, TestClock } from '../../src/resources/test-clock.ts';
import type { WebhookDelivery } from '../../src/resources/webhook-delivery.ts';
import type { WebhookEndpoint } from '../../src/resources/webhook-endpoint.ts';
import { type Reply, sendChecked } from './api.ts';
import { eventually } from './eventually.ts';
import { assertIsWebhook } from './openapi.ts';

type List<T> = { data: T[]; has_more: boolean };
type Transition = 'activate' | 'suspend' | 'resume' | 'deactivate' | 'close';
type PlanTerms = Partial<PaymentPlanCreate> & Pick<PaymentPlanCreate, 'customer_id' | 'start_date'>;

/** Each slot with its status and the instants of its attempts, such as `1 paid 2027-01-11T00:00:00.000Z`. */
export function told(payments: PlanPayment[]): string[] {
  return payments.map(({ slot, status, attempts }) => [slot, status, ...attempts.map(({ at }) => at)].join(' '));
}

export type Merchant = ReturnType<typeof createMerchant>;

/**
 * What a biller's own software does with the API at `url`: requests with this key, whose answers are typed and whose
 * refusals fail the test. Nothing here looks into the database.
 */
export function createMerchant(url: string, key: string) {
  const request = (method: string, path: string, body?: unknown): Promise<Reply> =>
    sendChecked(`${url}/api/v1${path}`, method, { key, body });

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await request(method, path, body);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  }
  const get = <T>(path: string): Promise<T> => ask<T>('GET', path);
  const post = <T>(path: string, body?: unknown): Promise<T> => ask<T>('POST', path, body);

  const clocks = '/test_helpers/test_clocks';
  const getClock = (id: string): Promise<TestClock> => get(`${clocks}/${id}`);

  const merchant = {
    key,
    request,

    customer: (input: Partial<CustomerCreate> = {}): Promise<Customer> =>
      post('/customers', { name: 'Test payer', ...input }),

    /** Saves a fixture card with the customer; the first one becomes the default. Answers its id. */
    async card(customerId: string, token = 'tok_sandbox_visa_succeed'): Promise<string> {
      const { payment_method } = await post<Static<typeof CreatedPaymentMethod & TSchema>>('/payment_methods', {
        type: 'card',
        customer_reference: customerId,
        payment_method_data: {
          expiry_month: 12,
          expiry_year: 2099,
          token_metadata: { type: 'fixture', token, data: '' },
        },
      });
      return payment_method.id;
    },
    detach: (methodId: string): Promise<unknown> => post(`/payment_methods/${methodId}/detach`),

    /** A customer with a card that is charged without fail. */
    async payer(input: Partial<CustomerCreate> = {}): Promise<Customer> {
      const customer = await merchant.customer(input);
      await merchant.card(customer.id);
      return customer;
    },

    /** A pending plan: weekly, 1000 AUD cents, until further notice, unless its terms say otherwise. */
    plan: (terms: PlanTerms): Promise<PaymentPlan> =>
      post('/payment_plans', {
        name: 'Test plan',
        frequency_type: 'weekly',
        recurring_amount_cents: 1000,
        currency: 'AUD',
        ...(terms.total_amount_cents === undefined ? { until_further_notice: true } : {}),
        ...terms,
      }),
    /** The same, activated. */
    async activePlan(terms: PlanTerms): Promise<PaymentPlan> {
      const { id } = await merchant.plan(terms);
      return merchant.move(id, 'activate');
    },
    move: (planId: string, transition: Transition): Promise<PaymentPlan> =>
      post(`/payment_plans/${planId}/${transition}`),
    updatePlan: (planId: string, change: PaymentPlanUpdate): Promise<PaymentPlan> =>
      ask('PUT', `/payment_plans/${planId}`, change),
    getPlan: (planId: string): Promise<PaymentPlan> => get(`/payment_plans/${planId}`),
    /** The slots that have come, oldest first. */
    async payments(planId: string): Promise<PlanPayment[]> {
      const { data, has_more } = await get<List<PlanPayment>>(`/payment_plans/${planId}/payments?limit=100`);
      assert.equal(has_more, false);
      return data.reverse();
    },

    intent: (input: PaymentIntentCreate): Promise<PaymentIntent> => post('/payment_intents', input),
    getIntent: (id: string): Promise<PaymentIntent> => get(`/payment_intents/${id}`),

    clock: (frozenTime: string): Promise<TestClock> => post(clocks, { frozen_time: frozenTime }),
    getClock,
    /** Asks for an advance and does not wait for it. */
    beginAdvance: (clockId: string, target: string): Promise<{ id: string; status: string; frozen_time: string }> =>
      post(`${clocks}/${clockId}/advance`, { frozen_time: target }),
    /** Waits until the clock has stopped advancing; answers it, ready or failed. */
    settled: (clockId: string, timeoutMs?: number): Promise<TestClock> =>
      eventually(
        `clock ${clockId} has advanced`,
        async () => {
          const clock = await getClock(clockId);
          return clock.status === 'advancing' ? null : clock;
        },
        timeoutMs === undefined ? {} : { timeoutMs },
      ),
    /** Advances and waits for `ready`. */
    async advance(clockId: string, target: string): Promise<TestClock> {
      await merchant.beginAdvance(clockId, target);
      const clock = await merchant.settled(clockId);
      assert.equal(clock.status, 'ready', clock.failure_reason ?? clock.status);
      return clock;
    },
    deleteClock: (clockId: string): Promise<unknown> => ask('DELETE', `${clocks}/${clockId}`),

    /** The events of a type or of a clock, oldest first. */
    async events(query: { event_type?: string; test_clock?: string } = {}): Promise<Event[]> {
      const events: Event[] = [];
      for (;;) {
        const wanted = new URLSearchParams({ ...query, limit: '100' });
        const last = events.at(-1);
        if (last !== undefined) wanted.set('starting_after', last.id);
        const page = await get<List<Event>>(`/events?${wanted}`);
        for (const event of page.data) assertIsWebhook(event);
        events.push(...page.data);
        if (!page.has_more) return events.reverse();
      }
    },
    /** What each finished advance of a clock says that it did, oldest first. */
    async manifests(clockId: string): Promise<EffectsManifest[]> {
      const events = await merchant.events({ test_clock: clockId });
      const ready = events.filter(({ event_type }) => event_type === 'test_clock.ready');
      return ready.map(({ data }) => data.effects_manifest as EffectsManifest);
    },

    endpoint: (to: string, eventTypes = ['*']): Promise<WebhookEndpoint> =>
      post('/webhook_endpoints', { url: to, event_types: eventTypes }),
    getEndpoint: (id: string): Promise<WebhookEndpoint> => get(`/webhook_endpoints/${id}`),
    ping: (endpointId: string): Promise<WebhookDelivery> => post(`/webhook_endpoints/${endpointId}/ping`),
    delivery: (id: string): Promise<WebhookDelivery> => get(`/webhook_deliveries/${id}`),
    deliveries: async (endpointId: string): Promise<WebhookDelivery[]> =>
      (await get<List<WebhookDelivery>>(`/webhook_endpoints/${endpointId}/deliveries?limit=100`)).data.reverse(),
  };
  return merchant;
}
