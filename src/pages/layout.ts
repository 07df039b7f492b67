import { Html, html } from '../platform/html.ts';
import { webPage } from '../platform/web-page.ts';
import type { Payee } from '../services/pages/paying.ts';
import type { Page } from './page-request.ts';
import { stylePath } from './style.ts';

/** Writes a page as HTML. It works without scripts, and loads its style, the logo and one script at most. */
export function inHtml({ title, payee, main, watched, frame, hasCardFields }: Page): string {
  const name = payee === null ? '' : ` – ${payee.name}`;
  const body = html`${payee !== null && !payee.livemode ? html`<aside class="sandbox"><strong>Test mode.</strong> No money is taken on this page.</aside>` : null}
${payee === null || frame ? null : header(payee)}
<main${watched === undefined ? null : html` data-watch="${watched.url}" data-is="${watched.is}"`}${frame === undefined ? null : html` data-origin="${frame.origin}" data-method="${frame.method ?? ''}"`}>
<h1>${title}</h1>
${main}
</main>
${payee === null || frame ? null : footer(payee)}`;
  return webPage({
    title: `${title}${name}`,
    style: { href: stylePath(payee?.brand_color ?? null) },
    scripts: [watched && '/assets/page.js', frame && '/assets/frame.js', hasCardFields ? '/assets/card.js' : undefined],
    look: frame && 'frame',
    body,
  });
}

function header({ name, logo_name: logo }: Payee): Html {
  return html`<header>${logo === null ? null : html`<img src="/assets/logo-${logo}" alt="">`}<p>${name}</p></header>`;
}

function footer({ name, support_email, support_phone, address, tax_id }: Payee): Html {
  const contacts = [
    support_email === null ? null : html`<a href="mailto:${support_email}">${support_email}</a>`,
    support_phone === null ? null : html`<a href="tel:${support_phone.replace(/[^\d+]/g, '')}">${support_phone}</a>`,
  ].filter((contact) => contact !== null);
  return html`<footer>
${contacts.length === 0 ? null : html`<p>Questions? Contact ${name}: ${contacts.map((contact, index) => [index === 0 ? '' : ' or ', contact])}</p>`}
${address === null ? null : html`<p>${address}</p>`}
${tax_id === null ? null : html`<p>Tax id: ${tax_id}</p>`}
</footer>`;
}

/** A message about what went wrong, which a screen reader reads at once. */
export function alert(text: string | Html): Html {
  return html`<div class="alert" role="alert">${text}</div>`;
}

/** Rows of a table with a heading each. A row without a value is left out. */
export function rows(pairs: readonly (readonly [string, string | Html | null] | null)[]): Html {
  const shown = pairs.flatMap((pair) => (pair === null || pair[1] === null ? [] : [pair]));
  return html`<table><tbody>${shown.map(
    ([name, value]) => html`
<tr${name === 'Total' ? new Html(' class="total"') : null}><th scope="row">${name}</th><td>${value}</td></tr>`,
  )}
</tbody></table>`;
}
