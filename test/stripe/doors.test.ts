import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'mocha';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { disableAccount, readAccount, writeAccount } from '../../processors/stripe/accounts.ts';
import { account, sealingKeys, useStripe } from './support.ts';

const here = { account, livemode: false };
const calls = [
  ...['/prepare', '/charges', '/inquire', '/cancel', '/refunds', '/refunds/inquire', '/movements'],
  ...['/notices', '/setups', '/setups/inquire', '/methods/inquire', '/mandates/inquire'],
];
/** Lists of all accounts of a mode. */
const lists = ['/movements', '/notices'];

describe('the doors of the Stripe processor', function () {
  this.timeout(60_000);
  const stripe = useStripe();
  let last = 0;
  const newKey = () => `att_door${++last}x${Date.now()}`;

  /** A request as it is given. */
  async function raw(path: string, body: string | null, over: Record<string, string> = {}, method = 'POST') {
    const headers = { authorization: `Bearer ${stripe.secret}`, 'idempotency-key': newKey(), ...over };
    const response = await fetch(stripe.url + path, { method, headers, ...(body === null ? {} : { body }) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  /** What Stripe was asked meanwhile. */
  async function askedBy<T>(run: () => Promise<T>): Promise<{ answer: T; asked: readonly string[] }> {
    const before = stripe.rig.faults.calls.length;
    const answer = await run();
    return { answer, asked: stripe.rig.faults.calls.slice(before) };
  }
  const prepareBody = (token: string, over: Record<string, unknown> = {}) => ({
    ...{ ...here, ...stripe.payment(token) },
    ...over,
  });
  const statusOf = async () => (await readAccount(stripe.sql, here)).status;

  describe('without the secret', () => {
    for (const [what, headers] of [
      ['none', { authorization: '' }],
      ['another', { authorization: `Bearer ${'x'.repeat(48)}` }],
      ['its beginning', { authorization: 'Bearer ' }],
      ['another scheme', { authorization: 'Basic eDp5' }],
    ] as const) {
      it(`respond 401 to every call and ask Stripe nothing: ${what}`, async () => {
        const body = JSON.stringify(prepareBody(await stripe.card()));
        for (const path of [...calls, '/none']) {
          const { answer, asked } = await askedBy(() => raw(path, body, headers));
          assert.deepEqual([answer.status, answer.body.outcome, asked.length], [401, undefined, 0], path);
        }
      });
    }
  });

  describe('with a request that is not of the protocol', () => {
    for (const [what, body] of [
      ['truncated JSON', '{"account":"acct_harbourgym","livemode":fal'],
      ['an array', '[]'],
      ['null', 'null'],
      ['a text', '"x"'],
      ['nothing', ''],
      ['HTML', '<html></html>'],
      ['an object without members', '{}'],
      ['a prototype', '{"__proto__":{"account":"acct_harbourgym","livemode":false},"constructor":1}'],
    ] as const) {
      it(`respond 400 without an outcome and ask Stripe nothing: ${what}`, async () => {
        for (const path of calls) {
          const { answer, asked } = await askedBy(() => raw(path, body));
          assert.deepEqual([answer.status, answer.body.outcome, asked.length], [400, undefined, 0], path);
        }
      });
    }

    it('respond 400 without an outcome to members of a wrong type, each by itself', async () => {
      const token = await stripe.card();
      const wrong: Record<string, unknown[]> = {
        account: [
          'acct_',
          'harbourgym',
          "acct_x' or '1'='1",
          `acct_${'x'.repeat(61)}`,
          'acct_x\n',
          null,
          7,
          ['acct_x'],
        ],
        livemode: ['false', 0, null],
        amount: [0, -1, 10.5, '1018', null, 1e12, Number.MAX_SAFE_INTEGER + 1],
        currency: ['aud', 'AU', 'AUDD', '', null, 36],
        payment_method: [null, 'pm_1', {}, { id: 'pm_1', type: 'card' }, { id: 1, type: 'card', token }],
        payment_intent_id: [null, 1, 'x'.repeat(101)],
      };
      for (const [name, values] of Object.entries(wrong)) {
        for (const value of values) {
          const body = JSON.stringify(prepareBody(token, { [name]: value }));
          const { answer, asked } = await askedBy(() => raw('/prepare', body));
          assert.deepEqual(
            [answer.status, answer.body.outcome, asked.length],
            [400, undefined, 0],
            `${name}: ${value}`,
          );
        }
      }
      for (const reference of ['pi_', '../customers', 'pi_a/../../charges', 'pi_a?x', 'ch_1', '', null, 1]) {
        for (const path of ['/charges', '/inquire', '/cancel']) {
          const body = JSON.stringify(prepareBody(token, { reference }));
          const { answer, asked } = await askedBy(() => raw(path, body));
          assert.deepEqual([answer.status, asked.length], [400, 0], `${path} ${reference}`);
        }
      }
    });

    it('respond 404 without an outcome to another path and to another method', async () => {
      const body = JSON.stringify(prepareBody(await stripe.card()));
      for (const path of [
        '/none',
        '/constructor',
        '/__proto__',
        '/prepare/',
        '/prepare?x=1',
        '//prepare',
        '/v1/charges',
      ]) {
        const { status, body: told } = await raw(path, body);
        assert.deepEqual([status, told.outcome], [404, undefined], path);
      }
      assert.equal((await raw('/prepare', null, {}, 'GET')).status, 404);
      assert.equal((await raw('/prepare', body, {}, 'PUT')).status, 404);
      assert.equal((await raw('/health', body)).status, 404);
    });

    it('respond 400 without an outcome to a call without its key, and to hostile keys', async () => {
      const body = JSON.stringify(prepareBody(await stripe.card(), { reference: 'pi_1', charge_reference: 'pi_1' }));
      for (const path of ['/prepare', '/charges', '/refunds', '/refunds/inquire']) {
        for (const key of ['', ' ', 'att 1', "'; drop table x; --", 'a/b', 'att_1, att_2', 'x'.repeat(201), 'é']) {
          const { answer, asked } = await askedBy(() => raw(path, body, { 'idempotency-key': key }));
          assert.deepEqual([answer.status, answer.body.outcome, asked.length], [400, undefined, 0], `${path} ${key}`);
        }
      }
    });

    it('take a body that is longer than 64 KiB for its metadata, of which Stripe gets none', async () => {
      const metadata = Object.fromEntries(
        Array.from({ length: 50 }, (_, nth) => [`${nth}`.padEnd(40, 'k'), '👍'.repeat(500)]),
      );
      const body = JSON.stringify(prepareBody(await stripe.card(), { metadata }));
      assert.ok(Buffer.byteLength(body) > 64 * 1024 + 1);
      const key = newKey();
      const { status, body: told } = await raw('/prepare', body, { 'idempotency-key': key });
      assert.deepEqual([status, told.outcome], [200, 'reserved'], JSON.stringify(told));
      const response = await fetch(`${stripe.rig.localstripe().url}/v1/payment_intents/${told.reference}`, {
        headers: { authorization: `Bearer ${rigKey}` },
      });
      const intent = (await response.json()) as { metadata: unknown };
      assert.deepEqual(intent.metadata, { attempt: key, payment_intent: 'pi_1', biller: account });
    });

    it('take nothing by a body of one byte more than 1 MiB, and respond to the next request', async () => {
      const reserved = await stripe.reserved(await stripe.card());
      const bare = JSON.stringify({ ...here, ...reserved.body, reference: reserved.reference, pad: '' });
      const bodyOf = (bytes: number) => bare.replace('"pad":""', `"pad":"${'x'.repeat(bytes - bare.length)}"`);
      const tooLong = bodyOf(1024 * 1024 + 1);
      assert.equal(Buffer.byteLength(tooLong), 1024 * 1024 + 1);
      const { answer, asked } = await askedBy(() => raw('/charges', tooLong, { 'idempotency-key': reserved.key }));
      assert.deepEqual([answer.status, answer.body.outcome, asked.length], [400, undefined, 0]);
      for (let times = 0; times < 5; times++) {
        const { status } = await raw('/charges', bodyOf(5 * 1024 * 1024), { 'idempotency-key': reserved.key });
        assert.equal(status, 400);
        assert.equal((await stripe.call('/inquire', { reference: reserved.reference })).body.outcome, 'not_charged');
      }
      const whole = await raw('/charges', bodyOf(1024 * 1024), { 'idempotency-key': reserved.key });
      assert.equal(whole.body.outcome, 'succeeded');
    });

    it('take nothing by a body that breaks off, and go on', async () => {
      const reserved = await stripe.reserved(await stripe.card());
      const body = JSON.stringify({ ...here, ...reserved.body, reference: reserved.reference });
      const headers = {
        authorization: `Bearer ${stripe.secret}`,
        'idempotency-key': reserved.key,
        'content-length': Buffer.byteLength(body) + 1,
      };
      const { asked } = await askedBy(async () => {
        const broken = request(`${stripe.url}/charges`, { method: 'POST', headers });
        broken.on('error', () => {});
        const closed = new Promise((resolve) => broken.once('close', resolve));
        broken.write(body, () => setTimeout(() => broken.destroy(), 50));
        await closed;
        assert.equal((await stripe.call('/inquire', { reference: reserved.reference })).body.outcome, 'not_charged');
      });
      assert.deepEqual(
        asked.filter((call) => call.startsWith('POST')),
        [],
      );
    });

    it('go on after bytes that are no request', async () => {
      const socket = connect(Number(new URL(stripe.url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.end('\x16\x03\x01 not HTTP\r\n\r\n');
      socket.resume();
      await once(socket, 'close');
      assert.equal((await fetch(`${stripe.url}/health`)).status, 200);
    });
  });

  describe('with a payment that Stripe does not take', () => {
    for (const token of ['..', '.', '', 'tok_visa', 'pm_../x', 'pm_a/b', 'cus_1', 'pm_', `pm_${'x'.repeat(300)}`]) {
      it(`reject it and ask Stripe nothing, if the token is "${token.slice(0, 12)}"`, async () => {
        const { answer, asked } = await askedBy(() => stripe.call('/prepare', stripe.payment(token), newKey()));
        assert.deepEqual([answer.status, answer.body.outcome, asked], [422, 'rejected', []]);
      });
    }

    it('reject a bank account without a mandate, and a kind of method that this adapter does not take', async () => {
      const bank_account = { bsb_number: '000000', account_number: '000123456', account_name: 'Jo Nguyen' };
      for (const method of [{ type: 'au_becs_debit', bank_account }, { type: 'paypal' }]) {
        const over = { payment_method: { id: 'pm_1', token: null, ...method } };
        const { status, body } = await stripe.call('/prepare', stripe.payment('', over), newKey());
        assert.deepEqual([status, body.outcome], [422, 'rejected'], method.type);
      }
    });

    it('reject what Stripe refuses with 400, such as a currency that is not enabled or a huge amount', async () => {
      const token = await stripe.card();
      stripe.rig.faultsWithin.plan('POST /v1/payment_intents', { kind: 'status', status: 400, when: 'before' });
      const key = newKey();
      const over = { currency: 'XAU', amount: 99_999_999_999 };
      const { status, body } = await stripe.call('/prepare', stripe.payment(token, over), key);
      assert.deepEqual([status, body.outcome, body.idempotency_key], [422, 'rejected', key]);
      assert.equal((await stripe.rig.judge()).successesOfAttempt.get(key), undefined);
    });
  });

  describe('of an account that may not be used', () => {
    async function assertForbidden(place: { account: string; livemode: boolean }, reference: string, says: RegExp) {
      const token = await stripe.card();
      const body = {
        ...stripe.payment(token),
        ...place,
        reference,
        charge_reference: reference,
        token,
        mandate_reference: 'DDR-1',
      };
      for (const path of calls.filter((path) => !lists.includes(path))) {
        const own = path === '/setups/inquire' ? { ...body, reference: 'seti_1' } : body;
        const { answer, asked } = await askedBy(() => stripe.call(path, own, newKey()));
        assert.deepEqual([answer.status, answer.body.outcome, asked.length], [403, undefined, 0], path);
        assert.match(String(answer.body.error), says);
      }
    }

    it('respond 403 without an outcome if it is not there', () =>
      assertForbidden({ account: 'acct_nobody', livemode: false }, 'pi_1', /acct_nobody has no Stripe account/));

    it('respond 403 without an outcome if it is there for the other mode alone', async () => {
      const { reference } = await stripe.reserved(await stripe.card());
      await assertForbidden({ account, livemode: true }, reference, /has no Stripe account for live mode/);
    });

    it('respond 403 if it is disabled, also to the charge of what was reserved, and take nothing', async () => {
      const reserved = await stripe.reserved(await stripe.card());
      await disableAccount(stripe.sql, here, 'test');
      try {
        await assertForbidden(here, reserved.reference, /has a disabled Stripe account/);
        const body = { ...reserved.body, reference: reserved.reference };
        assert.equal((await stripe.call('/charges', body, reserved.key)).status, 403);
        assert.equal((await stripe.rig.judge()).successesOfAttempt.get(reserved.key), undefined);
      } finally {
        await writeAccount(stripe.sql, sealingKeys, here, { key: rigKey, by: 'test' });
      }
    });

    it('let a call that has begun end, and leave the account disabled whatever Stripe says to it', async () => {
      for (const fault of [
        { kind: 'delay', ms: 300 },
        { kind: 'status', status: 403, when: 'before' },
      ] as const) {
        const reserved = await stripe.reserved(await stripe.card());
        await stripe.sql`update processor_stripe.accounts set status = 'degraded'`;
        stripe.rig.faults.plan('GET /v1/payment_intents/', { kind: 'delay', ms: 300 });
        stripe.rig.faults.plan(/POST .*\/confirm/, fault);
        const charging = stripe.call('/charges', { ...reserved.body, reference: reserved.reference }, reserved.key);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await disableAccount(stripe.sql, here, 'test');
        const { status } = await charging;
        assert.equal(status, fault.kind === 'delay' ? 200 : 403);
        assert.equal(await statusOf(), 'disabled');
        await writeAccount(stripe.sql, sealingKeys, here, { key: rigKey, by: 'test' });
      }
    });
  });

  describe('behind a Stripe that responds otherwise', () => {
    const steps: [
      string,
      (body: object, key: string) => Promise<{ status: number; body: Record<string, unknown> }>,
      RegExp,
    ][] = [
      ['the reading', (body, key) => stripe.call('/charges', { ...body }, key), /GET \/v1\/payment_intents\//],
      ['the confirmation', (body, key) => stripe.call('/charges', { ...body }, key), /POST .*\/confirm/],
      ['an inquiry', (body, key) => stripe.call('/inquire', { ...body }, key), /GET \/v1\/payment_intents\//],
      ['a cancellation', (body, key) => stripe.call('/cancel', { ...body }, key), /POST .*\/cancel/],
    ];
    for (const fault of [
      { kind: 'html', when: 'before' },
      { kind: 'html', when: 'after' },
      { kind: 'truncated' },
    ] as const) {
      for (const [what, run, which] of steps) {
        it(`tell no outcome of ${what} if the answer is ${fault.kind}, and the true one when asked again: ${'when' in fault ? fault.when : 'after'}`, async () => {
          const reserved = await stripe.reserved(await stripe.card());
          stripe.rig.faults.plan(which, fault);
          const body = { ...reserved.body, reference: reserved.reference };
          const answer = await run(body, reserved.key);
          assert.equal(answer.body.outcome, undefined, JSON.stringify(answer));
          assert.ok(answer.status >= 500);
          const { body: state } = await stripe.call('/inquire', { reference: reserved.reference });
          const taken = (await stripe.rig.judge()).successesOfAttempt.get(reserved.key) ?? 0;
          assert.ok(['not_charged', 'canceled', 'succeeded'].includes(String(state.outcome)));
          assert.equal(taken, state.outcome === 'succeeded' ? 1 : 0);
        });
      }
    }

    for (const [what, run, which] of steps.slice(0, 3)) {
      it(`tell no outcome of ${what} if the answer is whole, and not what Stripe would say`, async () => {
        const reserved = await stripe.reserved(await stripe.card());
        stripe.rig.faults.plan(which, { kind: 'stranger', when: 'before' });
        const body = { ...reserved.body, reference: reserved.reference };
        const answer = await run(body, reserved.key);
        assert.equal(answer.body.outcome, undefined, JSON.stringify(answer));
        assert.equal((await stripe.call('/charges', body, reserved.key)).body.outcome, 'succeeded');
        assert.equal((await stripe.rig.judge()).successesOfAttempt.get(reserved.key), 1);
      });
    }

    it('tell no outcome of a reservation or a refund if the answer is HTML, and make one of each when asked again', async () => {
      const token = await stripe.card();
      const [key, refundKey] = [newKey(), `re_${newKey()}`];
      stripe.rig.faults.plan('POST /v1/payment_intents', { kind: 'html', when: 'after' });
      assert.equal((await stripe.call('/prepare', stripe.payment(token), key)).body.outcome, undefined);
      const reserved = await stripe.reserved(token, key);
      await stripe.call('/charges', { ...reserved.body, reference: reserved.reference }, key);
      const refund = { payment_intent_id: 'pi_1', charge_reference: reserved.reference, amount: 300, currency: 'AUD' };
      stripe.rig.faults.plan('POST /v1/refunds', { kind: 'html', when: 'after' });
      assert.equal((await stripe.call('/refunds', refund, refundKey)).body.outcome, undefined);
      assert.equal((await stripe.call('/refunds', refund, refundKey)).body.outcome, 'succeeded');
      const { refunds, successesOfAttempt } = await stripe.rig.judge();
      assert.deepEqual([successesOfAttempt.get(key), refunds.get(refundKey)], [1, 1]);
    });

    for (const status of [401, 403] as const) {
      it(`make the account degraded by ${status}, fail nothing, and make it active by the next success at Stripe`, async () => {
        const reserved = await stripe.reserved(await stripe.card());
        const body = { ...reserved.body, reference: reserved.reference };
        for (const which of [/GET \/v1\/payment_intents\//, /POST .*\/confirm/]) {
          stripe.rig.faults.plan(which, { kind: 'status', status, when: 'before' });
          const answer = await stripe.call('/charges', body, reserved.key);
          assert.deepEqual([answer.status, answer.body.outcome], [403, undefined]);
          const noted = await readAccount(stripe.sql, here);
          assert.equal(noted.status, 'degraded');
          assert.match(String(noted.reason), new RegExp(`^Stripe responded ${status} `));
        }
        assert.equal((await stripe.call('/inquire', { reference: 'pi_unknown' })).status, 404);
        assert.equal(await statusOf(), 'degraded', 'Stripe was not asked');
        assert.equal((await stripe.call('/charges', body, reserved.key)).body.outcome, 'succeeded');
        const noted = await readAccount(stripe.sql, here);
        assert.deepEqual([noted.status, noted.reason], ['active', null]);
      });
    }

    it('make the account degraded if its lists are refused, and say so', async () => {
      stripe.rig.faults.plan('GET /v1/charges', { kind: 'status', status: 403, when: 'before' });
      const { status, body } = await stripe.call('/movements', { after: null });
      assert.deepEqual([status, body.movements], [403, undefined]);
      assert.equal(await statusOf(), 'degraded');
      const refused = async () => (await stripe.call('/notices', { after: null })).body.refused;
      assert.deepEqual(await refused(), [{ account, reason: 'Stripe responded 403 (StripePermissionError)' }]);
      assert.equal((await stripe.call('/movements', { after: null })).status, 200);
      assert.equal(await statusOf(), 'active');
      assert.deepEqual(await refused(), []);
    });
  });

  it('say in every answer and in /health that this is not Stripe', async () => {
    const warning = `not Stripe: ${stripe.rig.url}`;
    const health = await fetch(`${stripe.url}/health`);
    assert.deepEqual(await health.json(), { processor: 'stripe', accounts: 1, warning });
    const reserved = await stripe.reserved(await stripe.card());
    const answers = [
      await stripe.call('/prepare', reserved.body, reserved.key),
      await stripe.call('/charges', { ...reserved.body, reference: reserved.reference }, reserved.key),
      await stripe.call('/inquire', { reference: 'pi_unknown' }),
      await stripe.call('/movements', { after: null }),
      await raw('/prepare', '{', { authorization: 'none' }),
      await raw('/none', '{}'),
      await raw('/prepare', '[]'),
    ];
    for (const { body } of answers) assert.equal(body.warning, warning);
  });
});
