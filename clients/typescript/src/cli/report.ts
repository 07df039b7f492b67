import { Writable } from 'node:stream';
import { path } from '../resource.ts';
import { type CliContext, type Command, CommandFailure, exactly, parse, UsageError } from './command.ts';

const reports = ['balance_transactions', 'payouts', 'plans', 'failed_payments', 'aging', 'mandates'];

const rangeUsage = `--from      the first date or instant, such as 2027-01-01
--to        the date or instant before which it ends, at most 400 days later
--timezone  the time zone of dates; by default that of the account
--json      JSON instead of CSV`;

const reportUsage = `Usage: payments report NAME --from DATE --to DATE [--timezone ZONE] [--columns A,B] [--clock ID] [--json] > FILE

Writes a report as it comes: ${reports.slice(0, -1).join(', ')} or
${reports.at(-1)}. Aging and mandates need no dates. Needs a key with the scope reports:read.

${rangeUsage}
--columns   the columns, in this order; by default all
--clock     what is on this test clock`;

const statementUsage = `Usage: payments statement CUSTOMER_ID [--from DATE] [--to DATE] [--timezone ZONE] [--json] > FILE

Writes what a customer was charged, has paid and owes. Needs a key with the scope reports:read.

${rangeUsage}`;

const rangeOptions = {
  from: { type: 'string' },
  to: { type: 'string' },
  timezone: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

async function runReport(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    ...rangeOptions,
    columns: { type: 'string' },
    clock: { type: 'string' },
  });
  const [name = ''] = exactly(positionals, 'NAME');
  if (!reports.includes(name)) throw new UsageError(`There is no report "${name}".`);
  const { json, clock, ...query } = values;
  return write(connect(), path`/api/v1/reports/${name}`, { ...query, test_clock: clock }, json);
}

async function runStatement(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, rangeOptions);
  const [id = ''] = exactly(positionals, 'CUSTOMER_ID');
  const { json, ...query } = values;
  return write(connect(), path`/api/v1/customers/${id}/statement`, query, json);
}

/** Writes the response to stdout as it comes. What is broken off is no report: the exit status says so. */
async function write({ download, signal }: CliContext, place: string, query: object, json: boolean): Promise<number> {
  const accept = json ? 'application/json' : 'text/csv';
  const body = await download({ method: 'GET', path: place, query, accept }, signal);
  try {
    await body.pipeTo(Writable.toWeb(process.stdout) as WritableStream<Uint8Array>, { preventClose: true, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CommandFailure('The report broke off: what was written is not all of it. Ask for it again.');
  }
  if (json) process.stdout.write('\n');
  return 0;
}

export const report: Command = { usage: reportUsage, run: runReport };
export const statement: Command = { usage: statementUsage, run: runStatement };
