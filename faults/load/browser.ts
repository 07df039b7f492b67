import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Chance } from '../../lab/random.ts';
import { reasonOf } from './client.ts';
import type { Journal } from './journal.ts';

/** A tab of a payer's browser, without scripts. */
export interface Tab {
  /** The processes of the pages, by their URLs: each request goes to one of them. */
  urls: readonly string[];
  /** The payer's address, as a proxy in front of the pages would say. */
  address: string;
  chance: Chance;
  journal: Journal;
  /** Ends the tab: it throws. */
  signal: AbortSignal;
}

/** How a payer's way has ended: with thanks for a payment in a session, or at a page that takes none. */
export type TabEnd = { kind: 'paid'; session: string } | { kind: 'closed' };

/** What a tab sends next. The same request is sent again until it has a response. */
interface Step {
  path: string;
  form: URLSearchParams | null;
}

interface SeenPage {
  status: number;
  /** Where a redirect leads. */
  goTo: string | null;
  html: string;
}

const tryTimeoutMs = 6_000;
const agent = new Agent({ connections: 32, pipelining: 1, keepAliveTimeout: 4_000 });

/**
 * Pays behind the path of a link, as a payer does: fills in each form that comes, approves what the bank asks, follows
 * the buttons, and loads a page again until it says how it ended. `cardFor` gives the card for the n-th form of a
 * session, from 0.
 * @throws Error for a page that a payer must not get, such as one that does not exist
 */
export async function payInTab(tab: Tab, start: string, cardFor: (version: number) => string): Promise<TabEnd> {
  let step: Step = { path: start, form: null };
  while (!tab.signal.aborted) {
    const page = await tryOnce(tab, step);
    if (page === null) {
      await pause(tab.chance.between(30, 500));
      continue;
    }
    if (page.goTo !== null) {
      step = { path: page.goTo, form: null };
      continue;
    }
    const next = nextStep(step.path, page, cardFor);
    if ('kind' in next) return next;
    // A form is filled in at once; anything else is a page on which a payer waits.
    if (next.form === null) await pause(tab.chance.between(100, 600));
    step = next;
  }
  throw new Error(`${start.slice(0, 8)}… was not paid before the load was given up`);
}

/** What a payer does with a page, or how it has ended. */
function nextStep(path: string, { status, html }: SeenPage, cardFor: (version: number) => string): TabEnd | Step {
  if (status === 410) return { kind: 'closed' };
  if (status === 404 || status === 403) throw new Error(`a payer got ${status} for ${path.slice(0, 10)}…`);
  if (html.includes('Thank you for your payment')) return { kind: 'paid', session: path.split('/')[2] ?? '' };
  const [, action] = /<form method="post" action="([^"]+)">/.exec(html) ?? [];
  if (action !== undefined && status === 200) return { path: action, form: filledIn(action, html, cardFor) };
  const [, button] = /<a class="button" href="(\/(?:checkout|challenge|pay)\/[^"]+)"/.exec(html) ?? [];
  return { path: button ?? path, form: null };
}

function filledIn(action: string, html: string, cardFor: (version: number) => string): URLSearchParams {
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const form = new URLSearchParams();
  for (const [, name = '', value = ''] of hidden) form.set(name, value);
  if (action.startsWith('/challenge/')) form.set('answer', 'approve');
  if (action.startsWith('/checkout/')) {
    // The version of a form begins with how many the session has taken.
    const taken = Number.parseInt(form.get('form')?.split('.')[1] ?? '', 10);
    form.set('method', cardFor(taken));
    form.set('name', 'Pat Example');
    form.set('email', 'pat@example.com');
  }
  return form;
}

/** One try; null if another try may get another response. */
async function tryOnce(
  { urls, address, chance, journal, signal }: Tab,
  { path, form }: Step,
): Promise<SeenPage | null> {
  try {
    const { statusCode, headers, body } = await request(`${chance.pick(urls)}${path}`, {
      dispatcher: agent,
      method: form === null ? 'GET' : 'POST',
      headers: {
        'x-forwarded-for': address,
        'sec-fetch-site': 'same-origin',
        ...(form === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: form?.toString() ?? null,
      signal: AbortSignal.any([signal, AbortSignal.timeout(tryTimeoutMs)]),
    });
    const html = await body.text();
    if (statusCode >= 500) {
      journal.setBack(`page ${statusCode}`);
      return null;
    }
    return { status: statusCode, goTo: statusCode === 303 ? String(headers.location) : null, html };
  } catch (error) {
    journal.setBack(`page: ${reasonOf(error)}`);
    return null;
  }
}
