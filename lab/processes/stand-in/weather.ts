import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The calls of the protocol that meet weather. The list of movements never does. */
export type CallKind = 'prepare' | 'charge' | 'inquire' | 'cancel' | 'refund' | 'inquireRefund';

/**
 * What may happen to one call. In the first five it has no effect. In the others it has, and what is lost is the
 * answer. A stored 500 is the answer to every further call too. `refused_after` has charged and says that it refuses;
 * `failed_after` has charged and says that it was declined; `untaken` has not charged and says that it was paid. `slow`
 * waits for so many milliseconds before the answer.
 */
export type Weather =
  | 'reset_before'
  | 'rate_limited'
  | 'busy'
  | 'refused'
  | 'untaken'
  | 'refused_after'
  | 'failed_after'
  | 'answer_lost'
  | 'error_500'
  | 'http_500_stored'
  | 'html'
  | 'truncated'
  | `slow_${number}`;

/** Weather for all calls: a share of them, chosen by the seed, meets one of these kinds. */
export interface Climate {
  seed: string;
  /** From 0 to 1. */
  share: number;
  kinds: Weather[];
  /** The processor has forgotten its keys, as some do after a day: each `prepare` is a new reservation. */
  forgetsKeys?: boolean;
}

/**
 * The metadata of a payment that chooses the weather of its calls: each call of a kind for an attempt takes the next
 * word, such as `reset_before,slow_500`. The list begins anew with each attempt, and with each refund.
 */
const weatherKeys: Record<CallKind, string> = {
  charge: '_stand_in',
  refund: '_stand_in',
  prepare: '_stand_in_prepare',
  inquire: '_stand_in_inquire',
  inquireRefund: '_stand_in_inquire',
  cancel: '_stand_in_cancel',
};

/** Weather that only a charge or a refund meets: it has been made, and the answer is about it. */
const ofMoneyAlone: readonly Weather[] = ['refused_after', 'failed_after', 'untaken', 'http_500_stored'];

/** Calls of a kind under one key after which the climate leaves it alone. */
const mostOfAKey = 3;

const known =
  /^(?:reset_before|rate_limited|busy|refused|untaken|refused_after|failed_after|answer_lost|error_500|http_500_stored|html|truncated|slow_\d{1,6})$/;

/**
 * Returns the weather of the nth call (from 1) of this kind under a key; null for none. The metadata of the payment
 * decides, else the climate in the file, which may be rewritten at any time.
 */
export function weatherOf(
  climate: Climate | null,
  { kind, key, nth, metadata }: { kind: CallKind; key: string; nth: number; metadata: Record<string, string> },
): Weather | null {
  const movesMoney = kind === 'charge' || kind === 'refund';
  const weather = wordOf(climate, { kind, key, nth, metadata });
  return weather === null || movesMoney || !ofMoneyAlone.includes(weather) ? weather : null;
}

function wordOf(
  climate: Climate | null,
  { kind, key, nth, metadata }: { kind: CallKind; key: string; nth: number; metadata: Record<string, string> },
): Weather | null {
  const chosen = metadata[weatherKeys[kind]];
  if (chosen !== undefined) return asWeather(chosen.split(',')[nth - 1]);
  if (climate === null || nth > mostOfAKey) return null;
  const draw = createHash('sha256').update(`${climate.seed}/${kind}/${key}/${nth}`).digest();
  if (draw.readUInt32BE(0) / 2 ** 32 >= climate.share) return null;
  return climate.kinds[draw.readUInt32BE(4) % climate.kinds.length] ?? null;
}

function asWeather(word: string | undefined): Weather | null {
  return word !== undefined && known.test(word) ? (word as Weather) : null;
}

/** Returns the climate in the file; null if there is none, or if it is being written. */
export function readClimate(file: string): Climate | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
