import { Misdirected } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';
import { isLoopbackHost } from '../http/this-machine.ts';

/** Refuses what asks for another host than this machine: a web page of a stranger, whose name was made to point here. */
export const thisMachineOnly: Middleware = (ctx, next) => {
  if (!isLoopbackHost(ctx.req.headers.host)) throw new Misdirected();
  return next();
};
