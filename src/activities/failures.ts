import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { FailedEffect } from '../messages/failed-effect.ts';
import { commandRefused } from '../messages/operator-command.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { databaseNow } from '../platform/postgres/database-clock.ts';
import { isOutage } from '../platform/postgres/transaction.ts';
import { CommandRefused } from '../services/command-refused.ts';
import { WorkflowClockAhead } from '../services/customer-time.ts';
import { ProcessorNotConfigured } from '../services/errors.ts';

/** The failure type of an effect that retries do not fix. The workflow decides how to react. */
export const effectFailed = 'EffectFailed';

const triesOfAnEffect = 3;
const pausesOfAnOutage = [100, 250, 500, 1000, 2000];

/**
 * Runs an activity's work with retries. An outage, or a missing live processor, is first retried here for some seconds
 * of real time: on a test clock the server skips the back-off between Temporal's retries. After that, Temporal retries
 * without limit. Any other error is retried twice, unless only time helps, and then thrown as `EffectFailed`, which
 * Temporal does not retry. A refused command is thrown at once, see `throwRefusal`.
 */
export async function carryOut<T>(sql: Pool, work: () => Promise<T>): Promise<T> {
  let outages = 0;
  for (let tries = 1; ; ) {
    try {
      return await work();
    } catch (error) {
      if (isOutage(error) || error instanceof ProcessorNotConfigured) {
        const wait = pausesOfAnOutage[outages++];
        if (wait === undefined) throw error;
        await pause(wait);
      } else if (error instanceof CommandRefused) {
        throwRefusal(error);
      } else if (error instanceof WorkflowClockAhead || tries++ >= triesOfAnEffect) {
        throw await effectFailure(sql, error);
      }
    }
  }
}

/** Throws a refused operator command as a failure that Temporal does not retry, and any other error as it is. */
export function throwRefusal(error: unknown): never {
  if (!(error instanceof CommandRefused)) throw error;
  throw ApplicationFailure.create({ type: commandRefused, nonRetryable: true, message: error.message });
}

async function effectFailure(sql: Pool, error: unknown): Promise<ApplicationFailure> {
  const dueAt = error instanceof WorkflowClockAhead ? error.dueAt.getTime() : null;
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
