import { pagePolicy } from '../../api/http/page-policy.ts';
import { figuresStyle } from '../look/figures-style.ts';
import { pageStyle } from '../look/page-style.ts';

/** The style of the operators' page: that of all pages, tables of figures, and what is stuck. */
export const style = `${pageStyle}${figuresStyle}main > nav { margin-bottom: .75rem; }
main nav a, main nav strong { display: inline-block; padding: .2rem .8rem .2rem 0; }
.date { white-space: nowrap; }
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
`;

/** The policy of the operators' page. */
export const policy = pagePolicy({ inlineStyle: style });
