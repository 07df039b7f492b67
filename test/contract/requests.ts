import { newId } from '../../src/domain/ids.ts';
import { postEvents } from '../../src/services/ledger/follower.ts';
import type { Stage } from '../support/stage.ts';
import { card, clock, debit, instruments, intent, plan, subscription } from './bodies.ts';
import type { Json } from './rows.ts';

/** A request of the stage's biller, without the key. */
interface Request {
  path: string;
  body?: Json;
}

const imported: Json = { type: 'imported', accepted_at: '2026-01-01T00:00:00Z', signatory_name: 'Ada Lovelace' };

export type Prepare = (stage: Stage) => Promise<Request>;

const v1 = '/api/v1';
/** A range of a report. */
const aYear = 'from=2026-01-01&to=2027-01-01';
const at = (path: string, body?: Json): Request => ({ path: `${v1}${path}`, ...(body === undefined ? {} : { body }) });
const plain =
  (path: string, body?: Json): Prepare =>
  async () =>
    at(path, body);

const customer = async ({ merchant }: Stage): Promise<string> => (await merchant.customer()).id;
const payer = async ({ merchant }: Stage): Promise<string> => (await merchant.payer()).id;
const newClock = async ({ merchant }: Stage): Promise<string> => (await merchant.clock('2027-01-10T00:00:00Z')).id;

