import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { CardFieldOrigins } from '../../api/http/page-policy.ts';
import { type Id, namedId } from '../../domain/ids.ts';
import { type LogLevel, logLevels } from '../../platform/logger.ts';
import { safeLine } from '../../platform/terminal.ts';
import { readCardFields } from './card-fields.ts';
import { databaseUrlFault } from './database-url.ts';
import { readSandboxTemporal, readTemporal, type TemporalServer } from './temporal.ts';
import { databaseTransportFault, processorTransportFault } from './transport.ts';
import { readWorkerVersion, type WorkerVersion } from './worker-version.ts';

/** A key of 32 bytes for AES-256-GCM, and the id that is stored with what it encrypted. */
export interface EncryptionKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Where a processor service is, and what authenticates us there. */
export interface ProcessorService {
  readonly url: string;
  readonly secret: string;
}

export interface Config {
  readonly port: number;
  /** The address that the API listens on. By default only this machine can reach it. */
  readonly host: string;
  /** The port of the pages for payers, which listen on the same address as the API. */
  readonly pagesPort: number;
  /** The origin at which payers reach the pages, without a slash at its end. Null: only `npm start` knows one. */
  readonly publicUrl: string | null;
  /** The proxies in front of API and pages whose `X-Forwarded-For` counts: addresses or ranges. */
  readonly trustedProxies: readonly string[];
  /** Where commands for operators ask whether the API responds, without a slash at its end. Null: they do not. */
  readonly apiUrl: string | null;
  /** The same of the pages. Null: commands ask at `publicUrl`. */
  readonly pagesUrl: string | null;
  /** Absolute. Holds the embedded servers' data, their logs and `development.json`. */
  readonly dataDir: string;
  /**
   * Null: the embedded PostgreSQL. A server on another machine needs TLS, unless the URL asks for plain text by name.
   */
  readonly databaseUrl: string | null;
  /** Where live workflows run; also those of the sandbox, unless `sandboxTemporal` is set. */
  readonly temporal: TemporalServer;
  /** Where the sandbox's workflows run, if not in the same server and namespace as those of live mode. */
  readonly sandboxTemporal: TemporalServer | null;
  readonly temporalPort: number;
  readonly temporalUiPort: number;
  /** The address of Temporal's Web UI for people, without a slash at its end. Null: `npm start` uses its own Web UI. */
  readonly temporalUiUrl: string | null;
  /** The same for the sandbox's own Temporal. Null: `temporalUiUrl`, if both are on one server. */
  readonly sandboxTemporalUiUrl: string | null;
  readonly temporalTaskQueue: string;
  /** The version of this process's workers. Null: Worker Versioning is not used. */
  readonly workerVersion: WorkerVersion | null;
  /**
   * Where the embedded Temporal keeps its workflows: SQLite files in the data directory, or the service's PostgreSQL.
   */
  readonly temporalStore: 'sqlite' | 'postgres';
  readonly logLevel: LogLevel;
  /** The first encrypts, all decrypt. Null where ENCRYPTION_KEYS is not set. */
  readonly encryptionKeys: readonly EncryptionKey[] | null;
  /** Ids of keys that are lost for good: the service starts although values need them (ENCRYPTION_KEYS_LOST). */
  readonly lostEncryptionKeys: readonly string[];
  /** Whether sandbox webhooks may go to addresses of this machine. */
  readonly webhookAllowLoopback: boolean;
  /** Whether tokens and fingerprints of cards may look like card numbers, as those of some vaults do. */
  readonly tokensMayPassLuhn: boolean;
  /** Requests per second and API key, and how many may come at once. */
  readonly rateLimitPerSecond: number;
  readonly rateLimitBurst: number;
  /** For how long an ending API process keeps serving, so that balancers see that it is not ready. */
  readonly drainDelaySeconds: number;
  /** The processor service of live mode; null: live charges are refused. */
  readonly liveProcessor: ProcessorService | null;
  /** What live pages may load for the live processor's fields for cards; null: they take no cards. */
  readonly liveCardFields: CardFieldOrigins | null;
  /** A processor service for the sandbox, to try live mode out; null: the processor inside the service. */
  readonly sandboxProcessor: ProcessorService | null;
  /** The file in which the sandbox's processor records each call, independent of the database; null: none. */
  readonly sandboxLedger: string | null;
  /**
   * The port of this process's metrics; null: none. The worker also uses the next port, for the Temporal SDK's metrics.
   * Under `npm start` the API uses this port and the worker the next two.
   */
  readonly metricsPort: number | null;
  /** The collector of traces, by OTLP over HTTP, without a slash at its end; null: no tracing. */
  readonly tracingEndpoint: string | null;
  /** The address that the metrics listen on. They need no key. */
  readonly metricsHost: string;
  /**
   * The key with which operators see the page `/ops` from anywhere. Null: `npm start` shows it to this machine only,
   * and `npm run api` does not show it.
   */
  readonly operatorKey: string | null;
  /** The demo biller and its secret key of the sandbox, which `npm start` gives to its own API. Null elsewhere. */
  readonly demo: { readonly billerId: Id<'biller'>; readonly sandboxKey: string } | null;
}

