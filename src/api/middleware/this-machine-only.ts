import { Misdirected } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';
import { isLoopbackHost } from '../http/this-machine.ts';

/**
 * Refuses requests for another host than this machine. This stops DNS rebinding: a web page whose host name points
 * here.
 */
export const thisMachineOnly: Middleware = (ctx, next) => {
  if (!isLoopbackHost(ctx.req.headers.host)) throw new Misdirected();
  return next();
};
