import { rebuildLedgers } from '../../services/ledger/rebuild.ts';
import { defineCommand, refuseMore, unknownForm } from './command.ts';

export const command = defineCommand({
  usage: `Usage:
  ledger rebuild [--biller acct_...] [--json]

Posts all events to the ledger again, of every biller or of one. What is there stays, under the same ids; what is missing is
added. It may be ended at any time and run beside the service. check-invariants compares the ledger with events and payments.`,
  options: { biller: { type: 'string' }, json: { type: 'boolean' } },
  async run({ values, words: [form, ...rest] }, openContext) {
    if (form !== 'rebuild') throw unknownForm(form);
    refuseMore(rest);
    const { sql } = await openContext();
    const result = await rebuildLedgers(sql, values.biller ?? null, new AbortController().signal);
    if (values.json) return JSON.stringify(result);
    return `The ledger has ${result.transactions} transactions, of which ${result.added} were missing.`;
  },
});
