import { namedId } from '../../domain/ids.ts';
import { realNow } from '../../platform/real-time.ts';
import { createKey, listKeys, revokeKey, rollKey } from '../../services/accounts/api-keys.ts';
import { chosenBiller } from './chosen-biller.ts';
import { defineCommand, operator, UsageError, unknownForm } from './command.ts';
import { card, table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  keys create --mode sandbox|live [--publishable] [--scopes a:read,b:write] [--biller acct_...] [--json]
  keys list [--biller acct_...] [--json]
  keys revoke ID [--json]
  keys roll ID [--overlap-hours N] [--json]
create and roll print the new key once. It is not stored.`,
  options: {
    mode: { type: 'string' },
    publishable: { type: 'boolean' },
    scopes: { type: 'string' },
    biller: { type: 'string' },
    'overlap-hours': { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ values, words: [form, id, ...rest] }, openContext) {
    const takesId = form === 'revoke' || form === 'roll';
    if (takesId !== (id !== undefined) || rest.length > 0) {
      throw new UsageError(takesId ? `keys ${form} needs the id of one key.` : 'Give one command.');
    }
    const audit = { by: operator(), now: realNow() };
    const print = (result: object) => (values.json ? JSON.stringify(result) : card(result));

    if (form === 'create') {
      if (values.mode !== 'sandbox' && values.mode !== 'live') throw new UsageError('--mode must be sandbox or live.');
      const context = await openContext();
      const key = await createKey(context.sql, {
        billerId: await chosenBiller(context, values.biller),
        livemode: values.mode === 'live',
        kind: values.publishable ? 'publishable' : 'secret',
        scopes: values.scopes?.split(',').map((scope) => scope.trim()),
        ...audit,
      });
      return print(key);
    }
    if (form === 'list') {
      const keys = await listKeys((await openContext()).sql, namedId('biller', values.biller) ?? null);
      return values.json ? JSON.stringify(keys) : table(keys);
    }
    if (form === 'revoke' && id !== undefined) return print(await revokeKey((await openContext()).sql, id, audit));
    if (form === 'roll' && id !== undefined) {
      const overlapHours = readHours(values['overlap-hours'] ?? '0');
      return print(await rollKey((await openContext()).sql, id, { overlapHours, ...audit }));
    }
    throw unknownForm(form);
  },
});

function readHours(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError('--overlap-hours must be a number of hours, such as 24.');
  return Number(text);
}
