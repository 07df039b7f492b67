import { listReaders } from '../../db/reporting-readers.ts';
import { namedId } from '../../domain/ids.ts';
import { realNow } from '../../platform/real-time.ts';
import { grantReporting, revokeReporting } from '../../services/accounts/reporting-readers.ts';
import { chosenBiller } from './chosen-biller.ts';
import { defineCommand, operator, UsageError, unknownForm } from './command.ts';
import { card, table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  reporting grant --mode sandbox|live [--biller acct_...] [--json]
  reporting list [--biller acct_...] [--json]
  reporting revoke ROLE [--json]
grant makes a PostgreSQL role for BI, which reads the views of the schema reporting, and of them the rows of one biller and
mode. Its password is printed once and not stored. Give DATABASE_URL a role that may make roles and owns the database.`,
  options: {
    mode: { type: 'string' },
    biller: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ values, words: [form, role, ...rest] }, openContext) {
    if ((form === 'revoke') !== (role !== undefined) || rest.length > 0) {
      throw new UsageError(form === 'revoke' ? 'reporting revoke needs one ROLE.' : 'Give one command.');
    }
    const origin = { by: operator(), now: realNow() };
    const print = (result: object) => (values.json ? JSON.stringify(result) : card(result));
    if (form === 'grant') {
      if (values.mode !== 'sandbox' && values.mode !== 'live') throw new UsageError('--mode must be sandbox or live.');
      const context = await openContext();
      const billerId = await chosenBiller(context, values.biller);
      return print(await grantReporting(context.sql, { billerId, livemode: values.mode === 'live' }, origin));
    }
    if (form === 'list') {
      const readers = await listReaders((await openContext()).sql, namedId('biller', values.biller) ?? null);
      return values.json ? JSON.stringify(readers) : table(readers);
    }
    if (form === 'revoke' && role !== undefined) {
      return print(await revokeReporting((await openContext()).sql, role, origin));
    }
    throw unknownForm(form);
  },
});
