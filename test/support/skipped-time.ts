import { Context } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { after, before } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { type OwnService, useService } from './service.ts';
import { testLogger } from './temporal.ts';
import { startTimeSkipping } from './time-skipping-server.ts';

/** The whole service on a server that skips over the time in which nothing happens. */
export interface SkippedTime {
  readonly service: OwnService;
  /** Lets that much of the server's time pass, skipping from timer to timer. */
  pass(days: number): Promise<void>;
  /** Waits, without skipping, until there is such a workflow, or until it has completed. */
  until(state: 'RUNNING' | 'COMPLETED', workflowId: string): Promise<void>;
}

/**
 * Gives the calling `describe` the service on a test server of its own: its time is one for all workflows and runs only
 * forward, so tests that skip do not share one. It goes with the machine's time but for `pass`. (To wait for the result
 * of a workflow would skip further than its end, to the ten years after which this server ends every workflow.)
 */
export function useSkippedTime(options: { live?: boolean } = {}): SkippedTime {
  let env: TestWorkflowEnvironment | undefined;
  const service = useService({
    ...options,
    namespace: 'default',
    async temporal() {
      testLogger();
      env = await startTimeSkipping();
      return env.connection.options.address;
    },
    // Real time is this server's here, and the database does not follow it.
    maxAheadMs: Number.POSITIVE_INFINITY,
    // The server's time at which the attempt was scheduled; there is no other way to it that does not wait. A workflow
    // task has only the machine's time: an attempt there fails before it is sent, and an activity makes it.
    now: () => {
      const { currentAttemptScheduledTimestampMs: at, isLocal } = Context.current().info;
      if (isLocal) throw new Error('a workflow task does not know the server’s time');
      return realInstant(at);
    },
  });
  before(
    'let the dispatcher send at once what is enqueued at the server’s time, which is ahead of its own',
    async () => {
      await service.db.sql.unsafe(`
      create function bring_forward() returns trigger language plpgsql as $$
      begin
        new.available_at := least(new.available_at, clock_timestamp());
        return new;
      end $$;
      create trigger bring_forward before insert on workflow_intents for each row execute function bring_forward()`);
    },
  );
  after('end the test server', () => env?.teardown());

  function existing(): TestWorkflowEnvironment {
    if (env === undefined) throw new Error('the test server is there only while the tests of its describe run');
    return env;
  }
  return {
    service,
    async pass(days) {
      await existing().sleep(`${days} days`);
    },
    async until(state, workflowId) {
      const handle = service.temporal.workflow.getHandle(workflowId);
      await eventually(`${workflowId} is ${state}`, async () => {
        const description = await handle.describe().catch(() => null);
        return description?.status.name === state;
      });
    },
  };
}
