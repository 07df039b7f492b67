import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'mocha';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';

const migration = new URL('../../src/db/migrations/0032_payment_links_checked.sql', import.meta.url);
const newScopes = ['payment_links:read', 'payment_links:write'];
const former = allScopes.filter((scope) => !newScopes.includes(scope));

describe('the migration of scopes for payment links', () => {
  const db = useDatabase();

  it('gives the new scopes to keys that hold every one of the version before, once, and to no other key', async () => {
    const { sql } = db;
    const keys = {
      full: await makeKey(sql, { scopes: former }),
      restricted: await makeKey(sql, { scopes: former.slice(1) }),
      publishable: await makeKey(sql, { kind: 'publishable' }),
    };
    const statement = await readFile(migration, 'utf8');
    for (let run = 0; run < 2; run++) await sql.unsafe(statement);
    const scopesOf = async ({ id }: { id: string }) => {
      const [row] = await sql<{ scopes: string[] }[]>`select scopes from api_keys where id = ${id}`;
      return row?.scopes;
    };
    assert.deepEqual(await scopesOf(keys.full), [...former, ...newScopes]);
    assert.deepEqual(await scopesOf(keys.restricted), former.slice(1));
    assert.deepEqual(await scopesOf(keys.publishable), []);
  });
});
