import { realNow } from '../../platform/real-time.ts';
import { createBiller, listBillers } from '../../services/accounts/billers.ts';
import { defineCommand, operator, refuseMore, UsageError, unknownForm } from './command.ts';
import { card, table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  billers create --name NAME [--timezone Australia/Sydney] [--statement-descriptor TEXT] [--require-mandates] [--json]
  billers list [--json]`,
  options: {
    name: { type: 'string' },
    timezone: { type: 'string' },
    'statement-descriptor': { type: 'string' },
    'require-mandates': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  async run({ values, words: [form, ...rest] }, openContext) {
    refuseMore(rest);
    if (form === 'create') {
      if (values.name === undefined) throw new UsageError('billers create needs --name.');
      const { sql } = await openContext();
      const biller = await createBiller(sql, {
        name: values.name,
        timeZone: values.timezone,
        statementDescriptor: values['statement-descriptor'],
        requireMandates: values['require-mandates'],
        by: operator(),
        now: realNow(),
      });
      return values.json ? JSON.stringify(biller) : card(biller);
    }
    if (form === 'list') {
      const billers = await listBillers((await openContext()).sql);
      return values.json ? JSON.stringify(billers) : table(billers);
    }
    throw unknownForm(form);
  },
});
