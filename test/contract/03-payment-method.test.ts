import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { useStage } from '../support/stage.ts';
import { card, debit, fullCard, vaulted } from './bodies.ts';
import { type FieldRow, itShowsFields, itTakesFields, type Json, once, type Refused } from './rows.ts';
import { itIsTheTable } from './tables.ts';

const path = '/payment_methods';
const noText: Refused[] = [
  [null, 'invalid_type'],
  [7, 'invalid_type'],
];
const text = (field: string, rule = 'a string'): FieldRow => ({ field, rule, accepts: ['x1'], refuses: noText });
const fourCharacters = (field: string): FieldRow => ({
  field,
  rule: 'exactly 4 characters',
  accepts: ['1881'],
  refuses: [
    ['188', 'too_short'],
    ['18811', 'too_long'],
  ],
});

const cardRows: readonly FieldRow[] = [
  {
    field: 'expiry_month',
    rule: 'an integer from 1 to 12, required',
    required: true,
    accepts: [1, 12],
    refuses: [
      [0, 'out_of_range'],
      [13, 'out_of_range'],
      [1.5, 'invalid_type'],
      ['12', 'invalid_type'],
    ],
  },
  {
    field: 'expiry_year',
    rule: 'an integer, required',
    required: true,
    accepts: [2030, 2099],
    refuses: [
      [2030.5, 'invalid_type'],
      ['2030', 'invalid_type'],
    ],
  },
  {
    field: 'token_metadata',
    rule: 'an object, required',
    required: true,
    hidden: true,
    accepts: [vaulted],
    refuses: [['tok_1', 'invalid_type']],
  },
  ...['type', 'token', 'data'].map(
    (key): FieldRow => ({
      field: `token_metadata.${key}`,
      rule: 'a string, required',
      required: true,
      hidden: true,
      accepts: ['x1'],
      refuses: noText,
    }),
  ),
  {
    field: 'card_name',
    rule: 'a string of at most 30 characters',
    accepts: ['A', 'x'.repeat(30)],
    refuses: [['x'.repeat(31), 'too_long'], ...noText],
  },
  text('card_number_token'),
  fourCharacters('card_number_end'),
  {
    field: 'card_bin',
    rule: 'exactly 8 digits',
    accepts: ['42424242'],
    refuses: [
      ['4242424', 'invalid_format'],
      ['424242424', 'invalid_format'],
      ['4242424x', 'invalid_format'],
    ],
  },
  text('fingerprint'),
  text('wallet'),
  text('card_brand'),
];

const becsRows: readonly FieldRow[] = [
  {
    field: 'bsb_number',
    rule: 'a string, required',
    required: true,
    accepts: ['000-000', '062000'],
    refuses: [['12345', 'invalid_format'], ['000 000', 'invalid_format'], ...noText],
  },
  { field: 'account_name', rule: 'a string, required', required: true, accepts: ['Ada'], refuses: noText },
  {
    field: 'account_number',
    rule: '6 to 9 characters, required',
    required: true,
    hidden: true,
    accepts: ['123456', '123456789'],
    refuses: [['12345', 'too_short'], ['1234567890', 'too_long'], ...noText],
  },
  text('account_number_token'),
  fourCharacters('account_number_end'),
  text('fingerprint'),
];

describe('Payment method', () => {
  const stage = useStage();
  const create = (body: unknown) => stage.request('POST', path, body);
  const kept = async ({ body }: Reply): Promise<Json> => {
    const fetched = await stage.request('GET', `${path}/${body.payment_method.id}`);
    return { ...fetched.body.payment_method.instrument_data, card_brand: body.payment_method.card?.brand };
  };
  const answers = { accepted: 200, refused: 400 } as const;

  describe('a create accepts', () => {
    const rows: readonly FieldRow[] = [
      {
        field: 'type',
        rule: 'card or au_becs_debit, required',
        required: true,
        accepts: ['card'],
        refuses: ['klarna', 'pay_id', 'paypal', 'CARD', 'constructor', null, 1].map(
          (type): Refused => [type, 'invalid_value'],
        ),
      },
      {
        field: 'payment_method_data',
        rule: 'an object of the shape that the type selects, required',
        required: true,
        accepts: [card().payment_method_data],
        refuses: [
          ['text', 'invalid_type'],
          [
            { ...(card({ bsb_number: '000-000' }).payment_method_data as Json) },
            'unknown_parameter',
            '/payment_method_data/bsb_number',
          ],
          [card({ cvc: '123' }).payment_method_data, 'unknown_parameter', '/payment_method_data/cvc'],
        ],
      },
      {
        field: 'customer_reference',
        rule: 'a string',
        accepts: [async () => (await stage.merchant.customer()).id],
        refuses: [
          [7, 'invalid_type'],
          ['nobody', 'resource_missing'],
        ],
      },
    ];
    itIsTheTable(
      'paymentMethod',
      ['Field', 'Required'],
      rows.map(({ field, required }) => [field, required ? 'yes' : 'no']),
    );
    itTakesFields(rows, { body: () => card(), send: create, ...answers });

    it('type au_becs_debit: selects the other shape of payment_method_data', async () => {
      assert.equal((await create(debit())).status, 200);
      assert.equal((await create({ ...card(), type: 'au_becs_debit' })).status, 400);
    });
  });

  describe('payment_method_data for card accepts', () => {
    const named = cardRows.filter(({ field }) => !field.includes('.'));
    itIsTheTable(
      'card',
      ['Field', 'Required'],
      named.map(({ field, required }) => [field, required ? 'yes' : 'no']),
    );
    const body = () => card({ token_metadata: vaulted });
    itTakesFields(cardRows, { inside: 'payment_method_data', body, send: create, shown: kept, ...answers });
  });

  describe('payment_method_data for au_becs_debit accepts', () => {
    itIsTheTable(
      'becs',
      ['Field', 'Required'],
      becsRows.map(({ field, required }) => [field, required ? 'yes' : 'no']),
    );
    itTakesFields(becsRows, { inside: 'payment_method_data', body: debit, send: create, shown: kept, ...answers });
  });

  describe('a create returns', () => {
    const samples = once(async () => {
      const bodies = [card(fullCard), card({ token_metadata: vaulted }), debit()];
      return Promise.all(bodies.map(async (body) => (await create(body)).body));
    });
    const ofCard = { optional: true } as const;
    itShowsFields(
      [
        { field: 'success', rule: 'a boolean', is: 'boolean' },
        { field: 'payment_method.id', rule: 'required', is: /^pm_\w+$/ },
        { field: 'payment_method.type', rule: 'required', is: ['card', 'au_becs_debit'] },
        { field: 'payment_method.card.last4', rule: 'of a card', is: /^.{4}$/, nullable: true, ...ofCard },
        { field: 'payment_method.card.exp_month', rule: 'of a card', is: 'integer', ...ofCard },
        { field: 'payment_method.card.exp_year', rule: 'of a card', is: 'integer', ...ofCard },
        { field: 'payment_method.card.brand', rule: 'of a card', is: 'text', nullable: true, ...ofCard },
        { field: 'payment_method.card.wallet', rule: 'of a card', is: 'text', nullable: true, ...ofCard },
        { field: 'payment_method.au_becs_debit.bsb_number', rule: 'of a bank account', is: 'text', ...ofCard },
        { field: 'payment_method.au_becs_debit.account_name', rule: 'of a bank account', is: 'text', ...ofCard },
        { field: 'payment_method.au_becs_debit.last4', rule: 'of a bank account', is: /^.{4}$/, ...ofCard },
      ],
      samples,
    );
  });
});
