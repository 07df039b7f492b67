import type { PaymentsClient, TestClock } from '@payments-service/client';

const defaultTimeoutMs = 60_000;
const lookAgainAfterMs = 50;

/** A test clock of a sandbox. */
export class SandboxClock {
  readonly #payments: PaymentsClient;
  #state: TestClock;

  constructor(payments: PaymentsClient, state: TestClock) {
    this.#payments = payments;
    this.#state = state;
  }

  get id(): string {
    return this.#state.id;
  }

  /** The clock as last fetched. */
  get state(): TestClock {
    return this.#state;
  }

  /**
   * Advances the clock to an instant, in several advances if it is beyond the bound of one. Returns the clock when all
   * effects are committed and each webhook about its customers was delivered or given up, those of requests included.
   * @throws Error if a webhook is still pending after `timeoutMs` (a minute), TestClockError if the clock fails.
   */
  async advance(to: string | Date, { timeoutMs = defaultTimeoutMs } = {}): Promise<TestClock> {
    const { testClocks } = this.#payments;
    const target = new Date(to).getTime();
    let now = await testClocks.get(this.id);
    do {
      const bound = now.max_frozen_time === null ? target : Date.parse(now.max_frozen_time);
      const frozen_time = new Date(Math.min(bound, target)).toISOString();
      now = await testClocks.advanceAndWait(this.id, { frozen_time });
      now = await this.#delivered(now, timeoutMs);
    } while (Date.parse(now.frozen_time) < target);
    return now;
  }

  /** Deletes the clock with all its customers and their objects. */
  async delete(): Promise<void> {
    await this.#payments.testClocks.delete(this.id);
  }

  async #delivered(clock: TestClock, timeoutMs: number): Promise<TestClock> {
    const giveUpAt = performance.now() + timeoutMs;
    this.#state = clock;
    for (;;) {
      const { pending } = this.#state.webhook_deliveries;
      if (pending === 0) return this.#state;
      if (performance.now() > giveUpAt) {
        throw new Error(`${pending} webhooks of the clock are still pending after ${timeoutMs} ms.`);
      }
      await new Promise((resolve) => setTimeout(resolve, lookAgainAfterMs));
      this.#state = await this.#payments.testClocks.get(this.id);
    }
  }
}
