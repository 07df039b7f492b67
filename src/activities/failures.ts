import { setTimeout as pause } from 'node:timers/promises';
import { activityInfo, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { FailedEffect } from '../messages/failed-effect.ts';
import { commandRefused } from '../messages/operator-command.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { databaseNow } from '../platform/postgres/database-clock.ts';
import { isOutage } from '../platform/postgres/transaction.ts';
import { CommandRefused } from '../services/command-refused.ts';
import { WorkflowClockAhead } from '../services/customer-time.ts';
import { ProcessorNotConfigured, ProcessorUnavailable } from '../services/errors.ts';
import { AmountChanged } from '../services/payments/charge-records.ts';
import { BeforeItsDate } from '../services/payments/due-date.ts';
import { PlanInconsistent } from '../services/plans/plan-consistency.ts';
import { SubscriptionInconsistent } from '../services/subscriptions/subscription-dates.ts';

/** The failure type of an effect that retries do not fix. The workflow decides how to react. */
export const effectFailed = 'EffectFailed';

const triesOfAnEffect = 3;
/** With Temporal's pauses between them this is half a minute; four minutes if the processor hangs. */
const asksOfAProcessor = 8;
/** `Retry-After: 0` must not become a loop without a pause. */
const minPauseMs = 500;
const pausesOfAnOutage = [100, 250, 500, 1000, 2000];
const heartbeatEveryMs = 2_000;

/**
 * Runs an activity's work with retries. An outage, or a missing live processor, is first retried here for some seconds
 * of real time: on a test clock the server skips the back-off between Temporal's retries. After that, Temporal retries
 * without limit. A processor that gave no outcome is asked again by Temporal's retries, so that one activity asks once;
 * after eight of them the workflow stalls, which shows why and lets operator commands through. Any other error is
 * retried twice, unless a retry cannot help, and then thrown as `EffectFailed`, which Temporal does not retry. A
 * refused command is thrown at once, see `throwRefusal`.
 */
export async function carryOut<T>(sql: Pool, work: () => Promise<T>): Promise<T> {
  let outages = 0;
  for (let tries = 1; ; ) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProcessorUnavailable) {
        throw activityInfo().attempt < asksOfAProcessor ? askLater(error) : await effectFailure(sql, error.cause);
      }
      if (isOutage(error) || error instanceof ProcessorNotConfigured) {
        const wait = pausesOfAnOutage[outages++];
        if (wait === undefined) throw error;
        await pause(wait);
      } else if (error instanceof CommandRefused) {
        throwRefusal(error);
      } else if (isLasting(error) || tries++ >= triesOfAnEffect) {
        throw await effectFailure(sql, error);
      }
    }
  }
}

/**
 * Runs an activity's work and sends heartbeats meanwhile, so that Temporal notices a worker that dies. If the activity
 * is cancelled, because the worker shuts down or another one has taken over, it ends at once. The work then ends by
 * itself, unheard: it must be safe to be done twice. A local activity has no heartbeat; its work just runs.
 */
export function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const { info, cancelled } = Context.current();
  return withHeartbeatToItsEnd(info.isLocal ? work : () => Promise.race([work(), cancelled]));
}

/** The same for work that is waited for even when the activity is cancelled. */
export async function withHeartbeatToItsEnd<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  if (context.info.isLocal) return work();
  const timer = setInterval(() => context.heartbeat(), heartbeatEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Whether only time or an operator helps. */
function isLasting(error: unknown): boolean {
  return [WorkflowClockAhead, AmountChanged, BeforeItsDate, PlanInconsistent, SubscriptionInconsistent].some(
    (lasting) => error instanceof lasting,
  );
}

/** Throws a refused operator command as a failure that Temporal does not retry, and any other error as it is. */
export function throwRefusal(error: unknown): never {
  if (!(error instanceof CommandRefused)) throw error;
  throw ApplicationFailure.create({ type: commandRefused, nonRetryable: true, message: error.message });
}

/** The failure after which Temporal runs the activity again; not before the processor wants to be asked. */
function askLater({ cause }: ProcessorUnavailable): ApplicationFailure {
  const { message, retryAfterMs } = cause;
  const pause = retryAfterMs === null ? {} : { nextRetryDelay: Math.max(minPauseMs, retryAfterMs) };
  return ApplicationFailure.create({ type: 'ProcessorUnavailable', message, ...pause });
}

async function effectFailure(sql: Pool, error: unknown): Promise<ApplicationFailure> {
  const isEarly = error instanceof WorkflowClockAhead || error instanceof BeforeItsDate;
  const dueAt = isEarly ? error.dueAt.getTime() : null;
  const databaseTime = await databaseNow(sql).catch(() => null);
  const known: FailedEffect | null = databaseTime && { databaseTime: databaseTime.getTime(), dueAt };
  return ApplicationFailure.create({
    type: effectFailed,
    nonRetryable: true,
    message: error instanceof Error ? error.message : String(error),
    details: [known],
    ...(error instanceof Error ? { cause: error } : {}),
  });
}
