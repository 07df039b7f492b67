import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { type Reply, send } from '../support/api.ts';
import { makeKeys } from '../support/factories.ts';
import { useTwoApis } from '../support/two-apis.ts';
import { races, seededRandom } from './storms.ts';

const racers = 20;
const keysOfEachRoute = 3;

describe('twenty racers with one Idempotency-Key, at two API processes,', () => {
  const here = useTwoApis();
  const { db, ledger, api, other, count } = here;

  interface Racing {
    name: string;
    path: string;
    body: object;
    key?: string;
    ttl?: number;
  }
  /** One request of a race, to the process whose turn it is. */
  function race(racer: number, { name, path, body, key = here.keys.sandboxSecret, ttl }: Racing): Promise<Reply> {
    const url = racer % 2 === 0 ? api.url : other.url;
    const headers = { 'Idempotency-Key': name, ...(ttl === undefined ? {} : { 'Idempotency-TTL': String(ttl) }) };
    return send(`${url}/api/v1${path}`, 'POST', { key, body, headers });
  }
  const every = <T>(work: (racer: number) => T) => Array.from({ length: racers }, (_, racer) => work(racer));
  const answersOf = (replies: Reply[]) => [...new Set(replies.map(({ status, text }) => `${status} ${text}`))];
  const isReplay = (reply: Reply) => reply.headers.get('idempotent-replayed') === 'true';

  const fixture = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };
  /** A customer with a card, and a payment of theirs that is paid. */
  async function payer() {
    const { id: customer } = await here.merchant.customer();
    const card = await here.merchant.card(customer);
    const { id: intent } = await here.merchant.intent({ customer_id: customer });
    return { customer, card, intent };
  }

  /** A route, what it makes, and what is made before so that it can. */
  const routes: [string, string, (index: number) => Promise<Omit<Racing, 'name'>>][] = [
    ['a customer', 'customers', async (index) => ({ path: '/customers', body: { name: `Payer ${index}` } })],
    [
      'a payment method',
      'payment_methods',
      async () => ({
        path: '/payment_methods',
        body: { type: 'card', payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata: fixture } },
      }),
    ],
    [
      'a payment intent',
      'payment_intents',
      async (index) => ({ path: '/payment_intents', body: { amount: 1000 + index, currency: 'AUD' } }),
    ],
    [
      'a payment in one request',
      'payment_intents',
      async () => {
        const { customer, card } = await payer();
        const body = { amount: 1000, currency: 'AUD', customer_id: customer, payment_method: card, confirm: true };
        return { path: '/payment_intents', body };
      },
    ],
    [
      'a plan',
      'payment_plans',
      async () => {
        const terms = { name: 'Plan', frequency_type: 'weekly', recurring_amount_cents: 500, currency: 'AUD' };
        const { customer } = await payer();
        const body = { ...terms, customer_id: customer, start_date: '2200-01-01', until_further_notice: true };
        return { path: '/payment_plans', body };
      },
    ],
    [
      'a charge',
      'charges',
      async () => {
        const { intent, card } = await payer();
        return { path: `/payment_intents/${intent}/confirm`, body: { payment_method: card } };
      },
    ],
    [
      'a refund',
      'refunds',
      async () => {
        const { intent, card } = await payer();
        await here.merchant.request('POST', `/payment_intents/${intent}/confirm`, { payment_method: card });
        return { path: `/payment_intents/${intent}/refunds`, body: { amount: 10 } };
      },
    ],
  ];
  for (const [what, table, prepare] of routes) {
    it(`make ${what} once and are answered the same bytes, for each of ${keysOfEachRoute * races} keys`, async function () {
      this.timeout(30_000 * races);
      for (let index = 0; index < keysOfEachRoute * races; index++) {
        const racing = { name: `key ${index}`, ...(await prepare(index)) };
        const before = table === 'charges' ? ledger.taken.size : await count(table);
        const replies = await Promise.all(every((racer) => race(racer, racing)));
        const [answer = '', ...others] = answersOf(replies);
        assert.deepEqual(others, []);
        assert.match(answer, /^20[01] /);
        assert.equal(replies.filter((reply) => !isReplay(reply)).length, 1, 'one answer is the first');
        const made = table === 'charges' ? ledger.taken.size : await count(table);
        assert.equal(made, before + 1);
      }
    });
  }

  it('and two bodies or two paths: one request has the key, and the others are told that it is taken', async () => {
    const { customer, card } = await payer();
    for (let round = 0; round < 3 * races; round++) {
      const wanted: Omit<Racing, 'name'>[] = [
        { path: '/customers', body: { name: 'One' } },
        { path: '/customers', body: { name: 'Two' } },
        {
          path: '/payment_intents',
          body: { amount: 700, currency: 'AUD', customer_id: customer, payment_method: card },
        },
        { path: `/payment_methods/${card}/attach`, body: { customer_id: customer } },
      ];
      const before = [await count('customers'), await count('payment_intents')];
      const name = `mixed ${round}`;
      const replies = await Promise.all(
        every((racer) => race(racer, { name, ...(wanted[(racer >> 1) % wanted.length] ?? { path: '', body: {} }) })),
      );
      const won = replies.filter(({ status }) => status < 300);
      assert.equal(answersOf(won).length, 1);
      for (const { status, body } of replies.filter((reply) => !won.includes(reply))) {
        assert.deepEqual(
          [status, body.error.type, body.error.code],
          [422, 'idempotency_error', 'idempotency_key_reused'],
        );
      }
      const made = [await count('customers'), await count('payment_intents')];
      const more = made.reduce((sum, each, index) => sum + each - (before[index] ?? 0), 0);
      assert.equal(more, won[0]?.status === 201 ? 1 : 0);
    }
  });

  it('make one object for each of two billers and two modes', async () => {
    const stranger = await makeKeys(db.sql);
    const senders = [here.keys.sandboxSecret, here.keys.liveSecret, stranger.sandboxSecret, stranger.liveSecret];
    const racing = { name: 'shared', path: '/customers', body: { name: 'Shared' } };
    const replies = await Promise.all(
      every((racer) => race(racer, { ...racing, key: senders[(racer >> 1) % 4] ?? '' })),
    );
    const ids = senders.map((_, sender) => {
      const mine = replies.filter((_reply, racer) => (racer >> 1) % 4 === sender);
      assert.equal(answersOf(mine).length, 1);
      assert.equal(mine[0]?.status, 201);
      return mine[0]?.body.id;
    });
    assert.equal(new Set(ids).size, 4);
    const [row] = await db.sql`select count(*)::integer as n from customers where name = 'Shared'`;
    assert.equal(row?.n, 4);
  });

  it('get, at the very edge of its time, the response of before it or of after it, with one object on either side', async () => {
    const random = seededRandom(7);
    const around = async (index: number) => {
      const racing = { name: `edge ${index}`, path: '/customers', body: { name: `Edge ${index}` }, ttl: 1 };
      const first = await race(0, racing);
      const [held] = await db.sql<{ expires_at: Date }[]>`
        select expires_at from idempotency_keys where key = ${racing.name}`;
      const left = Number(held?.expires_at) - realNow().getTime();
      // Some come a little before the end, some a little after it.
      const replies = await Promise.all(
        every(async (racer) => {
          await pause(left - 40 + 80 * random());
          return race(racer, { ...racing, ttl: 60 });
        }),
      );
      const answers = answersOf(replies);
      const old = `${first.status} ${first.text}`;
      assert.ok(answers.length <= 2, `${answers.length} different answers`);
      assert.ok(answers.length === 1 || answers.includes(old), 'two objects after the end');
      const later = await race(1, racing);
      if (answers.some((answer) => answer !== old)) assert.ok(answers.includes(`${later.status} ${later.text}`));
      const [row] = await db.sql`select count(*)::integer as n from customers where name = ${racing.body.name}`;
      assert.equal(row?.n, new Set([old, ...answers, `${later.status} ${later.text}`]).size);
      return answers.includes(old) ? answers.length : 0;
    };
    await Promise.all(Array.from({ length: 6 }, (_, index) => around(index)));
  });

  it('are answered as before however far a test clock has moved between them: keys live in real time', async () => {
    const clock = await here.merchant.clock('2027-01-10T00:00:00.000Z');
    const { id: customer_id } = await here.merchant.customer({ test_clock: clock.id });
    const card = await here.merchant.card(customer_id);
    const racing = {
      name: 'moved',
      path: '/payment_intents',
      body: { amount: 900, currency: 'AUD', customer_id },
      ttl: 60,
    };
    const [made] = await Promise.all(every((racer) => race(racer, racing)));
    const confirming = { ...racing, name: 'moved too', path: `/payment_intents/${made?.body.id}/confirm` };
    const [confirmed] = await Promise.all(
      every((racer) => race(racer, { ...confirming, body: { payment_method: card } })),
    );
    // The clock's own workflow is not there: its time is moved as the end of an advance moves it.
    await db.sql`update test_clocks set frozen_time = '2030-01-01' where id = ${clock.id}`;
    const again = await Promise.all(every((racer) => race(racer, racing)));
    assert.deepEqual(answersOf(again), [`${made?.status} ${made?.text}`]);
    const confirmedAgain = await Promise.all(
      every((racer) => race(racer, { ...confirming, body: { payment_method: card } })),
    );
    assert.deepEqual(answersOf(confirmedAgain), [`${confirmed?.status} ${confirmed?.text}`]);
    assert.equal(ledger.taken.size, 1);
  });
});
