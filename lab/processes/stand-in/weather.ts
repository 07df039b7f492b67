import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * What may happen to one call. The first three take no money; the others take it, and what is lost is the answer.
 * `slow` waits for so many milliseconds before the answer.
 */
export type Weather =
  | 'reset'
  | 'rate_limited'
  | 'busy'
  | 'answer_lost'
  | 'error_500'
  | 'html'
  | 'truncated'
  | `slow_${number}`;

/** Weather for all calls: a share of them, chosen by the seed, meets one of these kinds. */
export interface Climate {
  seed: string;
  /** From 0 to 1. */
  share: number;
  kinds: Weather[];
}

/** The metadata of a payment that chooses the weather of each call under a key, in order, such as `reset,slow_500`. */
export const weatherKey = '_stand_in';

/** Calls under one key after which the climate leaves it alone. */
const mostOfAKey = 3;

const known = /^(?:reset|rate_limited|busy|answer_lost|error_500|html|truncated|slow_\d{1,6})$/;

/**
 * Returns the weather of the nth call (from 1) under a key; null for none. The metadata of the payment decides, else
 * the climate in the file, which may be rewritten at any time.
 */
export function weatherOf(
  climateFile: string,
  { key, nth, metadata }: { key: string; nth: number; metadata: Record<string, string> },
): Weather | null {
  const chosen = metadata[weatherKey];
  if (chosen !== undefined) return asWeather(chosen.split(',')[nth - 1]);
  const climate = readClimate(climateFile);
  if (climate === null || nth > mostOfAKey) return null;
  const draw = createHash('sha256').update(`${climate.seed}/${key}/${nth}`).digest();
  if (draw.readUInt32BE(0) / 2 ** 32 >= climate.share) return null;
  return climate.kinds[draw.readUInt32BE(4) % climate.kinds.length] ?? null;
}

function asWeather(word: string | undefined): Weather | null {
  return word !== undefined && known.test(word) ? (word as Weather) : null;
}

function readClimate(file: string): Climate | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null; // there is none, or it is being written
  }
}
