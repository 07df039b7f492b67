import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { refusal, useStage } from '../support/stage.ts';
import { type FieldRow, itShowsFields, itTakesFields, metadataRow, once, type Refused, type ShownRow } from './rows.ts';
import { itIsTheTable } from './tables.ts';

const noText: Refused[] = [
  [null, 'invalid_type'],
  [7, 'invalid_type'],
];
const address = {
  line1: '1 Mill Lane',
  line2: 'Flat 2',
  city_or_suburb: 'Carlton',
  state_or_region: 'VIC',
  postal_code: '3053',
  country: 'AU',
};
const addressRow = (field: string): FieldRow => ({
  field,
  rule: 'an object of line1, line2, city_or_suburb, state_or_region, postal_code, country, all strings',
  accepts: [address, { line1: '1 Mill Lane' }, {}],
  refuses: [
    ['1 Mill Lane', 'invalid_type'],
    [{ street: 'Mill Lane' }, 'unknown_parameter', `/${field}/street`],
    ...Object.keys(address).map((key): Refused => [{ [key]: 1 }, 'invalid_type', `/${field}/${key}`]),
  ],
});

/** The contract's table of request fields. */
const taken: readonly FieldRow[] = [
  {
    field: 'name',
    rule: 'a string, required on create',
    required: true,
    accepts: ['Ada', 'Ada Lovelace'],
    refuses: [...noText, [' \t ', 'invalid_format'], ['x'.repeat(256), 'too_long']],
  },
  {
    field: 'email',
    rule: 'a string of email format',
    accepts: ['ada@example.com'],
    refuses: [...noText, ['ada', 'invalid_format'], ['ada@', 'invalid_format']],
  },
  { field: 'reference', rule: 'a string: the caller’s own reference', accepts: ['R-7'], refuses: noText },
  {
    field: 'status',
    rule: 'active or inactive',
    accepts: ['active', 'inactive'],
    refuses: [['deleted', 'invalid_value']],
  },
  { field: 'business_name', rule: 'a string', accepts: ['Analytical Engines'], refuses: noText },
  addressRow('billing_address'),
  addressRow('shipping_address'),
  {
    field: 'notification_preferences',
    rule: 'an object of the booleans send_payment_emails, send_sms_reminders, send_sms_failures',
    accepts: [{ send_payment_emails: true, send_sms_reminders: false, send_sms_failures: true }, {}],
    refuses: [
      ...['send_payment_emails', 'send_sms_reminders', 'send_sms_failures'].map(
        (key): Refused => [{ [key]: 'yes' }, 'invalid_type', `/notification_preferences/${key}`],
      ),
      [{ send_letters: true }, 'unknown_parameter', '/notification_preferences/send_letters'],
    ],
  },
  {
    field: 'fee_preferences',
    rule: 'an object of the boolean customer_pays_transaction_fees',
    accepts: [{ customer_pays_transaction_fees: true }, {}],
    refuses: [
      [{ customer_pays_transaction_fees: 1 }, 'invalid_type', '/fee_preferences/customer_pays_transaction_fees'],
    ],
  },
  {
    field: 'additional_attributes',
    rule: 'a free-form key/value object',
    accepts: [{ 'any key': { deep: [1, null, true] } }, {}],
    refuses: [
      ['text', 'invalid_type'],
      [[], 'invalid_type'],
    ],
  },
  {
    field: 'phones',
    rule: 'an array of objects with kind (string), raw (string, required), country_code (string)',
    accepts: [[{ kind: 'mobile', raw: '0400 000 000', country_code: 'AU' }, { raw: '1' }], []],
    refuses: [
      [[{ kind: 'mobile' }], 'parameter_missing', '/phones/0/raw'],
      [[{ raw: '1' }, { raw: 1 }], 'invalid_type', '/phones/1/raw'],
      [[{ raw: '1', kind: 1 }], 'invalid_type', '/phones/0/kind'],
      [[{ raw: '1', country_code: 61 }], 'invalid_type', '/phones/0/country_code'],
      [{ raw: '1' }, 'invalid_type'],
    ],
  },
  metadataRow,
];

