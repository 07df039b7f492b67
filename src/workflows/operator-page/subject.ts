import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { attributes } from '../../messages/search-attributes.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import { type SubjectKind, subjectKinds } from '../../messages/subject-kinds.ts';
import type { SubjectStatus } from '../../messages/subject-status.ts';
import type { Stall } from '../../messages/workflow-status.ts';
import { titleOf } from '../../messages/workflow-types.ts';
import {
  initialStatus,
  instant,
  linkTo,
  type OperatorPage,
  openPage,
  type PageContent,
  type Remedy,
  subjectId,
  timeOf,
} from './page.ts';
import { markFreed, markStalled } from './stalled.ts';

const readAgain: Remedy = { command: 'recheck', does: 'read the database again, and do what is due.' };

/** The part of the customer's time that a page needs. */
interface ShownTime {
  now(): number;
  isDue(instant: number | null): boolean;
}

/** The page of a workflow that collects, and the kind of its subject. */
export interface SubjectPage extends OperatorPage {
  kind: SubjectKind;
}

/** As `openPage`. */
export function openSubjectPage(kind: SubjectKind): SubjectPage {
  return { kind, ...openPage(kind) };
}

/** Shows a subject's status, in the search attributes and on the workflow's page. */
export function showStatus(
  page: SubjectPage,
  status: SubjectStatus,
  time: ShownTime,
  lastCommand: string | null,
): void {
  page.show(contentOf(page.kind, status, time.now(), { stalled: null, lastCommand }));
  markFreed();
  // During an advance a plan moves on at once. Only the status where it comes to rest is worth a write.
  if (status.ended || !time.isDue(status.nextAt)) upsertChanged(status);
}

/** Shows why a subject is stalled. */
export function showStalled(
  page: SubjectPage,
  status: SubjectStatus,
  time: ShownTime,
  shown: { stalled: Stall; lastCommand: string | null },
): void {
  page.show(contentOf(page.kind, status, time.now(), shown));
  markStalled();
}

/** Shows why a subject cannot be read. */
export function showUnread(page: SubjectPage, shown: { stalled: Stall; lastCommand: string | null }): void {
  page.show({
    title: 'Stalled',
    status: { ...initialStatus, ...shown },
    news: [],
    facts: [['In the API', pathsOf(page.kind, null)]],
    remedies: [readAgain],
  });
  markStalled();
}

/** Returns whether an earlier read has shown that the subject is on a test clock. */
export function isKnownToBeOnClock(): boolean {
  return workflowInfo().typedSearchAttributes.get(attributes.testClockId) !== undefined;
}

function contentOf(
  kind: SubjectKind,
  subject: SubjectStatus,
  now: number,
  { stalled, lastCommand }: { stalled: Stall | null; lastCommand: string | null },
): PageContent {
  const { ended, state, testClockId: clock, story: details, nextAt, nextDueAt, failedAttempts } = subject;
  const time = timeOf(clock !== null);
  const next = nextAt === null ? 'nothing automatic' : `${subject.next}, at ${instant(nextAt)}${time}`;
  return {
    title: `${titleOf(kind)}: ${stalled === null ? '' : 'stalled, '}${state}${clock === null ? '' : ', on a test clock'}`,
    status: {
      state,
      stalled,
      waitsFor: ended ? null : (details?.waitsFor ?? subject.next),
      since: details?.since ?? null,
      nextAt,
      nextDueAt,
      lastCommand,
    },
    isOnClock: clock !== null,
    news: [
      ['Last failure', lastFailureOf(subject)],
      ['Failed attempts in this series', failedAttempts > 0 ? String(failedAttempts) : null],
    ],
    facts: [
      ['Next', ended ? null : next],
      ['Unpaid', unpaidOf(subject)],
      ['Time at the last look', `${instant(now)}${time}`],
      ['Test clock', clock === null ? null : linkTo(`test-clock/${clock}`)],
      ['Customer', subject.customerId === null ? 'none' : `\`${subject.customerId}\``],
      ['Biller', `\`${subject.billerId}\`, ${subject.livemode ? 'live' : 'sandbox'}`],
      ['In the API', pathsOf(kind, subject)],
    ],
    remedies: ended ? [] : remediesOf(kind, subject, stalled !== null),
  };
}

