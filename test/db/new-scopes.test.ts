import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'mocha';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';

/** The migrations that bring scopes, and the resource that they are for. */
const migrations = {
  '0022_mandate_scopes': 'mandates',
  '0032_payment_links_checked': 'payment_links',
  '0037_subscription_scopes': 'subscriptions',
};

describe('a migration that brings new scopes', () => {
  const db = useDatabase();

  for (const [name, resource] of Object.entries(migrations)) {
    it(`gives those of ${resource} to keys that hold every former one, once, and to no other key`, async () => {
      const { sql } = db;
      const added = [`${resource}:read`, `${resource}:write`];
      const former = allScopes.filter((scope) => !added.includes(scope));
      const keys = {
        full: await makeKey(sql, { scopes: former }),
        restricted: await makeKey(sql, { scopes: former.slice(1) }),
        reader: await makeKey(sql, { scopes: allScopes.filter((scope) => scope === added[0]) }),
        publishable: await makeKey(sql, { kind: 'publishable' }),
      };
      const migration = await readFile(new URL(`../../src/db/migrations/${name}.sql`, import.meta.url), 'utf8');
      // What else is in it may concern what later migrations have removed.
      const statement = migration.slice(migration.indexOf('update api_keys'));
      for (let run = 0; run < 2; run++) await sql.unsafe(statement);
      const scopesOf = async ({ id }: { id: string }) => {
        const [row] = await sql<{ scopes: string[] }[]>`select scopes from api_keys where id = ${id}`;
        return row?.scopes;
      };
      assert.deepEqual(await scopesOf(keys.full), [...former, ...added]);
      assert.deepEqual(await scopesOf(keys.restricted), former.slice(1));
      assert.deepEqual(await scopesOf(keys.reader), [added[0]]);
      assert.deepEqual(await scopesOf(keys.publishable), []);
    });
  }
});
