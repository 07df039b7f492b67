import { pageStyle } from '../look/page-style.ts';

/** The style of the reference: that of all pages, for reading; three columns on a wide screen, one on a phone. */
export const referenceStyle = `${pageStyle}
html { scroll-padding-top: 4rem; }
body { background: var(--paper); font-size: 16px; line-height: 1.55; display: grid;
  grid-template-columns: 17rem minmax(0, 1fr); grid-template-areas: "top top" "nav main"; }
.top { grid-area: top; position: sticky; top: 0; z-index: 2; flex-wrap: nowrap; gap: 1rem; height: 3.25rem; padding: 0 1rem; }
.brand { white-space: nowrap; }
.top form { flex: 1; max-width: 30rem; position: relative; }
.top input { background: var(--soft); }
.contents { display: none; }
button { white-space: nowrap; }
.top button:first-of-type { margin-left: auto; }
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
main { grid-area: main; margin: 0; padding: 1.5rem 2rem 4rem; max-width: 90rem; min-width: 0; }
main > h1, main > p { max-width: 48rem; }
main > .text { max-width: 58rem; }
h1 { font-size: 1.7rem; margin-bottom: .75rem; }
main h2 { font-size: 1.2rem; line-height: 1.3; margin: 2rem 0 .5rem; }
h3 { margin: 1.25rem 0 .25rem; }
p, ul, ol { margin: .4rem 0 .8rem; }
h2 > a { color: inherit; text-decoration: none; }
h2 > a:hover { text-decoration: underline; }
code { font-size: .875em; color: inherit; background: var(--soft); padding: .05rem .2rem; border-radius: .2rem; }
pre { background: var(--soft); border: 1px solid var(--line); margin: .4rem 0 1rem; max-height: 32rem; white-space: pre;
  overflow-wrap: normal; }
pre code { background: none; padding: 0; font-size: 1em; }
pre .c { color: var(--faint); }
pre .s { color: var(--string); }
pre .n { color: var(--number); }
pre .k { color: var(--keyword); }
pre .v { color: var(--variable); }
.copied { position: relative; }
.copied > button { position: absolute; top: .3rem; right: .3rem; font-size: .75rem; padding: .1rem .4rem;
  border-color: var(--line); }
details.try { border: 1px solid var(--line); border-radius: .4rem; padding: .2rem .75rem; margin: 0 0 1rem; }
.try label, .key label { display: block; margin: .5rem 0; font-size: .875rem; color: var(--faint); }
.try label > *, .key input { display: block; font: .8rem/1.5 var(--code); color: var(--ink); resize: vertical; }
::placeholder { color: var(--faint); opacity: 1; }
.try p { font-size: .875rem; }
.try button:disabled { opacity: .6; }
.refused { color: var(--bad); }
.good { color: var(--good); }
dialog { width: min(30rem, 94vw); background: var(--paper); }
img { max-width: 100%; height: auto; }
.table { overflow-x: auto; margin: .5rem 0 1rem; }
table { font-size: .9rem; width: 100%; margin: 0; }
th, td { padding: .35rem .75rem .35rem 0; overflow-wrap: normal; }
.method { font: 600 .8rem var(--code); color: var(--good); }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.5rem; padding: 1rem 0 2rem;
  border-top: 1px solid var(--line); margin-top: 2rem; }
.operation h2, dialog h2, .route { margin-top: 0; }
.code > * { max-width: 44rem; }
.operations, .fields, .results { list-style: none; padding: 0; }
.operations li { padding: .15rem 0; }
.operations .faint { display: block; }
.overview { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: 0 2.5rem; }
.fields { margin: .25rem 0; }
.fields > li { border-top: 1px solid var(--line); padding: .5rem 0; }
.fields p { margin: .2rem 0; font-size: .925rem; }
.fields .name { font-weight: 650; background: none; padding: 0; }
.fields .fields { margin-left: .25rem; padding-left: .75rem; border-left: 2px solid var(--line); }
.mark { color: var(--bad); font-size: .8rem; font-weight: 600; }
summary { color: var(--link); font-size: .9rem; padding: .2rem 0; }
.label { font-size: .8rem; color: var(--faint); }
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
  .top { gap: .6rem; }
  .contents { display: block; }
  nav { position: static; height: auto; border: 0; border-top: 1px solid var(--line); }
  nav button { margin: 1rem .5rem 0 0; padding: .5rem .75rem; }
  nav a { padding: .4rem 0; }
  main { padding: 1rem; }
}
@media print { .top, nav, .copied > button { display: none; } body { display: block; } }
`;
