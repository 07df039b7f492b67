import { newId } from '../../domain/ids.ts';
import type { Middleware } from '../http/context.ts';

/** Gives every request an id, sent as `Request-Id`. Logs, events and error bodies refer to it. */
export const requestId: Middleware = (ctx, next) => {
  const id = newId('request');
  ctx.state.requestId = id;
  ctx.res.setHeader('Request-Id', id);
  return next();
};
