import { findFixtureCard } from './cards.ts';
import { type ChargeOutcome, declined } from './charge-outcome.ts';
import type { MinorUnits } from './units.ts';

const outcomeWords = ['succeed', 'decline', 'requires_action', 'timeout'] as const;

/** A word of `metadata._sandbox_outcome` (contract: `_sandbox_outcome` values). */
export type SandboxOutcomeWord = (typeof outcomeWords)[number];

const succeeded: ChargeOutcome = { kind: 'succeeded' };

/** The contract's tables for words and for amounts name the same four outcomes. */
const outcomeOfWord: Readonly<Record<SandboxOutcomeWord, ChargeOutcome>> = {
  succeed: succeeded,
  decline: declined('insufficient_funds'),
  requires_action: { kind: 'requires_action' },
  timeout: declined('gateway_timeout'),
};

/**
 * Returns the words of a `_sandbox_outcome`, one for each attempt, separated by commas without spaces. Null when a word
 * is unknown or the text is empty: the metadata then fails validation (decisions: `_sandbox_outcome` may be a list).
 * Never throws.
 */
export function parseSandboxOutcomes(text: string): SandboxOutcomeWord[] | null {
  const words: SandboxOutcomeWord[] = [];
  for (const part of text.split(',')) {
    const word = outcomeWords.find((known) => known === part);
    if (word === undefined) return null;
    words.push(word);
  }
  return words;
}

/**
 * Returns the outcomes of each paid period of a subscription: lists of words as above, separated by semicolons. Null
 * when one is not such a list. Never throws.
 */
export function parseOutcomesByPeriod(text: string): string[] | null {
  const lists = text.split(';');
  return lists.every((list) => parseSandboxOutcomes(list) !== null) ? lists : null;
}

/**
 * Returns the words of a paid period after `before` others; the last list repeats.
 * @throws RangeError for a text that validation has refused.
 */
export function outcomesOfPeriod(text: string, before: number): string {
  const lists = parseOutcomesByPeriod(text);
  const list = lists?.[before] ?? lists?.at(-1);
  if (list === undefined) throw new RangeError(`not outcomes by period: ${text}`);
  return list;
}

/**
 * Returns the sandbox's outcome of a charge (contract: Outcome precedence; decisions: outcomes look at `amount`). In
 * order of precedence:
 * - the metadata's word for this attempt, counted from 1; the last word repeats
 * - the fixture of the saved payment method, whatever the amount
 * - the last two digits of the base amount
 * - success
 * @throws RangeError for an unknown word or fixture token, which validation has already refused, and for an invalid
 * attempt or amount.
 */
export function sandboxChargeOutcome(input: {
  metadataOutcome: string | undefined;
  attempt: number;
  fixtureToken: string | null;
  amount: MinorUnits;
}): ChargeOutcome {
  const { metadataOutcome, attempt, fixtureToken, amount } = input;
  if (metadataOutcome !== undefined) return outcomeByMetadata(metadataOutcome, attempt);
  if (fixtureToken !== null) return outcomeByFixture(fixtureToken);
  return outcomeByAmount(amount);
}

/**
 * Returns the sandbox's outcome of a refund (contract: Sandbox test behaviour, refunds). In the refund's
 * `_sandbox_refund_outcome`, `fail` fails and `succeed` succeeds: metadata precedes amounts, as for charges. Otherwise
 * an amount that ends in 03 fails, and all others succeed.
 * @throws RangeError for an invalid amount.
 */
export function sandboxRefundOutcome(input: {
  metadataOutcome: string | undefined;
  amount: MinorUnits;
}): { kind: 'succeeded' } | { kind: 'failed' } {
  if (input.metadataOutcome === 'fail') return { kind: 'failed' };
  if (input.metadataOutcome === 'succeed') return { kind: 'succeeded' };
  return lastTwoDigits(input.amount) === 3 ? { kind: 'failed' } : { kind: 'succeeded' };
}

function outcomeByMetadata(text: string, attempt: number): ChargeOutcome {
  if (!Number.isSafeInteger(attempt) || attempt < 1) throw new RangeError(`not an attempt number: ${attempt}`);
  const words = parseSandboxOutcomes(text);
  const word = words?.[attempt - 1] ?? words?.at(-1);
  if (word === undefined) throw new RangeError(`not a list of sandbox outcomes: ${text}`);
  return outcomeOfWord[word];
}

function outcomeByFixture(token: string): ChargeOutcome {
  const card = findFixtureCard(token);
  if (card === null) throw new RangeError(`not a fixture token: ${token}`);
  return card.outcome;
}

function outcomeByAmount(amount: MinorUnits): ChargeOutcome {
  switch (lastTwoDigits(amount)) {
    case 1:
      return outcomeOfWord.decline;
    case 2:
      return outcomeOfWord.requires_action;
    case 99:
      return outcomeOfWord.timeout;
    default:
      return succeeded;
  }
}

function lastTwoDigits(amount: MinorUnits): number {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`not an amount in minor units: ${amount}`);
  return amount % 100;
}
