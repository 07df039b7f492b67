import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../lab/eventually.ts';
import { randomBase62 } from '../../src/domain/base62.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type Reply, send } from '../support/api.ts';
import type { useReceiver } from '../support/webhooks.ts';
import type { Haystacks } from './haystacks.ts';

const mark = (name: string) => `${name}-${randomBase62(24)}`;

/** What is planted; what the service makes itself is filled in on the way. */
export const planted = {
  accountNumber: String(randomInt(100_000_000, 1_000_000_000)),
  cardToken: mark('network-token'),
  cardTokenData: mark('token-data'),
  encryptionKey: randomBytes(32),
  processorSecret: mark('processor-secret'),
  liveKey: '',
  cardNumberToken: mark('card-number-token'),
  accountNumberToken: mark('account-number-token'),
  paypalToken: mark('paypal-token'),
  idempotencyKey: mark('idempotency-key'),
  urlPassword: mark('url-password'),
  wrongKey: `sk_live_${randomBase62(43)}`,
  secretKey: '',
  publishableKey: '',
  revokedKey: '',
  clientSecret: '',
  wrongClientSecret: '',
  webhookSecret: '',
  databasePassword: '',
  linkToken: '',
  sessionToken: '',
  payerProof: '',
  /** Typed on a page. It passes the check of Luhn. */
  cardNumber: '5105105105105100',
};

/** Not secret: where it is found, the search reaches. */
export const marker = mark('Marker');
/** The same for places that hold no names. */
export const ids = { plan: '', endpoint: '' };

interface Sent {
  key?: string;
  headers?: Record<string, string>;
}
export type Ask = (method: string, path: string, body?: unknown, sent?: Sent) => Promise<Reply>;

/** Requests of the biller; their answers are kept: those of a success, and errors. */
export function asker(baseUrl: string, hay: Haystacks): Ask {
  return async (method, path, body, { key = planted.secretKey, headers } = {}) => {
    const reply = await send(`${baseUrl}/api/v1${path}`, method, { key, body, ...(headers ? { headers } : {}) });
    const told = reply.text + JSON.stringify([...reply.headers]);
    hay.add(reply.status < 400 ? 'answers' : 'errors', `${method} ${path.split(/[?/]/)[1]} ${reply.status}`, told);
    return reply;
  };
}

const { accountNumber, cardNumberToken, cardToken } = planted;
const bankAccount = (more: object = {}) => ({
  type: 'au_becs_debit',
  payment_method_data: {
    bsb_number: '000-000',
    account_name: 'Jo',
    account_number: accountNumber,
    account_number_token: planted.accountNumberToken,
    ...more,
  },
});
const card = (more: object = {}) => ({
  type: 'card',
  payment_method_data: {
    expiry_month: 12,
    expiry_year: 2099,
    card_number_token: cardNumberToken,
    token_metadata: { type: 'network', token: cardToken, data: planted.cardTokenData },
    ...more,
  },
});

/**
 * Saves instruments of every sort, uses client secrets, and has a plan collected from the bank account under a mandate.
 */
export async function plantInGoodRequests(ask: Ask): Promise<void> {
  const { clock, customer } = await plantPayer(ask, { 'Idempotency-Key': planted.idempotencyKey });
  const publishable = { key: planted.publishableKey };
  const cardId = (await ask('POST', '/payment_methods', card(), publishable)).body.payment_method.id;
  const instrument_data = { paypal_email: 'a@b.co', account_name: 'Jo', paypal_token: planted.paypalToken };
  await ask('POST', '/test_helpers/payment_methods', { type: 'paypal', instrument_data });
  assert.equal((await ask('GET', '/payment_methods')).body.payment_methods.length, 3);

  const headers = { 'Idempotency-Key': `${planted.idempotencyKey}-2` };
  const intent = (await ask('POST', '/payment_intents', { amount: 500, currency: 'AUD' }, { headers })).body;
  planted.clientSecret = intent.client_secret;
  planted.wrongClientSecret = `${intent.id}_secret_${randomBase62(43)}`;
  for (const [client_secret, status] of [
    [planted.wrongClientSecret, 403],
    [planted.clientSecret, 200],
  ] as const) {
    const path = `/payment_intents/${intent.id}`;
    const body = { payment_method: cardId, client_secret };
    assert.equal((await ask('GET', `${path}?client_secret=${client_secret}`, undefined, publishable)).status, status);
    assert.equal((await ask('POST', `${path}/confirm`, body, publishable)).status, status);
  }
  await giveMandate(ask, customer);
  ids.plan = await plantPlan(ask, customer, { metadata: { _stand_in: 'answer_lost' } });
  assert.equal(await advance(ask, clock), 'ready');
}

