import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { type CrashPoint, listenToCrashPoints } from '../../src/services/crash-points.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { type Reply, send } from '../support/api.ts';
import { useStage } from '../support/stage.ts';
import { useTwoApis } from '../support/two-apis.ts';
import { assertAccounted, eventsSoFar, toldSince } from './account.ts';
import { door, holdLocks } from './barriers.ts';

describe('a payment in real time, which is decided without locks,', () => {
  const stage = useStage({ isAlone: true });
  let customer = '';
  let card = '';

  beforeEach('have a payer', async () => {
    customer = (await stage.merchant.customer()).id;
    card = await stage.merchant.card(customer);
  });

  const post = (path: string, body?: object) => stage.request('POST', path, body);
  const confirm = (intent: string) => post(`/payment_intents/${intent}/confirm`, { payment_method: card });
  const create = () =>
    post('/payment_intents', {
      amount: 1000,
      currency: 'AUD',
      customer_id: customer,
      payment_method: card,
      confirm: true,
    });
  it('is not held up by another payment whose row is locked when its outcome is to be recorded', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => stage.merchant.intent({ customer_id: customer })));
    const [slow, ...others] = made.map(({ id }) => id);
    assert.ok(slow);
    const from = await eventsSoFar(stage);
    const asked = door();
    let count = 0;
    let all = () => {};
    const allAsked = new Promise<void>((resolve) => {
      all = resolve;
    });
    stage.ledger.beforeAnswer = async () => {
      count += 1;
      if (count === made.length) all();
      await asked.pass();
    };
    const held = confirm(slow);
    const free = others.map(confirm);
    await allAsked;
    const locks = await holdLocks(stage.db.sql, (tx) => tx`select from payment_intents where id = ${slow} for update`);
    asked.open();
    for (const { body } of await Promise.all(free)) assert.equal(body.status, 'succeeded');
    await locks.waiting(() => 1);
    await locks.release();
    assert.equal((await held).body.status, 'succeeded');
    assert.equal((await toldSince(stage, from)).length, made.length);
    await assertAccounted(stage);
  });

  it('is not changed by a process that was frozen while it asked, and writes after housekeeping', async () => {
    for (const kind of ['confirm', 'create'] as const) {
      const { id: made } = kind === 'confirm' ? await stage.merchant.intent({ customer_id: customer }) : { id: '' };
      const frozen = door();
      let asked = '';
      stage.ledger.beforeAnswer = async ({ paymentIntentId }) => {
        if (asked !== '') return;
        asked = paymentIntentId;
        await frozen.pass();
      };
      const charging = kind === 'confirm' ? confirm(made) : create();
      await frozen.arrived;
      await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 600_000));
      assert.equal((await post(`/payment_intents/${asked}/refunds`, { amount: 400 })).status, 201);
      const from = await eventsSoFar(stage);
      frozen.open();
      const { body } = await charging;
      assert.deepEqual([body.id, body.status, body.total_refunded_amount], [asked, 'succeeded', 400]);
      assert.deepEqual(await toldSince(stage, from), []);
      await assertAccounted(stage);
    }
  });
});