function unpaidOf({ story: details }: SubjectStatus): string | null {
  if (!details?.unpaid) return null;
  const { slot, dueDate, intentId, isUnderWay } = details.unpaid;
  return `${slotInWords(slot)}, due ${dueDate}, \`${intentId}\`${isUnderWay ? ', being charged' : ''}`;
}

function lastFailureOf({ lastError, story: details }: SubjectStatus): string | null {
  if (lastError === null) return null;
  const known = details?.lastFailure;
  return known ? `${lastError} (\`${known.code}\`, ${instant(known.at)})` : lastError;
}

function remediesOf(kind: SubjectKind, { state, story: details, nextAt }: SubjectStatus, isStalled: boolean): Remedy[] {
  if (kind === 'subscription' && state === 'past_due' && nextAt !== null) {
    return [{ command: 'retryNow', does: 'make the next attempt of the unpaid period at once.' }, readAgain];
  }
  if (kind !== 'paymentPlan') return [readAgain];
  const unpaid = details?.unpaid;
  const remedies: Remedy[] = [];
  if (unpaid && !unpaid.isUnderWay) {
    if (state === 'active' && nextAt !== null) {
      const charge = unpaid.nextCharge === undefined ? '' : `: charge ${unpaid.nextCharge}`;
      const does = `make the next attempt of ${slotInWords(unpaid.slot)} at once${charge}.`;
      remedies.push({ command: 'retryNow', does });
    }
    remedies.push({
      command: 'skipSlot',
      input: String(unpaid.slot),
      does: `give ${slotInWords(unpaid.slot)} up for good; its payment is canceled, and nothing tries it again.`,
    });
  } else if (isStalled && !unpaid) {
    remedies.push({
      command: 'skipSlot',
      input: 'the number of the slot',
      does: 'skip the payment that is due and cannot be charged.',
    });
  }
  return [...remedies, readAgain];
}

/** Returns the API paths that show the subject. Requests need the biller's key. */
function pathsOf(kind: SubjectKind, subject: SubjectStatus | null): string {
  const paths = subjectKinds[kind].paths(subjectId(), subject);
  return paths.length === 0 ? 'none' : paths.map((path) => `\`GET /api/v1/${path}\``).join(', ');
}

function upsertChanged(status: SubjectStatus): void {
  const known = workflowInfo().typedSearchAttributes;
  const updates: SearchAttributeUpdatePair[] = [];
  const state = status.state.split(' ')[0] ?? status.state;
  const nextDueAt = status.nextDueAt === null ? null : new Date(status.nextDueAt);
  if (status.billerId !== '') {
    if (known.get(attributes.billerId) === undefined) {
      updates.push({ key: attributes.billerId, value: status.billerId });
      updates.push({ key: attributes.livemode, value: status.livemode });
      if (status.customerId !== null) updates.push({ key: attributes.customerId, value: status.customerId });
      if (status.testClockId !== null) updates.push({ key: attributes.testClockId, value: status.testClockId });
    }
  }
  if (known.get(attributes.planState) !== state) updates.push({ key: attributes.planState, value: state });
  if ((known.get(attributes.nextDueAt)?.getTime() ?? null) !== status.nextDueAt) {
    updates.push({ key: attributes.nextDueAt, value: nextDueAt });
  }
  if ((known.get(attributes.failedAttempts) ?? 0) !== status.failedAttempts) {
    updates.push({ key: attributes.failedAttempts, value: status.failedAttempts });
  }
  if (updates.length > 0) upsertSearchAttributes(updates);
}
