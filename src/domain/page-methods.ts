/** A type of payment method that the pages for payers take. */
export type PageMethodType = 'card' | 'au_becs_debit';

/** Returns which of these types the pages take. In live mode cards are entered at the processor, never on our pages. */
export function takenOnPages(types: readonly PageMethodType[], livemode: boolean): PageMethodType[] {
  return types.filter((type) => type !== 'card' || !livemode);
}
