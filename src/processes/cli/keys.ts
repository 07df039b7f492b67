import { parseArgs } from 'node:util';
import { realNow } from '../../platform/real-time.ts';
import { createKey, listKeys, revokeKey, rollKey } from '../../services/accounts/api-keys.ts';
import { listBillers } from '../../services/accounts/billers.ts';
import { type CliContext, card, operator, runCommand, table, UsageError } from './command.ts';

const usage = `Usage:
  keys create --mode sandbox|live [--publishable] [--scopes a:read,b:write] [--biller acct_...] [--json]
  keys list [--biller acct_...] [--json]
  keys revoke ID [--json]
  keys roll ID [--overlap-hours N] [--json]
create and roll print the new key once: it is stored nowhere.`;

await runCommand(usage, async (openContext) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      mode: { type: 'string' },
      publishable: { type: 'boolean' },
      scopes: { type: 'string' },
      biller: { type: 'string' },
      'overlap-hours': { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [command, id, ...rest] = positionals;
  const takesId = command === 'revoke' || command === 'roll';
  if (takesId !== (id !== undefined) || rest.length > 0) {
    throw new UsageError(takesId ? `keys ${command} needs the id of one key.` : 'Give one command.');
  }
  const deed = { by: operator(), now: realNow() };
  const print = (result: object) => (values.json ? JSON.stringify(result) : card(result));

  if (command === 'create') {
    if (values.mode !== 'sandbox' && values.mode !== 'live') throw new UsageError('--mode must be sandbox or live.');
    const found = await openContext();
    const key = await createKey(found.sql, {
      billerId: values.biller ?? (await defaultBiller(found)),
      livemode: values.mode === 'live',
      kind: values.publishable ? 'publishable' : 'secret',
      scopes: values.scopes?.split(',').map((scope) => scope.trim()),
      ...deed,
    });
    return print(key);
  }
  if (command === 'list') {
    const keys = await listKeys((await openContext()).sql, values.biller ?? null);
    return values.json ? JSON.stringify(keys) : table(keys);
  }
  if (command === 'revoke' && id !== undefined) return print(await revokeKey((await openContext()).sql, id, deed));
  if (command === 'roll' && id !== undefined) {
    const overlapHours = readHours(values['overlap-hours'] ?? '0');
    return print(await rollKey((await openContext()).sql, id, { overlapHours, ...deed }));
  }
  throw new UsageError(command === undefined ? 'Give a command.' : `There is no command "${command}".`);
});

/** The demo biller; without one, the only biller. */
async function defaultBiller({ sql, demoBillerId }: CliContext): Promise<string> {
  const billers = await listBillers(sql);
  const chosen =
    billers.find((biller) => biller.id === demoBillerId) ?? (billers.length === 1 ? billers[0] : undefined);
  if (!chosen) throw new UsageError('Say whose key it is, with --biller: billers list shows them.');
  return chosen.id;
}

function readHours(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError('--overlap-hours must be a number of hours, such as 24.');
  return Number(text);
}
