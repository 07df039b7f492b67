import { pagePolicy } from '../../api/http/page-policy.ts';
import { pageStyle } from '../look/page-style.ts';

/** The style of the operators' page: that of all pages, tables of figures, and what is stuck. */
export const style = `${pageStyle}
main > nav { margin-bottom: .75rem; }
main nav a, main nav strong { display: inline-block; padding: .2rem .8rem .2rem 0; }
table { width: 100%; margin: 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); font-size: .9rem; padding-bottom: .25rem; }
th { font-weight: 600; }
.date { white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; overflow-wrap: normal; padding: .25rem .25rem; }
tr.today th, tr.today td { border-top: 2px solid var(--ink); border-bottom: 2px solid var(--ink); font-weight: 600; }
svg.bar { display: block; width: 100%; height: 6px; margin-top: 3px; }
svg.bar rect { fill: var(--accent); }
details { border-left: .3rem solid var(--bad); background: var(--bad-paper); margin: .5rem 0; padding: .4rem .8rem; }
summary { min-height: 1.75rem; }
summary strong { color: var(--bad); }
dl { margin: .5rem 0; }
ul { margin: 0; padding-left: 1.1rem; }
form { margin-bottom: .75rem; }
form input { display: block; max-width: 32rem; }
form button { margin-top: .4rem; min-height: 2.75rem; }
@media (max-width: 46rem) {
  table:not(.cards) { font-size: .8rem; }
  table:not(.cards) th, table:not(.cards) td { padding-right: .2rem; }
  th.number { font-size: .7rem; white-space: normal; }
  table:not(.cards) .number { padding-left: .2rem; }
  table.cards, table.cards caption, table.cards tbody, table.cards tr, table.cards th, table.cards td { display: block; }
  table.cards thead { position: absolute; left: -999em; }
  table.cards tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  table.cards th, table.cards td { border: 0; padding: .1rem 0; text-align: left; white-space: normal; }
  table.cards td::before { content: attr(data-label) ": "; color: var(--faint); }
}
`;

/** The policy of the operators' page. */
export const policy = pagePolicy({ inlineStyle: style });
