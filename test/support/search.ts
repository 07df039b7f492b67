/** How long a random search takes in a usual run, in seconds. `npm run test:search` searches longer. */
const usualSeconds = 10;
const seconds = Number(process.env.SEARCH_SECONDS ?? usualSeconds);

/** How long each test that searches at random may take: SEARCH_SECONDS, or ten seconds. */
export const searchMs = seconds * 1_000;

/** How many random lives a test has time for, if it is given `usual` in a usual run. */
export const searchRuns = (usual: number): number => Math.ceil((usual * seconds) / usualSeconds);

/** The seed of this run's random lives; SEARCH_SEED repeats those of another run. */
export const searchSeed = Number(process.env.SEARCH_SEED ?? Math.trunc(Math.random() * 2 ** 31));
