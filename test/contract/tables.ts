import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'mocha';

/** The contract's text, if it is beside the repository. */
const file = new URL('../../../shared/contract.md', import.meta.url);
const text = existsSync(file) ? readFileSync(file, 'utf8') : null;

export interface ContractTable {
  columns: string[];
  rows: string[][];
}

/** Every table of the contract, in order, and the file that tests its rows. */
export const tables = {
  conventions: ['Resources and their fields / Conventions', '01-conventions'],
  customer: ['Resources and their fields / Customer', '02-customer'],
  paymentMethod: ['Resources and their fields / Payment method', '03-payment-method'],
  card: ['Resources and their fields / Payment method #2', '03-payment-method'],
  becs: ['Resources and their fields / Payment method #3', '03-payment-method'],
  instruments: ['Resources and their fields / Payment method #4', '03b-saved-instruments'],
  intentRequest: ['Resources and their fields / Payment intent', '04-payment-intent'],
  intentResponse: ['Resources and their fields / Payment intent #2', '04-payment-intent'],
  planRequest: ['Resources and their fields / Payment plan', '05-payment-plan'],
  clock: ['Resources and their fields / Test clock', '06-test-clock'],
  sandboxWords: ['Resources and their fields / Sandbox test behaviour', '07-sandbox-behaviour'],
  sandboxAmounts: ['Resources and their fields / Sandbox test behaviour #2', '07-sandbox-behaviour'],
  fixtures: ['Resources and their fields / Sandbox test behaviour #3', '07-sandbox-behaviour'],
  planStates: ['States and transitions / Payment plan', '08-plan-states'],
  clockStates: ['States and transitions / Test clock', '09-clock-states'],
  intentStates: ['States and transitions / Payment intent', '10-intent-and-customer-states'],
  customerEndpoints: ['Endpoints / Customers', '11-endpoints'],
  methodEndpoints: ['Endpoints / Payment methods', '11-endpoints'],
  intentEndpoints: ['Endpoints / Payment intents', '11-endpoints'],
  planEndpoints: ['Endpoints / Payment plans', '11-endpoints'],
  clockEndpoints: ['Endpoints / Test clocks (sandbox only)', '11-endpoints'],
  events: ['Events', '14-events'],
  errors: ['Errors', '15-errors'],
  limits: ['Limits', '16-limits'],
} as const satisfies Record<string, readonly [place: string, file: string]>;

export type TableName = keyof typeof tables;

/** Returns the tables of a Markdown text by their headings; `#2` is the second one under a heading. */
export function tablesOf(markdown: string): Map<string, ContractTable> {
  const found = new Map<string, ContractTable>();
  let headings: string[] = [];
  let open: ContractTable | null = null;
  for (const line of markdown.split('\n')) {
    const [, marks, heading] = /^(##+) (.+)$/.exec(line) ?? [];
    if (marks !== undefined && heading !== undefined) headings = [...headings.slice(0, marks.length - 2), heading];
    if (!line.startsWith('|')) {
      open = null;
      continue;
    }
    const cells = line.split('|').slice(1, -1);
    if (open === null) {
      open = { columns: cells.map(plain), rows: [] };
      found.set(unusedPlace(found, headings.join(' / ')), open);
    } else if (!/^[|\s-]+$/.test(line)) {
      open.rows.push(...onePerName(cells));
    }
  }
  return found;
}

/**
 * Makes a test that the rows of this suite are those of a table of the contract, in order, in these columns. It is
 * pending if the contract is not beside the repository.
 */
export function itIsTheTable(name: TableName, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  itReadsTheContract(`has the rows of the contract’s table of “${tables[name][0]}”, in its order`, (contract) => {
    const table = tablesOf(contract).get(tables[name][0]);
    assert.ok(table, 'the contract has no such table');
    for (const column of columns) assert.ok(table.columns.includes(column), `the table has no column ${column}`);
    const places = columns.map((column) => table.columns.indexOf(column));
    const expected = table.rows.map((row) => places.map((place) => row[place] ?? ''));
    assert.deepEqual(rows, expected);
  });
}

/** Makes a test that reads the contract; pending, with the reason, if the contract is missing. */
export function itReadsTheContract(title: string, test: (contract: string) => void): void {
  const contract = text;
  if (contract === null) it(`${title} (../shared/contract.md is not beside this repository)`);
  else it(title, () => test(contract));
}

function unusedPlace(found: ReadonlyMap<string, unknown>, place: string): string {
  if (!found.has(place)) return place;
  for (let nth = 2; ; nth++) if (!found.has(`${place} #${nth}`)) return `${place} #${nth}`;
}

/** A row with several names counts as one row per name. */
function onePerName([first = '', ...rest]: string[]): string[][] {
  const names = /^\s*`[^`]+`(, `[^`]+`)+\s*$/.test(first) ? first.split(',') : [first];
  return names.map((name) => [name, ...rest].map(plain));
}

function plain(cell: string): string {
  return cell.replaceAll('`', '').trim();
}
