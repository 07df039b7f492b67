import { type Html, html } from '../../platform/html.ts';
import { shapes } from './shapes.ts';
import type { Page, Visit } from './visit.ts';

/** Writes a page as HTML. It works without its script. `visit` is null for a page that shows no account. */
export function inHtml({ title, main, state, refreshSeconds }: Page, visit: Visit | null): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Workbench</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/workbench/assets/style.css">
<script src="/workbench/assets/script.js" defer></script>
${refreshSeconds === undefined ? null : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
</head>
<body>
<header class="top">${visit === null ? html`<strong>Workbench</strong>` : header(visit)}</header>
${shapes}
<main${state === undefined ? null : html` data-state="${state}"`}>
${main}
</main>
</body>
</html>
`;
  return text;
}

function header({ up, context, endsAt }: Visit): Html {
  return html`<a class="brand" href="${up}">Workbench</a>
<nav aria-label="Workbench"><a href="${up}">Clocks</a> <a href="${up}events">Events</a> <a href="/docs">Reference</a> <a href="/docs/guides/15-workbench">Guide</a></nav>
<p><span class="pill">Sandbox</span> <code>${context.billerId}</code> <span class="faint">link until ${endsAt.toISOString().slice(11, 16)} UTC</span></p>`;
}

/** A message about what went wrong, which a screen reader reads at once. */
export function alert(text: string | Html): Html {
  return html`<p class="alert" role="alert">${text}</p>`;
}
