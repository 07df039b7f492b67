import { Html, html } from '../../platform/html.ts';

/** A page of one file, without scripts. */
export interface PlainPage {
  title: string;
  /** Its whole style. The policy of the page must allow it (`policyWith`). */
  style: string;
  /** Whether the page is for this machine alone, where all other pages can be opened too. */
  forThisMachine: boolean;
  /** After how many seconds a browser loads it again. */
  refreshSeconds?: number;
  /** Whether search engines may list it. */
  isListed: boolean;
  main: Html;
}

/** Writes a page with the bar that leads to the others. */
export function plainPage({ title, style, forThisMachine, refreshSeconds, isListed, main }: PlainPage): string {
  const here = html` <a href="/workbench">Workbench</a> <a href="/ops">Operations</a>`;
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshSeconds === undefined ? null : html`<meta http-equiv="refresh" content="${refreshSeconds}">\n`}${isListed ? null : html`<meta name="robots" content="noindex">\n`}<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<header class="top"><a class="brand" href="/">Payments Service</a>
<nav aria-label="Pages"><a href="/docs/guides">Guides</a> <a href="/docs">Reference</a>${forThisMachine ? here : null}</nav></header>
<main>
${main}
</main>
</body>
</html>
`;
  return text;
}
