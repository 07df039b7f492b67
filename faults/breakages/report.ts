import { type Account, foundWithinSeconds } from './course.ts';

/** Whether it was found in time, and freed. */
export function wasResolved({ foundAfter, freeAfter, problem }: Account): boolean {
  return problem === null && foundAfter !== null && foundAfter <= foundWithinSeconds && freeAfter !== null;
}

/**
 * A Markdown table with a row for each breakage. Data folders are shown as `.data`, ids without their
 * random part, workers without their host.
 */
export function renderAccounts(accounts: readonly Account[]): string {
  const head = ['Broken', 'Found after', 'Where, and in which words', 'Freed by', 'Free after'];
  const rows = accounts.map((account) => rowOf(account).map((cell) => escaped(cell)));
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rowOf({ what, foundAfter, place, words, measured, freedBy, freeAfter, problem }: Account): string[] {
  const seen = problem === null ? [`${place}: ${words}`, ...measured].join('; ') : `**Not seen:** ${problem}`;
  return [what, seconds(foundAfter), seen, counted(freedBy).join('; '), seconds(freeAfter)];
}

/** Each once, with how often it was done. */
function counted(steps: readonly string[]): string[] {
  return [...new Set(steps)].map((step) => {
    const times = steps.filter((each) => each === step).length;
    return times === 1 ? step : `${step} (${times} times)`;
  });
}

function seconds(count: number | null): string {
  return count === null ? '–' : `${count} s`;
}

const escaped = (cell: string) =>
  cell
    .replaceAll(/\/\S*payments-breakages-\w+\/(?:data|service)/g, '.data')
    .replaceAll(/\b([a-z]+_(?:sandbox_)?)\w{32}\b/g, '$1…')
    .replaceAll(/\b(\d+)@[\w.-]+/g, '$1@host')
    .replaceAll('|', '\\|')
    .replaceAll(/\s+/g, ' ');
