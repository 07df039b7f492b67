import { type Html, html } from '../../platform/html.ts';
import { sitePage } from '../look/page.ts';
import type { Page, WorkbenchRequest } from './workbench-request.ts';

/** Writes a page as HTML. It works without its script. `request` is null for a page that shows no account. */
export function inHtml(
  { title, main, state, refreshSeconds, style = 'style.css' }: Page,
  request: WorkbenchRequest | null,
): string {
  return sitePage({
    title: `${title} · Workbench`,
    style: { href: `/workbench/assets/${style}` },
    script: '/workbench/assets/script.js',
    refreshSeconds,
    bar: request === null ? html`<strong>Workbench</strong>` : barOf(request),
    before: shapes,
    main,
    state,
  });
}

function barOf({ up, context, endsAt }: WorkbenchRequest): Html {
  return html`<a class="brand" href="${up}">Workbench</a>
<nav aria-label="Workbench"><a href="${up}">Clocks</a> <a href="${up}events">Events</a> <a href="${up}books">Books</a> <a href="/docs">Reference</a> <a href="/docs/guides/15-workbench">Guide</a></nav>
<p><span class="pill">Sandbox</span> <code>${context.billerId}</code> <span class="faint">link until ${endsAt.toISOString().slice(11, 16)} UTC</span></p>`;
}

/** The shapes of the marks, around their centre. A mark in outline has the same shape. */
const shapes = html`<svg class="shapes" aria-hidden="true" focusable="false"><defs>
<g id="paid"><circle r="6.5"/><path class="cut" d="M-3 0l2.2 2.4L3-2.4"/></g>
<g id="failed"><path d="M-6-3.2L-3.2-6 0-2.8 3.2-6 6-3.2 2.8 0 6 3.2 3.2 6 0 2.8-3.2 6-6 3.2-2.8 0z"/></g>
<g id="waiting"><path d="M-5-6.5H5L1.2 0 5 6.5H-5L-1.2 0z"/></g>
<g id="back"><path d="M-7 0L0-6.5V-3H6.5V3H0V6.5z"/></g>
<g id="begun"><path d="M-4.5-6.5L7 0-4.5 6.5z"/></g>
<g id="changed"><path d="M0-7L7 0 0 7-7 0z"/></g>
<g id="ended"><path d="M-5.5-5.5H5.5V5.5H-5.5z"/></g>
<g id="clock"><circle r="6.5"/><path class="cut" d="M0-4V0H3"/></g>
</defs></svg>`;
