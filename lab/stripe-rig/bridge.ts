// What localstripe lacks of Stripe's documented behaviour, as far as the adapter needs it. It changes requests and
// answers; what was taken and given back is in localstripe's store alone. README.md has the whole list.

import { type LoopbackServer, serveOnLoopback } from '../loopback-server.ts';
import { type Answer, ask as askServer, json, type Request } from './exchange.ts';
import { type Listed, listOf } from './lists.ts';

/** How a card is declined. */
interface Decline {
  /** `card_declined` if not given. */
  readonly code?: string;
  readonly decline_code: string;
  readonly advice_code?: string;
}

export interface Bridge extends LoopbackServer {
  /** From now on the declines of this payment method are such; that it is declined is localstripe's decision. */
  declineAs(paymentMethod: string, decline: Decline): void;
  /** From now on refunds are shown in this status; null: as localstripe has them, succeeded. */
  showRefundsAs(status: 'pending' | 'failed' | 'requires_action' | null): void;
  /** Intents of which one more confirmation came after a charge. localstripe refuses it; Stripe may take it. */
  readonly confirmedAgain: ReadonlySet<string>;
}

type Json = Record<string, unknown>;
type Intent = Json & {
  id: string;
  status: string;
  amount: number;
  client_secret: string;
  payment_method: string | null;
  latest_charge: Json | null;
  last_payment_error: Json | null;
  metadata: Json;
};

/** The parameters that localstripe knows. stripe-mock has checked the others, and they change nothing here. */
const known: readonly [RegExp, readonly string[]][] = [
  [
    /^POST \/v1\/payment_intents$/,
    [
      ...['amount', 'currency', 'customer', 'payment_method', 'metadata', 'payment_method_types', 'capture_method'],
      ...['payment_method_options', 'confirm', 'expand'],
    ],
  ],
  [/^POST \/v1\/payment_intents\/\w+\/(confirm|cancel)$/, ['expand']],
  [/^POST \/v1\/refunds$/, ['charge', 'payment_intent', 'amount', 'metadata', 'expand']],
  [/^POST \/v1\/setup_intents$/, ['customer', 'usage', 'payment_method_types', 'metadata', 'expand']],
];

const usualDecline: Decline = { decline_code: 'generic_decline' };
const needsPayer: Decline = { code: 'authentication_required', decline_code: 'authentication_required' };

/** On session: the payer was asked, and has not approved. */
const failedChallenge = { code: 'payment_intent_authentication_failure' };

