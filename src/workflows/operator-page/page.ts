import { setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { type Stall, statusQuery, type WorkflowStatus } from '../../messages/workflow-status.ts';
import { type SummarizedWorkflow, summaryOf } from '../../messages/workflow-summaries.ts';

/** A command that an operator can send, its input, and what it does. */
export interface Remedy {
  command: string;
  input?: string;
  does: string;
}

/** A page about a workflow's subject, for a reader who does not know the code. All texts are Markdown. */
export interface PageContent {
  title: string;
  status: WorkflowStatus;
  /** The instants are those of a test clock. */
  isOnClock?: boolean;
  /** What went wrong last. */
  news: Fact[];
  remedies: Remedy[];
  /** What the subject belongs to, and where to read more. */
  facts: Fact[];
}

/** A named fact. A fact with the value null is omitted. */
export type Fact = readonly [name: string, value: string | null];

/** The page of a workflow in the Web UI, and the query that returns its status to programs. */
export interface OperatorPage {
  show(content: PageContent): void;
}

/** The status before the first read. */
export const initialStatus: WorkflowStatus = {
  state: null,
  stalled: null,
  waitsFor: 'the first look at the database',
  since: null,
  nextAt: null,
  nextDueAt: null,
  lastCommand: null,
};

/**
 * Sets the handler of the query, and shows what the workflow does until there is a status. The page is the workflow's
 * current details, in the tab "User Metadata".
 */
export function openPage(workflowType: SummarizedWorkflow): OperatorPage {
  const summary = summaryOf(workflowType, subjectId());
  let status = initialStatus;
  setHandler(statusQuery, () => status, { description: 'For programs: what it waits for, and why it is stalled.' });
  const page: OperatorPage = {
    show(content) {
      status = { ...content.status, stalled: continued(status.stalled, content.status.stalled) };
      setCurrentDetails(inMarkdown({ ...content, status }, summary));
    },
  };
  page.show({ title: 'Started', status, news: [], remedies: [], facts: [] });
  return page;
}

/** A stall that continues keeps its beginning. */
function continued(before: Stall | null, stalled: Stall | null): Stall | null {
  return stalled && { ...stalled, since: before?.since ?? stalled.since };
}

function inMarkdown(content: PageContent, summary: string): string {
  const { title, status, isOnClock = false, news, remedies, facts } = content;
  const choice = remedies.map(({ command, input, does }) => {
    const withInput = input === undefined ? '' : ` with \`${input}\``;
    return `- \`${command}\`${withInput}: ${does}`;
  });
  const parts = [
    `### ${title}`,
    `${summary}.`,
    whatItWaitsFor(status, isOnClock),
    listed([...news, ['Last command', status.lastCommand]]),
  ];
  if (choice.length > 0) {
    parts.push(
      '**What you can do** (*More Actions*, *Send an Update*; each may be sent twice):',
      choice.join('\n'),
      // In Markdown, text between two lists keeps them apart.
      '**More about it:**',
    );
  }
  return [...parts, listed(facts)].filter((part) => part !== '').join('\n\n');
}

function whatItWaitsFor({ stalled, waitsFor, nextAt, since }: WorkflowStatus, isOnClock: boolean): string {
  if (stalled !== null) {
    const stalledSince = stalled.since === null ? '' : `It has been stalled since ${instant(stalled.since)}. `;
    return (
      `**Stalled:** ${stalled.reason}\n\n${stalledSince}It tries again every five minutes; on a test clock, or where ` +
      'Temporal skips its time, only when it is asked to. Fix the cause, then send `recheck`.'
    );
  }
  if (waitsFor === null) return 'It has ended: nothing more is done.';
  const until = nextAt === null ? '' : `, at ${instant(nextAt)}`;
  return `Waits for **${waitsFor}**${until}${since === null ? '' : `, since ${instant(since)}`}${timeOf(isOnClock)}.`;
}

function listed(facts: readonly Fact[]): string {
  return facts.flatMap(([name, value]) => (value === null ? [] : `- **${name}:** ${value}`)).join('\n');
}

/** Returns an instant, given in epoch milliseconds, as readable text in UTC. */
export function instant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Returns a note for instants of a test clock, and nothing for real time. */
export function timeOf(isOnClock: boolean): string {
  return isOnClock ? ' (the clock’s time)' : '';
}

/** Returns the id of the workflow's subject. */
export function subjectId(): string {
  const { workflowId } = workflowInfo();
  return workflowId.slice(workflowId.indexOf('/') + 1);
}

/** Returns a link to the page of another workflow. */
export function linkTo(workflowId: string): string {
  return `[${workflowId}](/namespaces/${workflowInfo().namespace}/workflows/${encodeURIComponent(workflowId)})`;
}
