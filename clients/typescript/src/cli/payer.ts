import { CommandFailure } from './command.ts';

const mostPages = 10;
const thanks = 'Thank you';

/**
 * Pays a payment link as a payer does, on the pages behind its URL: fills in each form with a test card that succeeds.
 * @throws CommandFailure for pages that do not end with thanks.
 */
export async function payLink(url: string): Promise<void> {
  let next: { url: URL; form?: URLSearchParams } = { url: new URL(url) };
  for (let page = 0; page < mostPages; page += 1) {
    const { form } = next;
    const response = await fetch(next.url, {
      redirect: 'manual',
      ...(form === undefined ? {} : { method: 'POST', body: form, headers: { 'Sec-Fetch-Site': 'same-origin' } }),
    });
    const html = await response.text();
    const location = response.headers.get('location');
    const action = /<form method="post" action="([^"]+)">/.exec(html)?.[1];
    if (html.includes(thanks)) return;
    if (location !== null) next = { url: new URL(location, next.url) };
    else if (response.ok && action !== undefined) next = { url: new URL(action, next.url), form: filledIn(html) };
    else
      throw new CommandFailure(`The page ${next.url.pathname} has status ${response.status} and no form to fill in.`);
  }
  throw new CommandFailure(`The link was not paid after ${mostPages} pages.`);
}

function filledIn(html: string): URLSearchParams {
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const form = new URLSearchParams();
  for (const [, name = '', value = ''] of hidden) form.set(name, value);
  form.set('method', 'tok_sandbox_visa_succeed');
  return form;
}
