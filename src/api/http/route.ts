import type { Static, TObject, TSchema } from 'typebox';
import type { ApiKeyKind } from '../../db/api-keys.ts';
import type { StuckReport } from '../../operations/stuck/find-stuck.ts';
import type { Logger } from '../../platform/logger.ts';
import type { InsertCondition } from '../../platform/postgres/conditional-insert.ts';
import type { Db, Pool, Tx } from '../../platform/postgres/connection.ts';
import type { Processors } from '../../processors/processor.ts';
import type { Scope } from '../../services/accounts/scopes.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { RequestWatch } from './request-watch.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call the route: anyone (`public`), or a key with the scope. `publishable` also admits publishable keys.
 * `sandboxOnly` refuses live keys.
 */
export type Access = 'public' | { scope: Scope; sandboxOnly?: true; publishable?: true };

/** The API key of a request. A publishable key has no scopes. */
export interface KeyIdentity {
  id: string;
  kind: ApiKeyKind;
  scopes: readonly string[];
}

/** The size limit for a body: KiB, at most 256. `since` gives the reason, in words that follow "since". */
export interface BodyLimit {
  kib: number;
  since: string;
}

/** For routes whose body has metadata. A character takes 12 bytes when written as two escapes, `\ud83d\udc4d`. */
export const metadataLimit: BodyLimit = {
  kib: 256,
  since: 'metadata holds 50 pairs of up to 540 characters, each of up to 12 bytes',
};

/** Configuration that affects responses. */
export interface Settings {
  webhookAllowLoopback: boolean;
  rateLimitPerSecond: number;
  rateLimitBurst: number;
}

/** The address of Temporal's Web UI, and the namespace of the workflows. */
export interface WebUi {
  /** Without a trailing slash. */
  url: string;
  namespace: string;
}

/** The dependencies of the API. */
export interface AppDeps {
  sql: Pool;
  vault: Vault;
  settings: Settings;
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
  /** What the operators' page needs besides the database. */
  operations: {
    /** The key that requests for the page must present. If null, only `forThisMachine` shows the page. */
    key: string | null;
    /** Null if its address is not configured. */
    webUi: WebUi | null;
    /** Returns what is stuck according to Temporal. A Temporal server that does not respond is reported as well. */
    findStuckWorkflows(now: Date): Promise<StuckReport[]>;
  };
}

/** The dependencies of a handler. */
export interface RequestDeps extends Omit<AppDeps, 'sql'> {
  /**
   * The transaction of an idempotent request, which holds its key; otherwise the pool. In the transaction, the
   * handler's writes and the stored response commit together or not at all. The handler may run twice (after a
   * deadlock), so it must only run SQL.
   */
  sql: Db;
  /**
   * In a `one-statement` route: the conditions for the handler's one insert. They write the request's Idempotency-Key
   * and this response in the same statement. Empty without a key.
   */
  withAnswer(body: unknown): InsertCondition[];
  /** The pool, for `committed-first` routes, which open their own transactions. */
  pool: Pool;
  /**
   * In a `committed-first` route: the request's Idempotency-Key, or null. A repeated request finds the committed work
   * by it.
   */
  idempotencyKey: string | null;
  /** When that key expires, in real time. After that, work committed under the key belongs to a different request. */
  idempotencyExpiresAt: Date | null;
  /**
   * In a `committed-first` route: claims the request's Idempotency-Key. Call it as the first statement of the handler's
   * first transaction. No other request can then take the key once work is committed under it. Like `remember`, it does
   * nothing without a key and in other routes.
   */
  hold(tx: Tx): Promise<void>;
  /** In a `committed-first` route: stores the response under the Idempotency-Key, in the handler's last transaction. */
  remember(tx: Tx, body: unknown): Promise<void>;
}

/** The path parameters of a path such as `/customers/:customer_id`. */
type PathParameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : Record<never, string>;

/** The input of a handler, validated by the route's schemas. */
export interface RouteInput<Path extends string, A extends Access, P, Q, B> {
  call: A extends 'public' ? undefined : RequestContext;
  key: A extends 'public' ? undefined : KeyIdentity;
  params: P extends TSchema ? Static<P> : PathParameters<Path>;
  query: Q extends TSchema ? Static<Q> : Record<never, never>;
  body: B extends TSchema ? Static<B> : undefined;
  deps: RequestDeps;
}