/** All errors in the environment, one per line. Each names its variable. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration cannot be used:\n${faults.map((fault) => `  - ${safeLine(fault)}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads and checks the environment. An empty variable counts as unset.
 * @throws a ConfigError that lists all errors at once.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { config, faults } = readFaultyConfig(env);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** The same, with the errors. Where there are errors, the configuration must not be used. */
export function readFaultyConfig(env: NodeJS.ProcessEnv): { config: Config; faults: readonly string[] } {
  const read = createReader(env);
  const databaseUrl = read.databaseUrl('DATABASE_URL');
  const temporal = readTemporal(env, read.faults);
  const config: Config = {
    port: read.port('PORT', 8080),
    host: read.matching('HOST', /^[\da-fA-F:.]+$/, 'an IP address of this machine, such as 0.0.0.0') ?? '127.0.0.1',
    pagesPort: read.port('PAGES_PORT', 8081),
    publicUrl: read.origin('PUBLIC_URL', 'https://pay.example.com'),
    trustedProxies: read.networks('TRUSTED_PROXY'),
    apiUrl: read.url('API_URL', 'https://payments.example.com'),
    pagesUrl: read.url('PAGES_URL', 'http://pages:8081'),
    dataDir: resolve(read.text('DATA_DIR') ?? '.data'),
    databaseUrl,
    temporal,
    sandboxTemporal: readSandboxTemporal(env, temporal, read.faults),
    temporalPort: read.port('TEMPORAL_PORT', 7233),
    temporalUiPort: read.port('TEMPORAL_UI_PORT', 8233),
    temporalUiUrl: read.url('TEMPORAL_UI_URL', 'https://temporal.example.com'),
    sandboxTemporalUiUrl: read.url('SANDBOX_TEMPORAL_UI_URL', 'https://temporal.example.com'),
    temporalTaskQueue: read.text('TEMPORAL_TASK_QUEUE') ?? 'payments',
    workerVersion: readWorkerVersion(env, read.faults),
    temporalStore: read.oneOf('TEMPORAL_STORE', ['sqlite', 'postgres']) ?? 'sqlite',
    logLevel: read.oneOf('LOG_LEVEL', logLevels) ?? 'info',
    encryptionKeys: read.encryptionKeys('ENCRYPTION_KEYS'),
    lostEncryptionKeys: read.ids('ENCRYPTION_KEYS_LOST'),
    webhookAllowLoopback: read.flag('WEBHOOK_ALLOW_LOOPBACK', false),
    tokensMayPassLuhn: read.flag('CARD_TOKENS_MAY_PASS_LUHN', false),
    rateLimitPerSecond: read.whole('RATE_LIMIT_PER_SECOND', 500, 1, 1_000_000),
    rateLimitBurst: read.whole('RATE_LIMIT_BURST', 1000, 1, 1_000_000),
    drainDelaySeconds: read.whole('DRAIN_DELAY_SECONDS', 0, 0, 300),
    liveProcessor: read.processor('LIVE_PROCESSOR_URL', 'LIVE_PROCESSOR_SECRET'),
    liveCardFields: read.cardFields('LIVE_CARD_FIELDS'),
    sandboxProcessor: read.processor('SANDBOX_PROCESSOR_URL', 'SANDBOX_PROCESSOR_SECRET'),
    sandboxLedger: read.text('SANDBOX_LEDGER'),
    metricsPort: read.text('METRICS_PORT') === null ? null : read.whole('METRICS_PORT', 0, 1, 65_532),
    tracingEndpoint: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4318'),
    metricsHost: read.text('METRICS_HOST') ?? '127.0.0.1',
    operatorKey: read.secret('OPERATOR_KEY', 24),
    demo: read.demo('DEMO_BILLER'),
  };
  return { config: Object.freeze(config), faults: read.faults };
}

