import { type Html, html } from '../../platform/html.ts';
import { inlineMarkdown } from './markdown.ts';

/** A page of the reference. */
export interface Page {
  /** Such as `/docs/payment-plans`. */
  path: string;
  /** A line of Markdown, as those of its parts. */
  title: string;
  /** Made when the page is first asked for, because all pages together take more than a second. */
  main: () => Html;
  /** The parts of the page, which the side bar shows while it is open. */
  parts: readonly { title: string; anchor: string }[];
  /** The group of the side bar that it is in. */
  group: 'Guides' | 'Reference' | null;
}

export interface Assets {
  style: string;
  script: string;
}

/** Writes a page with its side bar. It can be read without scripts. */
export function inHtml(page: Page, all: readonly Page[], { style, script }: Assets, query = ''): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title.replaceAll('`', '')} – Payments Service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
</head>
<body>
<header>
<a class="home" href="/docs">Payments Service</a>
<form action="/docs/search" role="search">
<input type="search" name="q" value="${query}" aria-label="Search the reference and the guides" placeholder="Search" autocomplete="off" maxlength="100">
</form>
<a class="contents" href="#contents">Contents</a>
</header>
<main>
${page.main()}
</main>
<nav id="contents" aria-label="Contents">
${(['Guides', 'Reference'] as const).map((group) => navigation(group, page, all))}</nav>
</body>
</html>
`;
  return text;
}

function navigation(group: Page['group'], open: Page, all: readonly Page[]): Html {
  const items = all.filter((page) => page.group === group).map((page) => item(page, page === open));
  return html`<h2>${group}</h2>
<ul>
${items}</ul>
`;
}

function item({ path, title, parts }: Page, isOpen: boolean): Html {
  if (!isOpen) return html`<li><a href="${path}">${inlineMarkdown(title)}</a></li>\n`;
  const inner = parts.map((part) => html`<li><a href="#${part.anchor}">${inlineMarkdown(part.title)}</a></li>\n`);
  return html`<li><a href="${path}" aria-current="page">${inlineMarkdown(title)}</a>${parts.length === 0 ? null : html`<ul>${inner}</ul>`}</li>\n`;
}
