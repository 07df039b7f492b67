/**
 * The style of all pages for developers and operators: the colours, light or dark as the reader prefers; a bar at the
 * top, then cards; one column on a phone. Nothing depends on colour alone. Each site adds what is its own.
 */
export const pageStyle = `
:root { color-scheme: light dark; --ink: light-dark(#16202e, #e6ebf3); --paper: light-dark(#fff, #171e29);
  --ground: light-dark(#f3f5f9, #0e131b); --faint: light-dark(#526074, #a2b0c4); --line: light-dark(#d7dee8, #2f3b4d);
  --soft: light-dark(#eef2f8, #202a38); --link: light-dark(#2446b8, #9db8ff); --accent: light-dark(#3b4fd0, #8fa4ff);
  --on-accent: light-dark(#fff, #0e131b); --good: light-dark(#12703c, #5fd08d); --bad: light-dark(#b3261e, #ff9a90);
  --bad-paper: light-dark(#fdf0ef, #35191a); --wait: light-dark(#8a5a00, #f0be5a); --back: light-dark(#8b3fa8, #d9a0f0);
  --calm: light-dark(#2c5f9e, #8cbcf5); --done: light-dark(#55606f, #a5b0c0); --string: light-dark(#0b6635, #86efac);
  --number: light-dark(#6d28d9, #c4b5fd); --keyword: light-dark(#a1174c, #f9a8d4); --variable: light-dark(#8a4300, #fcd34d);
  --code: ui-monospace, monospace; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; padding: .6rem 1.25rem;
  background: var(--paper); border-bottom: 1px solid var(--line); }
.top p { margin: 0 0 0 auto; font-size: .85rem; }
.brand { font-weight: 700; color: var(--ink); text-decoration: none; font-size: 1.05rem; }
.top nav a { padding: .35rem .5rem; display: inline-block; }
main { max-width: 80rem; margin: 0 auto; padding: 1.25rem; }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1rem; margin: 0 0 .6rem; }
h3 { font-size: .95rem; margin: .6rem 0 .3rem; font-weight: 600; }
p { margin: .3rem 0 .7rem; }
a { color: var(--link); }
code { font: .82em var(--code); color: var(--faint); }
small, .faint { color: var(--faint); font-size: .85rem; }
.title { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; align-items: baseline; margin-bottom: .75rem; }
.title p { margin: 0; }
.pill { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; border: 1px solid var(--line);
  background: var(--soft); color: var(--ink); font-size: .8rem; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.15rem;
  margin: 0 0 1rem; }
.card > :last-child { margin-bottom: 0; }
.columns { display: grid; grid-template-columns: minmax(0, 23rem) minmax(0, 1fr); gap: 0 1rem; align-items: start; }
.columns.even { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
.alert { border-left: .3rem solid var(--bad); background: var(--bad-paper); color: var(--bad); padding: .5rem .8rem; }
.plain { margin: 0; padding: 0; list-style: none; }
.plain li { padding: .2rem 0; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; min-width: 50%; margin: .3rem 0 .7rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); }
pre { background: var(--soft); padding: .6rem .8rem; border-radius: .35rem; overflow: auto; max-height: 26rem;
  font: .8rem/1.5 var(--code); margin: .3rem 0; white-space: pre-wrap; }
input, select, textarea { width: 100%; font: inherit; padding: .4rem .55rem; color: inherit; background: var(--paper);
  border: 1px solid var(--faint); border-radius: .35rem; }
button { font: inherit; font-weight: 600; padding: .42rem .9rem; border-radius: .35rem; cursor: pointer;
  border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); }
button.other { background: var(--paper); color: var(--ink); border-color: var(--faint); font-weight: 400;
  font-size: .88rem; padding: .3rem .65rem; text-align: left; }
button:hover { filter: brightness(1.08); }
summary { cursor: pointer; }
dt { font-weight: 600; margin-top: .6rem; }
dt:first-child { margin-top: 0; }
dd { margin: 0 0 .2rem; }
dialog { width: min(46rem, 94vw); max-height: 88vh; border: 1px solid var(--line); border-radius: .7rem;
  background: var(--ground); color: inherit; padding: 1.1rem; }
::backdrop { background: rgb(10 15 25 / .5); }
@media (max-width: 46rem) {
  main { padding: .75rem; }
  .top { padding: .5rem .75rem; }
  .top p { margin: 0; }
  .top nav { margin-left: -.5rem; }
  .card { padding: .8rem .9rem; }
  .columns, .columns.even { grid-template-columns: minmax(0, 1fr); }
}
`;
