import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { WorkflowBundle } from '@temporalio/worker';
import { after, before } from 'mocha';
import { type StandIn, startStandIn } from '../../lab/stand-in.ts';
import type { CardFieldOrigins } from '../../src/api/http/page-policy.ts';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { tenantOf } from '../../src/db/tenant.ts';
import type { Id } from '../../src/domain/ids.ts';
import type { WorkflowSides } from '../../src/operations/sides/workflow-sides.ts';
import type { RealInstant } from '../../src/platform/real-time.ts';
import type { TemporalServer } from '../../src/processes/config/temporal.ts';
import { type Dispatcher, startDispatcher } from '../../src/processes/dispatcher.ts';
import { closeSides, type OpenSide, openSides } from '../../src/processes/temporal/sides.ts';
import { type RunningWorkers, startWorkers } from '../../src/processes/temporal/workers.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import type { Processors } from '../../src/processors/processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import type { NewBiller } from '../../src/services/accounts/billers.ts';
import { createVault, type Vault } from '../../src/services/accounts/vault.ts';
import { accountReader } from '../../src/services/customers/bank-accounts.ts';
import { returnUrlOf } from '../../src/services/pages/return-urls.ts';
import { deleteWebhookEndpoint } from '../../src/services/webhooks/endpoints.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { testDeps } from './api.ts';
import { forgetPageUses, openSharedDatabase, type TestDatabase, useDatabase } from './database.ts';
import { atEndOfRun } from './endings.ts';
import { makeBiller, makeKey } from './factories.ts';
import { createMerchant, type Merchant } from './merchant.ts';
import { type ServiceProcess, spawnProcess } from './process.ts';
import {
  serverAt,
  serverStartTimeoutMs,
  temporalServer,
  testLogger,
  testNamespace,
  workflowBundle,
} from './temporal.ts';
import { makeCall } from './webhooks.ts';

export interface ServiceOptions {
  /** A service of its own with no other option. */
  isAlone?: true;
  /** 0 replays every workflow from its history at each of its steps. */
  maxCachedWorkflows?: number;
  /** Whether workers and dispatcher are up when the tests begin; they are by default. */
  idle?: boolean;
  /** The Temporal server to work with, `host:port`; the run's own by default. */
  temporal?: () => Promise<string> | string;
  namespace?: string;
  /** The sandbox's own Temporal; by default it has none. */
  sandboxTemporal?: () => Promise<TemporalServer> | TemporalServer;
  canSkipTime?: () => boolean | null;
  /** The sandbox's alone by default. */
  processors?: Processors;
  /** Whether live mode has a processor too: a service of its own, see `lab/stand-in.ts`. */
  live?: boolean;
  /** Whether the sandbox's processor is such a service. */
  sandboxOverHttp?: boolean;
  /** For webhooks: real time by default. */
  now?: () => RealInstant;
  /** How far real time may be ahead of the database's clock; 30 s by default, as in production. */
  maxAheadMs?: number;
  /** Where the pages for payers are; nowhere by default. */
  publicUrl?: string;
  /** What live pages may load for fields for cards; nothing by default. */
  liveCardFields?: CardFieldOrigins;
  /** How many timers of a workflow Temporal skips before it is asked again; 100,000 by default, as in production. */
  maxSkips?: number;
}

type PlanOnClock = Awaited<ReturnType<Merchant['planOnClock']>> & { merchant: Merchant };

/** The whole service in this process. Only to be used inside of hooks and tests. */
export interface Service {
  readonly db: TestDatabase;
  readonly url: string;
  readonly sides: WorkflowSides<OpenSide>;
  /** The client of the first side: that of live mode, or of both modes. */
  readonly temporal: Client;
  readonly taskQueue: string;
  /** The keys of its vault, in the form of ENCRYPTION_KEYS. */
  readonly encryptionKeys: string;
  readonly vault: Vault;
  /** A new biller, and a client with its sandbox key, or its live key. */
  merchant(biller?: Partial<NewBiller>, key?: { livemode: boolean }): Promise<Merchant>;
  /** A new biller, and a client with its live key, whose cards are those of live mode. */
  liveMerchant(): Promise<Merchant>;
  /** A new biller with an active plan on a new clock. */
  planOnClock(...plan: Parameters<Merchant['planOnClock']>): Promise<PlanOnClock>;
}

