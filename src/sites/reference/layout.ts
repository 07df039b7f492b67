import { type Html, html } from '../../platform/html.ts';
import { sitePage } from '../look/page.ts';
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
  const bar = html`<a class="brand" href="/">Payments Service</a>
<form action="/docs/search" role="search">
<input type="search" name="q" value="${query}" aria-label="Search the reference and the guides" placeholder="Search" autocomplete="off" maxlength="100">
</form>
<a class="contents" href="#contents">Contents</a>`;
  const contents = html`<nav id="contents" aria-label="Contents">
${(['Guides', 'Reference'] as const).map((group) => navigation(group, page, all))}</nav>`;
  const title = `${page.title.replaceAll('`', '')} – Payments Service`;
  return sitePage({ title, isListed: true, style: { href: style }, script, bar, main: page.main(), after: contents });
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
