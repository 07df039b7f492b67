import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';
import { declined } from '../../src/domain/charge-outcome.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import {
  type ChargeRequest,
  OutcomeUnknown,
  type RefundRequest,
  RequestRefused,
} from '../../src/processors/processor.ts';

const key = 'att_1';
/** In every body but that of movements. */
const forAccount = { account: 'acct_1', livemode: true };
const reference = 'ref_1';
const secret = 'a-secret-of-24-characters';
const at = customerInstant('2026-01-05T00:00:00Z');
const chargeRequest: ChargeRequest = {
  idempotencyKey: key,
  billerId: 'acct_1',
  paymentIntentId: 'pi_1',
  amount: 1000,
  totalAmount: 1018,
  currency: 'AUD',
  attempt: 2,
  openedAt: realInstant('2026-01-01T00:00:00Z'),
  paymentMethodId: 'pm_1',
  paymentMethodType: 'card',
  paymentMethodToken: 'tok_1',
  fixtureToken: null,
  metadata: { order: '7' },
  attended: false,
  debit: null,
};
const debitRequest: ChargeRequest = {
  ...chargeRequest,
  paymentMethodType: 'au_becs_debit',
  debit: {
    scheme: 'au_becs',
    chargeDate: '2026-01-02',
    mandateReference: 'DDR-1',
    lodgementReference: 'L-1',
    mandate: {
      acceptedAt: customerInstant('2025-12-24T03:00:00Z'),
      type: 'online',
      ipAddress: '203.0.113.7',
      userAgent: 'Mozilla/5.0',
      signatoryName: 'Jo Nguyen',
      textSha256: 'a'.repeat(64),
    },
  },
};
const account = { bsbNumber: '062000', accountNumber: '12345678', accountName: 'Jo Nguyen', email: null };
const refundRequest: RefundRequest = {
  idempotencyKey: key,
  billerId: 'acct_1',
  paymentIntentId: 'pi_1',
  chargeReference: reference,
  amount: 300,
  currency: 'AUD',
  metadata: {},
};
const said = (outcome: string, more: object = {}) =>
  JSON.stringify({ idempotency_key: key, reference, outcome, ...more });

const refusedByIssuer = declined('card_declined');
const needsPayer = declined('authentication_required');
const instant = '2026-01-07T22:00:00.000Z';

/** The calls whose answers the tables name. */
const calls = {
  prepare: (client: HttpProcessor) => client.prepare(chargeRequest),
  charge: (client: HttpProcessor) => client.charge(chargeRequest, reference),
  debit: (client: HttpProcessor) => client.charge(debitRequest, reference),
  inquire: (client: HttpProcessor) => client.inquire(chargeRequest, reference, at),
  'inquire a debit': (client: HttpProcessor) => client.inquire(debitRequest, reference, at),
  cancel: (client: HttpProcessor) => client.cancel(chargeRequest, reference),
  refund: (client: HttpProcessor) => client.refund(refundRequest),
  'inquire a refund': (client: HttpProcessor) => client.inquireRefund(refundRequest),
  movements: (client: HttpProcessor) => client.movements('41'),
  notices: (client: HttpProcessor) => client.notices('41', new AbortController().signal),
  'begin a setup': (client: HttpProcessor) => client.setups.create({ idempotencyKey: key, billerId: 'acct_1' }),
  'inquire a setup': (client: HttpProcessor) => client.setups.inquire('acct_1', reference),
  'describe a card': (client: HttpProcessor) => client.setups.describe('acct_1', 'pm_x'),
  'ask about a mandate': (client: HttpProcessor) => client.inquireMandate('acct_1', 'DDR-1'),
};

/** A service may lack these: a 404 says so. */
const optional = new Set<keyof typeof calls>(['notices', 'begin a setup', 'describe a card', 'ask about a mandate']);

/**
 * Responses that give no outcome for any call, so the processor must be asked again. The body contains an outcome that
 * the call could have in a good response.
 */
