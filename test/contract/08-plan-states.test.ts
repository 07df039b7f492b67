import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Merchant } from '../support/merchant.ts';
import { usePayer } from '../support/payer.ts';
import { refusal, rowCounts } from '../support/stage.ts';
import type { Json } from './rows.ts';
import { itIsTheTable } from './tables.ts';

type Transition = Parameters<Merchant['move']>[1];
type State = 'pending' | 'active' | 'suspended' | 'deactivated' | 'closed';

const path = '/payment_plans';

/** How to bring a plan into each state. */
const ways: Readonly<Record<State, readonly Transition[]>> = {
  pending: [],
  active: ['activate'],
  suspended: ['activate', 'suspend'],
  deactivated: ['activate', 'deactivate'],
  closed: ['close'],
};

interface Row {
  from: State;
  trigger: Transition | 'total';
  next: State;
  event: string | null;
}

/** The contract's table; a row about several states is several here. */
const rows: readonly Row[] = [
  { from: 'pending', trigger: 'activate', next: 'active', event: 'payment_plan.activated' },
  { from: 'active', trigger: 'suspend', next: 'suspended', event: 'payment_plan.suspended' },
  { from: 'suspended', trigger: 'resume', next: 'active', event: null },
  { from: 'active', trigger: 'deactivate', next: 'deactivated', event: 'payment_plan.deactivated' },
  { from: 'active', trigger: 'close', next: 'closed', event: 'payment_plan.closed' },
  { from: 'suspended', trigger: 'close', next: 'closed', event: 'payment_plan.closed' },
  { from: 'pending', trigger: 'close', next: 'closed', event: 'payment_plan.closed' },
  { from: 'active', trigger: 'total', next: 'closed', event: null },
];

const transitions: readonly Transition[] = ['activate', 'suspend', 'resume', 'deactivate', 'close'];

/** Fields of an update, and the states in which they can be changed. */
const updates: readonly { field: string; value: unknown; in: readonly State[] }[] = [
  { field: 'recurring_amount_cents', value: 2000, in: ['pending', 'active', 'suspended'] },
  { field: 'name', value: 'Gold', in: ['pending', 'active', 'suspended'] },
  { field: 'failure_behaviour', value: 'stop', in: ['pending', 'active', 'suspended'] },
  { field: 'frequency_type', value: 'monthly', in: ['pending'] },
  { field: 'frequency_period', value: 2, in: ['pending'] },
  { field: 'start_date', value: '2100-02-01', in: ['pending'] },
  { field: 'first_date', value: '2100-01-02', in: ['pending'] },
  { field: 'first_amount_cents', value: 500, in: ['pending'] },
  { field: 'currency', value: 'NZD', in: ['pending'] },
  { field: 'metadata', value: { class: 'blue' }, in: ['pending', 'active', 'suspended', 'deactivated', 'closed'] },
  { field: 'customer_id', value: 'cus_other', in: [] },
];

