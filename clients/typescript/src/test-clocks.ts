import { TestClockError } from './errors.ts';
import type { AdvancingTestClock, TestClock, TestClockAdvance, TestClockDryRun } from './generated/models.ts';
import { TestClocks as GeneratedTestClocks } from './generated/resources.ts';
import type { RequestOptions, WriteOptions } from './options.ts';
import { pause } from './pause.ts';

export interface ClockWait extends RequestOptions {
  /** The total time to wait; by default five minutes. */
  waitTimeoutMs?: number | undefined;
}

const defaultWaitTimeoutMs = 300_000;
/** The service's maximum for `Prefer: wait`. */
const longestWaitSeconds = 60;
/** Between two requests. It limits their rate if a proxy does not let responses wait. */
const lookAgainAfterMs = 100;

/** The test clocks, with methods that wait for an advance. */
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
   * Advances a clock and waits until every effect is committed. Returns the clock, which is `ready`.
   * @throws TestClockError if the clock fails, or is not ready in time.
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
   * Waits while a clock is `advancing`, then returns it.
   * @throws TestClockError if the clock has failed, or is still advancing when the time is up.
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
