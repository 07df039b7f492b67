export type PlanState = 'pending' | 'active' | 'suspended' | 'deactivated' | 'closed';

/** Why a plan is not active. */
export type PlanStateReason =
  | 'requested'
  | 'payment_failed'
  | 'payment_returned'
  | 'total_collected'
  | 'customer_deleted';

export type PlanTransition = 'activate' | 'suspend' | 'resume' | 'deactivate' | 'close';

/** In the order of a plan's life, for messages that list what is allowed. */
const transitions: readonly PlanTransition[] = ['activate', 'suspend', 'resume', 'deactivate', 'close'];

/**
 * The transition table of the contract. A transition that is missing is not allowed (contract: Payment plan states).
 */
const nextStates: Readonly<Record<PlanState, Partial<Record<PlanTransition, PlanState>>>> = {
  pending: { activate: 'active', close: 'closed' },
  active: { suspend: 'suspended', deactivate: 'deactivated', close: 'closed' },
  suspended: { resume: 'active', close: 'closed' },
  deactivated: {},
  closed: {},
};

const fieldsAlways: readonly string[] = ['metadata'];

const fieldsUntilEnded: readonly string[] = [
  ...fieldsAlways,
  'name',
  'recurring_amount_cents',
  'total_amount_cents',
  'until_further_notice',
  'payment_instrument_id',
  'failure_behaviour',
  'tax_included',
];

const fieldsWhilePending: readonly string[] = [
  ...fieldsUntilEnded,
  'frequency_type',
  'frequency_period',
  'first_amount_cents',
  'currency',
  'start_date',
  'first_date',
];

/** Returns the state after a transition, or null if it is not allowed (contract: Payment plan states). Never throws. */
export function nextPlanState(state: PlanState, transition: PlanTransition): PlanState | null {
  return nextStates[state][transition] ?? null;
}

/** Returns the transitions that a state allows; none for an ended plan (decisions: State conflict). Never throws. */
export function allowedTransitions(state: PlanState): PlanTransition[] {
  return transitions.filter((transition) => nextPlanState(state, transition) !== null);
}

/**
 * Whether a plan has ended for good: no transition, change of terms or charge follows (contract: plan states). Never
 * throws.
 */
export function hasEnded(state: PlanState): boolean {
  return allowedTransitions(state).length === 0;
}

/**
 * Returns the body fields, by API name, that an update may change in a state (decisions: Update; contract: a field that
 * cannot be changed yields a validation error). A pending plan allows all but `customer_id`, an active or suspended one
 * eight fields, an ended one its metadata. Never throws.
 */
export function mutablePlanFields(state: PlanState): readonly string[] {
  if (hasEnded(state)) return fieldsAlways;
  return state === 'pending' ? fieldsWhilePending : fieldsUntilEnded;
}
