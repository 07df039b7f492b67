import type { WorkflowExecutionInfo } from '@temporalio/client';
import { webhookTaskQueue } from '../../messages/task-queues.ts';
import { all } from '../../platform/all-settled.ts';
import { describeCallFailure, grpcStatusInside } from '../../platform/grpc-status.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { nameOf, type WorkflowSide, type WorkflowSides } from '../sides/workflow-sides.ts';
import { onSide, subjectOf, workflowStuckAs } from './about-workflow.ts';
import { type EndedWorkflow, findEndedWorkflows, reportWanted, workflowEnded } from './ended-workflows.ts';
import { findPausedWorkflows, workflowPaused } from './paused.ts';
import { type Kind, reportOf, type Stuck, type StuckReport, stuckAs, type Words } from './reading/find-stuck.ts';
import { opsCommand, recheckAfterFix } from './reading/ops-command.ts';

const unreachable: Kind = {
  kind: 'temporal_unreachable',
  meaning: 'Temporal does not respond; what only it knows is left out.',
  after: 0,
};
const refusing: Kind = {
  kind: 'temporal_refusing',
  meaning: 'Temporal responds and refuses what the service asks; what only it knows is left out.',
  after: 0,
};
const overloaded: Kind = {
  kind: 'temporal_overloaded',
  meaning: 'Temporal responds, but has more to do than it can; what only it knows is left out.',
  after: 0,
};

/** The kinds that mean that a Temporal did not tell what it knows. */
const unanswered = [unreachable, refusing, overloaded];
export const unansweredKinds: readonly string[] = unanswered.map(({ kind }) => kind);

export const workerMissing: Kind = {
  kind: 'worker_missing',
  meaning: 'No worker polls a task queue.',
  after: 90, // a poll lasts up to a minute; 30 s where a poll lasts up to twenty seconds
};

/** A kind that Temporal finds by a condition on its workflows. */
interface WorkflowKind extends Kind {
  condition: string;
  say(workflow: WorkflowExecutionInfo): Words;
}

export const taskFailing: WorkflowKind = {
  kind: 'workflow_task_failing',
  meaning: 'A workflow’s own code has failed five times in a row or more.',
  after: 0, // the server counts attempts, not time
  asksWorkflow: true,
  condition: `TemporalReportedProblems in ('category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut')`,
  say: describeFailingTask,
};
const stalled: WorkflowKind = {
  kind: 'workflow_stalled',
  meaning: 'A workflow cannot do what is due.',
  after: 0,
  asksWorkflow: true,
  condition: 'Stalled = true',
  say: (workflow) => ({ why: 'an effect fails', remedy: recheckAfterFix(subjectOf(workflow)) }),
};

/** The kinds that Temporal knows. */
export const workflowKinds: readonly Kind[] = [
  ...unanswered,
  workerMissing,
  workflowEnded,
  workflowPaused,
  taskFailing,
  stalled,
];

/**
 * All that is stuck according to the Temporals. One that is not reachable is reported as such, and the rest comes from
 * the other. Returns within one or two of the client's call timeouts (four seconds each). Whether the object of an
 * ended workflow needs one is read from PostgreSQL; while that is away, this kind is left out.
 */
export async function findStuckWorkflows(
  sql: Pool,
  sides: WorkflowSides,
  now: RealInstant,
  limit = 100,
): Promise<StuckReport[]> {
  const reports = (await Promise.all(sides.map((side) => lookAtSide(sql, side, now, limit)))).flat();
  return workflowKinds.flatMap((kind) => {
    const alike = reports.filter((report) => report.kind === kind.kind);
    if (alike.length === 0) return [];
    const count = alike.reduce((sum, report) => sum + report.count, 0);
    return [reportOf(kind, alike.flatMap(({ found }) => found).slice(0, limit), count)];
  });
}

