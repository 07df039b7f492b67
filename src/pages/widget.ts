import type { CardFieldOrigins } from '../api/http/page-policy.ts';
import type { PaymentMethodRow } from '../db/payment-methods.ts';
import type { PageMethodType } from '../domain/page-methods.ts';
import { readScripts } from '../platform/browser-scripts.ts';
import { type Html, html } from '../platform/html.ts';
import { addressSubject, countUse, pageLimits } from '../services/pages/page-limits.ts';
import {
  openWidget,
  placeOfWidget,
  saveWidgetMethod,
  type WidgetHost,
  type WidgetMethod,
  type WidgetRefusal,
} from '../services/pages/widget.ts';
import { cardOfForm, openForTooLong, setupFor } from './card-fields.ts';
import { readMethod } from './checkout-input.ts';
import { postedVersion, signature } from './forms.ts';
import { framePolicy } from './headers.ts';
import { alert } from './layout.ts';
import { accountFields, type FieldWords, methodChoices } from './method-fields.ts';
import { newCard, waysOf } from './offered-methods.ts';
import { type Answer, cardFieldsOf, type Page, type PageRequest, type PageRoute, payerOf } from './page-request.ts';
import { methodInWords } from './payment-words.ts';
import { notFound } from './plain-pages.ts';

const action = 'widget';
const allTypes: readonly PageMethodType[] = ['card', 'au_becs_debit'];

/** A frame that was asked for: by which key, in a page of which origin, for which ways to pay. */
interface Frame {
  host: WidgetHost;
  origin: string;
  types: readonly PageMethodType[];
  /** Signed into the form, and its address. */
  query: string;
}

async function find(request: PageRequest): Promise<Frame | null> {
  const [key, origin, asked] = ['key', 'origin', 'types'].map((name) => request.query.get(name) ?? '');
  if (!key || !origin) return null;
  const host = await openWidget(request.deps.sql, { key, origin }, payerOf(request));
  if (host === null) return null;
  const wanted = asked ? asked.split(',') : ['card'];
  const named = allTypes.filter((type) => wanted.includes(type));
  const { livemode } = host.payee;
  const { types } = waysOf(request.deps, { payment_method_types: named, livemode });
  return { host, origin, types, query: String(new URLSearchParams({ key, origin, types: types.join() })) };
}

async function show(request: PageRequest): Promise<Answer> {
  const frame = await find(request);
  return frame === null ? notFound : form(request, frame);
}

/** Saves the method. What the biller's page gets of it is its id, and what a payer would recognise it by. */
async function save(request: PageRequest): Promise<Answer> {
  const { deps, address } = request;
  const frame = await find(request);
  if (frame === null) return notFound;
  if (postedVersion({ ...request, token: frame.query }, action) === null) {
    return form(request, frame, {
      status: 400,
      above: 'This form was open for too long. Nothing was saved. Try again.',
    });
  }
  const read = await readEntered(request, frame);
  if ('above' in read) return form(request, frame, read);
  if ('wrong' in read) {
    const refusal = await countUse(deps.sql, deps.vault, pageLimits.refusals, addressSubject(address));
    if (!refusal.isAllowed) return form(request, frame, tooManyForms);
    return form(request, frame, { status: 400, above: 'Please correct the fields marked below.', fields: read.wrong });
  }
  const use = await countUse(deps.sql, deps.vault, pageLimits.methods, addressSubject(address));
  if (!use.isAllowed) {
    await use.undo();
    return form(request, frame, tooManyForms);
  }
  const secret = request.form.get('client_secret') || null;
  const saved = await saveWidgetMethod(deps.sql, deps.vault, frame.host, read, secret);
  if (typeof saved === 'string') return form(request, frame, { status: 422, above: refusals[saved] });
  return done(frame, saved);
}

/** Reads the method of a form: for a card in live mode, from the processor that the payer has given it to. */
async function readEntered(
  request: PageRequest,
  { host, types }: Frame,
): Promise<WidgetMethod | Said | { wrong: FieldWords }> {
  const isLiveCard = host.payee.livemode && types.includes('card') && request.form.get('method') === newCard;
  if (!isLiveCard) {
    const read = readMethod(request.form, types);
    return 'wrong' in read ? read : { data: read.method, setup: null };
  }
  const asked = await cardOfForm(request, placeOfWidget(host));
  if (asked === 'unclear') {
    return { status: 503, above: 'We could not read your card just now. Nothing was saved. Try again in a moment.' };
  }
  if ('tooManyFor' in asked) return tooManyForms;
  if ('wrong' in asked) return { wrong: { '/method': asked.wrong } };
  return { data: { type: 'card', payment_method_data: asked.card }, setup: asked.handle };
}