describe('Payment plan: states and transitions', () => {
  const here = usePayer();
  const { stage } = here;

  /** Creates a plan in this state. Its calendar begins far ahead. */
  async function planIn(state: State, more: Json = {}): Promise<string> {
    const { id } = await here.plan({ start_date: '2100-01-01', ...more });
    for (const transition of ways[state]) await stage.merchant.move(id, transition);
    return id;
  }
  const stateOf = async (id: string) => (await stage.merchant.getPlan(id)).state;
  const planEvents = async () =>
    (await stage.merchant.events()).filter((event) => /^payment_plan\./.test(event.event_type));

  itIsTheTable(
    'planStates',
    ['From', 'Next state'],
    rows.map(({ from, next }) => [from, next]),
  );

  it('a plan created via the API starts in pending', async () => {
    assert.equal((await here.plan()).state, 'pending');
  });

  for (const { from, trigger, next, event } of rows) {
    if (trigger === 'total') continue;
    it(`${from} —POST .../${trigger}→ ${next}, ${event ? `event ${event}` : 'without an event'}`, async () => {
      const id = await planIn(from);
      const before = await planEvents();
      const { status, body } = await stage.request('POST', `${path}/${id}/${trigger}`);
      assert.deepEqual([status, body.state], [200, next]);
      assert.deepEqual(await stage.merchant.getPlan(id), body);
      const sent = (await planEvents()).slice(before.length);
      assert.deepEqual(
        sent.map(({ event_type, data }) => [event_type, data]),
        event === null ? [] : [[event, body]],
      );
    });
  }

  it('active —total collected reaches total_amount_cents→ closed: the plan closes', async () => {
    const id = await here.active({ recurring_amount_cents: 600, total_amount_cents: 1000 });
    assert.equal(await stateOf(id), 'active');
    await here.advance('2027-01-17T00:00:00Z');
    const plan = await stage.merchant.getPlan(id);
    assert.deepEqual([plan.state, plan.collected_amount_cents], ['closed', 1000]);
    assert.equal((await planEvents()).at(-1)?.event_type, 'payment_plan.closed');
  });

  describe('every other transition is refused, and changes nothing', () => {
    for (const state of Object.keys(ways) as State[]) {
      const allowed = rows.filter(({ from }) => from === state).map(({ trigger }) => trigger);
      for (const transition of transitions.filter((one) => !allowed.includes(one))) {
        it(`${state} —POST .../${transition}→ refused`, async () => {
          const id = await planIn(state);
          const look = async () => [
            await stage.merchant.getPlan(id),
            (await planEvents()).length,
            await rowCounts(stage),
          ];
          const before = await look();
          const reply = await stage.request('POST', `${path}/${id}/${transition}`);
          assert.deepEqual(refusal(reply, 422, 'invalid_state'), []);
          const others = allowed.filter((trigger) => trigger !== 'total');
          for (const word of [state, ...others]) assert.ok(reply.body.error.message.includes(word), reply.text);
          assert.deepEqual(await look(), before);
        });
      }
    }
  });

  describe('a field that cannot be changed in the current state yields a validation error on update', () => {
    for (const { field, value, in: changeable } of updates) {
      for (const state of Object.keys(ways) as State[]) {
        const may = changeable.includes(state);
        it(`the field ${field} of a plan that is ${state}: ${may ? 'is changed' : 'cannot be changed'}`, async () => {
          const id = await planIn(state);
          const reply = await stage.request('PUT', `${path}/${id}`, { [field]: value });
          if (may) assert.deepEqual([reply.status, reply.body[field]], [200, value]);
          else assert.deepEqual(refusal(reply, 422), [`/${field} immutable`]);
        });
      }
    }
  });

  describe('while active', () => {
    it('the plan generates and processes payment intents on its schedule, each emitting payment_intent.succeeded', async () => {
      const id = await here.active();
      await here.advance('2027-01-24T00:00:00Z');
      assert.deepEqual(await here.paymentLines(id), [
        '0 paid 2027-01-10T00:00:00.000Z',
        '1 paid 2027-01-17T00:00:00.000Z',
        '2 paid 2027-01-24T00:00:00.000Z',
      ]);
      const events = await stage.merchant.events({ event_type: 'payment_intent.succeeded' });
      const intents = (await stage.merchant.payments(id)).map(({ payment_intent_id }) => payment_intent_id);
      assert.deepEqual(
        events.map(({ data }) => data.id),
        intents,
      );
    });

    it('a collection that fails emits payment_intent.failed', async () => {
      const id = await here.active({ metadata: { _sandbox_outcome: 'decline' } });
      const [event, ...others] = await stage.merchant.events({ event_type: 'payment_intent.failed' });
      const [payment] = await stage.merchant.payments(id);
      assert.deepEqual([event?.data.id, others], [payment?.payment_intent_id, []]);
    });

    for (const state of ['pending', 'suspended', 'deactivated', 'closed'] as const) {
      it(`and only then: a ${state} plan collects nothing`, async () => {
        const id = await planIn(state, { start_date: '2027-01-11' });
        await here.advance('2027-02-10T00:00:00Z');
        assert.deepEqual(await here.paymentLines(id), []);
      });
    }
  });
});
