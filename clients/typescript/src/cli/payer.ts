import { pause } from '../pause.ts';
import { CommandFailure } from './command.ts';

const mostPages = 10;
const mostPagesOfAttempts = 30;
const thanks = 'Thank you';
const underWay = 'Your payment is being processed';
const succeedingCard = { method: 'tok_sandbox_visa_succeed' };
const decliningCard = { method: 'tok_sandbox_visa_decline_insufficient_funds' };
const bankAccount = {
  ...{ method: 'au_becs_debit', agreed: 'yes' },
  ...{ account_name: 'Trigger', bsb: '000-000', account_number: '12345678' },
};

/** An address may fail 20 times a minute, and a link 30 times in ten minutes. A span may end in the middle. */
const throttlingTimeoutMs = 300_000;
const lookAgainAfterMs = 2_000;
/** The limit of one address asks to wait for a minute, that of a link for longer. */
const addressSpanSeconds = 60;

/** A page to load, or a form to send. */
interface Step {
  url: URL;
  form?: URLSearchParams;
}

/**
 * Pays a payment link as a payer does, on the pages behind its URL: fills in each form with a test card that succeeds.
 * @throws CommandFailure for pages that do not end with thanks.
 */
export function payLink(url: string): Promise<void> {
  return payWith(url, succeedingCard, thanks);
}

/**
 * The same with a bank account, which the payer allows to be debited. Returns once the debit is accepted.
 * @throws CommandFailure for pages that do not say so.
 */
export function debitLink(url: string): Promise<void> {
  return payWith(url, bankAccount, underWay);
}

async function payWith(url: string, fields: Record<string, string>, end: string): Promise<void> {
  let step: Step = { url: new URL(url) };
  for (let page = 0; page < mostPages; page += 1) {
    const { response, html } = await load(step);
    if (html.includes(end)) return;
    step = nextOf(response, html, step, fields) ?? fail(response, step);
  }
  throw new CommandFailure(`The link was not paid after ${mostPages} pages.`);
}

/**
 * Attempts to pay a payment link with a card that is declined, until its payers are asked to try later. Where the limit
 * of this address comes first, it waits: a minute or two in all.
 * @throws CommandFailure if that does not happen within five minutes.
 */
export async function throttleLink(url: string, signal: AbortSignal): Promise<void> {
  const start: Step = { url: new URL(url) };
  const giveUpAt = performance.now() + throttlingTimeoutMs;
  let step = start;
  while (performance.now() < giveUpAt) {
    const { response, html } = await load(step);
    // A session ends after some failures; the link begins another.
    if (response.status === 410 && step !== start) step = start;
    else if (response.status !== 429) step = nextOf(response, html, step, decliningCard) ?? fail(response, step);
    else if (Number(response.headers.get('retry-after')) > addressSpanSeconds) return;
    else {
      step = start;
      await pause(lookAgainAfterMs, signal);
    }
  }
  throw new CommandFailure(`The link was not throttled within ${throttlingTimeoutMs / 60_000} minutes.`);
}

/**
 * Attempts to pay a payment link with a card that is declined, until no payer may try again: ten times.
 * @throws CommandFailure if the page says something else.
 */
export async function exhaustAttempts(url: string, signal: AbortSignal): Promise<void> {
  let step: Step = { url: new URL(url) };
  for (let page = 0; page < mostPagesOfAttempts; page += 1) {
    const { response, html } = await load(step);
    if (response.status === 410) return;
    // The limit of this address.
    if (response.status === 429) await pause(addressSpanSeconds * 1000, signal);
    else step = nextOf(response, html, step, decliningCard) ?? fail(response, step);
  }
  throw new CommandFailure(`The page took more than ${mostPagesOfAttempts} forms.`);
}

async function load({ url, form }: Step): Promise<{ response: Response; html: string }> {
  const response = await fetch(url, {
    redirect: 'manual',
    ...(form === undefined ? {} : { method: 'POST', body: form, headers: { 'Sec-Fetch-Site': 'same-origin' } }),
  });
  return { response, html: await response.text() };
}

/** Where a page leads: the redirect, or its form, filled in. */
function nextOf(response: Response, html: string, { url }: Step, fields: Record<string, string>): Step | null {
  const location = response.headers.get('location');
  if (location !== null) return { url: new URL(location, url) };
  const action = /<form method="post" action="([^"]+)">/.exec(html)?.[1];
  return response.ok && action !== undefined ? { url: new URL(action, url), form: filledIn(html, fields) } : null;
}

function fail({ status }: Response, { url }: Step): never {
  throw new CommandFailure(`The page ${url.pathname} has status ${status} and no form to fill in.`);
}

function filledIn(html: string, fields: Record<string, string>): URLSearchParams {
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const form = new URLSearchParams();
  for (const [, name = '', value = ''] of hidden) form.set(name, value);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}
