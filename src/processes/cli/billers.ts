import { parseArgs } from 'node:util';
import { realNow } from '../../platform/real-time.ts';
import { createBiller, listBillers } from '../../services/accounts/billers.ts';
import { card, operator, runCommand, table, UsageError } from './command.ts';

const usage = `Usage:
  billers create --name NAME [--timezone Australia/Sydney] [--statement-descriptor TEXT] [--json]
  billers list [--json]`;

await runCommand(usage, async (openContext) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      timezone: { type: 'string' },
      'statement-descriptor': { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [command, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError('Give one command; put a name of several words in quotes.');

  if (command === 'create') {
    if (values.name === undefined) throw new UsageError('billers create needs --name.');
    const { sql } = await openContext();
    const biller = await createBiller(sql, {
      name: values.name,
      timeZone: values.timezone,
      statementDescriptor: values['statement-descriptor'],
      by: operator(),
      now: realNow(),
    });
    return values.json ? JSON.stringify(biller) : card(biller);
  }
  if (command === 'list') {
    const billers = await listBillers((await openContext()).sql);
    return values.json ? JSON.stringify(billers) : table(billers);
  }
  throw new UsageError(command === undefined ? 'Give a command.' : `There is no command "${command}".`);
});
