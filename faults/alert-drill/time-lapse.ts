// Alert rules in time lapse: a rule that waits for hours cannot be waited for in a drill.

/** What is read of a rule file of Prometheus; the rest of it stays as it is. */
export interface RuleFile {
  groups: { name: string; rules: Rule[] }[];
}

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  keep_firing_for?: string;
}

const unitsMs: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};

const duration = '(?:\\d+(?:ms|[smhdwy]))+';

/** Texts, which stay as they are; ranges with or without a resolution; offsets. */
const parts = new RegExp(
  [
    /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/.source,
    `(?<range>\\[\\s*${duration}\\s*(?::\\s*(?:${duration})?\\s*)?\\])`,
    `(?<offset>\\boffset\\s+-?\\s*${duration})`,
  ].join('|'),
  'g',
);

/** The rules with every duration divided by `factor`: `for`, ranges and offsets. Thresholds stay as they are. */
export function inTimeLapse<File extends RuleFile>(file: File, factor: number): File {
  const groups = file.groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: shortenExpression(rule.expr, factor),
      ...(rule.for === undefined ? {} : { for: shorten(rule.for, factor) }),
      ...(rule.keep_firing_for === undefined ? {} : { keep_firing_for: shorten(rule.keep_firing_for, factor) }),
    })),
  }));
  return { ...file, groups };
}

/** The expression with its ranges and offsets divided by `factor`. */
export function shortenExpression(expression: string, factor: number): string {
  return expression.replace(parts, (part, ...rest) => {
    const { range, offset } = rest.at(-1) as { range?: string; offset?: string };
    if (range === undefined && offset === undefined) return part;
    return part.replace(new RegExp(duration, 'g'), (found) => shorten(found, factor));
  });
}

/** The duration, such as `1h30m`, divided by `factor`: in seconds, or in whole milliseconds, at least one. */
function shorten(text: string, factor: number): string {
  let ms = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)(ms|[smhdwy])/g)) ms += Number(count) * (unitsMs[unit] ?? 0);
  const short = Math.max(1, Math.round(ms / factor));
  return short % 1_000 === 0 ? `${short / 1_000}s` : `${short}ms`;
}
