import { setTimeout as pause } from 'node:timers/promises';
import type Koa from 'koa';
import { type RunningServer, serve } from '../api/http/server.ts';
import { ConfigError } from './config/config.ts';
import { onShutdown } from './lifecycle.ts';

/** What is wrong with the address to listen on, by the code of the error. */
const faults: Record<string, (at: { host: string; port: number; variable: string }) => string> = {
  EADDRINUSE: ({ port, variable }) =>
    `Port ${port} is taken by another process. End it, or set ${variable} to a free port`,
  EACCES: ({ port, variable }) => `Port ${port} may not be used by this user. Set ${variable} to one above 1023`,
  EADDRNOTAVAIL: ({ host }) => `HOST must be an address of this machine, not "${host}"`,
};

/**
 * Serves the app on HOST and the port of a variable.
 * @throws a ConfigError if this machine does not let it listen there.
 */
export async function listen(
  app: { callback: Koa['callback'] },
  at: { host: string; port: number; variable: 'PORT' | 'PAGES_PORT' },
): Promise<RunningServer> {
  try {
    return await serve(app, at);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const fault = faults[code];
    throw fault === undefined ? error : new ConfigError([fault(at)]);
  }
}

/**
 * On a signal to end, this process is no longer ready (`ending`) but still serves for `delaySeconds`: balancers take it
 * out before it refuses connections. Then the server closes, and `close` ends the rest.
 */
export function drainOnShutdown(
  server: RunningServer,
  ending: AbortController,
  delaySeconds: number,
  close: () => Promise<void>,
): void {
  const delayMs = delaySeconds * 1000;
  const drain = async () => {
    ending.abort();
    server.drain();
    await pause(delayMs);
    await server.close();
    await close();
  };
  onShutdown(drain, { delayMs });
}
