import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createMerchant } from '../support/merchant.ts';
import { usePayer } from '../support/payer.ts';
import { useStage } from '../support/stage.ts';
import { card, intent } from './bodies.ts';
import { type FieldRow, itShowsFields, itTakesFields, once, outcomeRow, type Refused, type ShownRow } from './rows.ts';
import { itIsTheTable } from './tables.ts';

const currencies = ['USD', 'AUD', 'NZD', 'EUR', 'GBP', 'JPY'];
const path = '/payment_intents';
const noText: Refused[] = [
  [null, 'invalid_type'],
  [7, 'invalid_type'],
];

const shown: readonly ShownRow[] = [
  { field: 'id', rule: 'required, pi_...', is: /^pi_\w+$/ },
  { field: 'client_secret', rule: 'a string', is: 'text' },
  { field: 'amount', rule: 'required: the base amount', is: 'integer' },
  { field: 'total_amount', rule: 'required: base plus surcharge', is: 'integer' },
  { field: 'fee_amount', rule: 'required: the calculated fee', is: 'integer' },
  { field: 'surcharge_amount', rule: 'required: 0 if not surcharged', is: 'integer' },
  { field: 'surcharge_applied', rule: 'required, a boolean', is: 'boolean' },
  { field: 'currency', rule: 'required: the same values as in the request', is: currencies },
  {
    field: 'status',
    rule: 'required: one of the states',
    is: ['requires_payment_method', 'processing', 'requires_action', 'succeeded', 'failed'],
  },
  { field: 'payment_method_id', rule: 'a string', is: /^pm_\w+$/, optional: true },
  { field: 'customer_id', rule: 'a string', is: /^cus_\w+$/, optional: true },
  { field: 'biller_id', rule: 'a string', is: /^acct_\w+$/ },
  { field: 'metadata', rule: 'an object of string values', is: 'object of texts' },
  { field: 'scheduled_payment_date', rule: 'a date, of future-dated payments only', is: 'date', optional: true },
  { field: 'statement_descriptor', rule: 'the intent’s own or the biller’s default', is: 'text', optional: true },
  { field: 'total_refunded_amount', rule: 'the cumulative refunded amount', is: 'integer' },
  { field: 'last_payment_error', rule: 'an object or null', is: 'object', nullable: true },
  { field: 'last_payment_error.code', rule: 'a string, required in the object', is: 'text', optional: true },
  { field: 'last_payment_error.message', rule: 'a string, required in the object', is: 'text', optional: true },
  { field: 'created_at', rule: 'required, a date-time', is: 'date-time' },
  { field: 'updated_at', rule: 'required, a date-time', is: 'date-time' },
  { field: 'livemode', rule: 'required, a boolean', is: [true, false] },
];

