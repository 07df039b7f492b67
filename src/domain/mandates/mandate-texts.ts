import { createHash } from 'node:crypto';
import { type Html, html } from '../../platform/html.ts';
import type { Scheme } from '../schemes/schemes.ts';

/** What a payer agrees to: a part of a page, without scripts and styles. */
export interface MandateText {
  scheme: Scheme;
  /** The version of the template. The biller's name makes it a text. */
  version: string;
  html: string;
  /** Of the bytes of `html` in UTF-8, in hexadecimal digits. */
  sha256: string;
}

interface Template {
  version: string;
  write(billerName: string): Html;
}

/**
 * The versions of each text, newest first. Never change one that was released: a payer may be reading it, and its hash
 * is evidence. Add a new version before it. No lawyer has seen these words (docs/bank-debits.md).
 */
const templates: Readonly<Record<Scheme, readonly [Template, ...Template[]]>> = {
  au_becs: [{ version: '2026-11', write: auBecs }],
};

/** Returns the text that payers of a biller are shown now. */
export function currentMandateText(scheme: Scheme, billerName: string): MandateText {
  return textOf(scheme, templates[scheme][0], billerName);
}

/** Returns the text of a biller with this hash, in any version, or null if there is none. */
export function findMandateText(scheme: Scheme, billerName: string, sha256: string): MandateText | null {
  const texts = templates[scheme].map((template) => textOf(scheme, template, billerName));
  return texts.find((text) => text.sha256 === sha256) ?? null;
}

function textOf(scheme: Scheme, { version, write }: Template, billerName: string): MandateText {
  const { text } = write(billerName);
  return { scheme, version, html: text, sha256: createHash('sha256').update(text, 'utf8').digest('hex') };
}

/** A Direct Debit Request and its service agreement, as the banks of Australia call the two parts. */
function auBecs(billerName: string): Html {
  return html`<section lang="en-AU">
<h2>Direct Debit Request</h2>
<p>I authorise ${billerName} to debit my account through the Bulk Electronic Clearing System (BECS), for amounts that I
owe ${billerName}. My account, and any limit and frequency of the debits, are those that I was shown with this text.</p>
<p>I confirm that the account is mine, or that I may give this authority for it alone. I have read the service agreement
below, and I agree to it.</p>
<h2>Direct Debit Request Service Agreement</h2>
<h3>What ${billerName} does</h3>
<ul>
<li>It debits the account only as this request allows.</li>
<li>It tells you at least 14 days before it changes the amount, the frequency or the terms of the debits, unless you
have agreed to the change.</li>
<li>If a debit falls on a day on which banks do not settle, it is made on the next business day.</li>
<li>It keeps the details of the account confidential. It passes them on only to make a debit, to settle a claim about
one, or where the law demands it.</li>
</ul>
<h3>What you do</h3>
<ul>
<li>Check that the account accepts direct debits, and that its details are right. If you are not sure, ask your
bank.</li>
<li>Keep enough cleared funds in the account on the day of a debit.</li>
<li>If a debit is refused, your bank may charge you a fee, and the debit may be made again.</li>
</ul>
<h3>To change, defer, stop or cancel</h3>
<p>You may change or defer a debit, stop one, or cancel this authority at any time. Tell ${billerName} or your own bank
in good time, at best three business days before the next debit.</p>
<h3>If a debit is wrong</h3>
<p>Tell ${billerName} first, so that it can be put right quickly. You may also ask your own bank to claim the debit
back.</p>
</section>
`;
}
