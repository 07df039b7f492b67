import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { ClockStanding, Standing } from '../domain/standing.ts';
import type { CustomerTime } from './customer-time.ts';
import { attributes } from './search-attributes.ts';

/** Shows where a subject stands: in the attributes that operators search by, and on the workflow's own page. */
export function showStanding(standing: Standing, time: CustomerTime): void {
  setCurrentDetails(detailsOf(standing, time.now()));
  // On its way through an advance a plan moves on at once: only where it comes to rest is worth a write.
  if (standing.ended || !time.isDue(standing.nextAt)) upsertChanged(standing);
}

/** Shows why a subject cannot go on. */
export function showTrouble(standing: Standing, time: CustomerTime, reason: string): void {
  setCurrentDetails(`${detailsOf(standing, time.now())}\n\n${stalled(reason)}`);
}

/** Shows why nothing is known of a subject. */
export function showUnread(reason: string): void {
  setCurrentDetails(stalled(reason));
}

function stalled(reason: string): string {
  return (
    `**Stalled:** ${reason}\n\n` +
    'What can be done: mend the cause, then send the signal `recheck`. It is safe to send it twice.'
  );
}

/** Whether an earlier look has shown that the subject is on a test clock. */
export function isKnownToBeOnClock(): boolean {
  return workflowInfo().typedSearchAttributes.get(attributes.testClockId) !== undefined;
}

function detailsOf(standing: Standing, now: number): string {
  const rows = [
    `**${standing.state}**${standing.testClockId === null ? '' : ` on test clock \`${standing.testClockId}\``}`,
    `Customer: \`${standing.customerId ?? 'none'}\`, biller: \`${standing.billerId}\`, ${standing.livemode ? 'live' : 'sandbox'}`,
    standing.nextAt === null
      ? 'Waits for somebody: nothing is due by itself.'
      : `Next: ${standing.next}, at ${new Date(standing.nextAt).toISOString()}.`,
    `Customer’s time at the last look: ${new Date(now).toISOString()}`,
  ];
  if (standing.failedAttempts > 0) rows.push(`Failed attempts in this series: ${standing.failedAttempts}`);
  if (standing.lastError !== null) rows.push(`Last error: ${standing.lastError}`);
  return rows.map((row) => `- ${row}`).join('\n');
}

function upsertChanged(standing: Standing): void {
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

/** Shows where a test clock stands. */
export function showClock(clock: ClockStanding): void {
  if (clock.expiresAt === null) {
    setCurrentDetails('- The clock has been deleted.');
    return;
  }
  setCurrentDetails(
    `- **${clock.status}** at ${new Date(clock.frozenTime).toISOString()} (the clock’s time)\n` +
      `- Expires at ${new Date(clock.expiresAt).toISOString()} (real time)` +
      (clock.failureReason === null ? '' : `\n- Failed: ${clock.failureReason}`),
  );
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
