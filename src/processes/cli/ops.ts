import { isId } from '../../domain/ids.ts';
import { enableByOperator, type Replayed, replayByOperator } from '../../operations/endpoint-recovery.ts';
import { holdCharging, releaseCharging } from '../../operations/live-charging.ts';
import {
  nothingToDo,
  type Operations,
  type SentCommand,
  sendCommand,
  startOver,
} from '../../operations/operator-commands.ts';
import { findShortRetention } from '../../operations/sides/retention.ts';
import { type LatelyFailing, wordsAboutEndpoint } from '../../operations/stuck/kinds/webhooks.ts';
import { allKinds, keyFileMissing, kindNamed } from '../../operations/stuck/kinds.ts';
import { listeners } from '../../operations/stuck/listeners.ts';
import { whyUnreadable } from '../../operations/stuck/reading/bounded-reading.ts';
import { notReadable, reportUnread, type StuckReport } from '../../operations/stuck/reading/find-stuck.ts';
import { opsCommand } from '../../operations/stuck/reading/ops-command.ts';
import { refusedWrites, reportRefusal } from '../../operations/stuck/refused-writes.ts';
import { findFailingLately, lookForStuck } from '../../operations/stuck/stuck.ts';
import { deleteUnknownEntry } from '../../operations/unknown-entries.ts';
import { unpause } from '../../operations/unpause.ts';
import { type Cause, inWords } from '../../platform/database-causes.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import { safeLine, safeLines } from '../../platform/terminal.ts';
import { CommandRefused } from '../../services/command-refused.ts';
import { settleAttempt } from '../../services/payments/settle-attempt.ts';
import { settleLostAttempt } from '../../services/payments/settle-lost-attempt.ts';
import { isOverdueChoice, type OverdueChoice, recalculatePlan } from '../../services/plans/plan-recalculation.ts';
import { chargeHook } from '../../services/subjects/charge-hook.ts';
import { retryDeliveryByOperator } from '../../services/webhooks/operator-commands.ts';
import { defineCommand, type OpenContext, type Output, operator, UsageError, unknownForm } from './command.ts';
import type { CliContext } from './context.ts';
import { findStuckThroughApi, refusalOfConnection } from './through-api.ts';

interface Given {
  slot: number;
  isDryRun: boolean;
  overdue: OverdueChoice;
}
type Execute = (operations: Operations, id: string, given: Given) => Promise<string>;

const forms: Record<string, { takes: string[]; execute: Execute }> = {
  recheck: { takes: ['ID'], execute: (operations, id) => send(operations, id, { name: 'recheck' }) },
  'retry-now': { takes: ['ID'], execute: (operations, id) => send(operations, id, { name: 'retryNow' }) },
  'skip-slot': {
    takes: ['PLAN', 'SLOT'],
    execute: (operations, id, { slot }) => send(operations, id, { name: 'skipSlot', slot }),
  },
  recalculate: {
    takes: ['PLAN'],
    execute: ({ sql, by }, id, given) => recalculatePlan(sql, id, given, { by, now: realNow() }),
  },
  'retry-advance': { takes: ['CLOCK'], execute: (operations, id) => send(operations, id, { name: 'retryAdvance' }) },
  'retry-delivery': { takes: ['ID'], execute: retryDelivery },
  'give-up-delivery': { takes: ['ID'], execute: (operations, id) => send(operations, id, { name: 'giveUp' }) },
  'enable-endpoint': { takes: ['ID'], execute: enableEndpoint },
  'delete-entry': { takes: ['ENTRY'], execute: deleteUnknownEntry },
  unpause: { takes: ['ID'], execute: unpause },
  'start-over': { takes: ['ID'], execute: startOver },
};

