// BECS debits, which localstripe does not have: a double of ours, with the shapes of Stripe's OpenAPI document. It
// shows how we read Stripe's pages, and no more. What is not a BECS debit goes to the bridge.

import { randomBytes } from 'node:crypto';
import { type LoopbackServer, serveOnLoopback } from '../loopback-server.ts';
import { openDebitRefunds } from './becs-refunds.ts';
import { type Answer, ask, json, type Request } from './exchange.ts';

/** What the bank and the payer do. */
export interface Becs extends LoopbackServer {
  /** The bank has collected a debit. */
  collect(intent: string): void;
  /** The bank has refused a debit: at first, or (late) after it was collected. */
  refuse(intent: string, code: string): void;
  /** The payer has asked for the money of a debit, or its bank has. */
  dispute(intent: string, reason: string): void;
  /** The bank has paid the refunds of a debit that are pending, or has sent them back. */
  endRefunds(intent: string, status: 'succeeded' | 'failed'): void;
  /** The payer, or its bank, has ended the mandate of a debit. */
  endMandate(intent: string): void;
  /** How often each debit was confirmed with effect. */
  readonly debited: ReadonlyMap<string, number>;
  /** The bodies of all confirmations. */
  readonly confirmed: readonly URLSearchParams[];
}

type Json = Record<string, unknown>;
interface Intent extends Json {
  id: string;
  status: string;
  amount: number;
  currency: string;
  metadata: Record<string, string>;
  latest_charge: (Json & { status: string }) | null;
  last_payment_error: Json | null;
}

