import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Pool } from '../db/connection.ts';
import {
  isStartStaged,
  isWantingWorkflow,
  type ReconciliationCounts,
  type SubjectRow,
  subjectsWantingWorkflow,
} from '../db/reconciliations.ts';
import { atomically } from '../db/transaction.ts';
import { stageIntents, type WorkflowIntent, type WorkflowType, workflowIdOf } from '../db/workflow-intents.ts';
import { realNow } from '../domain/real-time.ts';
import { webhookTaskQueue } from '../domain/task-queues.ts';
import { attributes } from '../workflows/search-attributes.ts';

/** What is wrong between an object in PostgreSQL and its workflow in Temporal. */
export interface Mismatch {
  workflowType: WorkflowType;
  subjectId: string;
  problem: keyof ReconciliationCounts;
  /** For an operator. */
  detail: string;
}

/** What a running workflow shows of its subject. */
interface Shown {
  state: string | null;
  nextDueAt: number | null;
}

const workflowTypes: WorkflowType[] = ['paymentPlan', 'scheduledPayment', 'testClock', 'webhookDelivery'];
/** What makes a workflow of each type look at the database; a delivery's looks by making its next attempt. */
const lookAgain: Record<WorkflowType, string> = {
  paymentPlan: 'poke',
  scheduledPayment: 'poke',
  testClock: 'poke',
  webhookDelivery: 'retryNow',
};
const pageSize = 1000;
/** How many workflows are asked about at once. */
const askedAtOnce = 20;

/**
 * Compares the workflows that there should be, by PostgreSQL, with those that Temporal runs: they differ after one of the
 * two was lost, or restored from a back-up that is older or newer than the other.
 */
export async function findMismatches(sql: Pool, temporal: Client, taskQueue: string): Promise<Mismatch[]> {
  const mismatches: Mismatch[] = [];
  for (const type of workflowTypes) {
    // Temporal first: what is made meanwhile is in the database, and is asked about by name before it counts as missing.
    const running = await runningWorkflows(temporal, type, taskQueue);
    const wanted = new Set<string>();
    for await (const subjects of wantedSubjects(sql, type)) {
      for (const { id } of subjects) wanted.add(id);
      mismatches.push(...(await inBatches(subjects, (subject) => compare(sql, temporal, type, subject, running))));
    }
    const leftOver = [...running.keys()].filter((id) => !wanted.has(id));
    mismatches.push(...(await inBatches(leftOver, (id) => findOrphan(sql, temporal, type, id))));
  }
  return mismatches;
}

/**
 * Mends what was found, by way of the dispatcher: what is missing is started again, the others are told to look. Nothing is
 * charged by it, since a workflow holds no state of its own: it reads from PostgreSQL what is to be done, if anything is.
 */
export async function mend(sql: Pool, mismatches: readonly Mismatch[]): Promise<void> {
  for (let from = 0; from < mismatches.length; from += pageSize) {
    const intents = mismatches.slice(from, from + pageSize).map(mendingIntent);
    await atomically(sql, (tx) => stageIntents(tx, intents, realNow()));
  }
}

/** How many mismatches there are of each kind. */
export function countMismatches(mismatches: readonly Mismatch[]): ReconciliationCounts {
  const counts = { missing: 0, orphaned: 0, stale: 0 };
  for (const { problem } of mismatches) counts[problem]++;
  return counts;
}

function mendingIntent({ workflowType, subjectId, problem }: Mismatch): WorkflowIntent {
  if (problem === 'missing') return { workflowType, subjectId, start: true };
  return { workflowType, subjectId, start: false, signal: lookAgain[workflowType] };
}

/** The workflows of a type that run for this service, which is known by its task queue, by the ids of their subjects. */
async function runningWorkflows(temporal: Client, type: WorkflowType, taskQueue: string): Promise<Map<string, Shown>> {
  const running = new Map<string, Shown>();
  const prefix = workflowIdOf(type, '');
  const queue = type === 'webhookDelivery' ? webhookTaskQueue(taskQueue) : taskQueue;
  const query = `WorkflowType = '${type}' and ExecutionStatus = 'Running' and TaskQueue = '${queue}'`;
  for await (const { workflowId, typedSearchAttributes: shown } of temporal.workflow.list({ query, pageSize })) {
    if (!workflowId.startsWith(prefix)) continue;
    const state = shown.get(attributes.planState) ?? null;
    const nextDueAt = shown.get(attributes.nextDueAt)?.getTime() ?? null;
    running.set(workflowId.slice(prefix.length), { state, nextDueAt });
  }
  return running;
}

async function* wantedSubjects(sql: Pool, type: WorkflowType): AsyncGenerator<SubjectRow[]> {
  for (let after = ''; ; ) {
    const page = await subjectsWantingWorkflow(sql, type, { limit: pageSize, after });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.id;
  }
}

async function compare(
  sql: Pool,
  temporal: Client,
  workflowType: WorkflowType,
  subject: SubjectRow,
  running: ReadonlyMap<string, Shown>,
): Promise<Mismatch | null> {
  const about = { workflowType, subjectId: subject.id };
  const shown = running.get(subject.id);
  if (shown === undefined) {
    // Just started, and not yet among those that are found; or about to be.
    if (await isRunning(temporal, workflowType, subject.id)) return null;
    if (await isStartStaged(sql, subject.id)) return null;
    return { ...about, problem: 'missing', detail: 'nobody waits for what it has to do' };
  }
  if (workflowType !== 'paymentPlan') return null;
  const nextDueAt = subject.next_due_at?.getTime() ?? null;
  if (shown.state === subject.state && shown.nextDueAt === nextDueAt) return null;
  const told = (state: string | null, at: number | null) => `${state}, next due ${at && new Date(at).toISOString()}`;
  const detail = `it is ${told(subject.state, nextDueAt)}; its workflow shows ${told(shown.state, shown.nextDueAt)}`;
  return { ...about, problem: 'stale', detail };
}

async function findOrphan(
  sql: Pool,
  temporal: Client,
  workflowType: WorkflowType,
  subjectId: string,
): Promise<Mismatch | null> {
  if (await isWantingWorkflow(sql, workflowType, subjectId)) return null;
  if (!(await isRunning(temporal, workflowType, subjectId))) return null;
  return {
    workflowType,
    subjectId,
    problem: 'orphaned',
    detail: 'its workflow runs, and there is nothing for it to do',
  };
}

async function isRunning(temporal: Client, type: WorkflowType, subjectId: string): Promise<boolean> {
  try {
    const { status } = await temporal.workflow.getHandle(workflowIdOf(type, subjectId)).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function inBatches<T, R>(items: readonly T[], look: (item: T) => Promise<R | null>): Promise<R[]> {
  const found: R[] = [];
  for (let from = 0; from < items.length; from += askedAtOnce) {
    const answers = await Promise.all(items.slice(from, from + askedAtOnce).map(look));
    for (const answer of answers) if (answer !== null) found.push(answer);
  }
  return found;
}
