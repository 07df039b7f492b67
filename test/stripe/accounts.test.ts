import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { root } from '../../lab/run-program.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import {
  type Account,
  openAccounts,
  readAccount,
  resealKeys,
  setStatus,
  writeAccount,
} from '../../processors/stripe/accounts.ts';
import { ensureSchema } from '../../processors/stripe/schema.ts';
import { isSealedWithFirst, KeyNotOpened, openKey, type SealingKeys } from '../../processors/stripe/sealed-keys.ts';
import { createStripeProcessor } from '../../processors/stripe/server.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import { formsOf } from '../runtime/haystacks.ts';
import { onServer } from '../support/postgres.ts';
import { type Answered, account, sealingKeys, useStripe } from './support.ts';

const here = { account, livemode: false };
const other = { account: 'acct_other', livemode: false };
const newKeys = [{ id: 'new', key: Buffer.alloc(32, 9) }];
const bothKeys = [...newKeys, ...sealingKeys];
const money = { amount: 400, currency: 'AUD' };

describe('the Stripe accounts of billers', function () {
  this.timeout(120_000);
  const stripe = useStripe();
  const servers: Server[] = [];
  let log = '';
  const logger = createLogger('debug', 'processor-stripe', {
    write(line: string) {
      log += line;
    },
  });

  beforeEach('one account', async () => {
    log = '';
    await stripe.sql`delete from processor_stripe.accounts`;
    await writeAccount(stripe.sql, sealingKeys, here, { key: rigKey, by: 'test' });
  });
  afterEach('end the servers', () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Another processor beside the one of the rig. Returns how it is called. */
  async function serve({ db = stripe.sql, keys = sealingKeys as SealingKeys, url = stripe.rig.url } = {}) {
    const accounts = openAccounts(db, keys, url);
    const { secret } = stripe;
    const server = createStripeProcessor({ db, accounts, secret, logger, stripeApiUrl: url });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return callerOf((server.address() as AddressInfo).port);
  }
  function callerOf(port: number) {
    return async (path: string, body: object, key = 'att_none'): Promise<Answered> => {
      const headers = { authorization: `Bearer ${stripe.secret}`, 'idempotency-key': key };
      const text = JSON.stringify({ ...here, ...body });
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: text });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
  }
  const newKey = () => `att_${randomBytes(8).toString('hex')}`;
  const rowOf = (place: typeof here): Promise<Account> => readAccount(stripe.sql, place);
  async function copySealedKey(from: typeof here, to: typeof here): Promise<void> {
    const { sealed_key } = await rowOf(from);
    await stripe.sql`update processor_stripe.accounts set sealed_key = ${sealed_key} where account = ${to.account}`;
  }
  const addOther = () => writeAccount(stripe.sql, sealingKeys, other, { key: rigKey, by: 'test' });

  it('charge once what twenty calls of each of two processors ask for at once', async () => {
    const calls = [await serve(), await serve()];
    const { key, body, reference } = await stripe.reserved(await stripe.card());
    const charges = calls.flatMap((call) =>
      Array.from({ length: 20 }, () => call('/charges', { ...body, reference }, key)),
    );
    for (const { status, body: told } of await Promise.all(charges)) {
      assert.ok(told.outcome === 'succeeded' || (told.outcome === undefined && status === 409), JSON.stringify(told));
    }
    for (const call of calls) {
      assert.equal((await call('/charges', { ...body, reference }, key)).body.outcome, 'succeeded');
    }
    const { charges: atStripe, successesOfAttempt } = await stripe.rig.judge();
    assert.deepEqual([atStripe.get(reference), successesOfAttempt.get(key)], [1, 1]);
    const [row] = await stripe.sql<{ count: number }[]>`
      select count(*)::int as count from processor_stripe.movements where reference = ${reference}`;
    assert.equal(row?.count, 1);
  });

  it('each have their own methods: what is known of one account is asked for again by another', async () => {
    const [call, token] = [await serve(), await stripe.card()];
    await call('/prepare', stripe.payment(token), newKey());
    await addOther();
    const before = stripe.rig.faults.calls.length;
    await call('/prepare', { ...stripe.payment(token), ...other }, newKey());
    assert.ok(stripe.rig.faults.calls.slice(before).includes(`GET /v1/payment_methods/${token}`));
  });

  it('stay disabled whatever is noted of them', async () => {
    await setStatus(stripe.sql, here, 'disabled', null);
    for (const status of ['active', 'degraded'] as const) await setStatus(stripe.sql, here, status, 'noted');
    assert.equal((await rowOf(here)).status, 'disabled');
  });

  describe('whose keys are sealed', () => {
    it('do not open for another account or mode, or with another encryption key of that name', async () => {
      const { sealed_key: sealed } = await rowOf(here);
      assert.equal(openKey(sealingKeys, sealed, here), rigKey);
      for (const place of [other, { ...here, livemode: true }]) {
        assert.throws(() => openKey(sealingKeys, sealed, place), KeyNotOpened);
      }
      assert.throws(() => openKey([{ id: 'test', key: Buffer.alloc(32, 1) }], sealed, here), KeyNotOpened);
      for (const bytes of [Buffer.alloc(0), Buffer.from([0]), sealed.subarray(0, 20), Buffer.from(rigKey)]) {
        assert.throws(() => openKey(sealingKeys, bytes, here), KeyNotOpened);
      }
    });

    it('respond 503 without an outcome if the key is another row’s; the log says which and what to do; others work', async () => {
      await addOther();
      await copySealedKey(here, other);
      const call = await serve();
      const token = await stripe.card();
      const { length } = stripe.rig.faults.calls;
      const refused = await call('/prepare', { ...stripe.payment(token), ...other }, newKey());
      assert.deepEqual([refused.status, refused.body.outcome], [503, undefined]);
      assert.equal(stripe.rig.faults.calls.length, length);
      assert.match(
        log,
        /The Stripe key of acct_other \(sandbox\) is sealed for another account.*processors rotate stripe/,
      );
      assert.equal((await call('/prepare', stripe.payment(token), newKey())).body.outcome, 'reserved');
    });

    it('respond 503 without an outcome if ENCRYPTION_KEYS lacks its key; the log names it; others work', async () => {
      await writeAccount(stripe.sql, newKeys, other, { key: rigKey, by: 'test' });
      const call = await serve();
      const token = await stripe.card();
      for (const path of ['/prepare', '/charges', '/inquire', '/cancel', '/refunds', '/refunds/inquire']) {
        const body = { ...stripe.payment(token), ...other, reference: 'pi_1', charge_reference: 'pi_1' };
        const { status, body: told } = await call(path, body, newKey());
        assert.deepEqual([status, told.outcome], [503, undefined], path);
      }
      assert.match(log, /acct_other \(sandbox\) is sealed with \\"new\\", which ENCRYPTION_KEYS lacks: add that key/);
      assert.equal((await call('/prepare', stripe.payment(token), newKey())).body.outcome, 'reserved');
      log = '';
      assert.equal((await call('/movements', { after: null })).status, 200);
      assert.match(log, /"account":"acct_other".*"msg":"the movements of an account were not read"/);
    });

    it('are sealed anew with the first encryption key, once; the older one is not needed then', async () => {
      await writeAccount(stripe.sql, sealingKeys, { ...here, livemode: true }, { key: 'sk_live_12345678', by: 'test' });
      await writeAccount(stripe.sql, bothKeys, other, { key: rigKey, by: 'test' });
      assert.deepEqual(await resealKeys(stripe.sql, bothKeys), { resealed: 2, unopened: [] });
      for (const [place, key] of [
        [here, rigKey],
        [{ ...here, livemode: true }, 'sk_live_12345678'],
        [other, rigKey],
      ] as const) {
        const row = await readAccount(stripe.sql, place);
        assert.ok(isSealedWithFirst(newKeys, row.sealed_key));
        assert.equal(openKey(newKeys, row.sealed_key, place), key);
        assert.deepEqual([row.version, row.status, row.changed_by], [1, 'unverified', 'test']);
      }
      assert.deepEqual(await resealKeys(stripe.sql, bothKeys), { resealed: 0, unopened: [] });
    });

    it('are left as they are if they cannot be opened, and are not sealed anew for another account', async () => {
      await addOther();
      await copySealedKey(here, other);
      const { sealed_key: before } = await rowOf(other);
      const { resealed, unopened } = await resealKeys(stripe.sql, bothKeys);
      assert.deepEqual([resealed, unopened.length], [1, 1]);
      assert.deepEqual((await rowOf(other)).sealed_key, before);
      const lost = await resealKeys(stripe.sql, sealingKeys);
      assert.deepEqual([lost.resealed, lost.unopened.length], [0, 2]);
    });
  });

  describe('in the process of npm run processor:stripe', () => {
    let child: ChildProcess | undefined;
    afterEach('end it', async () => {
      if (child === undefined || child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'close');
    });

    it('are sealed anew at its start, and one that cannot be opened does not keep it from starting', async () => {
      await writeAccount(stripe.sql, [{ id: 'lost', key: Buffer.alloc(32, 3) }], other, { key: rigKey, by: 'test' });
      const [port = 0] = await findFreePorts(1);
      const { database } = stripe.sql.options;
      const url = Object.assign(new URL(process.env.TEST_DATABASE_URL ?? ''), { pathname: database }).href;
      const env = childEnvironment({
        ...{ PROCESSOR_PORT: String(port), PROCESSOR_SECRET: stripe.secret, DATABASE_URL: url, LOG_LEVEL: 'warn' },
        ...{ STRIPE_API_URL: stripe.rig.url, NODE_OPTIONS: '' },
        ENCRYPTION_KEYS: bothKeys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(),
      });
      const args = ['--conditions=payments-source', '--import', './setup.mjs', 'processors/stripe/main.ts'];
      const started = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      let output = '';
      for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += chunk));
      const call = callerOf(port);
      const isUp = () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          (response) => response.ok,
          () => started.exitCode !== null,
        );
      await eventually('it responds', isUp, { timeoutMs: 60_000 });
      assert.equal(started.exitCode, null, output);
      assert.ok(isSealedWithFirst(newKeys, (await rowOf(here)).sealed_key));
      const token = await stripe.card();
      assert.equal((await call('/prepare', stripe.payment(token), newKey())).body.outcome, 'reserved');
      assert.equal((await call('/prepare', { ...stripe.payment(token), ...other }, newKey())).status, 503);
      assert.match(
        output,
        /The Stripe key of acct_other \(sandbox\) is sealed with \\"lost\\", which ENCRYPTION_KEYS lacks/,
      );
      assert.match(output, /this is not Stripe, and takes no money/);
      assert.doesNotMatch(output, /"level":30/, 'LOG_LEVEL is not obeyed');
      assert.ok(!output.includes(rigKey));
    });
  });

  describe('whose key is planted', () => {
    const planted = 'sk_test_51PlantedXk9Qw7Zr4Tt2Yh';

    it('is in no log line, no answer and no row in plain text, whatever goes wrong and whatever Stripe repeats', async () => {
      await writeAccount(stripe.sql, sealingKeys, here, { key: planted, by: 'test' });
      const answers: Answered[] = [];
      const call = await serve();
      const asked = async (...args: Parameters<typeof call>) => {
        const answer = await call(...args);
        answers.push(answer);
        return answer;
      };
      const plan = (which: RegExp | string) => [
        () => stripe.rig.faults.plan(which, { kind: 'html', when: 'before' }),
        () => stripe.rig.faults.plan(which, { kind: 'truncated' }),
        () => stripe.rig.faults.plan(which, { kind: 'stranger', when: 'before' }),
        () => stripe.rig.faults.plan(which, { kind: 'reset_answer', at: 0.5 }),
        ...([400, 401, 403, 409, 429, 500] as const).map(
          (status) => () => stripe.rig.faults.plan(which, { kind: 'status', status, when: 'before' }),
        ),
      ];
      const token = await stripe.card();
      for (const spoil of plan('POST /v1/payment_intents')) {
        spoil();
        await asked('/prepare', stripe.payment(token), newKey());
      }
      for (const spoil of [...plan(/GET \/v1\/payment_intents\//), ...plan(/POST .*\/confirm/)]) {
        const { key, body, reference } = await stripe.reserved(token);
        spoil();
        await asked('/charges', { ...body, reference }, key);
        await asked('/refunds', { payment_intent_id: 'pi_1', charge_reference: reference, ...money }, `re_${key}`);
      }
      for (const spoil of plan('GET /v1/charges')) {
        spoil();
        await asked('/movements', { after: null });
      }
      // A server that repeats what it was sent.
      const echo = await serveOnLoopback(({ headers: { authorization } }, response) => {
        const error = {
          type: 'invalid_request_error',
          message: `Invalid: ${authorization}`,
          param: authorization,
          code: authorization,
        };
        const status = [401, 500, 200][answers.length % 3] ?? 500;
        response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', echo: authorization });
        response.end(JSON.stringify({ error, message: authorization }));
      });
      const toEcho = await serve({ url: echo.url });
      for (let times = 0; times < 9; times++) {
        answers.push(
          await toEcho(
            times % 2 ? '/movements' : '/prepare',
            { after: null, ...stripe.payment(`pm_echo${times}`) },
            newKey(),
          ),
        );
      }
      await echo.close();
      // A database that is not there.
      const gone = openPool('postgres://nobody:word@127.0.0.1:9/none', { max: 1, name: 'test', acquireTimeoutMs: 500 });
      answers.push(await (await serve({ db: gone }))('/prepare', stripe.payment(token), newKey()));
      await gone.end({ timeout: 1 });
      const rows = await allRows(stripe.sql);

      assert.ok(log.includes('the movements of an account were not read') && log.includes('a call has failed'));
      assert.ok(rows.includes(planted.slice(-4)) && rows.includes(token), 'the rows were not read');
      assert.ok(answers.length > 50 && new Set(answers.map(({ status }) => status)).size > 4);
      const secret = planted.slice('sk_test_'.length);
      for (const [place, text] of Object.entries({ log, answers: JSON.stringify(answers), rows })) {
        for (const form of [planted, secret].flatMap(formsOf))
          assert.ok(!text.includes(String(form)), `${place}: ${form}`);
      }
      assert.equal(openKey(sealingKeys, (await rowOf(here)).sealed_key, here), planted);
    });
  });

  /** Every row of the schema, as JSON; bytes are hexadecimal there. */
  async function allRows(sql: Pool): Promise<string> {
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'processor_stripe'`;
    assert.ok(tables.length >= 6);
    let text = '';
    for (const { name } of tables) {
      const rows = await sql<
        { row: string }[]
      >`select to_jsonb(t)::text as row from ${sql(`processor_stripe.${name}`)} t`;
      text += rows.map(({ row }) => row).join('\n');
    }
    return text;
  }

  it('need a role that has rights in their own schema alone, and that reads nothing of the service', async () => {
    const role = `stripe_${randomBytes(4).toString('hex')}`;
    await stripe.sql.unsafe(`
      create role ${role} login password 'own';
      grant usage on schema processor_stripe to ${role};
      grant select, insert, update on all tables in schema processor_stripe to ${role};`);
    const { database } = stripe.sql.options;
    const server = new URL(process.env.TEST_DATABASE_URL ?? '');
    const own = openPool(Object.assign(server, { username: role, password: 'own', pathname: database }).href, {
      max: 4,
      name: 'test',
    });
    try {
      await ensureSchema(own);
      await resealKeys(own, bothKeys);
      const call = await serve({ db: own, keys: bothKeys });
      const { body: start } = await call('/movements', { after: null });
      const [key, body] = [newKey(), stripe.payment(await stripe.card())];
      const { reference } = (await call('/prepare', body, key)).body;
      stripe.rig.faults.plan(/GET \/v1\/payment_intents\//, { kind: 'status', status: 403, when: 'before' });
      assert.equal((await call('/charges', { ...body, reference }, key)).status, 403);
      assert.equal((await rowOf(here)).status, 'degraded');
      assert.equal((await call('/charges', { ...body, reference }, key)).body.outcome, 'succeeded');
      const refund = { payment_intent_id: 'pi_1', charge_reference: reference, ...money };
      assert.equal((await call('/refunds', refund, `re_${key}`)).body.outcome, 'succeeded');
      const { body: moved } = await call('/movements', { after: start.cursor });
      assert.deepEqual((moved.movements as { kind: string }[]).map(({ kind }) => kind).toSorted(), [
        'charge',
        'refund',
        'settlement',
        'settlement',
      ]);
      for (const table of ['payment_intents', 'payment_methods', 'api_keys']) {
        await assert.rejects(own`select from ${own(table)}`, /permission denied/);
      }
      await assert.rejects(own`delete from processor_stripe.movements`, /permission denied/);
    } finally {
      await own.end({ timeout: 1 });
      await stripe.sql.unsafe(`drop owned by ${role}`);
      await onServer((admin) => admin.unsafe(`drop role ${role}`));
    }
  });
});
