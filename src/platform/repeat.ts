/** Work that is done again and again, until it is closed. */
export interface Repetition {
  /** Starts the next run now instead of after the pause. During a run, the next one follows it at once. */
  wake(): void;
  /** Starts no further run and waits for the one under way. */
  close(): Promise<void>;
}

export interface RepeatOptions {
  /** The pause between two runs, in milliseconds. */
  everyMs: number;
  /** The pause after a run that failed, in milliseconds; by default `everyMs`. */
  afterErrorMs?: number;
  /** Receives the error of a run that failed. Not called while closing. It must not throw. */
  onError: (error: unknown) => void;
}

/**
 * Runs `work` at once, and again after each pause. Runs never overlap: a pause begins when a run has ended. A run may
 * return the length of the pause that follows it, in milliseconds: 0 for none, Infinity to pause until `wake`. Its
 * signal is aborted by `close`, so that long work can end early.
 */
export function repeat(
  work: (closing: AbortSignal) => Promise<number | undefined> | Promise<void>,
  { everyMs, afterErrorMs = everyMs, onError }: RepeatOptions,
): Repetition {
  const closing = new AbortController();
  let isWoken = false;
  let endPause = (): void => {};

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      isWoken = false;
      const pauseMs = await once();
      if (pauseMs > 0 && !isWoken && !closing.signal.aborted) await pause(pauseMs);
    }
  }

  async function once(): Promise<number> {
    try {
      const pauseMs = await work(closing.signal);
      return typeof pauseMs === 'number' ? pauseMs : everyMs;
    } catch (error) {
      if (!closing.signal.aborted) onError(error);
      return afterErrorMs;
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const ended = run();
  return {
    wake() {
      isWoken = true;
      endPause();
    },
    async close() {
      closing.abort();
      endPause();
      await ended;
    },
  };
}
