import { type Html, html } from '../../platform/html.ts';

/** The bar of the pages, below that of their site. `up` is the relative path to the first of them. */
export function barOf(up: string, seesBooks: boolean): Html {
  return html`<nav class="sub" aria-label="Test clocks"><a href="${up}">Clocks</a> <a href="${up}events">Events of the sandbox</a>
${seesBooks ? html`<a href="${up}books">Books of the sandbox</a> ` : null}<a href="/docs/guides/15-workbench">Guide</a></nav>`;
}

/** The shapes of the marks, around their centre. A mark in outline has the same shape. */
export const shapes = html`<svg class="shapes" aria-hidden="true" focusable="false"><defs>
<g id="paid"><circle r="6.5"/><path class="cut" d="M-3 0l2.2 2.4L3-2.4"/></g>
<g id="failed"><path d="M-6-3.2L-3.2-6 0-2.8 3.2-6 6-3.2 2.8 0 6 3.2 3.2 6 0 2.8-3.2 6-6 3.2-2.8 0z"/></g>
<g id="waiting"><path d="M-5-6.5H5L1.2 0 5 6.5H-5L-1.2 0z"/></g>
<g id="back"><path d="M-7 0L0-6.5V-3H6.5V3H0V6.5z"/></g>
<g id="begun"><path d="M-4.5-6.5L7 0-4.5 6.5z"/></g>
<g id="changed"><path d="M0-7L7 0 0 7-7 0z"/></g>
<g id="ended"><path d="M-5.5-5.5H5.5V5.5H-5.5z"/></g>
<g id="clock"><circle r="6.5"/><path class="cut" d="M0-4V0H3"/></g>
</defs></svg>`;
