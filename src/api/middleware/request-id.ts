import { newId } from '../../domain/ids.ts';
import type { Middleware } from '../http/context.ts';

/** Names every request, in the `Request-Id` of its answer: what logs, events and error bodies refer to. */
export const requestId: Middleware = (ctx, next) => {
  const id = newId('request');
  ctx.state.requestId = id;
  ctx.res.setHeader('Request-Id', id);
  return next();
};
