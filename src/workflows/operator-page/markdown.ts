import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';

/** A command that an operator can issue, its input, and what it does. */
export interface Remedy {
  button: string;
  input?: string;
  does: string;
}

/** A page about a workflow's subject, for a reader who does not know the code. All texts are Markdown. */
export interface Details {
  title: string;
  /** What the subject waits for, and since when. */
  waits: string;
  /** What went wrong last, and the last command. */
  news: Fact[];
  remedies: Remedy[];
  /** What the subject belongs to, and where to read more. */
  facts: Fact[];
}

/** A named fact. A fact with the value null is omitted. */
export type Fact = readonly [name: string, value: string | null];

/** Shows the page as the workflow's current details, in the tab "User Metadata". */
export function showDetails({ title, waits, news, remedies, facts }: Details): void {
  const choice = remedies.map(({ button, input, does }) => {
    const along = input === undefined ? '' : ` with \`${input}\``;
    return `- \`${button}\`${along}: ${does}`;
  });
  const parts = [`### ${title}`, waits, listed(news)];
  if (choice.length > 0) {
    parts.push(
      '**What can be done** (*More Actions*, *Send an Update*; each may be pressed twice):',
      choice.join('\n'),
    );
    // In Markdown, text between two lists keeps them apart.
    parts.push('**More about it:**');
  }
  setCurrentDetails([...parts, listed(facts)].filter((part) => part !== '').join('\n\n'));
}

function listed(facts: readonly Fact[]): string {
  return facts.flatMap(([name, value]) => (value === null ? [] : `- **${name}:** ${value}`)).join('\n');
}

/** Returns an instant, given in epoch milliseconds, as readable text in UTC. */
export function instant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
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
