import type { CheckoutSessionRow } from '../db/checkout-sessions.ts';
import { fixtureCards } from '../domain/cards.ts';
import { type PageMethodType, takenOnPages } from '../domain/page-methods.ts';
import type { MethodFacts } from '../domain/surcharges/means.ts';
import type { SavedCard } from '../services/pages/saved-cards.ts';

/** The value of the radio button of a bank account. */
export const bankAccount = 'au_becs_debit';

/** The types of methods that the page of a link or session offers. */
export function methodTypes({
  payment_method_types: types,
  livemode,
}: Pick<CheckoutSessionRow, 'payment_method_types' | 'livemode'>): readonly PageMethodType[] {
  return takenOnPages(types, livemode);
}

/** Returns the ways to pay that a form offers, by the values of their radio buttons, in their order. */
export function offeredMethods(
  types: readonly string[],
  saved: readonly SavedCard[],
): ReadonlyMap<string, MethodFacts> {
  const card = { type: 'card', instrument_data: {} } as const;
  return new Map<string, MethodFacts>([
    ...saved.map(({ id, brand, instrument }) => [id, { brand, instrument }] as const),
    ...(types.includes('card') ? fixtureCards : []).map(
      ({ token, brand }) => [token, { brand, instrument: card }] as const,
    ),
    ...(types.includes(bankAccount)
      ? [[bankAccount, { brand: null, instrument: { type: bankAccount, instrument_data: {} } }] as const]
      : []),
  ]);
}

/** Returns the value of the button that is chosen: by the payer, or the first one. */
export function chosenMethod(form: URLSearchParams, offered: ReadonlyMap<string, MethodFacts>): string {
  const chosen = form.get('method');
  return chosen !== null && offered.has(chosen) ? chosen : (offered.keys().next().value ?? bankAccount);
}
