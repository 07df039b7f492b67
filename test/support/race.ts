import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Does its work after this side's delay. */
type Starter = <T>(work: () => Promise<T>) => Promise<T>;

export interface Race {
  first: Starter;
  second: Starter;
}

/** After the usual rounds. The last of them delay a side by twice what a whole round takes, so the other must win. */
const moreRounds = 32;

/**
 * Runs a race in `rounds` rounds, in which each side begins up to 3 ms after the other. `round` returns which side has
 * won. If one side has won all, more rounds follow, in which that side begins later and later, measured by what a round
 * takes here. So a busy machine does not decide. @throws unless both sides have won.
 */
export async function untilBothHaveWon(rounds: number, round: (race: Race) => Promise<keyof Race>): Promise<void> {
  const winners = new Set<keyof Race>();
  let longestMs = 0;
  for (let count = 0; count < rounds || (winners.size < 2 && count < rounds + moreRounds); count++) {
    const lateMs = Math.ceil((Math.max(0, count - rounds + 1) / (moreRounds / 2)) * longestMs);
    const delays = { first: count % 4, second: (count >> 2) % 4 };
    const [winner] = winners;
    if (winner !== undefined && count >= rounds) delays[winner] += lateMs;
    const starter =
      (side: keyof Race): Starter =>
      (work) =>
        pause(delays[side]).then(work);
    const begunAt = performance.now();
    winners.add(await round({ first: starter('first'), second: starter('second') }));
    if (count < rounds) longestMs = Math.max(longestMs, performance.now() - begunAt);
  }
  assert.deepEqual([...winners].sort(), ['first', 'second'], 'one of the two has won every race');
}
