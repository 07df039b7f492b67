import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey, hashKey, isKeyShaped, listKeys, revokeKey, rollKey } from '../../src/services/accounts/api-keys.ts';
import { createBiller, ensureDemoBiller, listBillers } from '../../src/services/accounts/billers.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { InvalidState, NotFound, ValidationFailed } from '../../src/services/errors.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller, makeKey, tester } from '../support/factories.ts';

const now = realNow();
const deed = { by: tester, now };

describe('API keys', () => {
  const db = useDatabase();

  it('say kind and mode in their prefix and are stored as a SHA-256 only', async () => {
    const prefixes = { sk_sandbox_: ['secret', false], sk_live_: ['secret', true] } as const;
    for (const [prefix, [kind, livemode]] of Object.entries(prefixes)) {
      const issued = await makeKey(db.sql, { kind, livemode });
      assert.match(issued.key, new RegExp(`^${prefix}[0-9A-Za-z]{43}$`));
      assert.ok(isKeyShaped(issued.key));
      const [row] = await db.sql`select * from api_keys where id = ${issued.id}`;
      assert.deepEqual(row?.hash, hashKey(issued.key));
      assert.equal(JSON.stringify(row).includes(issued.key.slice(11)), false);
    }
    assert.match((await makeKey(db.sql, { kind: 'publishable' })).key, /^pk_sandbox_[0-9A-Za-z]{43}$/);
    assert.match((await makeKey(db.sql, { kind: 'publishable', livemode: true })).key, /^pk_live_[0-9A-Za-z]{43}$/);
  });

  it('hold every scope by default when secret, the given ones when restricted, none when publishable', async () => {
    assert.deepEqual((await makeKey(db.sql)).scopes, [...allScopes]);
    assert.deepEqual((await makeKey(db.sql, { scopes: ['events:read', 'events:read'] })).scopes, ['events:read']);
    assert.deepEqual((await makeKey(db.sql, { kind: 'publishable' })).scopes, []);
  });

  it('are not made with an unknown scope, with scopes on a publishable one, or without a biller', async () => {
    await assert.rejects(makeKey(db.sql, { scopes: ['events:write'] }), ValidationFailed);
    await assert.rejects(makeKey(db.sql, { scopes: [] }), ValidationFailed);
    await assert.rejects(makeKey(db.sql, { kind: 'publishable', scopes: ['events:read'] }), ValidationFailed);
    const billerId = 'acct_00000000000000000000000000000000';
    await assert.rejects(createKey(db.sql, { billerId, livemode: false, kind: 'secret', ...deed }), ValidationFailed);
  });

  it('are listed for one biller without the key itself', async () => {
    const issued = await makeKey(db.sql);
    await makeKey(db.sql);
    const listed = await listKeys(db.sql, issued.biller_id);
    const { key, ...told } = issued;
    assert.deepEqual(listed, [told]);
    assert.equal(told.hint, key.slice(-4));
    assert.ok((await listKeys(db.sql, null)).length >= 2);
  });

  it('end when revoked, and keep their first end when revoked again', async () => {
    const { id } = await makeKey(db.sql);
    assert.deepEqual((await revokeKey(db.sql, id, deed)).revoked_at, now);
    assert.deepEqual((await revokeKey(db.sql, id, { ...deed, now: addMs(now, 1000) })).revoked_at, now);
    await assert.rejects(revokeKey(db.sql, 'key_none', deed), NotFound);
  });

  it('roll into a key with the same biller, mode, kind and scopes, and overlap it as long as asked', async () => {
    const old = await makeKey(db.sql, { scopes: ['events:read'] });
    const fresh = await rollKey(db.sql, old.id, { overlapHours: 2, ...deed });
    assert.notEqual(fresh.key, old.key);
    assert.deepEqual([fresh.biller_id, fresh.scopes, fresh.livemode], [old.biller_id, ['events:read'], false]);
    const [before] = await listKeys(db.sql, old.biller_id);
    assert.deepEqual(before?.revoked_at, new Date(now.getTime() + 7_200_000));
  });

  it('roll when publishable too, and not once they have ended or when they do not exist', async () => {
    const old = await makeKey(db.sql, { kind: 'publishable' });
    assert.equal((await rollKey(db.sql, old.id, { overlapHours: 0, ...deed })).kind, 'publishable');
    await assert.rejects(rollKey(db.sql, old.id, { overlapHours: 0, ...deed }), InvalidState);
    await assert.rejects(rollKey(db.sql, 'key_none', { overlapHours: 0, ...deed }), NotFound);
    await assert.rejects(rollKey(db.sql, old.id, { overlapHours: -1, ...deed }), ValidationFailed);
  });
});

describe('billers', () => {
  const db = useDatabase();

  it('are in UTC and have no descriptor unless said otherwise', async () => {
    const plain = await makeBiller(db.sql);
    assert.deepEqual([plain.time_zone, plain.statement_descriptor], ['UTC', null]);
    const other = await makeBiller(db.sql, { timeZone: 'Australia/Sydney', statementDescriptor: 'x'.repeat(22) });
    assert.deepEqual([other.time_zone, other.statement_descriptor?.length], ['Australia/Sydney', 22]);
    assert.deepEqual(await listBillers(db.sql), [plain, other]);
  });

  it('are refused with all that is wrong with them at once', async () => {
    const refused = createBiller(db.sql, {
      name: '',
      timeZone: 'Sydney',
      statementDescriptor: 'x'.repeat(23),
      ...deed,
    });
    await assert.rejects(refused, (error) => error instanceof ValidationFailed && error.fieldErrors.length === 3);
  });
});

describe('the demo biller', () => {
  const db = useDatabase();

  it('is made once, and a second start keeps its keys', async () => {
    const first = await ensureDemoBiller(db.sql, null);
    assert.deepEqual(await ensureDemoBiller(db.sql, first), first);
    assert.equal((await listBillers(db.sql)).length, 1);
    assert.equal((await listKeys(db.sql, first.billerId)).length, 4);
  });

  it('gets a new key for one that no longer works, and keeps the others', async () => {
    const first = await ensureDemoBiller(db.sql, null);
    const row = (await listKeys(db.sql, null)).find(({ hint }) => first.keys.live_secret.endsWith(hint));
    await revokeKey(db.sql, row?.id ?? '', deed);
    const second = await ensureDemoBiller(db.sql, first);
    assert.notEqual(second.keys.live_secret, first.keys.live_secret);
    assert.deepEqual({ ...second.keys, live_secret: '' }, { ...first.keys, live_secret: '' });
  });

  it('is the same one when what was known of it is lost, or belongs to another database', async () => {
    const first = await ensureDemoBiller(db.sql, null);
    const unknown = { ...first, billerId: 'acct_00000000000000000000000000000000' } as const;
    assert.equal((await ensureDemoBiller(db.sql, unknown)).billerId, first.billerId);
    assert.equal((await ensureDemoBiller(db.sql, null)).billerId, first.billerId);
  });

  it('is one when two processes start at once', async () => {
    const made = await Promise.all([ensureDemoBiller(db.sql, null), ensureDemoBiller(db.sql, null)]);
    assert.equal(made[0].billerId, made[1].billerId);
  });
});