const idOf = (kind: string) => `${kind}_becs${randomBytes(8).toString('hex')}`;
const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** Opens a server in front of the bridge at `bridge`. */
export async function openBecs(bridge: string): Promise<Becs> {
  const methods = new Map<string, Json>();
  const intents = new Map<string, Intent>();
  const mandates = new Map<string, string>();
  const endedMandates = new Set<string>();
  const disputes: (Json & { payment_intent: string })[] = [];
  const refunds = openDebitRefunds();
  const debited = new Map<string, number>();
  const confirmed: URLSearchParams[] = [];

  function newMethod(form: URLSearchParams): Answer {
    const [bsb_number, number = ''] = ['bsb_number', 'account_number'].map((name) =>
      form.get(`au_becs_debit[${name}]`),
    );
    if (!bsb_number || !number) return refused('parameter_missing', 'au_becs_debit');
    const bank = { bsb_number, last4: number.slice(-4), fingerprint: 'f' };
    const method = { id: idOf('pm'), object: 'payment_method', type: 'au_becs_debit', au_becs_debit: bank };
    const whole = { ...method, customer: null, created: nowInSeconds(), metadata: {} };
    methods.set(method.id, whole);
    return json(200, whole);
  }

  function newIntent(form: URLSearchParams): Answer {
    const metadata: Record<string, string> = {};
    for (const [name, value] of form) {
      const [, key] = /^metadata\[(\w+)\]$/.exec(name) ?? [];
      if (key !== undefined) metadata[key] = value;
    }
    if (form.get('currency') !== 'aud') return refused('payment_method_currency_mismatch', 'currency');
    const intent: Intent = {
      ...{ id: idOf('pi'), object: 'payment_intent', status: 'requires_confirmation', metadata },
      ...{ amount: Number(form.get('amount')), currency: 'aud', created: nowInSeconds() },
      ...{ payment_method: form.get('payment_method'), customer: form.get('customer') },
      ...{ latest_charge: null, last_payment_error: null, livemode: false },
    };
    intents.set(intent.id, intent);
    return json(200, intent);
  }

  function confirm(intent: Intent, form: URLSearchParams): Answer {
    confirmed.push(form);
    if (!/^requires_(confirmation|payment_method)$/.test(intent.status)) {
      return refused('payment_intent_unexpected_state', 'status');
    }
    const given = form.get('mandate');
    const isAccepted = form.get('mandate_data[customer_acceptance][type]') !== null;
    if (given === null ? !isAccepted : mandates.get(given) !== intent.payment_method) {
      return refused('payment_intent_mandate_invalid', 'mandate');
    }
    const mandate = given ?? idOf('mandate');
    mandates.set(mandate, String(intent.payment_method));
    debited.set(intent.id, (debited.get(intent.id) ?? 0) + 1);
    intent.status = 'processing';
    intent.latest_charge = {
      ...{ id: idOf('py'), object: 'charge', status: 'pending', amount: intent.amount, currency: intent.currency },
      ...{ created: nowInSeconds(), payment_intent: intent.id, metadata: intent.metadata, disputed: false },
      ...{ failure_code: null, outcome: null, livemode: false },
      payment_method_details: { type: 'au_becs_debit', au_becs_debit: { mandate } },
    };
    return json(200, shown(intent));
  }

  function cancel(intent: Intent): Answer {
    if (!/^requires_/.test(intent.status)) return refused('payment_intent_unexpected_state', 'status');
    intent.status = 'canceled';
    return json(200, shown(intent));
  }

  /** What Stripe's lists have of it, besides the charges of localstripe. */
  function chargesFrom(form: URLSearchParams): Json[] {
    const gte = Number(form.get('created[gte]') ?? 0);
    const charges = [...intents.values()].flatMap(({ latest_charge: charge }) => charge ?? []);
    return charges.filter(({ created }) => Number(created) >= gte);
  }

  function shownMandate(id: string): Json {
    const status = endedMandates.has(id) ? 'inactive' : 'active';
    return { id, object: 'mandate', status, type: 'multi_use', payment_method: mandates.get(id), livemode: false };
  }

  async function answerTo(received: Request): Promise<Answer> {
    const url = new URL(received.path, bridge);
    const form = new URLSearchParams(received.method === 'GET' ? url.search : received.body);
    const call = `${received.method} ${url.pathname}`;
    if (call === 'POST /v1/payment_methods' && form.get('type') === 'au_becs_debit') return newMethod(form);
    if (call === 'POST /v1/payment_intents' && methods.has(form.get('payment_method') ?? '')) return newIntent(form);
    const refunded = intents.get(form.get('payment_intent') ?? '');
    if (call === 'POST /v1/refunds' && refunded !== undefined) {
      return refunds.make({ ...refunded, charge: refunded.latest_charge?.id ?? null }, form);
    }
    if (call === 'GET /v1/refunds' && refunded !== undefined) {
      return json(200, { object: 'list', data: refunds.listed(refunded.id), has_more: false, url: '/v1/refunds' });
    }
    if (call === 'GET /v1/disputes') {
      const data = disputes.filter(({ payment_intent: id }) => id === form.get('payment_intent'));
      return json(200, { object: 'list', data, has_more: false, url: '/v1/disputes' });
    }
    const [, mandateId = ''] = /^\/v1\/mandates\/(\w+)$/.exec(url.pathname) ?? [];
    if (mandates.has(mandateId)) return json(200, shownMandate(mandateId));
    const [, methodId = '', attach] = /^\/v1\/payment_methods\/(\w+)(\/attach)?$/.exec(url.pathname) ?? [];
    const method = methods.get(methodId);
    if (method !== undefined) {
      if (attach !== undefined) method.customer = form.get('customer');
      return json(200, method);
    }
    const [, intentId = '', action] = /^\/v1\/payment_intents\/(\w+)(?:\/(confirm|cancel))?$/.exec(url.pathname) ?? [];
    const intent = intents.get(intentId);
    if (intent !== undefined) {
      if (action === 'confirm') return confirm(intent, form);
      return action === 'cancel' ? cancel(intent) : json(200, shown(intent));
    }
    const answer = await ask(bridge, received);
    const isList = call === 'GET /v1/charges' || call === 'GET /v1/refunds';
    if (!isList || answer.status !== 200) return answer;
    const list = JSON.parse(answer.body) as { data: Json[] };
    const ours = call === 'GET /v1/charges' ? chargesFrom(form) : refunds.listed(null);
    return json(200, { ...list, data: [...list.data, ...ours] });
  }

  const server = await serveOnLoopback(async (received, response) => {
    const { status, headers, body } = await answerTo(received);
    response.writeHead(status, headers).end(body);
  });

  function known(id: string): Intent & { latest_charge: Json & { status: string } } {
    const intent = intents.get(id);
    if (intent === undefined || intent.latest_charge === null) throw new Error(`${id} is no debit that was confirmed`);
    return intent as Intent & { latest_charge: Json & { status: string } };
  }

  return {
    collect(id) {
      const intent = known(id);
      intent.status = 'succeeded';
      intent.latest_charge.status = 'succeeded';
    },
    refuse(id, code) {
      const intent = known(id);
      Object.assign(intent.latest_charge, { status: 'failed', failure_code: code });
      if (intent.status === 'succeeded') return;
      intent.status = 'requires_payment_method';
      intent.last_payment_error = { type: 'card_error', code };
    },
    dispute(id, reason) {
      known(id).latest_charge.disputed = true;
      const dispute = { id: idOf('du'), object: 'dispute', status: 'lost', reason, payment_intent: id };
      disputes.push({ ...dispute, created: nowInSeconds() });
    },
    endRefunds: (id, status) => refunds.end(id, status),
    endMandate(id) {
      const details = known(id).latest_charge.payment_method_details as { au_becs_debit: { mandate: string } };
      endedMandates.add(details.au_becs_debit.mandate);
    },
    debited,
    confirmed,
    url: server.url,
    get connections() {
      return server.connections;
    },
    cut: () => server.cut(),
    close: () => server.close(),
  };
}

function shown(intent: Intent): Json {
  return { ...intent };
}

function refused(code: string, param: string): Answer {
  return json(400, { error: { type: 'invalid_request_error', code, param, message: `No: ${code}` } });
}