/** Where this user's programs and caches are. */
export interface Host {
  /** Folders that are searched for `go` and `temporal`, as in PATH. */
  readonly searchPath: string;
  /** Absolute. The per-user cache that all copies of this service share. */
  readonly cacheDir: string;
}

/** Reads from the environment what is needed to find programs and the per-user cache. */
export function readHost(env: NodeJS.ProcessEnv = process.env): Host {
  const cacheHome = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return { searchPath: env.PATH ?? '', cacheDir: resolve(cacheHome, 'payments-service') };
}

/** Whether npm started this process. If so, this process should end when npm does. */
export function isRunByNpm(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.npm_lifecycle_event !== undefined;
}

/** A copy of this process's environment for a child, with some variables overridden. */
export function childEnvironment(overrides: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...overrides };
}

function createReader(env: NodeJS.ProcessEnv) {
  const faults: string[] = [];
  const text = (name: string) => env[name]?.trim() || null;

  function whole(name: string, fallback: number, least: number, most: number): number {
    const value = text(name);
    if (value === null) {
      return fallback;
    }
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) {
      faults.push(`${name} must be a whole number from ${least} to ${most}, not "${value}"`);
      return fallback;
    }
    return number;
  }

  function flag(name: string, fallback: boolean): boolean {
    const value = text(name);
    if (value !== null && value !== 'true' && value !== 'false') {
      faults.push(`${name} must be true or false, not "${value}"`);
    }
    return value === null ? fallback : value === 'true';
  }

  function matching(name: string, pattern: RegExp, wanted: string): string | null {
    const value = text(name);
    if (value !== null && !pattern.test(value)) {
      faults.push(`${name} must be ${wanted}, not "${value}"`);
    }
    return value;
  }

  function secret(name: string, least: number): string | null {
    const value = text(name);
    // The value itself is left out of the message.
    if (value !== null && (value.length < least || /\s/.test(value))) {
      faults.push(`${name} must have ${least} characters or more, without spaces (openssl rand -base64 24 makes one)`);
    }
    return value;
  }

  function databaseUrl(name: string): string | null {
    const value = text(name);
    if (value === null) {
      return null;
    }
    // The value itself is left out of the messages: it holds a password.
    const malformed = databaseUrlFault(value, { hasDatabase: text('PGDATABASE') !== null });
    if (malformed !== null) {
      faults.push(`${name} ${malformed}`);
      return value;
    }
    const fault = databaseTransportFault(value, text('PGHOST') ?? 'localhost');
    if (fault !== null) {
      faults.push(fault);
    }
    return value;
  }

  /** The pattern says what a URL may have, and `URL` whether its host and port can be. */
  function address(name: string, pattern: RegExp, wanted: string): string | null {
    const value = matching(name, pattern, wanted);
    if (value !== null && pattern.test(value) && !URL.canParse(value)) {
      faults.push(`${name} must be ${wanted}, not "${value}"`);
    }
    return value;
  }

  function url(name: string, example: string): string | null {
    return address(name, /^https?:\/\/[^\s?#]+$/, `a URL, such as ${example}`)?.replace(/\/+$/, '') ?? null;
  }

  function origin(name: string, example: string): string | null {
    return address(name, /^https?:\/\/[^\s/?#@]+\/?$/, `an origin, such as ${example}`)?.replace(/\/$/, '') ?? null;
  }

  function networks(name: string): string[] {
    const listed = text(name)?.split(/\s*,\s*/) ?? [];
    const isNetwork = (each: string) => (each.includes('/') ? ipaddr.isValidCIDR(each) : ipaddr.isValid(each));
    if (listed.every(isNetwork)) return listed;
    faults.push(`${name} must be a list of addresses or ranges, such as 10.0.0.5,10.1.0.0/16, not "${text(name)}"`);
    return [];
  }

  function processor(urlName: string, secretName: string): ProcessorService | null {
    const [url, key] = [text(urlName), secret(secretName, 24)];
    if ((url === null) !== (key === null)) {
      const [there, missing] = url === null ? [secretName, urlName] : [urlName, secretName];
      faults.push(`${missing} is missing, although ${there} is set: set both, or neither`);
    }
    if (url === null) return null;
    // The value itself is left out of the message: it may hold a password.
    const fault = processorTransportFault(url);
    if (fault !== null) faults.push(`${urlName} ${fault}`);
    return { url: url.replace(/\/+$/, ''), secret: key ?? '' };
  }

  function cardFields(name: string): CardFieldOrigins | null {
    const value = text(name);
    if (value === null) return null;
    const fields = readCardFields(value);
    if (!('fault' in fields)) return fields;
    faults.push(`${name} ${fields.fault}`);
    return null;
  }

  function oneOf<T extends string>(name: string, known: readonly T[]): T | null {
    const value = text(name);
    const found = known.find((each) => each === value);
    if (value !== null && found === undefined) {
      faults.push(`${name} must be one of ${known.join(', ')}, not "${value}"`);
    }
    return found ?? null;
  }

  function encryptionKeys(name: string): readonly EncryptionKey[] | null {
    const value = text(name);
    if (value === null) {
      return null;
    }
    const keys = value.split(',').map((item) => parseEncryptionKey(item.trim()));
    const known = keys.filter((key) => key !== null);
    if (known.length < keys.length) {
      faults.push(`${name} must be a list of id:key, each key 32 bytes in base64 (openssl rand -base64 32 makes one)`);
    } else if (new Set(known.map((key) => key.id)).size < known.length) {
      faults.push(`${name} names the same id twice; each key needs its own`);
    }
    return known;
  }

  function demo(name: string): Config['demo'] {
    const value = text(name);
    const [, billerId, sandboxKey] = /^(acct_\w+):(sk_sandbox_\w+)$/.exec(value ?? '') ?? [];
    if (billerId !== undefined && sandboxKey !== undefined)
      return { billerId: namedId('biller', billerId), sandboxKey };
    if (value !== null) faults.push(`${name} must be the id of a biller, a colon, and its secret key of the sandbox`);
    return null;
  }

  const ids = (name: string): string[] =>
    matching(name, /^[\w.-]{1,40}(\s*,\s*[\w.-]{1,40})*$/, 'a list of ids of keys, such as k1,k2')?.split(/\s*,\s*/) ??
    [];
  const port = (name: string, fallback: number) => whole(name, fallback, 1, 65_535);
  return {
    faults,
    text,
    whole,
    port,
    flag,
    matching,
    secret,
    databaseUrl,
    url,
    origin,
    networks,
    processor,
    cardFields,
    oneOf,
    ids,
    demo,
    encryptionKeys,
  };
}

function parseEncryptionKey(item: string): EncryptionKey | null {
  const [, id, encoded] = /^([\w.-]{1,40}):([A-Za-z0-9+/]{43}=?)$/.exec(item) ?? [];
  if (id === undefined || encoded === undefined) {
    return null;
  }
  const key = Buffer.from(encoded, 'base64');
  return key.length === 32 ? { id, key } : null;
}
