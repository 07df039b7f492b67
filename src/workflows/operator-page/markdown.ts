import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';

/** Something that an operator can press, what to send along, and what it does. */
export interface Remedy {
  button: string;
  input?: string;
  does: string;
}

/** A page about a workflow's subject, for somebody who has never seen the code. Everything is Markdown. */
export interface Details {
  title: string;
  /** What it waits for, and since when. */
  waits: string;
  /** What went wrong last, and what was pressed last. */
  news: Fact[];
  remedies: Remedy[];
  /** What it belongs to, and where to read more. */
  facts: Fact[];
}

/** A named fact; one of null is left out. */
export type Fact = readonly [name: string, value: string | null];

/** Shows the page under the tab "User Metadata" of the workflow, as its current details. */
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
    // One list is to end before the next begins.
    parts.push('**More about it:**');
  }
  setCurrentDetails([...parts, listed(facts)].filter((part) => part !== '').join('\n\n'));
}

function listed(facts: readonly Fact[]): string {
  return facts.flatMap(([name, value]) => (value === null ? [] : `- **${name}:** ${value}`)).join('\n');
}

/** An instant as people read it; epoch milliseconds. */
export function instant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The object that the workflow carries. */
export function subjectId(): string {
  const { workflowId } = workflowInfo();
  return workflowId.slice(workflowId.indexOf('/') + 1);
}

/** A link to the page of another workflow. */
export function linkTo(workflowId: string): string {
  return `[${workflowId}](/namespaces/${workflowInfo().namespace}/workflows/${encodeURIComponent(workflowId)})`;
}