/** Begins, or goes on with, the setup in which this browser enters a card. */
async function setup(request: PageRequest): Promise<Answer> {
  const frame = await find(request);
  if (frame === null) return notFound;
  if (postedVersion({ ...request, token: frame.query }, action) === null) return openForTooLong;
  const { payee } = frame.host;
  return setupFor(request, placeOfWidget(frame.host), { payee, ways: { ...frame, livemode: payee.livemode } });
}

const tooManyForms: Said = { status: 429, above: 'There were too many attempts. Wait a minute, then try again.' };

const refusals: Readonly<Record<WidgetRefusal, string>> = {
  wrong_secret: 'This payment was not found. Nothing was saved. Load the page again.',
  refused: 'This payment method cannot be used. Nothing was saved. Choose another one.',
  busy: 'This is a test with a clock, and the clock is moving at the moment. Nothing was saved. Try again.',
};

interface Said {
  status: number;
  above: string | null;
  fields?: FieldWords;
}

function form(
  request: PageRequest,
  { host, origin, types, query }: Frame,
  { status, above, fields = {} }: Said = { status: 200, above: null },
): Page {
  const ways = { types, saved: [], livemode: host.payee.livemode, entered: null };
  const method = html`${methodChoices(ways, request.form, fields, { setupUrl: `/widget/setup?${query}` })}
${types.includes('au_becs_debit') ? html`<fieldset class="account"><legend>Bank account</legend>${accountFields(request.form, fields)}</fieldset>` : null}`;
  const main: Html = html`${above === null ? null : alert(above)}
<form method="post" action="/widget/frame?${query}">
${signature({ ...request, token: query }, action)}
<input type="hidden" name="client_secret" value="${request.form.get('client_secret') ?? ''}">
${method}
<button>Use this</button>
</form>`;
  const none = html`<p>${host.payee.name} cannot accept payments here at the moment.</p>`;
  const cardFields = host.payee.livemode && types.includes('card') ? cardFieldsOf(request.deps) : null;
  const shown = types.length === 0 ? none : main;
  return framed(host, { origin, method: null }, { status, main: shown, cardFields: cardFields?.origins });
}

function done({ host, origin }: Frame, saved: PaymentMethodRow): Page {
  const { id, instrument, brand, last4 } = saved;
  const method = JSON.stringify({ id, type: instrument.type, brand, last4 });
  const main = html`<p class="good" role="status">${methodInWords(saved)}</p>`;
  return framed(host, { origin, method }, { status: 200, main });
}

interface Framed {
  status: number;
  main: Html;
  /** The processor's fields that it loads. */
  cardFields?: CardFieldOrigins;
}

function framed(
  { payee, origins }: WidgetHost,
  frame: NonNullable<Page['frame']>,
  { status, main, cardFields }: Framed,
): Page {
  const headers = { 'Content-Security-Policy': framePolicy(origins, cardFields) };
  const hasCardFields = cardFields !== undefined;
  return { status, title: 'How do you want to pay?', payee, main, frame, hasCardFields, headers };
}

const widgetScript = readScripts(new URL('./scripts/', import.meta.url), 'widget.js');

async function script(): Promise<Answer> {
  // Any page may load it; it only says where the frame is.
  const headers = { 'Cross-Origin-Resource-Policy': 'cross-origin' };
  return {
    status: 200,
    body: widgetScript,
    type: 'text/javascript; charset=utf-8',
    cache: 'public, max-age=3600',
    headers,
  };
}

export const widgetRoutes: PageRoute[] = [
  { method: 'GET', path: '/widget/v1.js', handle: script },
  { method: 'GET', path: '/widget/frame', handle: show },
  { method: 'POST', path: '/widget/frame', handle: save },
  { method: 'POST', path: '/widget/setup', handle: setup },
];
