import { createVault, type Vault } from '../services/accounts/vault.ts';
import { type Config, ConfigError, readFaultyConfig } from './config/config.ts';

const keysNeeded =
  'ENCRYPTION_KEYS is not set. Give id:key pairs, each key 32 random bytes in base64, such as ' +
  'ENCRYPTION_KEYS="k1:$(openssl rand -base64 32)". Keep them: what they encrypt cannot be read without them';

const example = 'PUBLIC_URL=https://pay.example.com';
const publicUrlNeeded = `PUBLIC_URL is not set. Give the origin at which payers reach the pages, such as ${example}, or use \`npm start\``;

/** The configuration of a process of the service, with what it cannot run without. */
export interface ServiceConfig {
  config: Config;
  databaseUrl: string;
  vault: Vault;
}

/**
 * Reads the environment of a worker, which `npm start` sets in full.
 * @throws a ConfigError that lists all errors and all missing variables at once.
 */
export function readServiceConfig(env: NodeJS.ProcessEnv): ServiceConfig {
  // A charge that a worker repeats must say the same as before about where its payer comes back to.
  return read(env, ({ publicUrl, liveProcessor }) =>
    publicUrl === null && liveProcessor !== null
      ? [`${publicUrlNeeded}. A worker with LIVE_PROCESSOR_URL needs the same one as API and pages`]
      : [],
  );
}

/**
 * The same for API and pages, which need the origin of the pages too: the URLs of links are made of it. Payers of live
 * mode reach it by https; `npm start` serves its own machine.
 * @throws ConfigError
 */
export function readServingConfig(
  env: NodeJS.ProcessEnv,
  { forThisMachine }: { forThisMachine: boolean },
): ServiceConfig & { publicUrl: string } {
  const given = read(env, (config) => publicUrlFaults(config, forThisMachine));
  const { publicUrl } = given.config;
  if (publicUrl === null) throw new ConfigError([publicUrlNeeded]);
  return { ...given, publicUrl };
}

function publicUrlFaults({ publicUrl, liveProcessor }: Config, forThisMachine: boolean): string[] {
  if (publicUrl === null) return [publicUrlNeeded];
  if (!publicUrl.startsWith('http://') || forThisMachine || liveProcessor === null) return [];
  return [
    'PUBLIC_URL must begin with https:// if LIVE_PROCESSOR_URL is set: the URLs of the pages are secrets. ' +
      `Give the origin of the proxy, such as ${example}`,
  ];
}

function read(env: NodeJS.ProcessEnv, faultsOf: (config: Config) => string[]): ServiceConfig {
  const { config, faults } = readFaultyConfig(env);
  const { databaseUrl, encryptionKeys, temporal } = config;
  const missing: string[] = [];
  if (databaseUrl === null) {
    missing.push('DATABASE_URL is not set. Give the URL of a PostgreSQL, or use `npm start`');
  }
  if (temporal.address === null && !faults.some((fault) => fault.includes('TEMPORAL_'))) {
    missing.push('TEMPORAL_ADDRESS is not set. Give the host:port of a Temporal server, or use `npm start`');
  }
  if (encryptionKeys === null) missing.push(keysNeeded);
  if (!faults.some((fault) => fault.includes('PUBLIC_URL'))) missing.push(...faultsOf(config));
  if (databaseUrl === null || encryptionKeys === null || faults.length + missing.length > 0) {
    throw new ConfigError([...faults, ...missing]);
  }
  return { config, databaseUrl, vault: createVault(encryptionKeys) };
}