const shown: readonly ShownRow[] = [
  { field: 'id', rule: 'always present, cus_...', is: /^cus_[0-9A-Za-z]{32}$/ },
  { field: 'name', rule: 'a string', is: 'text' },
  { field: 'email', rule: 'a string', is: 'text', nullable: true },
  { field: 'reference', rule: 'a string', is: 'text', nullable: true },
  { field: 'status', rule: 'active or inactive', is: ['active', 'inactive'] },
  { field: 'business_name', rule: 'a string', is: 'text', nullable: true },
  { field: 'billing_address', rule: 'an object', is: 'object', nullable: true },
  { field: 'shipping_address', rule: 'an object', is: 'object', nullable: true },
  { field: 'notification_preferences', rule: 'an object', is: 'object', nullable: true },
  { field: 'fee_preferences', rule: 'an object', is: 'object', nullable: true },
  { field: 'additional_attributes', rule: 'an object', is: 'object', nullable: true },
  { field: 'phones', rule: 'an array of objects', is: 'objects', nullable: true },
  { field: 'test_clock', rule: 'clk_... of a customer on a clock', is: /^clk_\w+$/, nullable: true },
  { field: 'biller_id', rule: 'response only, acct_...', is: /^acct_[0-9A-Za-z]{32}$/ },
  { field: 'created_at', rule: 'response only, a date-time', is: 'date-time' },
  { field: 'updated_at', rule: 'response only, a date-time', is: 'date-time' },
  { field: 'deleted_at', rule: 'response only, a date-time or null', is: 'date-time', nullable: true },
];

describe('Customer', () => {
  const stage = useStage();
  const create = (body: unknown) => stage.request('POST', '/customers', body);
  itIsTheTable(
    'customer',
    ['Field'],
    shown.map(({ field }) => [field]),
  );

  describe('a create accepts', () => {
    itTakesFields(taken, {
      body: () => ({ name: 'Ada Lovelace' }),
      send: create,
      accepted: 201,
      refused: 422,
      shown: ({ body }) => body,
    });
  });

  describe('an update accepts the same, and requires no field', () => {
    const optional = taken.map(({ required: _, ...row }) => ({
      ...row,
      // Null clears a field that a customer can be without.
      refuses: row.refuses.filter(([value]) => value !== null || row.field === 'name'),
    }));
    itTakesFields(optional, {
      body: () => ({}),
      send: async (body) => stage.request('PUT', `/customers/${(await stage.merchant.customer()).id}`, body),
      accepted: 200,
      refused: 422,
      shown: ({ body }) => body,
    });
  });

  describe('a response has', () => {
    const samples = once(async () => {
      const clock = await stage.merchant.clock('2027-01-10T00:00:00Z');
      const all = Object.fromEntries(taken.map(({ field, accepts }) => [field, accepts[0]]));
      const [bare, full] = [await create({ name: 'Ada' }), await create({ ...all, test_clock: clock.id })];
      const deleted = await stage.request('DELETE', `/customers/${(await stage.merchant.customer()).id}`);
      return [bare.body, full.body, deleted.body];
    });
    itShowsFields(shown, samples);
  });

  describe('response-only fields', () => {
    for (const field of ['id', 'biller_id', 'created_at', 'updated_at', 'deleted_at', 'livemode']) {
      it(`${field} cannot be given`, async () => {
        const value = (await stage.merchant.customer())[field as 'id'] ?? '2027-01-10T00:00:00Z';
        assert.deepEqual(refusal(await create({ name: 'Ada', [field]: value }), 422), [`/${field} unknown_parameter`]);
      });
    }
  });

  describe('test_clock', () => {
    const clock = async () => (await stage.merchant.clock('2027-01-10T00:00:00Z')).id;

    it('can be set at creation, and the customer then follows the clock’s time', async () => {
      const test_clock = await clock();
      const { body } = await create({ name: 'Ada', test_clock });
      assert.deepEqual([body.test_clock, body.created_at], [test_clock, '2027-01-10T00:00:00.000Z']);
    });

    it('is immutable, to the same value too', async () => {
      const test_clock = await clock();
      for (const { id } of [await stage.merchant.customer(), await stage.merchant.customer({ test_clock })]) {
        const reply = await stage.request('PUT', `/customers/${id}`, { test_clock });
        assert.deepEqual(refusal(reply, 422), ['/test_clock immutable']);
      }
    });

    it('is sandbox only: a live customer cannot have one', async () => {
      const body = { name: 'Ada', test_clock: await clock() };
      const reply = await stage.api.send('POST', '/api/v1/customers', { key: stage.keys.liveSecret, body });
      assert.deepEqual(refusal(reply, 422), ['/test_clock resource_missing']);
    });

    it('keeps a customer out of the default customer list, and in the list of its clock', async () => {
      const test_clock = await clock();
      const [free, bound] = [await stage.merchant.customer(), await stage.merchant.customer({ test_clock })];
      const ids = async (query: string) =>
        (await stage.request('GET', `/customers${query}`)).body.data.map(({ id }: { id: string }) => id);
      assert.deepEqual([await ids(''), await ids(`?test_clock=${test_clock}`)], [[free.id], [bound.id]]);
    });
  });
});
