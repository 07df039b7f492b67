import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createMerchant } from '../support/merchant.ts';
import { document, problemsBy } from '../support/openapi.ts';
import { refusal, useStage } from '../support/stage.ts';
import { card, clock, debit, instruments, intent, plan, vaulted } from './bodies.ts';
import { type Json, once } from './rows.ts';
import { itIsTheTable } from './tables.ts';

const base62 = '[0-9A-Za-z]{32}';
const customerFields = [
  ...['id', 'name', 'email', 'reference', 'status', 'business_name', 'billing_address', 'shipping_address'],
  ...['notification_preferences', 'fee_preferences', 'additional_attributes', 'phones', 'test_clock', 'biller_id'],
  ...['created_at', 'updated_at', 'deleted_at'],
];
const neverNull = ['id', 'created_at', 'updated_at'];

describe('Conventions', () => {
  const stage = useStage();
  const create = async (path: string, body: unknown) => (await stage.request('POST', path, body)).body;
  itIsTheTable(
    'conventions',
    ['Item'],
    [['Identifier prefixes'], ['Paginated list'], ['Nullable response fields'], ['Secret-bearing fields']],
  );

  describe('bodies and values', () => {
    it('request and response bodies are JSON with Content-Type application/json', async () => {
      const { headers } = await stage.request('GET', '/customers');
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      const reply = await stage.api.send('POST', '/api/v1/customers', {
        key: stage.merchant.key,
        body: 'name=Ada',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      refusal(reply, 400, 'unsupported_content_type');
    });

    it('timestamps are ISO 8601 date-times, accepted with any offset', async () => {
      const made = await create('/test_helpers/test_clocks', clock({ frozen_time: '2027-01-10T11:00:00+11:00' }));
      assert.equal(made.frozen_time, '2027-01-10T00:00:00.000Z');
      const reply = await stage.request('POST', '/test_helpers/test_clocks', { frozen_time: '10 January 2027' });
      assert.deepEqual(refusal(reply, 422), ['/frozen_time invalid_format']);
    });

    it('plain dates are YYYY-MM-DD', async () => {
      const { id } = await stage.merchant.payer();
      assert.equal((await create('/payment_plans', plan(id))).start_date, '2100-01-01');
      for (const start_date of ['01-01-2100', '2100-1-1', '2100-02-30', '2100-01-01T00:00:00Z']) {
        const reply = await stage.request('POST', '/payment_plans', plan(id, { start_date }));
        assert.deepEqual(refusal(reply, 422), ['/start_date invalid_format'], start_date);
      }
    });

    it('amounts are in minor units: 1000 is ten dollars, and half a cent is refused', async () => {
      assert.equal((await create('/payment_intents', intent())).amount, 1000);
      const reply = await stage.request('POST', '/payment_intents', intent({ amount: 1000.5 }));
      assert.deepEqual(refusal(reply, 400), ['/amount invalid_type']);
    });
  });

  describe('Identifier prefixes', () => {
    const rows: readonly { record: string; is: RegExp; id(): Promise<string> }[] = [
      {
        record: 'a customer’s is cus_ and a 32-character base62 string',
        is: new RegExp(`^cus_${base62}$`),
        id: async () => (await stage.merchant.customer()).id,
      },
      {
        record: 'a payment method’s is pm_',
        is: /^pm_\w+$/,
        id: async () => (await create('/payment_methods', card())).payment_method.id,
      },
      {
        record: 'a payment intent’s is pi_, and looks like pi_sandbox_... in sandbox',
        is: /^pi_sandbox_\w+$/,
        id: async () => (await create('/payment_intents', intent())).id,
      },
      {
        record: 'a live payment intent’s is pi_',
        is: /^pi_(?!sandbox_)\w+$/,
        id: async () =>
          (await createMerchant(stage.api.url, stage.keys.liveSecret).intent({ amount: 1000, currency: 'AUD' })).id,
      },
      {
        record: 'a payment plan’s is pp_',
        is: /^pp_\w+$/,
        id: async () => (await create('/payment_plans', plan((await stage.merchant.payer()).id))).id,
      },
      {
        record: 'a test clock’s is clk_',
        is: /^clk_\w+$/,
        id: async () => (await create('/test_helpers/test_clocks', clock())).id,
      },
      {
        record: 'a biller account’s is acct_ and a 32-character base62 string',
        is: new RegExp(`^acct_${base62}$`),
        id: async () => String((await stage.merchant.customer()).biller_id),
      },
    ];
    for (const { record, is, id } of rows) it(record, async () => assert.match(await id(), is));
  });

  describe('Paginated list', () => {
    const clocks = '/test_helpers/test_clocks';
    const lists: readonly { of: string; path(payer: string): string; make(payer: string): Promise<unknown> }[] = [
      { of: 'customers', path: () => '/customers', make: () => stage.merchant.customer() },
      {
        of: 'the payment intents of a customer',
        path: (payer) => `/customers/${payer}/payment_intents`,
        make: (payer) => create('/payment_intents', intent({ customer_id: payer })),
      },
      {
        of: 'payment plans',
        path: () => '/payment_plans',
        make: (payer) => create('/payment_plans', plan(payer)),
      },
      { of: 'test clocks', path: () => clocks, make: () => create(clocks, clock()) },
    ];
    for (const { of, path, make } of lists) {
      describe(`of the resource ${of}`, () => {
        it('returns {data: array, has_more: boolean}', async () => {
          const { body } = await stage.request('GET', path((await stage.merchant.payer()).id));
          assert.deepEqual([Object.keys(body).sort(), Array.isArray(body.data)], [['data', 'has_more'], true]);
          assert.equal(typeof body.has_more, 'boolean');
        });

        it('accepts an integer limit from 1 to 100', async () => {
          const at = path((await stage.merchant.payer()).id);
          for (const limit of ['1', '100'])
            assert.equal((await stage.request('GET', `${at}?limit=${limit}`)).status, 200);
          for (const limit of ['0', '101', '-1', '1.5', 'ten', '']) {
            const [fault] = refusal(await stage.request('GET', `${at}?limit=${limit}`), 400);
            assert.match(fault ?? '', /^query\/limit (out_of_range|invalid_type)$/, limit);
          }
        });

        it('continues after the id in starting_after, and returns every item once', async () => {
          const { id: payer } = await stage.merchant.payer();
          for (let n = 0; n < 3; n++) await make(payer);
          const all = (await stage.request('GET', path(payer))).body;
          const pages: Json[] = [];
          for (let after = ''; ; ) {
            const { body } = await stage.request('GET', `${path(payer)}?limit=1${after}`);
            pages.push(...body.data);
            if (!body.has_more) break;
            after = `&starting_after=${body.data.at(-1).id}`;
          }
          assert.ok(pages.length >= 3);
          assert.deepEqual([pages, all.has_more], [all.data, false]);
        });
      });
    }
  });

  describe('Nullable response fields: on customers', () => {
    const bare = once(() => create('/customers', { name: 'Ada Lovelace' }));
    for (const field of customerFields) {
      const may = !neverNull.includes(field);
      it(`${field} may ${may ? '' : 'not '}be null`, async () => {
        const faults = problemsBy({ $ref: '#/components/schemas/Customer' }, { ...(await bare()), [field]: null });
        assert.equal(faults.length === 0, may, faults.join());
        assert.ok(document.components.schemas?.Customer);
      });
    }
  });

  describe('Secret-bearing fields are opaque strings: any text is kept as it is', () => {
    const opaque = ' =tok/€&"\\{}%00 ';
    const readBack = async (path: string, body: unknown, field: string) => {
      const { id } = (await create(path, body)).payment_method;
      return (await stage.request('GET', `/payment_methods/${id}`)).body.payment_method.instrument_data[field];
    };
    it('card_number_token', async () => {
      const body = card({ card_number_token: opaque, token_metadata: vaulted });
      assert.equal(await readBack('/payment_methods', body, 'card_number_token'), opaque);
    });
    it('account_number_token', async () => {
      const body = debit({ account_number_token: opaque });
      assert.equal(await readBack('/payment_methods', body, 'account_number_token'), opaque);
    });
    it('paypal_token', async () => {
      const body = { type: 'paypal', instrument_data: { ...instruments.paypal, paypal_token: opaque } };
      assert.equal(await readBack('/test_helpers/payment_methods', body, 'paypal_token'), opaque);
    });
    it('client_secret', async () => {
      const [one, other] = [await create('/payment_intents', intent()), await create('/payment_intents', intent())];
      assert.equal(typeof one.client_secret, 'string');
      assert.notEqual(one.client_secret, other.client_secret);
      assert.ok(!JSON.stringify(await stage.merchant.events()).includes(one.client_secret));
    });
  });
});
