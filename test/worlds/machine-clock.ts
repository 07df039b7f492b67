/** The time of day of this process, which stands still. Timers and `performance.now()` run on. */
export interface StandingClock {
  set(at: number): void;
  /** The process has the machine's time again. */
  release(): void;
}

/**
 * Lets the time of day of this process stand still at `at` (epoch ms), for a program that tells a story of weeks. All
 * code of the process is affected, its packages too, but not that of workflows: these have Temporal's time.
 */
export function standStill(at: number): StandingClock {
  const machineDate = globalThis.Date;
  let present = at;
  globalThis.Date = new Proxy(machineDate, {
    construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [present] : args, self),
    get: (target, name, self) => (name === 'now' ? () => present : Reflect.get(target, name, self)),
  });
  return {
    set(next) {
      present = next;
    },
    release() {
      globalThis.Date = machineDate;
    },
  };
}