export const command = defineCommand({
  usage: `Usage:
  ops stuck [--json] [--kind KIND]   what is stuck: since when, why, and the command that frees it
  ops recheck ID                     read the database again: for a plan, subscription, scheduled payment, bank debit, link,
                                     session or clock
  ops retry-now ID                   retry at once: a plan, subscription or scheduled payment that waits for its retry
  ops skip-slot PLAN SLOT            give up the unpaid slot of a plan; the calendar continues
  ops recalculate PLAN [--dry-run] [--overdue charge|skip]
                                     correct the dates and slots of a plan by its calendar and its payments; charges nothing itself
  ops retry-advance CLOCK            resume the advance of a clock
  ops retry-delivery ID              send a delivery now, whatever its status; for an endpoint, all it has not received
  ops give-up-delivery ID            end a delivery as failed; it can be retried later
  ops enable-endpoint ID             enable an endpoint that was disabled for failing, and send what it has missed
  ops delete-entry ENTRY             delete an outbox entry of a type that this version does not know
  ops settle ATTEMPT --as OUTCOME --evidence TEXT
                                     record what a person has found out: succeeded or failed. The processor is asked first
  ops settle PAYMENT --as OUTCOME --evidence TEXT [--reference REFERENCE]
                                     the same for a payment that has lost its attempt; REFERENCE is the processor’s id of the charge
  ops hold-charging --evidence TEXT  hold all live charges and refunds, such as after a back-up was restored
  ops release-charging --evidence TEXT
                                     release the hold: what the processor has done meanwhile is known
  ops unpause ID                     continue what was paused in Temporal; nothing is done twice
  ops start-over ID                  end the workflow of an object and start it again from PostgreSQL

SLOT is the number of a payment of the plan, from 0: payment 1 is slot 0. With --dry-run, recalculate only shows what it would
correct. If that makes a payment due at once, --overdue says whether it is charged or skipped.
Each may be repeated, and is in the audit log. The exit status of "stuck" is 0 if nothing is stuck and 1 if something is. The
others end with 0 when something was done, and with 2 and the reason when nothing was.
Kinds: ${allKinds.map(({ kind }) => kind).join(', ')}.
API_URL is the address of the API, such as https://payments.example.com, and PUBLIC_URL that of the pages for payers, or
PAGES_URL if payers reach them at another; those of npm start are known. Without them, it is not checked whether they respond.`,
  options: {
    json: { type: 'boolean' },
    kind: { type: 'string' },
    'dry-run': { type: 'boolean' },
    overdue: { type: 'string' },
    as: { type: 'string' },
    evidence: { type: 'string' },
    reference: { type: 'string' },
  },
  failureStatus: 2,
  async run({ values, words: [name, ...words] }, openContext) {
    if (name === 'stuck') {
      if (words.length > 0) throw new UsageError('ops stuck takes no ID.');
      const { kind } = values;
      if (kind !== undefined && kindNamed(kind) === undefined) throw new UsageError(`There is no kind "${kind}".`);
      return stuck(await openContext(), values);
    }
    if (name === 'settle') return settle(openContext, words, values);
    if (name === 'hold-charging' || name === 'release-charging') {
      if (words.length > 0) throw new UsageError(`ops ${name} takes no ID.`);
      const evidence = evidenceIn(name, values);
      const change = name === 'hold-charging' ? holdCharging : releaseCharging;
      return safeLine(await change((await openContext()).sql, evidence, { by: operator(), now: realNow() }));
    }
    const form = name !== undefined && Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (form === undefined) throw unknownForm(name);
    const [id = '', slot = '0'] = words;
    if (words.length !== form.takes.length) throw new UsageError(`ops ${name} needs ${form.takes.join(' and ')}.`);
    if (!/^\d{1,9}$/.test(slot)) throw new UsageError('SLOT must be a whole number from 0.');
    const { 'dry-run': isDryRun = false, overdue = null } = values;
    if (name !== 'recalculate' && (isDryRun || overdue !== null)) {
      throw new UsageError('Only ops recalculate takes --dry-run and --overdue.');
    }
    if (!isOverdueChoice(overdue)) throw new UsageError('--overdue takes charge or skip.');
    const { sql, sides } = await openContext();
    const given = { slot: Number(slot), isDryRun, overdue };
    const text = await form.execute({ sql, sides: await sides(), by: operator() }, id, given);
    return name === 'recalculate' ? safeLines(text) : safeLine(text);
  },
});

/** What a person knows and the service does not, as the audit log keeps it. */
function evidenceIn(name: string, { evidence = '' }: { evidence?: string }): string {
  const text = evidence.trim();
  if (text.length >= 3 && text.length <= 500) return text;
  throw new UsageError(`ops ${name} needs --evidence TEXT: how you know, in 3 to 500 characters, for the audit log.`);
}

