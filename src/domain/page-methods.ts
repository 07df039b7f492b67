/** A type of payment method that the pages for payers take. */
export type PageMethodType = 'card' | 'au_becs_debit';

/** Where a page takes methods. In live mode cards are entered in fields of the processor, if it has them. */
interface Place {
  livemode: boolean;
  hasCardFields: boolean;
}

/** Returns which of these types a page takes. */
export function takenOnPages(types: readonly PageMethodType[], { livemode, hasCardFields }: Place): PageMethodType[] {
  return types.filter((type) => type !== 'card' || !livemode || hasCardFields);
}
