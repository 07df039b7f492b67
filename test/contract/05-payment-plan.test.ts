import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { usePayer } from '../support/payer.ts';
import { refusal } from '../support/stage.ts';
import { plan } from './bodies.ts';
import {
  type FieldRow,
  itShowsFields,
  itTakesFields,
  type Json,
  once,
  outcomeRow,
  type Refused,
  type ShownRow,
} from './rows.ts';
import { itIsTheTable } from './tables.ts';

const path = '/payment_plans';
const noText: Refused[] = [
  [null, 'invalid_type'],
  [7, 'invalid_type'],
];
const noAmount: Refused[] = [
  [10.5, 'invalid_type'],
  ['10', 'invalid_type'],
  [true, 'invalid_type'],
  [0, 'out_of_range'],
  [-1, 'out_of_range'],
  [100_000_000, 'out_of_range'],
  [1e300, 'out_of_range'],
];

/** The response fields that the contract shows. */
const shown: readonly ShownRow[] = [
  { field: 'id', rule: 'pp_...', is: /^pp_\w+$/ },
  { field: 'customer_id', rule: 'cus_...', is: /^cus_\w+$/ },
  { field: 'name', rule: 'the label', is: 'text' },
  { field: 'state', rule: 'one of the states', is: ['pending', 'active', 'suspended', 'deactivated', 'closed'] },
  { field: 'frequency_type', rule: 'weekly or monthly', is: ['weekly', 'monthly'] },
  { field: 'frequency_period', rule: 'an integer', is: 'integer' },
  { field: 'recurring_amount_cents', rule: 'an integer', is: 'integer' },
  { field: 'currency', rule: 'an ISO 4217 code', is: /^[A-Z]{3}$/ },
  { field: 'start_date', rule: 'a date', is: 'date' },
  { field: 'until_further_notice', rule: 'a boolean', is: [true, false] },
  { field: 'created_at', rule: 'a date-time', is: 'date-time' },
  { field: 'updated_at', rule: 'a date-time', is: 'date-time' },
];

