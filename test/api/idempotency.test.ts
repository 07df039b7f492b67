import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { before, beforeEach, describe, it } from 'mocha';
import { Type } from 'typebox';
import { route } from '../../src/api/http/route.ts';
import { serve } from '../../src/api/http/server.ts';
import {
  type KeyUse,
  keyClaim,
  keyResponse,
  selectKeyUse,
  sweepIdempotencyKeys,
} from '../../src/db/idempotency-keys.ts';
import { sealedField } from '../../src/db/sealed-values.ts';
import { addMs } from '../../src/domain/instants.ts';
import { runAlone } from '../../src/platform/postgres/conditional-insert.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { atomically, waitedTooLong } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { InvalidState, ValidationFailed } from '../../src/services/errors.ts';
import { claimKey, storeResponse } from '../../src/services/payments/repeatable-request.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { type Reply, send, testDeps, useApi, useOtherApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey, makeKeys } from '../support/factories.ts';
import { testRoute } from '../support/test-route.ts';

const secret = 'cs_very_secret';

/** Lets a test hold a handler at a point of its own, and see how many have come there. */
class Gate {
  arrived = 0;
  #open = Promise.resolve();
  #release = () => {};

  close(): void {
    this.#open = new Promise((resolve) => {
      this.#release = resolve;
    });
  }
  release(): void {
    this.#release();
  }
  async pass(): Promise<void> {
    this.arrived += 1;
    await this.#open;
  }
  async reached(count: number): Promise<void> {
    while (this.arrived < count) await pause(2);
  }
}
let gate = new Gate();
/** Whether the process is to die, as it were, between the commits of a route that commits first. */
let dying = false;
/** What the preparation of a request does before it answers. */
let preparation: () => Promise<void> = async () => {};
let preparations = 0;

