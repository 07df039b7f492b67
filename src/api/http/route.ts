import type { Static, TObject, TSchema } from 'typebox';
import type { ApiKeyKind } from '../../db/api-keys.ts';
import type { StuckReport } from '../../operations/stuck/find-stuck.ts';
import type { Logger } from '../../platform/logger.ts';
import type { InsertCondition } from '../../platform/postgres/conditional-insert.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import type { Processors } from '../../processors/processor.ts';
import type { Scope } from '../../services/accounts/scopes.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { RequestWatch } from './request-watch.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Who may call: anybody, or a key with the scope; `publishable` lets publishable keys in too, `sandboxOnly` no live key. */
export type Access = 'public' | { scope: Scope; sandboxOnly?: true; publishable?: true };

/** The key that a request was made with. A publishable one has no scopes. */
export interface KeyIdentity {
  id: string;
  kind: ApiKeyKind;
  scopes: readonly string[];
}

/** How large a body may be: KiB, at most 256, and why so many, in words that follow "since". */
export interface BodyLimit {
  kib: number;
  since: string;
}

/** Of a route whose body has metadata. A character takes 12 bytes where it is written as two escapes, `\ud83d\udc4d`. */
export const metadataLimit: BodyLimit = {
  kib: 256,
  since: 'metadata holds 50 pairs of up to 540 characters, each of up to 12 bytes',
};

/** What the configuration decides about answers. */
export interface Settings {
  webhookAllowLoopback: boolean;
  rateLimitPerSecond: number;
  rateLimitBurst: number;
}

/** Where Temporal's Web UI is, and in which namespace the workflows are. */
export interface WebUi {
  /** Without a slash at its end. */
  url: string;
  namespace: string;
}

/** What the API stands on. */
export interface AppDeps {
  sql: Pool;
  vault: Vault;
  settings: Settings;
  logger: Logger;
  processors: Processors;
  /** Whether the Temporal server can skip time, which test clocks need; null as long as it has not answered. */
  canSkipTime: () => boolean | null;
  /** By name, what must answer before requests can be served; each rejects while it does not. */
  checks: Readonly<Record<string, () => Promise<unknown>>>;
  /** Who counts the requests, if anybody does. */
  watch?: RequestWatch;
  /**
   * Whether this is the API of `npm start`, for the people at this machine alone: it refuses requests for other hosts, and
   * shows them the operators' page without a key. Never in production, where a proxy looks like this machine.
   */
  forThisMachine: boolean;
  /** What the operators' page stands on beside the database. */
  operations: {
    /** Shows the page to requests that present it; null: only `forThisMachine` shows it. */
    key: string | null;
    /** Null where nobody has said where it is. */
    webUi: WebUi | null;
    /** What is stuck by what Temporal knows, that it does not answer too. */
    findStuckWorkflows(now: Date): Promise<StuckReport[]>;
  };
}

/** What a handler works with. */
export interface RequestDeps extends Omit<AppDeps, 'sql'> {
  /**
   * The transaction of an idempotent request, which holds its key, or else the pool. What a handler does through it
   * commits together with the stored answer, or not at all; it may run twice (a lost deadlock), so it does only SQL.
   */
  sql: Db;
  /**
   * In a `one-statement` route: what its one insert is to depend on, so that it writes the request's Idempotency-Key with
   * this answer too; nothing without a key.
   */
  withAnswer(body: unknown): InsertCondition[];
  /** For transactions of its own, in a route whose `idempotency` is `committed-first`. */
  pool: Pool;
  /** In a `committed-first` route: the request's Idempotency-Key, by which a repetition finds what was committed; or null. */
  idempotencyKey: string | null;
  /** When that key expires, real time: after it, what was committed under it is another request's. */
  idempotencyExpiresAt: Date | null;
  /**
   * In a `committed-first` route: takes the request's Idempotency-Key in the handler's first transaction, as its first
   * statement, so that no other request can have the key once something was committed under it. Here as in `remember`:
   * without a key, and in other routes, it does nothing.
   */
  hold(tx: Db): Promise<void>;
  /** In a `committed-first` route: stores the answer for the request's Idempotency-Key in the handler's last transaction. */
  remember(tx: Db, body: unknown): Promise<void>;
}

/** The parameters that a path such as `/customers/:customer_id` names. */
type PathParameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : Record<never, string>;

/** What a handler is given; all of it has passed the route's schemas. */
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
  /** Parameters as `:name`. */
  path: Path;
  /** The operation id of OpenAPI. */
  operation: string;
  tag: string;
  summary: string;
  description?: string;
  access: A;
  /** The status of a validation failure. */
  invalid: 400 | 422;
  /**
   * How an Idempotency-Key is kept: normally one transaction holds key, effect and answer. `committed-first`: the handler
   * commits before it calls another system, and its effect is safe to repeat. `one-statement`: the handler writes once, and
   * takes the key along (see middleware/idempotency.ts).
   */
  idempotency?: 'committed-first' | 'one-statement';
  /**
   * What a request waits for whose client prefers that (`Prefer: wait=N`): made once, it resolves when the handler can give a
   * better answer, or the signal says that the wait is over. The path parameters are not checked yet.
   */
  waits?: (
    sql: Pool,
  ) => (
    call: RequestContext,
    params: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Needed where 16 KiB cannot hold every body that the schema allows. */
  bodyLimit?: BodyLimit;
  /** Path parameters of another form than the schema's name nothing, hence 404. */
  params?: P;
  /** Parsed strictly by the schema's types; a member that is not optional and has a `default` may be left out. */
  query?: Q;
  body?: B;
  response: {
    status: number;
    schema: R;
    description?: string;
    /** For a body that is no JSON: the handler returns its text. */
    contentType?: string;
    headers?: Readonly<Record<string, string>>;
  };
  /** Another answer, which some bodies ask for. */
  variant?: {
    status: number;
    schema: V & TSchema;
    description: string;
    isAskedFor(body: B extends TSchema ? Static<B> : undefined): boolean;
  };
  /** Error statuses beyond those that follow from method, path and access, or that mean more here, with when they come. */
  errors?: Readonly<Record<number, string>>;
  /** Serves a page, and is no part of the API: the OpenAPI document leaves it out. */
  undocumented?: true;
  /**
   * Finds out what the handler needs and no transaction may wait for, such as what a name server knows. It runs before the
   * transaction of an idempotent request, and not at all when the request is a repetition that has its answer.
   */
  prepare?(input: RouteInput<Path, A, P, Q, B>): Promise<Prepared>;
  handle(
    input: RouteInput<Path, A, P, Q, B> & { prepared: Prepared },
  ): Promise<Static<R> | (V extends TSchema ? Static<V> : never)>;
}

/** A route of any types, as the app and the OpenAPI document see it. */
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

/** Declares a route: its schemas are its validation, the types of its handler and its documentation. */
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

/** How large the route's bodies may be. */
export function bodyLimitOf({ bodyLimit }: Pick<Route, 'bodyLimit'>): { kib: number; since?: string } {
  return bodyLimit ?? { kib: 16 };
}

/** The status of a success for a request with this body. */
export function successStatusOf({ response, variant }: Route, body: unknown): number {
  return variant?.isAskedFor(body) ? variant.status : response.status;
}
