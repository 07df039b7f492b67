import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { attributes } from '../../messages/search-attributes.ts';
import type { SubjectStatus } from '../../messages/subject-status.ts';
import { type Details, type Fact, instant, linkTo, type Remedy, showDetails, subjectId } from './markdown.ts';
import { markFreed, markStalled } from './stalled.ts';

const lookAfresh: Remedy = { button: 'recheck', does: 'look at the database afresh, and do what is due.' };

/** The part of the customer's time that a page needs. */
interface ShownTime {
  now(): number;
  isDue(instant: number | null): boolean;
}

/** Shows a subject's status, in the search attributes and on the workflow's page. */
export function showStatus(standing: SubjectStatus, time: ShownTime, pressed: string | null): void {
  showDetails(detailsOf(standing, time.now(), { trouble: null, pressed }));
  markFreed();
  // During an advance a plan moves on at once. Only the status where it comes to rest is worth a write.
  if (standing.ended || !time.isDue(standing.nextAt)) upsertChanged(standing);
}

/** Shows why a subject is stalled. */
export function showStalled(standing: SubjectStatus, time: ShownTime, trouble: string, pressed: string | null): void {
  showDetails(detailsOf(standing, time.now(), { trouble, pressed }));
  markStalled();
}

/** Shows why a subject cannot be read. */
export function showUnread(reason: string, pressed: string | null): void {
  showDetails({
    title: 'Stalled',
    waits: stalled(reason),
    news: [['Last pressed', pressed]],
    facts: [['In the API', pathsOf(null)]],
    remedies: [lookAfresh],
  });
  markStalled();
}

/** Returns whether an earlier read has shown that the subject is on a test clock. */
export function isKnownToBeOnClock(): boolean {
  return workflowInfo().typedSearchAttributes.get(attributes.testClockId) !== undefined;
}

function detailsOf(
  standing: SubjectStatus,
  now: number,
  { trouble, pressed }: { trouble: string | null; pressed: string | null },
): Details {
  const { testClockId: clock, story, nextAt, failedAttempts } = standing;
  const time = clock === null ? '' : ' (the clock’s time)';
  const next = nextAt === null ? 'nothing by itself' : `${standing.next}, at ${instant(nextAt)}${time}`;
  const news: Fact[] = [
    ['Last failure', lastFailureOf(standing)],
    ['Failed attempts in this series', failedAttempts > 0 ? String(failedAttempts) : null],
    ['Last pressed', pressed],
  ];
  const facts: Fact[] = [
    ['Next', standing.ended ? null : next],
    ['Unpaid', unpaidOf(standing)],
    ['Time at the last look', `${instant(now)}${time}`],
    ['Test clock', clock === null ? null : linkTo(`test-clock/${clock}`)],
    ['Customer', standing.customerId === null ? 'none' : `\`${standing.customerId}\``],
    ['Biller', `\`${standing.billerId}\`, ${standing.livemode ? 'live' : 'sandbox'}`],
    ['In the API', pathsOf(standing)],
  ];
  const until = nextAt === null ? '' : `, at ${instant(nextAt)}`;
  const since = story === undefined ? '' : `, since ${instant(story.since)}`;
  const waits = standing.ended
    ? 'It has ended: nothing is due any more.'
    : `Waits for **${story?.waitsFor ?? standing.next}**${until}${since}${time}.`;
  return {
    title: titleOf(standing, trouble),
    waits: trouble === null ? waits : stalled(trouble),
    news,
    facts,
    remedies: standing.ended ? [] : remediesOf(standing, trouble),
  };
}

function titleOf({ state, testClockId }: SubjectStatus, trouble: string | null): string {
  const what = workflowInfo().workflowType === 'paymentPlan' ? 'Payment plan' : 'Scheduled payment';
  const clock = testClockId === null ? '' : ', on a test clock';
  return `${what}: ${trouble === null ? '' : 'stalled, '}${state}${clock}`;
}

function stalled(reason: string): string {
  return (
    `**Stalled:** ${reason}\n\n` +
    'It is looked at again every five minutes; on a test clock, or where Temporal skips its time, only when somebody asks. ' +
    'Mend the cause, then press `recheck`.'
  );
}

function unpaidOf({ story }: SubjectStatus): string | null {
  if (!story?.unpaid) return null;
  const { slot, dueDate, intentId, isUnderWay } = story.unpaid;
  return `slot ${slot}, due ${dueDate}, \`${intentId}\`${isUnderWay ? ', being charged' : ''}`;
}

function lastFailureOf({ lastError, story }: SubjectStatus): string | null {
  if (lastError === null) return null;
  const known = story?.lastFailure;
  return known ? `${lastError} (\`${known.code}\`, ${instant(known.at)})` : lastError;
}

function remediesOf({ state, story, nextAt }: SubjectStatus, trouble: string | null): Remedy[] {
  if (workflowInfo().workflowType !== 'paymentPlan') return [lookAfresh];
  const unpaid = story?.unpaid;
  const remedies: Remedy[] = [];
  if (unpaid && !unpaid.isUnderWay) {
    if (state === 'active' && nextAt !== null) {
      remedies.push({ button: 'retryNow', does: `make the next attempt of slot ${unpaid.slot} at once.` });
    }
    remedies.push({
      button: 'skipSlot',
      input: String(unpaid.slot),
      does: `give slot ${unpaid.slot} up for good; its payment is canceled, and nothing tries it again.`,
    });
  } else if (trouble !== null && !unpaid) {
    remedies.push({
      button: 'skipSlot',
      input: 'its number',
      does: 'skip the slot that is due and cannot be charged.',
    });
  }
  return [...remedies, lookAfresh];
}

/** Returns the API paths that show the subject. Requests need the biller's key. */
function pathsOf(standing: SubjectStatus | null): string {
  if (workflowInfo().workflowType !== 'paymentPlan') return `\`GET /api/v1/payment_intents/${subjectId()}\``;
  const plan = `/api/v1/payment_plans/${subjectId()}`;
  const intent = standing?.story?.unpaid?.intentId;
  const paths = [plan, `${plan}/payments`, ...(intent ? [`/api/v1/payment_intents/${intent}`] : [])];
  return paths.map((path) => `\`GET ${path}\``).join(', ');
}

function upsertChanged(standing: SubjectStatus): void {
  const known = workflowInfo().typedSearchAttributes;
  const updates: SearchAttributeUpdatePair[] = [];
  const state = standing.state.split(' ')[0] ?? standing.state;
  const nextDueAt = standing.nextDueAt === null ? null : new Date(standing.nextDueAt);
  if (standing.billerId !== '') {
    if (known.get(attributes.billerId) === undefined) {
      updates.push({ key: attributes.billerId, value: standing.billerId });
      updates.push({ key: attributes.livemode, value: standing.livemode });
      if (standing.customerId !== null) updates.push({ key: attributes.customerId, value: standing.customerId });
      if (standing.testClockId !== null) updates.push({ key: attributes.testClockId, value: standing.testClockId });
    }
  }
  if (known.get(attributes.planState) !== state) updates.push({ key: attributes.planState, value: state });
  if ((known.get(attributes.nextDueAt)?.getTime() ?? null) !== standing.nextDueAt) {
    updates.push({ key: attributes.nextDueAt, value: nextDueAt });
  }
  if ((known.get(attributes.failedAttempts) ?? 0) !== standing.failedAttempts) {
    updates.push({ key: attributes.failedAttempts, value: standing.failedAttempts });
  }
  if (updates.length > 0) upsertSearchAttributes(updates);
}
