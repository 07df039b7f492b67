import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'mocha';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { findKeyProblems, findNewerKeys, isAnyKeyInUse } from '../../src/services/accounts/recorded-keys.ts';
import { createVault, type Vault } from '../../src/services/accounts/vault.ts';
import { createWebhookEndpoint } from '../../src/services/webhooks/endpoints.ts';
import { useDatabase } from '../support/database.ts';
import { makeCall } from '../support/webhooks.ts';

const keyOf = (id: string) => ({ id, key: randomBytes(32) });

describe('the encryption keys that a database was used with', () => {
  const db = useDatabase(20);
  beforeEach('forget them, and what they have sealed', async () => {
    await db.sql`delete from encryption_keys`;
    await db.sql`delete from webhook_endpoints`;
  });

  const inUse = () => atomically(db.sql, isAnyKeyInUse);
  const recorded = async () =>
    (await db.sql<{ id: string }[]>`select id from encryption_keys order by id`).map(({ id }) => id);
  /** Seals a value, as a process with this vault does. */
  async function seal(vault: Vault): Promise<string> {
    const { id } = await createWebhookEndpoint(
      db.sql,
      await makeCall(db.sql),
      { url: 'http://127.0.0.1:9/' },
      {
        vault,
      },
    );
    return id;
  }
  it('are recorded when a process starts with them, and fit it ever after', async () => {
    assert.equal(await inUse(), false);
    const vault = createVault([keyOf('k1')]);
    assert.deepEqual(await findKeyProblems(db.sql, vault), []);
    assert.deepEqual([await recorded(), await inUse()], [['k1'], true]);
    await seal(vault);
    assert.deepEqual(await findKeyProblems(db.sql, vault), []);
  });

  it('refuse another key under the id of a recorded one, even while nothing is sealed', async () => {
    assert.deepEqual(await findKeyProblems(db.sql, createVault([keyOf('k1')])), []);
    const problems = await findKeyProblems(db.sql, createVault([keyOf('k1')]));
    assert.deepEqual(problems, [{ keyId: 'k1', kind: 'wrong' }]);
  });

  it('miss a key that values need', async () => {
    const [first, second] = [keyOf('k1'), keyOf('k2')];
    const missing = [{ keyId: 'k1', kind: 'missing' }];
    assert.deepEqual(await findKeyProblems(db.sql, createVault([first])), []);
    await seal(createVault([first]));
    assert.deepEqual(await findKeyProblems(db.sql, createVault([second])), missing);
    assert.deepEqual(await findKeyProblems(db.sql, createVault([second, first])), []);
    assert.deepEqual(await findKeyProblems(db.sql, createVault([second])), missing);
    assert.deepEqual(await recorded(), ['k1', 'k2']);
  });

  it('miss no key that is lost for good, once the configuration names it', async () => {
    const lost = createVault([keyOf('k1')]);
    await findKeyProblems(db.sql, lost);
    await seal(lost);
    const vault = createVault([keyOf('k2')]);
    assert.deepEqual(await findKeyProblems(db.sql, vault, ['k1']), []);
    assert.deepEqual(await findKeyProblems(db.sql, vault, ['k1']), []);
    assert.deepEqual(await findKeyProblems(db.sql, vault), [{ keyId: 'k1', kind: 'missing' }]);
  });

  it('forget a key that is taken out when no value needs it', async () => {
    const [first, second] = [keyOf('k1'), keyOf('k2')];
    assert.deepEqual(await findKeyProblems(db.sql, createVault([second, first])), []);
    await seal(createVault([second]));
    assert.deepEqual([await findKeyProblems(db.sql, createVault([second])), await recorded()], [[], ['k2']]);
  });

  it('keep a newer key when a process with an old list starts, and tell that process which one it lacks', async () => {
    const [first, second] = [keyOf('k1'), keyOf('k2')];
    const [old, rotated] = [createVault([first]), createVault([second, first])];
    assert.deepEqual(await findKeyProblems(db.sql, old), []);
    assert.deepEqual(await findKeyProblems(db.sql, rotated), []);
    assert.deepEqual(await findKeyProblems(db.sql, old), []);
    assert.deepEqual(await recorded(), ['k1', 'k2']);
    assert.deepEqual([await findNewerKeys(db.sql, old), await findNewerKeys(db.sql, rotated)], [['k2'], []]);
    assert.deepEqual(await findKeyProblems(db.sql, createVault([keyOf('k2'), first])), [
      { keyId: 'k2', kind: 'wrong' },
    ]);
    await seal(rotated);
    assert.deepEqual(await findKeyProblems(db.sql, old), [{ keyId: 'k2', kind: 'missing' }]);
  });

  it('keep the first key of a list too when all of them were recorded at once, and an old list then starts', async () => {
    const [first, second] = [keyOf('k1'), keyOf('k2')];
    assert.deepEqual(await findKeyProblems(db.sql, createVault([second, first])), []);
    assert.deepEqual(await findKeyProblems(db.sql, createVault([first])), []);
    assert.deepEqual(await recorded(), ['k1', 'k2']);
  });

  it('forget a newer key that was given up before it sealed anything, once the configuration names it as lost', async () => {
    const [first, second] = [keyOf('k1'), keyOf('k2')];
    const old = createVault([first]);
    for (const vault of [old, createVault([second, first])]) await findKeyProblems(db.sql, vault);
    assert.deepEqual(await findKeyProblems(db.sql, old, ['k2']), []);
    assert.deepEqual([await recorded(), await findNewerKeys(db.sql, old)], [['k1'], []]);
  });

  it('are those of one process when several start at once with different keys under one id', async () => {
    const started = await Promise.all(
      Array.from({ length: 8 }, () => findKeyProblems(db.sql, createVault([keyOf('k1')]))),
    );
    assert.equal(started.filter((problems) => problems.length === 0).length, 1);
    assert.deepEqual(await recorded(), ['k1']);
  });

  it('cannot be guessed from what is recorded, and open nothing', async () => {
    const first = keyOf('k1');
    await findKeyProblems(db.sql, createVault([first]));
    const [row] = await db.sql<{ key_check: Buffer }[]>`select key_check from encryption_keys`;
    assert.ok(row !== undefined && row.key_check.length === 32 && !row.key_check.equals(first.key));
    const posing = createVault([{ id: 'k1', key: row.key_check }]);
    assert.deepEqual(await findKeyProblems(db.sql, posing), [{ keyId: 'k1', kind: 'wrong' }]);
  });
});
