import type Koa from 'koa';
import type { RequestContext } from '../../services/request-context.ts';
import type { KeyIdentity, Route } from './route.ts';

/** What the middleware has found out about a request so far. */
export interface RequestState {
  requestId: string;
  /** Set once a route has matched. */
  route?: Route;
  /** Set by authentication. */
  call?: RequestContext;
  key?: KeyIdentity;
  /** Takes further tokens of the key's rate limit. @throws RateLimited when there are too few. */
  charge?: (tokens: number) => void;
  /** What the request brings, checked against the route's schemas. */
  params?: unknown;
  query?: unknown;
  body?: unknown;
  /** The body's bytes, as they came. */
  bytes?: Buffer;
  replayed?: boolean;
}

export type Middleware = Koa.Middleware<RequestState>;
export type Context = Koa.ParameterizedContext<RequestState>;
