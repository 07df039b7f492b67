import { type Html, html } from '../../platform/html.ts';
import { type WebPage, webPage } from '../../platform/web-page.ts';

/** A page for developers or operators. */
export interface SitePage extends Pick<WebPage, 'title' | 'style' | 'isListed'> {
  script?: string;
  /** After how many seconds a browser loads it again; one that runs its script does not. */
  refreshSeconds?: number | undefined;
  /** The bar at its top. */
  bar: Html;
  main: Html;
  /** What the page shows, for its script: it loads the page anew when this has changed. */
  state?: string | undefined;
  /** What comes after the bar and after the main part. */
  before?: Html;
  after?: Html;
}

/** Writes a page for developers or operators: a bar, then the main part. */
export function sitePage(page: SitePage): string {
  const { title, style, isListed = false, script, refreshSeconds, bar, main, state, before, after } = page;
  const refresh = refreshSeconds && html`<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const body = html`<header class="top">${bar}</header>
${before ?? null}<main${state === undefined ? null : html` data-state="${state}"`}>
${main}
</main>
${after ?? null}`;
  const head = refresh ? html`${script === undefined ? refresh : html`<noscript>${refresh}</noscript>`}\n` : null;
  return webPage({ title, style, isListed, scripts: [script], head, body });
}

/** The bar that leads to the other pages. `isHere`: on this machine, where all of them can be opened. */
export function barOfSites(isHere: boolean): Html {
  const here = html` <a href="/dashboard">Dashboard</a> <a href="/workbench">Workbench</a> <a href="/ops">Operations</a>`;
  return html`<a class="brand" href="/">Payments Service</a>
<nav aria-label="Pages"><a href="/docs/guides">Guides</a> <a href="/docs">Reference</a>${isHere ? here : null}</nav>`;
}
