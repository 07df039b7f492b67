import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { createMerchant } from '../support/merchant.ts';
import { usePayer } from '../support/payer.ts';
import { card, debit, instruments, intent, plan } from './bodies.ts';
import { endpoints } from './endpoints.ts';
import { itReadsTheContract, tables, tablesOf } from './tables.ts';

describe('What the service does', () => {
  const here = usePayer();
  const { stage } = here;
  const live = () => createMerchant(stage.api.url, stage.keys.liveSecret);

  const statements: readonly { rule: string; holds(): Promise<void> }[] = [
    {
      rule: 'customers are records of payers with saved payment methods',
      async holds() {
        const { body } = await stage.request('GET', `/customers/${here.customer}/payment_methods`);
        assert.deepEqual(
          body.payment_methods.map(({ id }: { id: string }) => id),
          [here.card],
        );
      },
    },
    {
      rule: 'cards and Australian BECS direct debit accounts can be created; the other instruments cannot',
      async holds() {
        for (const body of [card(), debit()])
          assert.equal((await stage.request('POST', '/payment_methods', body)).status, 200);
        for (const type of Object.keys(instruments)) {
          const reply = await stage.request('POST', '/payment_methods', { ...card(), type });
          assert.equal(reply.status, 400, type);
        }
      },
    },
    {
      rule: 'card, BECS, Klarna, PayID and PayPal instruments can be read',
      async holds() {
        for (const body of [card(), debit()]) await stage.request('POST', '/payment_methods', body);
        for (const [type, instrument_data] of Object.entries(instruments)) {
          await stage.request('POST', '/test_helpers/payment_methods', { type, instrument_data });
        }
        const { body } = await stage.request('GET', '/payment_methods');
        const types = new Set(body.payment_methods.map(({ type }: { type: string }) => type));
        assert.deepEqual([...types].sort(), ['au_becs_debit', 'card', 'klarna', 'pay_id', 'paypal']);
      },
    },
    {
      rule: 'a payment intent is created on the server, carries a client_secret, and is confirmed with a payment method',
      async holds() {
        const terms = intent({ customer_id: here.customer });
        const { status, body } = await stage.request('POST', '/payment_intents', terms);
        assert.deepEqual([status, typeof body.client_secret], [201, 'string']);
        const reply = await stage.api.send('POST', `/api/v1/payment_intents/${body.id}/confirm`, {
          key: stage.keys.sandboxPublishable,
          body: { payment_method: here.card, client_secret: body.client_secret },
        });
        assert.deepEqual([reply.status, reply.body.status], [200, 'succeeded']);
      },
    },
    {
      rule: 'a plan generates each payment intent, charges the saved method, and emits payment_intent events for it',
      async holds() {
        for (const frequency_type of ['weekly', 'monthly'] as const) await here.active({ frequency_type });
        const { data } = (await stage.request('GET', '/payment_intents')).body;
        assert.deepEqual(
          data.map((made: { payment_method_id: string; status: string }) => [made.payment_method_id, made.status]),
          [
            [here.card, 'succeeded'],
            [here.card, 'succeeded'],
          ],
        );
        const events = await stage.merchant.events({ event_type: 'payment_intent.succeeded' });
        assert.deepEqual(
          new Set(events.map((event) => event.data.id)),
          new Set(data.map(({ id }: { id: string }) => id)),
        );
      },
    },
    {
      rule: 'a plan applies failure handling and retries',
      async holds() {
        const id = await here.active({ metadata: { _sandbox_outcome: 'decline,succeed' } });
        await here.advance('2027-01-11T00:00:00Z');
        assert.deepEqual(await here.paymentLines(id), ['0 paid 2027-01-10T00:00:00.000Z 2027-01-11T00:00:00.000Z']);
      },
    },
    {
      rule: 'a test clock simulates time for the sandbox customers that were chosen, and for no other',
      async holds() {
        const other = await stage.merchant.customer();
        await here.advance('2027-01-20T00:00:00Z');
        const bound = await stage.merchant.customer({ test_clock: here.clock });
        assert.equal(bound.created_at, '2027-01-20T00:00:00.000Z');
        assert.ok(Math.abs(Date.parse(other.created_at) - realNow().getTime()) < 60_000);
      },
    },
    {
      rule: 'sandbox outcomes are chosen by metadata, by fixture tokens or by amounts',
      async holds() {
        const declined = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_card_lost');
        const chosen = [
          [intent({ customer_id: here.customer, metadata: { _sandbox_outcome: 'decline' } }), here.card],
          [intent({ customer_id: here.customer }), declined],
          [intent({ amount: 1001 }), (await stage.request('POST', '/payment_methods', debit())).body.payment_method.id],
        ];
        for (const [body, payment_method] of chosen) {
          const { id } = (await stage.request('POST', '/payment_intents', body)).body;
          const confirmed = await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
          assert.equal(confirmed.body.status, 'failed');
        }
      },
    },
    {
      rule: 'records carry a livemode boolean: false in sandbox, true in live',
      async holds() {
        const sandboxed = await stage.merchant.customer();
        const real = await live().customer();
        assert.deepEqual([sandboxed.livemode, real.livemode], [false, true]);
        const { body } = await stage.request('POST', '/payment_plans', plan(here.customer));
        assert.equal(body.livemode, false);
      },
    },
    {
      rule: 'sandbox processor responses are mocked: no live charge is made by them',
      async holds() {
        const made = await live().intent({ amount: 1000, currency: 'AUD' });
        const { id } = (await live().request('POST', '/payment_methods', debit())).body.payment_method;
        const { status, body } = await live().request('POST', `/payment_intents/${made.id}/confirm`, {
          payment_method: id,
        });
        assert.deepEqual([status, body.error.code], [503, 'processor_not_configured']);
        assert.deepEqual(stage.ledger.requests, []);
      },
    },
  ];
  for (const { rule, holds } of statements) it(rule, holds);
});

describe('This folder', () => {
  itReadsTheContract('has a row for every row of every table of the contract', (contract) => {
    const claimed = Object.entries(tables);
    assert.deepEqual(
      claimed.map(([, [place]]) => place),
      [...tablesOf(contract).keys()],
    );
    for (const [name, [, file]] of claimed) {
      const text = readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8');
      assert.ok(name in endpoints || new RegExp(`itIsTheTable\\(\\s*'${name}'`).test(text), `${file}: ${name}`);
    }
  });
});
