import type { Sighting } from './drill.ts';

/** A Markdown table with a row for each alert of `names`, which is in the order of `monitoring/alerts.yml`. */
export function renderSightings(names: readonly string[], sightings: readonly Sighting[]): string {
  const rows = names.flatMap((name) => sightings.filter(({ alert }) => alert === name)).map(rowOf);
  const head = ['Alert', 'What was broken', 'Fired after', 'Its summary', 'Resolved after'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
}

/** Whether the alert fired, and was resolved after the repair. */
export function wasSeen({ firedAfterSeconds, resolvedAfterSeconds }: Sighting): boolean {
  return firedAfterSeconds !== null && resolvedAfterSeconds !== null;
}

function rowOf({ alert, what, firedAfterSeconds, summary, resolvedAfterSeconds, problem }: Sighting): string[] {
  const time = (seconds: number | null) => (seconds === null ? 'not seen' : `${seconds} s`);
  const shown = firedAfterSeconds === null ? (problem ?? '') : summary;
  return [alert, what, time(firedAfterSeconds), shown, time(resolvedAfterSeconds)];
}

const escaped = (cell: string) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
