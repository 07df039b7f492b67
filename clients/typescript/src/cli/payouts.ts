import { type CliContext, type Command, exactly, parse } from './command.ts';
import { columns, print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments payouts [--clock ID] [--limit N] [--json]

Prints the newest payouts, at most N (20): what was paid to the bank account, in minor units, and when it arrives. Needs
a key with the scope balance:read.

--clock  the payouts on this test clock.`;

async function run(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    clock: { type: 'string' },
    limit: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  });
  exactly(positionals);
  const { payments } = connect();
  const where = values.clock === undefined ? {} : { test_clock: values.clock };
  const { data, has_more: hasMore } = await payments.payouts.list({ ...where, limit: Number(values.limit) });
  if (values.json) {
    for (const payout of data) printJson(payout);
    return 0;
  }
  if (data.length === 0) print('Nothing was paid out.');
  else {
    const rows = data.map((one) => [
      one.id,
      one.paid_out_on,
      one.arrives_on,
      one.status,
      one.currency,
      `${one.amount}`,
    ]);
    print(columns([['payout', 'made on', 'arrives on', 'status', 'currency', 'amount'], ...rows]));
  }
  if (hasMore) printNote('There are more: see --limit.');
  return 0;
}

export const payouts: Command = { usage, run };
