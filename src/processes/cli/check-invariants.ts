import { findViolations, invariants, type Violation } from '../../operations/invariants/invariants.ts';
import { safeLine } from '../../platform/terminal.ts';
import { defineCommand, refuseMore } from './command.ts';

export const command = defineCommand({
  usage: `Usage:
  check-invariants [--json]

Reads the database of the running service and changes nothing. Each row that breaks an invariant is shown with its remedy. The
exit status is 1 if there is one.`,
  options: { json: { type: 'boolean' } },
  async run({ values, words }, openContext) {
    refuseMore(words);
    const { sql } = await openContext();
    const violations = await findViolations(sql);
    const status = violations.length > 0 ? 1 : 0;
    if (values.json) return { status, text: JSON.stringify({ checked: invariants.length, violations }) };
    if (status === 0) return `All ${invariants.length} invariants hold.`;
    const broken = [...new Set(violations.map(({ invariant }) => invariant))];
    const paragraphs = broken.map((name) => describe(name, violations));
    const summary = `${broken.length} of ${invariants.length} invariants are broken.`;
    return { status, text: [...paragraphs, summary].join('\n\n') };
  },
});

/** The violations of one invariant, in words. */
function describe(name: string, violations: readonly Violation[]): string {
  const lines = violations
    .filter(({ invariant }) => invariant === name)
    .flatMap(({ id, detail, remedy }) => [`  ${id}: ${detail}`, `    remedy: ${remedy}`]);
  return [`Broken: ${name}`, ...lines].map(safeLine).join('\n');
}