async function lookAtSide(sql: Pool, side: WorkflowSide, now: RealInstant, limit: number): Promise<StuckReport[]> {
  const { reports, ended } = await findOnSide(side, now, limit);
  const wanted = ended && (await reportWanted(sql, side, ended));
  return wanted === null ? reports : [...reports, reportOf(workflowEnded, wanted.slice(0, limit), wanted.length)];
}

async function findOnSide(
  side: WorkflowSide,
  now: RealInstant,
  limit: number,
): Promise<{ reports: StuckReport[]; ended: EndedWorkflow[] | null }> {
  try {
    const [ended, ...reports] = await all([
      findEndedWorkflows(side, now),
      findMissingWorkers(side, now),
      findPausedWorkflows(side),
      findWorkflows(side, taskFailing, limit),
      findWorkflows(side, stalled, limit),
    ]);
    return { reports: [...unanswered.map((each) => reportOf(each, [])), ...reports], ended };
  } catch (error) {
    const { kind, ...words } = await describeUnanswered(side, error);
    const found = [stuckAs(kind, { livemode: side.livemode, ...words })];
    const reports = unanswered.map((each) => reportOf(each, each === kind ? found : []));
    return { reports, ended: null };
  }
}

/** Says whether a Temporal is absent, refuses, or is overloaded: three causes with three remedies. */
async function describeUnanswered(side: WorkflowSide, error: unknown): Promise<Words & { kind: Kind }> {
  const status = grpcStatusInside(error);
  const name = nameOf(side);
  const variable = `${side.livemode === false ? 'SANDBOX_' : ''}TEMPORAL`;
  const why = describeCallFailure(name, error);
  if (status === 'PERMISSION_DENIED' || status === 'UNAUTHENTICATED') {
    return { kind: refusing, why, remedy: `Correct the credentials of ${variable}_….` };
  }
  const isLate = status === 'DEADLINE_EXCEEDED' || status === 'CANCELLED';
  if (status === 'RESOURCE_EXHAUSTED' || (isLate && (await responds(side)))) {
    return {
      kind: overloaded,
      why: `${name} responds, but its lists come late${isLate ? '' : ` (${why})`}: it has more to do than it can`,
      remedy:
        'Wait: it works off what it has, and nothing is lost. End nothing. If it lasts, look at the processors and the disk of ' +
        'its host and of its database.',
    };
  }
  if (!isLate && status !== 'UNAVAILABLE' && (await responds(side))) {
    return {
      kind: refusing,
      why: `${name} refuses: ${why}`,
      remedy: `npm run --silent temporal:prepare. It creates the namespace and the search attributes that are missing. If the namespace has another name, correct ${variable}_NAMESPACE.`,
    };
  }
  return {
    kind: unreachable,
    why,
    remedy:
      'If its process is gone, start Temporal (npm start does so automatically). If it is still there, it hangs: end it with ' +
      `kill -9 (under npm start: the process in DATA_DIR/run/temporal.json), then start it. Or correct ${variable}_ADDRESS. ` +
      'Requests are served meanwhile; nothing is collected.',
  };
}

/** Whether the server responds to a call that needs neither its database nor its lists. */
async function responds({ temporal }: WorkflowSide): Promise<boolean> {
  try {
    await temporal.workflowService.getSystemInfo({});
    return true;
  } catch {
    return false;
  }
}

/** The same, counted by kind. */
export async function countStuckWorkflows(
  sql: Pool,
  sides: WorkflowSides,
  now: RealInstant,
): Promise<Map<string, number>> {
  const reports = await findStuckWorkflows(sql, sides, now, 1);
  return new Map(reports.map(({ kind, count }) => [kind, count]));
}

/**
 * The task queues of a side that no worker polls.
 * @throws when Temporal is not reachable.
 */
export async function findMissingWorkers(side: WorkflowSide, now: RealInstant): Promise<StuckReport> {
  const queues = [side.taskQueue, webhookTaskQueue(side.taskQueue)];
  const missing = await all(queues.map((queue) => missingWorker(side, queue, now)));
  return reportOf(
    workerMissing,
    missing.flatMap((report) => report ?? []),
  );
}

