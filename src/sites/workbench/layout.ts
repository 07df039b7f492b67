import { type Html, html } from '../../platform/html.ts';
import { sitePage } from '../look/page.ts';
import { shapes } from './shapes.ts';
import type { Page, Visit } from './visit.ts';

/** Writes a page as HTML. It works without its script. `visit` is null for a page that shows no account. */
export function inHtml({ title, main, state, refreshSeconds }: Page, visit: Visit | null): string {
  return sitePage({
    title: `${title} · Workbench`,
    style: { href: '/workbench/assets/style.css' },
    script: '/workbench/assets/script.js',
    refreshSeconds,
    bar: visit === null ? html`<strong>Workbench</strong>` : barOf(visit),
    before: shapes,
    main,
    state,
  });
}

function barOf({ up, context, endsAt }: Visit): Html {
  return html`<a class="brand" href="${up}">Workbench</a>
<nav aria-label="Workbench"><a href="${up}">Clocks</a> <a href="${up}events">Events</a> <a href="/docs">Reference</a> <a href="/docs/guides/15-workbench">Guide</a></nav>
<p><span class="pill">Sandbox</span> <code>${context.billerId}</code> <span class="faint">link until ${endsAt.toISOString().slice(11, 16)} UTC</span></p>`;
}

/** A message about what went wrong, which a screen reader reads at once. */
export function alert(text: string | Html): Html {
  return html`<p class="alert" role="alert">${text}</p>`;
}