const unknownAnswers: [what: string, status: number, body: (outcome: string) => string][] = [
  ['an outcome of another request', 200, (outcome) => said(outcome).replaceAll(/att_1|ref_1/g, 'other')],
  ['an outcome without key and reference', 200, (outcome) => JSON.stringify({ outcome })],
  ['an outcome that is none of this call', 200, () => said('processing')],
  ['an outcome that is no text', 200, () => JSON.stringify({ idempotency_key: key, reference, outcome: true })],
  ['a page of HTML', 200, () => '<html><body>Please log in</body></html>'],
  ['an empty body', 200, () => ''],
  ['a list', 200, () => '[]'],
  ['null', 200, () => 'null'],
  ['JSON that breaks off', 200, (outcome) => said(outcome).slice(0, -2)],
  ['an outcome under 201', 201, said],
  ['an outcome under 500', 500, said],
  ['a redirect', 302, said],
  ['an unknown parameter (400)', 400, () => '{"error":"parameter"}'],
  ['an unknown path (404)', 404, () => ''],
  ['refused credentials (401)', 401, () => said('rejected')],
  ['refused credentials (403)', 403, said],
  ['a time-out of a proxy (408)', 408, () => ''],
  ['a key in use (409)', 409, () => said('rejected')],
  ['too many requests (429)', 429, () => said('rejected')],
  ['an error (500)', 500, () => '{"error":"oops"}'],
  ['a bad gateway (502)', 502, () => '<html></html>'],
  ['an outcome under 503', 503, said],
  ['a gateway time-out (504)', 504, () => ''],
];

const bank = 'https://bank.example.com/3ds?id=1';
const goTo = (redirect_url: unknown, more: object = {}) =>
  said('requires_action', { next_action: { redirect_url, ...more } });
const challengeAt = (url: string, expiresAt: Date | null = null) => ({
  kind: 'requires_action',
  redirect: { url, expiresAt },
});

const noBooks = { entries: [], payouts: [] };

const whose = { id: 'txn_1', account: 'acct_1', currency: 'AUD', at: '2027-01-12T00:00:00.000Z' };

const booked = { billerId: 'acct_1', currency: 'AUD', at: new Date(whose.at) };

