import { tableOf } from '../lab/program.ts';
import type { Conditions } from './conditions.ts';
import type { Figure, FigureGroup, Unit } from './figure.ts';
import type { ProcessorUse } from './processor-use.ts';

/** Figures, and which programs used the machine while they were taken. */
export interface MeasuredGroup extends FigureGroup {
  processor_use: ProcessorUse;
}

export interface Report {
  started_at: string;
  seconds: number;
  quick: boolean;
  conditions: Conditions;
  groups: MeasuredGroup[];
  /** What should have been measured and was not, and why. */
  missing: { name: string; reason: string }[];
}

const columns = ['', 'median', 'min', 'p99 or max', 'samples', 'beside it', 'ratio', 'target', 'met'] as const;

/** The report as a table that a person reads, for a fixed-width font. */
export function renderReport({ conditions, groups, missing, quick, seconds, started_at }: Report): string {
  const { cores, cpu, memory_gb, node, platform, commit, load_average_before, packages } = conditions;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const lines = [
    `${started_at}, commit ${commit}, took ${seconds.toFixed(0)} s${quick ? '; QUICK: too few samples to compare' : ''}`,
    `${cores} cores (${cpu}), ${memory_gb} GB, ${platform}, Node ${node}; load average before: ${load_average_before.join(' ')}`,
    `${versions.join(', ')}`,
    'Everything runs on the same cores: the service, its servers, the load generator and the benchmark.',
    ...groups.flatMap((group) => ['', ...renderGroup(group)]),
    ...missing.map(({ name, reason }) => `\nNOT MEASURED: ${name}: ${reason}`),
  ];
  return `${lines.join('\n')}\n`;
}

function renderGroup({ title, how, figures, processor_use: use }: MeasuredGroup): string[] {
  const rows = figures.map(cellsOf);
  // Leaves out columns that are empty in every row. The first five always stay.
  const used = columns.flatMap((_, column) => (column < 5 || rows.some((row) => row[column] !== '') ? [column] : []));
  const table = tableOf([columns, ...rows].map((row) => used.map((column) => row[column] ?? '')));
  const busy = `  Cores at work meanwhile: ${use.ours} of the run, ${use.others} of others; load average at its end ${use.load_average}.`;
  return [title, ...table, ...how.map((sentence) => `  ${sentence}`), busy];
}

function cellsOf({ what, unit, median, min, max, p99, samples, beside, target, met }: Figure): string[] {
  const alone = samples === 1;
  return [
    what,
    withUnit(median, unit),
    alone ? '' : number(min, unit),
    alone ? '' : p99 === null ? `max ${number(max, unit)}` : number(p99, unit),
    String(samples),
    beside === null ? '' : `${withUnit(beside.median, unit)} ${beside.what}`,
    beside === null ? '' : beside.ratio.toFixed(2),
    target === null ? '' : describeTarget(target),
    met === null ? '' : met ? 'yes' : 'NO',
  ];
}

function describeTarget({ atMost, atLeast, aim, aimRatio }: NonNullable<Figure['target']>): string {
  const promise = atMost !== undefined ? [`≤ ${atMost}`] : atLeast !== undefined ? [`≥ ${atLeast}`] : [];
  const aims = [...(aim === undefined ? [] : [`${aim}`]), ...(aimRatio === undefined ? [] : [`${aimRatio} of it`])];
  return [...promise, ...(aims.length > 0 ? [`aim ${aims.join(', ')}`] : [])].join(', ');
}

function withUnit(value: number, unit: Unit): string {
  return unit === 'ratio' ? number(value, unit) : `${number(value, unit)} ${unit}`;
}

/** With three significant digits. */
function number(value: number, unit: Unit): string {
  if (unit === '1/s' || unit === 'MB') return value >= 100 ? value.toFixed(0) : value.toFixed(1);
  return value >= 100
    ? value.toFixed(0)
    : value >= 10
      ? value.toFixed(1)
      : value >= 1
        ? value.toFixed(2)
        : value.toFixed(3);
}
