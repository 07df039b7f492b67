import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { asNode } from '../../src/api/validation/describe-schema.ts';
import type { Reply } from '../support/api.ts';
import { document } from '../support/openapi.ts';
import { usePayer } from '../support/payer.ts';
import { card, clock, debit, intent, plan } from './bodies.ts';
import { putClocksAway } from './requests.ts';
import type { Json } from './rows.ts';
import { itIsTheTable } from './tables.ts';

const clocks = '/test_helpers/test_clocks';

/** A request at the limit, which is accepted, and one beyond it, which is not. */
type Case = readonly [inside: () => Promise<Reply>, outside: () => Promise<Reply>, problem: string];

interface Limit {
  limit: string;
  value: string;
  appliesTo: string;
  cases: readonly Case[];
}

describe('Limits', () => {
  // The payer is on a clock at 2027-01-10.
  const here = usePayer();
  const { stage } = here;
  const post = (path: string, body: Json) => () => stage.request('POST', path, body);
  const get = (path: string) => () => stage.request('GET', path);
  const scheduled = (date: string) => () =>
    stage.request(
      'POST',
      '/payment_intents',
      intent({ customer_id: here.customer, payment_method: here.card, scheduled_payment_date: date }),
    );
  /** A value of a field that is taken, and one that is not. */
  const ofIntent = (field: string, taken: unknown, refused: unknown): Case => {
    const send = (value: unknown) => post('/payment_intents', intent({ [field]: value }));
    return [send(taken), send(refused), `400 /${field}`];
  };
  const ofMethod = (method: (data: Json) => Json, field: string, taken: unknown, refused: unknown): Case => {
    const send = (value: unknown) => post('/payment_methods', method({ [field]: value }));
    return [send(taken), send(refused), `400 /payment_method_data/${field}`];
  };
  const bound = async (test_clock: string) => stage.request('POST', '/customers', { name: 'Ada', test_clock });
  const advance = (target: string) => () =>
    stage.request('POST', `${clocks}/${here.clock}/advance`, { frozen_time: target });

  const limits: readonly Limit[] = [
    {
      limit: 'limit query parameter',
      value: '1 to 100; default 20 for plan lists and clock lists',
      appliesTo: 'Paginated lists',
      cases: [
        [get('/payment_plans?limit=1'), get('/payment_plans?limit=0'), '400 query/limit'],
        [get('/payment_plans?limit=100'), get('/payment_plans?limit=101'), '400 query/limit'],
        [get(`${clocks}?limit=1`), get(`${clocks}?limit=0`), '400 query/limit'],
        [get(`${clocks}?limit=100`), get(`${clocks}?limit=101`), '400 query/limit'],
      ],
    },
    {
      limit: 'Payment intent amount',
      value: '0 to 100000 per the schema',
      appliesTo: 'Payment intent create',
      cases: [ofIntent('amount', 100_000, 100_001), ofIntent('amount', 200, -1)],
    },
    {
      limit: 'scheduled_payment_date',
      value: 'today or later, at most 366 days ahead',
      appliesTo: 'Payment intent create',
      cases: [
        [scheduled('2027-01-10'), scheduled('2027-01-09'), '400 /scheduled_payment_date'],
        [scheduled('2028-01-11'), scheduled('2028-01-12'), '400 /scheduled_payment_date'],
      ],
    },
    {
      limit: 'statement_descriptor',
      value: 'max 22 characters',
      appliesTo: 'Payment intent',
      cases: [ofIntent('statement_descriptor', 'x'.repeat(22), 'x'.repeat(23))],
    },
    {
      limit: 'card_name',
      value: 'max 30 characters',
      appliesTo: 'Card payment method',
      cases: [ofMethod(card, 'card_name', 'x'.repeat(30), 'x'.repeat(31))],
    },
    {
      limit: 'account_number',
      value: '6 to 9 characters',
      appliesTo: 'BECS payment method create',
      cases: [
        ofMethod(debit, 'account_number', '123456', '12345'),
        ofMethod(debit, 'account_number', '123456789', '1234567890'),
      ],
    },
    {
      limit: 'card_number_end',
      value: 'exactly 4 characters',
      appliesTo: 'Payment methods',
      cases: ['424', '42424'].map((refused) => ofMethod(card, 'card_number_end', '4242', refused)),
    },
    {
      limit: 'account_number_end',
      value: 'exactly 4 characters',
      appliesTo: 'Payment methods',
      cases: ['678', '45678'].map((refused) => ofMethod(debit, 'account_number_end', '5678', refused)),
    },
    {
      limit: 'card_bin',
      value: 'exactly 8 digits',
      appliesTo: 'Card payment method',
      cases: ['4242424', '424242424'].map((refused) => ofMethod(card, 'card_bin', '42424242', refused)),
    },
    {
      limit: 'expiry_month',
      value: '1 to 12',
      appliesTo: 'Card payment method',
      cases: [ofMethod(card, 'expiry_month', 1, 0), ofMethod(card, 'expiry_month', 12, 13)],
    },
    {
      limit: 'Customers per test clock',
      value: '3',
      appliesTo: 'Test clocks',
      cases: [
        [
          async () => {
            await bound(here.clock);
            return bound(here.clock);
          },
          () => bound(here.clock),
          '422 test_clock_full',
        ],
      ],
    },
    {
      limit: 'Active clocks per sandbox account',
      value: '3',
      appliesTo: 'Test clocks',
      cases: [
        [
          async () => {
            await stage.request('POST', clocks, clock());
            return stage.request('POST', clocks, clock());
          },
          post(clocks, clock()),
          '422 test_clock_limit',
        ],
      ],
    },
    {
      limit: 'Clock-bound customers per sandbox account',
      value: '9',
      appliesTo: 'Test clocks',
      cases: [[fillWithNine, tenth, '422 test_clock_customers_limit']],
    },
    {
      limit: 'Clock lifetime',
      value: '30 days from creation',
      appliesTo: 'Test clocks',
      cases: [],
    },
    {
      limit: 'Advance direction',
      value: 'forward only',
      appliesTo: 'Test clocks',
      cases: [[advance('2027-01-10T00:00:00.001Z'), advance('2027-01-10T00:00:00Z'), '422 invalid_state']],
    },
    {
      limit: 'Advance bound per call',
      value: '2 billing intervals (31-day interval when nothing is attached)',
      appliesTo: 'Test clocks',
      cases: [[get(clocks), advance('2027-03-13T00:00:00.001Z'), '422 advance_bound_exceeded']],
    },
  ];

  /** Two clocks of three customers beside the payer's, whose customers are then nine. */
  async function fillWithNine(): Promise<Reply> {
    await Promise.all([bound(here.clock), bound(here.clock)]);
    for (let n = 0; n < 2; n++) {
      const { id } = (await stage.request('POST', clocks, clock())).body;
      for (let nth = 0; nth < 3; nth++) {
        const reply = await bound(id);
        if (n + nth === 3) return reply;
      }
    }
    throw new Error('there are nine by now');
  }

  /** On a clock with room: an account can have inactive clocks, too. */
  async function tenth(): Promise<Reply> {
    await putClocksAway(stage);
    return bound((await stage.request('POST', clocks, clock())).body.id);
  }

  itIsTheTable(
    'limits',
    ['Limit', 'Value', 'Applies to'],
    limits.map(({ limit, value, appliesTo }) => [limit, value, appliesTo]),
  );

  for (const { limit, value, appliesTo, cases } of limits) {
    cases.forEach(([inside, outside, fault], index) => {
      const nth = cases.length > 1 ? ` (${index + 1})` : '';
      it(`the limit “${limit}” on ${appliesTo}: ${value}${nth}`, async () => {
        const taken = await inside();
        assert.ok(taken.status < 300, taken.text);
        const { status, body } = await outside();
        const [detail] = body.error?.details ?? [];
        assert.equal(`${status} ${detail?.path ?? body.error?.code}`, fault);
      });
    });
  }

  it('Payment intent amount, Payment intent create: the schema in the document says 0 to 100000', () => {
    const { properties } = document.components.schemas?.PaymentIntentCreate ?? {};
    const { minimum, maximum } = asNode(asNode(properties)?.amount) ?? {};
    assert.deepEqual([minimum, maximum], [0, 100_000]);
  });

  it('Clock lifetime, Test clocks: 30 days from creation', async () => {
    const [row] = await stage.db.sql<{ days: number }[]>`
      select extract(day from expires_at - created_at)::integer as days from test_clocks where id = ${here.clock}`;
    assert.equal(row?.days, 30);
  });

  it('Advance bound per call, Test clocks: 31 days twice when nothing is attached', async () => {
    assert.equal((await advance('2027-03-13T00:00:00Z')()).status, 202);
  });

  it('Advance direction, Test clocks: not back', async () => {
    const { status, body } = await advance('2027-01-09T23:59:59.999Z')();
    assert.deepEqual([status, body.error.details[0].code], [422, 'out_of_range']);
  });

  for (const [what, path] of [
    ['plan lists', '/payment_plans'],
    ['clock lists', clocks],
  ] as const) {
    it(`limit query parameter: 20 for ${what} by default`, async () => {
      for (let n = 0; n < 21; n++) {
        await putClocksAway(stage);
        const body = path === clocks ? clock() : plan((await stage.merchant.payer()).id);
        assert.equal((await stage.request('POST', path, body)).status, 201);
      }
      const { data, has_more } = (await stage.request('GET', path)).body;
      assert.deepEqual([data.length, has_more], [20, true]);
    });
  }
});
