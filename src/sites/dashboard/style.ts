import { figuresStyle } from '../look/figures-style.ts';
import { pageStyle } from '../look/page-style.ts';

/** The style of the bar. */
export const barStyle = `
.top form { margin: 0 0 0 auto; font-size: .85rem; display: flex; flex-wrap: wrap; gap: .3rem .6rem; align-items: center; }
.top form button { padding: .15rem .6rem; }
.sub { max-width: 80rem; margin: 0 auto; padding: .5rem 1.25rem 0; }
`;

/** The style of the dashboard: that of all pages, tables of figures, the bar, and the form that finds. */
export const styleSheet = `${pageStyle}${figuresStyle}${barStyle}
.find { display: flex; gap: .5rem; margin: 0 0 1rem; }
.find label { position: absolute; left: -999em; }
.find button { flex: none; }
.find select { max-width: 16rem; }
.pill.good { color: var(--good); border-color: currentColor; }
.pill.bad { color: var(--bad); border-color: currentColor; }
.pill.wait { color: var(--wait); border-color: currentColor; }
.hits { list-style: none; padding: 0; margin: 0; display: grid; gap: 0 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); }
.hits a { font-weight: 650; }
.now p { margin: .2rem 0; font-size: 1.05rem; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: 0; }
dl.facts dt { color: var(--faint); font-weight: 400; margin: 0; } dl.facts dd { margin: 0; }
.twice { border-left: .3rem solid var(--wait); padding-left: .6rem; }
form.filters { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr));
  align-items: end; }
.field { margin: 0 0 .7rem; max-width: 24rem; }
.field label { display: block; font-weight: 600; font-size: .88rem; margin-bottom: .15rem; }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--paper); }
.actions { display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
`;
