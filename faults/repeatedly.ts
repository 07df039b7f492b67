import { setTimeout as pause } from 'node:timers/promises';

const startTries = 120;
const startAgainMs = 250;

/**
 * Starts a server that was killed, until it comes up: its processes may still hold their memory for a moment, and what it
 * stands on may be away. Throws the last failure after half a minute or more.
 */
export async function repeatedly<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === startTries) throw error;
      await pause(startAgainMs);
    }
  }
}
