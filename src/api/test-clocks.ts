import { ListOf, listQuery, page, Strict } from '../resources/common.ts';
import {
  AdvancingClock,
  DeletedClock,
  presentTestClock,
  TestClock,
  TestClockAdvance,
  TestClockCreate,
} from '../resources/test-clock.ts';
import { TimeSkippingUnavailable } from '../services/errors.ts';
import {
  advanceTestClock,
  awaitTestClock,
  createTestClock,
  deleteTestClock,
  listTestClocks,
} from '../services/test-clocks.ts';
import { type RequestDeps, type Route, route } from './route.ts';

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
  access: write,
  invalid: 422,
  errors: { 503: unavailable },
  body: TestClockCreate,
  response: { status: 201, schema: TestClock },
  handle: async ({ call, body, deps }) => {
    assertTimeSkipping(deps);
    return presentTestClock(await createTestClock(deps.sql, call, body));
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
  handle: async ({ call, query, deps }) => {
    const { rows, limit } = await listTestClocks(deps.sql, call, query);
    return page(rows, limit, presentTestClock);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/test_helpers/test_clocks/:id',
  operation: 'getTestClock',
  tag,
  summary: 'Fetch a test clock',
  description:
    'With `Prefer: wait=N` the answer comes as soon as the clock is not advancing any more, after N seconds at most.',
  access: read,
  invalid: 422,
  waits: true,
  response: { status: 200, schema: TestClock },
  handle: async ({ call, params, patience, deps }) =>
    presentTestClock(await awaitTestClock(deps.sql, call, params.id, patience)),
});

const advance = route({
  method: 'POST',
  path: '/api/v1/test_helpers/test_clocks/:id/advance',
  operation: 'advanceTestClock',
  tag,
  summary: 'Advance a test clock',
  description:
    'Answers at once; the clock is `ready` when every effect is committed. One advance goes at most two billing intervals ' +
    'ahead; the error for a longer one names the maximum in max_frozen_time.',
  access: write,
  invalid: 422,
  errors: { 503: unavailable },
  body: TestClockAdvance,
  response: { status: 202, schema: AdvancingClock },
  handle: async ({ call, params, body, deps }) => {
    assertTimeSkipping(deps);
    const clock = await advanceTestClock(deps.sql, call, params.id, body.frozen_time);
    return { id: clock.id, status: 'advancing' as const, frozen_time: clock.frozen_time.toISOString() };
  },
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/test_helpers/test_clocks/:id',
  operation: 'deleteTestClock',
  tag,
  summary: 'Delete a test clock with all of its customers and all that they have',
  access: write,
  invalid: 422,
  response: { status: 200, schema: DeletedClock },
  handle: async ({ call, params, deps }) => {
    const clock = await deleteTestClock(deps.sql, call, params.id);
    return { id: clock.id, object: 'test_clock' as const, deleted: true as const };
  },
});

export const testClockRoutes: Route[] = [create, list, fetch, advance, remove];

function assertTimeSkipping(deps: RequestDeps): void {
  if (deps.canSkipTime() === false) throw new TimeSkippingUnavailable();
}
