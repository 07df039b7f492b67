import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { listRecordedKeys } from '../../db/encryption-keys.ts';
import { keyFileMissing } from '../../operations/stuck/kinds.ts';
import { reportOf, type StuckReport, stuckAs } from '../../operations/stuck/reading/find-stuck.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { dryRun } from '../../platform/postgres/transaction.ts';
import { findKeyProblems } from '../../services/accounts/recorded-keys.ts';
import { createVault } from '../../services/accounts/vault.ts';
import type { EncryptionKey } from '../config/config.ts';

/** The id of the key that `npm start` makes for itself. */
const ownKeyId = 'development';

/**
 * Whether the file with the encryption keys of `npm start` is still there, and still has them. Its processes have read
 * it when they started: only the next start would notice. Changes nothing.
 */
export async function checkKeyFile(
  sql: Pool,
  dataDir: string,
  readKeys: () => Promise<readonly EncryptionKey[]>,
): Promise<StuckReport> {
  const recorded = await listRecordedKeys(sql);
  const file = join(dataDir, 'encryption.key');
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  const isOurs = recorded.some(({ id }) => id === ownKeyId);
  const why = isOurs ? (isThere ? await whyUnfit(sql, readKeys) : `${file} is missing`) : null;
  if (why === null) return reportOf(keyFileMissing, []);
  const remedy =
    `Restore ${file} from a back-up now: the running processes still have the key, and the next ` +
    'start fails without it (docs/operations.md, "An encryption key is missing").';
  return reportOf(keyFileMissing, [stuckAs(keyFileMissing, { why, remedy })]);
}

async function whyUnfit(sql: Pool, readKeys: () => Promise<readonly EncryptionKey[]>): Promise<string | null> {
  try {
    const vault = createVault(await readKeys());
    const problems = await dryRun(sql, (tx) => findKeyProblems(tx, vault));
    return problems.length === 0
      ? null
      : `encryption.key does not have the key "${problems[0]?.keyId}" of the database`;
  } catch (error) {
    if (error instanceof Error && error.message.includes('encryption.key')) return error.message;
    throw error;
  }
}
