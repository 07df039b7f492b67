import { Context } from '@temporalio/activity';

const everyMs = 2_000;

/**
 * Runs an activity's work and sends heartbeats meanwhile, so that Temporal notices a worker that dies. If the activity
 * is cancelled, because the worker shuts down or another one has taken over, it ends at once. The work then ends by
 * itself, unheard: it must be safe to be done twice. A local activity has no heartbeat; its work just runs.
 */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  if (context.info.isLocal) return work();
  const timer = setInterval(() => context.heartbeat(), everyMs);
  try {
    return await Promise.race([work(), context.cancelled]);
  } finally {
    clearInterval(timer);
  }
}
