import Type from 'typebox';
import { ClockEffectList, DryRun, presentDryRun, presentEffect } from '../../resources/clock-effect.ts';
import { ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import { madeAt } from '../../resources/examples.ts';
import {
  AdvancingClock,
  DeletedClock,
  presentTestClock,
  TestClock,
  TestClockAdvance,
  TestClockCreate,
  testClockExample,
  testClocks,
} from '../../resources/test-clock.ts';
import { TimeSkippingUnavailable } from '../../services/errors.ts';
import { listClockEffects } from '../../services/test-clocks/clock-effects.ts';
import { clockWaiting } from '../../services/test-clocks/clock-waiting.ts';
import { dryRunAdvance } from '../../services/test-clocks/dry-run.ts';
import {
  advanceTestClock,
  createTestClock,
  deleteTestClock,
  getTestClockDetails,
  listTestClocks,
} from '../../services/test-clocks/test-clocks.ts';
import type { WriteDeps } from '../http/deps.ts';
import { type Route, route } from '../http/route.ts';

const read = { scope: 'test_clocks:read', sandboxOnly: true } as const;
const write = { scope: 'test_clocks:write', sandboxOnly: true } as const;
const unavailable = 'The Temporal server cannot skip time, or a part of the service is unreachable.';

const create = route({
  method: 'POST',
  path: '/api/v1/test_helpers/test_clocks',
  operation: 'createTestClock',
  tag: testClocks,
  summary: 'Create a test clock',
  description:
    'A clock stands still until you advance it. To put customers on it, create them with its id as their ' +
    '`test_clock`: at most 3 per clock, and 9 on all clocks of the account. An account has at most 3 clocks that ' +
    'are neither deleted nor failed. Each clock is deleted after 30 days. Sends `test_clock.created`.',
  access: write,
  invalid: 422,
  errors: { 503: unavailable },
  body: TestClockCreate,
  response: {
    status: 201,
    schema: TestClock,
    example: {
      ...testClockExample,
      status: 'created',
      frozen_time: madeAt,
      last_advanced_at: null,
      max_frozen_time: '2027-03-07T09:00:00.000Z',
      last_advance: null,
      webhook_deliveries: { pending: 1, delivered: 0, failed: 0 },
    },
  },
  handle: async ({ context, body, deps }) => {
    assertTimeSkipping(deps);
    const { id } = await createTestClock(deps.db, context, body);
    return presentTestClock(await getTestClockDetails(deps.db, context, id));
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/test_helpers/test_clocks',
  operation: 'listTestClocks',
  tag: testClocks,
  summary: 'List test clocks, newest first',
  access: read,
  invalid: 422,
  query: Strict(listQuery),
  response: { status: 200, schema: ListOf(TestClock) },
  handle: async ({ context, query, deps }) => page(await listTestClocks(deps.db, context, query), presentTestClock),
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/test_helpers/test_clocks/:id',
  operation: 'getTestClock',
  tag: testClocks,
  summary: 'Fetch a test clock',
  description:
    'With `Prefer: wait=N` the response comes as soon as the clock is no longer advancing, or after N seconds ' +
    '(at most 60). Check `status`, and fetch again while it is `advancing`. In each API process at most 100 ' +
    'requests of a key wait at a time. A further request returns at once, without `Preference-Applied`. Pause ' +
    'before you fetch again.',
  access: read,
  invalid: 422,
  waits: (sql) => {
    const awaitClock = clockWaiting(sql);
    return (context, { id = '' }, signal) => awaitClock(context, id, signal);
  },
  response: { status: 200, schema: TestClock },
  handle: async ({ context, params, deps }) => presentTestClock(await getTestClockDetails(deps.db, context, params.id)),
});

const advance = route({
  method: 'POST',
  path: '/api/v1/test_helpers/test_clocks/:id/advance',
  operation: 'advanceTestClock',
  tag: testClocks,
  summary: 'Advance a test clock',
  description:
    'Allowed from `created` and `ready`, forward only. Returns at once, with the old frozen_time, and sends ' +
    '`test_clock.advancing`. Everything that is due on the way happens at its own instant, in order. When every ' +
    'effect is committed, the clock is `ready` and `test_clock.ready` is sent. To wait for that, fetch the clock ' +
    'with `Prefer: wait=60`. One advance covers at most two billing intervals. The clock’s max_frozen_time is ' +
    'the latest target, and the error for a longer advance has it too. With `dry_run` nothing changes, and the ' +
    'response shows what the advance would do.',
  access: write,
  invalid: 422,
  errors: { 503: unavailable },
  body: TestClockAdvance,
  response: { status: 202, schema: AdvancingClock },
  variant: {
    status: 200,
    schema: DryRun,
    description: 'With `dry_run`: what the advance would do.',
    isAskedFor: ({ dry_run }) => dry_run === true,
  },
  handle: async ({ context, params, body, deps }) => {
    if (body.dry_run === true) return presentDryRun(await dryRunAdvance(deps.db, context, params.id, body.frozen_time));
    assertTimeSkipping(deps);
    const clock = await advanceTestClock(deps.db, context, params.id, body.frozen_time);
    return { id: clock.id, status: 'advancing' as const, frozen_time: clock.frozen_time.toISOString() };
  },
});

const effects = route({
  method: 'GET',
  path: '/api/v1/test_helpers/test_clocks/:id/effects',
  operation: 'listTestClockEffects',
  tag: testClocks,
  summary: 'List the effects of the advances of a test clock',
  description:
    'Oldest first, in the order of the clock’s time. `starting_after` takes the event_id of the last effect on ' +
    'the previous page. The effects of a running advance appear as they are committed.',
  access: read,
  invalid: 422,
  query: Strict({
    ...listQuery,
    starting_after: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The event_id of the last item of the previous page.',
        'x-cursor': 'event_id',
      }),
    ),
    advance_id: Type.Optional(
      Reference<'clock_advance'>('Only effects of this advance, adv_…, such as the id of the clock’s last_advance.'),
    ),
  }),
  response: { status: 200, schema: ClockEffectList },
  handle: async ({ context, params, query, deps }) => {
    const { debits, ...rows } = await listClockEffects(deps.db, context, params.id, query);
    return { ...page(rows, presentEffect), bank_debits: debits };
  },
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/test_helpers/test_clocks/:id',
  operation: 'deleteTestClock',
  tag: testClocks,
  summary: 'Delete a test clock with all its customers and their objects',
  description:
    'Allowed in any state. It cannot be undone. Sends `test_clock.deleted`. Events stay readable. Nothing on the ' +
    'clock is charged afterwards.',
  access: write,
  invalid: 422,
  response: { status: 200, schema: DeletedClock },
  handle: async ({ context, params, deps }) => {
    const clock = await deleteTestClock(deps.db, context, params.id);
    return { id: clock.id, object: 'test_clock' as const, deleted: true as const };
  },
});

export const testClockRoutes: Route[] = [create, list, fetch, advance, effects, remove];

function assertTimeSkipping(deps: WriteDeps): void {
  if (deps.canSkipTime() === false) throw new TimeSkippingUnavailable();
}