/** A mandate for the account of a customer, and its document, which has the end of the number. */
async function giveMandate(ask: Ask, customer: string): Promise<void> {
  const { payment_methods: methods } = (await ask('GET', `/customers/${customer}/payment_methods`)).body;
  const acceptance = { type: 'imported', accepted_at: '2020-01-01T00:00:00Z', signatory_name: marker };
  const mandate = await ask('POST', '/mandates', { payment_method_id: methods[0].id, acceptance });
  const document = await ask('GET', `/mandates/${mandate.body.id}/document`);
  assert.ok(document.text.includes(`ends in ${accountNumber.slice(-4)}`), document.text);
}

/**
 * A payer begins to pay a link, types a card number, then pays; another saves a card in the widget, for the customer of
 * a payment. `origin` is registered for the widget.
 */
export async function plantOnPages(ask: Ask, pagesUrl: string, origin: string): Promise<void> {
  const { body: link } = await ask('POST', '/payment_links', { name: 'Invoice', amount: 2500, currency: 'AUD' });
  planted.linkToken = String(link.url).split('/').at(-1) ?? '';
  const open = async (path: string) => (await fetch(`${pagesUrl}${path}`)).text();
  const post = (path: string, page: string, fields: Record<string, string>) => {
    const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    const form = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
    const body = new URLSearchParams({ ...form, ...fields });
    return fetch(`${pagesUrl}${path}`, { method: 'POST', body, redirect: 'manual' });
  };
  const start = `/pay/${planted.linkToken}`;
  const begun = await post(start, await open(start), {});
  const session = begun.headers.get('location') ?? '';
  planted.sessionToken = session.split('/').at(-1) ?? '';
  const payer = { name: 'Jo', email: 'jo@example.com', method: 'tok_sandbox_visa_succeed' };
  const page = await open(session);
  assert.equal((await post(session, page, { ...payer, name: planted.cardNumber })).status, 400);
  const done = (await post(session, page, payer)).headers.get('location') ?? '';
  planted.payerProof = done.split('/done?payer=')[1] ?? '';
  assert.notEqual(planted.payerProof, '');
  for (const path of [session, done, `${session}/done`, `${session}/state`]) await open(path);

  const frame = `/widget/frame?${new URLSearchParams({ key: planted.publishableKey, origin })}`;
  const form = await open(frame);
  for (const client_secret of [planted.wrongClientSecret, planted.clientSecret]) {
    const saved = await post(frame, form, { ...payer, client_secret });
    assert.equal(saved.status, client_secret === planted.clientSecret ? 200 : 422);
  }
}

