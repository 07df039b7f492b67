import { type Html, html } from '../platform/html.ts';
import { checkForm, signForm } from '../services/pages/form-signature.ts';
import { signatureField } from './read-form.ts';
import type { Visit } from './visit.ts';

/** The hidden field that signs a form of this page. `version` stands for what the payer has seen. */
export function signature({ deps, token, now }: Visit, action: string, version = '0'): Html {
  const signed = signForm(deps.vault, { token, action, version }, now);
  return html`<input type="hidden" name="${signatureField}" value="${signed}">`;
}

/** Returns the version that the posted form was shown with, or null if it is too old or none of ours. */
export function postedVersion({ deps, token, now, form }: Visit, action: string): string | null {
  const checked = checkForm(deps.vault, { token, action }, form.get(signatureField) ?? '', now);
  return typeof checked === 'string' ? null : checked.version;
}
