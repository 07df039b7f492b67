import { ApiError, type PaymentMethodCreate, type SubscriptionCreate } from '@payments-service/client';
import { clientOf } from '../lab/client.ts';
import { eventually } from '../lab/eventually.ts';
import { itemInTurn } from '../lab/parallel.ts';
import { makePlan, type PlanTerms } from '../lab/payer.ts';
import { realNow } from '../src/platform/real-time.ts';

/** By kind, values that the service knows: ids of objects that exist, dates that are not past. */
export type Scenery = Record<string, string[]>;

const dayMs = 86_400_000;
/** Each with the outcome of a charge on it. */
const tokens = [
  'tok_sandbox_visa_succeed',
  'tok_sandbox_mastercard_succeed',
  'tok_sandbox_visa_decline_insufficient_funds',
  'tok_sandbox_visa_decline_card_lost',
  'tok_sandbox_visa_decline_expired_card',
  'tok_sandbox_visa_3ds_required',
  'tok_sandbox_visa_timeout',
];
const bankAccount: PaymentMethodCreate = {
  type: 'au_becs_debit',
  payment_method_data: { bsb_number: '000-000', account_name: 'Payer', account_number: '12345678' },
};
const imported = { type: 'imported', accepted_at: '2020-01-01T00:00:00Z', signatory_name: 'Payer' } as const;
/** Enough that some are left when a run deletes, closes or detaches others. */
const customerCount = 12;

const invoice = { name: 'Invoice', amount: 2500, currency: 'AUD' } as const;

/**
 * Makes objects in every state by the API, for requests to name, and returns their ids. What a run creates comes on
 * top: schemathesis uses the ids of its responses.
 */
