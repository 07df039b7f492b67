import { workflowIdOf } from '../../messages/workflow-types.ts';
import { inWords, type Mismatch } from '../../operations/reconciler/mismatches.ts';
import { reconcile } from '../../operations/reconciler/reconciler.ts';
import { recordReconciliation } from '../../operations/reconciler/reconciliations.ts';
import { examplesKept } from '../../operations/reconciler/schedule.ts';
import { realNow } from '../../platform/real-time.ts';
import { safeLine } from '../../platform/terminal.ts';
import { defineCommand, refuseMore } from './command.ts';
import { table } from './output.ts';

/** After a loss there may be millions. */
const listed = 1_000;

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
    const mismatches: Mismatch[] = [];
    const startedAt = realNow();
    const { counts, failures } = await reconcile(sql, sides, {
      check: values.check,
      onMismatches: (found) => mismatches.push(...found.slice(0, listed - mismatches.length)),
    });
    const total = counts.missing + counts.orphaned + counts.stale;
    const [failure] = failures;
    if (failure !== undefined) {
      const reason = failure.error instanceof Error ? failure.error.message : String(failure.error);
      const others = `${total} differences ${values.check ? 'found' : 'repaired'} in the other one.`;
      throw new Error(safeLine(`${failure.side} could not be compared (${reason}). ${others}`));
    }
    if (!values.check) {
      const examples = mismatches.slice(0, examplesKept).map(inWords);
      await recordReconciliation(sql, { startedAt, finishedAt: realNow() }, counts, examples);
    }
    const status = values.check && total > 0 ? 1 : 0;
    const rows = mismatches.map(({ workflowType, subjectId, problem, detail }) => ({
      workflow: workflowIdOf(workflowType, subjectId),
      problem,
      detail,
    }));
    if (values.json) {
      const report = { mended: !values.check, ...counts, mismatches: rows };
      return { status, text: JSON.stringify(report) };
    }
    if (rows.length === 0) return 'PostgreSQL and Temporal agree.';
    const rest = total > rows.length ? `\n… and ${total - rows.length} more.` : '';
    const held = mismatches.filter(({ isHeld }) => isHeld).length;
    const left = held === 0 ? '' : ` ${held} not started, because a row breaks an invariant: ops stuck names it.`;
    const done = values.check ? `${total} to be repaired.` : `${total - held} repaired.${left}`;
    return { status, text: `${table(rows)}${rest}\n\n${done}` };
  },
});
