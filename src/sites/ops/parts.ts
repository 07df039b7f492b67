import { type Html, html } from '../../platform/html.ts';

/** Text that leads to an address. Without one, the text alone: a figure of 0 too, of which there is nothing to see. */
export function linked(what: string | number, to: string | null): Html {
  return to === null || what === 0 ? html`${what}` : html`<a href="${to}">${what}</a>`;
}

/** Shows an instant to the minute. The `datetime` attribute holds the exact value for programs. */
export function instant(at: Date | string): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}