async function made(stage: Stage, path: string, body: Json): Promise<Json> {
  const reply = await stage.request('POST', path, body);
  if (reply.status >= 300) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`);
  return reply.body;
}

async function method(stage: Stage): Promise<string> {
  const { body } = await stage.request('POST', '/payment_methods', debit());
  return body.payment_method.id;
}

async function account(stage: Stage): Promise<string> {
  const { body } = await stage.request(
    'POST',
    '/payment_methods',
    debit({}, { customer_reference: await customer(stage) }),
  );
  return body.payment_method.id;
}

/** A mandate for a bank account of a new customer, imported if it is `active`. */
async function mandate(stage: Stage, status: 'pending' | 'active' = 'pending'): Promise<string> {
  const acceptance = status === 'active' ? { acceptance: imported } : {};
  return String((await made(stage, '/mandates', { payment_method_id: await account(stage), ...acceptance })).id);
}

async function newIntent(stage: Stage, more: Json = {}): Promise<string> {
  return String((await made(stage, '/payment_intents', intent(more))).id);
}

/** A payment intent confirmed with this fixture card. */
async function charged(stage: Stage, outcome = 'succeed'): Promise<string> {
  const id = await newIntent(stage, { metadata: { _sandbox_outcome: outcome } });
  await made(stage, `/payment_intents/${id}/confirm`, { payment_method: await method(stage) });
  return id;
}

async function dashboardSession(stage: Stage): Promise<string> {
  return String((await made(stage, '/dashboard_sessions', { person: 'ann@school.example', role: 'admin' })).id);
}

/** A payout on a clock of its own. */
async function paidOut({ merchant, advance, db }: Stage): Promise<string> {
  const { clock: its, payer: owner } = await merchant.customerOnClock('2027-03-01T10:00:00Z');
  const payment_method = await merchant.card(owner.id);
  await merchant.intent({ customer_id: owner.id, payment_method, confirm: true });
  await advance(its.id, '2027-03-05T00:00:00Z');
  const [row] = await db.sql<{ id: string }[]>`select id from payouts where test_clock_id = ${its.id}`;
  return row?.id ?? '';
}

/** A payment intent that was paid by card and is disputed. Returns the dispute's id. */
async function disputed(stage: Stage): Promise<string> {
  return String((await made(stage, `/test_helpers/payment_intents/${await charged(stage)}/dispute`, {})).id);
}

/** A payment intent whose bank debit is under way. */
async function debited(stage: Stage): Promise<string> {
  const payment_method = await account(stage);
  await made(stage, '/mandates', { payment_method_id: payment_method, acceptance: imported });
  const id = await newIntent(stage);
  const [owner] = await stage.db.sql`select customer_id from payment_methods where id = ${payment_method}`;
  await made(stage, `/payment_intents/${id}/confirm`, { payment_method, ...owner });
  return id;
}

const invoice: Json = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' };

async function link(stage: Stage): Promise<string> {
  return String((await made(stage, '/payment_links', invoice)).id);
}

async function deactivatedLink(stage: Stage): Promise<string> {
  const id = await link(stage);
  await made(stage, `/payment_links/${id}/deactivate`, {});
  return id;
}

async function session(stage: Stage): Promise<string> {
  return String((await made(stage, '/checkout_sessions', invoice)).id);
}

async function pendingPlan(stage: Stage): Promise<string> {
  return String((await made(stage, '/payment_plans', plan(await payer(stage)))).id);
}

async function activePlan(stage: Stage): Promise<string> {
  const id = await pendingPlan(stage);
  await stage.merchant.move(id, 'activate');
  return id;
}

async function suspendedPlan(stage: Stage): Promise<string> {
  const id = await activePlan(stage);
  await stage.merchant.move(id, 'suspend');
  return id;
}

async function closedPlan(stage: Stage): Promise<string> {
  const id = await pendingPlan(stage);
  await stage.merchant.move(id, 'close');
  return id;
}

const cheaper = { items: [{ name: 'Membership', unit_amount_cents: 900 }], when: 'now' } as const;

async function pendingSubscription(stage: Stage): Promise<string> {
  return String((await made(stage, '/subscriptions', subscription(await payer(stage)))).id);
}

async function activeSubscription(stage: Stage): Promise<string> {
  const id = await pendingSubscription(stage);
  await made(stage, `/subscriptions/${id}/start`, {});
  return id;
}

/** One whose end was set. */
async function endingSubscription(stage: Stage): Promise<string> {
  const id = await activeSubscription(stage);
  await made(stage, `/subscriptions/${id}/cancel`, {});
  return id;
}

/** One whose pause was requested. */
async function pausingSubscription(stage: Stage): Promise<string> {
  const id = await activeSubscription(stage);
  await made(stage, `/subscriptions/${id}/pause`, {});
  return id;
}

/** One whose second period was declined. */
async function unpaidSubscription(stage: Stage): Promise<string> {
  const terms = { metadata: { _sandbox_outcome_by_period: 'succeed;decline' }, start_date: '2027-01-10' };
  const { payer: one, clock: its } = await stage.merchant.payerOnClock('2027-01-10T00:00:00Z');
  const { id } = await made(stage, '/subscriptions', subscription(one.id, terms));
  await made(stage, `/subscriptions/${id}/start`, {});
  await stage.advance(its.id, '2027-02-10T00:00:00Z');
  return String(id);
}

async function endpoint(stage: Stage): Promise<string> {
  return (await stage.merchant.endpoint('http://127.0.0.1:9/hook')).id;
}

async function delivery(stage: Stage): Promise<string> {
  return (await stage.merchant.ping(await endpoint(stage))).id;
}

/** For each operation, a request that succeeds, with its preparation. A status distinguishes two successes. */
export const succeeding: Readonly<Record<string, Prepare>> = {
  'POST /api/v1/customers': plain('/customers', { name: 'Ada Lovelace' }),
  'GET /api/v1/customers': plain('/customers'),
  'GET /api/v1/customers/{customer_id}': async (stage) => at(`/customers/${await customer(stage)}`),
  'PUT /api/v1/customers/{customer_id}': async (stage) => at(`/customers/${await customer(stage)}`, { name: 'Ada' }),
  'DELETE /api/v1/customers/{customer_id}': async (stage) => at(`/customers/${await customer(stage)}`),
  'GET /api/v1/customers/{customer_id}/payment_intents': async (stage) =>
    at(`/customers/${await customer(stage)}/payment_intents`),
  'GET /api/v1/customers/{customer_id}/payment_methods': async (stage) =>
    at(`/customers/${await payer(stage)}/payment_methods`),
  'GET /api/v1/customers/{customer_id}/payment_methods/{payment_method_id}': async (stage) => {
    const id = await customer(stage);
    return at(`/customers/${id}/payment_methods/${await stage.merchant.card(id)}`);
  },

  'POST /api/v1/payment_methods': plain('/payment_methods', card()),
  'GET /api/v1/payment_methods': plain('/payment_methods'),
  'GET /api/v1/payment_methods/{payment_method_id}': async (stage) => at(`/payment_methods/${await method(stage)}`),
  'POST /api/v1/payment_methods/{payment_method_id}/detach': async (stage) =>
    at(`/payment_methods/${await method(stage)}/detach`),
  'POST /api/v1/payment_methods/{payment_method_id}/attach': async (stage) =>
    at(`/payment_methods/${await method(stage)}/attach`, { customer_id: await customer(stage) }),
  'POST /api/v1/test_helpers/payment_methods': plain('/test_helpers/payment_methods', {
    type: 'klarna',
    instrument_data: instruments.klarna,
  }),

  'POST /api/v1/mandates': async (stage) => at('/mandates', { payment_method_id: await account(stage) }),
  'GET /api/v1/mandates': plain('/mandates'),
  'GET /api/v1/mandates/{mandate_id}': async (stage) => at(`/mandates/${await mandate(stage)}`),
  'GET /api/v1/mandates/{mandate_id}/document': async (stage) => at(`/mandates/${await mandate(stage)}/document`),
  'POST /api/v1/mandates/{mandate_id}/accept': async (stage) =>
    at(`/mandates/${await mandate(stage)}/accept`, imported),
  'POST /api/v1/mandates/{mandate_id}/cancel': async (stage) => at(`/mandates/${await mandate(stage)}/cancel`, {}),
  'POST /api/v1/mandates/{mandate_id}/notices': async (stage) =>
    at(`/mandates/${await mandate(stage)}/notices`, { kind: 'terms_changed', channel: 'email' }),
  'POST /api/v1/test_helpers/mandates/{mandate_id}/payer_cancels': async (stage) =>
    at(`/test_helpers/mandates/${await mandate(stage, 'active')}/payer_cancels`),
  'GET /api/v1/mandate_texts/au_becs': plain('/mandate_texts/au_becs'),
  'GET /api/v1/account': plain('/account'),
  'GET /api/v1/surcharge_rules': plain('/surcharge_rules'),
  'GET /api/v1/business_days': plain('/business_days?scheme=au_becs&from=2027-01-01'),

  'POST /api/v1/payment_intents': plain('/payment_intents', intent()),
  'POST /api/v1/payment_intents/{payment_intent_id}/confirm': async (stage) =>
    at(`/payment_intents/${await newIntent(stage)}/confirm`, { payment_method: await method(stage) }),
  'GET /api/v1/payment_intents': plain('/payment_intents'),
  'GET /api/v1/payment_intents/{payment_intent_id}': async (stage) => at(`/payment_intents/${await newIntent(stage)}`),
  'POST /api/v1/payment_intents/{payment_intent_id}/cancel': async (stage) =>
    at(`/payment_intents/${await newIntent(stage)}/cancel`),
  'POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/complete_action': async (stage) =>
    at(`/test_helpers/payment_intents/${await charged(stage, 'requires_action')}/complete_action`, {
      result: 'succeed',
    }),
  'POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/bank_result': async (stage) =>
    at(`/test_helpers/payment_intents/${await debited(stage)}/bank_result`, { result: 'settled' }),
  'POST /api/v1/payment_intents/{payment_intent_id}/refunds': async (stage) =>
    at(`/payment_intents/${await charged(stage)}/refunds`, {}),
  'GET /api/v1/payment_intents/{payment_intent_id}/refunds': async (stage) =>
    at(`/payment_intents/${await charged(stage)}/refunds`),
  'GET /api/v1/refunds': plain('/refunds'),
  'GET /api/v1/balance': plain('/balance'),
  'GET /api/v1/balance_transactions': plain('/balance_transactions'),
  'GET /api/v1/balance_transactions/{balance_transaction_id}': async (stage) => {
    const id = await charged(stage);
    await postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
    const [row] = await stage.db.sql`select id from balance_transactions where source_id = ${id}`;
    return at(`/balance_transactions/${row?.id}`);
  },
  'POST /api/v1/dashboard_sessions': plain('/dashboard_sessions', { person: 'ann@school.example', role: 'viewer' }),
  'GET /api/v1/dashboard_sessions': plain('/dashboard_sessions'),
  'POST /api/v1/dashboard_sessions/{dashboard_session_id}/end': async (stage) =>
    at(`/dashboard_sessions/${await dashboardSession(stage)}/end`),
  'GET /api/v1/payouts': plain('/payouts'),
  'GET /api/v1/payouts/{payout_id}': async (stage) => at(`/payouts/${await paidOut(stage)}`),
  'GET /api/v1/payouts/{payout_id}/items': async (stage) => at(`/payouts/${await paidOut(stage)}/items`),
  'GET /api/v1/disputes': plain('/disputes'),
  'GET /api/v1/disputes/{dispute_id}': async (stage) => at(`/disputes/${await disputed(stage)}`),
  'POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/dispute': async (stage) =>
    at(`/test_helpers/payment_intents/${await charged(stage)}/dispute`, {}),
  'GET /api/v1/reports/balance_transactions': plain(`/reports/balance_transactions?${aYear}`),
  'GET /api/v1/reports/plans': plain(`/reports/plans?${aYear}`),
  'GET /api/v1/reports/aging': plain('/reports/aging'),
  'GET /api/v1/reports/payouts': plain(`/reports/payouts?${aYear}`),
  'GET /api/v1/reports/failed_payments': plain(`/reports/failed_payments?${aYear}`),
  'GET /api/v1/reports/mandates': plain('/reports/mandates'),
  'GET /api/v1/customers/{customer_id}/statement': async (stage) => at(`/customers/${await payer(stage)}/statement`),
  'GET /api/v1/customers/{customer_id}/statement/document': async (stage) =>
    at(`/customers/${await payer(stage)}/statement/document`),
  'GET /api/v1/refunds/{refund_id}': async (stage) =>
    at(`/refunds/${(await made(stage, `/payment_intents/${await charged(stage)}/refunds`, {})).id}`),

  'POST /api/v1/payment_plans': async (stage) => at('/payment_plans', plan(await payer(stage))),
  'GET /api/v1/payment_plans': plain('/payment_plans'),
  'GET /api/v1/payment_plans/{plan_id}': async (stage) => at(`/payment_plans/${await pendingPlan(stage)}`),
  'PUT /api/v1/payment_plans/{plan_id}': async (stage) =>
    at(`/payment_plans/${await activePlan(stage)}`, { recurring_amount_cents: 2000 }),
  'POST /api/v1/payment_plans/{plan_id}/activate': async (stage) =>
    at(`/payment_plans/${await pendingPlan(stage)}/activate`),
  'POST /api/v1/payment_plans/{plan_id}/suspend': async (stage) =>
    at(`/payment_plans/${await activePlan(stage)}/suspend`),
  'POST /api/v1/payment_plans/{plan_id}/resume': async (stage) =>
    at(`/payment_plans/${await suspendedPlan(stage)}/resume`),
  'POST /api/v1/payment_plans/{plan_id}/deactivate': async (stage) =>
    at(`/payment_plans/${await activePlan(stage)}/deactivate`),
  'POST /api/v1/payment_plans/{plan_id}/close': async (stage) => at(`/payment_plans/${await pendingPlan(stage)}/close`),
  'GET /api/v1/payment_plans/{plan_id}/payments': async (stage) =>
    at(`/payment_plans/${await pendingPlan(stage)}/payments`),
  'GET /api/v1/payment_plans/{plan_id}/schedule': async (stage) =>
    at(`/payment_plans/${await pendingPlan(stage)}/schedule`),

  'POST /api/v1/payment_links': plain('/payment_links', invoice),
  'GET /api/v1/payment_links': plain('/payment_links'),
  'GET /api/v1/payment_links/{payment_link_id}': async (stage) => at(`/payment_links/${await link(stage)}`),
  'GET /api/v1/payment_links/{payment_link_id}/payments': async (stage) =>
    at(`/payment_links/${await link(stage)}/payments`),
  'GET /api/v1/payment_links/{payment_link_id}/qr.svg': async (stage) =>
    at(`/payment_links/${await link(stage)}/qr.svg`),
  'PUT /api/v1/payment_links/{payment_link_id}': async (stage) =>
    at(`/payment_links/${await link(stage)}`, { name: 'Invoice 1043' }),
  'POST /api/v1/payment_links/{payment_link_id}/deactivate': async (stage) =>
    at(`/payment_links/${await link(stage)}/deactivate`),
  'POST /api/v1/payment_links/{payment_link_id}/renew': async (stage) =>
    at(`/payment_links/${await deactivatedLink(stage)}/renew`, {}),
  'POST /api/v1/payment_links/{payment_link_id}/rotate_url': async (stage) =>
    at(`/payment_links/${await link(stage)}/rotate_url`),
  'POST /api/v1/checkout_sessions': plain('/checkout_sessions', invoice),
  'GET /api/v1/checkout_sessions': plain('/checkout_sessions'),
  'GET /api/v1/checkout_sessions/{checkout_session_id}': async (stage) =>
    at(`/checkout_sessions/${await session(stage)}`),
  'POST /api/v1/checkout_sessions/{checkout_session_id}/expire': async (stage) =>
    at(`/checkout_sessions/${await session(stage)}/expire`),
  'POST /api/v1/subscriptions': async (stage) => at('/subscriptions', subscription(await payer(stage))),
  'GET /api/v1/subscriptions': plain('/subscriptions'),
  'GET /api/v1/subscriptions/{subscription_id}': async (stage) =>
    at(`/subscriptions/${await pendingSubscription(stage)}`),
  'PUT /api/v1/subscriptions/{subscription_id}': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}`, { grace_days: 0 }),
  'POST /api/v1/subscriptions/{subscription_id}/start': async (stage) =>
    at(`/subscriptions/${await pendingSubscription(stage)}/start`),
  'POST /api/v1/subscriptions/{subscription_id}/pause': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/pause`, {}),
  'POST /api/v1/subscriptions/{subscription_id}/resume': async (stage) =>
    at(`/subscriptions/${await pausingSubscription(stage)}/resume`),
  'POST /api/v1/subscriptions/{subscription_id}/cancel': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/cancel`, {}),
  'POST /api/v1/subscriptions/{subscription_id}/uncancel': async (stage) =>
    at(`/subscriptions/${await endingSubscription(stage)}/uncancel`),
  'POST /api/v1/subscriptions/{subscription_id}/retry_now': async (stage) =>
    at(`/subscriptions/${await unpaidSubscription(stage)}/retry_now`),
  'GET /api/v1/subscriptions/{subscription_id}/periods': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/periods`),
  'POST /api/v1/subscriptions/{subscription_id}/change': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/change`, cheaper),
  'GET /api/v1/subscriptions/{subscription_id}/changes': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/changes`),
  'POST /api/v1/subscriptions/{subscription_id}/refund_credit': async (stage) => {
    const id = await activeSubscription(stage);
    await made(stage, `/subscriptions/${id}/change`, cheaper);
    return at(`/subscriptions/${id}/refund_credit`, {});
  },
  'GET /api/v1/subscriptions/{subscription_id}/schedule': async (stage) =>
    at(`/subscriptions/${await pendingSubscription(stage)}/schedule`),

  'POST /api/v1/test_helpers/test_clocks': plain('/test_helpers/test_clocks', clock()),
  'GET /api/v1/test_helpers/test_clocks': plain('/test_helpers/test_clocks'),
  'GET /api/v1/test_helpers/test_clocks/{id}': async (stage) =>
    at(`/test_helpers/test_clocks/${await newClock(stage)}`),
  'POST /api/v1/test_helpers/test_clocks/{id}/advance': async (stage) =>
    at(`/test_helpers/test_clocks/${await newClock(stage)}/advance`, { frozen_time: '2027-01-11T00:00:00Z' }),
  'POST /api/v1/test_helpers/test_clocks/{id}/advance 200': async (stage) =>
    at(`/test_helpers/test_clocks/${await newClock(stage)}/advance`, {
      frozen_time: '2027-01-11T00:00:00Z',
      dry_run: true,
    }),
  'GET /api/v1/test_helpers/test_clocks/{id}/effects': async (stage) =>
    at(`/test_helpers/test_clocks/${await newClock(stage)}/effects`),
  'DELETE /api/v1/test_helpers/test_clocks/{id}': async (stage) =>
    at(`/test_helpers/test_clocks/${await newClock(stage)}`),

  'GET /api/v1/events': plain('/events'),
  'GET /api/v1/events/{event_id}': async (stage) => {
    await newClock(stage);
    const [event] = await stage.merchant.events();
    return at(`/events/${event?.id}`);
  },

  'POST /api/v1/webhook_endpoints': plain('/webhook_endpoints', { url: 'http://127.0.0.1:9/hook' }),
  'GET /api/v1/webhook_endpoints': plain('/webhook_endpoints'),
  'GET /api/v1/webhook_endpoints/{webhook_endpoint_id}': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}`),
  'PUT /api/v1/webhook_endpoints/{webhook_endpoint_id}': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}`, { description: 'Billing' }),
  'DELETE /api/v1/webhook_endpoints/{webhook_endpoint_id}': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}`),
  'POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}/rotate_secret`, {}),
  'POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/ping': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}/ping`),
  'GET /api/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}/deliveries`),
  'POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/replay': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}/replay`, { since: '2026-01-01T00:00:00Z' }),
  'GET /api/v1/webhook_deliveries/{webhook_delivery_id}': async (stage) =>
    at(`/webhook_deliveries/${await delivery(stage)}`),
  'POST /api/v1/webhook_deliveries/{webhook_delivery_id}/retry': async (stage) =>
    at(`/webhook_deliveries/${await delivery(stage)}/retry`),

  'GET /healthz': async () => ({ path: '/healthz' }),
  'GET /readyz': async () => ({ path: '/readyz' }),
  'GET /openapi.json': async () => ({ path: '/openapi.json' }),
  'GET /docs': async () => ({ path: '/docs' }),
};

/** For each operation whose own rules can return 422, a request that gets it. */
export const unprocessable: Readonly<Record<string, Prepare>> = {
  'POST /api/v1/customers': plain('/customers', {}),
  'PUT /api/v1/customers/{customer_id}': async (stage) => at(`/customers/${await customer(stage)}`, { email: 'none' }),
  'DELETE /api/v1/customers/{customer_id}': async (stage) => {
    const id = await newClock(stage);
    const bound = await stage.merchant.customer({ test_clock: id });
    await stage.merchant.beginAdvance(id, '2027-01-11T00:00:00Z');
    return at(`/customers/${bound.id}`);
  },
  'POST /api/v1/payment_intents': async (stage) => {
    const id = await newClock(stage);
    const bound = await stage.merchant.customer({ test_clock: id });
    await stage.merchant.beginAdvance(id, '2027-01-11T00:00:00Z');
    return at('/payment_intents', intent({ customer_id: bound.id }));
  },
  'POST /api/v1/payment_intents/{payment_intent_id}/confirm': async (stage) =>
    at(`/payment_intents/${await charged(stage)}/confirm`, {}),
  'POST /api/v1/payment_intents/{payment_intent_id}/cancel': async (stage) =>
    at(`/payment_intents/${await charged(stage)}/cancel`),
  'POST /api/v1/payment_intents/{payment_intent_id}/refunds': async (stage) =>
    at(`/payment_intents/${await newIntent(stage)}/refunds`, {}),
  'POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/complete_action': async (stage) =>
    at(`/test_helpers/payment_intents/${await newIntent(stage)}/complete_action`, { result: 'succeed' }),
  'POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/bank_result': async (stage) =>
    at(`/test_helpers/payment_intents/${await newIntent(stage)}/bank_result`, { result: 'settled' }),
  'POST /api/v1/mandates': plain('/mandates', {}),
  'POST /api/v1/mandates/{mandate_id}/accept': async (stage) =>
    at(`/mandates/${await mandate(stage, 'active')}/accept`, imported),
  'POST /api/v1/mandates/{mandate_id}/cancel': async (stage) =>
    at(`/mandates/${await mandate(stage)}/cancel`, { reason: 1 }),
  'POST /api/v1/mandates/{mandate_id}/notices': async (stage) =>
    at(`/mandates/${await mandate(stage)}/notices`, { kind: 'none', channel: 'email' }),
  'POST /api/v1/test_helpers/mandates/{mandate_id}/payer_cancels': async (stage) =>
    at(`/test_helpers/mandates/${await mandate(stage)}/payer_cancels`),
  'POST /api/v1/payment_plans': plain('/payment_plans', {}),
  'PUT /api/v1/payment_plans/{plan_id}': async (stage) =>
    at(`/payment_plans/${await activePlan(stage)}`, { start_date: '2100-02-01' }),
  'POST /api/v1/payment_plans/{plan_id}/activate': async (stage) =>
    at(`/payment_plans/${await activePlan(stage)}/activate`),
  'POST /api/v1/payment_plans/{plan_id}/suspend': async (stage) =>
    at(`/payment_plans/${await pendingPlan(stage)}/suspend`),
  'POST /api/v1/payment_plans/{plan_id}/resume': async (stage) =>
    at(`/payment_plans/${await activePlan(stage)}/resume`),
  'POST /api/v1/payment_plans/{plan_id}/deactivate': async (stage) =>
    at(`/payment_plans/${await suspendedPlan(stage)}/deactivate`),
  'POST /api/v1/payment_plans/{plan_id}/close': async (stage) => at(`/payment_plans/${await closedPlan(stage)}/close`),
  'POST /api/v1/payment_links': plain('/payment_links', {}),
  'PUT /api/v1/payment_links/{payment_link_id}': async (stage) =>
    at(`/payment_links/${await link(stage)}`, { expires_at: '2020-01-01T00:00:00Z' }),
  'POST /api/v1/payment_links/{payment_link_id}/deactivate': async (stage) =>
    at(`/payment_links/${await deactivatedLink(stage)}/deactivate`),
  'POST /api/v1/payment_links/{payment_link_id}/renew': async (stage) =>
    at(`/payment_links/${await link(stage)}/renew`, {}),
  'POST /api/v1/payment_links/{payment_link_id}/rotate_url': async (stage) => {
    const id = await newClock(stage);
    const { id: customer_id } = await stage.merchant.customer({ test_clock: id });
    const bound = await made(stage, '/payment_links', { ...invoice, customer_id });
    await stage.merchant.beginAdvance(id, '2027-01-11T00:00:00Z');
    return at(`/payment_links/${bound.id}/rotate_url`);
  },
  'POST /api/v1/checkout_sessions': plain('/checkout_sessions', {}),
  'POST /api/v1/checkout_sessions/{checkout_session_id}/expire': async (stage) => {
    const id = await session(stage);
    await made(stage, `/checkout_sessions/${id}/expire`, {});
    return at(`/checkout_sessions/${id}/expire`);
  },
  'POST /api/v1/subscriptions': plain('/subscriptions', {}),
  'PUT /api/v1/subscriptions/{subscription_id}': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}`, { frequency_type: 'weekly' }),
  'POST /api/v1/subscriptions/{subscription_id}/start': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/start`),
  'POST /api/v1/subscriptions/{subscription_id}/pause': async (stage) =>
    at(`/subscriptions/${await pendingSubscription(stage)}/pause`, {}),
  'POST /api/v1/subscriptions/{subscription_id}/resume': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/resume`),
  'POST /api/v1/subscriptions/{subscription_id}/cancel': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/cancel`, { at: 'once' }),
  'POST /api/v1/subscriptions/{subscription_id}/uncancel': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/uncancel`),
  'POST /api/v1/subscriptions/{subscription_id}/retry_now': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/retry_now`),
  'POST /api/v1/subscriptions/{subscription_id}/change': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/change`, { ...cheaper, expected_amount_cents: 1 }),
  'POST /api/v1/subscriptions/{subscription_id}/refund_credit': async (stage) =>
    at(`/subscriptions/${await activeSubscription(stage)}/refund_credit`, {}),
  'POST /api/v1/test_helpers/test_clocks': plain('/test_helpers/test_clocks', {}),
  'POST /api/v1/test_helpers/test_clocks/{id}/advance': async (stage) =>
    at(`/test_helpers/test_clocks/${await newClock(stage)}/advance`, { frozen_time: '2028-01-01T00:00:00Z' }),
  'POST /api/v1/webhook_endpoints': plain('/webhook_endpoints', {}),
  'PUT /api/v1/webhook_endpoints/{webhook_endpoint_id}': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}`, { status: 'odd' }),
  'POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}/rotate_secret`, { overlap_hours: -1 }),
  'POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/replay': async (stage) =>
    at(`/webhook_endpoints/${await endpoint(stage)}/replay`, {}),
};

/** The path of an operation with well-formed ids that do not exist. */
export async function pathToNothing(stage: Stage, template: string): Promise<string> {
  // Only the last id does not exist: the customer of a customer’s method does.
  const path = template.replace('/{customer_id}/payment_methods/{', `/${await customer(stage)}/payment_methods/{`);
  return path.replaceAll(/\{\w+\}/g, newId('customer'));
}

/** Makes room for three more test clocks: failed ones do not count. */
export async function putClocksAway({ db, keys }: Stage): Promise<void> {
  await db.sql`
    update test_clocks set status = 'failed', failure_reason = 'put away'
    where biller_id = ${keys.biller.id} and status in ('created', 'ready')`;
}