/** Every answer that a call believes, and what it means. `refused`: only canceling and asking tells. */
const answers: [call: keyof typeof calls, what: string, status: number, body: string, means: object | string][] = [
  ['prepare', 'a reservation', 200, said('reserved'), { kind: 'reserved', reference }],
  ['prepare', 'a request that it does not take (400)', 400, said('rejected'), declined('processor_rejected')],
  ['prepare', 'a request that it does not take (404)', 404, said('rejected'), declined('processor_rejected')],
  ['prepare', 'a request that it does not take (422)', 422, said('rejected'), declined('processor_rejected')],
  ['prepare', 'a reservation without a reference', 200, said('reserved', { reference: null }), 'unknown'],
  ['prepare', 'a reference longer than 200', 200, said('reserved', { reference: 'x'.repeat(201) }), 'unknown'],
  ['prepare', 'a charge where none was made', 200, said('succeeded'), 'unknown'],
  ['charge', 'a success', 200, said('succeeded'), { kind: 'succeeded' }],
  ['charge', 'a challenge', 200, said('requires_action'), { kind: 'requires_action' }],
  ['charge', 'a challenge that says where', 200, goTo(bank), challengeAt(bank)],
  [
    ...(['charge', 'a challenge that ends', 200, goTo(bank, { expires_at: instant })] as const),
    challengeAt(bank, new Date(instant)),
  ],
  ['charge', 'a challenge on this machine', 200, goTo('http://127.0.0.1:9/3ds'), challengeAt('http://127.0.0.1:9/3ds')],
  ['charge', 'a challenge that ends at no date', 200, goTo(bank, { expires_at: 'soon' }), 'unknown'],
  ['charge', 'a challenge without TLS', 200, goTo('http://bank.example.com/3ds'), 'unknown'],
  ['charge', 'a challenge at a look-alike of this machine', 200, goTo('http://127.0.0.1.example.com/'), 'unknown'],
  ['charge', 'a challenge that is a script', 200, goTo('javascript:alert(1)'), 'unknown'],
  ['charge', 'a challenge at data', 200, goTo('data:text/html,x'), 'unknown'],
  ['charge', 'a challenge with a user in its address', 200, goTo('https://pay.example.com@evil.example/'), 'unknown'],
  ['charge', 'a challenge at no address', 200, goTo('/3ds'), 'unknown'],
  ['charge', 'a challenge at null', 200, goTo(null), 'unknown'],
  ['charge', 'a challenge at 2,049 characters', 200, goTo(`https://b.example/${'x'.repeat(2_031)}`), 'unknown'],
  ['charge', 'a decline', 200, said('failed', { code: 'insufficient_funds' }), declined('insufficient_funds')],
  ['charge', 'a decline under 402', 402, said('failed', { code: 'authentication_required' }), needsPayer],
  ['charge', 'a time-out of the issuer', 402, said('failed', { code: 'gateway_timeout' }), declined('gateway_timeout')],
  ['charge', 'a decline with a code of its own', 402, said('failed', { code: 'do_not_honor' }), refusedByIssuer],
  ['charge', 'a decline without a code', 402, said('failed'), refusedByIssuer],
  [
    'charge',
    'a decline with a code that only we give',
    402,
    said('failed', { code: 'processor_rejected' }),
    refusedByIssuer,
  ],
  ['charge', 'a decline with a code of debits', 402, said('failed', { code: 'account_closed' }), refusedByIssuer],
  ['charge', 'a success under 402', 402, said('succeeded'), 'unknown'],
  ['charge', 'a success of another reference', 200, said('succeeded', { reference: 'ref_2' }), 'unknown'],
  ['charge', 'a success without the reference', 200, said('succeeded', { reference: undefined }), 'unknown'],
  ['charge', 'a state that only an inquiry has', 200, said('not_charged'), 'unknown'],
  ['charge', 'a body longer than any outcome', 200, said('succeeded', { more: 'x'.repeat(70_000) }), 'unknown'],
  ['charge', 'a refusal (400)', 400, said('rejected'), 'refused'],
  ['charge', 'a refusal (404)', 404, said('rejected'), 'refused'],
  ['charge', 'a refusal (422)', 422, said('rejected'), 'refused'],
  [
    ...(['debit', 'a submitted debit', 200, said('submitted', { expected_at: instant })] as const),
    { kind: 'submitted', expectedAt: new Date(instant) },
  ],
  ['debit', 'a submitted debit without an instant', 200, said('submitted'), 'unknown'],
  ['debit', 'a submitted debit with no date', 200, said('submitted', { expected_at: 'soon' }), 'unknown'],
  [
    ...(['debit', 'a dishonour', 402, said('failed', { code: 'account_closed', bank_code: '3' })] as const),
    { ...declined('account_closed'), bankCode: '3' },
  ],
  ['debit', 'a dishonour with a code of its own', 402, said('failed', { code: 'x' }), declined('processor_rejected')],
  ['inquire', 'a success', 200, said('succeeded'), { kind: 'succeeded', nextAt: null }],
  ['inquire', 'a challenge', 200, said('requires_action'), { kind: 'requires_action', nextAt: null }],
  ['inquire', 'a challenge that says where', 200, goTo(bank), { ...challengeAt(bank), nextAt: null }],
  ['inquire', 'a challenge without TLS', 200, goTo('http://bank.example.com/3ds'), 'unknown'],
  ['inquire', 'a decline', 200, said('failed'), { ...refusedByIssuer, nextAt: null }],
  ['inquire', 'a payment that is not charged', 200, said('not_charged'), { kind: 'not_charged', nextAt: null }],
  ['inquire', 'a payment that was canceled', 200, said('canceled'), { kind: 'canceled', nextAt: null }],
  ['inquire', 'a decline under 402', 402, said('failed'), 'unknown'],
  ['inquire', 'a reference that it does not know', 404, said('rejected'), 'unknown'],
  [
    ...([
      'inquire a debit',
      'a submitted debit',
      200,
      said('submitted', { expected_at: instant, next_at: instant }),
    ] as const),
    { kind: 'submitted', expectedAt: new Date(instant), nextAt: new Date(instant) },
  ],
  [
    'inquire a debit',
    'a debit that was taken back',
    200,
    said('returned', { code: 'debit_disputed', returned_at: instant }),
    { kind: 'returned', ...disputed(), at: customerInstant(instant), nextAt: null },
  ],
  ['inquire a debit', 'a return without an instant', 200, said('returned', { code: 'debit_disputed' }), 'unknown'],
  ['cancel', 'a cancellation', 200, said('canceled'), 'done'],
  ['cancel', 'a payment that was charged before', 200, said('succeeded'), 'done'],
  ['cancel', 'a refusal', 422, said('rejected'), 'unknown'],
  ['refund', 'a refund that succeeded', 200, said('succeeded'), { kind: 'succeeded' }],
  ['refund', 'a refund that failed', 200, said('failed'), { kind: 'failed' }],
  ['refund', 'a refund that was declined', 402, said('failed'), { kind: 'failed' }],
  ['refund', 'a refund that it has not decided', 200, said('pending'), { kind: 'pending' }],
  ['refund', 'a refund that was refused', 422, said('rejected'), 'refused'],
  ['refund', 'a challenge for a refund', 200, said('requires_action'), 'unknown'],
  ['inquire a refund', 'a refund that succeeded', 200, said('succeeded'), { kind: 'succeeded' }],
  ['inquire a refund', 'a refund that failed', 200, said('failed'), { kind: 'failed' }],
  ['inquire a refund', 'a refund that it has not decided', 200, said('pending'), { kind: 'pending' }],
  ['inquire a refund', 'a refund that it has never made', 200, said('not_found'), { kind: 'not_found' }],
  ['movements', 'an empty list', 200, list([]), { cursor: '42', hasMore: false, movements: [], ...noBooks }],
  [
    ...(['movements', 'a charge and a refund', 200, list([moved('charge'), moved('refund')])] as const),
    {
      cursor: '42',
      hasMore: false,
      ...noBooks,
      movements: ['charge', 'refund'].map((kind) => {
        return { kind, idempotencyKey: key, reference, paymentIntentId: 'pi_1', amount: 300, currency: 'AUD' };
      }),
    },
  ],
  ['movements', 'a charge without a reference', 200, list([{ ...moved('charge'), reference: null }]), 'unknown'],
  ['movements', 'a movement of another kind', 200, list([moved('loan')]), 'unknown'],
  ['movements', 'entries in the processor’s books', 200, list([entry(), entry({ currency: 'CHF' })]), entryRead()],
  ['movements', 'a payout of the processor', 200, list([payout({ status: 'failed' })]), payoutRead()],
  ['movements', 'an entry whose net is not its amount less its fee', 200, list([entry({ net: 1018 })]), 'unknown'],
  ['movements', 'an entry without an account', 200, list([entry({ account: null })]), 'unknown'],
  ['movements', 'an entry without an id', 200, list([entry({ id: '' })]), 'unknown'],
  ['movements', 'an entry with a NUL in its id', 200, list([entry({ id: 'a\0' })]), 'unknown'],
  ['movements', 'an entry of a fraction', 200, list([entry({ fee: 0.5, net: 1017.5 })]), 'unknown'],
  ['movements', 'an entry of a date that there is not', 200, list([entry({ available_on: '2027-02-30' })]), 'unknown'],
  ['movements', 'an entry without its instant', 200, list([entry({ at: 'today' })]), 'unknown'],
  ['movements', 'a payout of nothing', 200, list([payout({ amount: 0 })]), 'unknown'],
  ['movements', 'a payout of another status', 200, list([payout({ status: 'pending' })]), 'unknown'],
  ['movements', 'a movement that is null', 200, list([null]), 'unknown'],
  ['begin a setup', 'a setup', 200, setup(), setupRead()],
  [
    ...(['begin a setup', 'a script of this machine', 200, setup({ script_url: 'http://127.0.0.1:9/s.js' })] as const),
    { ...setupRead(), scriptUrl: new URL('http://127.0.0.1:9/s.js') },
  ],
  ['begin a setup', 'a call that it lacks', 404, '{}', 'null'],
  ['begin a setup', 'a script over http', 200, setup({ script_url: 'http://fields.example.com/' }), 'unknown'],
  ['begin a setup', 'a script as text', 200, setup({ script_url: 'data:text/javascript,alert(1)' }), 'unknown'],
  ['begin a setup', 'a script with a user', 200, setup({ script_url: 'https://a:b@fields.example.com/' }), 'unknown'],
  ['begin a setup', 'a script that is no URL', 200, setup({ script_url: '//fields.example.com/' }), 'unknown'],
  ['begin a setup', 'a key with a tag', 200, setup({ publishable_key: '"><script>' }), 'unknown'],
  ['begin a setup', 'no client secret', 200, setup({ client_secret: null }), 'unknown'],
  ['begin a setup', 'a setup of another key', 200, setup({ idempotency_key: 'other' }), 'unknown'],
  ['begin a setup', 'a setup that has ended', 200, setup({ outcome: 'succeeded' }), 'unknown'],
  ['inquire a setup', 'a card', 200, said('succeeded', { token: 'pm_x' }), { kind: 'succeeded', token: 'pm_x' }],
  ['inquire a setup', 'a success without a card', 200, said('succeeded'), 'unknown'],
  ['inquire a setup', 'a token with a path', 200, said('succeeded', { token: '../x' }), 'unknown'],
  ['inquire a setup', 'an open setup', 200, said('open'), { kind: 'open' }],
  ['inquire a setup', 'a refused card', 200, said('failed'), { kind: 'failed' }],
  ['inquire a setup', 'a setup that was canceled', 200, said('canceled'), { kind: 'canceled' }],
  ['inquire a setup', 'a reference that it does not know', 404, '{}', 'unknown'],
  [
    ...(['inquire a setup', 'the card of another setup'] as const),
    ...([200, said('succeeded', { token: 'pm_x', reference: 'ref_2' }), 'unknown'] as const),
  ],
  ['describe a card', 'a card', 200, found(), cardRead()],
  [
    'describe a card',
    'members that are not as they should be as null',
    200,
    found({ last_four: '42', country: 'au' }),
    {
      ...cardRead(),
      ...{ lastFour: null, country: null },
    },
  ],
  ['describe a card', 'a token that it does not know', 404, '{}', 'null'],
  ['describe a card', 'another card', 200, found({ token: 'pm_y' }), 'unknown'],
  ['ask about a mandate', 'one in force', 200, ofMandate('active'), 'active'],
  ['ask about a mandate', 'one that has ended', 200, ofMandate('ended'), 'ended'],
  ['ask about a mandate', 'one that it does not know', 404, '{}', 'null'],
  ['ask about a mandate', 'another mandate', 200, ofMandate('ended', 'DDR-2'), 'unknown'],
  ['ask about a mandate', 'an outcome of later versions', 200, ofMandate('paused'), 'unknown'],
  ['movements', 'a list without an end', 200, JSON.stringify({ cursor: '42', movements: [] }), 'unknown'],
  [
    ...(['notices', 'a charge, a refund, a mandate and a kind of later versions', 200] as const),
    heard([notice('charge'), notice('refund'), notice('mandate'), notice('dispute')]),
    {
      cursor: '42',
      hasMore: false,
      refused: null,
      notices: ['charge', 'refund', 'mandate'].map((kind) => ({ kind, reference, billerId: 'acct_1' })),
    },
  ],
  [
    ...(['notices', 'accounts that are refused, and what cannot be read of them', 200] as const),
    JSON.stringify({
      ...JSON.parse(heard([])),
      refused: [{ account: 'acct_1', reason: 'r'.repeat(300) }, { account: 7, reason: '' }, null],
    }),
    { cursor: '42', hasMore: false, notices: [], refused: [{ billerId: 'acct_1', reason: 'r'.repeat(200) }] },
  ],
  ['notices', 'a notice without an account', 200, heard([{ ...notice('charge'), account: null }]), 'unknown'],
  ['notices', 'a notice without a reference', 200, heard([{ ...notice('charge'), reference: '' }]), 'unknown'],
  ['notices', 'a list without an end', 200, JSON.stringify({ cursor: '42', notices: [] }), 'unknown'],
];

