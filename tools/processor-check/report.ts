import { inMoney } from '../../src/domain/currencies.ts';
import { safeLine } from '../../src/platform/terminal.ts';
import type { Exchange } from './relay.ts';
import { rows } from './rows/index.ts';
import { restartRow } from './rows/restarts.ts';
import type { Result } from './run.ts';
import type { CheckOptions } from './session.ts';

const verdictWidth = 'not offered'.length;
const mostShownOfBody = 200;

/** What the run will take, before it begins. */
export function announcement({ url, amount, currency, livemode, token, restartCommand }: CheckOptions): string {
  const played = rows.filter((row) => restartCommand !== null || row !== restartRow);
  const charges = played.reduce((sum, { takes }) => sum + takes, 0);
  const sum = inMoney(charges * amount, currency);
  return `The promises of docs/processors.md, played against ${safeLine(url)} in ${livemode ? 'live' : 'sandbox'} mode.
Up to ${charges} payments of ${inMoney(amount, currency)} are charged to ${safeLine(token)}, ${sum} in all.
What is taken is given back at the end.
`;
}

/** The line of a row; below it what was seen if it is broken, or why it was not tried or is not offered. */
export function lineOf({ row, verdict, why, exchanges }: Result): string {
  const promise = row.promise.replaceAll('`', '');
  const indent = ' '.repeat(verdictWidth + 2);
  return [
    `${verdict.padEnd(verdictWidth)}  "${promise}": ${row.plays}`,
    ...(why === null ? [] : [`${indent}${safeLine(why)}`]),
    ...exchanges.map((exchange) => `${indent}| ${safeLine(shown(exchange))}`),
  ].join('\n');
}

/** The count of each verdict. */
export function summaryOf(results: readonly Result[]): string {
  const count = (verdict: Result['verdict']) => results.filter((result) => result.verdict === verdict).length;
  const lacks = `${count('not tried')} not tried, ${count('not offered')} not offered`;
  return `${count('ok')} kept, ${count('broken')} broken, ${lacks}`;
}

function shown({ path, key, answer, failure }: Exchange): string {
  const call = `POST ${path}${key === null ? '' : ` under ${key}`}`;
  if (answer === null) return `${call}: ${failure ?? 'no answer'}`;
  const { status, body } = answer;
  return `${call}: ${status} ${body.length > mostShownOfBody ? `${body.slice(0, mostShownOfBody)}…` : body}`;
}
