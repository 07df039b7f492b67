import { Html, html } from './html.ts';

/** A page of this service for a browser. */
export interface WebPage {
  lang?: string;
  title: string;
  /** Its whole style, which its policy must allow by its hash; or the address of its style sheet. */
  style: string | { href: string };
  /** Addresses of scripts. A page can be read without them. */
  scripts?: readonly (string | undefined)[];
  /** Whether search engines may list it. */
  isListed?: boolean;
  /** What else its head has. */
  head?: Html | null;
  /** A class of the body. */
  look?: string | undefined;
  body: Html;
}

/** Writes a page: its head is the same everywhere, fits a phone, and loads no icon. */
export function webPage({
  lang = 'en',
  title,
  style,
  scripts = [],
  isListed,
  head = null,
  look,
  body,
}: WebPage): string {
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isListed ? null : html`<meta name="robots" content="noindex">\n`}<title>${title}</title>
<link rel="icon" href="data:,">
${typeof style === 'string' ? html`<style>${new Html(style)}</style>` : html`<link rel="stylesheet" href="${style.href}">`}
${scripts.map((path) => (path === undefined ? null : html`<script src="${path}" defer></script>\n`))}${head}</head>
<body${look === undefined ? null : html` class="${look}"`}>
${body}
</body>
</html>
`.text;
}
