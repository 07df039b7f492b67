import { realNow } from '../src/platform/real-time.ts';

/** By kind, values that mean something to the service: ids of objects that exist, dates that are not past. */
export type Scenery = Record<string, string[]>;

const dayMs = 86_400_000;
const api = '/api/v1';
/** Each with the outcome of a charge on it. */
const tokens = [
  'tok_sandbox_visa_succeed',
  'tok_sandbox_mastercard_succeed',
  'tok_sandbox_visa_decline_insufficient_funds',
  'tok_sandbox_visa_decline_card_lost',
  'tok_sandbox_visa_3ds_required',
  'tok_sandbox_visa_timeout',
];
/** Enough that those which a run deletes, closes or detaches leave some. */
const customerCount = 12;

/**
 * Makes objects in every state over the API, for requests to name, and answers their ids. What a run creates comes on top:
 * schemathesis uses the ids that it is answered with.
 */
export async function makeScenery(
  baseUrl: string,
  key: string,
  billerId: string,
  mode: 'sandbox' | 'live',
): Promise<Scenery> {
  const { post, get } = client(`${baseUrl}${api}`, key);
  const now = realNow().getTime();
  const day = (offset: number) => new Date(now + offset * dayMs).toISOString().slice(0, 10);
  const made: Scenery = {
    billers: [billerId],
    customers: [],
    methods: [],
    intents: [],
    secrets: [],
    refunds: [],
    plans: [],
    clocks: [],
    events: [],
    endpoints: [],
    deliveries: [],
    // A port that nobody listens on. In live mode only a public host would do, and none is to be bothered.
    urls: mode === 'live' ? ['https://fuzz.invalid/hooks'] : ['http://127.0.0.1:9/hooks', 'https://localhost:9/a?b=c'],
    event_types: ['*', 'payment_intent.*', 'payment_plan.closed', 'test_clock.ready'],
    days: [0, 0, 1, 7, 30, 365, 366].map(day),
    instants: [0, 1, 20, 40, 61].map((offset) => new Date(now + offset * dayMs).toISOString()),
  };
  const keep = (kind: keyof Scenery, object: { id?: string }) => {
    const id = object.id ?? '';
    made[kind] = [...(made[kind] ?? []), id];
    return id;
  };

  const isSandbox = mode === 'sandbox';
  const clock = isSandbox
    ? keep('clocks', await post('/test_helpers/test_clocks', { frozen_time: made.instants?.[0] }))
    : null;
  for (let index = 0; index < customerCount; index++) {
    const bound = clock !== null && index < 3 ? { test_clock: clock } : {};
    const customer = keep(
      'customers',
      await post('/customers', { name: `Payer ${index}`, reference: `payer-${index}`, ...bound }),
    );
    const method = await post('/payment_methods', {
      type: 'card',
      customer_reference: customer,
      payment_method_data: card(mode, index),
    });
    const payment_method = keep('methods', method.payment_method ?? {});
    for (const steps of [[], [], isSandbox ? ['confirm'] : [], isSandbox ? ['confirm', 'refunds'] : []]) {
      const intent = await post('/payment_intents', {
        amount: 1000,
        currency: 'AUD',
        customer_id: customer,
        payment_method,
      });
      const id = keep('intents', intent);
      made.secrets?.push(intent.client_secret ?? '');
      for (const step of steps) {
        const answer = await post(
          `/payment_intents/${id}/${step}`,
          step === 'refunds' ? { amount: 100 } : undefined,
          [200, 201, 422],
        );
        if (step === 'refunds' && answer.id !== undefined) keep('refunds', answer);
      }
    }
    for (const [count, steps] of [[], ['activate'], ['activate'], ['activate', 'suspend']].entries()) {
      const plan = keep('plans', await post('/payment_plans', planOf(customer, count, day(1))));
      for (const step of steps) await post(`/payment_plans/${plan}/${step}`);
    }
  }
  // A customer and its method; the last one lives on no clock, whose deletion would take it away.
  made.a_customer = made.customers?.slice(-1) ?? [];
  made.its_method = made.methods?.slice(-1) ?? [];
  for (let index = 0; index < 5; index++) {
    const unattached = await post('/payment_methods', { type: 'card', payment_method_data: card(mode, index) });
    keep('methods', unattached.payment_method ?? {});
  }
  for (const { id } of (await get('/events?limit=40')).data ?? []) keep('events', { id });
  if (isSandbox) {
    for (let index = 0; index < 4; index++) {
      const endpoint = keep(
        'endpoints',
        await post('/webhook_endpoints', { url: made.urls?.[0], event_types: ['payment_plan.*'] }),
      );
      keep('deliveries', await post(`/webhook_endpoints/${endpoint}/ping`));
      keep('deliveries', await post(`/webhook_endpoints/${endpoint}/ping`));
    }
  }
  return made;
}

function card(mode: 'sandbox' | 'live', index: number) {
  const token_metadata =
    mode === 'live'
      ? { type: 'vault', token: `card-${index}`, data: '' }
      : { type: 'fixture', token: tokens[index % tokens.length], data: '' };
  return { expiry_month: 12, expiry_year: 2099, card_number_end: '4242', token_metadata };
}

function planOf(customer_id: string, index: number, start_date: string) {
  const end = index % 2 === 0 ? { until_further_notice: true } : { total_amount_cents: 5000 };
  const frequency_type = index % 2 === 0 ? 'weekly' : 'monthly';
  return {
    customer_id,
    name: `Plan ${index}`,
    frequency_type,
    recurring_amount_cents: 1000,
    currency: 'AUD',
    start_date,
    ...end,
  };
}

/** What is read of an answer. */
interface Answer {
  id?: string;
  status?: string;
  client_secret?: string;
  payment_method?: { id?: string };
  data?: { id: string }[];
}

function client(root: string, key: string) {
  async function send(method: string, path: string, body?: unknown, allowed?: number[]): Promise<Answer> {
    const response = await fetch(`${root}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!(allowed ?? [200, 201]).includes(response.status)) {
      throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
    }
    return JSON.parse(text);
  }
  return {
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown, allowed?: number[]) => send('POST', path, body, allowed),
  };
}