async function settle(
  openContext: OpenContext,
  words: string[],
  values: { as?: string; evidence?: string; reference?: string },
): Promise<string> {
  const [id = ''] = words;
  const { reference = null } = values;
  if (words.length !== 1) throw new UsageError('ops settle needs ATTEMPT or PAYMENT.');
  const outcome = (['succeeded', 'failed'] as const).find((known) => known === values.as);
  if (outcome === undefined) throw new UsageError('ops settle needs --as succeeded or --as failed.');
  const evidence = evidenceIn('settle', values);
  const isLost = isId('payment_intent', id);
  if (reference !== null && !isLost) throw new UsageError('Only ops settle PAYMENT takes --reference.');
  const { sql, processors } = await openContext();
  const charging = { processors: await processors(), hook: chargeHook };
  const origin = { by: operator(), now: realNow() };
  const message = isLost
    ? await settleLostAttempt(sql, charging, { paymentIntentId: id, outcome, evidence, reference }, origin)
    : await settleAttempt(sql, charging, { attemptId: id, outcome, evidence }, origin);
  return safeLine(message);
}

async function stuck(context: CliContext, { json, kind }: { json?: boolean; kind?: string }): Promise<Output> {
  const { sql, apiUrl, pagesUrl } = context;
  const refusal = await refusalOfConnection(sql);
  const isConnected = refusal === null;
  // By PostgreSQL's clock, as the ages of what is stuck: that of this machine may be wrong.
  const now = isConnected ? await databaseNow(sql) : realNow();
  const [all, shortRetention] =
    refusal === null ? await look(context, now) : [await findWithoutConnection(context, refusal), []];
  const keyFile = isConnected ? await context.checkKeyFile().catch(onlyIfReadable) : null;
  const reports = [...all, ...(keyFile === null ? [] : [keyFile])].filter(
    (report) => kind === undefined || report.kind === kind,
  );
  const count = reports.reduce((sum, report) => sum + report.count, 0);
  if (kind === listeners.api.kind && reports.length === 0) {
    throw new Error('The address of the API is not known. Set API_URL, such as https://payments.example.com.');
  }
  if (kind === listeners.pages.kind && reports.length === 0) {
    throw new Error('The address of the pages is not known. Set PUBLIC_URL, such as https://pay.example.com.');
  }
  if (kind === keyFileMissing.kind && reports.length === 0) {
    throw new Error('There is no key file to look at: the environment has the keys or the database of the service.');
  }
  const [unread] = all.find((report) => report.kind === notReadable.kind)?.found ?? [];
  if (kind !== undefined && reports.length === 0 && unread !== undefined) {
    throw new Error(`Whether anything is "${kind}" is not known: ${unread.why}. ${unread.remedy}`);
  }
  // Only Temporal knows of this kind. While Temporal is away, it is unknown whether anything is stuck.
  if (kind !== undefined && reports.length === 0) {
    throw new Error(`Temporal cannot be reached, and only Temporal knows of "${kind}". Check that it runs.`);
  }
  const status = count > 0 ? 1 : 0;
  const failingLately = kind === undefined && isConnected ? await findFailingLately(sql, now) : [];
  if (json) {
    return {
      status,
      text: JSON.stringify({ at: now.toISOString(), count, kinds: reports, failing_lately: failingLately }),
    };
  }
  const paragraphs = reports.filter((report) => report.count > 0).map((report) => describeReport(report, now));
  if (!isConnected) {
    paragraphs.unshift(`${refusal.why}. What the API can still read, which keeps its connections:`);
  } else if (paragraphs.length === 0) paragraphs.push('Nothing is stuck.');
  if (failingLately.length > 0) paragraphs.push(describeFailingLately(failingLately, now));
  if (kind === undefined) paragraphs.push(...shortRetention.map((words) => safeLine(`Not stuck: ${words}`)));
  if (apiUrl === null && kind === undefined) {
    paragraphs.push('Not checked: whether the API responds. Set API_URL to its address.');
  }
  if (pagesUrl === null && kind === undefined) {
    paragraphs.push('Not checked: whether the pages for payers respond. Set PUBLIC_URL to their address.');
  }
  return { status, text: paragraphs.join('\n\n') };
}

