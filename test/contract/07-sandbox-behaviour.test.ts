import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useStage } from '../support/stage.ts';
import { card, debit, fixture, instruments, intent, vaulted } from './bodies.ts';
import type { Json } from './rows.ts';
import { itIsTheTable } from './tables.ts';

/** A status, and the code of the error when it is `failed`. */
type Outcome = readonly [status: string, code?: string];

const succeeds: Outcome = ['succeeded'];
const declines: Outcome = ['failed', 'insufficient_funds'];
const challenges: Outcome = ['requires_action'];
const timesOut: Outcome = ['failed', 'gateway_timeout'];
/** The coarse category of a lost card. */
const lost: Outcome = ['failed', 'card_declined'];

const words: readonly { value: string; result: string; outcome: Outcome }[] = [
  { value: 'succeed', result: 'the payment succeeds', outcome: succeeds },
  { value: 'decline', result: 'fails with code insufficient_funds', outcome: declines },
  { value: 'requires_action', result: 'simulates a 3D Secure challenge', outcome: challenges },
  { value: 'timeout', result: 'fails with code gateway_timeout', outcome: timesOut },
];

const amounts: readonly { endsIn: string; result: string; amounts: readonly number[]; outcome: Outcome }[] = [
  { endsIn: '01', result: 'declines, insufficient funds', amounts: [201, 99_901], outcome: declines },
  { endsIn: '02', result: 'requires 3D Secure', amounts: [202, 50_002], outcome: challenges },
  { endsIn: '99', result: 'fails, gateway timeout', amounts: [299, 99_999], outcome: timesOut },
  { endsIn: 'anything else', result: 'succeeds', amounts: [200, 203, 298, 210, 1010, 100_000], outcome: succeeds },
];

const fixtures: readonly (readonly [token: string, brand: string, last4: string, result: string, outcome: Outcome])[] =
  [
    ['tok_sandbox_visa_succeed', 'Visa', '4242', 'Succeeds', succeeds],
    ['tok_sandbox_visa_decline_insufficient_funds', 'Visa', '0002', 'Declines, insufficient funds', declines],
    ['tok_sandbox_visa_decline_card_lost', 'Visa', '9987', 'Declines, card lost', lost],
    ['tok_sandbox_visa_3ds_required', 'Visa', '3155', 'Requires 3D Secure', challenges],
    ['tok_sandbox_visa_timeout', 'Visa', '0119', 'Fails, gateway timeout', timesOut],
    ['tok_sandbox_mastercard_succeed', 'Mastercard', '4444', 'Succeeds', succeeds],
    ['tok_sandbox_amex_succeed', 'Amex', '8431', 'Succeeds', succeeds],
  ];

const brands: readonly (readonly [prefix: string, brand: string | null])[] = [
  ['4', 'Visa'],
  ['5155', 'Mastercard'],
  ['34', 'American Express'],
  ['37', 'American Express'],
  ['6011', 'Discover'],
  ['65', 'Discover'],
  ['36', 'Diners Club'],
  ['38', 'Diners Club'],
  ['35', 'JCB'],
  ['90', null],
];

