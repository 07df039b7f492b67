import { createHash } from 'node:crypto';
import { randomBase62 } from '../../domain/base62.ts';
import { type Html, html } from '../../platform/html.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import { checkForm, signForm } from '../../services/pages/signatures.ts';
import type { Page } from '../account/account-request.ts';
import { plainPage } from '../account/plain-pages.ts';

/** The hidden field of a form that may be sent. */
const fieldName = 'form';
const numberLength = 22;

/**
 * Returns the hidden field of a form: it is signed for this session and path, so no other site and no other session can
 * make one, and each showing has its own number, so that the same form sent twice is known.
 */
export function formField(vault: Vault, sessionId: string, path: string, now: RealInstant): Html {
  const signed = signForm(vault, { token: sessionId, action: path, version: randomBase62(numberLength) }, now);
  return html`<input type="hidden" name="${fieldName}" value="${signed}">`;
}

/** Checks the field of a posted form. Returns the page of a refusal, or null. */
export function checkFormField(
  vault: Vault,
  sessionId: string,
  path: string,
  form: URLSearchParams,
  now: RealInstant,
): Page | null {
  const checked = checkForm(vault, { token: sessionId, action: path }, form.get(fieldName) ?? '', now);
  if (checked === 'forged') {
    const text = html`<p>It is not of this page and session. Nothing has changed. Open the page again, and use its form.</p>`;
    return plainPage(403, 'This form does not count', text);
  }
  if (checked === 'stale') {
    return plainPage(
      409,
      'This form is too old',
      html`<p>Nothing has changed. Open the page again, and use its form.</p>`,
    );
  }
  return null;
}

/** Returns what stands for the Idempotency-Key of a posted form: the same whenever it is sent again. */
export function formKey(form: URLSearchParams): string {
  return createHash('sha256')
    .update(form.get(fieldName) ?? '')
    .digest('base64url');
}
