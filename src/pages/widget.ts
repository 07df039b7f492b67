import type { PaymentMethodRow } from '../db/payment-methods.ts';
import { readScripts } from '../platform/browser-scripts.ts';
import { type Html, html } from '../platform/html.ts';
import { addressSubject, countUse, pageLimits } from '../services/pages/page-limits.ts';
import { openWidget, saveWidgetMethod, type WidgetHost, type WidgetRefusal } from '../services/pages/widget.ts';
import { readMethod } from './checkout-input.ts';
import { postedVersion, signature } from './forms.ts';
import { framePolicy } from './headers.ts';
import { alert } from './layout.ts';
import { accountFields, type FieldWords, methodChoices } from './method-fields.ts';
import { type Answer, type Page, type PageRequest, type PageRoute, payerOf } from './page-request.ts';
import { methodInWords } from './payment-words.ts';
import { notFound } from './plain-pages.ts';

const action = 'widget';
const allTypes = ['card', 'au_becs_debit'] as const;

/** A frame that was asked for: by which key, in a page of which origin, for which ways to pay. */
interface Frame {
  host: WidgetHost;
  origin: string;
  types: readonly (typeof allTypes)[number][];
  /** Signed into the form, and its address. */
  query: string;
}

async function find(request: PageRequest): Promise<Frame | null> {
  const [key, origin, asked] = ['key', 'origin', 'types'].map((name) => request.query.get(name) ?? '');
  if (!key || !origin) return null;
  const host = await openWidget(request.deps.sql, { key, origin }, payerOf(request));
  if (host === null) return null;
  const wanted = asked ? asked.split(',') : ['card'];
  // In live mode cards are entered at the processor, never here.
  const types = allTypes.filter((type) => wanted.includes(type) && (type !== 'card' || !host.payee.livemode));
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
  const read = readMethod(request.form, frame.types);
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
  const saved = await saveWidgetMethod(deps.sql, deps.vault, frame.host, read.method, secret);
  if (typeof saved === 'string') return form(request, frame, { status: 422, above: refusals[saved] });
  return done(frame, saved);
}

const tooManyForms = { status: 429, above: 'There were too many attempts. Wait a minute, then try again.' };

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
  const method = html`${methodChoices(ways, request.form, fields)}
${types.includes('au_becs_debit') ? html`<fieldset class="account"><legend>Bank account</legend>${accountFields(request.form, fields)}</fieldset>` : null}`;
  const main: Html = html`${above === null ? null : alert(above)}
<form method="post" action="/widget/frame?${query}">
${signature({ ...request, token: query }, action)}
<input type="hidden" name="client_secret" value="${request.form.get('client_secret') ?? ''}">
${method}
<button>Use this</button>
</form>`;
  const none = html`<p>${host.payee.name} cannot accept payments here at the moment.</p>`;
  return framed(host, { origin, method: null }, status, types.length === 0 ? none : main);
}

function done({ host, origin }: Frame, saved: PaymentMethodRow): Page {
  const { id, instrument, brand, last4 } = saved;
  const method = JSON.stringify({ id, type: instrument.type, brand, last4 });
  return framed(host, { origin, method }, 200, html`<p class="good" role="status">${methodInWords(saved)}</p>`);
}

function framed({ payee, origins }: WidgetHost, frame: NonNullable<Page['frame']>, status: number, main: Html): Page {
  const headers = { 'Content-Security-Policy': framePolicy(origins) };
  return { status, title: 'How do you want to pay?', payee, main, frame, headers };
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
];
