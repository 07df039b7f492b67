// The embedded PostgreSQL and Temporal of `npm start`, each kept running.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../src/processes/config/config.ts';
import type { Daemon, Say } from './daemon.ts';
import { keepRunning } from './keep-running.ts';
import { startPostgres } from './postgres.ts';
import type { Stack } from './stack.ts';
import { prepareTemporal } from './temporal.ts';

/** The history shards of a Temporal on one machine. A cluster has more, see `temporal/on-postgres.env`. */
const shards = 4;

const upPollMs = 100;

export interface KeptPostgres {
  url: string;
  /** Resolves when it is up, at once or after it was started again. @throws when the signal comes. */
  untilUp(signal: AbortSignal): Promise<void>;
}

/** Starts PostgreSQL and keeps it running on one port. It is on the stack, even when this throws. */
export async function keepPostgres({ dataDir }: Config, stack: Stack, say: Say): Promise<KeptPostgres> {
  let port: number | undefined;
  const server = keepRunning({
    name: 'PostgreSQL',
    start: async (signal) => {
      const running = await startPostgres({ dataDir, port, log: say, signal });
      port = running.port;
      return running;
    },
    remedy:
      'The last line below says why; often the disk is full. Remove the cause, then start again: what was committed ' +
      `is kept in ${join(dataDir, 'postgres')}.`,
    say,
  });
  stack.push(server);
  const { url } = await server.started;
  say(`PostgreSQL is up on port ${port}`);
  return {
    url,
    async untilUp(signal) {
      while (!server.isUp) await sleep(upPollMs, undefined, { signal });
    },
  };
}

/**
 * Starts Temporal and its Web UI, and keeps both running on their ports. With `store`, workflows are in that
 * PostgreSQL. Both are on the stack, even when this throws.
 */
export async function keepTemporal(
  config: Config,
  store: KeptPostgres | null,
  stack: Stack,
  say: Say,
  signal: AbortSignal,
): Promise<{ address: string; uiUrl: string | null }> {
  const { dataDir, temporalPort, temporalUiPort } = config;
  const { address, uiUrl, startServer, startUi, openUi } = await prepareTemporal({
    dataDir,
    frontendPort: temporalPort,
    uiPort: temporalUiPort,
    publicUiUrl: config.temporalUiUrl,
    defaultNamespace: config.temporal.namespace,
    store: store === null ? undefined : { url: store.url, shards },
    log: say,
    signal,
  });
  const server = keepRunning<{ daemon: Daemon }>({
    name: 'Temporal',
    start: async (stopping) => {
      await store?.untilUp(stopping);
      return { daemon: await startServer(stopping) };
    },
    remedy:
      `The last line below says why; often the disk is full, or another program has port ${temporalPort}. Remove the ` +
      'cause, then start again: workflows continue, and payments that fell due are collected.',
    say,
  });
  stack.push(server);
  const kept = [server];
  if (startUi !== null) {
    const start = async (stopping: AbortSignal) => ({ daemon: await startUi(stopping) });
    kept.push(keepRunning({ name: 'Temporal Web UI', start, remedy: null, say }));
    stack.push(...kept.slice(1));
  }
  await Promise.all(kept.map(({ started }) => started));
  if (openUi !== null) {
    const door = await openUi();
    stack.push({ name: 'Temporal Web UI', stop: door.close });
  }
  say(`Temporal is up on port ${temporalPort}`);
  return { address, uiUrl };
}
