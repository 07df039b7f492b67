import { pageStyle } from '../look/page-style.ts';

/** The style of the workbench: that of all pages, and the axis, its lanes and marks, forms and lists. */
export const styleSheet = `${pageStyle}
.shapes { position: absolute; width: 0; height: 0; }
.title .now { font-size: 1.15rem; font-variant-numeric: tabular-nums; }
.pill.ready, .pill.delivered { color: var(--good); border-color: currentColor; }
.pill.advancing, .pill.pending { color: var(--wait); border-color: currentColor; }
.pill.failed { color: var(--bad); border-color: currentColor; }
#axis > h2 { display: inline-block; margin-right: .8rem; }
.zoom { display: inline; color: var(--faint); font-size: .85rem; }
.axis { overflow-x: auto; margin: .25rem 0 .5rem; }
.lanes { min-width: 42rem; position: relative; overflow: clip; }
.lane { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); border-top: 1px solid var(--line); }
.lane.head { border-top: 0; }
.lane svg { display: block; overflow: hidden; }
.lane > svg { min-height: 100%; }
.lane.customer { border-top-color: var(--faint); }
.name { padding: .35rem .5rem .35rem 0; line-height: 1.25; position: sticky; left: 0; background: var(--paper); z-index: 3;
  font-weight: 600; }
.name small { display: block; font-weight: 400; }
.plan .name, .subscription .name, .link .name, .debits .name { padding-left: .9rem; font-weight: 400; }
.head svg { overflow: visible; } .head .name { background: none; }
.head text { font-size: 11px; fill: var(--faint); text-anchor: middle; }
.head text.last { text-anchor: end; }
.head text.at { fill: var(--accent); font-weight: 600; text-anchor: end; }
line.grid { stroke: var(--line); stroke-dasharray: 1 4; }
line.now { stroke: var(--accent); stroke-width: 1.5; }
line.target { stroke: var(--accent); stroke-width: 1.5; stroke-dasharray: 5 3; }
rect.ahead { fill: var(--accent); opacity: .06; }
.lane a:focus-visible { outline: none; }
.lane a:hover use, .lane a:focus-visible use { stroke: var(--ink); stroke-width: 2; }
.more { font-size: 11px; fill: var(--faint); text-anchor: middle; }
.paid { --of: var(--good); } .failed { --of: var(--bad); } .waiting { --of: var(--wait); } .back { --of: var(--back); }
.begun, .changed { --of: var(--calm); } .ended { --of: var(--done); } .clock { --of: var(--accent); }
use { fill: var(--of); stroke: var(--of); stroke-width: 1; }
.would use { fill: var(--paper); stroke-width: 1.5; }
.cut { fill: none; stroke: var(--paper); stroke-width: 1.7; }
.would .cut { stroke: var(--of); }
.hook { fill: var(--wait); } .hook.failed { fill: var(--bad); }
.bar { fill: var(--accent); opacity: .55; } .bar.debit { fill: var(--wait); } .bar.settled { fill: var(--good); }
.bar.back { fill: var(--back); }
.legend { margin: 0; font-size: .82rem; color: var(--faint); }
.legend span { white-space: nowrap; margin-right: .7rem; }
.legend svg, h1 svg { vertical-align: -3px; margin-right: .2rem; }
.handle { position: absolute; right: 0; top: 38px; left: 11.5rem; height: 18px; }
.handle input { width: calc(100% + 16px); margin: 0 -8px; padding: 0; position: relative; height: 18px;
  z-index: 2; cursor: ew-resize; background: none; border: 0; appearance: none; }
.handle input::-webkit-slider-thumb { appearance: none; width: 16px; height: 16px; border-radius: 50%;
  background: var(--accent); border: 2px solid var(--paper); box-shadow: 0 0 0 1px var(--accent); }
.handle input::-moz-range-thumb { width: 12px; height: 12px; border-radius: 50%; background: var(--accent);
  border: 2px solid var(--paper); }
.handle output { position: absolute; top: -21px; background: var(--accent);
  color: var(--on-accent); border-radius: .3rem; padding: 0 .4rem; font-size: .78rem; white-space: nowrap; z-index: 3; }
.list { list-style: none; margin: 0; padding: 0; }
.list li { display: grid; grid-template-columns: 1.3rem minmax(0, 1fr) auto; gap: 0 .4rem; padding: .35rem 0;
  border-top: 1px solid var(--line); }
.list li:first-child { border-top: 0; }
.list li:target { background: var(--soft); }
.list svg { margin-top: .2rem; }
.list time { font-variant-numeric: tabular-nums; color: var(--faint); font-size: .88rem; }
.list code { white-space: nowrap; }
.who { font-weight: 600; color: inherit; }
.hooks.pending { color: var(--wait); } .hooks.failed { color: var(--bad); }
.clocks { list-style: none; padding: 0; margin: .5rem 0 0; display: grid; gap: 0 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); }
.clocks a { font-weight: 650; font-size: 1.05rem; }
.clocks strong, .clocks code { display: block; }
.field { margin: 0 0 .7rem; }
.field label, legend { display: block; font-weight: 600; font-size: .88rem; margin-bottom: .15rem; }
.row { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: end; }
.row button { margin-bottom: .7rem; }
fieldset { border: 0; padding: 0; margin: .9rem 0 0; display: flex; flex-wrap: wrap; gap: .4rem; }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--paper); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: 0; }
dt { color: var(--faint); font-weight: 400; margin: 0; } dd { margin: 0; }
dialog .close { float: right; }
.busy { opacity: .6; }
@media (max-width: 46rem) {
  .top code { display: none; }
  .list li { grid-template-columns: 1.3rem minmax(0, 1fr); }
  .list time { grid-column: 2; }
  .lane { grid-template-columns: 7.5rem minmax(0, 1fr); }
  .handle { left: 7.5rem; }
}
`;
