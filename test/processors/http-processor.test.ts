import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';
import { declined } from '../../src/domain/charge-outcome.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { type ChargeRequest, OutcomeUnknown, type RefundRequest } from '../../src/processors/processor.ts';

const key = 'att_1';
const secret = 'a-secret-of-24-characters';
const chargeRequest: ChargeRequest = {
  idempotencyKey: key,
  paymentIntentId: 'pi_1',
  amount: 1000,
  totalAmount: 1018,
  currency: 'AUD',
  attempt: 2,
  openedAt: new Date('2026-01-01T00:00:00Z'),
  paymentMethodId: 'pm_1',
  paymentMethodType: 'card',
  paymentMethodToken: 'tok_1',
  fixtureToken: null,
  metadata: { order: '7' },
  debit: null,
};
const refundRequest: RefundRequest = {
  idempotencyKey: key,
  paymentIntentId: 'pi_1',
  amount: 300,
  currency: 'AUD',
  metadata: {},
};
const said = (outcome: string, more: object = {}) => JSON.stringify({ idempotency_key: key, outcome, ...more });

const refusedByIssuer = declined('card_declined');
const needsPayer = declined('authentication_required');
const refusedRequest = declined('processor_rejected');

/** Every answer that a processor may give to a charge, and what it means. */
const answers: [what: string, status: number, body: string, means: object | 'unknown'][] = [
  ['a success', 200, said('succeeded'), { kind: 'succeeded' }],
  ['a challenge', 200, said('requires_action'), { kind: 'requires_action' }],
  ['a decline', 200, said('failed', { code: 'insufficient_funds' }), declined('insufficient_funds')],
  ['a decline under 402', 402, said('failed', { code: 'authentication_required' }), needsPayer],
  ['a time-out of the issuer', 402, said('failed', { code: 'gateway_timeout' }), declined('gateway_timeout')],
  ['a decline with a code of its own', 402, said('failed', { code: 'do_not_honor' }), refusedByIssuer],
  ['a decline without a code', 402, said('failed'), refusedByIssuer],
  ['a decline with a code that only we give', 402, said('failed', { code: 'processor_rejected' }), refusedByIssuer],
  ['a refused request, nothing charged (400)', 400, said('rejected'), refusedRequest],
  ['a refused request, nothing charged (404)', 404, said('rejected'), refusedRequest],
  ['a refused request, nothing charged (422)', 422, said('rejected'), refusedRequest],
  ['a refused request that does not say what was charged', 400, '{"error":"parameter"}', 'unknown'],
  ['an unknown path', 404, '', 'unknown'],
  ['a success of another request', 200, said('succeeded').replace(key, 'att_2'), 'unknown'],
  ['a success without a key', 200, '{"outcome":"succeeded"}', 'unknown'],
  ['an outcome that is no outcome', 200, said('processing'), 'unknown'],
  ['an outcome that is no text', 200, JSON.stringify({ idempotency_key: key, outcome: true }), 'unknown'],
  ['a page of HTML', 200, '<html><body>Please log in</body></html>', 'unknown'],
  ['an empty body', 200, '', 'unknown'],
  ['a list', 200, '[]', 'unknown'],
  ['null', 200, 'null', 'unknown'],
  ['JSON that breaks off', 200, said('succeeded').slice(0, -2), 'unknown'],
  ['a body longer than any outcome', 200, said('succeeded', { more: 'x'.repeat(70_000) }), 'unknown'],
  ['a success under 201', 201, said('succeeded'), 'unknown'],
  ['a success under 402', 402, said('succeeded'), 'unknown'],
  ['a success under 500', 500, said('succeeded'), 'unknown'],
  ['a redirect', 302, said('succeeded'), 'unknown'],
  ['refused credentials (401)', 401, said('rejected'), 'unknown'],
  ['refused credentials (403)', 403, said('failed'), 'unknown'],
  ['a time-out of a proxy (408)', 408, '', 'unknown'],
  ['a key in use (409)', 409, said('rejected'), 'unknown'],
  ['too many requests', 429, said('rejected'), 'unknown'],
  ['an error', 500, '{"error":"oops"}', 'unknown'],
  ['a bad gateway', 502, '<html></html>', 'unknown'],
  ['a decline under 503', 503, said('failed'), 'unknown'],
  ['a gateway time-out', 504, '', 'unknown'],
];

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

  for (const [what, status, body, means] of answers) {
    it(`reads ${what} as ${means === 'unknown' ? 'an unknown outcome' : 'what it says'}`, async () => {
      responding(status, body);
      if (means === 'unknown') {
        const why = body.length > 65_536 ? /request failed/ : new RegExp(`responded ${status}`);
        await assert.rejects(processor.charge(chargeRequest, key), unknownBecause(why));
      } else {
        assert.deepEqual(await processor.charge(chargeRequest, key), means);
      }
      assert.equal(received.length, 1, 'it asks once');
    });
  }

  for (const [what, status, body, means] of [
    ['a refund that succeeded', 200, said('succeeded'), 'succeeded'],
    ['a refund that failed', 200, said('failed'), 'failed'],
    ['a refund that was declined', 402, said('failed'), 'failed'],
    ['a refund that was refused', 422, said('rejected'), 'failed'],
    ['a challenge for a refund', 200, said('requires_action'), 'unknown'],
    ['an error of a refund', 500, '', 'unknown'],
  ] as const) {
    it(`reads ${what} as ${means}`, async () => {
      responding(status, body);
      const asked = processor.refund(refundRequest);
      if (means === 'unknown') await assert.rejects(asked, unknownBecause(/responded/));
      else assert.deepEqual(await asked, { kind: means });
    });
  }

  it('sends one POST with the key, the secret, the amounts and the token of the method', async () => {
    responding(200, said('succeeded'));
    await processor.charge(chargeRequest, key);
    await processor.refund(refundRequest);
    const sent = received.map(({ method, path, headers, body }) => [
      ...[method, path, headers.authorization, headers['idempotency-key'], headers['content-type']],
      JSON.parse(body),
    ]);
    const common = [`Bearer ${secret}`, key, 'application/json'];
    const method = { id: 'pm_1', type: 'card', token: 'tok_1' };
    const opened = { attempt: 2, opened_at: '2026-01-01T00:00:00.000Z' };
    const paid = { amount: 1018, base_amount: 1000, currency: 'AUD', metadata: { order: '7' } };
    const refund = { amount: 300, currency: 'AUD', metadata: {} };
    assert.deepEqual(sent, [
      ['POST', '/v1/charges', ...common, { payment_intent_id: 'pi_1', ...opened, ...paid, payment_method: method }],
      ['POST', '/v1/refunds', ...common, { payment_intent_id: 'pi_1', ...refund }],
    ]);
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
      await assert.rejects(processor.charge(chargeRequest, key), unknownBecause(/gave no outcome/));
    }
    assert.equal(received.length, resets.length, 'it asks once each');
  });

  it('does not know the outcome when a whole answer is followed by the end of a longer body', async () => {
    answer = (response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      response.write(said('succeeded'), () => response.socket?.end());
    };
    await assert.rejects(processor.charge(chargeRequest, key), unknownBecause(/gave no outcome/));
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
      await assert.rejects(processor.charge(chargeRequest, key), unknownBecause(/no response within 0.4 s/));
      assert.ok(performance.now() - begun < 2_000);
    }
  });

  it('says in words, and without the address, that nothing listens', async () => {
    const gone = await serveOnLoopback(() => {});
    await gone.close();
    const alone = createHttpProcessor({ url: gone.url, secret });
    const why = (error: unknown) => unknownBecause(/^the live processor gave no outcome: connection refused$/)(error);
    await assert.rejects(alone.charge(chargeRequest, key), why);
    await alone.close();
  });

  it('is quiet for as long as Retry-After says after a 429 and a 503, and then asks again', async () => {
    for (const status of [429, 503]) {
      received = [];
      responding(status, '{}', { 'retry-after': '1' });
      const busy = (error: unknown) => error instanceof OutcomeUnknown && (error.retryAfterMs ?? 0) > 0;
      await assert.rejects(processor.charge(chargeRequest, key), busy);
      responding(200, said('succeeded'));
      await assert.rejects(processor.charge(chargeRequest, key), busy);
      assert.equal(received.length, 1, 'it was asked once');
      await pause(1_050);
      assert.deepEqual(await processor.charge(chargeRequest, key), { kind: 'succeeded' });
    }
  });

  it('passes on the Retry-After of a 409, which is about this key alone', async () => {
    responding(409, '{}', { 'retry-after': '7' });
    const busy = (error: unknown) => error instanceof OutcomeUnknown && error.retryAfterMs === 7_000;
    await assert.rejects(processor.charge(chargeRequest, key), busy);
    responding(200, said('succeeded'));
    assert.deepEqual(await processor.charge(chargeRequest, key), { kind: 'succeeded' });
  });

  it('takes a Retry-After of a day for a minute, and one that is no number for none', async () => {
    for (const [header, ms] of [
      ['86400', 60_000],
      ['tomorrow', null],
      ['-1', null],
    ] as const) {
      responding(409, '{}', { 'retry-after': header });
      const asked = processor.charge(chargeRequest, key);
      await assert.rejects(asked, (error: unknown) => error instanceof OutcomeUnknown && error.retryAfterMs === ms);
    }
  });

  it('has at most 32 calls under way, and carries out the others when one ends', async () => {
    const patient = createHttpProcessor({ url: server.url, secret });
    let [underWay, most] = [0, 0];
    answer = async (response, { headers }) => {
      most = Math.max(most, ++underWay);
      await pause(20);
      underWay -= 1;
      response.writeHead(200).end(said('succeeded').replace(key, String(headers['idempotency-key'])));
    };
    const keys = Array.from({ length: 100 }, (_, index) => `att_${index}`);
    const outcomes = await Promise.all(
      keys.map((one) => patient.charge({ ...chargeRequest, idempotencyKey: one }, one)),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'succeeded').length, 100);
    assert.equal(most, 32);
    await patient.close();
  });
});
