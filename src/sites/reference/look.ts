import { palette } from '../look/page-style.ts';

/** The style of the reference, in the colours of all pages: three columns on a wide screen, one on a phone. */
export const referenceStyle = `${palette}:root { --code: light-dark(#f3f5f9, #0e131b); --string: light-dark(#0b6635, #86efac); --number: light-dark(#6d28d9, #c4b5fd);
  --keyword: light-dark(#a1174c, #f9a8d4); --variable: light-dark(#8a4300, #fcd34d); }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif;
  overflow-wrap: anywhere; display: grid; grid-template-columns: 17rem minmax(0, 1fr);
  grid-template-areas: "header header" "nav main"; }
header { grid-area: header; position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: 1rem;
  height: 3.25rem; padding: 0 1rem; background: var(--paper); border-bottom: 1px solid var(--line); }
header .home { font-weight: 650; color: var(--ink); text-decoration: none; white-space: nowrap; }
header form { flex: 1; max-width: 30rem; position: relative; margin: 0; }
header input { width: 100%; font: inherit; padding: .3rem .6rem; color: inherit; background: var(--soft);
  border: 1px solid var(--faint); border-radius: .4rem; }
header .contents { display: none; }
button { font: inherit; font-size: .875rem; color: inherit; background: none; border: 1px solid var(--line);
  border-radius: .4rem; padding: .25rem .6rem; cursor: pointer; white-space: nowrap; }
button[hidden] { display: none; }
header button:first-of-type { margin-left: auto; }
#found { position: absolute; left: 0; right: 0; top: 2.6rem; background: var(--paper); border: 1px solid var(--line);
  border-radius: .4rem; box-shadow: 0 4px 16px rgb(0 0 0 / .2); max-height: 70vh; overflow: auto; }
#found .results { margin: 0; padding: .5rem 1rem; }
nav { grid-area: nav; position: sticky; top: 3.25rem; height: calc(100vh - 3.25rem); overflow: auto; padding: 1rem;
  border-right: 1px solid var(--line); font-size: .9rem; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .05em; color: var(--faint); margin: 1rem 0 .25rem; }
nav h2:first-child { margin-top: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav ul ul { border-left: 2px solid var(--line); margin: .1rem 0 .4rem .2rem; padding-left: .6rem; font-size: .85rem; }
nav a { display: block; padding: .18rem 0; color: var(--ink); text-decoration: none; }
nav a:hover { color: var(--link); text-decoration: underline; }
nav a[aria-current] { font-weight: 650; color: var(--link); }
main { grid-area: main; padding: 1.5rem 2rem 4rem; max-width: 90rem; min-width: 0; }
main > h1, main > p { max-width: 48rem; }
main > .text { max-width: 58rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2rem 0 .5rem; }
h3 { font-size: .95rem; margin: 1.25rem 0 .25rem; }
p, ul, ol { margin: .4rem 0 .8rem; }
a { color: var(--link); }
h2 > a { color: inherit; text-decoration: none; }
h2 > a:hover { text-decoration: underline; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.note, .type { color: var(--faint); font-size: .875rem; }
code { font: .875em ui-monospace, monospace; background: var(--soft); padding: .05rem .2rem; border-radius: .2rem; }
pre { position: relative; background: var(--code); border: 1px solid var(--line); border-radius: .4rem; padding: .75rem;
  margin: .4rem 0 1rem; overflow: auto; max-height: 32rem; overflow-wrap: normal; font-size: .8rem; line-height: 1.5; }
pre code { background: none; padding: 0; font-size: 1em; }
pre .c { color: var(--faint); }
pre .s { color: var(--string); }
pre .n { color: var(--number); }
pre .k { color: var(--keyword); }
pre .v { color: var(--variable); }
.copied { position: relative; }
.copied > button { position: absolute; top: .3rem; right: .3rem; font: inherit; font-size: .75rem; color: var(--ink);
  background: var(--paper); border: 1px solid var(--line); border-radius: .3rem; cursor: pointer; padding: .1rem .4rem; }
details.try { border: 1px solid var(--line); border-radius: .4rem; padding: .2rem .75rem; margin: 0 0 1rem; }
.try label, .key label { display: block; margin: .5rem 0; font-size: .875rem; color: var(--faint); }
.try input, .try textarea, .try select, .key input { display: block; width: 100%; font: .8rem/1.5 ui-monospace, monospace; color: var(--ink);
  background: var(--paper); border: 1px solid var(--faint); border-radius: .3rem; padding: .35rem .5rem; resize: vertical; }
.try ::placeholder, .key ::placeholder { color: var(--faint); opacity: 1; }
.try form > p { margin: .5rem 0; font-size: .875rem; }
.try button, .key [value=use] { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.try button:disabled { opacity: .6; }
.try [role=status] p { font-size: .875rem; }
.refused { color: var(--bad); }
.good { color: var(--good); }
dialog { width: min(30rem, calc(100vw - 2rem)); color: var(--ink); background: var(--paper); border: 1px solid var(--line);
  border-radius: .5rem; padding: 1rem 1.25rem; }
dialog h2 { margin-top: 0; }
::backdrop { background: rgb(0 0 0 / .5); }
img { max-width: 100%; height: auto; }
.table { overflow-x: auto; margin: .5rem 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: normal; }
.method { font: 600 .8rem ui-monospace, monospace; color: var(--good); }
.route { margin-top: 0; }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.5rem; padding: 1rem 0 2rem;
  border-top: 1px solid var(--line); margin-top: 2rem; }
.operation h2 { margin-top: 0; }
.code > * { max-width: 44rem; }
.operations { list-style: none; padding: 0; }
.operations li { padding: .15rem 0; }
.operations .note { display: block; }
.overview { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: 0 2.5rem; }
.fields { list-style: none; padding: 0; margin: .25rem 0; }
.fields > li { border-top: 1px solid var(--line); padding: .5rem 0; }
.fields p { margin: .2rem 0; font-size: .925rem; }
.fields .name { font-weight: 650; background: none; padding: 0; }
.fields .fields { margin-left: .25rem; padding-left: .75rem; border-left: 2px solid var(--line); }
.mark { color: var(--bad); font-size: .8rem; font-weight: 600; }
summary { cursor: pointer; color: var(--link); font-size: .9rem; padding: .2rem 0; }
.label { font-size: .8rem; color: var(--faint); }
.results { list-style: none; padding: 0; }
.results li { padding: .3rem 0; }
@supports selector(::details-content) {
  .samples { display: grid; grid-template-columns: repeat(4, auto) 1fr; gap: 0 1rem; }
  .samples details { display: contents; }
  .samples summary { grid-row: 1; list-style: none; border-bottom: 2px solid transparent; color: var(--faint); }
  .samples summary::-webkit-details-marker { display: none; }
  .samples details[open] summary { border-color: var(--link); color: var(--ink); font-weight: 600; }
  .samples details::details-content { grid-row: 2; grid-column: 1 / -1; min-width: 0; }
}
@media (min-width: 70rem) { .code { position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 5rem); overflow: auto; } }
@media (max-width: 70rem) { .operation { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 48rem) {
  body { display: block; }
  header { gap: .6rem; }
  header .contents { display: block; }
  nav button { margin: 1rem .5rem 0 0; padding: .5rem .75rem; }
  main { padding: 1rem; }
  nav { position: static; height: auto; border: 0; border-top: 1px solid var(--line); }
  nav a { padding: .4rem 0; }
}
@media print { header, nav, .copied > button { display: none; } body { display: block; } }
`;