/** Requests that are refused, one for each way to be: none is to be quoted. */
export async function plantInBadRequests(ask: Ask, baseUrl: string, hay: Haystacks): Promise<void> {
  const whole = JSON.stringify(bankAccount({ card_number_token: cardNumberToken }));
  const quoted = `"${accountNumber}"`;
  const bodies: unknown[] = [
    whole,
    whole.slice(0, -3),
    whole.replace(quoted, accountNumber),
    whole.replace(quoted, `"${accountNumber}${accountNumber}"`),
    whole.replace('"au_becs_debit"', quoted),
    whole.replace('000-000', accountNumber),
    `{"account_number":${quoted},"account_number":${quoted}}`,
    bankAccount({ account_number_end: accountNumber }),
    { ...bankAccount(), customer_reference: planted.secretKey },
    card({ card_bin: cardNumberToken, expiry_month: accountNumber }),
    card({ token_metadata: { type: 'fixture', token: cardToken, data: '' } }),
    { [planted.secretKey]: 1, type: 'card' },
    `${whole}${' '.repeat(300_000)}`,
  ];
  for (const body of bodies) {
    const { status, text } = await ask('POST', '/payment_methods', body);
    assert.ok(status >= 400 && status < 500, `${JSON.stringify(body).slice(0, 300)}: ${text}`);
  }
  const asText = { headers: { 'Content-Type': 'text/plain' } };
  assert.equal((await ask('POST', '/payment_methods', whole, asText)).status, 400);

  const { secretKey, publishableKey, revokedKey, wrongKey, clientSecret } = planted;
  for (const secret of [secretKey, publishableKey, revokedKey, wrongKey, clientSecret]) {
    const body = { amount: 500, currency: 'AUD', customer_id: secret, payment_method: secret };
    const refused = [
      await ask('GET', `/customers/${secret}`),
      await ask('GET', `/customers/${secret.replaceAll('_', '%5F')}`),
      await ask('GET', `/customers/${secret.replaceAll('_', '%255f')}`),
      await ask('GET', `/${secret}/customers`),
      await ask('GET', `/${secret.replaceAll('_', '%25%35%46')}/customers`),
      await ask('GET', `/customers?starting_after=${secret}`),
      await ask('GET', `/customers?${secret}=1`),
      await ask('POST', '/payment_intents', body),
      await ask('GET', '/customers', undefined, { headers: { Authorization: `Basic ${secret}` } }),
      await ask('GET', '/customers', undefined, { headers: { Authorization: secret } }),
    ];
    for (const { status, text } of refused) assert.ok(status >= 400 && status < 500, text);
  }
  for (const key of [revokedKey, wrongKey]) {
    assert.equal((await ask('GET', '/customers', undefined, { key })).status, 401);
  }
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1').setEncoding('utf8');
  socket.write(`POST /api/v1/customers HTTP/1.1\r\nAuthorization: Bearer ${secretKey}\r\n\0${accountNumber}\r\n\r\n`);
  const answer = (await socket.toArray()).join('');
  assert.match(answer, /^HTTP\/1\.1 400 /);
  hay.add('errors', 'no HTTP', answer);
}

/** The database refuses a row, in a request and then in an activity, and is slow to take one. */
export async function provokeFailures(ask: Ask, sql: Pool): Promise<void> {
  await sql`alter table payment_methods add constraint planted check (type <> 'au_becs_debit') not valid`;
  assert.equal((await ask('POST', '/payment_methods', bankAccount())).status, 500);
  await sql`alter table payment_methods drop constraint planted`;
  const blocking = sql.begin(async (tx) => {
    await tx`lock table payment_methods in exclusive mode`;
    await pause(900); // longer than the 500 ms from which PostgreSQL logs a statement
  });
  await pause(50);
  const saved = await ask('POST', '/payment_methods', bankAccount());
  assert.equal(saved.status, 200);
  await ask('GET', `/payment_methods/${saved.body.payment_method.id}`);
  await blocking;

  const { clock, customer } = await plantPayer(ask);
  await plantPlan(ask, customer, { start_date: '2027-01-12' });
  await sql`alter table payment_intents add constraint planted check (false) not valid`;
  assert.equal(await advance(ask, clock), 'failed');
  await sql`alter table payment_intents drop constraint planted`;
}

/** A live plan and a live confirm, which the processor does not answer. */
export async function askLiveProcessor(ask: Ask): Promise<void> {
  const live = { key: planted.liveKey };
  const { id: customer_id } = (await ask('POST', '/customers', { name: 'Jo' }, live)).body;
  const method = (await ask('POST', '/payment_methods', { ...card(), customer_reference: customer_id }, live)).body;
  const payment_method = method.payment_method.id;
  const start_date = realNow().toISOString().slice(0, 10);
  const terms = { name: 'Live', frequency_type: 'weekly', recurring_amount_cents: 1000, currency: 'AUD', start_date };
  const plan = { ...terms, customer_id, until_further_notice: true };
  const { id: planId } = (await ask('POST', '/payment_plans', plan, live)).body;
  assert.equal((await ask('POST', `/payment_plans/${planId}/activate`, undefined, live)).status, 200);
  const intent = { amount: 1000, currency: 'AUD', customer_id, payment_method };
  const { id } = (await ask('POST', '/payment_intents', intent, live)).body;
  assert.equal((await ask('POST', `/payment_intents/${id}/confirm`, {}, live)).status, 503);
  await slowly('the plan has asked too', async () => {
    const { data } = (await ask('GET', `/payment_plans/${planId}/payments`, undefined, live)).body;
    return data[0]?.status === 'processing';
  });
}

