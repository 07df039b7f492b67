import { createHash } from 'node:crypto';

/**
 * The style of all pages: one column on a phone, and light or dark as the reader prefers. Nothing depends on colour
 * alone.
 */
export const style = `
:root { color-scheme: light dark; --ink: #1a202c; --paper: #fff; --faint: #4a5568; --line: #cbd5e0; --link: #1a4f9c;
  --bar: #64748b; --alert: #9b1c1c; --alert-paper: #fdf2f2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf4; --paper: #10151d; --faint: #a3b1c4; --line: #334155; --link: #8ab8ff; --bar: #8494ab;
    --alert: #ffb4b4; --alert-paper: #2a1416; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 64rem; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0 .75rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav a, nav strong { display: inline-block; padding: .4rem .8rem .4rem 0; }
.note { color: var(--faint); font-size: .9rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); font-size: .9rem; padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem .3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
.date { white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; overflow-wrap: normal; padding-left: .25rem; }
tr.today th, tr.today td { border-top: 2px solid var(--ink); border-bottom: 2px solid var(--ink); font-weight: 600; }
svg.bar { display: block; width: 100%; height: 6px; margin-top: 3px; }
svg.bar rect { fill: var(--bar); }
details { border: 1px solid var(--line); border-left: 6px solid var(--alert); background: var(--alert-paper);
  margin: .5rem 0; padding: .4rem .6rem; }
summary { cursor: pointer; min-height: 1.75rem; }
summary strong { color: var(--alert); }
dl { margin: .5rem 0; }
dt { font-weight: 600; margin-top: .6rem; }
dd { margin: 0 0 .2rem; }
code { font: .85em ui-monospace, monospace; }
@media (max-width: 40rem) {
  body { padding: .75rem; }
  table:not(.cards) { font-size: .9rem; }
  table:not(.cards) th, table:not(.cards) td { padding-right: .25rem; }
  th.number { font-size: .75rem; white-space: normal; }
  table.cards, table.cards caption, table.cards tbody, table.cards tr, table.cards th, table.cards td { display: block; }
  table.cards thead { position: absolute; left: -999em; }
  table.cards tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  table.cards th, table.cards td { border: 0; padding: .1rem 0; text-align: left; white-space: normal; }
  table.cards td::before { content: attr(data-label) ": "; color: var(--faint); }
}
`;

/**
 * Returns the policy of a page with this inline style, which is allowed by its hash. It allows no scripts and no
 * network requests.
 */
export function policyWith(inlineStyle: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(inlineStyle).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The policy of pages with `style`. */
export const pagePolicy = policyWith(style);
