/** A time that can be moved, and what is due in it. */
export interface Movable {
  /** Moves to an instant at which something is due, or to the next at which something is done, and lets it happen. */
  moveTo(at: number): Promise<void>;
  /** The first instant up to `until` at which something is due; null for none. */
  nextDue(until: number): Promise<number | null>;
}

interface Waiting {
  at: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * One time for several stories, since a server has but one and it runs only forward. Time moves on when all of them
 * wait: from due instant to due instant, up to the first at which one of them goes on.
 */
export class Timeline {
  readonly #time: Movable;
  #present: number;
  #stories: number;
  #waiting: Waiting[] = [];

  constructor(time: Movable, present: number, stories: number) {
    this.#time = time;
    this.#present = present;
    this.#stories = stories;
  }

  /** Waits until that instant has come, and all that was due up to it is done. */
  reach(at: number): Promise<void> {
    if (at <= this.#present) return Promise.resolve();
    const reached = new Promise<void>((resolve, reject) => this.#waiting.push({ at, resolve, reject }));
    this.#moveIfAllWait();
    return reached;
  }

  /** A story has ended; the others need not wait for it. */
  leave(): void {
    this.#stories -= 1;
    this.#moveIfAllWait();
  }

  #moveIfAllWait(): void {
    if (this.#waiting.length === 0 || this.#waiting.length < this.#stories) return;
    const target = Math.min(...this.#waiting.map(({ at }) => at));
    this.#move(target).then(
      () => {
        for (const { resolve } of this.#take(target)) resolve();
      },
      (error: unknown) => {
        for (const { reject } of this.#take(Number.POSITIVE_INFINITY)) reject(error);
      },
    );
  }

  async #move(target: number): Promise<void> {
    while (this.#present < target) {
      const at = Math.min((await this.#time.nextDue(target)) ?? target, target);
      this.#present = Math.max(at, this.#present);
      await this.#time.moveTo(this.#present);
    }
  }

  #take(until: number): Waiting[] {
    const taken = this.#waiting.filter(({ at }) => at <= until);
    this.#waiting = this.#waiting.filter(({ at }) => at > until);
    return taken;
  }
}
