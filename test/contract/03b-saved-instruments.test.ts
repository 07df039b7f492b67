import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useStage } from '../support/stage.ts';
import { card, debit, fullCard, instruments, vaulted } from './bodies.ts';
import { itShowsFields, type Json, once, type ShownRow } from './rows.ts';
import { itIsTheTable } from './tables.ts';

const path = '/payment_methods';

/** By type, the keys of `instrument_data`. */
const shown: Readonly<Record<string, readonly ShownRow[]>> = {
  card: [
    { field: 'card_name', rule: 'required, at most 30 characters', is: /^.{0,30}$/ },
    { field: 'expiry_month', rule: 'required, 1 to 12', is: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] },
    { field: 'expiry_year', rule: 'required', is: 'integer' },
    { field: 'card_number_token', rule: 'a string', is: 'text', optional: true },
    { field: 'card_number_end', rule: '4 characters', is: /^.{4}$/, optional: true },
    { field: 'card_bin', rule: '8 digits', is: /^\d{8}$/, optional: true },
    { field: 'fingerprint', rule: 'a string', is: 'text', optional: true },
    { field: 'wallet', rule: 'a string', is: 'text', optional: true },
  ],
  au_becs_debit: [
    { field: 'bsb_number', rule: 'required', is: 'text' },
    { field: 'account_name', rule: 'required', is: 'text' },
    { field: 'account_number_token', rule: 'a string', is: 'text', optional: true },
    { field: 'account_number_end', rule: '4 characters', is: /^.{4}$/ },
    { field: 'fingerprint', rule: 'a string', is: 'text', optional: true },
  ],
  klarna: [
    { field: 'dob', rule: 'an object or null', is: 'object', nullable: true },
    ...['day', 'month', 'year'].map(
      (part): ShownRow => ({
        field: `dob.${part}`,
        rule: 'an integer or null',
        is: 'integer',
        nullable: true,
        optional: true,
      }),
    ),
  ],
  pay_id: [
    { field: 'payid', rule: 'required', is: 'text' },
    { field: 'account_name', rule: 'required', is: 'text' },
    { field: 'payid_type', rule: 'a string', is: 'text', optional: true },
  ],
  paypal: [
    { field: 'paypal_email', rule: 'required, of email format', is: /^\S+@\S+$/ },
    { field: 'account_name', rule: 'required', is: 'text' },
    { field: 'paypal_token', rule: 'a string', is: 'text', optional: true },
  ],
};

/** By type, requests for a method with all fields, and for one with as few as possible. */
const requests: Readonly<Record<string, readonly (readonly [path: string, body: Json])[]>> = {
  card: [
    [path, card(fullCard)],
    [path, card({ token_metadata: vaulted })],
  ],
  au_becs_debit: [
    [path, debit({ account_number_token: 'ant', account_number_end: '5678', fingerprint: 'fp' })],
    [path, debit()],
  ],
  klarna: [instruments.klarna, { dob: { day: null, month: null, year: null } }, { dob: null }].map(elsewhere('klarna')),
  pay_id: [instruments.pay_id, { payid: '+61400000000', account_name: 'Ada' }].map(elsewhere('pay_id')),
  paypal: [instruments.paypal, { paypal_email: 'ada@example.com', account_name: 'Ada' }].map(elsewhere('paypal')),
};

function elsewhere(type: string) {
  return (instrument_data: Json): [string, Json] => ['/test_helpers/payment_methods', { type, instrument_data }];
}

describe('Saved payment method', () => {
  const stage = useStage();

  itIsTheTable(
    'instruments',
    ['type'],
    Object.keys(shown).map((type) => [type]),
  );
  for (const [type, rows] of Object.entries(shown)) {
    describe(`a ${type}: fetch, customer-scoped fetch and detach return {success, payment_method} with`, () => {
      const samples = once(async () => {
        const customer = await stage.merchant.customer();
        const answered: Json[] = [];
        for (const [to, body] of requests[type] ?? []) {
          const { id } = (await stage.request('POST', to, { ...body, customer_reference: customer.id })).body
            .payment_method;
          answered.push((await stage.request('GET', `${path}/${id}`)).body);
          answered.push((await stage.request('GET', `/customers/${customer.id}${path}/${id}`)).body);
          answered.push((await stage.request('POST', `${path}/${id}/detach`)).body);
        }
        return answered;
      });
      const inside = rows.map((row) => ({ ...row, field: `payment_method.instrument_data.${row.field}` }));
      itShowsFields(
        [
          { field: 'success', rule: 'a boolean', is: 'boolean' },
          { field: 'payment_method.id', rule: 'required', is: /^pm_\w+$/ },
          { field: 'payment_method.type', rule: type, is: [type] },
          ...inside,
        ],
        samples,
      );
      it('no other key of instrument_data', async () => {
        const known = rows.map(({ field }) => field);
        for (const { payment_method } of await samples()) {
          for (const key of Object.keys((payment_method as Json).instrument_data as Json))
            assert.ok(known.includes(key), key);
        }
      });
    });
  }

  it('list responses are {success, payment_methods: [{id, type, instrument_data: object}]}', async () => {
    const { id } = await stage.merchant.payer();
    for (const list of [path, `/customers/${id}${path}`]) {
      const { body } = await stage.request('GET', list);
      assert.equal(body.success, true);
      assert.equal(body.payment_methods.length, 1);
      assert.deepEqual(Object.keys(body.payment_methods[0]).sort(), ['id', 'instrument_data', 'type']);
    }
  });
});
