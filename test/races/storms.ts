/** How many times as long every storm lasts: 1 in the suite, as many as RACES says otherwise. */
export const races = Number(process.env.RACES ?? 1);

/** Numbers from 0 up to 1 that follow from the seed alone (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a round of a storm decides by, all from its seed. */
export interface Dice {
  seed: number;
  random(): number;
  /** One of these. */
  pick<T>(choices: readonly T[]): T;
  /** So many different ones of these, or all of them, in any order. */
  some<T>(choices: readonly T[], count: number): T[];
}

function dice(seed: number): Dice {
  const random = seededRandom(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  return {
    seed,
    random,
    pick,
    some(choices, count) {
      const left = [...choices];
      return Array.from({ length: Math.min(count, left.length) }, () => {
        const [taken] = left.splice(Math.floor(random() * left.length), 1);
        return taken as (typeof left)[number];
      });
    },
  };
}

/**
 * Plays a round so many times over, each with dice of its own; a round that fails says its seed. RACES_SEED plays that
 * round alone: it decides the same again, though the machine's own timing is not repeated.
 */
export async function storm(rounds: number, play: (dice: Dice) => Promise<void>): Promise<void> {
  const { RACES_SEED } = process.env;
  const first = RACES_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(RACES_SEED);
  const count = RACES_SEED === undefined ? rounds * races : 1;
  for (let round = 0; round < count; round++) {
    const seed = first + round;
    await play(dice(seed)).catch((error: unknown) => {
      throw new Error(`round ${round + 1} of ${count} has failed: RACES_SEED=${seed}`, { cause: error });
    });
  }
}