/** What is stuck, and the Temporals that keep ended workflows too shortly. */
async function look(
  { sql, sides, apiUrl, pagesUrl }: CliContext,
  now: RealInstant,
): Promise<[StuckReport[], string[]]> {
  const opened = await sides();
  return Promise.all([lookForStuck(sql, opened, now, { apiUrl, pagesUrl }), findShortRetention(opened)]);
}

/**
 * What is stuck as the API sees it; if the login of this command is refused, that first.
 * @throws if no connection is left, and the API does not show what it sees.
 */
async function findWithoutConnection(context: CliContext, refusal: Cause): Promise<StuckReport[]> {
  const seen = await findStuckThroughApi(context);
  if (refusal.kind !== 'login') {
    if (seen === null) throw new Error(inWords(refusal));
    return seen;
  }
  const unread = reportUnread([{ kind: 'what the tables say', reason: refusal.why }]);
  return [reportRefusal(refusal), ...(seen ?? [unread]).filter(({ kind }) => kind !== refusedWrites.kind)];
}

/** While a table is locked, or PostgreSQL refuses to read it, other reports say so. */
function onlyIfReadable(error: unknown): null {
  if (isOutage(error) || whyUnreadable(error) !== null) return null;
  throw error;
}

function describeFailingLately(endpoints: readonly LatelyFailing[], now: RealInstant): string {
  const lines = endpoints.map(
    ({ id, biller_id, livemode, since, pending, ...news }) =>
      `  ${id} (${biller_id}, ${livemode ? 'live' : 'sandbox'}), for ${agoOf(since.toISOString(), now)}: ` +
      `${pending} waiting: ${wordsAboutEndpoint(news)}. Inform its biller; to send now: ${opsCommand('retry-delivery', id)}`,
  );
  const head = 'Not stuck, attempts continue: webhook endpoints that have only failed, for less than a day.';
  return [head, ...lines].map(safeLine).join('\n');
}

function describeReport({ kind, meaning, count, found }: StuckReport, now: RealInstant): string {
  const lines = [`${kind}: ${count}. ${meaning}`];
  for (const { subject_id, biller_id, livemode, since, why, remedy, workflow_id } of found) {
    const mode = livemode === null ? '' : livemode ? ', live' : ', sandbox';
    const owner = biller_id === null ? '' : ` (${biller_id}${mode})`;
    const begin = since === null ? 'since an unknown time' : `since ${since} (${agoOf(since, now)})`;
    lines.push(`  ${subject_id ?? 'the service'}${owner}, ${begin}`);
    lines.push(`    why:     ${why}`);
    if (workflow_id !== null) lines.push(`    look at: ${workflow_id} in the Web UI`);
    lines.push(`    free it: ${remedy}`);
  }
  if (count > found.length) lines.push(`  … and ${count - found.length} more`);
  return lines.map(safeLine).join('\n');
}

function agoOf(since: string, now: RealInstant): string {
  const minutes = Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 60_000));
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}

/** Sends an operator command to the workflow of an object, and returns its message. */
async function send(operations: Operations, id: string, command: SentCommand): Promise<string> {
  const message = await sendCommand(operations, id, command);
  if (message === null) throw new CommandRefused(nothingToDo(id));
  return message;
}

/** A delivery that has ended has no workflow, so it is reopened in the database. */
async function retryDelivery(operations: Operations, id: string): Promise<string> {
  const { sql, by } = operations;
  if (isId('webhook_endpoint', id)) {
    return describeReplay(id, await replayByOperator(sql, id, { by, now: realNow() }));
  }
  const message = await sendCommand(operations, id, { name: 'retryNow' });
  if (message !== null) return message;
  await retryDeliveryByOperator(sql, id, by, realNow());
  return `${id} had ended. It is sent again now.`;
}

async function enableEndpoint({ sql, by }: Operations, id: string): Promise<string> {
  const replayed = await enableByOperator(sql, id, { by, now: realNow() });
  return replayed === null ? `${id} is enabled already.` : `${id} is enabled. ${describeReplay(id, replayed)}`;
}

function describeReplay(id: string, { deliveries, hasMore }: Replayed): string {
  return `${deliveries} deliveries to ${id} are made now.${hasMore ? ' There are more: run the command again.' : ''}`;
}