describe('the Idempotency-Key of a payment that is decided without locks', () => {
  const here = useTwoApis({ connections: 4 });
  const { db, ledger, api, other } = here;
  afterEach('let every process live on', () => listenToCrashPoints(() => {}));

  const ask = (url: string, path: string, body: object, key = 'k') =>
    send(`${url}/api/v1${path}`, 'POST', { key: here.keys.sandboxSecret, body, headers: { 'Idempotency-Key': key } });
  const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';
  const intents = () => here.count('payment_intents');
  const events = () => here.count('events');

  /** The two requests that charge, for a new payer: in real time, or on a clock, where they take the way with locks. */
  async function requests(isOnClock: boolean): Promise<[path: string, body: object, status: number][]> {
    const clock = isOnClock ? await here.merchant.clock('2031-01-06T00:00:00.000Z') : null;
    const { id: customer_id } = await here.merchant.customer(clock === null ? {} : { test_clock: clock.id });
    const payment_method = await here.merchant.card(customer_id);
    const { id } = await here.merchant.intent({ customer_id });
    return [
      [`/payment_intents/${id}/confirm`, { payment_method }, 200],
      ['/payment_intents', { amount: 1000, currency: 'AUD', customer_id, payment_method, confirm: true }, 201],
    ];
  }

  const points: CrashPoint[] = ['confirm opened', 'confirm charged', 'confirm completed'];
  for (const isOnClock of [false, true]) {
    for (const point of points) {
      const where = isOnClock ? 'on a clock' : 'in real time';
      it(`goes on, ${where}, when the process died at "${point}": one payment, one charge, one event`, async () => {
        for (const [index, [path, body, status]] of (await requests(isOnClock)).entries()) {
          const before = [await intents(), await events(), ledger.taken.size] as const;
          listenToCrashPoints((passed) => {
            if (passed === point) throw new Error('the process is gone');
          });
          assert.equal((await ask(api.url, path, body, `k${index}`)).status, 500);
          listenToCrashPoints(() => {});
          // Another request has no use of the key, whatever has been committed under it.
          const theft = await ask(other.url, path, { ...body, payment_method: 'pm_none' }, `k${index}`);
          assert.deepEqual([theft.status, theft.body.error.code], [422, 'idempotency_key_reused']);
          const again = await ask(other.url, path, body, `k${index}`);
          assert.deepEqual([again.status, again.body.status], [status, 'succeeded'], again.text);
          assert.equal(isReplay(again), point === 'confirm completed');
          const replayed = await ask(api.url, path, body, `k${index}`);
          assert.deepEqual([replayed.text, isReplay(replayed)], [again.text, true]);
          const made = status === 201 ? 1 : 0;
          assert.deepEqual(
            [await intents(), await events(), ledger.taken.size],
            [before[0] + made, before[1] + 1, before[2] + 1],
          );
        }
      });
    }
  }

  it('finds the payment that housekeeping has finished, and stays the first request’s', async () => {
    for (const [index, [path, body, status]] of (await requests(false)).entries()) {
      ledger.beforeAnswer = async () => {
        throw new Error('the process is gone');
      };
      assert.equal((await ask(api.url, path, body, `k${index}`)).status, 500);
      ledger.beforeAnswer = async () => {};
      const charging = { processors: here.processors, hook: async () => null };
      await recoverCharges(db.sql, charging, addMs(realNow(), 90_000));
      const again = await ask(other.url, path, body, `k${index}`);
      assert.deepEqual([again.status, again.body.status, ledger.taken.size], [status, 'succeeded', index + 1]);
      assert.equal(await events(), index + 1);
    }
  });

  it('makes one payment though its lock is lost while the first process asks the processor', async () => {
    for (const [index, [path, body]] of (await requests(false)).entries()) {
      const before = await intents();
      const asked = door();
      let isFirst = true;
      ledger.beforeAnswer = async () => {
        if (!isFirst) return;
        isFirst = false;
        await asked.pass();
      };
      const first = ask(api.url, path, body, `k${index}`);
      await asked.arrived;
      await db.sql`
        select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and datname = current_database()`;
      const second = await ask(other.url, path, body, `k${index}`);
      asked.open();
      const replies = [await first, second, await ask(api.url, path, body, `k${index}`)];
      assert.deepEqual(new Set(replies.map(({ text }) => text)).size, 1, replies.map(({ text }) => text).join('\n'));
      assert.deepEqual(
        [await intents(), ledger.taken.size, await events()],
        [before + (path === '/payment_intents' ? 1 : 0), index + 1, index + 1],
      );
    }
  });

  it('stays free when the payment is refused', async () => {
    const [confirm] = await requests(false);
    assert.ok(confirm);
    const [path, body] = confirm;
    for (const target of [path, '/payment_intents']) {
      const wrong = {
        ...(target === path ? {} : { amount: 1000, currency: 'AUD', confirm: true }),
        payment_method: 'pm_none',
      };
      assert.equal((await ask(api.url, target, wrong)).status, 400);
      assert.deepEqual(
        [...(await db.sql`select from idempotency_keys where biller_id = ${here.keys.biller.id} and key = 'k'`)],
        [],
      );
    }
    assert.equal((await ask(api.url, path, body)).status, 200);
  });

  it('is waited for while another transaction has it, and the payment is made when that gives it up', async () => {
    for (const [index, [path, body, status]] of (await requests(false)).entries()) {
      let asked: Promise<Reply> | undefined;
      const held = db.sql.begin(async (tx) => {
        await tx`
          insert into idempotency_keys (biller_id, livemode, key, fingerprint, fingerprint_key, created_at, expires_at)
          values (${here.keys.biller.id}, false, ${`k${index}`}, ${Buffer.alloc(32)}, 'test', now(), now() + interval '1 h')`;
        asked = ask(api.url, path, body, `k${index}`);
        const waits = () => db.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        while ((await waits()).length === 0);
        throw new Error('given up');
      });
      await assert.rejects(held, /given up/);
      assert.deepEqual([(await asked)?.status, ledger.taken.size], [status, index + 1]);
    }
  });
});