function disputed() {
  const { code, message } = declined('debit_disputed');
  return { code, message, bankCode: null };
}

function setup(more: object = {}): string {
  const secrets = { client_secret: 'seti_1_secret_2', publishable_key: 'pk_live_1' };
  return said('open', { ...secrets, script_url: 'https://fields.example.com/v3/', ...more });
}

function setupRead() {
  const scriptUrl = new URL('https://fields.example.com/v3/');
  return { reference, clientSecret: 'seti_1_secret_2', publishableKey: 'pk_live_1', scriptUrl };
}

function found(more: object = {}): string {
  const card = { brand: 'visa', network: 'visa', funding: 'debit', last_four: '4242', fingerprint: 'f1' };
  const rest = { expiry_month: 12, expiry_year: 2030, country: 'AU' };
  return JSON.stringify({ outcome: 'found', token: 'pm_x', ...card, ...rest, ...more });
}

function cardRead() {
  const card = { brand: 'visa', network: 'visa', funding: 'debit', lastFour: '4242', fingerprint: 'f1' };
  return { ...card, expiryMonth: 12, expiryYear: 2030, country: 'AU' };
}

function ofMandate(outcome: string, mandate_reference = 'DDR-1'): string {
  return JSON.stringify({ mandate_reference, outcome });
}

