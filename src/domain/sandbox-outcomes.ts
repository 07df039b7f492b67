import { findFixtureCard } from './cards.ts';
import { type ChargeOutcome, declined } from './charge-outcome.ts';

const outcomeWords = ['succeed', 'decline', 'requires_action', 'timeout'] as const;

/** A word of `metadata._sandbox_outcome` (contract: `_sandbox_outcome` values). */
export type SandboxOutcomeWord = (typeof outcomeWords)[number];

const succeeded: ChargeOutcome = { kind: 'succeeded' };

/** The rows of the tables that the contract gives for words and for amounts, which name the same four outcomes. */
const outcomeOfWord: Readonly<Record<SandboxOutcomeWord, ChargeOutcome>> = {
  succeed: succeeded,
  decline: declined('insufficient_funds'),
  requires_action: { kind: 'requires_action' },
  timeout: declined('gateway_timeout'),
};

/**
 * The words of a `_sandbox_outcome`, one for each attempt, written with commas and nothing else between them; null when
 * any word is unknown or none is there, which is a validation failure of the metadata (decisions: `_sandbox_outcome`
 * may be a list). Never throws.
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
 * What the sandbox answers to a charge: the metadata's word for this attempt (from 1; the last word repeats), else the
 * saved method's fixture whatever the amount, else by the last two digits of the base amount in minor units, else
 * success (contract: Outcome precedence; decisions: outcomes look at `amount`). Throws RangeError for an unknown word
 * or fixture token, both refused at the door, and for an attempt or amount that is none.
 */
export function sandboxChargeOutcome(input: {
  metadataOutcome: string | undefined;
  attempt: number;
  fixtureToken: string | null;
  amount: number;
}): ChargeOutcome {
  const { metadataOutcome, attempt, fixtureToken, amount } = input;
  if (metadataOutcome !== undefined) return outcomeByMetadata(metadataOutcome, attempt);
  if (fixtureToken !== null) return outcomeByFixture(fixtureToken);
  return outcomeByAmount(amount);
}

/**
 * What the sandbox answers to a refund: `fail` in the refund's `_sandbox_refund_outcome` fails, `succeed` succeeds, as
 * metadata precedes amounts for charges too; else an amount (minor units) ending in 03 fails and all else succeeds
 * (contract: Sandbox test behaviour, refunds). Throws RangeError for an amount that is none.
 */
export function sandboxRefundOutcome(input: {
  metadataOutcome: string | undefined;
  amount: number;
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

function outcomeByAmount(amount: number): ChargeOutcome {
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

function lastTwoDigits(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`not an amount in minor units: ${amount}`);
  return amount % 100;
}