/** Opens a server that passes requests on to the localstripe of their secret key. */
export async function openBridge(storeOf: (key: string) => string): Promise<Bridge> {
  const declines = new Map<string, Decline>();
  /** Intents whose off-session confirm needed the payer. */
  const challenged = new Set<string>();
  const confirmedAgain = new Set<string>();
  let refundStatus: string | null = null;
  /** Where the payers of intents come back to, as their confirms have said. */
  const returns = new Map<string, string>();

  const server = await serveOnLoopback(async (received, response) => {
    const { status, headers, body } = await answerTo(received);
    response.writeHead(status, headers).end(body);
  });

  async function answerTo(received: Request): Promise<Answer> {
    // localstripe knows no restricted keys.
    const authorization = received.headers.authorization?.replace('Bearer rk_', 'Bearer sk_');
    const request = { ...received, headers: { ...received.headers, authorization } };
    const localstripe = storeOf(received.headers.authorization?.replace('Bearer ', '') ?? '');
    const url = new URL(request.path, localstripe);
    const call = `${request.method} ${url.pathname}`;
    const form = new URLSearchParams(request.method === 'GET' ? url.search : request.body);
    const toServer = (method: string, path: string, body = '') =>
      askServer(localstripe, { ...request, method, path, body });
    const ask = async (path: string) => JSON.parse((await toServer('GET', path)).body);
    const livemode = /[sr]k_live_/.test(authorization ?? '');
    const isExpanded = [...form].some(([name, value]) => name.startsWith('expand') && /\blatest_charge\b/.test(value));
    const answerWith = (status: number, value: unknown) =>
      json(status, complete(value as Json, { livemode, isExpanded }));
    const intentOf = (path: string): Promise<Intent> => ask(path.replace(/\/(confirm|cancel)$/, ''));

    const listed = /^GET \/v1\/(charges|refunds|payment_intents)$/.exec(call)?.[1];
    if (listed !== undefined) return list(listed, form, toServer, (value) => complete(value, { livemode, isExpanded }));

    const isConfirm = /^POST \/v1\/payment_intents\/\w+\/confirm$/.test(call);
    const amount = form.get('amount_to_confirm');
    if (isConfirm && amount !== null) {
      const intent = await intentOf(url.pathname);
      if (intent.amount !== undefined && String(intent.amount) !== amount) {
        const message = `The amount of the PaymentIntent is ${intent.amount}, and not ${amount}.`;
        return json(400, { error: { type: 'invalid_request_error', param: 'amount_to_confirm', message } });
      }
    }
    const returnUrl = form.get('return_url');
    if (isConfirm && returnUrl !== null) returns.set(url.pathname.split('/')[3] ?? '', returnUrl);
    if (call === 'POST /v1/refunds') {
      const refused = await refuseRefund(form, ask);
      if (refused !== null) return refused;
    }

    const answer = await toServer(request.method, request.path, onlyKnown(call, form, request));
    const value = parsed(answer.body);
    if (value === null) {
      const error = { type: 'api_error', message: `localstripe says: ${answer.body.slice(0, 200)}` };
      return json(answer.status >= 400 ? answer.status : 500, { error });
    }
    if (answer.status === 200) {
      const needsChallenge = value.status === 'requires_action' && form.get('off_session') === 'true';
      if (value.object !== 'payment_intent' || !needsChallenge) return answerWith(200, value);
      // Off session the payer is not there: Stripe declines, and the intent needs another payment method.
      const { id, client_secret: secret } = value as Intent;
      challenged.add(id);
      await toServer('POST', `/v1/payment_intents/${id}/_authenticate`, `client_secret=${secret}&success=false`);
      return answerWith(402, { error: cardError(await ask(`/v1/payment_intents/${id}`)) });
    }
    const error = value.error as Json;
    if (answer.status === 404) {
      // What a parameter names, and not the path, is a fault of the request.
      const status = /^POST \/v1\/\w+$/.test(call) ? 400 : 404;
      return answerWith(status, { error: { ...error, code: 'resource_missing' } });
    }
    const ofIntent = /^POST \/v1\/payment_intents\/\w+\/(confirm|cancel)$/.test(call);
    if (answer.status === 402 && isConfirm) return answerWith(402, { error: cardError(await intentOf(url.pathname)) });
    if (answer.status === 402) return answerWith(402, { error: { ...error, type: 'card_error', ...usualDecline } });
    if (answer.status === 400 && ofIntent) {
      const intent = await intentOf(url.pathname);
      if (isConfirm && (intent.latest_charge ?? intent.last_payment_error) !== null) confirmedAgain.add(intent.id);
      const message = `This PaymentIntent's status is ${intent.status}.`;
      return answerWith(400, {
        error: { ...error, code: 'payment_intent_unexpected_state', message, payment_intent: intent },
      });
    }
    return answerWith(answer.status, value);
  }

  /** How a charge that failed was declined. */
  function declineOf(intent: string, paymentMethod: unknown): Decline {
    if (challenged.has(intent)) return needsPayer;
    return declines.get(String(paymentMethod)) ?? usualDecline;
  }

  function cardError(intent: Intent): Json {
    const ofPayer = intent.last_payment_error?.code === failedChallenge.code && !challenged.has(intent.id);
    const { code = 'card_declined', ...more } = ofPayer ? failedChallenge : declineOf(intent.id, intent.payment_method);
    const message = intent.last_payment_error?.message ?? 'Your card was declined.';
    const charge = intent.latest_charge?.id;
    return { type: 'card_error', code, ...more, message, charge, payment_intent: intent };
  }

  /** An object of localstripe, and all in it, with what Stripe's have. */
  function complete(value: Json, how: { livemode: boolean; isExpanded: boolean }): Json {
    const whole: Json = { ...value };
    for (const [name, part] of Object.entries(whole)) {
      if (Array.isArray(part)) whole[name] = part.map((each) => (isObject(each) ? complete(each, how) : each));
      else if (isObject(part) && name !== 'metadata') whole[name] = complete(part, how);
    }
    if ('livemode' in whole) whole.livemode = how.livemode;
    if (whole.object === 'charge' && whole.status === 'failed') {
      const { code = 'card_declined', ...more } = declineOf(String(whole.payment_intent), whole.payment_method);
      const { decline_code: reason, ...advice } = more;
      whole.failure_code = code;
      whole.outcome = { type: 'issuer_declined', network_status: 'declined_by_network', reason, ...advice };
    }
    if (whole.object === 'refund' && refundStatus !== null) whole.status = refundStatus;
    if (whole.object === 'payment_intent') completeIntent(value as Intent, whole, how.isExpanded);
    return whole;
  }

  function completeIntent(intent: Intent, whole: Json, isExpanded: boolean): void {
    whole.amount_received = intent.status === 'succeeded' ? intent.amount : 0;
    if (!isExpanded) whole.latest_charge = intent.latest_charge?.id ?? null;
    const returnUrl = returns.get(intent.id);
    if (intent.status === 'requires_action' && returnUrl !== undefined) {
      const redirect = { return_url: returnUrl, url: `${server.url}/3ds/${intent.id}` };
      whole.next_action = { type: 'redirect_to_url', redirect_to_url: redirect };
    }
    if (intent.last_payment_error !== null && intent.last_payment_error !== undefined) {
      const { payment_intent: _, ...error } = cardError(intent);
      whole.last_payment_error = error;
    }
    // After a decline Stripe takes the payment method from the intent.
    if (intent.status === 'requires_payment_method') whole.payment_method = null;
  }

  return {
    declineAs: (paymentMethod, decline) => void declines.set(paymentMethod, decline),
    showRefundsAs(status) {
      refundStatus = status;
    },
    confirmedAgain,
    url: server.url,
    get connections() {
      return server.connections;
    },
    cut: () => server.cut(),
    close: () => server.close(),
  };
}

