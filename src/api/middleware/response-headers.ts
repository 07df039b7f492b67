import { newId } from '../../domain/ids.ts';
import type { Middleware } from '../http/context.ts';
import { securityFields } from '../http/response.ts';

/** Gives every request an id, sent as `Request-Id`. Logs, events and error bodies refer to it. */
export const requestId: Middleware = (ctx, next) => {
  const id = newId('request');
  ctx.state.requestId = id;
  ctx.res.setHeader('Request-Id', id);
  return next();
};

const fields = Object.entries(securityFields);

/** Sets the security headers on every response. A route may override them. */
export const securityHeaders: Middleware = (ctx, next) => {
  for (const [name, value] of fields) ctx.res.setHeader(name, value);
  return next();
};
