// The processor's fields for cards on live pages. Our script asks for them with a form of the page; a GET asks nothing.
import type { SessionForPayer } from '../services/links/public-tokens.ts';
import { type BegunSetup, beginCardSetup, findCardSetup, readEnteredCard } from '../services/pages/card-setups.ts';
import { addressSubject, countUse, pageLimits } from '../services/pages/page-limits.ts';
import { action } from './checkout-form.ts';
import { findCheckout } from './checkout-view.ts';
import { postedVersion } from './forms.ts';
import { cardInWords } from './method-fields.ts';
import { type Answer, cardFieldsOf, type PageRequest, type PageRoute } from './page-request.ts';
import { notFound } from './plain-pages.ts';

type Session = SessionForPayer['session'];

const later = 'The fields for the card cannot be shown at the moment. Wait a moment, then load this page again.';

/** Begins, or goes on with, the setup in which this browser enters a card. The response is for the page's script. */
async function setup(request: PageRequest): Promise<Answer> {
  const { deps, form } = request;
  if (postedVersion(request, action) === null) return says(400, 'This page was open for too long. Load it again.');
  const view = await findCheckout(request);
  if (view === null) return notFound;
  const { session, state } = view.found;
  const fields = cardFieldsOf(deps);
  if (state !== 'open') return says(409, 'This page has changed. Load it again.');
  const refusal = `${view.payee.name} cannot accept cards here at the moment.`;
  if (fields === null || !session.livemode || !view.ways.types.includes('card')) return says(404, refusal);
  if ((await refusedFor(request, session)) !== null) return says(429, 'There were too many attempts. Try again later.');
  const rule = { tokensMayPassLuhn: deps.tokensMayPassLuhn ?? false };
  const handle = form.get('setup') ?? '';
  const begun = await beginCardSetup(deps.sql, fields.setups, session, handle, rule);
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
  session: Session,
): Promise<'entered' | 'unclear' | { tooManyFor: number } | { wrong: string }> {
  const { deps, form } = request;
  const fields = cardFieldsOf(deps);
  const handle = form.get('setup') ?? '';
  const found = fields === null ? null : await findCardSetup(deps.sql, session, handle);
  if (fields === null || found === null) return { wrong: 'Enter your card in the fields below.' };
  if (found.is_spent) return { wrong: 'Enter another card, or the same one again.' };
  const seconds = await refusedFor(request, session);
  if (seconds !== null) return { tooManyFor: seconds };
  const rule = { tokensMayPassLuhn: deps.tokensMayPassLuhn ?? false };
  const read = await readEnteredCard(deps.sql, fields.setups, session, handle, found, rule);
  if (read.kind === 'entered') return 'entered';
  if (read.kind === 'unclear') {
    note(request, read.why);
    return 'unclear';
  }
  if (read.kind === 'refused') return { wrong: 'This card cannot be used. Enter another one.' };
  return { wrong: 'Your card was not confirmed. Enter it again.' };
}

/**
 * Counts a question to the processor, before it is asked: of the address and of the session. Returns for how many
 * seconds the limit counts that refuses it, or null.
 */
async function refusedFor({ deps: { sql, vault }, address }: PageRequest, { id }: Session): Promise<number | null> {
  const { setups, setupsOfSession } = pageLimits;
  if (!(await countUse(sql, vault, setups, addressSubject(address))).isAllowed) return setups.spanSeconds;
  return (await countUse(sql, vault, setupsOfSession, id)).isAllowed ? null : setupsOfSession.spanSeconds;
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