/** The service of one `describe`, whose parts its tests may start and stop. */
export interface OwnService extends Service {
  /** The processor service of live mode, or of the sandbox, if it was asked for. */
  readonly standIn: StandIn;
  readonly processors: Processors;
  /** With today's workflows, unless others are given. */
  startWorkers(bundle?: WorkflowBundle): Promise<void>;
  stopWorkers(): Promise<void>;
  startDispatcher(): void;
  stopDispatcher(): Promise<void>;
  /** The worker program in a process of its own, with its dispatcher; resolves when it is ready. */
  startWorkerProcess(environment?: Record<string, string>): Promise<ServiceProcess>;
}

/** A worker that ends waits for its polls, which a busy server may hold for a minute. */
const stepOfEndTimeoutMs = 150_000;
const endTimeoutMs = 2 * stepOfEndTimeoutMs;

/**
 * Gives the calling `describe` the whole service. Without options it is that of all tests of this process, one file
 * after the other: a biller of its own keeps each test apart. What stops or changes the service, reads across billers,
 * counts or breaks rows takes one of its own, with `isAlone` or another option.
 */
export function useService(): Service;
export function useService(options: ServiceOptions): OwnService;
export function useService(options?: ServiceOptions): Service {
  return options === undefined ? useSharedService() : useOwnService(options);
}

/**
 * Starts database, API, workers and dispatcher for the calling `describe`, on the run's Temporal server and a task
 * queue of its own, and ends them after its tests.
 */
function useOwnService(options: ServiceOptions): OwnService {
  const { service, start, end } = prepareService(useDatabase(20), options);
  before('start the service', async function () {
    this.timeout(serverStartTimeoutMs);
    await start();
  });
  after('end the service', async function () {
    this.timeout(endTimeoutMs);
    await end();
  });
  return service;
}

let shared: Promise<OwnService> | undefined;
/** How many that are running use it. Its dispatcher works for them alone: each commit in this process wakes it. */
let users = 0;

function useSharedService(): Service {
  let running: OwnService | undefined;
  const service = () => existing(running);
  before('have the service', async function () {
    this.timeout(serverStartTimeoutMs);
    shared ??= startShared();
    running = await shared;
    await forgetPageUses(running.db);
    users += 1;
    if (users === 1) running.startDispatcher();
  });
  after('leave the service', async () => {
    if (running === undefined) return;
    users -= 1;
    if (users > 0) return;
    await deleteEndpoints(running.db);
    await running.stopDispatcher();
  });
  return {
    db: {
      get sql() {
        return service().db.sql;
      },
      get url() {
        return service().db.url;
      },
    },
    get url() {
      return service().url;
    },
    get sides() {
      return service().sides;
    },
    get temporal() {
      return service().temporal;
    },
    get taskQueue() {
      return service().taskQueue;
    },
    get encryptionKeys() {
      return service().encryptionKeys;
    },
    get vault() {
      return service().vault;
    },
    merchant: (...made) => service().merchant(...made),
    liveMerchant: () => service().liveMerchant(),
    planOnClock: (...plan) => service().planOnClock(...plan),
  };
}

/** It ends with this process, and before the servers. Its invariants are checked after all tests. */
async function startShared(): Promise<OwnService> {
  const { service, start, end } = prepareService(await openSharedDatabase(), {});
  await start();
  await service.stopDispatcher();
  const isWorkerOfMocha = process.env.MOCHA_WORKER_ID !== undefined;
  if (!isWorkerOfMocha) atEndOfRun(end);
  return service;
}

/** So that nothing is sent to a receiver that is gone: the next one may be at its port. */
async function deleteEndpoints({ sql }: TestDatabase): Promise<void> {
  const endpoints = await sql<{ id: string; biller_id: Id<'biller'>; livemode: boolean }[]>`
    select id, biller_id, livemode from webhook_endpoints where deleted_at is null`;
  for (const { id, ...row } of endpoints) {
    await deleteWebhookEndpoint(sql, await makeCall(sql, tenantOf(row)), id);
  }
}

