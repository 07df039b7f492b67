import { listClocks as listClockRows, selectClockDetails, type TestClockDetailRow } from '../../db/clock-details.ts';
import { listActiveFrequenciesOnClock } from '../../db/payment-plans.ts';
import { subjectQueries } from '../../db/subject-queries.ts';
import { lockBiller } from '../../db/tenant.ts';
import {
  countActiveClocks,
  deleteClockRow,
  insertAdvance,
  insertClock,
  lockClock,
  selectClock,
  type TestClockRow,
  updateClock,
} from '../../db/test-clocks.ts';
import { maxFrozenTime } from '../../domain/advance-bound.ts';
import { millisecondsPerDay } from '../../domain/calendar.ts';
import { newId } from '../../domain/ids.ts';
import { addMs, type CustomerInstant, customerInstant, withoutClock } from '../../domain/instants.ts';
import { allSubjectKinds, endsOnClock } from '../../messages/subject-kinds.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { enqueue, type OutboxEntry } from '../../platform/postgres/outbox.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { TestClockCreate } from '../../resources/test-clock.ts';
import { pass } from '../crash-points.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { InvalidState, orNotFound, ValidationFailed } from '../errors.ts';
import { clockEvent, record, transact } from '../events.ts';
import { type PageQuery, pageOf, type Rows } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { start, type WorkflowSubject, wake, wakeEntry } from '../wake.ts';

/** From the contract, section Limits. */
const activeClocksPerAccount = 3;
const lifetimeDays = 30;
/** Times outside this range are treated as typing errors. The calendar itself ends with the year 9999. */
const earliestTime = new Date('1970-01-01T00:00:00.000Z');
const latestTime = new Date('2200-12-31T23:59:59.999Z');

/**
 * Creates a clock, and starts the workflow that moves it.
 * @throws InvalidState if the account has three clocks that are neither deleted nor failed; ValidationFailed if the
 * time is out of range.
 */
export async function createTestClock(
  db: Writer,
  context: RequestContext,
  input: TestClockCreate,
): Promise<TestClockRow> {
  const frozenTime = timeNamed(input.frozen_time);
  return transact(db, context, async (tx) => {
    await lockBiller(tx, context.billerId);
    if ((await countActiveClocks(tx, context)) >= activeClocksPerAccount) {
      throw new InvalidState(
        `The account has ${activeClocksPerAccount} active test clocks, the maximum. Delete one first.`,
        'test_clock_limit',
      );
    }
    const row: TestClockRow = {
      id: newId('test_clock'),
      biller_id: context.billerId,
      livemode: false,
      name: input.name ?? null,
      status: 'created',
      frozen_time: frozenTime,
      target_time: null,
      expires_at: addMs(context.now, lifetimeDays * millisecondsPerDay),
      last_advanced_at: null,
      failure_reason: null,
      created_at: context.now,
    };
    await insertClock(tx, row);
    await start.testClock(tx, row, context.now);
    record(tx, clockEvent('test_clock.created', row));
    return row;
  });
}

/**
 * Returns the clock.
 * @throws NotFound
 */
export async function getTestClock(db: Db, tenant: Tenant, id: string): Promise<TestClockRow> {
  return orNotFound(await selectClock(db, tenant, id), 'test clock', id);
}

/** `maxFrozenTime` is the latest time that one advance can reach; null if the clock cannot advance. */
export type TestClockDetails = TestClockDetailRow & { maxFrozenTime: CustomerInstant | null };

/**
 * Returns the clock with its last advance, the latest time that one advance can reach, and the status of its webhooks.
 * @throws NotFound
 */
export async function getTestClockDetails(db: Db, tenant: Tenant, id: string): Promise<TestClockDetails> {
  const clock = orNotFound(await selectClockDetails(db, tenant, id), 'test clock', id);
  return withBound(clock);
}

/** Returns a page of clocks, newest first. */
export async function listTestClocks(db: Db, tenant: Tenant, query: PageQuery): Promise<Rows<TestClockDetails>> {
  const page = await pageOf(db, 'test_clocks', tenant, query);
  return { rows: (await listClockRows(db, tenant, page)).map(withBound), limit: page.limit };
}

/**
 * Accepts an advance. With the commit the clock becomes `advancing`, and its workflow carries out the advance.
 * @throws NotFound; InvalidState if the clock is advancing or failed, or if the target lies beyond the bound, which the
 * error then contains; ValidationFailed if the target is not after the frozen time.
 */
export async function advanceTestClock(
  db: Writer,
  context: RequestContext,
  id: string,
  targetText: string,
): Promise<TestClockRow> {
  const advancing = await transact(db, context, async (tx) => {
    const { clock, target } = await admitAdvance(tx, context, id, targetText);
    await insertAdvance(tx, {
      id: newId('clock_advance'),
      test_clock_id: clock.id,
      from_time: clock.frozen_time,
      target_time: target,
      request_id: context.requestId,
      requested_at: context.now,
    });
    const row = await updateClock(tx, id, { status: 'advancing', target_time: target });
    await wake.testClock(tx, row, context.now, { start: true });
    record(tx, clockEvent('test_clock.advancing', row, { target_time: target.toISOString() }));
    return row;
  });
  pass('advance accepted');
  return advancing;
}