describe('Sandbox test behaviour', () => {
  const stage = useStage();
  const method = async (body: Json, to = '/payment_methods'): Promise<string> => {
    const reply = await stage.request('POST', to, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.payment_method.id;
  };
  /** A method without a fixed outcome. */
  const neutral = () => method(debit());
  const fixtureCard = (token: string) => method(card({ token_metadata: fixture(token) }));

  async function charge(body: Json, payment_method: string): Promise<Outcome> {
    const { id } = (await stage.request('POST', '/payment_intents', body)).body;
    const { body: charged } = await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    const code = charged.last_payment_error?.code;
    return code === undefined ? [charged.status] : [charged.status, code];
  }

  async function refund(amount: number, metadata: Json | undefined): Promise<string> {
    const { id } = (await stage.request('POST', '/payment_intents', intent())).body;
    await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: await neutral() });
    const { status, body } = await stage.request('POST', `/payment_intents/${id}/refunds`, { amount, metadata });
    assert.equal(status, 201);
    return body.status;
  }

  describe('outcome precedence, the first match wins', () => {
    it('1. metadata._sandbox_outcome, before the fixture and the amount', async () => {
      const declining = await fixtureCard('tok_sandbox_visa_decline_card_lost');
      for (const { value, outcome } of words) {
        const metadata = { _sandbox_outcome: value };
        assert.deepEqual(await charge(intent({ amount: 1099, metadata }), declining), outcome, value);
      }
    });

    it('2. the saved method’s fixture outcome, for every later charge, regardless of the amount', async () => {
      const declining = await fixtureCard('tok_sandbox_visa_decline_card_lost');
      for (const amount of [1000, 1001, 1002, 1099])
        assert.deepEqual(await charge(intent({ amount }), declining), lost);
      const succeeding = await fixtureCard('tok_sandbox_visa_succeed');
      assert.deepEqual(await charge(intent({ amount: 1001 }), succeeding), succeeds);
    });

    it('3. the amount, if neither is given', async () => {
      assert.deepEqual(await charge(intent({ amount: 1001 }), await neutral()), declines);
    });

    it('4. succeed, by default', async () => {
      assert.deepEqual(await charge(intent(), await neutral()), succeeds);
    });
  });

  describe('_sandbox_outcome values', () => {
    itIsTheTable(
      'sandboxWords',
      ['Value'],
      words.map(({ value }) => [value]),
    );
    for (const { value, result, outcome } of words) {
      it(`the value ${value}: ${result}`, async () => {
        assert.deepEqual(await charge(intent({ metadata: { _sandbox_outcome: value } }), await neutral()), outcome);
      });
    }

    it('count only in the sandbox: with a live key, every reserved word is metadata like any other', async () => {
      const metadata = {
        _sandbox_outcome: 'anything',
        _sandbox_outcome_by_period: 'anything',
        _sandbox_bank_outcome: 'anything',
      };
      const request = { key: stage.keys.liveSecret, body: intent({ metadata }) };
      const { status, body } = await stage.api.send('POST', '/api/v1/payment_intents', request);
      assert.deepEqual([status, body.metadata], [201, metadata]);
    });

    it('apply to any payment method', async () => {
      const helpers = '/test_helpers/payment_methods';
      const methods = [await neutral(), await method(card()), await method(card({ token_metadata: vaulted }))];
      for (const [type, instrument_data] of Object.entries(instruments)) {
        methods.push(await method({ type, instrument_data }, helpers));
      }
      for (const id of methods) {
        assert.deepEqual(await charge(intent({ metadata: { _sandbox_outcome: 'decline' } }), id), declines);
      }
    });
  });

  describe('amount fallback, by the last two digits', () => {
    itIsTheTable(
      'sandboxAmounts',
      ['Ends in'],
      amounts.map(({ endsIn }) => [endsIn]),
    );
    for (const { endsIn, result, amounts: examples, outcome } of amounts) {
      it(`an amount that ends in ${endsIn}: ${result}`, async () => {
        // By the amount alone: the surcharge changes the digits of the total.
        for (const id of [await neutral(), await method(card({ token_metadata: vaulted }))]) {
          for (const amount of examples) {
            assert.deepEqual(await charge(intent({ amount, surcharge_applied: true }), id), outcome, String(amount));
          }
        }
      });
    }
  });

  describe('refunds', () => {
    const rows: readonly [rule: string, amount: number, metadata: Json | undefined, status: string][] = [
      ['succeed by default', 500, undefined, 'succeeded'],
      [
        'fail when the refund’s metadata._sandbox_refund_outcome is fail',
        500,
        { _sandbox_refund_outcome: 'fail' },
        'failed',
      ],
      ['of an amount ending in 03 fail', 303, undefined, 'failed'],
      ['of an amount ending in anything else succeed', 301, undefined, 'succeeded'],
    ];
    for (const [rule, amount, metadata, status] of rows) {
      it(rule, async () => assert.equal(await refund(amount, metadata), status));
    }
  });

  describe('fixture tokens', () => {
    itIsTheTable(
      'fixtures',
      ['Token', 'Brand', 'last4', 'Outcome when charged'],
      fixtures.map(([token, brand, last4, result]) => [token, brand, last4, result]),
    );
    for (const [token, brand, last4, result, outcome] of fixtures) {
      it(`${token}: ${brand} ${last4}; when charged: ${result}`, async () => {
        const { body } = await stage.request('POST', '/payment_methods', card({ token_metadata: fixture(token) }));
        assert.deepEqual([body.payment_method.card.brand, body.payment_method.card.last4], [brand, last4]);
        assert.deepEqual(await charge(intent(), body.payment_method.id), outcome);
      });
    }

    it('are for sandbox keys only', async () => {
      for (const key of [stage.keys.liveSecret, stage.keys.livePublishable]) {
        const { status, body } = await stage.api.send('POST', '/api/v1/payment_methods', { key, body: card() });
        assert.deepEqual([status, body.error.type, body.error.code], [403, 'permission_error', 'sandbox_only']);
        const real = card({ token_metadata: vaulted });
        assert.equal((await stage.api.send('POST', '/api/v1/payment_methods', { key, body: real })).status, 200);
      }
    });
  });

  describe('card brand detection by number prefix', () => {
    for (const [prefix, brand] of brands) {
      it(`a number that begins with ${prefix}: ${brand ?? 'none that the contract names'}`, async () => {
        const body = card({ token_metadata: vaulted, card_bin: prefix.padEnd(8, '0') });
        const { payment_method } = (await stage.request('POST', '/payment_methods', body)).body;
        assert.equal(payment_method.card.brand, brand);
      });
    }
  });

  it('a designated Visa test card succeeds, with any future expiry', async () => {
    for (const expiry of [
      { expiry_month: 1, expiry_year: 2031 },
      { expiry_month: 12, expiry_year: 2099 },
    ]) {
      const body = card({ ...expiry, token_metadata: vaulted, card_bin: '42424242', card_number_end: '4242' });
      const made = await stage.request('POST', '/payment_methods', body);
      assert.equal(made.body.payment_method.card.brand, 'Visa');
      assert.deepEqual(await charge(intent(), made.body.payment_method.id), succeeds);
    }
  });

  it('a designated BECS test BSB accepts any account number and any account name', async () => {
    for (const data of [
      { account_number: '000000', account_name: 'A' },
      { account_number: '999999999', account_name: 'O’Neil & Söhne' },
    ]) {
      assert.deepEqual(await charge(intent(), await method(debit({ bsb_number: '000-000', ...data }))), succeeds);
    }
  });
});
