import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from '../src/platform/postgres/connection.ts';
import { atomically } from '../src/platform/postgres/transaction.ts';
import { assertKeysFit } from '../src/processes/checked-vault.ts';
import { type Config, ConfigError, type EncryptionKey, readConfig } from '../src/processes/config/config.ts';
import { isAnyKeyInUse } from '../src/services/accounts/recorded-keys.ts';
import { createVault } from '../src/services/accounts/vault.ts';
import { StartError } from './stack.ts';

const id = 'development';

/** The file with the encryption keys that `npm start` makes for itself. */
export function encryptionKeyFile(dataDir: string): string {
  return join(dataDir, 'encryption.key');
}

/**
 * Returns the encryption keys for API and worker, in the form of ENCRYPTION_KEYS, once they have been compared with the
 * database: those of the environment, or else those of the file in the data directory. The file is made only if it does
 * not exist and nothing needs a key yet; whatever else is wrong with it, it stays as it is. If several copies start on
 * one database for the first time, one of them makes a key.
 * @throws StartError or KeysRefused, with words about what to restore.
 */
export async function prepareEncryptionKeys(config: Config, pool: Pool): Promise<string> {
  const file = encryptionKeyFile(config.dataDir);
  const { lostEncryptionKeys: lost } = config;
  if (config.encryptionKeys !== null) {
    await assertKeysFit(pool, createVault(config.encryptionKeys), lost, 'ENCRYPTION_KEYS');
    return inWriting(config.encryptionKeys);
  }
  return atomically(pool, async (tx) => {
    // Taken in any case: another copy may be making the file.
    const isInUse = await isAnyKeyInUse(tx);
    const found = await readEncryptionKeys(config.dataDir);
    if (found === null && isInUse) throw new StartError(missing(file));
    const keys = found ?? (await makeKeys(file));
    await assertKeysFit(tx, createVault(keys), lost, file);
    return inWriting(keys);
  });
}

/**
 * Returns the keys in the file of the data directory, or null if there is no file.
 * @throws StartError if the file cannot be read, or has no keys.
 */
async function readEncryptionKeys(dataDir: string): Promise<readonly EncryptionKey[] | null> {
  const file = encryptionKeyFile(dataDir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return null;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(`The encryption keys in ${file} cannot be read (${reason}). Nothing was changed.`, { cause });
  }
  return parse(text) ?? refuse(file);
}

function refuse(file: string): never {
  throw new StartError(
    `${file} is damaged: it must have one line id:key, with a key of 32 bytes in base64. Restore it from a back-up. ` +
      'Nothing was changed.',
  );
}

function parse(text: string): readonly EncryptionKey[] | null {
  try {
    return readConfig({ ENCRYPTION_KEYS: text }).encryptionKeys;
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

function missing(file: string): string {
  return (
    `${file} is missing, and the database was used with the encryption key in it. Without that key no webhook is ` +
    'signed, and account numbers cannot be read. Restore the file from a back-up. Nothing was changed.\n' +
    'If the key is lost for good: docs/operations.md, "An encryption key is missing".'
  );
}

/** The file is complete, and on the disk, before it has its name. One that is there by then is not replaced. */
async function makeKeys(file: string): Promise<readonly EncryptionKey[]> {
  const keys = [{ id, key: randomBytes(32) }];
  const unfinished = `${file}.${process.pid}.unfinished`;
  await rm(unfinished, { force: true });
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(`${inWriting(keys)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(unfinished, file);
    return keys;
  } finally {
    await rm(unfinished, { force: true });
  }
}

function inWriting(keys: readonly EncryptionKey[]): string {
  return keys.map((each) => `${each.id}:${each.key.toString('base64')}`).join(',');
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
