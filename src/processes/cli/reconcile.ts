import { parseArgs } from 'node:util';
import { countMismatches, findMismatches, repair } from '../../operations/reconciler/reconciler.ts';
import { workflowIdOf } from '../../platform/postgres/outbox.ts';
import { runCommand, table } from './command.ts';

const usage = `Usage:
  reconcile [--check] [--json]

Compares the workflows that there should be, by PostgreSQL, with those that Temporal runs, and mends what differs: after one
of them was lost, or restored from a back-up. It charges nothing, and may be run at any time. With --check it changes
nothing, and ends with 1 when anything is found. It reaches the running service through DATA_DIR, or through DATABASE_URL
and TEMPORAL_ADDRESS.`;

await runCommand(usage, async (openContext) => {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, json: { type: 'boolean' } } });
  const { sql, temporal, taskQueue } = await openContext();
  const mismatches = await findMismatches(sql, await temporal(), taskQueue);
  if (!values.check) await repair(sql, mismatches);
  if (values.check && mismatches.length > 0) process.exitCode = 1;
  const rows = mismatches.map(({ workflowType, subjectId, problem, detail }) => ({
    workflow: workflowIdOf(workflowType, subjectId),
    problem,
    detail,
  }));
  if (values.json) return JSON.stringify({ mended: !values.check, ...countMismatches(mismatches), mismatches: rows });
  if (rows.length === 0) return 'PostgreSQL and Temporal agree.';
  return `${table(rows)}\n\n${rows.length} ${values.check ? 'to be mended' : 'mended'}.`;
});
