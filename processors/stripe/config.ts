import type { LogLevel } from '../../src/platform/logger.ts';
import { isLoopbackName } from '../../src/platform/loopback.ts';
import { ConfigError, readFaultyConfig } from '../../src/processes/config/config.ts';
import type { SealingKeys } from './sealed-keys.ts';

interface StripeProcessorConfig {
  port: number;
  /** Where Stripe's notices are received. Null: nowhere. */
  webhookPort: number | null;
  /** What the service sends as a bearer token. */
  secret: string;
  databaseUrl: string;
  keys: SealingKeys;
  logLevel: LogLevel;
  /** Another server than Stripe's, on this machine: for tests. Null: Stripe. */
  stripeApiUrl: string | null;
}

/**
 * Reads the environment of `npm run processor:stripe`.
 * @throws a ConfigError that lists all errors at once.
 */
export function readStripeConfig(env: NodeJS.ProcessEnv): StripeProcessorConfig {
  const { config, faults: given } = readFaultyConfig(env);
  const faults = [...given];
  const { databaseUrl, encryptionKeys, logLevel } = config;
  const port = Number(env.PROCESSOR_PORT?.trim());
  if (!isPort(port)) faults.push('PROCESSOR_PORT must be a port, such as 8090');
  const webhookPort = env.STRIPE_WEBHOOK_PORT?.trim() ? Number(env.STRIPE_WEBHOOK_PORT.trim()) : null;
  if (webhookPort !== null && (!isPort(webhookPort) || webhookPort === port))
    faults.push('STRIPE_WEBHOOK_PORT must be a port of its own, such as 8091');
  const secret = env.PROCESSOR_SECRET?.trim() ?? '';
  if (secret.length < 24) faults.push('PROCESSOR_SECRET must have 24 characters or more (openssl rand -base64 24)');
  if (databaseUrl === null) faults.push('DATABASE_URL is not set. Give the URL of a PostgreSQL');
  if (encryptionKeys === null) faults.push('ENCRYPTION_KEYS is not set. Give the keys that seal the keys of accounts');
  const stripeApiUrl = readStripeApiUrl(env, faults);
  if (faults.length > 0 || databaseUrl === null || encryptionKeys === null) throw new ConfigError(faults);
  return { port, webhookPort, secret, databaseUrl, keys: encryptionKeys, logLevel, stripeApiUrl };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

/** Returns STRIPE_API_URL, or null. A server elsewhere is refused: keys would be sent to it. */
export function readStripeApiUrl(env: NodeJS.ProcessEnv, faults: string[]): string | null {
  const value = env.STRIPE_API_URL?.trim() || null;
  if (value === null) return null;
  if (!isOriginOfThisMachine(value))
    faults.push(
      'STRIPE_API_URL may name this machine alone, such as http://127.0.0.1:8420: it is for tests, and keys are sent there',
    );
  return value;
}

function isOriginOfThisMachine(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { origin, hostname, protocol } = new URL(value);
  return isLoopbackName(hostname) && /^https?:$/.test(protocol) && value.replace(/\/$/, '') === origin;
}
