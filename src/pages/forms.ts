import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { isOfAnotherSite } from '../api/http/other-site.ts';
import { hasCardNumber } from '../domain/card-numbers.ts';
import { type Html, html } from '../platform/html.ts';
import type { Vault } from '../services/accounts/vault.ts';
import { checkForm, proofName, signForm, signPayer } from '../services/pages/signatures.ts';
import type { Page, PageRequest } from './page-request.ts';
import { badForm, cardNumberRefused, foreignForm, formTooLarge } from './plain-pages.ts';

const most = 16 * 1024;
/** Of a form: fields, and characters of a name or a value. No form of ours needs more. */
const mostFields = 30;
const longestText = 300;

/** The field with a form's signature. It is ours, and the only one that is not searched for card numbers. */
export const signatureField = 'form';

/**
 * Reads the fields of a posted form: at most 16 KiB, and 30 fields of 300 characters. A form with what may be a card
 * number is refused here, before anything else sees it, and so is one from a browser whose name holds a number: the
 * name is stored with what a payer agrees to. Returns the page of a refusal instead.
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | Page> {
  const { 'content-type': type, 'content-encoding': encoding, 'user-agent': browser } = request.headers;
  if (isOfAnotherSite(request)) return foreignForm;
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(type ?? '') || encoding !== undefined) return badForm;
  if (hasCardNumber(browser ?? '')) return cardNumberRefused;
  const length = request.headers['content-length'];
  if (Number(length ?? 0) > most) return formTooLarge;
  let bytes: Buffer;
  try {
    bytes = await getRawBody(request, { limit: most, length: length ?? null });
  } catch (error) {
    const isTooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large';
    return isTooLarge ? formTooLarge : badForm;
  }
  const form = new URLSearchParams(bytes.toString('utf8'));
  if (form.size > mostFields) return formTooLarge;
  for (const [name, value] of form) {
    if (name.length > longestText || value.length > longestText) return formTooLarge;
  }
  for (const [name, value] of form) {
    if (hasCardNumber(name) || (name !== signatureField && hasCardNumber(value))) return cardNumberRefused;
    if (value.includes('\0') || name.includes('\0')) return badForm;
  }
  return form;
}

/** The hidden field that signs a form of this page. `version` stands for what the payer has seen. */
export function signature({ deps, token, now }: PageRequest, action: string, version = '0'): Html {
  const signed = signForm(deps.vault, { token, action, version }, now);
  return html`<input type="hidden" name="${signatureField}" value="${signed}">`;
}

/** Returns the version that the posted form was shown with, or null if it is too old or none of ours. */
export function postedVersion({ deps, token, now, form }: PageRequest, action: string): string | null {
  const checked = checkForm(deps.vault, { token, action }, form.get(signatureField) ?? '', now);
  return typeof checked === 'string' ? null : checked.version;
}

/** Returns the query that proves who has made the submission of this number. */
export function withProof(vault: Vault, sessionToken: string, submissions: number): string {
  return `?${proofName}=${signPayer(vault, sessionToken, submissions)}`;
}

/** Returns the query with the proof that this request has brought, to be passed on, or nothing. */
export function proofOf({ query, form }: Pick<PageRequest, 'query' | 'form'>): string {
  const proof = form.get(proofName) ?? query.get(proofName) ?? '';
  return /^[\w-]{43}$/.test(proof) ? `?${proofName}=${proof}` : '';
}
