import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  allowedTransitions,
  hasEnded,
  mutablePlanFields,
  nextPlanState,
  type PlanState,
  type PlanTransition,
} from '../../src/domain/plan-state.ts';

const states: PlanState[] = ['pending', 'active', 'suspended', 'deactivated', 'closed'];
const transitions: PlanTransition[] = ['activate', 'suspend', 'resume', 'deactivate', 'close'];

/** The contract's table as it stands there; every pair that is missing is not allowed. */
const table: [from: PlanState, transition: PlanTransition, to: PlanState][] = [
  ['pending', 'activate', 'active'],
  ['active', 'suspend', 'suspended'],
  ['suspended', 'resume', 'active'],
  ['active', 'deactivate', 'deactivated'],
  ['active', 'close', 'closed'],
  ['suspended', 'close', 'closed'],
  ['pending', 'close', 'closed'],
];

describe('plan states', () => {
  for (const from of states) {
    for (const transition of transitions) {
      const to = table.find((row) => row[0] === from && row[1] === transition)?.[2] ?? null;
      it(`${from}: ${transition} ${to === null ? 'is not allowed' : `leads to ${to}`}`, () => {
        assert.equal(nextPlanState(from, transition), to);
      });
    }
  }

  it('allow exactly the transitions that lead somewhere, in the order of a plan’s life', () => {
    assert.deepEqual(allowedTransitions('pending'), ['activate', 'close']);
    assert.deepEqual(allowedTransitions('active'), ['suspend', 'deactivate', 'close']);
    assert.deepEqual(allowedTransitions('suspended'), ['resume', 'close']);
    assert.deepEqual(allowedTransitions('deactivated'), []);
    assert.deepEqual(allowedTransitions('closed'), []);
  });

  it('end with deactivated and closed, and with nothing else', () => {
    assert.deepEqual(states.filter(hasEnded), ['deactivated', 'closed']);
  });

  it('are never left once they have ended, whatever is asked in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...transitions), { minLength: 1, maxLength: 30 }), (asked) => {
        let state: PlanState = 'pending';
        for (const transition of asked) {
          const next = nextPlanState(state, transition);
          assert.ok(next === null || !hasEnded(state), `${state} was left by ${transition}`);
          assert.notEqual(next, 'pending');
          state = next ?? state;
        }
      }),
    );
  });
});

describe('the fields of a plan that an update may change', () => {
  const untilEnded = [
    'failure_behaviour',
    'metadata',
    'name',
    'payment_instrument_id',
    'recurring_amount_cents',
    'tax_included',
    'total_amount_cents',
    'until_further_notice',
  ];
  const pendingOnly = [
    'currency',
    'first_amount_cents',
    'first_date',
    'frequency_period',
    'frequency_type',
    'start_date',
  ];

  it('are all but the customer while it is pending', () => {
    assert.deepEqual([...mutablePlanFields('pending')].sort(), [...untilEnded, ...pendingOnly].sort());
  });

  for (const state of ['active', 'suspended'] as const) {
    it(`are eight while it is ${state}`, () => {
      assert.deepEqual([...mutablePlanFields(state)].sort(), untilEnded);
    });
  }

  it('are its metadata alone once it has ended', () => {
    assert.deepEqual(mutablePlanFields('deactivated'), ['metadata']);
    assert.deepEqual(mutablePlanFields('closed'), ['metadata']);
  });
});
