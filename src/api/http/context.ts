import type Koa from 'koa';
import type { AuditRow } from '../../db/audit-log.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { KeyIdentity, Route } from './route.ts';

/** What the middleware knows about a request so far. */
export interface RequestState {
  requestId: string;
  /** Set once a route has matched. */
  route?: Route;
  /** Set by authentication. */
  context?: RequestContext;
  key?: KeyIdentity;
  /** Takes more tokens from the key's rate limit. @throws RateLimited when too few are left. */
  charge?: (tokens: number) => void;
  /** Releases the request's slot in the queue of its key. Further calls have no effect. */
  leaveQueue?: () => void;
  /** The request's input, validated against the route's schemas. */
  params?: unknown;
  query?: unknown;
  body?: unknown;
  /** The raw bytes of the body. */
  bytes?: Buffer;
  replayed?: boolean;
  /** The fields of a form that was posted on a page. */
  form?: URLSearchParams;
  /** Of a form on a page: what stands for its Idempotency-Key, and what the audit log says when its work begins. */
  pageForm?: { key: string; audit: Omit<AuditRow, 'id'> };
}

export type Middleware = Koa.Middleware<RequestState>;
export type Context = Koa.ParameterizedContext<RequestState>;
