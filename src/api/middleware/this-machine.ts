import { Misdirected } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';

/** Loopback addresses: the first as a socket writes them, the second as a `Host` header does. */
const loopbackAddress = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether an address is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  return loopbackAddress.test(address);
}

/**
 * Whether a `Host` header names this machine, on any port. The check stops DNS rebinding: a web page's own name can
 * point to 127.0.0.1, and the browser then lets the page read what a server here returns. A page cannot have one of
 * these names.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return loopbackHost.test(host ?? '');
}

/**
 * Refuses requests for another host than this machine. This stops DNS rebinding: a web page whose host name points
 * here.
 */
export const thisMachineOnly: Middleware = (ctx, next) => {
  if (!isLoopbackHost(ctx.req.headers.host)) throw new Misdirected();
  return next();
};
