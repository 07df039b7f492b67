import { namedId } from '../../domain/ids.ts';
import { listAudit } from '../../services/accounts/audit.ts';
import { defineCommand, refuseMore, UsageError, unknownForm } from './command.ts';
import { table } from './output.ts';

export const command = defineCommand({
  usage: `Usage:
  audit list [--biller acct_...] [--limit 100] [--before ID] [--json]

The newest entries first. --before continues after the last entry of an earlier list. Entries cannot be changed or removed.`,
  options: {
    biller: { type: 'string' },
    limit: { type: 'string' },
    before: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ values, words: [form, ...rest] }, openContext) {
    if (form !== 'list') throw unknownForm(form);
    refuseMore(rest);
    const page = {
      billerId: namedId('biller', values.biller),
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
  },
});

function readWhole(option: string, text: string, most: number): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} must be a whole number from 1 to ${most}.`);
}
