import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { attributes } from '../../messages/search-attributes.ts';
import type { ClockSubjectStatus } from '../../messages/subject-status.ts';
import type { Stall } from '../../messages/workflow-status.ts';
import { type Fact, initialStatus, instant, type OperatorPage, type Remedy } from './page.ts';
import { markFreed, markStalled } from './stalled.ts';

const readAgain: Remedy = { command: 'recheck', does: 'read the database again.' };
const resumeAdvance: Remedy = {
  command: 'retryAdvance',
  does: 'resume the open advance where it is; finished work is not repeated.',
};

/** Shows a test clock's status, in the search attributes and on the workflow's page. */
export function showClock(page: OperatorPage, clock: ClockSubjectStatus, lastCommand: string | null): void {
  const { id, status: state, frozenTime, expiresAt, failureReason, billerId } = clock;
  const isDeleted = expiresAt === null;
  const facts: Fact[] = [
    ['Expires', isDeleted ? null : `${instant(expiresAt)}, real time`],
    ['What belongs to it', `search for \`TestClockId="${id}"\``],
    ['Biller', `\`${billerId}\`, sandbox`],
    ['In the API', pathOf(id)],
  ];
  page.show({
    title: isDeleted ? 'Test clock: deleted' : `Test clock: ${state} at ${instant(frozenTime)}`,
    status: { ...initialStatus, state, waitsFor: isDeleted ? null : whatItWaitsFor(state), lastCommand },
    news: [['Why it has failed', failureReason]],
    facts: isDeleted ? [] : facts,
    remedies: isDeleted || state === 'failed' ? [] : [readAgain],
  });
  markFreed();
  if (isDeleted) return;
  const known = workflowInfo().typedSearchAttributes;
  const updates: SearchAttributeUpdatePair[] = [];
  if (known.get(attributes.billerId) === undefined) {
    updates.push({ key: attributes.billerId, value: billerId });
    updates.push({ key: attributes.livemode, value: false });
    updates.push({ key: attributes.testClockId, value: id });
  }
  if (known.get(attributes.clockStatus) !== state) updates.push({ key: attributes.clockStatus, value: state });
  if (updates.length > 0) upsertSearchAttributes(updates);
}

/** Shows that an advance takes long. Only the database knows which advance it is. `since` is epoch ms. */
export function showAdvancing(page: OperatorPage, clockId: string, since: number, lastCommand: string | null): void {
  const waitsFor = 'its plans and scheduled payments, which collect what is due';
  page.show({
    title: 'Test clock: advancing',
    status: { ...initialStatus, state: 'advancing', waitsFor, since, lastCommand },
    news: [],
    facts: [
      ['What it waits for', `search for \`TestClockId="${clockId}" and ExecutionStatus="Running"\``],
      [
        'What holds it up',
        `search for \`TestClockId="${clockId}" and Stalled=true\`, and look at *Pending Activities* here`,
      ],
      ['In the API', pathOf(clockId)],
    ],
    remedies: [resumeAdvance, readAgain],
  });
  const state = workflowInfo().typedSearchAttributes.get(attributes.clockStatus);
  if (state !== 'advancing') upsertSearchAttributes([{ key: attributes.clockStatus, value: 'advancing' }]);
}

/** Shows why a clock is stalled. */
export function showClockStalled(
  page: OperatorPage,
  clockId: string,
  stalled: Stall,
  lastCommand: string | null,
): void {
  page.show({
    title: 'Test clock: stalled',
    status: { ...initialStatus, stalled, lastCommand },
    news: [],
    facts: [['In the API', pathOf(clockId)]],
    remedies: [resumeAdvance, readAgain],
  });
  markStalled();
}

function whatItWaitsFor(state: string): string {
  if (state !== 'failed') return 'the next advance, or the end of its 30 days';
  return (
    'its biller, to delete it and make another one: a failed clock cannot be advanced again. What was committed stays. ' +
    'The page of each plan says what stopped it'
  );
}

function pathOf(clockId: string): string {
  return `\`GET /api/v1/test_helpers/test_clocks/${clockId}\``;
}
