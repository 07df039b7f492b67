import { type Client, isGrpcServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { type IdKind, isId } from '../domain/ids.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { enqueue, type WorkflowType, workflowIdOf } from '../platform/postgres/outbox.ts';
import { atomically } from '../platform/postgres/transaction.ts';
import { realNow } from '../platform/real-time.ts';
import { type Actor, recordAudit } from '../services/accounts/audit.ts';
import { NotFound } from '../services/errors.ts';
import { startEntry } from '../services/wake.ts';
import { findSubjectWantingWorkflow } from './reconciler/reconciliations.ts';

/** What operator commands from the command line work on, and who issues them. */
export interface Operations {
  sql: Pool;
  temporal: Client;
  by: Actor;
}

/** How long to wait for a response. A running worker responds within milliseconds. */
const answerWithinMs = 15_000;

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
 * Sends an Update to the workflow of an object and returns its message. By default the argument is who issues the
 * command, for the audit log. A workflow that should run and does not is started. Returns null when there is no
 * workflow and no work for one.
 * @throws an Error that says what to do, when no worker responds or the workflow rejects the Update.
 */
export async function press(
  { sql, temporal, by }: Operations,
  id: string,
  deed: string,
  input: unknown = by,
): Promise<string | null> {
  const type = workflowTypeOfId(id);
  const handle = temporal.workflow.getHandle(workflowIdOf(type, id));
  try {
    return await temporal.withDeadline(realNow().getTime() + answerWithinMs, () =>
      handle.executeUpdate<string, [unknown]>(deed, { args: [input] }),
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
  return `${workflowIdOf(workflowType, id)} did not run: it is started, and looks at once.`;
}

/** The message when there is no workflow, and none is needed. */
export function nothingToDo(id: string): string {
  return `There is nothing to do: ${id} has ended, waits for nobody, or does not exist.`;
}

const deadlineExceeded = 4;
const cancelled = 1;

function explain(error: unknown): string {
  if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? error.message;
  const isLate =
    (isGrpcServiceError(error) && [deadlineExceeded, cancelled].includes(Number(error.code))) ||
    (error instanceof Error && error.name === 'WorkflowUpdateRPCTimeoutOrCancelledError');
  if (isLate) return `No worker has answered within ${answerWithinMs / 1000} seconds: start one, and press again.`;
  return error instanceof Error ? error.message : String(error);
}
