import { TestClockError } from './errors.ts';
import type { AdvancingTestClock, TestClock, TestClockAdvance, TestClockDryRun } from './generated/models.ts';
import { TestClocks as GeneratedTestClocks } from './generated/resources.ts';
import type { RequestOptions, WriteOptions } from './options.ts';
import { pause } from './pause.ts';

export interface ClockWait extends RequestOptions {
  /** For how long to wait in all; five minutes if not given. */
  waitTimeoutMs?: number | undefined;
}

const defaultWaitTimeoutMs = 300_000;
/** The longest that the service holds an answer back. */
const longestWaitSeconds = 60;
/** Between two looks, so that something on the way that does not let answers be held back is not flooded. */
const lookAgainAfterMs = 100;

/** The test clocks, with the waiting that an advance needs. */
export class TestClocks extends GeneratedTestClocks {
  override advance(
    id: string,
    body: TestClockAdvance & { dry_run: true },
    options?: WriteOptions,
  ): Promise<TestClockDryRun>;
  override advance(
    id: string,
    body: TestClockAdvance & { dry_run?: false },
    options?: WriteOptions,
  ): Promise<AdvancingTestClock>;
  override advance(
    id: string,
    body: TestClockAdvance,
    options?: WriteOptions,
  ): Promise<AdvancingTestClock | TestClockDryRun>;
  override advance(id: string, body: TestClockAdvance, options?: WriteOptions) {
    return super.advance(id, body, options);
  }

  /**
   * Advances a clock and waits until every effect of it is committed. Answers the clock, `ready`.
   * @throws TestClockError when the clock fails, or has not become ready in time.
   */
  async advanceAndWait(
    id: string,
    body: Omit<TestClockAdvance, 'dry_run'>,
    { waitTimeoutMs, ...options }: ClockWait & WriteOptions = {},
  ): Promise<TestClock> {
    await this.advance(id, body, options);
    const { signal, maxRetries, timeoutMs } = options;
    return this.waitUntilReady(id, { signal, maxRetries, timeoutMs, waitTimeoutMs });
  }

  /**
   * Waits as long as a clock is `advancing`; answers it as it is then.
   * @throws TestClockError when the clock has failed, or is advancing still when the time is up.
   */
  async waitUntilReady(
    id: string,
    { waitTimeoutMs = defaultWaitTimeoutMs, ...options }: ClockWait = {},
  ): Promise<TestClock> {
    const giveUpAt = performance.now() + waitTimeoutMs;
    for (;;) {
      const left = Math.max(0, giveUpAt - performance.now());
      const waitSeconds = Math.min(longestWaitSeconds, Math.ceil(left / 1000));
      const clock = await this.get(id, { ...options, waitSeconds });
      if (clock.status === 'failed') {
        throw new TestClockError(`The test clock ${id} has failed: ${clock.failure_reason}`, clock);
      }
      if (clock.status !== 'advancing') return clock;
      if (performance.now() >= giveUpAt) {
        throw new TestClockError(`The test clock ${id} is still advancing after ${waitTimeoutMs} ms.`, clock);
      }
      await pause(lookAgainAfterMs, options.signal);
    }
  }
}
