import type { SchemaNode } from '../../api/validation/describe-schema.ts';
import { type Html, html } from '../../platform/html.ts';
import type { SampleRequest } from './samples.ts';

/** What a form sends: an operation with the sample of its request. */
export interface TryRequest {
  httpMethod: string;
  /** With the names of parameters, such as `/api/v1/customers/{customer_id}`. */
  path: string;
  /** Of the path and of the query. */
  parameters: readonly SchemaNode[];
  sample: Pick<SampleRequest, 'ids' | 'query' | 'body' | 'isPublic'>;
}

/**
 * The form that sends a request from the page, for the script (`scripts/try.js`). A page without scripts does not show
 * it, because a key must not be sent as a field of a form.
 */
export function tryForm({ httpMethod, path, parameters, sample }: TryRequest): Html {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const query = parameters.filter((one) => one.in === 'query').map((one) => String(one.name));
  const [required, others] = [
    query.filter((name) => name in sample.query),
    query.filter((name) => !(name in sample.query)),
  ];
  const body = sample.body === undefined ? null : JSON.stringify(sample.body, null, 2);
  return html`<template class="try"><form data-method="${httpMethod}" data-path="${path}"${sample.isPublic ? html` data-public` : null}>
${names.map((name, index) => html`<label>${name} <input name="${name}" required data-like="${sample.ids[index] ?? ''}" placeholder="${sample.ids[index] ?? ''}" autocomplete="off" spellcheck="false"></label>\n`)}
${required.map((name) => html`<label>${name} <input name="${name}" data-in="query" required value="${sample.query[name] ?? ''}" autocomplete="off"></label>\n`)}
${
  others.length === 0
    ? null
    : html`<details><summary>Filters and paging</summary>
${others.map((name) => html`<label>${name} <input name="${name}" data-in="query" autocomplete="off"></label>\n`)}</details>`
}
${body === null ? null : html`<label>Body <textarea name="body" rows="${Math.min(16, body.split('\n').length + 1)}" spellcheck="false">\n${body}</textarea></label>`}
<p><button>Send</button></p>
<div role="status"></div>
</form></template>`;
}

/** The dialog that takes a key. It is shown by the script alone. */
export const keyDialog = html`<dialog class="key" aria-labelledby="key-title"><form method="dialog">
<h2 id="key-title">Your sandbox key</h2>
<p>With a secret key of the sandbox, the samples show it and you can send requests from the page. This tab keeps it until
you close it or forget it here. It is sent to this service alone. <code>npm start</code> writes a key of its demo account
to <code>.data/development.json</code>.</p>
<label>Secret key <input type="password" name="key" required autocomplete="off" spellcheck="false" placeholder="sk_sandbox_…"></label>
<p class="refused" role="alert"></p>
<p><button value="use">Use this key</button> <button type="button" class="other" value="forget">Forget it</button> <button type="button" class="other" value="cancel">Cancel</button></p>
</form></dialog>
`;
