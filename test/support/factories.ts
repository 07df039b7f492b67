import type { CommandLineUser } from '../../src/messages/operator-command.ts';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey, type IssuedKey, type NewKey } from '../../src/services/accounts/api-keys.ts';
import { type Biller, createBiller, type NewBiller } from '../../src/services/accounts/billers.ts';

/** Who does what tests do past the API. */
export const tester: CommandLineUser = { kind: 'command_line', id: 'tester' };

/** A biller in UTC, with the default fees and no statement descriptor. */
export function makeBiller(sql: Db, overrides: Partial<NewBiller> = {}): Promise<Biller> {
  return createBiller(sql, { name: 'Test biller', by: tester, now: realNow(), ...overrides });
}

/** A sandbox secret key with every scope; of a new biller unless one is named. */
export async function makeKey(sql: Db, overrides: Partial<NewKey> = {}): Promise<IssuedKey> {
  const billerId = overrides.billerId ?? (await makeBiller(sql)).id;
  return createKey(sql, { livemode: false, kind: 'secret', by: tester, now: realNow(), ...overrides, billerId });
}

/** A biller with one key of each sort: what a merchant has. */
export async function makeKeys(sql: Db, overrides: Partial<NewBiller> = {}) {
  const biller = await makeBiller(sql, overrides);
  const make = async (livemode: boolean, kind: 'secret' | 'publishable') =>
    (await makeKey(sql, { billerId: biller.id, livemode, kind })).key;
  return {
    biller,
    sandboxSecret: await make(false, 'secret'),
    sandboxPublishable: await make(false, 'publishable'),
    liveSecret: await make(true, 'secret'),
    livePublishable: await make(true, 'publishable'),
  };
}
