import { type CliContext, type Command, exactly, parse } from './command.ts';
import { columns, print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments disputes [--clock ID] [--limit N] [--json]

Prints the newest disputes, at most N (20): what a payer has disputed, in minor units, and when it is won or lost. Needs
a key with the scope balance:read.

--clock  the disputes on this test clock.`;

async function run(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    clock: { type: 'string' },
    limit: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  });
  exactly(positionals);
  const { payments } = connect();
  const where = values.clock === undefined ? {} : { test_clock: values.clock };
  const { data, has_more: hasMore } = await payments.disputes.list({ ...where, limit: Number(values.limit) });
  if (values.json) {
    for (const dispute of data) printJson(dispute);
    return 0;
  }
  if (data.length === 0) print('Nothing was disputed.');
  else {
    const rows = data.map((one) => [
      one.id,
      one.created_at.slice(0, 10),
      one.closed_at?.slice(0, 10) ?? (one.closes_at === null ? '' : `on ${one.closes_at.slice(0, 10)}`),
      one.status,
      one.currency,
      `${one.amount}`,
      one.payment_intent_id,
    ]);
    print(columns([['dispute', 'opened', 'closed', 'status', 'currency', 'amount', 'payment'], ...rows]));
  }
  if (hasMore) printNote('There are more: see --limit.');
  return 0;
}

export const disputes: Command = { usage, run };