/** A receiver fails, and says in its answer all that it knows. */
export async function plantInWebhooks(ask: Ask, receiver: ReturnType<typeof useReceiver>): Promise<void> {
  const url = `${receiver.url}/hook?password=${planted.urlPassword}`;
  const endpoint = (await ask('POST', '/webhook_endpoints', { url })).body;
  [ids.endpoint, planted.webhookSecret] = [endpoint.id, endpoint.secret];
  const said = `${marker} ${endpoint.secret} Bearer ${planted.secretKey}, ${planted.clientSecret}`;
  receiver.answer = (_request, response) => response.writeHead(500).end(said);
  const { id } = (await ask('POST', `/webhook_endpoints/${ids.endpoint}/ping`)).body;
  const [attempt] = await slowly('the delivery has failed', async () => {
    const { attempts } = (await ask('GET', `/webhook_deliveries/${id}`)).body;
    return attempts.length > 0 && attempts;
  });
  assert.equal(attempt.status_code, 500);
  assert.match(attempt.response_excerpt, new RegExp(`^${marker} whsec_\\[redacted\\] `));
  const [webhook] = receiver.received;
  new Webhook(endpoint.secret).verify(webhook?.body ?? '', webhook?.headers as Record<string, string>);

  receiver.answer = (_request, response) => response.writeHead(410).end();
  await ask('POST', `/webhook_endpoints/${ids.endpoint}/ping`);
  await slowly('the endpoint is disabled', async () => {
    return (await ask('GET', `/webhook_endpoints/${ids.endpoint}`)).body.status === 'disabled';
  });
}

/**
 * A clock, and a customer on it who pays from the planted account; saved twice by the same request where it has a key.
 */
async function plantPayer(ask: Ask, headers?: Record<string, string>) {
  const clock = (await ask('POST', '/test_helpers/test_clocks', { frozen_time: '2027-01-10T00:00:00Z' })).body.id;
  const customer = (await ask('POST', '/customers', { name: marker, test_clock: clock })).body.id;
  // An account without a token: the processor gets its number.
  const account = bankAccount(headers === undefined ? {} : { account_number_token: undefined });
  const body = { ...account, customer_reference: customer };
  const times = headers === undefined ? 1 : 2;
  for (let n = 0; n < times; n++) {
    assert.equal((await ask('POST', '/payment_methods', body, headers ? { headers } : {})).status, 200);
  }
  return { clock, customer };
}

async function plantPlan(ask: Ask, customer_id: string, more: object = {}): Promise<string> {
  const terms = { name: 'Plan', frequency_type: 'weekly', recurring_amount_cents: 900, currency: 'AUD' };
  const body = { ...terms, customer_id, start_date: '2027-01-10', until_further_notice: true, ...more };
  const { id } = (await ask('POST', '/payment_plans', body)).body;
  assert.equal((await ask('POST', `/payment_plans/${id}/activate`)).status, 200);
  return id;
}

/** Advances a clock by some days; answers how that ended. */
async function advance(ask: Ask, clock: string): Promise<string> {
  await ask('POST', `/test_helpers/test_clocks/${clock}/advance`, { frozen_time: '2027-01-18T00:00:00Z' });
  return slowly('the clock has advanced', async () => {
    const { status } = (await ask('GET', `/test_helpers/test_clocks/${clock}`)).body;
    return status !== 'advancing' && String(status);
  });
}

function slowly<T>(what: string, ask: () => Promise<T>) {
  return eventually(what, ask, { timeoutMs: 90_000, everyMs: 200 });
}