export async function makeScenery(
  baseUrl: string,
  key: string,
  billerId: string,
  mode: 'sandbox' | 'live',
): Promise<Scenery> {
  const client = clientOf({ baseUrl, key });
  const now = realNow().getTime();
  const day = (offset: number) => new Date(now + offset * dayMs).toISOString().slice(0, 10);
  const made: Scenery = {
    billers: [billerId],
    customers: [],
    methods: [],
    accounts: [],
    mandates: [],
    intents: [],
    secrets: [],
    refunds: [],
    plans: [],
    links: [],
    sessions: [],
    subscriptions: [],
    clocks: [],
    balance_rows: [],
    payouts: [],
    disputes: [],
    dashboard_sessions: [],
    events: [],
    endpoints: [],
    deliveries: [],
    // A port without a listener. Live mode accepts only a public host, and must not reach a real one.
    urls: mode === 'live' ? ['https://fuzz.invalid/hooks'] : ['http://127.0.0.1:9/hooks', 'https://localhost:9/a?b=c'],
    event_types: ['*', 'payment_intent.*', 'payment_plan.closed', 'test_clock.ready'],
    days: [0, 0, 1, 7, 30, 365, 366].map(day),
    instants: [0, 1, 20, 40, 61].map((offset) => new Date(now + offset * dayMs).toISOString()),
  };
  const note = (kind: keyof Scenery, { id }: { id: string }) => {
    made[kind]?.push(id);
    return id;
  };

  for (const role of ['viewer', 'admin'] as const) {
    note('dashboard_sessions', await client.dashboardSessions.create({ person: 'Ann', role }));
  }
  const isSandbox = mode === 'sandbox';
  const frozen_time = new Date(now).toISOString();
  const clock = isSandbox ? note('clocks', await client.testClocks.create({ frozen_time })) : null;
  for (let index = 0; index < customerCount; index++) {
    const placed = clock !== null && index < 3 ? { test_clock: clock } : {};
    const payer = { name: `Payer ${index}`, reference: `payer-${index}`, ...placed };
    const customer_id = note('customers', await client.customers.create(payer));
    const account = async () => {
      const saved = await client.paymentMethods.create({ ...bankAccount, customer_reference: customer_id });
      return note('accounts', saved.payment_method);
    };
    const payment_method_id = await account();
    await account(); // an account has one mandate: this one is for those that a run creates
    for (const step of itemInTurn(
      [[], ['create'], ['create', 'accept', 'debit'], ['create', 'cancel']] as const,
      index,
    )) {
      if (step === 'create') note('mandates', await client.mandates.create({ payment_method_id }));
      const mandate = made.mandates?.at(-1) ?? '';
      if (step === 'accept') await client.mandates.accept(mandate, imported);
      if (step === 'cancel') await client.mandates.cancel(mandate);
      if (step !== 'debit' || !isSandbox) continue;
      const debited = note(
        'intents',
        await client.paymentIntents.create({ amount: 1000, currency: 'AUD', customer_id }),
      );
      await client.paymentIntents.confirm(debited, { payment_method: payment_method_id });
    }
    const saved = await client.paymentMethods.create({ ...card(mode, index), customer_reference: customer_id });
    const payment_method = note('methods', saved.payment_method);
    for (const steps of [[], [], ['confirm'], ['confirm', 'refund']]) {
      const terms = { amount: 1000, currency: 'AUD', customer_id, payment_method } as const;
      const intent = await client.paymentIntents.create(terms);
      note('intents', intent);
      made.secrets?.push(intent.client_secret ?? '');
      // In live mode there is no processor.
      if (!isSandbox) continue;
      if (steps.includes('confirm')) await client.paymentIntents.confirm(intent.id).catch(unlessUnprocessable);
      if (!steps.includes('refund')) continue;
      const refund = await client.refunds.create(intent.id, { amount: 100 }).catch(unlessUnprocessable);
      if (refund !== null) note('refunds', refund);
      const dispute = await client.paymentIntents.dispute(intent.id).catch(unlessUnprocessable);
      if (dispute !== null) note('disputes', dispute);
    }
    for (const steps of [[], ['deactivate']]) {
      const link = note('links', await client.paymentLinks.create({ ...invoice, customer_id }));
      if (steps.includes('deactivate')) await client.paymentLinks.deactivate(link);
      const session = note('sessions', await client.checkoutSessions.create({ ...invoice, customer_id }));
      if (steps.includes('deactivate')) await client.checkoutSessions.expire(session);
    }
    for (const [count, steps] of ([[], ['activate'], ['activate'], ['activate', 'suspend']] as const).entries()) {
      const plan = note('plans', await makePlan(client, planOf(customer_id, count, day(1))));
      for (const step of steps) await client.paymentPlans[step](plan);
    }
    for (const steps of [[], ['start'], ['start', 'cancel'], ['start', 'pause'], ['start', 'change']]) {
      const subscription = note('subscriptions', await client.subscriptions.create(subscriptionOf(customer_id)));
      if (!isSandbox) continue;
      // A first payment that is declined leaves it pending: then there is nothing to pause.
      if (steps.includes('start')) await client.subscriptions.start(subscription).catch(unlessUnprocessable);
      if (steps.includes('cancel')) await client.subscriptions.cancel(subscription, {}).catch(unlessUnprocessable);
      if (steps.includes('change')) {
        const items = [{ name: 'Membership', unit_amount_cents: 900 }];
        await client.subscriptions.change(subscription, { items, when: 'now' }).catch(unlessUnprocessable);
      }
      if (steps.includes('pause')) await client.subscriptions.pause(subscription, {}).catch(unlessUnprocessable);
    }
  }
  // A customer and its method; the last one is on no clock, whose deletion would delete it.
  made.a_customer = made.customers?.slice(-1) ?? [];
  made.its_method = made.methods?.slice(-1) ?? [];
  for (let index = 0; index < 5; index++) {
    note('methods', (await client.paymentMethods.create(card(mode, index))).payment_method);
  }
  for (const event of (await client.events.list({ limit: 40 })).data) note('events', event);
  if (isSandbox) {
    // The rows of what was paid above are posted by the worker a moment later.
    const rows = await eventually('the books have rows', async () => {
      const { data } = await client.balanceTransactions.list({ limit: 40 });
      return data.length > 0 && data;
    });
    for (const row of rows) note('balance_rows', row);
    if (clock !== null) {
      // Two days of business later the clock's payments are paid out. A weekend may lie in between.
      await client.testClocks.advanceAndWait(clock, { frozen_time: new Date(now + 5 * dayMs).toISOString() });
      for (const payout of (await client.payouts.list({ test_clock: clock })).data) note('payouts', payout);
    }
    for (let index = 0; index < 4; index++) {
      const to = { url: made.urls?.[0] ?? '', event_types: ['payment_plan.*'] };
      const endpoint = note('endpoints', await client.webhookEndpoints.create(to));
      note('deliveries', await client.webhookEndpoints.ping(endpoint));
      note('deliveries', await client.webhookEndpoints.ping(endpoint));
    }
  }
  return made;
}

function card(mode: 'sandbox' | 'live', index: number): PaymentMethodCreate {
  const token_metadata =
    mode === 'live'
      ? { type: 'vault', token: `card-${index}`, data: '' }
      : { type: 'fixture', token: itemInTurn(tokens, index), data: '' };
  const payment_method_data = { expiry_month: 12, expiry_year: 2099, card_number_end: '4242', token_metadata };
  return { type: 'card', payment_method_data };
}

function subscriptionOf(customer_id: string): SubscriptionCreate {
  const items = [{ name: 'Membership', unit_amount_cents: 4900 }];
  return { customer_id, name: 'Membership', currency: 'AUD', frequency_type: 'monthly', items };
}

function planOf(customer_id: string, index: number, start_date: string): PlanTerms {
  const isWeekly = index % 2 === 0;
  const terms = { customer_id, start_date, name: `Plan ${index}` };
  return isWeekly ? terms : { ...terms, frequency_type: 'monthly', total_amount_cents: 5000 };
}

/** A card that is declined, for example, cannot be refunded. */
function unlessUnprocessable(error: unknown): null {
  if (error instanceof ApiError && error.status === 422) return null;
  throw error;
}
