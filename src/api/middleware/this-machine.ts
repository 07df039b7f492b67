import type { IncomingHttpHeaders } from 'node:http';
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

/** The parts of a request that show where it comes from. */
export interface LocalRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Headers that a proxy on this machine adds for remote clients. */
const tracesOfProxies = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Whether the connection comes from this machine, is addressed to it, and shows no proxy. A proxy that adds no header
 * cannot be detected. That is why only `npm start` uses this check.
 */
export function isAtThisMachine({ socket, headers }: LocalRequest): boolean {
  if (!isLoopbackAddress(socket.remoteAddress ?? '') || !isLoopbackHost(headers.host)) return false;
  return tracesOfProxies.every((name) => headers[name] === undefined);
}

/**
 * Refuses requests for another host than this machine. This stops DNS rebinding: a web page whose host name points
 * here.
 */
export const thisMachineOnly: Middleware = (ctx, next) => {
  if (!isLoopbackHost(ctx.req.headers.host)) throw new Misdirected();
  return next();
};
