import { parseArgs } from 'node:util';
import { findViolations, invariants } from '../../operations/invariants/invariants.ts';
import { runCommand, table } from './command.ts';

const usage = `Usage:
  check:invariants [--json]

Reads the running service's database (DATA_DIR or DATABASE_URL), changes nothing, and ends with 1 when anything is found.`;

await runCommand(usage, async (openContext) => {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } });
  const { sql } = await openContext();
  const violations = await findViolations(sql);
  if (violations.length > 0) process.exitCode = 1;
  if (values.json) return JSON.stringify({ checked: invariants.length, violations });
  if (violations.length === 0) return `All ${invariants.length} invariants hold.`;
  const count = new Set(violations.map(({ invariant }) => invariant)).size;
  return `${table(violations)}\n\n${count} of ${invariants.length} invariants are broken.`;
});
