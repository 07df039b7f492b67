import { parseArgs } from 'node:util';
import { isId } from '../../domain/ids.ts';
import { enableByOperator, type Replayed, replayByOperator } from '../../operations/endpoint-recovery.ts';
import {
  nothingToDo,
  type Operations,
  type SentCommand,
  sendCommand,
  startOver,
} from '../../operations/operator-commands.ts';
import type { StuckReport } from '../../operations/stuck/find-stuck.ts';
import { lookForStuck, stuckKinds } from '../../operations/stuck/stuck.ts';
import { realNow } from '../../platform/real-time.ts';
import { safeLine } from '../../platform/terminal-text.ts';
import { retryDeliveryByOperator } from '../../services/webhooks/operator-commands.ts';
import { type CliContext, operator, runCommand, UsageError } from './command.ts';

const usage = `Usage:
  ops stuck [--json] [--kind KIND]   what does not continue by itself: since when, why, and what frees it
  ops recheck ID                     read the database again: a plan, scheduled payment or clock
  ops retry-now ID                   try now what waits for its retry: a plan or scheduled payment
  ops skip-slot PLAN SLOT            give up the unpaid slot of a plan; the calendar continues
  ops retry-advance CLOCK            resume the advance of a clock
  ops retry-delivery ID              send a delivery now, even an ended one; of an endpoint, all it has not received
  ops give-up-delivery ID            end a delivery as failed; it can be retried later
  ops enable-endpoint ID             enable an endpoint that was disabled for failing, and send what it has missed
  ops start-over ID                  end the workflow of an object and start it again from PostgreSQL

Each is safe to repeat, and is in the audit log. "stuck" exits with 0 when nothing is stuck, 1 when something is; the others
with 0 when they have a result; all with 2 when they could not look, or not be carried out.
Kinds: ${stuckKinds.join(', ')}.`;

type Command = (operations: Operations, id: string, slot: number) => Promise<string>;

const commands: Record<string, { takes: string[]; carryOut: Command }> = {
  recheck: { takes: ['ID'], carryOut: (operations, id) => send(operations, id, { name: 'recheck' }) },
  'retry-now': { takes: ['ID'], carryOut: (operations, id) => send(operations, id, { name: 'retryNow' }) },
  'skip-slot': {
    takes: ['PLAN', 'SLOT'],
    carryOut: (operations, id, slot) => send(operations, id, { name: 'skipSlot', slot }),
  },
  'retry-advance': { takes: ['CLOCK'], carryOut: (operations, id) => send(operations, id, { name: 'retryAdvance' }) },
  'retry-delivery': { takes: ['ID'], carryOut: retryDelivery },
  'give-up-delivery': { takes: ['ID'], carryOut: (operations, id) => send(operations, id, { name: 'giveUp' }) },
  'enable-endpoint': { takes: ['ID'], carryOut: enableEndpoint },
  'start-over': { takes: ['ID'], carryOut: startOver },
};

await runCommand(
  usage,
  async (openContext) => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean' }, kind: { type: 'string' }, help: { type: 'boolean' } },
    });
    if (values.help) return usage;
    const [command, ...words] = positionals;
    if (command === undefined) throw new UsageError('Give a command.');
    if (command === 'stuck') {
      if (words.length > 0) throw new UsageError('ops stuck takes no ID.');
      return stuck(await checkedKind(values.kind, openContext), values);
    }
    const known = commands[command];
    if (known === undefined) throw new UsageError(`There is no command "${command}".`);
    const [id = '', slot = '0'] = words;
    if (words.length !== known.takes.length) throw new UsageError(`ops ${command} needs ${known.takes.join(' and ')}.`);
    if (!/^\d{1,9}$/.test(slot)) throw new UsageError('SLOT must be a whole number from 0.');
    const { sql, temporal } = await openContext();
    return safeLine(await known.carryOut({ sql, temporal: await temporal(), by: operator() }, id, Number(slot)));
  },
  { failed: 2 },
);

async function checkedKind(kind: string | undefined, openContext: () => Promise<CliContext>): Promise<CliContext> {
  if (kind === undefined || stuckKinds.includes(kind)) return openContext();
  throw new UsageError(`There is no kind "${kind}".`);
}

async function stuck(
  { sql, temporal, taskQueue }: CliContext,
  { json, kind }: { json?: boolean; kind?: string },
): Promise<string> {
  const now = realNow();
  const all = await lookForStuck(sql, { temporal: await temporal(), taskQueue }, now);
  const reports = kind === undefined ? all : all.filter((report) => report.kind === kind);
  const count = reports.reduce((sum, report) => sum + report.count, 0);
  // The kind is known to Temporal alone. While Temporal is away, it is unknown whether anything is stuck.
  if (kind !== undefined && reports.length === 0) throw new Error('Temporal cannot be reached, and it alone knows.');
  if (count > 0) process.exitCode = 1;
  if (json) return JSON.stringify({ at: now.toISOString(), count, kinds: reports });
  const shown = reports.filter((report) => report.count > 0);
  return shown.length === 0 ? 'Nothing is stuck.' : shown.map((report) => describe(report, now)).join('\n\n');
}

function describe({ kind, meaning, count, found }: StuckReport, now: Date): string {
  const lines = [`${kind}: ${count}. ${meaning}`];
  for (const { subject_id, biller_id, livemode, since, why, remedy, workflow_id } of found) {
    const owner =
      biller_id === null ? '' : ` (${biller_id}${livemode === null ? '' : livemode ? ', live' : ', sandbox'})`;
    lines.push(
      `  ${subject_id ?? 'the service'}${owner}, ${since === null ? 'since an unknown time' : `since ${since} (${agoOf(since, now)})`}`,
    );
    lines.push(`    why:     ${why}`);
    if (workflow_id !== null) lines.push(`    look at: ${workflow_id} in the Web UI`);
    lines.push(`    free it: ${remedy}`);
  }
  if (count > found.length) lines.push(`  … and ${count - found.length} more`);
  return lines.map(safeLine).join('\n');
}

function agoOf(since: string, now: Date): string {
  const minutes = Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 60_000));
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}

async function send(operations: Operations, id: string, command: SentCommand): Promise<string> {
  return (await sendCommand(operations, id, command)) ?? nothingToDo(id);
}

/** A delivery that has ended has no workflow, so it is reopened in the database. */
async function retryDelivery(operations: Operations, id: string): Promise<string> {
  const { sql, by } = operations;
  if (isId('webhook_endpoint', id)) {
    return sent(id, await replayByOperator(sql, id, { by, now: realNow() }));
  }
  const result = await sendCommand(operations, id, { name: 'retryNow' });
  if (result !== null) return result;
  await retryDeliveryByOperator(sql, id, by, realNow());
  return `${id} had ended: it is delivered again now.`;
}

async function enableEndpoint({ sql, by }: Operations, id: string): Promise<string> {
  const replayed = await enableByOperator(sql, id, { by, now: realNow() });
  return replayed === null ? `${id} is enabled already.` : `${id} is enabled. ${sent(id, replayed)}`;
}

function sent(id: string, { deliveries, hasMore }: Replayed): string {
  return `${deliveries} deliveries to ${id} are made now.${hasMore ? ' There are more: send it again.' : ''}`;
}
