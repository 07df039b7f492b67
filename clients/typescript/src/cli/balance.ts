import { type CliContext, type Command, exactly, parse } from './command.ts';
import { columns, print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments balance [--clock ID] [--json]

Prints what the account has in each currency, in minor units: bank debits in flight, what is pending, what is
available, what is held under dispute, and the credit that it owes to subscribers. Needs a key with the scope
balance:read.

--clock  the balance on this test clock, at its time.`;

async function run(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    clock: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  exactly(positionals);
  const { payments } = connect();
  const balance = await payments.balance.get(values.clock === undefined ? {} : { test_clock: values.clock });
  if (values.json) {
    printJson(balance);
    return 0;
  }
  if (balance.data.length === 0) print('No money has moved.');
  else {
    const rows = balance.data.map((one) =>
      [one.currency, one.in_flight, one.pending, one.available, one.held, one.credit].map(String),
    );
    print(columns([['currency', 'in flight', 'pending', 'available', 'held', 'credit'], ...rows]));
  }
  printNote(`Posted up to event ${balance.complete_up_to}.`);
  return 0;
}

export const balance: Command = { usage, run };