const [ofWorkflows, ofActivities] = [1, 2];

async function missingWorker(side: WorkflowSide, queue: string, now: RealInstant): Promise<Stuck | null> {
  const { temporal, livemode } = side;
  const { namespace } = temporal.options;
  const polled = await all(
    [ofWorkflows, ofActivities].map(async (taskQueueType) => {
      const taskQueue = { name: queue };
      const { pollers } = await temporal.workflowService.describeTaskQueue({ namespace, taskQueue, taskQueueType });
      const polls = (pollers ?? []).map(({ identity, lastAccessTime }) => ({ identity, at: msOf(lastAccessTime) }));
      return polls.reduce((last, poll) => (poll.at > last.at ? poll : last), { identity: '', at: 0 });
    }),
  );
  const last = polled.reduce((earliest, poll) => (poll.at < earliest.at ? poll : earliest));
  if (last.at > now.getTime() - 1_500 * (side.longestPollSeconds ?? 60)) return null;
  const place = `the task queue ${queue}${livemode === null ? '' : ` in ${nameOf(side)}`}`;
  const since = last.at === 0 ? null : new Date(last.at).toISOString();
  return stuckAs(workerMissing, { livemode, since, ...describeMissing(place, last.identity || null) });
}

/** `identity` is that of the last worker, its process id and host; null if the server does not remember it. */
function describeMissing(place: string, identity: string | null): Words {
  const lastOne = identity === null ? '' : `, the last one was ${identity}`;
  const process = identity === null ? 'its process' : `process ${identity}`;
  return {
    why: `no worker polls ${place}${lastOne}: it has ended, or it hangs`,
    remedy:
      `If ${process} is gone, its log says why: start a worker (npm run worker; npm start does so automatically). ` +
      'If it is still there, it hangs: end it with kill -9, then start a worker.',
  };
}

async function findWorkflows(side: WorkflowSide, kind: WorkflowKind, limit: number): Promise<StuckReport> {
  const { temporal } = side;
  const query = `ExecutionStatus = 'Running' and ${onSide(side)} and ${kind.condition}`;
  const { count } = await temporal.workflow.count(query);
  const found: Stuck[] = [];
  if (count === 0) return reportOf(kind, found);
  for await (const workflow of temporal.workflow.list({ query, pageSize: limit })) {
    if (found.push(workflowStuckAs(kind, side, workflow, kind.say(workflow))) >= limit) break;
  }
  return reportOf(kind, found, Math.max(count, found.length));
}

/** A task that failed is the fault of the code; one that timed out, of the process that took it. */
function describeFailingTask(workflow: WorkflowExecutionInfo): Words {
  const problems = problemsOf(workflow);
  const startOver = `${opsCommand('start-over', subjectOf(workflow))}: it reads its status from PostgreSQL`;
  if (!problems.includes('WorkflowTaskFailed') && problems.includes('WorkflowTaskTimedOut')) {
    return {
      why: `workers take its task and do not respond in time (${problems}): a worker hangs or has ended`,
      remedy:
        'End the worker that process_hangs names: another one takes the task, and it continues. If it names none, the logs ' +
        `of the workers say why. If only this workflow has it: ${startOver}.`,
    };
  }
  return {
    why: `its code fails: ${problems || 'the worker’s log says why'}`,
    remedy: `Deploy a worker that can replay it (docs/upgrades.md), or ${startOver}.`,
  };
}

/** Such as `WorkflowTaskFailedCauseNonDeterministicError`. */
function problemsOf({ searchAttributes }: WorkflowExecutionInfo): string {
  const problems: readonly unknown[] = searchAttributes.TemporalReportedProblems ?? [];
  return problems.map((problem) => String(problem).replace(/^(category|cause)=/, '')).join(', ');
}

function msOf(instant: { seconds?: unknown } | null | undefined): number {
  return Number(instant?.seconds ?? 0) * 1000;
}
