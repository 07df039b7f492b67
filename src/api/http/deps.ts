import type { Id } from '../../domain/ids.ts';
import type { StuckReport } from '../../operations/stuck/reading/find-stuck.ts';
import type { Logger } from '../../platform/logger.ts';
import type { OutboundPolicy } from '../../platform/outbound-address.ts';
import type { Db, Pool, Reader } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import type { PageUrls } from '../../services/pages/page-urls.ts';
import type { RepeatableRequest } from '../../services/payments/repeatable-request.ts';
import type { ReportSlots } from '../../services/reports/report-slots.ts';
import type { CardFieldOrigins } from './page-policy.ts';

/** Configuration that affects responses. */
export interface Settings {
  webhookAllowLoopback: boolean;
  rateLimitPerSecond: number;
  rateLimitBurst: number;
  /** Whether tokens of cards may pass the check of Luhn, as those of some vaults do. False if not set. */
  tokensMayPassLuhn?: boolean;
  /** What live pages may load for the processor's fields for cards. Null or not set: they take no cards. */
  liveCardFields?: CardFieldOrigins | null;
  /** The proxies whose `X-Forwarded-For` counts, as addresses or ranges. None if not set. */
  trustedProxies?: readonly string[];
}

/** How long a request may wait for others, and how long a credential is cached. Milliseconds. */
export interface Waits {
  /** For the first request with the same Idempotency-Key; then 409. */
  idempotencyKeyMs: number;
  /** In the queue of its API key; then 429. */
  queueMs: number;
  /** A revocation, or a change of the biller, takes effect in every process within this time. */
  credentialMs: number;
}

/** What the API promises. */
export const defaultWaits: Waits = { idempotencyKeyMs: 5_000, queueMs: 10_000, credentialMs: 5_000 };

/** The address of Temporal's Web UI, and the namespace of the workflows. */
export interface WebUi {
  /** Without a trailing slash. */
  url: string;
  namespace: string;
}

/** The Web UI of each mode: the same one, unless the sandbox has its own Temporal. Null if its address is not known. */
export interface WebUis {
  live: WebUi | null;
  sandbox: WebUi | null;
}

/** The demo biller of `npm start`. */
export interface Demo {
  billerId: Id<'biller'>;
  /** Its secret key of the sandbox. */
  sandboxKey: string;
  /** The origin of the API on this machine. */
  baseUrl: string;
}

/** The dependencies of the API. */
export interface AppDeps {
  sql: Pool;
  vault: Vault;
  settings: Settings;
  /** The origin at which payers reach the pages, without a slash at its end. */
  publicUrl: string;
  /** The origin of the API and of the dashboard, without a slash at its end. */
  apiUrl: string;
  /** Instead of `defaultWaits`, for tests that must not take that long. */
  waits?: Partial<Waits>;
  logger: Logger;
  processors: Processors;
  /** Whether the Temporal server can skip time, which test clocks need. Null until the server has responded. */
  canSkipTime: () => boolean | null;
  /** Readiness checks by name. A check rejects while its dependency is not available. */
  checks: Readonly<Record<string, () => Promise<unknown>>>;
  /** Counts requests, if set. */
  watch?: RequestWatch;
  /**
   * Whether this is the API of `npm start`, which serves only this machine. It refuses requests for other hosts and
   * shows the operators' page without a key. Never set it in production: there, a proxy looks like this machine.
   */
  forThisMachine: boolean;
  /** On the machine of `npm start`: whose sandbox `/workbench` opens and `/` charges. Null everywhere else. */
  demo: Demo | null;
  /** What the operators' page needs besides the database. */
  operations: {
    /** The key that requests for the page must present. If null, only `forThisMachine` shows the page. */
    key: string | null;
    webUis: WebUis;
    /** Connections of its own: the page responds while requests wait for all others. Not set: those of the requests. */
    figures?: Pool;
    /** Returns the id of a workflow's latest run, or null. @throws when Temporal is not reachable. */
    findLatestRun(workflowId: string, livemode: boolean | null): Promise<string | null>;
    /** Returns what is stuck according to Temporal. A Temporal server that does not respond is reported as well. */
    findStuckWorkflows(now: RealInstant): Promise<StuckReport[]>;
  };
}

/** A request that has received its response. */
export interface CompletedRequest {
  /** The path template, or null if no route matched. */
  route: string | null;
  method: string;
  status: number;
  seconds: number;
}

/** Counts requests. Its methods must not throw. */
export interface RequestWatch {
  begun(): void;
  completed(request: CompletedRequest): void;
}

/** What the handler of a public route may use: nothing of any biller. */
export type PublicDeps = Pick<AppDeps, 'checks'>;

/** What the handler of a GET may use. A service that writes does not take this `db`. */
export interface ReadDeps {
  db: Reader;
  vault: Vault;
  /** The URLs of the pages for payers. */
  pageUrls: PageUrls;
  /** See `AppDeps`. */
  publicUrl: string;
  reportSlots: ReportSlots;
}

/** What the handler of a request that writes may use. */
export interface WriteDeps {
  /**
   * The transaction of an idempotent request, which holds its key; otherwise the pool. In the transaction, the
   * handler's writes and the stored response commit together or not at all. The handler may run twice (after a
   * deadlock), so it must only run SQL.
   */
  db: Db;
  vault: Vault;
  pageUrls: PageUrls;
  publicUrl: string;
  apiUrl: string;
  canSkipTime: AppDeps['canSkipTime'];
  /** Which addresses webhooks may reach. */
  outbound: OutboundPolicy;
  /** Whether a token of a card may look like the number of one. */
  tokensMayPassLuhn: boolean;
  /** Whether live pages may load a processor's fields for cards. */
  hasCardFields: boolean;
}

/** What the handler of a `committed-first` route may use. Only such a handler may call a processor. */
export interface CommittedFirstDeps {
  /** The pool: the handler opens its own transactions. */
  db: Pool;
  vault: Vault;
  pageUrls: PageUrls;
  processors: Processors;
  /** How the handler claims the request's Idempotency-Key, finds committed work by it, and stores the response. */
  request: RepeatableRequest<unknown>;
}

/** What the handler of a `by-body` route may use: `commitsFirst` is what its route says about the body. */
export type ByBodyDeps = ({ commitsFirst: false } & WriteDeps) | ({ commitsFirst: true } & CommittedFirstDeps);

/** All of them, as the app passes them. */
export type AllDeps = PublicDeps &
  Pick<ReadDeps, 'reportSlots'> &
  WriteDeps &
  Omit<CommittedFirstDeps, 'db'> & { commitsFirst: boolean };
