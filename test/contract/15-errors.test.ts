import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { document, problemsBy } from '../support/openapi.ts';
import { card, clock, debit, fixture, intent } from './bodies.ts';
import { contractEndpoints, nameOf } from './endpoints.ts';
import type { Json } from './rows.ts';
import { useStatuses } from './statuses.ts';
import { itIsTheTable } from './tables.ts';

const envelope = { $ref: '#/components/schemas/Error' };

/** The contract's table; `from` is an operation that returns the status. */
const statuses: readonly { status: number; meaning: string; from: string; code: string }[] = [
  { status: 400, meaning: 'Invalid request', from: 'POST /api/v1/payment_methods', code: 'invalid_json' },
  { status: 401, meaning: 'Unauthenticated', from: 'GET /api/v1/customers', code: 'unauthenticated' },
  { status: 403, meaning: 'Insufficient scope', from: 'GET /api/v1/customers', code: 'insufficient_scope' },
  { status: 404, meaning: 'Resource not found', from: 'GET /api/v1/customers/{customer_id}', code: 'resource_missing' },
  { status: 422, meaning: 'Unprocessable entity', from: 'POST /api/v1/customers', code: 'validation_failed' },
  { status: 500, meaning: 'Internal error', from: 'GET /api/v1/customers', code: 'internal_error' },
];

describe('Errors', () => {
  const { stage, answer } = useStatuses();

  describe('the body', () => {
    const error = { message: 'No.', type: 'invalid_request_error', request_id: 'req_1' };
    const detail = { code: 'invalid_type', message: 'No.' };
    const rows: readonly { rule: string; body: Json; holds: boolean }[] = [
      { rule: 'code and details are optional', body: { error }, holds: true },
      {
        rule: 'may have a code and details',
        body: { error: { ...error, code: 'validation_failed', details: [{ ...detail, path: '/name' }] } },
        holds: true,
      },
      { rule: 'in each details item path is optional', body: { error: { ...error, details: [detail] } }, holds: true },
      { rule: 'error is always present', body: {}, holds: false },
      { rule: 'message is always present', body: { error: { ...error, message: undefined } }, holds: false },
      { rule: 'type is always present', body: { error: { ...error, type: undefined } }, holds: false },
      {
        rule: 'in each details item code is required',
        body: { error: { ...error, details: [{ message: 'No.' }] } },
        holds: false,
      },
      {
        rule: 'in each details item message is required',
        body: { error: { ...error, details: [{ code: 'invalid_type' }] } },
        holds: false,
      },
    ];
    for (const { rule, body, holds } of rows) {
      it(`${rule}, by the schema that every response is checked against`, () => {
        const sent = JSON.parse(JSON.stringify(body));
        assert.equal(problemsBy(envelope, sent).length === 0, holds);
        assert.ok(document.components.schemas?.Error);
      });
    }

    it('names every field error of a request in details, with code, message and path', async () => {
      const reply = await stage.request('POST', '/customers', { name: 7, email: 'none', colour: 'red' });
      const details: Json[] = reply.body.error.details;
      assert.deepEqual(details.map(({ path }) => path).sort(), ['/colour', '/email', '/name']);
      for (const item of details) assert.ok(item.code && item.message);
    });

    it('is the envelope for every endpoint, and for unknown paths', async () => {
      for (const endpoint of contractEndpoints) {
        const { body } = await answer(nameOf(endpoint), 401);
        assert.deepEqual(problemsBy(envelope, body), [], nameOf(endpoint));
      }
      const { status, body } = await stage.request('GET', '/nowhere');
      assert.deepEqual([status, problemsBy(envelope, body)], [404, []]);
    });
  });

  describe('the statuses', () => {
    itIsTheTable(
      'errors',
      ['Status'],
      statuses.map(({ status }) => [String(status)]),
    );
    for (const { status, meaning, from, code } of statuses) {
      it(`the status ${status}: ${meaning}`, async () => {
        const reply = await answer(from, status);
        assert.deepEqual([reply.status, reply.body.error.code], [status, code]);
      });
    }

    it('403: a live key on a sandbox-only endpoint, with the code sandbox_only', async () => {
      const reply = await stage.api.send('GET', '/api/v1/test_helpers/test_clocks', { key: stage.keys.liveSecret });
      assert.deepEqual([reply.status, reply.body.error.code], [403, 'sandbox_only']);
    });

    const path = '/test_helpers/test_clocks';
    const advance = async (frozen_time: string): Promise<Reply> => {
      const { id } = await stage.merchant.clock('2027-01-10T00:00:00Z');
      return stage.request('POST', `${path}/${id}/advance`, { frozen_time });
    };
    const unprocessable: readonly { rule: string; code: string; ask(): Promise<Reply> }[] = [
      {
        rule: 'a customer create that fails validation',
        code: 'validation_failed',
        ask: () => stage.request('POST', '/customers', { email: 'ada@example.com' }),
      },
      {
        rule: 'a customer update that fails validation',
        code: 'validation_failed',
        ask: async () => stage.request('PUT', `/customers/${(await stage.merchant.customer()).id}`, { status: 'gone' }),
      },
      {
        rule: 'a clock create with 3 active clocks',
        code: 'test_clock_limit',
        async ask() {
          for (let n = 0; n < 3; n++) await stage.request('POST', path, clock());
          return stage.request('POST', path, clock());
        },
      },
      {
        rule: 'a clock create with no frozen_time',
        code: 'validation_failed',
        ask: () => stage.request('POST', path, { name: 'Renewals' }),
      },
      {
        rule: 'a clock advance whose target exceeds the advance bound',
        code: 'advance_bound_exceeded',
        ask: () => advance('2028-01-10T00:00:00Z'),
      },
    ];
    for (const { rule, code, ask } of unprocessable) {
      it(`422 is returned by the rule: ${rule}`, async () => {
        const { status, body } = await ask();
        assert.deepEqual([status, body.error.code, body.error.type], [422, code, 'invalid_request_error']);
      });
    }
  });

  describe('the values seen', () => {
    it('type invalid_request_error and code validation_failed: the amount must be at least 200 cents', async () => {
      const { status, body } = await stage.request('POST', '/payment_intents', intent({ amount: 199 }));
      assert.deepEqual([status, body.error.type, body.error.code], [400, 'invalid_request_error', 'validation_failed']);
      assert.match(body.error.message, /amount must be at least 200 cents/);
    });

    for (const [code, amount, method] of [
      ['insufficient_funds', 1001, debit()],
      ['gateway_timeout', 1099, debit()],
      ['card_declined', 1000, card({ token_metadata: fixture('tok_sandbox_visa_decline_card_lost') })],
      ['expired_card', 1000, card({ token_metadata: fixture('tok_sandbox_visa_decline_expired_card') })],
    ] as const) {
      it(`decline code ${code} in last_payment_error.code`, async () => {
        const { id } = (await stage.request('POST', '/payment_intents', intent({ amount }))).body;
        const saved = (await stage.request('POST', '/payment_methods', method)).body.payment_method;
        const { body } = await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: saved.id });
        assert.equal(body.last_payment_error.code, code);
        assert.ok(body.last_payment_error.message.length > 0);
      });
    }
  });
});
