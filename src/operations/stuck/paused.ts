import type { WorkflowExecutionDescription, WorkflowExecutionInfo } from '@temporalio/client';
import { type RealInstant, realInstant } from '../../platform/real-time.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import type { WorkflowSide } from '../sides/workflow-sides.ts';
import { onSide, subjectOf, workflowStuckAs } from './about-workflow.ts';
import { type Kind, reportOf, type StuckReport } from './reading/find-stuck.ts';
import { opsCommand } from './reading/ops-command.ts';

/** A paused step is not tried, not even again: it neither fails nor ends, so its workflow reports nothing. */
export const workflowPaused: Kind = {
  kind: 'workflow_paused',
  meaning: 'A step of a workflow was paused in Temporal: nothing is done for its object.',
  after: 0,
};

/** A pending activity that an operator, or a rule of Temporal, has paused. */
export interface PausedStep {
  activityId: string;
  /** The type of the activity, such as `collectPlan`. */
  name: string;
  since: RealInstant | null;
  /** Who paused it, as that client called itself, or the rule. Null if the server does not say. */
  by: string | null;
  reason: string | null;
}

/** So many workflows are described. Each costs a call. */
const mostDescribed = 100;

/** Returns the paused steps of a workflow, in the order of the server. */
export function pausedSteps({ raw }: WorkflowExecutionDescription): PausedStep[] {
  return (raw.pendingActivities ?? [])
    .filter(({ paused }) => paused)
    .map(({ activityId, activityType, pauseInfo }) => ({
      activityId: activityId ?? '',
      name: activityType?.name ?? 'a step',
      since: instantOf(pauseInfo?.pauseTime),
      by: pauseInfo?.rule ? `rule ${pauseInfo.rule.ruleId}` : pauseInfo?.manual?.identity || null,
      reason: (pauseInfo?.rule ?? pauseInfo?.manual)?.reason || null,
    }));
}

/** Returns a clause such as “its step collectPlan was paused in Temporal at 2026-11-22T17:40:30Z by ada (a test)”. */
export function describePaused(steps: readonly PausedStep[]): string {
  const each = steps.map(({ name, since, by, reason }) => {
    const at = since === null ? '' : ` at ${since.toISOString()}`;
    return `its step ${name} was paused in Temporal${at}${by === null ? '' : ` by ${by}`}${reason === null ? '' : ` (${reason})`}`;
  });
  return withoutSecrets(each.join('; '));
}

/** Returns what continues a paused workflow. */
export function remedyOfPaused(subjectId: string | null): string {
  return `${opsCommand('unpause', subjectId)}. It then continues where it was, and does what is due.`;
}

/**
 * Finds the workflows of a side that have a paused step. One query while there are none. Temporal’s index can be a
 * moment older than the workflow, so each is described before it is reported.
 * @throws when Temporal is not reachable.
 */
export async function findPausedWorkflows(side: WorkflowSide): Promise<StuckReport> {
  const { temporal } = side;
  const query = `ExecutionStatus = 'Running' and ${onSide(side)} and TemporalPauseInfo is not null`;
  const { count } = await temporal.workflow.count(query);
  if (count === 0) return reportOf(workflowPaused, []);
  const listed: WorkflowExecutionInfo[] = [];
  for await (const workflow of temporal.workflow.list({ query, pageSize: mostDescribed })) {
    if (listed.push(workflow) >= mostDescribed) break;
  }
  const found = await Promise.all(
    listed.map(async (workflow) => {
      const { workflowId, runId } = workflow;
      const description = await temporal.workflow.getHandle(workflowId, runId).describe();
      const steps = description.status.name === 'RUNNING' ? pausedSteps(description) : [];
      if (steps.length === 0) return null;
      return workflowStuckAs(workflowPaused, side, workflow, {
        since: steps[0]?.since?.toISOString() ?? null,
        why: describePaused(steps),
        remedy: remedyOfPaused(subjectOf(workflow)),
      });
    }),
  );
  const paused = found.filter((stuck) => stuck !== null);
  return reportOf(workflowPaused, paused, paused.length + Math.max(0, count - listed.length));
}

function instantOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): RealInstant | null {
  if (!time) return null;
  return realInstant(Number(time.seconds ?? 0) * 1000 + Math.trunc((time.nanos ?? 0) / 1_000_000));
}
