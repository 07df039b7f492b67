import { findViolations, invariants } from '../../operations/invariants/invariants.ts';
import { defineCommand, refuseMore } from './command.ts';
import { table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  check-invariants [--json]

Reads the database of the running service and changes nothing. The exit status is 1 if an invariant is broken.`,
  options: { json: { type: 'boolean' } },
  async run({ values, words }, openContext) {
    refuseMore(words);
    const { sql } = await openContext();
    const violations = await findViolations(sql);
    const status = violations.length > 0 ? 1 : 0;
    if (values.json) return { status, text: JSON.stringify({ checked: invariants.length, violations }) };
    if (status === 0) return `All ${invariants.length} invariants hold.`;
    const count = new Set(violations.map(({ invariant }) => invariant)).size;
    return { status, text: `${table(violations)}\n\n${count} of ${invariants.length} invariants are broken.` };
  },
});
