import { randomBytes } from 'node:crypto';
import { after, afterEach, before, beforeEach } from 'mocha';
import pino from 'pino';
import type { AppDeps } from '../../src/api/http/deps.ts';
import type { Route } from '../../src/api/http/route.ts';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import type { TestDatabase } from './database.ts';
import { assertMatchesDocument } from './openapi.ts';

/** The logger's number for a warning. */
const warning = 40;

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body read as JSON; for tests to pick members from. */
  // biome-ignore lint/suspicious/noExplicitAny: an assertion on a member that is missing fails, which is its purpose
  body: any;
}

export interface Sent {
  key?: string;
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestApi {
  readonly url: string;
  readonly running: RunningServer;
  /** What was logged, one object for each line. */
  readonly log: Record<string, unknown>[];
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
}

/** Deps for an app on this database: a vault with a new key, high limits, a log that is kept. */
export function testDeps(db: TestDatabase, overrides: Partial<AppDeps> = {}) {
  const log: Record<string, unknown>[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => log.push(JSON.parse(line)) });
  const deps: AppDeps = {
    sql: db.sql,
    publicUrl: 'http://pages.test',
    apiUrl: 'http://127.0.0.1:1',
    vault: createVault([{ id: 'test', key: randomBytes(32) }]),
    settings: { webhookAllowLoopback: true, rateLimitPerSecond: 100_000, rateLimitBurst: 100_000 },
    logger,
    processors: { sandbox: sandboxProcessor, live: null },
    canSkipTime: () => true,
    checks: {},
    forThisMachine: false,
    demo: null,
    operations: {
      key: null,
      webUis: { live: null, sandbox: null },
      findLatestRun: async () => null,
      findStuckWorkflows: async () => [],
    },
    ...overrides,
  };
  return { deps, log };
}

/** Serves an app on a socket of its own during the tests of the calling `describe`. */
export function useApi(
  db: TestDatabase,
  routes: readonly Route[] = allRoutes,
  overrides: () => Partial<AppDeps> = () => ({}),
): TestApi {
  let api: { running: RunningServer; log: Record<string, unknown>[] } | undefined;

  before('serve the API', async () => {
    const { deps, log } = testDeps(db, overrides());
    api = { running: await serve(createWebApp(deps, routes), { port: 0 }), log };
  });
  after('end the API', async () => {
    await api?.running.close();
  });
  explainFailures(() => api?.log ?? []);

  function existing() {
    if (!api) throw new Error('the API is there only while the tests of its describe run');
    return api;
  }
  return {
    get url() {
      return `http://127.0.0.1:${existing().running.port}`;
    },
    get running() {
      return existing().running;
    },
    get log() {
      return existing().log;
    },
    send(method, path, sent) {
      const isOurs = routes.every((route) => allRoutes.includes(route));
      return (isOurs ? sendChecked : send)(`${this.url}${path}`, method, sent);
    },
  };
}

/** Prints what the API has logged as a warning or an error during a test that failed. */
function explainFailures(log: () => readonly Record<string, unknown>[]): void {
  let begin = 0;
  beforeEach('remember where the log is', () => {
    begin = log().length;
  });
  afterEach('print the log of a failure', function () {
    if (this.currentTest?.state !== 'failed') return;
    for (const line of log().slice(begin)) {
      if (Number(line.level) >= warning)
        console.log(`"${this.currentTest.title}" failed; logged:`, JSON.stringify(line));
    }
  });
}

/** A second API process on the same database, with a pool of its own, during the tests of the calling `describe`. */
export function useOtherApi(
  db: TestDatabase,
  {
    connections = 4,
    routes = allRoutes,
    ...overrides
  }: Partial<AppDeps> & { connections?: number; routes?: readonly Route[] },
): { readonly url: string; readonly sql: Pool } {
  let sql: Pool;
  let running: RunningServer;

  before('start the second process', async () => {
    sql = openPool(db.url, { max: connections, name: 'other' });
    running = await serve(createWebApp(testDeps(db, { sql, ...overrides }).deps, routes), { port: 0 });
  });
  after('end the second process', async () => {
    await running.close();
    await sql.end();
  });
  return {
    get url() {
      return `http://127.0.0.1:${running.port}`;
    },
    get sql() {
      return sql;
    },
  };
}

/**
 * The same as `send`, to an app with the routes of the service: each response is compared with the OpenAPI document.
 */
export async function sendChecked(url: string, method: string, sent: Sent = {}): Promise<Reply> {
  const reply = await send(url, method, sent);
  const { pathname, search } = new URL(url);
  assertMatchesDocument(method, pathname + search, reply.status, reply.body);
  return reply;
}

/** One request; every response is a value. */
export async function send(url: string, method: string, { key, body, headers = {} }: Sent = {}): Promise<Reply> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}