export interface RouteDefinition<
  Path extends string,
  A extends Access,
  R extends TSchema,
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TSchema | undefined,
  V extends TSchema | undefined,
  Prepared = undefined,
> {
  method: Method;
  /** Path parameters are written `:name`. */
  path: Path;
  /** The OpenAPI operation id. */
  operation: string;
  tag: string;
  summary: string;
  description?: string;
  access: A;
  /** The HTTP status of a validation failure. */
  invalid: 400 | 422;
  /**
   * How the Idempotency-Key is stored (see middleware/idempotency.ts). By default, one transaction holds the key, the
   * effect and the response. `committed-first`: the handler commits before it calls another system, and its effect is
   * safe to repeat. `one-statement`: the handler runs one insert, which also writes the key.
   */
  idempotency?: 'committed-first' | 'one-statement';
  /**
   * Supports `Prefer: wait=N`. The outer function runs once per route. The inner promise resolves when the handler can
   * give a better response, or when the signal aborts. The path parameters are not validated yet.
   */
  waits?: (
    sql: Pool,
  ) => (
    call: RequestContext,
    params: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Set it if 16 KiB cannot hold every body that the schema allows. */
  bodyLimit?: BodyLimit;
  /** Path parameters that do not match name nothing, so the response is 404. */
  params?: P;
  /** Parsed strictly by the schema's types. A required member with a `default` may be left out. */
  query?: Q;
  body?: B;
  response: {
    status: number;
    schema: R;
    description?: string;
    /** For a body that is not JSON: the handler returns its text. */
    contentType?: string;
    headers?: Readonly<Record<string, string>>;
  };
  /** A second success response, which some request bodies ask for. */
  variant?: {
    status: number;
    schema: V & TSchema;
    description: string;
    isAskedFor(body: B extends TSchema ? Static<B> : undefined): boolean;
  };
  /**
   * Descriptions by error status. List statuses that do not follow from method, path and access, or that mean more
   * here.
   */
  errors?: Readonly<Record<number, string>>;
  /** For pages that are not part of the API: the OpenAPI document omits the route. */
  undocumented?: true;
  /**
   * Prepares slow input for the handler, such as a DNS lookup, which no transaction may wait for. It runs before the
   * transaction of an idempotent request. If the request repeats one with a stored response, it does not run.
   */
  prepare?(input: RouteInput<Path, A, P, Q, B>): Promise<Prepared>;
  handle(
    input: RouteInput<Path, A, P, Q, B> & { prepared: Prepared },
  ): Promise<Static<R> | (V extends TSchema ? Static<V> : never)>;
}

/** A route with its types erased, for the app and the OpenAPI document. */
export interface Route
  extends Omit<
    RouteDefinition<
      string,
      Access,
      TSchema,
      TObject | undefined,
      TObject | undefined,
      TSchema | undefined,
      TSchema | undefined
    >,
    'prepare' | 'handle' | 'variant'
  > {
  variant?: { status: number; schema: TSchema; description: string; isAskedFor(body: unknown): boolean };
  prepare?(input: UncheckedInput): Promise<unknown>;
  handle(input: UncheckedInput & { prepared: unknown }): Promise<unknown>;
}

interface UncheckedInput {
  call: RequestContext | undefined;
  key: KeyIdentity | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  deps: RequestDeps;
}

/** Declares a route. Its schemas provide the validation, the handler's types and the documentation. */
export function route<
  const Path extends string,
  const A extends Access,
  R extends TSchema,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  V extends TSchema | undefined = undefined,
  Prepared = undefined,
>(definition: RouteDefinition<Path, A, R, P, Q, B, V, Prepared>): Route {
  return definition;
}

/** Returns the route's body limit: 16 KiB unless set. */
export function bodyLimitOf({ bodyLimit }: Pick<Route, 'bodyLimit'>): { kib: number; since?: string } {
  return bodyLimit ?? { kib: 16 };
}

/** Returns the success status for a request with this body. */
export function successStatusOf({ response, variant }: Route, body: unknown): number {
  return variant?.isAskedFor(body) ? variant.status : response.status;
}
