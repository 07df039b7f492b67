import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { attributes } from '../../messages/search-attributes.ts';
import type { ClockSubjectStatus } from '../../messages/subject-status.ts';
import { type Details, instant, type Remedy, showDetails } from './markdown.ts';
import { markFreed, markStalled } from './stalled.ts';

const lookAfresh: Remedy = { button: 'recheck', does: 'look at the database afresh.' };
const takeUpAgain: Remedy = {
  button: 'retryAdvance',
  does: 'take the open advance up again from where it is; what is done is not done again.',
};

/** Shows a test clock's status, in the search attributes and on the workflow's page. */
export function showClock(clock: ClockSubjectStatus, pressed: string | null): void {
  showDetails(detailsOf(clock, pressed));
  markFreed();
  if (clock.expiresAt === null) return;
  const known = workflowInfo().typedSearchAttributes;
  const updates: SearchAttributeUpdatePair[] = [];
  if (known.get(attributes.billerId) === undefined) {
    updates.push({ key: attributes.billerId, value: clock.billerId });
    updates.push({ key: attributes.livemode, value: false });
    updates.push({ key: attributes.testClockId, value: clock.id });
  }
  if (known.get(attributes.clockStatus) !== clock.status)
    updates.push({ key: attributes.clockStatus, value: clock.status });
  if (updates.length > 0) upsertSearchAttributes(updates);
}

/** Shows that an advance takes long. Only the database knows which advance it is. */
export function showAdvancing(clockId: string, pressed: string | null): void {
  showDetails({
    title: 'Test clock: advancing',
    waits: `Waits for **its plans and scheduled payments to collect what falls due**, since before ${instant(Date.now())}.`,
    news: [['Last pressed', pressed]],
    facts: [
      ['What it waits for', `search for \`TestClockId="${clockId}" and ExecutionStatus="Running"\``],
      [
        'What keeps it',
        `search for \`TestClockId="${clockId}" and Stalled=true\`, and look at *Pending Activities* here`,
      ],
      ['In the API', pathOf(clockId)],
    ],
    remedies: [takeUpAgain, lookAfresh],
  });
  const status = workflowInfo().typedSearchAttributes.get(attributes.clockStatus);
  if (status !== 'advancing') upsertSearchAttributes([{ key: attributes.clockStatus, value: 'advancing' }]);
}

/** Shows why a clock is stalled. */
export function showClockStalled(clockId: string, reason: string, pressed: string | null): void {
  showDetails({
    title: 'Test clock: stalled',
    waits:
      `**Stalled:** ${reason}\n\nIt is looked at again every five minutes. Mend the cause, then press \`retryAdvance\`, or ` +
      '`recheck` where no advance is open.',
    news: [['Last pressed', pressed]],
    facts: [['In the API', pathOf(clockId)]],
    remedies: [takeUpAgain, lookAfresh],
  });
  markStalled();
}

function detailsOf(clock: ClockSubjectStatus, pressed: string | null): Details {
  const { id, status, frozenTime, expiresAt, failureReason, billerId } = clock;
  if (expiresAt === null) {
    return {
      title: 'Test clock: deleted',
      waits: 'The clock has been deleted, with all that lived on it.',
      news: [],
      facts: [],
      remedies: [],
    };
  }
  return {
    title: `Test clock: ${status} at ${instant(frozenTime)}`,
    waits: whatItWaitsFor(status),
    news: [
      ['Why it has failed', failureReason],
      ['Last pressed', pressed],
    ],
    facts: [
      ['Expires', `${instant(expiresAt)}, real time`],
      ['What lives on it', `search for \`TestClockId="${id}"\``],
      ['Biller', `\`${billerId}\`, sandbox`],
      ['In the API', pathOf(id)],
    ],
    remedies: status === 'failed' ? [] : [lookAfresh],
  };
}

function whatItWaitsFor(status: string): string {
  if (status === 'failed') {
    return (
      'A clock that has failed cannot be advanced again. What was committed before stays. Its biller can **delete it** and make ' +
      'another one; what keeps a plan of it from going on is told on the plan’s own page.'
    );
  }
  return 'Waits for **the next advance**, or for the end of its 30 days.';
}

function pathOf(clockId: string): string {
  return `\`GET /api/v1/test_helpers/test_clocks/${clockId}\``;
}
