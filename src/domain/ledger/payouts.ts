/** What can become of a payout. */
export const payoutStatuses = ['in_transit', 'paid', 'failed'] as const;

export type PayoutStatus = (typeof payoutStatuses)[number];

/** The words of `metadata._sandbox_payout`. */
const payoutWords = ['paid', 'fail'] as const;

/** A word of `metadata._sandbox_payout`: what becomes of a payout that the payment is in. */
export type PayoutWord = (typeof payoutWords)[number];

/** The code of a payout that the sandbox has failed. Stripe's word for a bank that refuses it. */
export const payoutFailureCode = 'declined';

/**
 * Returns the words of a `_sandbox_payout`, one for each payout that the payment is in, separated by commas without
 * spaces. Null when a word is unknown or the text is empty: the metadata then fails validation. Never throws.
 */
export function parsePayoutWords(text: string): PayoutWord[] | null {
  const words = text.split(',').map((part) => payoutWords.find((known) => known === part));
  return words.every((word) => word !== undefined) ? words : null;
}

/**
 * Returns whether the sandbox fails a payout. `payments` are those of its payments that say something about it: the
 * text of their `_sandbox_payout`, and how many payouts they were in before. The last word repeats (books, settled
 * point 5). A text that is not valid says nothing: it may be older than the word.
 */
export function isFailingPayout(payments: readonly { words: string; before: number }[]): boolean {
  return payments.some(({ words: text, before }) => {
    const words = parsePayoutWords(text);
    return (words?.[before] ?? words?.at(-1)) === 'fail';
  });
}
