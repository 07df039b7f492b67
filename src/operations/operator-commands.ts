import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { type IdKind, isId } from '../domain/ids.ts';
import type { CommandLineUser } from '../messages/operator-command.ts';
import { commands } from '../messages/updates.ts';
import { grpcStatusOf } from '../platform/grpc-status.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { enqueue, type WorkflowType, workflowIdOf } from '../platform/postgres/outbox.ts';
import { atomically } from '../platform/postgres/transaction.ts';
import { realNow } from '../platform/real-time.ts';
import { recordAudit } from '../services/accounts/audit.ts';
import { NotFound } from '../services/errors.ts';
import { startEntry } from '../services/wake.ts';
import { findSubjectWantingWorkflow } from './reconciler/reconciliations.ts';

/** What operator commands from the command line work on, and who issues them. */
export interface Operations {
  sql: Pool;
  temporal: Client;
  by: CommandLineUser;
}

/** A command, and the slot that it skips. */
export type SentCommand = { name: Exclude<keyof typeof commands, 'skipSlot'> } | { name: 'skipSlot'; slot: number };

/** How long to wait for a response. A running worker responds within milliseconds. */
const timeoutMs = 15_000;

const workflowTypeOf: Partial<Record<IdKind, WorkflowType>> = {
  payment_plan: 'paymentPlan',
  payment_intent: 'scheduledPayment',
  test_clock: 'testClock',
  webhook_delivery: 'webhookDelivery',
};

/** The workflow type of the object with this id. @throws NotFound when objects of this kind have no workflow. */
export function workflowTypeOfId(id: string): WorkflowType {
  for (const [kind, type] of Object.entries(workflowTypeOf)) if (isId(kind as IdKind, id)) return type;
  throw new NotFound('object with a workflow', id);
}

/**
 * Sends an operator command to the workflow of an object and returns its result, a sentence. A workflow that should run
 * and does not is started. Returns null when there is no workflow and no work for one.
 * @throws an Error that says what to do, when no worker responds or the workflow rejects the command.
 */
export async function sendCommand(
  { sql, temporal, by }: Operations,
  id: string,
  command: SentCommand,
): Promise<string | null> {
  const type = workflowTypeOfId(id);
  const handle = temporal.workflow.getHandle(workflowIdOf(type, id));
  try {
    return await temporal.withDeadline(realNow().getTime() + timeoutMs, () =>
      command.name === 'skipSlot'
        ? handle.executeUpdate(commands.skipSlot, { args: [{ slot: command.slot, by }] })
        : handle.executeUpdate(commands[command.name], { args: [by] }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw new Error(explain(error), { cause: error });
    return startMissing(sql, type, id);
  }
}

/**
 * Terminates the workflow of an object and starts it again. A workflow keeps only the id: the new run reads the state
 * of its object from PostgreSQL, so nothing is charged twice or forgotten.
 */
export async function startOver({ sql, temporal, by }: Operations, id: string): Promise<string> {
  const workflowType = workflowTypeOfId(id);
  const workflowId = workflowIdOf(workflowType, id);
  const wanted = await findSubjectWantingWorkflow(sql, workflowType, id);
  const ended = await temporal.workflow
    .getHandle(workflowId)
    .terminate('started over by an operator')
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      },
    );
  if (!ended && wanted === null) return nothingToDo(id);
  const now = realNow();
  await atomically(sql, async (tx) => {
    if (wanted !== null) await enqueue(tx, [startEntry(workflowType, id)], now);
    const changes = { run: { from: ended ? 'terminated' : 'not there', to: wanted === null ? null : 'started' } };
    await recordAudit(tx, { action: 'workflow.started_over', by, at: now, tenant: null, subjectId: id, changes });
  });
  const before = ended ? `${workflowId} was ended` : `${workflowId} did not run`;
  return wanted === null ? `${before}: there is nothing for it to do.` : `${before}, and is started again.`;
}

async function startMissing(sql: Pool, workflowType: WorkflowType, id: string): Promise<string | null> {
  if ((await findSubjectWantingWorkflow(sql, workflowType, id)) === null) return null;
  await atomically(sql, (tx) => enqueue(tx, [startEntry(workflowType, id)], realNow()));
  return `${workflowIdOf(workflowType, id)} did not run: it is started, and does at once what is due.`;
}

/** The message when there is no workflow, and none is needed. */
export function nothingToDo(id: string): string {
  return `There is nothing to do: ${id} has ended, waits for nothing, or does not exist.`;
}

function explain(error: unknown): string {
  if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? error.message;
  const isLate =
    ['DEADLINE_EXCEEDED', 'CANCELLED'].includes(grpcStatusOf(error) ?? '') ||
    (error instanceof Error && error.name === 'WorkflowUpdateRPCTimeoutOrCancelledError');
  if (isLate) return `No worker responded within ${timeoutMs / 1000} seconds. Start a worker, then send it again.`;
  return error instanceof Error ? error.message : String(error);
}