describe('Payment plan', () => {
  // The payer is on a clock at 2027-01-10.
  const here = usePayer();
  const { stage } = here;
  const body = (more: Json = {}) => plan(here.customer, { start_date: '2027-01-10', ...more });
  const create = (given: unknown) => stage.request('POST', path, given);
  const capped = { until_further_notice: undefined };

  describe('a create accepts', () => {
    const rows: readonly FieldRow[] = [
      {
        field: 'customer_id',
        rule: 'cus_..., the customer to charge; required',
        required: true,
        accepts: [async () => here.customer],
        refuses: [['cus_none', 'resource_missing'], ...noText],
      },
      { field: 'name', rule: 'a label; required', required: true, accepts: ['Gym'], refuses: noText },
      {
        field: 'frequency_type',
        rule: 'weekly or monthly; required',
        required: true,
        accepts: ['weekly', 'monthly'],
        refuses: ['daily', 'Weekly', '', null].map((value): Refused => [value, 'invalid_value']),
      },
      {
        field: 'frequency_period',
        rule: 'an integer, the interval’s multiplier',
        accepts: [1, 2, 12, 520],
        refuses: noAmount,
      },
      {
        field: 'recurring_amount_cents',
        rule: 'an integer, the amount of each payment; required',
        required: true,
        accepts: [1, 99_999_999],
        refuses: noAmount,
      },
      {
        field: 'first_amount_cents',
        rule: 'an integer, the amount of the first payment only',
        accepts: [1, 99_999_999],
        refuses: noAmount,
      },
      {
        field: 'until_further_notice',
        rule: 'a boolean; true for open-ended plans with no total cap',
        along: { ...capped, total_amount_cents: 5000 },
        accepts: [false],
        refuses: [
          [true, 'total_or_until_further_notice', '/total_amount_cents'],
          ['yes', 'invalid_type'],
        ],
      },
      {
        field: 'currency',
        rule: 'an ISO 4217 code; required',
        required: true,
        accepts: ['AUD', 'USD', 'JPY'],
        refuses: [
          ['Dollars', 'invalid_value'],
          ['aud', 'invalid_value'],
          [36, 'invalid_value'],
        ],
      },
      {
        field: 'start_date',
        rule: 'the date of the first payment; required',
        required: true,
        accepts: ['2027-01-10', '2200-12-31'],
        refuses: [
          ...['2027-01-09', '2201-01-01', '0001-01-01'].map((date): Refused => [date, 'out_of_range']),
          ...['10 Jan', '2027-02-29', '2027-01-31T00:00:00Z', ''].map((date): Refused => [date, 'invalid_format']),
          [20270131, 'invalid_type'],
        ],
      },
      {
        field: 'first_date',
        rule: 'overrides the first payment date',
        accepts: ['2027-01-10', '2027-01-16'],
        refuses: [
          ['2027-01-09', 'out_of_range'],
          ['2027-01-17', 'out_of_range'],
          ['10 Jan', 'invalid_format'],
        ],
      },
      {
        field: 'payment_instrument_id',
        rule: 'a string pm_...',
        accepts: [async () => here.card],
        refuses: [['pm_none', 'resource_missing'], ...noText],
      },
      {
        field: 'failure_behaviour',
        rule: 'stop or retry',
        accepts: ['stop', 'retry'],
        refuses: ['panic', '', null].map((value): Refused => [value, 'invalid_value']),
      },
    ];
    const names = rows.map(({ field, required }) => [field, required ? 'yes' : 'no']);
    // The total is a test of its own below: it cannot be left out of a body that has no end.
    itIsTheTable('planRequest', ['Field', 'Required'], names.toSpliced(6, 0, ['total_amount_cents', 'no']));
    itTakesFields([...rows, outcomeRow], {
      body,
      send: create,
      accepted: 201,
      refused: 422,
      shown: (reply) => reply.body,
    });

    it('total_amount_cents: an integer, the cap on total collections', async () => {
      for (const total_amount_cents of [1, 99_999_999]) {
        const made = await create(body({ ...capped, total_amount_cents }));
        assert.deepEqual([made.status, made.body.total_amount_cents], [201, total_amount_cents]);
      }
      for (const [total_amount_cents, code] of noAmount) {
        const refused = await create(body({ ...capped, total_amount_cents }));
        assert.deepEqual(refusal(refused, 422), [`/total_amount_cents ${code}`]);
      }
    });

    it('either total_amount_cents or until_further_notice: true must be set', async () => {
      for (const neither of [capped, { until_further_notice: false }]) {
        const reply = await create(body(neither));
        assert.deepEqual(refusal(reply, 422), ['/total_amount_cents total_or_until_further_notice']);
      }
    });
  });

  describe('a response has', () => {
    const samples = once(async () => {
      const open = await create(body());
      const total = await create(body({ ...capped, total_amount_cents: 5000, frequency_type: 'monthly' }));
      return [open.body, total.body];
    });
    itShowsFields(shown, samples);
  });

  describe('what the fields mean', () => {
    const dueDates = async (more: Json) => {
      const { id } = (await create(body(more))).body;
      const { data } = (await stage.request('GET', `${path}/${id}/schedule?count=3`)).body;
      return data.map(({ due_date, amount }: { due_date: string; amount: number }) => [due_date, amount]);
    };
    const rows: readonly { rule: string; more: Json; due: readonly (readonly [string, number])[] }[] = [
      {
        rule: 'frequency_period: 1 where it is not given',
        more: {},
        due: [
          ['2027-01-10', 1000],
          ['2027-01-17', 1000],
          ['2027-01-24', 1000],
        ],
      },
      {
        rule: 'frequency_period: weekly with 2 is fortnightly',
        more: { frequency_period: 2 },
        due: [
          ['2027-01-10', 1000],
          ['2027-01-24', 1000],
          ['2027-02-07', 1000],
        ],
      },
      {
        rule: 'frequency_type: monthly is every month on the same day',
        more: { frequency_type: 'monthly' },
        due: [
          ['2027-01-10', 1000],
          ['2027-02-10', 1000],
          ['2027-03-10', 1000],
        ],
      },
      {
        rule: 'first_amount_cents: of the first payment only',
        more: { first_amount_cents: 300 },
        due: [
          ['2027-01-10', 300],
          ['2027-01-17', 1000],
          ['2027-01-24', 1000],
        ],
      },
      {
        rule: 'first_date: overrides the first payment date alone',
        more: { first_date: '2027-01-12' },
        due: [
          ['2027-01-12', 1000],
          ['2027-01-17', 1000],
          ['2027-01-24', 1000],
        ],
      },
      {
        rule: 'total_amount_cents: collections end when it is reached',
        more: { ...capped, total_amount_cents: 1500 },
        due: [
          ['2027-01-10', 1000],
          ['2027-01-17', 500],
        ],
      },
    ];
    for (const { rule, more, due } of rows) it(rule, async () => assert.deepEqual(await dueDates(more), due));

    it('payment_instrument_id: is charged; without it the customer’s default method is', async () => {
      const other = await stage.merchant.card(here.customer);
      for (const [more, charged] of [
        [{ payment_instrument_id: other }, other],
        [{}, here.card],
      ] as const) {
        const id = await here.active(more);
        const [payment] = await stage.merchant.payments(id);
        assert.equal((await stage.merchant.getIntent(payment?.payment_intent_id ?? '')).payment_method_id, charged);
      }
    });

    it('failure_behaviour: retry tries again, stop does not', async () => {
      const metadata = { _sandbox_outcome: 'decline,succeed' };
      const retried = await here.active({ failure_behaviour: 'retry', metadata });
      const stopped = await here.active({ failure_behaviour: 'stop', metadata });
      await here.advance('2027-01-12T00:00:00Z');
      const outcomes = async (id: string) =>
        (await stage.merchant.payments(id)).map(({ status, attempts }) => [status, attempts.length]);
      assert.deepEqual([await outcomes(retried), await outcomes(stopped)], [[['paid', 2]], [['failed', 1]]]);
    });

    it('a new plan has state pending', async () => {
      assert.equal((await create(body())).body.state, 'pending');
    });
  });
});