function moved(kind: string) {
  return { kind, idempotency_key: key, reference, payment_intent_id: 'pi_1', amount: 300, currency: 'AUD' };
}

function entry(more: object = {}) {
  const money = { amount: 1018, fee: 47, net: 971, available_on: '2027-01-14' };
  return { kind: 'settlement', ...whose, idempotency_key: key, reference, ...money, ...more };
}

function entryRead() {
  const money = { amount: 1018, fee: 47, availableOn: '2027-01-14', payout: null, description: null };
  const read = { kind: 'settlement', id: 'txn_1', ...booked, idempotencyKey: key, reference, ...money };
  return { cursor: '42', hasMore: false, movements: [], entries: [read], payouts: [] };
}

function payout(more: object = {}) {
  return { kind: 'payout', ...whose, amount: 971, status: 'in_transit', arrives_on: '2027-01-13', ...more };
}

function payoutRead() {
  const read = {
    id: 'txn_1',
    ...booked,
    amount: 971,
    status: 'failed',
    failureCode: 'unknown',
    arrivesOn: '2027-01-13',
  };
  return { cursor: '42', hasMore: false, movements: [], entries: [], payouts: [read] };
}

function notice(kind: string) {
  return { kind, reference, account: 'acct_1' };
}

function heard(notices: unknown[]): string {
  return JSON.stringify({ cursor: '42', has_more: false, notices });
}

function list(movements: unknown[]): string {
  return JSON.stringify({ cursor: '42', has_more: false, movements });
}

