import { WorkflowNotFoundError } from '@temporalio/client';
import { type IdKind, isId } from '../domain/ids.ts';
import type { CommandLineUser } from '../messages/operator-command.ts';
import { allSubjectKinds, subjectKinds } from '../messages/subject-kinds.ts';
import { commands } from '../messages/updates.ts';
import { type WorkflowType, workflowIdOf } from '../messages/workflow-types.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { enqueue } from '../platform/postgres/outbox.ts';
import { atomically } from '../platform/postgres/transaction.ts';
import { realNow } from '../platform/real-time.ts';
import { operator, recordAudit } from '../services/accounts/audit.ts';
import { CommandRefused } from '../services/command-refused.ts';
import { NotFound } from '../services/errors.ts';
import { startEntry } from '../services/wake.ts';
import { giveUpDelivery } from '../services/webhooks/operator-commands.ts';
import { commandTimeoutMs, explain, explainUnsent } from './command-failure.ts';
import { findSubjectWantingWorkflow, selectModeOfSubject } from './reconciler/reconciliations.ts';
import { sideOf, type WorkflowSide, type WorkflowSides } from './sides/workflow-sides.ts';

/** What operator commands from the command line work on, and who issues them. */
export interface Operations {
  sql: Pool;
  sides: WorkflowSides;
  by: CommandLineUser;
}

/** A command, and the slot that it skips. */
export type SentCommand = { name: Exclude<keyof typeof commands, 'skipSlot'> } | { name: 'skipSlot'; slot: number };

const idKindOf: readonly (readonly [IdKind, WorkflowType])[] = [
  ...allSubjectKinds.map((kind) => [subjectKinds[kind].idKind, kind] as const),
  ['test_clock', 'testClock'],
  ['webhook_delivery', 'webhookDelivery'],
];

/** The workflow type of the object with this id. @throws NotFound when objects of this kind have no workflow. */
export function workflowTypeOfId(id: string): WorkflowType {
  for (const [kind, type] of idKindOf) if (isId(kind, id)) return type;
  throw new NotFound('object with a workflow', id);
}

/**
 * Sends an operator command to the workflow of an object and returns its result, a sentence. A workflow that should run
 * and does not is started. Returns null when there is no workflow and no work for one.
 * @throws an Error that says what to do, when the workflow does not respond or rejects the command.
 */
export async function sendCommand(operations: Operations, id: string, command: SentCommand): Promise<string | null> {
  const { sql, by } = operations;
  const type = workflowTypeOfId(id);
  const workflowId = workflowIdOf(type, id);
  for (const side of await sidesOf(operations, type, id)) {
    const { temporal } = side;
    const handle = temporal.workflow.getHandle(workflowId);
    try {
      return await temporal.withDeadline(realNow().getTime() + commandTimeoutMs, () =>
        command.name === 'skipSlot'
          ? handle.executeUpdate(commands.skipSlot, { args: [{ slot: command.slot, by }] })
          : handle.executeUpdate(commands[command.name], { args: [by] }),
      );
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) continue;
      throw new Error(await explainUnsent(side, id, workflowId, error), { cause: error });
    }
  }
  // A delivery that a batch carries has no workflow of its own.
  if (type === 'webhookDelivery' && command.name === 'giveUp') return giveUpDelivery(sql, id, realNow(), operator(by));
  return startMissing(sql, type, id);
}

/**
 * Terminates the workflow of an object and starts it again. A workflow keeps only the id: the new run reads the state
 * of its object from PostgreSQL, so nothing is charged twice or forgotten.
 * @throws CommandRefused when there is no workflow and no work for one.
 */
export async function startOver(operations: Operations, id: string): Promise<string> {
  const { sql, by } = operations;
  const workflowType = workflowTypeOfId(id);
  const workflowId = workflowIdOf(workflowType, id);
  const wanted = await findSubjectWantingWorkflow(sql, workflowType, id);
  let ended = false;
  for (const side of await sidesOf(operations, workflowType, id)) ended = (await terminate(side, workflowId)) || ended;
  if (!ended && wanted === null) throw new CommandRefused(nothingToDo(id));
  const now = realNow();
  await atomically(sql, async (tx) => {
    if (wanted !== null) await enqueue(tx, [startEntry(workflowType, wanted)], now);
    const changes = { run: { from: ended ? 'terminated' : 'not there', to: wanted === null ? null : 'started' } };
    await recordAudit(tx, { action: 'workflow.started_over', by, at: now, tenant: null, subjectId: id, changes });
  });
  const before = ended ? `${workflowId} was ended` : `${workflowId} did not run`;
  return wanted === null ? `${before}: there is nothing for it to do.` : `${before}, and is started again.`;
}

/** The side where the workflow of an object runs. If there is no such object, its workflow may be on any side. */
export async function sidesOf(
  { sql, sides }: Operations,
  type: WorkflowType,
  id: string,
): Promise<readonly WorkflowSide[]> {
  const livemode = sides.length === 1 ? null : await selectModeOfSubject(sql, type, id);
  return livemode === null ? sides : [sideOf(sides, livemode)];
}

/** Terminates a workflow. Returns whether one ran. */
async function terminate({ temporal }: WorkflowSide, workflowId: string): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(workflowId).terminate('started over by an operator');
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw new Error(explain(error), { cause: error });
  }
}

async function startMissing(sql: Pool, workflowType: WorkflowType, id: string): Promise<string | null> {
  const wanted = await findSubjectWantingWorkflow(sql, workflowType, id);
  if (wanted === null) return null;
  await atomically(sql, (tx) => enqueue(tx, [startEntry(workflowType, wanted)], realNow()));
  return `${workflowIdOf(workflowType, id)} did not run: it is started, and does at once what is due.`;
}

/** The message when there is no workflow, and none is needed. */
export function nothingToDo(id: string): string {
  return `There is nothing to do: ${id} has ended, waits for its test clock or for nothing, or does not exist.`;
}
