import type { PaymentsClient } from '../client.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import type { Event } from '../generated/models.ts';
import { pause } from '../pause.ts';
import { UsageError } from './command.ts';

export interface FeedOptions {
  signal: AbortSignal;
  /** Only events of this test clock. */
  clock?: string | undefined;
  /** Whether a service that is away is an error. By default it is waited for. */
  failsWhenAway?: boolean;
  /** Called when the service stops responding, with the reason, and when it responds again, with null. */
  onOutage(reason: string | null): void;
}

const lookAgainAfterMs = 400;
const longestWaitMs = 2_000;
const pageSize = 100;

/** Reads the events of an account in the order of their `sequence`, and waits out a service that is away. */
export class EventFeed {
  readonly #payments: PaymentsClient;
  readonly #options: FeedOptions;

  constructor(payments: PaymentsClient, options: FeedOptions) {
    this.#payments = payments;
    this.#options = options;
  }

  /** Returns the newest event, or null if there is none. */
  async newest(): Promise<Event | null> {
    return (await this.#page({ limit: 1 })).data[0] ?? null;
  }

  /** Whether the service still has this event. A service whose data was replaced does not. */
  async has(id: string): Promise<boolean> {
    return this.#patiently(async () => {
      try {
        await this.#payments.events.get(id, { maxRetries: 0, signal: this.#options.signal });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    });
  }

  /** Yields the events after this sequence, oldest first, and then those that come, until the signal ends it. */
  async *follow(after: number): AsyncGenerator<Event, void, undefined> {
    for (let place = after; ; ) {
      const newest = await this.newest();
      if (newest === null || newest.sequence <= place) {
        await pause(lookAgainAfterMs, this.#options.signal);
        continue;
      }
      for await (const event of this.after(place)) {
        yield event;
        place = event.sequence;
      }
    }
  }

  /**
   * Yields the events after this sequence that exist now, oldest first. The list is newest first: it is walked back
   * page by page, and only the cursors of the pages are kept. The page after a cursor never changes; the first page has
   * no cursor, so it is kept.
   */
  async *after(sequence: number): AsyncGenerator<Event, void, undefined> {
    const first = await this.#page({ limit: pageSize });
    const cursors: string[] = [];
    for (let page = first; page.has_more; ) {
      const last = page.data.at(-1);
      if (last === undefined || last.sequence <= sequence + 1) break;
      cursors.push(last.id);
      page = await this.#page({ limit: pageSize, starting_after: last.id });
    }
    const wanted = (event: Event) => event.sequence > sequence;
    for (const cursor of cursors.reverse()) {
      const { data } = await this.#page({ limit: pageSize, starting_after: cursor });
      yield* data.filter(wanted).reverse();
    }
    yield* first.data.filter(wanted).reverse();
  }

  #page(query: { limit: number; starting_after?: string }) {
    const { clock, signal } = this.#options;
    const request = clock === undefined ? query : { ...query, test_clock: clock };
    return this.#patiently(() => this.#payments.events.list(request, { maxRetries: 0, signal }));
  }

  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        const result = await ask();
        if (failures > 0) this.#options.onOutage(null);
        return result;
      } catch (error) {
        if (!mayPass(error) || this.#options.failsWhenAway) throw error;
        if (failures === 0) this.#options.onOutage(error instanceof Error ? error.message : String(error));
        await pause(Math.min(longestWaitMs, 100 * 2 ** failures), this.#options.signal);
      }
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status >= 500 || error.status === 429);
}

/** Returns the sequence after which to begin: `beginning`, a sequence, or the id of an event. @throws UsageError. */
export async function startOf(since: string, payments: PaymentsClient): Promise<number> {
  if (since === 'beginning') return 0;
  if (/^\d+$/.test(since)) return Number(since);
  if (since.startsWith('evt_')) return (await payments.events.get(since)).sequence;
  throw new UsageError('--since takes an event (evt_…), the sequence of an event, or "beginning".');
}