describe('the client of a processor service', () => {
  let server: LoopbackServer;
  let processor: HttpProcessor;
  let received: Received[] = [];
  let answer: (response: ServerResponse, request: Received) => unknown = () => {};

  before('start a server', async () => {
    server = await serveOnLoopback((request, response) => {
      received.push(request);
      return answer(response, request);
    });
  });
  beforeEach(() => {
    received = [];
    processor = createHttpProcessor({ url: `${server.url}/v1`, secret, timeoutMs: 400 });
  });
  afterEach(() => processor.close());
  after(() => server.close());

  const responding = (status: number, body: string, headers: Record<string, string> = {}) => {
    answer = (response) => response.writeHead(status, headers).end(body);
  };
  const unknownBecause = (why: RegExp) => (error: unknown) =>
    error instanceof OutcomeUnknown && why.test(error.message) && !error.message.includes(secret);

  for (const [call, what, status, body, means] of answers) {
    it(`reads ${what} in the answer to ${call} as ${typeof means === 'string' ? means : 'what it says'}`, async () => {
      responding(status, body);
      const asked = calls[call](processor);
      if (means === 'unknown') {
        const why = body.length > 65_536 ? /request failed/ : new RegExp(`responded ${status}`);
        await assert.rejects(asked, (error) => unknownBecause(why)(error) && !(error instanceof RequestRefused));
      } else if (means === 'refused') {
        await assert.rejects(asked, (error) => error instanceof RequestRefused);
      } else {
        assert.deepEqual(await asked, means === 'done' ? undefined : means === 'null' ? null : means);
      }
      assert.equal(received.length, 1, 'it asks once');
    });
  }

  for (const [what, status, body] of unknownAnswers) {
    const asked = (Object.keys(calls) as (keyof typeof calls)[]).filter(
      (call) => status !== 404 || !optional.has(call),
    );
    it(`takes ${what} for no outcome, whatever it was asked`, async () => {
      const outcomes: Partial<Record<keyof typeof calls, string>> = {
        prepare: 'reserved',
        'inquire a refund': 'not_found',
        'begin a setup': 'open',
        'describe a card': 'found',
        'ask about a mandate': 'active',
      };
      for (const call of asked) {
        responding(status, body(outcomes[call] ?? 'succeeded'));
        const fresh = createHttpProcessor({ url: `${server.url}/v1`, secret, timeoutMs: 400 });
        const why = new RegExp(`responded ${status}`);
        await assert.rejects(
          calls[call](fresh),
          (error) => unknownBecause(why)(error) && !(error instanceof RequestRefused),
          call,
        );
        await fresh.close();
      }
      assert.equal(received.length, asked.length, 'it asks once each');
    });
  }

  it('learns from a 404 that a service has no notices, and ends the wait for them when it is told to', async () => {
    responding(404, '');
    const { signal } = new AbortController();
    assert.equal(await processor.notices(null, signal), null);
    answer = () => {};
    const startedAt = performance.now();
    await assert.rejects(processor.notices('41', AbortSignal.timeout(50)), unknownBecause(/gave no outcome/));
    assert.ok(performance.now() - startedAt < 2_000);
  });

  it('says that the payer is there, and where he comes back to, of an attended charge and its reservation alone', async () => {
    answer = (response) => response.writeHead(500).end();
    const returnUrlOf = (id: string) => `https://pay.example.com/challenge/${id}`;
    const client = createHttpProcessor({ url: server.url, secret, returnUrlOf });
    for (const asked of [{ ...chargeRequest, attended: true }, chargeRequest]) {
      await assert.rejects(client.prepare(asked));
      await assert.rejects(client.charge(asked, reference));
    }
    await assert.rejects(processor.charge({ ...chargeRequest, attended: true }, reference));
    await client.close();
    const sent = received.map(({ body }) => JSON.parse(String(body)));
    const there = [true, returnUrlOf('pi_1')];
    assert.deepEqual(
      sent.map(({ attended, return_url }) => (attended === undefined ? return_url : [attended, return_url])),
      [there, there, undefined, undefined, undefined],
    );
  });

  it('sends one POST for each call, with the secret, and with the key where something may be made', async () => {
    answer = (response) => response.writeHead(500).end();
    for (const call of Object.values(calls)) await assert.rejects(call(processor));
    const method = { id: 'pm_1', type: 'card', token: 'tok_1' };
    const opened = { attempt: 2, opened_at: '2026-01-01T00:00:00.000Z' };
    const paid = { amount: 1018, base_amount: 1000, currency: 'AUD', metadata: { order: '7' }, ...forAccount };
    const charge = { payment_intent_id: 'pi_1', ...opened, ...paid, payment_method: method };
    const debit = {
      payment_method: { ...method, type: 'au_becs_debit' },
      debit: {
        scheme: 'au_becs',
        charge_date: '2026-01-02',
        mandate_reference: 'DDR-1',
        lodgement_reference: 'L-1',
        mandate: {
          accepted_at: '2025-12-24T03:00:00.000Z',
          type: 'online',
          ip_address: '203.0.113.7',
          user_agent: 'Mozilla/5.0',
          signatory_name: 'Jo Nguyen',
          text_sha256: 'a'.repeat(64),
        },
      },
    };
    const refund = {
      ...forAccount,
      payment_intent_id: 'pi_1',
      charge_reference: reference,
      amount: 300,
      currency: 'AUD',
      metadata: {},
    };
    const asked = { ...forAccount, reference, at: at.toISOString() };
    const sent = received.map(({ path, headers, body }) => [
      path,
      headers['idempotency-key'] ?? null,
      JSON.parse(body),
    ]);
    assert.deepEqual(sent, [
      ['/v1/prepare', key, charge],
      ['/v1/charges', key, { ...charge, reference }],
      ['/v1/charges', key, { ...charge, ...debit, reference }],
      ['/v1/inquire', null, asked],
      ['/v1/inquire', null, asked],
      ['/v1/cancel', null, { ...forAccount, reference }],
      ['/v1/refunds', key, refund],
      ['/v1/refunds/inquire', key, refund],
      ['/v1/movements', null, { livemode: true, after: '41' }],
      ['/v1/notices', null, { livemode: true, after: '41' }],
      ['/v1/setups', key, forAccount],
      ['/v1/setups/inquire', null, { ...forAccount, reference }],
      ['/v1/methods/inquire', null, { ...forAccount, token: 'pm_x' }],
      ['/v1/mandates/inquire', null, { ...forAccount, mandate_reference: 'DDR-1' }],
    ]);
    for (const { method: verb, headers } of received) {
      assert.deepEqual([verb, headers.authorization], ['POST', `Bearer ${secret}`]);
      assert.equal(headers['content-type'], 'application/json');
    }
  });

  it('sends the number of a bank account to a reservation and a charge alone, and only if it has no token', async () => {
    answer = (response) => response.writeHead(500).end();
    const read: string[] = [];
    const client = createHttpProcessor({
      url: server.url,
      secret,
      readAccount: async (id, { livemode }) => {
        read.push(`${id} ${livemode}`);
        return account;
      },
    });
    const typed = { ...debitRequest, paymentMethodToken: null };
    await assert.rejects(client.prepare(typed), OutcomeUnknown);
    await assert.rejects(client.charge(typed, reference), OutcomeUnknown);
    const bank_account = { bsb_number: '062000', account_number: '12345678', account_name: 'Jo Nguyen' };
    const method = { id: 'pm_1', type: 'au_becs_debit', token: null, bank_account };
    assert.deepEqual(
      received.map(({ body }) => JSON.parse(body).payment_method),
      [method, method],
    );
    await assert.rejects(client.inquire(typed, reference, at), OutcomeUnknown);
    await assert.rejects(client.cancel(chargeRequest, reference), OutcomeUnknown);
    await assert.rejects(client.refund(refundRequest), OutcomeUnknown);
    await assert.rejects(client.prepare(debitRequest), OutcomeUnknown);
    await assert.rejects(client.prepare({ ...chargeRequest, paymentMethodToken: null }), OutcomeUnknown);
    assert.deepEqual(read, ['pm_1 true', 'pm_1 true']);
    assert.doesNotMatch(JSON.stringify(received.slice(2).map(({ body }) => body)), /bank_account|12345678/);
    await client.close();
  });

  it('says nothing of a bank account in its errors', async () => {
    const client = createHttpProcessor({ url: server.url, secret, readAccount: async () => account });
    const typed = { ...debitRequest, paymentMethodToken: null };
    const replies: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(500).end(received.at(-1)?.body),
      (response) => response.writeHead(422).end(received.at(-1)?.body),
      (response) => response.writeHead(200).end(received.at(-1)?.body),
      (response) => response.socket?.resetAndDestroy(),
    ];
    for (const reply of replies) {
      answer = reply;
      await assert.rejects(client.charge(typed, reference), (error) => {
        assert.match(received.at(-1)?.body ?? '', /12345678/);
        assert.doesNotMatch(inspect(error, { depth: null, showHidden: true }), /12345678|062000|Jo Nguyen/);
        return error instanceof OutcomeUnknown;
      });
    }
    await client.close();
  });

  it('sends the fixture of a card in the sandbox, and says that it is no real money', async () => {
    answer = (response) => response.writeHead(500).end();
    const sandbox = createHttpProcessor({ url: server.url, secret, livemode: false });
    await assert.rejects(sandbox.prepare({ ...chargeRequest, fixtureToken: 'tok_sandbox' }), /the sandbox’s processor/);
    const { livemode, payment_method: method } = JSON.parse(received[0]?.body ?? '');
    assert.deepEqual([livemode, method.fixture_token], [false, 'tok_sandbox']);
    await sandbox.close();
  });

  it('does not know the outcome when the connection is reset before, in or after the headers', async () => {
    const resets: ((response: ServerResponse) => void)[] = [
      (response) => response.socket?.resetAndDestroy(),
      (response) => response.socket?.write('HTTP/1.1 200', () => response.socket?.resetAndDestroy()),
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write(said('succeeded'), () => response.socket?.resetAndDestroy());
      },
    ];
    for (const reset of resets) {
      answer = reset;
      await assert.rejects(processor.charge(chargeRequest, reference), unknownBecause(/gave no outcome/));
    }
    assert.equal(received.length, resets.length, 'it asks once each');
  });

  it('does not know the outcome when a whole answer is followed by the end of a longer body', async () => {
    answer = (response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      response.write(said('succeeded'), () => response.socket?.end());
    };
    await assert.rejects(processor.charge(chargeRequest, reference), unknownBecause(/gave no outcome/));
  });

  it('does not wait longer than its time-out for a connection, the headers or a body that dribbles', async () => {
    const hangs: ((response: ServerResponse) => void)[] = [
      () => {},
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      },
    ];
    for (const hang of hangs) {
      answer = hang;
      const begun = performance.now();
      await assert.rejects(processor.charge(chargeRequest, reference), unknownBecause(/no response within 0.4 s/));
      assert.ok(performance.now() - begun < 2_000);
    }
  });

  it('says in words, and without the address, that nothing listens', async () => {
    const gone = await serveOnLoopback(() => {});
    await gone.close();
    const alone = createHttpProcessor({ url: gone.url, secret });
    const why = (error: unknown) => unknownBecause(/^the live processor gave no outcome: connection refused$/)(error);
    await assert.rejects(alone.charge(chargeRequest, reference), why);
    await alone.close();
  });

  it('is quiet for as long as Retry-After says after a 429 and a 503, and then asks again', async () => {
    for (const status of [429, 503]) {
      received = [];
      responding(status, '{}', { 'retry-after': '1' });
      const busy = (error: unknown) => error instanceof OutcomeUnknown && (error.retryAfterMs ?? 0) > 0;
      await assert.rejects(processor.charge(chargeRequest, reference), busy);
      responding(200, said('succeeded'));
      await assert.rejects(processor.charge(chargeRequest, reference), busy);
      assert.equal(received.length, 1, 'it was asked once');
      await pause(1_050);
      assert.deepEqual(await processor.charge(chargeRequest, reference), { kind: 'succeeded' });
    }
  });

  it('passes on the Retry-After of a 409, which is about this key alone', async () => {
    responding(409, '{}', { 'retry-after': '7' });
    const busy = (error: unknown) => error instanceof OutcomeUnknown && error.retryAfterMs === 7_000;
    await assert.rejects(processor.charge(chargeRequest, reference), busy);
    responding(200, said('succeeded'));
    assert.deepEqual(await processor.charge(chargeRequest, reference), { kind: 'succeeded' });
  });

  it('takes a Retry-After of a day for a minute, and one that is no number for none', async () => {
    for (const [header, ms] of [
      ['86400', 60_000],
      ['tomorrow', null],
      ['-1', null],
    ] as const) {
      responding(409, '{}', { 'retry-after': header });
      const asked = processor.charge(chargeRequest, reference);
      await assert.rejects(asked, (error: unknown) => error instanceof OutcomeUnknown && error.retryAfterMs === ms);
    }
  });

  it('has at most 32 calls under way, and carries out the others when one ends', async () => {
    const patient = createHttpProcessor({ url: server.url, secret });
    let [underWay, most] = [0, 0];
    let letGo = (): void => {};
    const full = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    // The first ones wait for each other, however late they come.
    answer = async (response, { headers }) => {
      most = Math.max(most, ++underWay);
      if (most === 32) letGo();
      await full;
      await pause(20);
      underWay -= 1;
      response.writeHead(200).end(said('succeeded').replace(key, String(headers['idempotency-key'])));
    };
    const keys = Array.from({ length: 100 }, (_, index) => `att_${index}`);
    const outcomes = await Promise.all(
      keys.map((one) => patient.charge({ ...chargeRequest, idempotencyKey: one }, reference)),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'succeeded').length, 100);
    assert.equal(most, 32);
    await patient.close();
  });
});