const Note = Type.Object(
  {
    text: Type.String({ maxLength: 20 }),
    fail: Type.Optional(Type.String()),
    pad: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
const common = {
  ...testRoute,
  method: 'POST',
  access: { scope: 'customers:write' },
  invalid: 422,
  body: Note,
  response: { status: 201, schema: Type.Unknown() },
} as const;
const routes = [
  route({
    ...common,
    path: '/notes',
    operation: 'createNote',
    async handle({ context, body, deps }) {
      const [row] = await deps.db`
        insert into notes (biller_id, text) values (${context.billerId}, ${body.text}) returning id::text`;
      await gate.pass();
      if (body.fail === 'state') throw new InvalidState('No.');
      if (body.fail === 'validation') throw ValidationFailed.of('/text', 'invalid_value', 'No.');
      if (body.fail === 'bug') throw new Error('boom');
      if (body.fail === 'statement') await deps.db`select 1 / 0`;
      return { id: row?.id, text: body.text, client_secret: secret, random: randomUUID() };
    },
  }),
  route({
    ...common,
    path: '/other',
    operation: 'createOther',
    handle: async () => ({ other: true }),
  }),
  route({
    ...common,
    path: '/charges',
    operation: 'charge',
    idempotency: 'committed-first',
    // Commits an attempt once, "calls the processor", and records the outcome: what a payment does.
    async handle({ context, body, deps }) {
      await atomically(deps.db, async (tx) => {
        await claimKey(tx, deps.request);
        await tx`
          insert into attempts (text) values (${body.text}) on conflict (text) do update set tries = attempts.tries + 1`;
        if (body.fail === 'state') throw new InvalidState('No.');
      });
      await gate.pass();
      if (dying) throw new Error('the process is gone');
      return atomically(deps.db, async (tx) => {
        await tx`insert into notes (biller_id, text) values (${context.billerId}, ${body.text}) on conflict do nothing`;
        const answer = { text: body.text, random: randomUUID() };
        storeResponse(tx, deps.request, answer);
        return answer;
      });
    },
  }),
  route({
    ...common,
    path: '/prepared',
    operation: 'prepare',
    async prepare({ body, deps }) {
      preparations += 1;
      await preparation();
      const [row] = await deps.db`select count(*)::int as n from notes where text = ${body.text}`;
      return `${row?.n} before`;
    },
    async handle({ context, body, deps, prepared }) {
      await deps.db`insert into notes (biller_id, text) values (${context.billerId}, ${body.text})`;
      return { prepared, random: randomUUID() };
    },
  }),
];

describe('an Idempotency-Key', () => {
  const db = useDatabase();
  const vault = createVault([{ id: 'test', key: randomBytes(32) }]);
  const api = useApi(db, routes, () => ({ vault }));
  const other = useOtherApi(db, { vault, routes });
  // Two processes that soon give up. The 5 s of production: test/api/keys-in-one-transaction.test.ts.
  const waits = { idempotencyKeyMs: 500 };
  const impatient = useApi(db, routes, () => ({ vault, waits }));
  const impatientToo = useApi(db, routes, () => ({ vault, waits }));
  let key = '';

  before('make the tables, and a second process', async () => {
    await db.sql`create table notes (id bigint generated always as identity, biller_id text, text text, made_by text)`;
    await db.sql`create table attempts (text text primary key, tries integer not null default 1)`;
  });
  beforeEach(async () => {
    gate = new Gate();
    dying = false;
    preparation = async () => {};
    preparations = 0;
    key = (await makeKey(db.sql)).key;
  });

  const post = (idempotencyKey: string, body: object, path = '/notes', headers: Record<string, string> = {}) =>
    api.send('POST', path, { key, body, headers: { 'Idempotency-Key': idempotencyKey, ...headers } });
  const elsewhere = (idempotencyKey: string, body: object, path = '/notes') =>
    send(`${other.url}${path}`, 'POST', {
      key,
      body,
      headers: { 'Idempotency-Key': idempotencyKey },
    });
  const notes = async (text: string) => (await db.sql`select 1 from notes where text = ${text}`).length;
  const isReplay = (reply: Reply) => reply.headers.get('idempotent-replayed') === 'true';

  it('gives the first answer again, byte for byte, with the same status and a header that says so', async () => {
    const first = await post('a', { text: 'again' });
    const second = await post('a', { text: 'again' });
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(second.text, first.text);
    assert.deepEqual([first.headers.has('idempotent-replayed'), isReplay(second)], [false, true]);
    assert.notEqual(second.headers.get('request-id'), first.headers.get('request-id'));
    assert.equal(await notes('again'), 1);
  });

  it('is the same in another process', async () => {
    const first = await post('a', { text: 'process' });
    const second = await elsewhere('a', { text: 'process' });
    assert.deepEqual([second.text, isReplay(second)], [first.text, true]);
  });

  it('is not needed: without one, every request has its effect', async () => {
    for (let i = 0; i < 2; i++)
      assert.equal((await api.send('POST', '/notes', { key, body: { text: 'none' } })).status, 201);
    assert.equal(await notes('none'), 2);
  });

  it('is refused for another body or path, in an idempotency_error', async () => {
    await post('a', { text: 'reuse' });
    const refused = [
      await post('a', { text: 'reuse!' }),
      await post('a', { text: 'reuse' }, '/other'),
      await elsewhere('a', { text: 'reuse!' }),
    ];
    for (const { status, body } of refused) {
      assert.deepEqual(
        [status, body.error.type, body.error.code],
        [422, 'idempotency_error', 'idempotency_key_reused'],
      );
    }
    assert.equal((await post('a', { text: 'reuse' })).status, 201);
  });

  it('belongs to one biller and mode', async () => {
    const [one, two] = [await makeKeys(db.sql), await makeKeys(db.sql)];
    const texts: string[] = [];
    for (const isRepeated of [false, true]) {
      for (const sender of [one.sandboxSecret, one.liveSecret, two.sandboxSecret]) {
        const headers = { 'Idempotency-Key': 'shared' };
        const reply = await api.send('POST', '/notes', { key: sender, body: { text: 'tenants' }, headers });
        assert.deepEqual([reply.status, isReplay(reply)], [201, isRepeated], reply.text);
        texts.push(reply.text);
      }
    }
    assert.equal(new Set(texts).size, 3);
    assert.deepEqual(texts.slice(3), texts.slice(0, 3));
    assert.equal(await notes('tenants'), 3);
  });

  it('is the same quoted and bare', async () => {
    const first = await post('"quo\\"ted"', { text: 'quotes' });
    const second = await post('quo"ted', { text: 'quotes' });
    assert.deepEqual([second.text, isReplay(second)], [first.text, true]);
  });

  it('has 1 to 255 characters, and a TTL of whole seconds from 1 to 2,592,000, or else the answer is 400', async () => {
    assert.equal((await post('k'.repeat(255), { text: 'length' })).status, 201);
    assert.equal((await post(`"${'q'.repeat(255)}"`, { text: 'length' })).status, 201);
    for (const wrong of ['k'.repeat(256), '""', ''])
      assert.equal((await post(wrong, { text: 'length' })).status, 400, wrong);
    for (const ttl of ['1', '2592000']) {
      assert.equal(
        (await post(`ttl${ttl}`, { text: 'length' }, '/notes', { 'Idempotency-TTL': ttl })).status,
        201,
        ttl,
      );
    }
    for (const ttl of ['0', '2592001', '-1', '1.5', '1e3', 'day', '']) {
      const { status, body } = await post('ttl', { text: 'length' }, '/notes', { 'Idempotency-TTL': ttl });
      assert.deepEqual([status, body.error.details[0].path], [400, 'header/Idempotency-TTL'], ttl);
    }
  });

  it('is free again after its TTL, on real time, for any request', async () => {
    const first = await post('a', { text: 'ttl' }, '/notes', { 'Idempotency-TTL': '1' });
    assert.equal((await post('a', { text: 'ttl' })).text, first.text);
    await pause(1_050);
    const later = await post('a', { text: 'ttl 2' });
    assert.deepEqual([later.status, isReplay(later)], [201, false]);
    assert.equal((await post('a', { text: 'ttl 2' })).text, later.text);
  });

  it('stays free when nothing was committed: after a refusal, a bug, a failed statement, a bad body', async () => {
    for (const fail of ['state', 'validation', 'bug', 'statement']) {
      const failed = await post(fail, { text: fail, fail });
      assert.ok(failed.status >= 400, fail);
      const again = await post(fail, { text: fail, fail });
      assert.deepEqual([again.status, isReplay(again)], [failed.status, false], 'tried again, not replayed');
      assert.equal((await post(fail, { text: fail })).status, 201);
      assert.equal(await notes(fail), 1, fail);
    }
    assert.equal((await post('bad', { text: 'far too long a text for a note' })).status, 422);
    assert.equal((await post('bad', { text: 'bad' })).status, 201);
  });

  it('stores its answer encrypted', async () => {
    await post('a', { text: 'sealed' });
    const [row] = await db.sql`select * from idempotency_keys order by created_at desc limit 1`;
    assert.equal(Buffer.from(row?.sealed_response).includes(secret), false);
    const field = sealedField('idempotent_answers', { billerId: row?.biller_id, livemode: false }, 'a');
    assert.ok(vault.open(row?.sealed_response, field).includes(secret));
  });

  it('makes one object and twenty equal answers of twenty racers', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => post('a', { text: 'race' })));
    assert.deepEqual(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(replies.filter((reply) => !isReplay(reply)).length, 1);
    assert.equal(await notes('race'), 1);
  });

  it('does so over two processes, and for many keys at once', async () => {
    for (const path of ['/notes', '/charges']) {
      const keys = Array.from({ length: 10 }, (_, index) => `many${path}${index}`);
      const groups = await Promise.all(
        keys.map((name) =>
          Promise.all(
            Array.from({ length: 20 }, (_, index) => (index % 2 ? post : elsewhere)(name, { text: name }, path)),
          ),
        ),
      );
      for (const [index, replies] of groups.entries()) {
        assert.equal(
          new Set(replies.map(({ status, text }) => `${status} ${text}`)).size,
          1,
          JSON.stringify(replies[0]),
        );
        assert.equal(await notes(keys[index] ?? ''), 1);
      }
    }
  });

  it('does so with a single connection to the database', async () => {
    const pool = openPool(db.url, { max: 1, name: 'small' });
    const small = await serve(createWebApp(testDeps(db, { sql: pool, vault }).deps, routes), { port: 0 });
    for (const path of ['/notes', '/charges']) {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () =>
          send(`http://127.0.0.1:${small.port}${path}`, 'POST', {
            key,
            body: { text: `one${path}` },
            headers: { 'Idempotency-Key': path },
          }),
        ),
      );
      assert.equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1);
      assert.equal(await notes(`one${path}`), 1);
    }
    await small.close();
    await pool.end();
  });

  it('gives its place to the next racer when the first fails', async () => {
    gate.close();
    const first = post('a', { text: 'place', fail: 'state' });
    await gate.reached(1);
    const second = post('a', { text: 'place' });
    await pause(30);
    gate.release();
    assert.deepEqual([(await first).status, (await second).status, isReplay(await second)], [422, 201, false]);
  });

  for (const path of ['/notes', '/charges']) {
    it(`is in use (409, Retry-After) when the first is still at work in the end, in any process: ${path}`, async () => {
      gate.close();
      const request = { key, body: { text: path }, headers: { 'Idempotency-Key': 'slow' } };
      const first = impatient.send('POST', path, request);
      await gate.reached(1);
      const begun = performance.now();
      const late = await Promise.all([impatient, impatientToo].map((process) => process.send('POST', path, request)));
      const waited = performance.now() - begun;
      assert.ok(
        waited > waits.idempotencyKeyMs - 100 && waited < waits.idempotencyKeyMs + 1_000,
        `waited ${waited} ms`,
      );
      for (const { status, headers, body } of late) {
        assert.deepEqual([status, headers.get('retry-after')], [409, '1']);
        assert.deepEqual([body.error.type, body.error.code], ['idempotency_error', 'idempotency_key_in_use']);
      }
      gate.release();
      const { text } = await first;
      assert.equal((await elsewhere('slow', { text: path }, path)).text, text);
    });
  }

  it('leaves neither effect nor key when its transaction is cut off', async () => {
    gate.close();
    const first = post('a', { text: 'cut' });
    await gate.reached(1);
    await other.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'test' and datname = current_database() and state = 'idle in transaction'`;
    gate.release();
    assert.equal((await first).status, 503);
    assert.equal(await notes('cut'), 0);
    const again = await post('a', { text: 'cut' });
    assert.deepEqual([again.status, isReplay(again), await notes('cut')], [201, false, 1]);
  });

  it('goes on, after a crash of a route that commits first, from what was committed, and keeps that answer', async () => {
    dying = true;
    assert.equal((await post('a', { text: 'crash' }, '/charges')).status, 500);
    dying = false;
    const again = await elsewhere('a', { text: 'crash' }, '/charges');
    assert.deepEqual([again.status, isReplay(again), await notes('crash')], [201, false, 1]);
    assert.deepEqual([...(await db.sql`select tries from attempts where text = 'crash'`)], [{ tries: 2 }]);
    const replayed = await post('a', { text: 'crash' }, '/charges');
    assert.deepEqual([replayed.text, isReplay(replayed)], [again.text, true]);
  });

  it('is no other request’s after a crash of a route that commits first: not with another body or path', async () => {
    dying = true;
    assert.equal((await post('a', { text: 'mine' }, '/charges')).status, 500);
    dying = false;
    const refused = [
      await post('a', { text: 'mine!' }, '/charges'),
      await elsewhere('a', { text: 'mine!' }, '/charges'),
      await post('a', { text: 'mine' }, '/notes'),
      await elsewhere('a', { text: 'mine' }, '/other'),
    ];
    for (const { status, body } of refused) {
      assert.deepEqual([status, body.error.code], [422, 'idempotency_key_reused']);
    }
    assert.deepEqual([await notes('mine'), await notes('mine!')], [0, 0]);
    assert.deepEqual([...(await db.sql`select text from attempts where text like 'mine%'`)], [{ text: 'mine' }]);
    assert.deepEqual([(await post('a', { text: 'mine' }, '/charges')).status, await notes('mine')], [201, 1]);
  });

  it('is free after a crash of a route that commits first when its time is over, and when nothing was committed', async () => {
    dying = true;
    await post('short', { text: 'time' }, '/charges', { 'Idempotency-TTL': '1' });
    dying = false;
    assert.equal((await post('short', { text: 'time!' }, '/charges')).status, 422);
    await pause(1_050);
    assert.equal((await post('short', { text: 'time!' }, '/charges')).status, 201);
    assert.equal(
      (await post('b', { text: 'rolled back', fail: 'state' }, '/charges')).body.error.code,
      'invalid_state',
    );
    assert.equal((await elsewhere('b', { text: 'another' })).status, 201);
  });

  it('is one request’s, whatever two processes use it for at once', async () => {
    gate.close();
    const first = post('a', { text: 'both' }, '/charges');
    await gate.reached(1);
    const second = await elsewhere('a', { text: 'both' }, '/other');
    assert.deepEqual([second.status, second.body.error.code], [422, 'idempotency_key_reused']);
    gate.release();
    assert.equal((await first).status, 201);
    assert.equal((await post('a', { text: 'both' }, '/charges')).text, (await first).text);
  });

  it('keeps the first answer stored when a route that commits first loses the lock', async () => {
    gate.close();
    const first = post('a', { text: 'lost' }, '/charges');
    await gate.reached(1);
    await db.sql`
      select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and datname = current_database()`;
    const second = elsewhere('a', { text: 'lost' }, '/charges');
    await gate.reached(2);
    gate.release();
    assert.deepEqual([(await first).status, (await second).status], [201, 201]);
    const replayed = await post('a', { text: 'lost' }, '/charges');
    assert.ok([(await first).text, (await second).text].includes(replayed.text));
    assert.deepEqual([...(await db.sql`select tries from attempts where text = 'lost'`)], [{ tries: 2 }]);
  });

  it('has its request prepared outside of any transaction, and once: a replay does without', async () => {
    let open = -1;
    preparation = async () => {
      const [row] = await db.sql`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`;
      open = row?.n;
    };
    const first = await post('a', { text: 'prepared' }, '/prepared');
    assert.deepEqual([first.status, first.body.prepared, open], [201, '0 before', 0]);
    preparation = async () => {
      throw ValidationFailed.of('/text', 'invalid_value', 'Not now.');
    };
    for (const again of [post, elsewhere]) {
      const replayed = await again('a', { text: 'prepared' }, '/prepared');
      assert.deepEqual([replayed.text, isReplay(replayed), preparations], [first.text, true, 1]);
    }
    const reused = await post('a', { text: 'prepared!' }, '/prepared');
    assert.equal(reused.body.error.code, 'idempotency_key_reused');
    const failed = await post('b', { text: 'prepared' }, '/prepared');
    assert.deepEqual([failed.status, failed.body.error.code], [422, 'validation_failed']);
    preparation = async () => {};
    assert.deepEqual([(await post('b', { text: 'prepared' }, '/prepared')).status, await notes('prepared')], [201, 2]);
  });

  it('is committed by the very transaction that commits the effect', async () => {
    // A test before this one has cut connections. A request that gets one of them is asked to come back, and does.
    const again = async (name: string): Promise<Reply> => {
      const reply = await post(name, { text: name });
      return reply.status === 503 ? again(name) : reply;
    };
    const replies = await Promise.all(Array.from({ length: 40 }, (_, index) => again(`same${index}`)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
    const [row] = await db.sql`
      select count(*)::int as n from idempotency_keys join notes on notes.text = idempotency_keys.key
      where key like 'same%' and idempotency_keys.xmin = notes.xmin and status_code = 201`;
    assert.equal(row?.n, 40);
  });

  it('is taken again by the same request alone without a response, and by none with one', async () => {
    const createdAt = realNow();
    const { biller } = await makeKeys(db.sql);
    const tenant = { billerId: biller.id, livemode: false };
    const expiresAt = addMs(createdAt, 60_000);
    const fingerprint = Buffer.alloc(32, 1);
    const mine: KeyUse = {
      ...tenant,
      key: 'held',
      fingerprints: [fingerprint],
      fingerprintKey: 'k',
      createdAt,
      expiresAt,
    };
    const others: KeyUse = { ...mine, fingerprints: [Buffer.alloc(32, 2)] };
    const hold = async (use: KeyUse) => {
      const claim = keyClaim(use, { subjectId: null, mayResume: true, waitMs: 100 });
      return (await runAlone(db.sql, claim)) === null ? 'taken' : 'claimed';
    };
    const store = (use: KeyUse, status: number, text: string) =>
      runAlone(db.sql, keyResponse(use, { status, sealed: Buffer.from(text), waitMs: 100 }));
    assert.deepEqual([await hold(mine), await hold(mine), await hold(others)], ['claimed', 'claimed', 'taken']);
    await store(others, 200, 'theirs');
    assert.deepEqual(await selectKeyUse(db.sql, mine), { fingerprint, response: null });
    await store(mine, 201, 'first');
    await store(mine, 201, 'second');
    assert.deepEqual([await hold(mine), await hold(others)], ['taken', 'taken']);
    assert.deepEqual((await selectKeyUse(db.sql, mine))?.response, { status: 201, sealed: Buffer.from('first') });
    const later = { createdAt: expiresAt, expiresAt: addMs(expiresAt, 1) };
    assert.equal(await hold({ ...others, ...later }), 'claimed');
  });

  it('is given up by a response that must not wait, while another transaction has locked it', async () => {
    const { biller } = await makeKeys(db.sql);
    const createdAt = realNow();
    const use: KeyUse = {
      ...{ billerId: biller.id, livemode: false, key: 'locked', fingerprints: [Buffer.alloc(32, 1)] },
      ...{ fingerprintKey: 'k', createdAt, expiresAt: addMs(createdAt, 60_000) },
    };
    const store = (waitMs: number) =>
      runAlone(db.sql, keyResponse(use, { status: 201, sealed: Buffer.from('response'), waitMs }));
    await runAlone(db.sql, keyClaim(use, { subjectId: null, mayResume: false, waitMs: 100 }));
    await db.sql.begin(async (tx) => {
      await tx`select from idempotency_keys where key = 'locked' and biller_id = ${biller.id} for update`;
      await assert.rejects(store(20), waitedTooLong);
    });
    assert.notEqual(await store(20), null);
  });

  it('is the same request’s after the encryption key was changed, and no other’s', async () => {
    const [older, newer] = ['older', 'newer'].map((id) => ({ id, key: randomBytes(32) }));
    assert.ok(older && newer);
    const { key } = await makeKey(db.sql);
    const ask = async (keys: (typeof older)[], text: string) => {
      const app = createWebApp(testDeps(db, { vault: createVault(keys) }).deps, routes);
      const running = await serve(app, { port: 0 });
      const sent = { key, body: { text }, headers: { 'Idempotency-Key': 'rotated' } };
      const reply = await send(`http://127.0.0.1:${running.port}/notes`, 'POST', sent);
      await running.close();
      return reply;
    };
    const first = await ask([older], 'mine');
    const again = await ask([newer, older], 'mine');
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await ask([newer, older], 'other')).body.error.code, 'idempotency_key_reused');
  });

  it('is swept when its time is over, and not before', async () => {
    await post('short', { text: 'sweep' }, '/notes', { 'Idempotency-TTL': '1' });
    await post('long', { text: 'sweep' });
    const [rows] =
      await db.sql`select count(*)::int as n from idempotency_keys where expires_at <= now() + interval '2 s'`;
    const later = addMs(realNow(), 2_000);
    assert.equal(await sweepIdempotencyKeys(db.sql, later), rows?.n);
    assert.equal(await sweepIdempotencyKeys(db.sql, later), 0);
    assert.ok(isReplay(await post('long', { text: 'sweep' })));
  });
});
