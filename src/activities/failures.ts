import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { isOutage } from '../db/transaction.ts';
import { workflowClockAhead } from '../domain/clock-ahead.ts';
import { ProcessorNotConfigured } from '../services/errors.ts';
import { WorkflowClockAhead } from '../services/workflow-time.ts';

/** The failure of an effect that trying again does not mend; the workflow decides what it means. */
export const effectFailed = 'EffectFailed';

const triesOfAnEffect = 3;
const pausesOfAnOutage = [100, 250, 500, 1000, 2000];

/**
 * Runs an activity's work. An outage of the infrastructure is waited out: some seconds here, in real time, since the back-off
 * between an activity's retries would be skipped on a clock, and after that by Temporal's retries, without end. A workflow
 * whose clock is ahead is told so, for it to wait. Any other error is tried again twice and then thrown as `EffectFailed`.
 * Temporal retries neither of these.
 */
export async function carryOut<T>(work: () => Promise<T>): Promise<T> {
  let outages = 0;
  for (let tries = 1; ; ) {
    try {
      return await work();
    } catch (error) {
      if (isOutage(error) || error instanceof ProcessorNotConfigured) {
        const wait = pausesOfAnOutage[outages++];
        if (wait === undefined) throw error;
        await pause(wait);
      } else if (error instanceof WorkflowClockAhead) {
        const { message, known } = error;
        throw ApplicationFailure.create({ type: workflowClockAhead, nonRetryable: true, message, details: [known] });
      } else if (tries++ >= triesOfAnEffect) {
        const message = error instanceof Error ? error.message : String(error);
        throw ApplicationFailure.create({
          type: effectFailed,
          nonRetryable: true,
          message,
          ...(error instanceof Error ? { cause: error } : {}),
        });
      }
    }
  }
}
