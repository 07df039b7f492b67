// Telemetry events. Metrics, logs and traces subscribe to them; the code that emits them knows nothing of these.
// Without a subscriber, an event costs one function call. `services/telemetry.ts` has those about payments.

/** A transaction waits for a connection of the pool. */
interface TransactionAwaited {
  kind: 'transaction awaited';
}

/** A transaction has its connection. `waitSeconds` covers the wait and the round trip of `begin`. */
interface TransactionBegun {
  kind: 'transaction begun';
  waitSeconds: number;
}

/** A transaction has released its connection, or never got one (`hadBegun` is false). */
interface TransactionEnded {
  kind: 'transaction ended';
  hadBegun: boolean;
}

/** Lines of this process's log could not be written. Emitted at once, while the log itself cannot report it. */
interface LogLinesLost {
  kind: 'log lines lost';
  lines: number;
}

export type PlatformEvent = TransactionAwaited | TransactionBegun | TransactionEnded | LogLinesLost;

/** The telemetry of this process, for code that knows these events. */
interface Telemetry<Event> {
  /** Calls every subscriber. What a transaction does is emitted after its commit, never before. */
  emit(event: Event): void;
  /** Calls `listener` for each event. It must not throw. Returns a function that unsubscribes. */
  subscribe(listener: (event: Event) => void): () => void;
}

const listeners = new Set<(event: never) => void>();

export function telemetryOf<Event extends { kind: string }>(): Telemetry<Event> {
  return {
    emit(event) {
      for (const listener of listeners) listener(event as never);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const { emit, subscribe } = telemetryOf<PlatformEvent>();

/**
 * Returns the seconds from one instant to another, or 0 if they are in reverse order: two machines' clocks may differ.
 */
export function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1000);
}
