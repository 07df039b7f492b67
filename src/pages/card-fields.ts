// The processor's fields for cards on live pages and in live widgets. Our script asks for them with a form of the page;
// a GET asks nothing.
import { type SetupPlace, setupPlaceOf } from '../db/card-setups.ts';
import { type BegunSetup, beginCardSetup, findCardSetup, readEnteredCard } from '../services/pages/card-setups.ts';
import { addressSubject, countUse, pageLimits } from '../services/pages/page-limits.ts';
import type { Payee } from '../services/pages/paying.ts';
import { action } from './checkout-form.ts';
import { findCheckout } from './checkout-view.ts';
import { postedVersion } from './forms.ts';
import { cardInWords } from './method-fields.ts';
import type { Entered, Ways } from './offered-methods.ts';
import { type Answer, cardFieldsOf, type PageRequest, type PageRoute } from './page-request.ts';
import { notFound } from './plain-pages.ts';

const later = 'The fields for the card cannot be shown at the moment. Wait a moment, then load this page again.';

/** Begins, or goes on with, the setup in which this browser enters a card for a session. */
async function setup(request: PageRequest): Promise<Answer> {
  if (postedVersion(request, action) === null) return openForTooLong;
  const view = await findCheckout(request);
  if (view === null) return notFound;
  const { session, state } = view.found;
  if (state !== 'open') return says(409, 'This page has changed. Load it again.');
  return setupFor(request, setupPlaceOf(session), view);
}

/** What the script of a page is told whose form is too old. */
export const openForTooLong = says(400, 'This page was open for too long. Load it again.');

/**
 * Begins, or goes on with, the setup in which this browser enters a card there. The response is for the page's script.
 */
export async function setupFor(
  request: PageRequest,
  place: SetupPlace,
  { payee, ways: { types, livemode } }: { payee: Payee; ways: Pick<Ways, 'types' | 'livemode'> },
): Promise<Answer> {
  const { deps, form } = request;
  const fields = cardFieldsOf(deps);
  const refusal = `${payee.name} cannot accept cards here at the moment.`;
  if (fields === null || !livemode || !types.includes('card')) return says(404, refusal);
  if ((await refusedFor(request, place)) !== null) return says(429, 'There were too many attempts. Try again later.');
  const rule = { tokensMayPassLuhn: deps.tokensMayPassLuhn ?? false };
  const begun = await beginCardSetup(deps.sql, fields.setups, place, form.get('setup') ?? '', rule);
  if (begun.kind === 'unclear') {
    note(request, begun.why);
    return says(503, later);
  }
  if (begun.kind === 'missing') return says(404, refusal);
  return forScript(request, begun, fields.origins.scripts);
}

/** What the script of the page needs. A script of another origin than the configured ones is never named to it. */
function forScript(
  { deps, requestId }: PageRequest,
  begun: Exclude<BegunSetup, { kind: 'missing' | 'unclear' }>,
  scripts: readonly string[],
): Answer {
  const { handle } = begun;
  if (begun.kind === 'entered') return json(200, { setup: handle, entered: cardInWords(begun.card) });
  const { clientSecret, publishableKey, scriptUrl } = begun.setup;
  if (!scripts.includes(scriptUrl.origin)) {
    deps.logger.error(
      { request_id: requestId },
      'the script of the card fields is not of an origin in LIVE_CARD_FIELDS',
    );
    return says(503, later);
  }
  const shown = { client_secret: clientSecret, publishable_key: publishableKey, script_url: scriptUrl.href };
  return json(200, { setup: handle, ...shown });
}

/** The card of a posted form, once the processor has told it. Otherwise why there is none, in a payer's words. */
export async function cardOfForm(
  request: PageRequest,
  place: SetupPlace,
): Promise<Entered | 'unclear' | { tooManyFor: number } | { wrong: string }> {
  const { deps, form } = request;
  const fields = cardFieldsOf(deps);
  const handle = form.get('setup') ?? '';
  const found = fields === null ? null : await findCardSetup(deps.sql, place, handle);
  if (fields === null || found === null) return { wrong: 'Enter your card in the fields below.' };
  if (found.is_spent) return { wrong: 'Enter another card, or the same one again.' };
  const seconds = await refusedFor(request, place);
  if (seconds !== null) return { tooManyFor: seconds };
  const rule = { tokensMayPassLuhn: deps.tokensMayPassLuhn ?? false };
  const read = await readEnteredCard(deps.sql, fields.setups, place, handle, found, rule);
  if (read.kind === 'entered') return { handle, card: read.card };
  if (read.kind === 'unclear') {
    note(request, read.why);
    return 'unclear';
  }
  if (read.kind === 'refused') return { wrong: 'This card cannot be used. Enter another one.' };
  return { wrong: 'Your card was not confirmed. Enter it again.' };
}

/**
 * Counts a question to the processor, before it is asked: of the address, and of the session or the widget's key.
 * Returns for how many seconds the limit counts that refuses it, or null.
 */
async function refusedFor(
  { deps: { sql, vault }, address }: PageRequest,
  { checkout_session_id: sessionId, api_key_id: keyId }: SetupPlace,
): Promise<number | null> {
  const { setups, setupsOfSession, setupsOfKey } = pageLimits;
  if (!(await countUse(sql, vault, setups, addressSubject(address))).isAllowed) return setups.spanSeconds;
  const limit = sessionId === null ? setupsOfKey : setupsOfSession;
  return (await countUse(sql, vault, limit, String(sessionId ?? keyId))).isAllowed ? null : limit.spanSeconds;
}

function note({ deps, requestId }: PageRequest, why: string): void {
  deps.logger.warn({ request_id: requestId, why }, 'the live processor did not tell of a card');
}

function says(status: number, error: string): Answer {
  return json(status, { error });
}

function json(status: number, body: Readonly<Record<string, string>>): Answer {
  return { status, body: JSON.stringify(body), type: 'application/json; charset=utf-8' };
}

export const setupRoutes: PageRoute[] = [{ method: 'POST', path: '/checkout/:token/setup', handle: setup }];
