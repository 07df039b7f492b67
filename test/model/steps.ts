import type { Instrument, PlanState } from './world.ts';

/**
 * One call of the API, as plain data, so that a sequence that fails can be kept as it is printed. A number in the place
 * of an object counts back from the newest of its kind, round and round: whatever is left out before it, it means
 * something.
 */
export type Step =
  | { do: 'clock'; at: string }
  | { do: 'customer'; clock: number | null; paysFees?: boolean }
  | { do: 'method'; customer: number | null; instrument: Instrument }
  | { do: 'attach'; method: number; customer: number }
  | { do: 'detach'; method: number }
  | { do: 'change customer'; customer: number; defaultMethod?: number | null; paysFees?: boolean }
  | { do: 'delete customer'; customer: number }
  | { do: 'plan'; customer: number; terms: PlanTerms }
  | { do: 'change plan'; plan: number; change: PlanChange }
  | { do: Transition; plan: number }
  | { do: 'intent'; terms: IntentTerms }
  | { do: 'confirm'; intent: number; method: number | null }
  | { do: 'cancel'; intent: number }
  | { do: 'complete'; intent: number; result: 'succeed' | 'fail' }
  | { do: 'refund'; intent: number; amount: number | null; fails?: boolean }
  | { do: 'dryRun'; clock: number; to: Target }
  | { do: 'advance'; clock: number; to: Target; meanwhile?: Step[] }
  | { do: 'delete clock'; clock: number }
  /** No call: all that can be read is held against the model at this point too. */
  | { do: 'look' };

/** The steps that do this. */
export type Of<D extends Step['do']> = Step & { do: D };

export type Transition = 'activate' | 'suspend' | 'resume' | 'deactivate' | 'close';
/** What each transition starts from, and where it leads. */
export const transitions: Readonly<Record<Transition, { from: PlanState[]; to: PlanState }>> = {
  activate: { from: ['pending'], to: 'active' },
  suspend: { from: ['active'], to: 'suspended' },
  resume: { from: ['suspended'], to: 'active' },
  deactivate: { from: ['active'], to: 'deactivated' },
  close: { from: ['active', 'suspended', 'pending'], to: 'closed' },
};

/** Where an advance is to go: days ahead, exactly as far as it may, a millisecond too far, or nowhere. */
export type Target = number | 'bound' | 'beyond' | 'here';

/** Dates in days from the customer's today; for a customer in real time a date so far ahead that it never comes. */
export interface PlanTerms {
  every: 'weekly' | 'monthly';
  period?: number;
  amount: number;
  firstAmount?: number;
  total?: number;
  isOpenEnded?: boolean;
  start: number;
  first?: number;
  method?: number;
  behaviour?: 'retry' | 'stop';
  outcomes?: string;
}

export interface PlanChange {
  label?: string;
  amount?: number;
  total?: number | null;
  isOpenEnded?: boolean;
  method?: number | null;
  behaviour?: 'retry' | 'stop';
  every?: 'weekly' | 'monthly';
  period?: number;
  firstAmount?: number | null;
  start?: number;
  first?: number | null;
  outcomes?: string;
  customer?: number;
}

export interface IntentTerms {
  amount: number;
  customer?: number;
  method?: number;
  surcharge?: boolean;
  /** Days from the payer's today. */
  scheduled?: number;
  outcomes?: string;
}