/**
 * Locks a clock and checks that it may advance to the requested time.
 * @throws the same errors as `advanceTestClock`.
 */
export async function admitAdvance(
  tx: Tx,
  context: RequestContext,
  id: string,
  targetText: string,
): Promise<{ clock: TestClockRow; target: CustomerInstant }> {
  await getTestClock(tx, context, id);
  const clock = orNotFound(await lockClock(tx, id), 'test clock', id);
  assertAdvanceable(clock);
  const target = timeNamed(targetText);
  if (target <= clock.frozen_time) {
    const message = `frozen_time must be after the clock's current time, ${clock.frozen_time.toISOString()}.`;
    throw ValidationFailed.of('/frozen_time', 'out_of_range', message);
  }
  await assertWithinBound(tx, clock, target);
  return { clock, target };
}

/**
 * Deletes a clock in any status, with its customers and everything they own. Nothing on it is charged afterwards.
 * @throws NotFound
 */
export async function deleteTestClock(db: Writer, context: RequestContext, id: string): Promise<TestClockRow> {
  return transact(db, context, async (tx) => {
    await getTestClock(tx, context, id);
    return removeClock(tx, id, context.now);
  });
}

/**
 * Deletes a clock after its 30 days of real time, by the database's clock (see `instantOf`). Does nothing if the clock
 * was deleted already.
 * @throws WorkflowClockAhead if the 30 days are over by the workflow's clock only. Nothing has changed then.
 */
export async function expireTestClock(
  db: Db,
  id: string,
  { now, ...time }: WorkflowTime & { now: RealInstant },
): Promise<void> {
  await transact(db, { requestId: null, now }, async (tx) => {
    const [clock, databaseTime] = await pipelined(tx, [lockClock(tx, id), databaseNow(tx)]);
    if (clock === null) return;
    // Subjects on the clock use its time. The clock itself expires in real time.
    if (instantOf({ id, isOnClock: false, dueAt: withoutClock(clock.expires_at) }, time, databaseTime) === null) return;
    await removeClock(tx, id, now);
  });
}

async function removeClock(tx: Tx, id: string, now: RealInstant): Promise<TestClockRow> {
  const clock = orNotFound(await lockClock(tx, id), 'test clock', id);
  const workflows = await workflowsOfClock(tx, clock);
  await deleteClockRow(tx, id);
  await enqueue(tx, workflows, now);
  record(tx, clockEvent('test_clock.deleted', clock));
  return clock;
}

/**
 * Returns the outbox entries that poke the workflows of a deleted clock: each workflow finds its object deleted and
 * ends. What is paid is locked first, so that a collection that has begun ends before its plan is deleted.
 */
async function workflowsOfClock(tx: Tx, clock: TestClockRow): Promise<OutboxEntry[]> {
  const entries = [wakeEntry('testClock', clock)];
  for (const kind of allSubjectKinds) {
    const locked = await tx<WorkflowSubject[]>`${subjectQueries[kind].lockOnClock(tx, clock.id)}`;
    if (!endsOnClock(kind)) entries.push(...locked.map((subject) => wakeEntry(kind, subject)));
  }
  return entries;
}

function withBound(clock: TestClockDetailRow): TestClockDetails {
  const { status, frozen_time, frequencies } = clock;
  const canAdvance = status === 'created' || status === 'ready';
  return { ...clock, maxFrozenTime: canAdvance ? maxFrozenTime(frozen_time, frequencies) : null };
}

function assertAdvanceable(clock: TestClockRow): void {
  if (clock.status === 'created' || clock.status === 'ready') return;
  const message =
    clock.status === 'advancing'
      ? `Test clock ${clock.id} is advancing. Wait until it is ready, then advance it again.`
      : `Test clock ${clock.id} has failed and cannot be advanced again: ${clock.failure_reason}`;
  throw new InvalidState(message);
}

async function assertWithinBound(tx: Tx, clock: TestClockRow, target: CustomerInstant): Promise<void> {
  const max = maxFrozenTime(clock.frozen_time, await listActiveFrequenciesOnClock(tx, clock.id));
  if (target <= max) return;
  throw new InvalidState(
    `A single advance of this clock can go to ${max.toISOString()} at most. Make several smaller advances.`,
    'advance_bound_exceeded',
    { max_frozen_time: max.toISOString() },
  );
}

function timeNamed(text: string): CustomerInstant {
  const time = customerInstant(text);
  if (time >= earliestTime && time <= latestTime) return time;
  const message = `frozen_time must be between ${earliestTime.toISOString()} and ${latestTime.toISOString()}.`;
  throw ValidationFailed.of('/frozen_time', 'out_of_range', message);
}