/** A service on a database, and what starts and ends it. */
function prepareService(db: TestDatabase, options: ServiceOptions) {
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  const encryptionKey = randomBytes(32);
  const vault = createVault([{ id: 'test', key: encryptionKey }]);
  const namespace = options.namespace ?? testNamespace;
  let processors = options.processors ?? { sandbox: sandboxProcessor, live: null };
  let started: { standIn: StandIn; processor: HttpProcessor; folder: string } | undefined;
  const children: ServiceProcess[] = [];
  let address = '';
  let sides: WorkflowSides<OpenSide> | undefined;
  let api: RunningServer | undefined;
  let workers: RunningWorkers[] = [];
  let dispatchers: Dispatcher[] = [];

  const service: OwnService = {
    db,
    taskQueue,
    encryptionKeys: `test:${encryptionKey.toString('base64')}`,
    vault,
    get url() {
      return `http://127.0.0.1:${existing(api).port}`;
    },
    get sides() {
      return existing(sides);
    },
    get temporal() {
      return existing(sides)[0].temporal;
    },
    get standIn() {
      return existing(started).standIn;
    },
    get processors() {
      return processors;
    },
    async merchant(biller = {}, { livemode } = { livemode: false }) {
      const { id } = await makeBiller(db.sql, biller);
      const { key } = await makeKey(db.sql, { billerId: id, livemode });
      return createMerchant(service.url, key);
    },
    async liveMerchant() {
      const { key } = await makeKey(db.sql, { livemode: true });
      return createMerchant(service.url, key, 'live');
    },
    async planOnClock(...plan) {
      const merchant = await service.merchant();
      return { merchant, ...(await merchant.planOnClock(...plan)) };
    },
    async startWorkers(bundle) {
      for (const side of service.sides) {
        const running = await startWorkers({
          side,
          sql: db.sql,
          vault,
          processors,
          logger: testLogger(),
          webhookAllowLoopback: true,
          workflowBundle: bundle ?? (await workflowBundle()),
          maxCachedWorkflows: options.maxCachedWorkflows,
          now: options.now,
          maxAheadMs: options.maxAheadMs,
          maxSkips: options.maxSkips,
        });
        workers.push(running);
      }
    },
    async stopWorkers() {
      await Promise.all(workers.map((running) => running.close()));
      workers = [];
    },
    startDispatcher() {
      dispatchers = service.sides.map((side) => startDispatcher(db.sql, side, testLogger()));
    },
    async stopDispatcher() {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
      dispatchers = [];
    },
    async startWorkerProcess(environment = {}) {
      const worker = spawnProcess('worker', {
        DATABASE_URL: db.url,
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: namespace,
        TEMPORAL_TASK_QUEUE: taskQueue,
        ENCRYPTION_KEYS: service.encryptionKeys,
        WEBHOOK_ALLOW_LOOPBACK: 'true',
        PUBLIC_URL: options.publicUrl ?? 'http://pages.test',
        ...(options.live ? started?.standIn.environment : {}),
        LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'error',
        ...environment,
      });
      children.push(worker);
      return worker.ready();
    },
  };

  async function start(): Promise<void> {
    address = await (options.temporal ?? temporalServer)();
    if (options.live || options.sandboxOverHttp) {
      const folder = await mkdtemp(join(tmpdir(), 'payments-processor-'));
      const standIn = await startStandIn(folder);
      const livemode = options.live === true;
      const readAccount = accountReader(db.sql, () => vault);
      const { publicUrl } = options;
      const returns =
        publicUrl && livemode ? { returnUrlOf: (id: string) => returnUrlOf(db.sql, { publicUrl, vault }, id) } : {};
      const processor = createHttpProcessor({ ...standIn, livemode, readAccount, ...returns });
      started = { standIn, processor, folder };
      processors = { ...processors, [livemode ? 'live' : 'sandbox']: started.processor };
    }
    sides = openSides({
      temporal: serverAt(address, namespace),
      sandboxTemporal: (await options.sandboxTemporal?.()) ?? null,
      temporalTaskQueue: taskQueue,
    });
    const { canSkipTime = () => true, publicUrl, liveCardFields = null } = options;
    const { deps } = testDeps(db, { vault, processors, canSkipTime, ...(publicUrl ? { publicUrl } : {}) });
    deps.settings = { ...deps.settings, liveCardFields };
    api = await serve(createWebApp(deps), { port: 0 });
    if (options.idle) return;
    await service.startWorkers();
    service.startDispatcher();
  }

  async function end(): Promise<void> {
    await Promise.all(children.map((child) => child.end('SIGKILL')));
    await inTime('the API', api?.close());
    await inTime('the dispatchers', service.stopDispatcher());
    await inTime('the workers', service.stopWorkers());
    if (sides !== undefined) await closeSides(sides);
    await started?.processor.close();
    await started?.standIn.stop();
    if (started) await rm(started.folder, { recursive: true });
  }

  return { service, start, end };
}

function existing<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the service is there only while the tests of its describe run');
  return part;
}

/** @throws if it takes longer than `stepOfEndTimeoutMs`: the error says what has not ended. */
async function inTime(what: string, ended: Promise<void> | undefined): Promise<void> {
  const late = Symbol();
  const first = await Promise.race([ended, setTimeout(stepOfEndTimeoutMs, late, { ref: false })]);
  if (first === late) throw new Error(`${what} did not end within ${stepOfEndTimeoutMs / 1000} s`);
}
