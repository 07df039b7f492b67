type Ending = () => Promise<void>;

const endings: Ending[] = [];

/** Has something that a test file started for the whole run ended after all tests; the last one first. */
export function atEndOfRun(end: Ending): void {
  endings.push(end);
}

/** Ends all of it. */
export async function endRun(): Promise<void> {
  for (const end of endings.splice(0).toReversed()) await end();
}

/** For what starts a server: `npm run test:unit` has none. @throws in a run of unit tests. */
export function refuseInUnitTests(): void {
  if (process.env.TEST_UNIT)
    throw new Error('A unit test needs no server. Remove it, or let tools/unit-tests.mjs know what starts it.');
}