type Send = (method: string, path: string, body?: string) => Promise<Answer>;

/** More than any test makes; localstripe has no upper limit. */
const all = 1_000_000;

/** A page of a list by all of Stripe's filters; a charge has its intent's metadata there. */
async function list(kind: string, form: URLSearchParams, send: Send, complete: (value: Json) => Json): Promise<Answer> {
  const rows = async (which: string, more = ''): Promise<Listed[]> => {
    const { data } = JSON.parse((await send('GET', `/v1/${which}?limit=${all}${more}`)).body);
    return data ?? [];
  };
  const expands = [...form].filter(([name]) => name.startsWith('expand'));
  const found = await rows(kind, `&${new URLSearchParams(expands)}`.replace(/&$/, ''));
  const intents = kind === 'charges' ? new Map((await rows('payment_intents')).map((each) => [each.id, each])) : null;
  const whole = found.map((each) => {
    const intent = intents?.get(String(each.payment_intent));
    return complete({ ...each, ...(intent && { metadata: intent.metadata }) }) as Json as Listed;
  });
  const page = listOf(whole, form);
  if ('refused' in page) return json(400, { error: { type: 'invalid_request_error', ...page.refused } });
  return json(200, { object: 'list', url: `/v1/${kind}`, ...page });
}

/** Refuses to give back more than was paid. */
async function refuseRefund(form: URLSearchParams, ask: (path: string) => Promise<Json>): Promise<Answer | null> {
  const id = form.get('payment_intent');
  const intent = id === null ? null : ((await ask(`/v1/payment_intents/${id}`)) as Intent);
  const charge = intent === null ? await ask(`/v1/charges/${form.get('charge')}`) : intent.latest_charge;
  if (charge === null || charge === undefined || charge.status !== 'succeeded') return null;
  const left = Number(charge.amount) - Number(charge.amount_refunded);
  if (left <= 0) {
    const error = { type: 'invalid_request_error', code: 'charge_already_refunded', message: 'It has been refunded.' };
    return json(400, { error });
  }
  if (Number(form.get('amount') ?? 0) <= left) {
    // Without an amount Stripe gives back what is left, localstripe all of it.
    if (!form.has('amount')) form.set('amount', String(left));
    return null;
  }
  const message = `Refund amount is greater than unrefunded amount on charge (${left}).`;
  return json(400, { error: { type: 'invalid_request_error', param: 'amount', message } });
}

/** The body with the parameters alone that localstripe knows. */
function onlyKnown(call: string, form: URLSearchParams, { method, body }: Request): string {
  const names = known.find(([pattern]) => pattern.test(call))?.[1];
  if (method === 'GET' || names === undefined) return body;
  const isKnown = ([name]: [string, string]) => names.includes(name.replace(/\[.*$/, ''));
  const kept = [...form].filter(isKnown);
  // localstripe takes it with `confirm` alone.
  if (names.includes('confirm') && form.get('confirm') === 'true' && form.has('off_session')) {
    kept.push(['off_session', String(form.get('off_session'))]);
  }
  return new URLSearchParams(kept).toString();
}

function parsed(body: string): Json | null {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
