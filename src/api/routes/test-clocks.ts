import Type from 'typebox';
import { ClockEffect, DryRun, presentDryRun, presentEffect } from '../../resources/clock-effect.ts';
import { ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import {
  AdvancingClock,
  DeletedClock,
  presentTestClock,
  TestClock,
  TestClockAdvance,
  TestClockCreate,
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

const tag = 'Test clocks';
const read = { scope: 'test_clocks:read', sandboxOnly: true } as const;
const write = { scope: 'test_clocks:write', sandboxOnly: true } as const;
const unavailable = 'The Temporal server cannot skip time, or the service cannot be reached.';

const create = route({
  method: 'POST',
  path: '/api/v1/test_helpers/test_clocks',
  operation: 'createTestClock',
  tag,
  summary: 'Create a test clock',
  description:
    'It stands still until it is advanced. Create customers on it with their `test_clock`: 3 at most, and 9 on all clocks of the ' +
    'account. There can be 3 clocks that are neither deleted nor failed; each is deleted after 30 days. Sends ' +
    '`test_clock.created`.',
  access: write,
  invalid: 422,
  errors: { 503: unavailable },
  body: TestClockCreate,
  response: { status: 201, schema: TestClock },
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
  tag,
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
  tag,
  summary: 'Fetch a test clock',
  description:
    'With `Prefer: wait=N` the response comes as soon as the clock is not advancing any more, after N seconds at most, and 60: ' +
    'look at `status`, and ask again while it is `advancing`. At most 100 requests of a key wait at a time, in each process ' +
    'of the API: one more gets its response at once, without `Preference-Applied`. Pause before you ask again.',
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
  tag,
  summary: 'Advance a test clock',
  description:
    'From `created` or `ready`, forward only. Responds at once, with the old frozen_time and `test_clock.advancing`; the clock ' +
    'is `ready`, with `test_clock.ready`, when every effect is committed: fetch it with `Prefer: wait=60` to wait for that. ' +
    'All that is due on the way happens at its own instant, in order. One advance goes at most two billing intervals ahead: ' +
    'max_frozen_time of the clock says how far, and so does the error for a longer one. With `dry_run` nothing is changed, ' +
    'and the response shows what the advance would do.',
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
  tag,
  summary: 'List what the advances of a test clock did',
  description:
    'In the order of the clock’s time, the oldest first; `starting_after` takes the event_id of the last effect of the ' +
    'page before. The effects of an advance under way are there as they are committed.',
  access: read,
  invalid: 422,
  query: Strict({
    ...listQuery,
    starting_after: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The event_id of the last item of the page before.',
        'x-cursor': 'event_id',
      }),
    ),
    advance_id: Type.Optional(Reference('Only what this advance did, adv_…: a clock shows its last_advance.')),
  }),
  response: { status: 200, schema: ListOf(ClockEffect) },
  handle: async ({ context, params, query, deps }) =>
    page(await listClockEffects(deps.db, context, params.id, query), presentEffect),
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/test_helpers/test_clocks/:id',
  operation: 'deleteTestClock',
  tag,
  summary: 'Delete a test clock with all of its customers and all that they have',
  description:
    'In any state, for good, with `test_clock.deleted`. Its events stay readable, and nothing on it is charged.',
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
