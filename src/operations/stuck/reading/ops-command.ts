/** The operator command as it is typed on the command line. */
export function opsCommand(...words: (string | null)[]): string {
  return ['npm run --silent ops --', ...words].join(' ');
}

/** The remedy where a workflow continues once the cause is gone. */
export function recheckAfterFix(id: string | null): string {
  return `Fix the cause, then ${opsCommand('recheck', id)} (Web UI: Update recheck).`;
}
