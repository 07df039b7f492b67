import type { EnteredCard } from '../db/card-setups.ts';
import type { CheckoutSessionRow } from '../db/checkout-sessions.ts';
import { fixtureCards } from '../domain/cards.ts';
import { type PageMethodType, takenOnPages } from '../domain/page-methods.ts';
import { type MethodFacts, networks } from '../domain/surcharges/means.ts';
import type { SavedCard } from '../services/pages/saved-cards.ts';
import { cardFieldsOf, type PagesDeps } from './page-request.ts';

/** The value of the radio button of a bank account. */
export const bankAccount = 'au_becs_debit';

/** The value of the radio button of a card that is entered in the processor's fields, in live mode. */
export const newCard = 'card';

/** A card that the payer has entered in the processor's fields, and the handle of its setup. */
export interface Entered {
  handle: string;
  card: EnteredCard;
}

/** The ways to pay of a page. */
export interface Ways {
  types: readonly PageMethodType[];
  saved: readonly SavedCard[];
  livemode: boolean;
  /** The card that this payer has entered, if that is known. */
  entered: Entered | null;
}

/** Returns the ways to pay that the page of a link or a session offers. */
export function waysOf(
  deps: PagesDeps,
  { payment_method_types: types, livemode }: Pick<CheckoutSessionRow, 'payment_method_types' | 'livemode'>,
  saved: readonly SavedCard[] = [],
  entered: Entered | null = null,
): Ways {
  const hasCardFields = cardFieldsOf(deps) !== null;
  return { types: takenOnPages(types, { livemode, hasCardFields }), saved, livemode, entered };
}

const unknownCard: MethodFacts = { brand: null, instrument: { type: 'card', instrument_data: {} } };

/** What is known of a card that was entered. */
function factsOf({ card }: Entered): MethodFacts {
  return { brand: card.card_brand ?? null, instrument: { type: 'card', instrument_data: card } };
}

/** Returns the ways to pay that a form offers, by the values of their radio buttons, in their order. */
export function offeredMethods({ types, saved, livemode, entered }: Ways): ReadonlyMap<string, MethodFacts> {
  const cards: [string, MethodFacts][] = livemode
    ? [[newCard, entered === null ? unknownCard : factsOf(entered)]]
    : fixtureCards.map(({ token, brand }) => [token, { ...unknownCard, brand }]);
  return new Map<string, MethodFacts>([
    ...saved.map(({ id, brand, instrument }) => [id, { brand, instrument }] as const),
    ...(types.includes('card') ? cards : []),
    ...(types.includes(bankAccount)
      ? [[bankAccount, { brand: null, instrument: { type: bankAccount, instrument_data: {} } }] as const]
      : []),
  ]);
}

/** The same with all that each may turn out to be: a card that is not known yet may be of any network. */
export function possibleMethods(ways: Ways): ReadonlyMap<string, readonly MethodFacts[]> {
  const ofAnyNetwork = networks.map((network) => ({ ...unknownCard, brand: network }));
  return new Map(
    [...offeredMethods(ways)].map(([value, method]) => [
      value,
      method === unknownCard ? [method, ...ofAnyNetwork] : [method],
    ]),
  );
}

/** Returns the value of the button that is chosen: by the payer, or the first one. */
export function chosenMethod(form: URLSearchParams, offered: ReadonlyMap<string, MethodFacts>): string {
  const chosen = form.get('method');
  return chosen !== null && offered.has(chosen) ? chosen : (offered.keys().next().value ?? bankAccount);
}
