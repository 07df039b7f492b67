import { type Html, html } from '../../platform/html.ts';
import { type Axis, place, positionOf, ticksOf } from './axis.ts';
import type { Bar, Lane, Mark } from './lanes.ts';
import { looks, shortTime } from './words.ts';

/** Pixels. */
const rowHeight = 18;
const padding = 8;
/** Of the ticks, of what the handle says, and of the handle, one below the other. */
const headHeight = 58;

/** In % of the axis: a label from here on ends at its tick, so that it is not cut. */
const lastTickFrom = 96;

interface Chart {
  axis: Axis;
  lanes: readonly Lane[];
  /** The clock's time. */
  now: Date;
  /** The target of the dry run that is shown, if any. */
  target: Date | null;
  /** The latest time that one advance can reach. */
  max: Date | null;
}

/** Draws the lanes of a clock over one axis of time. All that it shows is also in the lists of the page. */
export function chart({ axis, lanes, now, target, max }: Chart): Html {
  const ticks = ticksOf(axis).map(({ at, label }) => ({ x: positionOf(axis, at), label }));
  const grid = html`${ticks.map(({ x }) => html`<line class="grid" x1="${x}%" x2="${x}%" y2="100%"/>`)}`;
  const nowX = positionOf(axis, now);
  const maxX = max === null ? nowX : positionOf(axis, max);
  const lines = html`<line class="now" x1="${nowX}%" x2="${nowX}%" y2="100%"/>${
    target === null ? null : targetLine(positionOf(axis, target))
  }`;
  const ahead = html`<rect class="ahead" x="${nowX}%" width="${Math.round((maxX - nowX) * 100) / 100}%" height="100%"/>`;
  return html`<div class="axis" tabindex="0" role="region" aria-label="The clock’s time"><div class="lanes">
<div class="lane head"><div class="name"></div><svg width="100%" height="${headHeight}" aria-hidden="true">${ahead}${ticks.map(
    ({ x, label }) => html`<text x="${x}%" y="12"${x > lastTickFrom ? html` class="last"` : null}>${label}</text>`,
  )}<text class="at" x="${nowX}%" dx="-12" y="51">now</text>${lines}</svg></div>
${lanes.map((lane) => laneRow(axis, lane, html`${ahead}${grid}${lines}`))}
</div></div>
${legend()}`;
}

function targetLine(x: number): Html {
  return html`<line class="target" x1="${x}%" x2="${x}%" y2="100%"/>`;
}

function laneRow(axis: Axis, lane: Lane, background: Html): Html {
  const inView = lane.marks.filter(({ at }) => at >= axis.from && at <= axis.to);
  const { placed, hidden, rows } = place(axis, inView);
  const height = Math.max(rows, lane.bars.length > 0 && lane.kind === 'debits' ? 2 : 1) * rowHeight + 2 * padding;
  const bars = lane.bars.filter(({ to }) => to >= axis.from);
  return html`<div class="lane ${lane.kind}"><div class="name">${
    lane.href === null ? html`<span>${lane.name}</span>` : html`<a href="${lane.href}">${lane.name}</a>`
  }<small>${[lane.kind === 'clock' || lane.kind === 'debits' ? '' : lane.kind, lane.status].filter(Boolean).join(', ')}</small></div>
<svg width="100%" height="${height}" role="group" aria-label="${lane.name}">${background}${bars.map((bar, index) => drawnBar(axis, lane, bar, index))}${placed.map(
    ({ mark, x, row }) => drawnMark(mark, x, padding + rowHeight * (row + 0.5)),
  )}${hidden.length === 0 ? null : html`<text class="more" x="${hidden[0]?.x ?? 0}%" y="${height - 2}">+${hidden.length}</text>`}</svg></div>
`;
}

function drawnMark({ at, look, words, href, isAhead, webhooks }: Mark, x: number, y: number): Html {
  const dot = webhooks === 'fine' ? null : html`<circle class="hook ${webhooks}" cx="${x}%" cy="${y + 8}" r="2.5"/>`;
  return html`<a href="${href}" class="${look}${isAhead ? ' would' : ''}"><title>${shortTime(at)}: ${words}</title><use href="#${look}" x="${x}%" y="${y}"/>${dot}</a>`;
}

function drawnBar(axis: Axis, lane: Lane, { from, to, words, look }: Bar, index: number): Html {
  const x = positionOf(axis, from);
  const width = Math.max(0.3, Math.round((positionOf(axis, to) - x) * 100) / 100);
  const y = lane.kind === 'debits' ? padding + (index % 2) * rowHeight + 4 : padding + 6;
  return html`<rect class="bar ${look}" x="${x}%" width="${width}%" y="${y}" height="6" rx="3"><title>${words}: ${shortTime(from)} to ${shortTime(to)}</title></rect>`;
}

function legend(): Html {
  const entries = Object.entries(looks).filter(([look]) => look !== 'clock');
  return html`<p class="legend">${entries.map(
    ([look, words]) =>
      html`<span class="${look}"><svg width="16" height="16" aria-hidden="true"><use href="#${look}" x="8" y="8"/></svg>${words}</span> `,
  )}<span class="begun would"><svg width="16" height="16" aria-hidden="true"><use href="#changed" x="8" y="8"/></svg>would happen</span></p>`;
}
