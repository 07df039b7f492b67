import { setupPlaceOf } from '../db/card-setups.ts';
import { findSession, priceFor, type SessionForPayer } from '../services/links/public-tokens.ts';
import { findCardSetup } from '../services/pages/card-setups.ts';
import { payeeOf } from '../services/pages/paying.ts';
import { paidByDefault, unpaidPaymentOf } from '../services/pages/purchase.ts';
import { savedCards } from '../services/pages/saved-cards.ts';
import type { CheckoutView } from './checkout-form.ts';
import { comingOf, payerAs, tokenPattern } from './link-page.ts';
import { chosenMethod, type Entered, newCard, offeredMethods, waysOf } from './offered-methods.ts';
import type { PageRequest } from './page-request.ts';

/** Reads the session of a page, and what its form shows. Null for an unknown token. Writes nothing. */
export async function findCheckout(request: PageRequest): Promise<CheckoutView | null> {
  const { deps, token, now } = request;
  const found = tokenPattern.test(token) ? await findSession(deps.sql, token, now) : null;
  if (found === null) return null;
  const { session, state } = found;
  const [payee, saved] = await Promise.all([
    payeeOf(deps.sql, found.biller, session.livemode),
    state === 'open' ? savedCards(deps.sql, found) : [],
  ]);
  const ways = waysOf(deps, session, saved, state === 'open' ? await enteredIn(request, session) : null);
  if (state !== 'open') return { found, payee, ways, method: null, coming: null, unpaid: null, paidByDefault: [] };
  const offered = offeredMethods(ways);
  const method = offered.get(chosenMethod(request.form, offered)) ?? null;
  const price = priceFor(found, session.amount, method);
  const { context, payer } = payerAs(request, session, found, method);
  const [coming, unpaid, usual] = await Promise.all([
    comingOf(request, session, found, method),
    unpaidPaymentOf(deps.sql, context, found.intent, payer),
    paidByDefault(deps.sql, session),
  ]);
  return { found: { ...found, price }, payee, ways, method, coming, unpaid, paidByDefault: usual };
}

/** The card that the payer of this form has entered, if the processor has told it. Asks no processor. */
async function enteredIn({ deps, form }: PageRequest, session: SessionForPayer['session']): Promise<Entered | null> {
  if (!session.livemode || form.get('method') !== newCard) return null;
  const handle = form.get('setup') ?? '';
  const setup = await findCardSetup(deps.sql, setupPlaceOf(session), handle);
  return setup === null || setup.card === null || setup.is_spent ? null : { handle, card: setup.card };
}
