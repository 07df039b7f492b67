import { setTimeout as pause } from 'node:timers/promises';
import { TransportError } from '@temporalio/worker';
import { type Dispatcher, startDispatcher } from './dispatcher.ts';
import type { OpenSide } from './temporal/sides.ts';
import { untilTemporalIsReachable } from './temporal/wait.ts';
import { type RunningWorkers, startWorkers, type WorkerDeps } from './temporal/workers.ts';

/** How long to wait before the sandbox's own workers are started again. */
const restartAfterMs = 10_000;

/** The workers and the dispatcher of a side. */
export interface RunningSide {
  /** Rejects when the workers have ended on their own. */
  ended: Promise<void>;
  /** Ends the workers. The dispatcher stays, for what their last activities commit. */
  closeWorkers(): Promise<void>;
  closeDispatcher(): Promise<void>;
}

type SideDeps = Omit<WorkerDeps, 'side'>;

/**
 * Starts the workers and the dispatcher of a side as soon as its Temporal can be reached, however long that takes. Each
 * part that needs PostgreSQL waits for it itself.
 * @throws TemporalRefusal when Temporal refuses the configuration; the reason of `signal` when it aborts.
 */
export async function startSide(side: OpenSide, deps: SideDeps, signal: AbortSignal): Promise<RunningSide> {
  const workers = await startWhenPossible(side, deps, signal);
  const dispatcher = startDispatcher(deps.sql, side, deps.logger);
  return {
    ended: workers.ended,
    closeWorkers: () => workers.close(),
    closeDispatcher: () => dispatcher.close(),
  };
}

/**
 * The same for the sandbox's own Temporal, which must not hold up live mode. If it refuses the configuration, or its
 * workers end on their own, they are started again after ten seconds. Returns at once.
 */
export function keepSide(side: OpenSide, deps: SideDeps): Omit<RunningSide, 'ended'> {
  const closing = new AbortController();
  const { signal } = closing;
  const { logger } = deps;
  let workers: RunningWorkers | null = null;
  const dispatcher: Dispatcher = startDispatcher(deps.sql, side, logger);
  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        workers = await startWhenPossible(side, deps, signal);
        if (signal.aborted) return await workers.close();
        logger.info({ namespace: side.server.namespace }, 'the workers of the sandbox are ready');
        await workers.ended;
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ err: error }, 'the workers of the sandbox have ended; starting them again');
        const failed = workers;
        workers = null;
        await failed?.close().catch(() => {});
        await pause(restartAfterMs, undefined, { signal }).catch(() => {});
      }
    }
  }
  const running = run();
  return {
    async closeWorkers() {
      closing.abort();
      await workers?.close();
      await running;
    },
    closeDispatcher: () => dispatcher.close(),
  };
}

async function startWhenPossible(side: OpenSide, deps: SideDeps, signal: AbortSignal): Promise<RunningWorkers> {
  for (;;) {
    await untilTemporalIsReachable(side, deps.logger, signal);
    try {
      return await startWorkers({ ...deps, side });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      deps.logger.warn({ err: error }, 'Temporal went away while the worker was starting; waiting for it');
    }
  }
}