describe('Payment intent', () => {
  // The payer is on a clock at 2027-01-10, so "today" is that day.
  const here = usePayer();
  const { stage } = here;
  const create = (body: unknown) => stage.request('POST', path, body);
  const payer = () => ({ customer_id: here.customer, payment_method: here.card });

  describe('a create accepts', () => {
    const rows: readonly FieldRow[] = [
      {
        field: 'amount',
        rule: 'a number, at most 100000; below 200 a validation error; required',
        required: true,
        accepts: [200, 100_000],
        refuses: [
          [100_001, 'out_of_range'],
          [199, 'amount_too_small'],
          [0, 'amount_too_small'],
          [-1, 'out_of_range'],
          [1e308, 'out_of_range'],
          [200.5, 'invalid_type'],
          ['1000', 'invalid_type'],
          [null, 'invalid_type'],
        ],
      },
      {
        field: 'currency',
        rule: `${currencies.join(', ')}; required`,
        required: true,
        accepts: currencies,
        refuses: [
          ['CAD', 'invalid_value'],
          ['aud', 'invalid_value'],
          ['', 'invalid_value'],
          [null, 'invalid_value'],
          [36, 'invalid_value'],
        ],
      },
      {
        field: 'customer_id',
        rule: 'a string cus_...',
        accepts: [async () => here.customer],
        refuses: [['cus_none', 'resource_missing'], [async () => here.card, 'resource_missing'], ...noText],
      },
      {
        field: 'biller_id',
        rule: 'a string acct_...',
        accepts: [async () => stage.keys.biller.id],
        refuses: [[async () => (await stage.stranger()).keys.biller.id, 'resource_missing'], ...noText],
      },
      {
        field: 'payment_method',
        rule: 'a saved method id pm_...',
        accepts: [async () => here.card],
        refuses: [['pm_none', 'resource_missing'], [async () => here.customer, 'resource_missing'], ...noText],
      },
      {
        field: 'payment_method_data',
        rule: 'a free-form object',
        hidden: true,
        accepts: [{ anything: { goes: [1, null] } }, {}],
        refuses: [['text', 'invalid_type']],
      },
      outcomeRow,
      { field: 'surcharge_applied', rule: 'a boolean', accepts: [true, false], refuses: [['yes', 'invalid_type']] },
      {
        field: 'scheduled_payment_date',
        rule: 'a date from today to 366 days ahead, with a saved payment method',
        along: async () => payer(),
        accepts: ['2027-01-11', '2028-01-11'],
        refuses: [
          ['2027-01-09', 'out_of_range'],
          ['2028-01-12', 'out_of_range'],
          ['11/01/2027', 'invalid_format'],
        ],
      },
      {
        field: 'statement_descriptor',
        rule: 'a string of at most 22 characters',
        accepts: ['A', 'x'.repeat(22), '😀'.repeat(22)],
        refuses: [['x'.repeat(23), 'too_long'], ['', 'too_short'], ...noText],
      },
    ];
    itIsTheTable(
      'intentRequest',
      ['Field', 'Required'],
      rows.map(({ field, required }) => [field, required ? 'yes' : 'no']),
    );
    itTakesFields(rows, {
      body: () => intent(),
      send: create,
      accepted: 201,
      refused: 400,
      shown: ({ body }) => ({ ...body, payment_method: body.payment_method_id }),
    });

    it('scheduled_payment_date: requires a saved payment method', async () => {
      const { status, body } = await create(intent({ scheduled_payment_date: '2100-01-01' }));
      assert.deepEqual([status, body.error.details[0].path], [400, '/payment_method']);
    });

    it('scheduled_payment_date: is the automatic processing date', async () => {
      const { body } = await create(intent({ ...payer(), scheduled_payment_date: '2027-01-12' }));
      await here.advance('2027-01-11T23:59:59Z');
      assert.equal((await stage.merchant.getIntent(body.id)).status, 'requires_payment_method');
      await here.advance('2027-01-12T00:00:00Z');
      assert.equal((await stage.merchant.getIntent(body.id)).status, 'succeeded');
    });

    it('scheduled_payment_date: may be today', async () => {
      assert.equal((await create(intent({ ...payer(), scheduled_payment_date: '2027-01-10' }))).status, 201);
    });
  });

  describe('a response has', () => {
    const samples = once(async () => {
      const bare = await create(intent());
      const scheduled = await create(
        intent({
          ...{ ...payer(), scheduled_payment_date: '2027-02-01', statement_descriptor: 'ACME' },
          ...{ surcharge_applied: true, metadata: { order: '7' } },
        }),
      );
      const refused = await create(intent({ metadata: { _sandbox_outcome: 'decline' } }));
      const { id } = (await stage.request('POST', '/payment_methods', card())).body.payment_method;
      const failed = await stage.request('POST', `${path}/${refused.body.id}/confirm`, { payment_method: id });
      const live = createMerchant(stage.api.url, stage.keys.liveSecret);
      return [bare.body, scheduled.body, failed.body, (await live.request('POST', path, intent())).body];
    });
    const named = shown.filter(({ field }) => !field.includes('.'));
    itIsTheTable(
      'intentResponse',
      ['Field'],
      named.map(({ field }) => [field]),
    );
    itShowsFields(shown, samples);

    it('total_amount: amount and surcharge_amount together, with a surcharge and without', async () => {
      for (const { surcharge_applied, ...made } of await samples()) {
        const [amount, surcharge] = [Number(made.amount), Number(made.surcharge_amount)];
        assert.equal(made.total_amount, amount + surcharge);
        assert.equal(surcharge > 0, surcharge_applied);
      }
    });

    it('scheduled_payment_date: not of a payment for today', async () => {
      const { body } = await create(intent({ ...payer(), scheduled_payment_date: '2027-01-10' }));
      assert.equal('scheduled_payment_date' in body, false);
    });

    it('total_refunded_amount: the sum of the refunds that succeeded', async () => {
      const { id } = (await create(intent())).body;
      const body = { payment_method: here.card, customer_id: here.customer };
      await stage.request('POST', `${path}/${id}/confirm`, body);
      for (const amount of [100, 250]) await stage.request('POST', `${path}/${id}/refunds`, { amount });
      const { total_refunded_amount, net_collected_amount, total_amount } = await stage.merchant.getIntent(id);
      assert.deepEqual([total_refunded_amount, net_collected_amount], [350, total_amount - 350]);
    });
  });
});

describe('Payment intent of a biller with a default statement descriptor', () => {
  const stage = useStage({ biller: { statementDescriptor: 'ACME PTY' } });

  it('statement_descriptor: the biller’s default, which a given one overrides', async () => {
    const descriptor = async (more: object) =>
      (await stage.request('POST', path, { ...intent(), ...more })).body.statement_descriptor;
    assert.deepEqual(
      [await descriptor({}), await descriptor({ statement_descriptor: 'ACME 7' })],
      ['ACME PTY', 'ACME 7'],
    );
  });
});
