import { compareSides, countMismatches, repair } from '../../operations/reconciler/reconciler.ts';
import { workflowIdOf } from '../../platform/postgres/outbox.ts';
import { safeLine } from '../../platform/terminal-text.ts';
import { defineCommand, refuseMore } from './command.ts';
import { table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  reconcile [--check] [--json]

Compares the workflows that PostgreSQL expects with those that Temporal runs, and repairs the differences, for instance
after Temporal lost its data or was restored from a back-up. It charges nothing and may be run at any time. With --check it
changes nothing, and the exit status is 1 if there are differences.`,
  options: { check: { type: 'boolean' }, json: { type: 'boolean' } },
  async run({ values, words }, openContext) {
    refuseMore(words);
    const { sql, sides: openSides } = await openContext();
    const sides = await openSides();
    const { mismatches, failures } = await compareSides(sql, sides);
    if (!values.check) await repair(sql, sides, mismatches);
    const [failure] = failures;
    if (failure !== undefined) {
      const reason = failure.error instanceof Error ? failure.error.message : String(failure.error);
      const others = `${mismatches.length} differences ${values.check ? 'found' : 'mended'} in the other one.`;
      throw new Error(safeLine(`${failure.side} could not be compared (${reason}). ${others}`));
    }
    const status = values.check && mismatches.length > 0 ? 1 : 0;
    const rows = mismatches.map(({ workflowType, subjectId, problem, detail }) => ({
      workflow: workflowIdOf(workflowType, subjectId),
      problem,
      detail,
    }));
    if (values.json) {
      const report = { mended: !values.check, ...countMismatches(mismatches), mismatches: rows };
      return { status, text: JSON.stringify(report) };
    }
    if (rows.length === 0) return 'PostgreSQL and Temporal agree.';
    return { status, text: `${table(rows)}\n\n${rows.length} ${values.check ? 'to be mended' : 'mended'}.` };
  },
});
