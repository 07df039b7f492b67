import { randomBytes } from 'node:crypto';
import { beforeEach } from 'mocha';
import { createVault } from '../../src/services/accounts/vault.ts';
import { useApi, useOtherApi } from './api.ts';
import { useDatabase } from './database.ts';
import { makeKeys } from './factories.ts';
import { createMerchant, type Merchant } from './merchant.ts';
import { LedgerProcessor } from './stage.ts';

/** Two processes of the API on one database, which ask one processor, and a new biller for each test. */
export function useTwoApis({ connections = 12 }: { connections?: number } = {}) {
  const db = useDatabase(12);
  const ledger = new LedgerProcessor();
  const processors = { sandbox: ledger, live: null };
  const shared = { vault: createVault([{ id: 'test', key: randomBytes(32) }]), processors };
  const api = useApi(db, undefined, () => shared);
  const other = useOtherApi(db, { connections, ...shared });
  const here = {
    ...{ db, ledger, processors, api, other },
    keys: {} as Awaited<ReturnType<typeof makeKeys>>,
    merchant: {} as Merchant,
    /** How many rows of a table the biller has. */
    async count(table: string): Promise<number> {
      const [row] = await db.sql<[{ count: number }]>`
        select count(*)::integer as count from ${db.sql(table)} where biller_id = ${here.keys.biller.id}`;
      return row.count;
    },
  };

  beforeEach('make a biller', async () => {
    ledger.reset();
    here.keys = await makeKeys(db.sql);
    here.merchant = createMerchant(api.url, here.keys.sandboxSecret);
  });
  return here;
}
