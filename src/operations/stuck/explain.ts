import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { attributes } from '../../messages/search-attributes.ts';
import { statusQuery } from '../../messages/workflow-status.ts';
import { realNow } from '../../platform/real-time.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { clockToleranceMs } from '../../services/customer-time.ts';
import { subjectOf } from './about-workflow.ts';
import { deliveryBacklog } from './kinds/webhooks.ts';
import { kindNamed } from './kinds.ts';
import { describePaused, pausedSteps, remedyOfPaused } from './paused.ts';
import type { Stuck, StuckReport } from './reading/find-stuck.ts';
import { opsCommand } from './reading/ops-command.ts';
import { taskFailing } from './workflows.ts';

/**
 * How many of each kind are explained. Each costs a call of its own, so only those that have waited longest are
 * explained.
 */
const explainedOfEach = 20;

/** The Temporal of a stuck object, and whether a worker polls there. Only a worker can process a query. */
export interface Source {
  temporal: Client;
  hasWorker: boolean;
}

/**
 * Adds to each stuck object why its workflow does not continue: it does not run, its step fails, or it reports itself
 * what has stalled it. `sourceOf` returns null where Temporal cannot be asked. If Temporal has skipped real time for
 * the workflow, the remedy for that replaces the one of the kind.
 */
export async function explain(
  reports: StuckReport[],
  sourceOf: (stuck: Stuck) => Source | null,
): Promise<StuckReport[]> {
  return Promise.all(
    reports.map(async (report) => {
      if (!kindNamed(report.kind)?.asksWorkflow) return report;
      const found = await Promise.all(
        report.found.map((stuck, position) =>
          position < explainedOfEach ? explainOne(stuck, sourceOf(stuck)) : stuck,
        ),
      );
      return { ...report, found };
    }),
  );
}

async function explainOne(stuck: Stuck, source: Source | null): Promise<Stuck> {
  const { kind, workflow_id: id } = stuck;
  const isBacklog = kind === deliveryBacklog.kind;
  if (id === null) return stuck;
  if (source === null) return withReason(stuck, isBacklog ? 'Temporal does not respond, so nothing is sent' : null);
  const { temporal, hasWorker } = source;
  const starts = isBacklog ? 'retry-delivery starts it' : 'recheck starts it again';
  if (kind === taskFailing.kind) return withReason(stuck, await failureOfTask(temporal, id));
  try {
    const description = await temporal.workflow.getHandle(id).describe();
    if (description.status.name !== 'RUNNING') {
      return withReason(stuck, `its workflow does not run: ${starts}`);
    }
    const paused = pausedSteps(description);
    if (paused.length > 0) {
      return withReason({ ...stuck, remedy: remedyOfPaused(subjectOf({ workflowId: id })) }, describePaused(paused));
    }
    const remedied = hasSkippedRealTime(description)
      ? { ...stuck, remedy: startOverInRealTime(stuck.subject_id) }
      : stuck;
    const failing = failingStep(description);
    const withoutWorker = isBacklog ? 'no worker takes deliveries' : null;
    if (failing !== null || !hasWorker) return withReason(remedied, failing ?? withoutWorker);
    if (isBacklog) return withReason(remedied, 'a worker polls, but has not made the attempt: its log says why');
    return await withStall(temporal, remedied, id);
  } catch (error) {
    // A workflow that cannot respond to a query is reported under another kind.
    const isDeleted = error instanceof WorkflowNotFoundError;
    return withReason(stuck, isDeleted ? `it has no workflow: ${starts}` : null);
  }
}

/** Asks the workflow itself what has stalled it, and since when. */
async function withStall(temporal: Client, stuck: Stuck, workflowId: string): Promise<Stuck> {
  const { stalled } = await temporal.workflow.getHandle(workflowId).query(statusQuery);
  if (stalled === null) return stuck;
  const since = stalled.since === null ? null : new Date(stalled.since).toISOString();
  return withReason({ ...stuck, since: stuck.since ?? since }, `stalled: ${stalled.reason}`);
}

function withReason(stuck: Stuck, reason: string | null): Stuck {
  return reason === null ? stuck : { ...stuck, why: `${stuck.why}; ${withoutSecrets(reason)}` };
}

/**
 * Whether the workflow's time was skipped although it follows real time. Only subjects of a test clock have their time
 * skipped.
 */
function hasSkippedRealTime({ raw, type, typedSearchAttributes }: WorkflowExecutionDescription): boolean {
  const isOnClock = type !== 'testClock' && typedSearchAttributes.get(attributes.testClockId) !== undefined;
  const seconds = raw.workflowExtendedInfo?.timeSkippingInfo?.currentTime?.seconds;
  if (isOnClock || seconds === null || seconds === undefined) return false;
  return Number(seconds) * 1000 - realNow().getTime() > clockToleranceMs;
}

/** A new run has the server's own time, and does not skip. */
function startOverInRealTime(subjectId: string | null): string {
  return `Temporal has skipped its time, which the service never requests in real time: find out who did. Then ${opsCommand('start-over', subjectId)}.`;
}

/** Returns which step of a workflow has failed, how often, and why. Null if none has. */
export function failingStep({ raw }: WorkflowExecutionDescription): string | null {
  const step = raw.pendingActivities?.find(({ lastFailure }) => lastFailure);
  if (!step) return null;
  return `${step.activityType?.name} has failed ${(step.attempt ?? 1) - 1} times and is tried again: ${step.lastFailure?.message}`;
}

/** Why the workflow's own code failed at first: later failures are not written into its history. */
async function failureOfTask(temporal: Client, workflowId: string): Promise<string | null> {
  const { namespace } = temporal.options;
  const query = { namespace, execution: { workflowId }, maximumPageSize: 20 };
  const page = await temporal.workflowService.getWorkflowExecutionHistoryReverse(query).catch(() => null);
  const failed = page?.history?.events?.find(({ workflowTaskFailedEventAttributes: task }) => task?.failure?.message);
  return failed?.workflowTaskFailedEventAttributes?.failure?.message ?? null;
}
