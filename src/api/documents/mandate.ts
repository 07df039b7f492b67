import type { MinorUnits } from '../../domain/units.ts';
import { Html, html } from '../../platform/html.ts';
import { webPage } from '../../platform/web-page.ts';
import type { MandateDocument } from '../../services/mandates/mandate-document.ts';
import { paperStyle } from './paper.ts';

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
  return webPage({ lang: 'en-AU', title, style: paperStyle, body });
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
