import type { MinorUnits } from '../../domain/units.ts';
import { Html, html } from '../../platform/html.ts';
import { webPage } from '../../platform/web-page.ts';
import type { MandateDocument } from '../../services/mandates/mandate-document.ts';
import { pagePolicy } from '../http/page-policy.ts';

/** For paper: black on white, one column, and nothing that is split between two pages without need. */
const style = `
:root { color-scheme: light; }
body { margin: 0 auto; padding: 1rem; max-width: 44rem; background: #fff; color: #000; overflow-wrap: anywhere;
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #bbb; padding: .3rem .5rem .3rem 0; text-align: left; vertical-align: top; }
th { width: 13rem; font-weight: 600; }
article { border: 1px solid #bbb; padding: 0 1rem 1rem; }
@page { margin: 2cm; }
@media print { body { padding: 0; max-width: none; } tr, li, p { break-inside: avoid; } h2, h3 { break-after: avoid; } }
`;

/** The policy of the document: no scripts, no network requests, no frames. */
export const documentPolicy = pagePolicy({ inlineStyle: style, hasForms: false });

const howAgreed = {
  online: 'online',
  paper: 'on paper',
  telephone: 'by telephone',
  imported: 'to another service, from which it was imported',
};

/**
 * Renders the document of a mandate for printing: who has agreed to what, for which account, and how. It does not have
 * the account number.
 */
export function mandateDocument({ mandate, account, last4, billerName, text }: MandateDocument): string {
  const title = `Direct debit mandate ${mandate.reference}`;
  const body = html`<main>
<h1>${title}</h1>
${mandate.livemode ? null : html`<p><strong>Sandbox:</strong> this is a test and no authority to debit an account.</p>\n`}
${table([
  ['To', billerName],
  ['Account name', account.account_name],
  ['BSB', withHyphen(account.bsb_number)],
  ['Account number', last4 === null ? 'not shown' : `ends in ${last4}`],
  ['Limit of one debit', mandate.max_amount_cents === null ? 'none' : inDollars(mandate.max_amount_cents)],
  ['Amounts', mandate.amount_type],
  ['Frequency', mandate.frequency_text ?? 'not agreed'],
  ['Status', mandate.status_reason === null ? mandate.status : `${mandate.status} (${mandate.status_reason})`],
  ['Ended', inUtc(mandate.ended_at)],
])}
<h2>${mandate.accepted_at === null ? 'What the payer is asked to agree to' : 'What the payer has agreed to'}</h2>
${text === null ? html`<p>The payer agreed with other words, which are not kept here.</p>` : html`<article>${new Html(text.html)}</article>`}
<h2>Evidence</h2>
${evidence(mandate, text)}
<p>Mandate ${mandate.id}</p>
</main>`;
  return webPage({ lang: 'en-AU', title, style, body });
}

function evidence(mandate: MandateDocument['mandate'], text: MandateDocument['text']): Html {
  const shown =
    text === null
      ? []
      : ([
          ['Text, version', text.version],
          ['Text, SHA-256', text.sha256],
        ] as const);
  if (mandate.acceptance_type === null) {
    return html`<p>The payer has not agreed.</p>\n${table([['Created', inUtc(mandate.created_at)], ...shown])}`;
  }
  return table([
    ['Agreed', howAgreed[mandate.acceptance_type]],
    ['By', mandate.signatory_name],
    ['At', inUtc(mandate.accepted_at)],
    ['IP address', mandate.ip_address],
    ['Browser', mandate.user_agent],
    ['IP address, as the service saw it', mandate.connection_ip_address],
    ['Browser, as the service saw it', mandate.connection_user_agent],
    ['Recorded', inUtc(mandate.activated_at)],
    ...shown,
  ]);
}

/** A table of names and values. A value that is null is left out. */
function table(rows: readonly (readonly [name: string, value: string | null])[]): Html {
  const known = rows.filter(([, value]) => value !== null);
  return html`<table>
${known.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</table>`;
}

function withHyphen(bsb: string): string {
  return bsb.replace(/^(\d{3})-?(\d{3})$/, '$1-$2');
}

function inDollars(cents: MinorUnits): string {
  return `AUD ${(cents / 100).toFixed(2)}`;
}

function inUtc(at: Date): string;
function inUtc(at: Date | null): string | null;
function inUtc(at: Date | null): string | null {
  return at && `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
