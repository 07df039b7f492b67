import type { Static, TObject, TSchema } from 'typebox';
import type { ApiKeyKind } from '../../db/api-keys.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import type { Tag } from '../../resources/common.ts';
import type { Scope } from '../../services/accounts/scopes.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { ByBodyDeps, CommittedFirstDeps, PublicDeps, ReadDeps, WriteDeps } from './deps.ts';

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
  /** Whether it may set the default payment method of a customer: it has the scope `customers:write`. */
  setsDefaults: boolean;
}

/** The size limit for a body: KiB, at most 256. `since` gives the reason, in words that follow "because". */
export interface BodyLimit {
  kib: number;
  since: string;
}

/** For routes whose body has metadata. A character takes 12 bytes when written as two escapes, `\ud83d\udc4d`. */
export const metadataLimit: BodyLimit = {
  kib: 256,
  since: 'metadata holds 50 pairs of up to 540 characters, each of up to 12 bytes',
};

/** How the Idempotency-Key of a request is stored, if not in the handler's transaction. */
export type Idempotency = 'committed-first' | 'by-body';

/** The path parameters of a path such as `/customers/:customer_id`. */
type PathParameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : Record<never, string>;

/** What a handler may use: only what its kind of route has. */
type DepsOf<M extends Method, A extends Access, I> = A extends 'public'
  ? PublicDeps
  : M extends 'GET'
    ? ReadDeps
    : I extends 'committed-first'
      ? CommittedFirstDeps
      : I extends 'by-body'
        ? ByBodyDeps
        : WriteDeps;

/**
 * The input of a handler, validated by the route's schemas. A public route knows no biller. A handler that writes does
 * not see the scopes of the key: a repeated request gets the stored response without it. See `assertScopes`.
 */
interface InputOf<M extends Method, Path extends string, A extends Access, I, P, Q, B> {
  context: A extends 'public' ? undefined : RequestContext;
  key: A extends 'public' ? undefined : M extends 'GET' ? KeyIdentity : Omit<KeyIdentity, 'scopes'>;
  params: P extends TSchema ? Static<P> : PathParameters<Path>;
  query: Q extends TSchema ? Static<Q> : Record<never, never>;
  body: B extends TSchema ? Static<B> : undefined;
  deps: DepsOf<M, A, I>;
}

export interface RouteDefinition<
  M extends Method,
  Path extends string,
  A extends Access,
  I extends Idempotency | undefined,
  R extends TSchema,
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TSchema | undefined,
  V extends TSchema | undefined,
  Prepared = undefined,
> {
  method: M;
  /** Path parameters are written `:name`. */
  path: Path;
  /** The OpenAPI operation id. */
  operation: string;
  tag: Tag;
  summary: string;
  description?: string;
  access: A;
  /**
   * Checks the scopes that a request needs beside the scope of `access`: because of its body, or of what it names. It
   * runs before the Idempotency-Key is looked up. So a repeated request needs the same scopes as the first one, and a
   * refused one leaves the Idempotency-Key free.
   * @throws Forbidden `insufficient_scope`
   */
  assertScopes?(
    scopes: readonly string[],
    sent: Pick<InputOf<M, Path, A, I, P, Q, B>, 'params' | 'body'> & { context: RequestContext; db: Db },
  ): void | Promise<void>;
  /** The HTTP status of a validation failure. */
  invalid: 400 | 422;
  /**
   * How the Idempotency-Key is stored (see middleware/idempotency.ts). By default, one transaction holds the key, the
   * effect and the response. `committed-first`: the handler commits before it calls another system, and its effect is
   * safe to repeat. `by-body`: the one or the other, as `commitsFirst` says.
   */
  idempotency?: I;
  /** For `by-body`: whether the handler of this body commits before it calls another system. */
  commitsFirst?(body: B extends TSchema ? Static<B> : undefined): boolean;
  /**
   * Supports `Prefer: wait=N`. The outer function runs once per route. The inner promise resolves when the handler can
   * give a better response, or when the signal aborts. The path parameters are not validated yet.
   */
  waits?: (
    sql: Pool,
  ) => (
    context: RequestContext,
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
    /** Where the object differs from the example of its schema. */
    example?: Static<R>;
    description?: string;
    /** For a body that is not JSON: the handler returns its text. */
    contentType?: string;
    /** The handler returns a `Table`, which is streamed as JSON or as CSV. For routes that read. */
    isTable?: true;
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
  prepare?(input: InputOf<M, Path, A, I, P, Q, B>): Promise<Prepared>;
  handle(
    input: InputOf<M, Path, A, I, P, Q, B> & { prepared: Prepared },
  ): Promise<Static<R> | (V extends TSchema ? Static<V> : never)>;
}

/** A route with its types erased, for the app and the OpenAPI document. */
export interface Route
  extends Omit<
    RouteDefinition<
      Method,
      string,
      Access,
      Idempotency | undefined,
      TSchema,
      TObject | undefined,
      TObject | undefined,
      TSchema | undefined,
      TSchema | undefined
    >,
    'prepare' | 'handle' | 'variant' | 'commitsFirst' | 'assertScopes'
  > {
  assertScopes?(
    scopes: readonly string[],
    sent: { params: unknown; body: unknown; context: RequestContext; db: Db },
  ): void | Promise<void>;
  commitsFirst?(body: unknown): boolean;
  variant?: { status: number; schema: TSchema; description: string; isAskedFor(body: unknown): boolean };
  prepare?(input: UncheckedInput): Promise<unknown>;
  handle(input: UncheckedInput & { prepared: unknown }): Promise<unknown>;
}

interface UncheckedInput {
  context: RequestContext | undefined;
  key: Omit<KeyIdentity, 'scopes'> | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  deps: PublicDeps | ReadDeps | WriteDeps | CommittedFirstDeps;
}

/** Declares a route. Its schemas provide the validation, the handler's types and the documentation. */
export function route<
  const M extends Method,
  const Path extends string,
  const A extends Access,
  R extends TSchema,
  const I extends Idempotency | undefined = undefined,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  V extends TSchema | undefined = undefined,
  Prepared = undefined,
>(definition: RouteDefinition<M, Path, A, I, R, P, Q, B, V, Prepared>): Route {
  return definition;
}

/** Returns the route's body limit: 16 KiB unless set. */
export function bodyLimitOf({ bodyLimit }: Pick<Route, 'bodyLimit'>): { kib: number; since?: string } {
  return bodyLimit ?? { kib: 16 };
}

/** Whether the handler of a request with this body commits before it calls another system. */
export function commitsFirst(route: Pick<Route, 'idempotency' | 'commitsFirst'>, body: unknown): boolean {
  if (route.idempotency === 'by-body') return route.commitsFirst?.(body) ?? false;
  return route.idempotency === 'committed-first';
}

/** Returns the success status for a request with this body. */
export function successStatusOf({ response, variant }: Route, body: unknown): number {
  return variant?.isAskedFor(body) ? variant.status : response.status;
}
