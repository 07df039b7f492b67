import { parseArgs } from 'node:util';
import { listAudit } from '../../services/accounts/audit.ts';
import { runCommand, table, UsageError } from './command.ts';

const usage = `Usage:
  audit:log list [--biller acct_...] [--limit 100] [--before ID] [--json]

The newest entries first; --before goes on where an earlier list has ended. Entries can be neither changed nor removed.`;

await runCommand(usage, async (openContext) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      biller: { type: 'string' },
      limit: { type: 'string' },
      before: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [command, ...rest] = positionals;
  if (command !== 'list' || rest.length > 0) {
    throw new UsageError(command === undefined ? 'Give a command.' : `There is no command "${positionals.join(' ')}".`);
  }
  const page = {
    billerId: values.biller,
    limit: readWhole('--limit', values.limit ?? '100', 10_000),
    before: values.before === undefined ? undefined : readWhole('--before', values.before, Number.MAX_SAFE_INTEGER),
  };
  const entries = await listAudit((await openContext()).sql, page);
  if (values.json) return JSON.stringify(entries);
  return table(
    entries.map(({ id, at, action, actor, subject_id, request_id, changes }) => ({
      id,
      at,
      action,
      by: actor.kind === 'api_key' ? actor.id : `${actor.kind.replace('_', ' ')}: ${actor.id}`,
      subject: subject_id,
      request: request_id,
      changes: Object.entries(changes)
        .map(([field, { from, to }]) => `${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`)
        .join('; '),
    })),
  );
});

function readWhole(option: string, text: string, most: number): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} must be a whole number from 1 to ${most}.`);
}
