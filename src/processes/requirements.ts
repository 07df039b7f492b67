import { createVault, type Vault } from '../services/accounts/vault.ts';
import type { Config } from './config/config.ts';

/**
 * The database URL and the vault, which both processes need from the environment.
 * @throws when DATABASE_URL or ENCRYPTION_KEYS is missing.
 */
export function requirementsOf(config: Config): { databaseUrl: string; vault: Vault } {
  const { databaseUrl, encryptionKeys, encryptionFormats } = config;
  if (databaseUrl === null)
    throw new Error('DATABASE_URL is not set: give the URL of a PostgreSQL, or use `npm start`.');
  if (encryptionKeys === null) {
    throw new Error(
      'ENCRYPTION_KEYS is not set: give id:key pairs, each key 32 random bytes in base64, such as ' +
        'ENCRYPTION_KEYS="k1:$(openssl rand -base64 32)". Keep them: what they encrypted cannot be read without them.',
    );
  }
  return { databaseUrl, vault: createVault(encryptionKeys, encryptionFormats) };
}
