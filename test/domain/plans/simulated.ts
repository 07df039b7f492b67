import fc from 'fast-check';
import type { FailureBehaviour } from '../../../src/domain/dunning.ts';
import { addMs, type CustomerInstant, customerInstant } from '../../../src/domain/instants.ts';
import { nextPlanState, type PlanTransition } from '../../../src/domain/plan-state.ts';
import {
  applyChange,
  derive,
  isUnpaid,
  type KnownSlot,
  type Plan,
  type PlanStepChange,
  type PlanWithSlots,
  progressOf,
} from '../../../src/domain/plans/plan.ts';
import {
  activate,
  amend,
  attemptOpened,
  challenged,
  collected,
  failed,
  givenUp,
  giveUp,
  openNext,
  resume,
  retryAll,
  retryNow,
  returned,
  skipNext,
  stop,
  stopped,
  withdrawn,
} from '../../../src/domain/plans/steps.ts';
import { afterFailedAttempt, afterReturn, firstRetry } from '../../../src/domain/recurring/recurring-payment.ts';
import { auBecs } from '../../../src/domain/schemes/au-becs.ts';
import { retryDueAt } from '../../../src/domain/schemes/debit-dates.ts';

const dayMs = 86_400_000;
const begin = customerInstant('2027-01-01T12:00:00Z');

export const fresh: Plan = {
  state: 'pending',
  state_reason: null,
  frequency_type: 'weekly',
  frequency_period: 1,
  recurring_amount_cents: 1000,
  first_amount_cents: null,
  total_amount_cents: null,
  start_date: '2027-01-31',
  first_date: null,
  activated_at: null,
  collected_amount_cents: 0,
  in_flight_cents: 0,
  next_slot: 0,
  next_due_at: null,
  next_attempt_at: null,
};

/**
 * What a processor or a bank says: paid, declined so that a retry may help or not, or nothing yet: a payer is asked, a
 * debit is accepted, or the bank has it.
 */
export type Outcome = 'succeed' | 'decline' | 'final' | 'challenge' | 'accepted' | 'submitted';

/** An attempt to collect a slot. */
export interface Attempt {
  slot: number;
  amount: number;
  at: number;
  /** How often it had failed in its series, and when dunning has it retried then. */
  failures: number;
  dueAt: number | null;
  by: 'plan' | 'payer';
  /** The state of the plan when it began. */
  state: Plan['state'];
}

/** A plan in memory, with a processor that follows a list of outcomes: what the services do, without rows. */
export class Simulated {
  /** The whole plan, with all its slots. */
  planWithSlots: PlanWithSlots;
  now = begin;
  readonly dunned: { failure_behaviour: FailureBehaviour; time_zone: string };
  readonly outcomes: Outcome[];
  readonly attempts: Attempt[] = [];
  readonly told: { at: number; what: string }[] = [];
  /** When a step was taken, or a charge failed: a retry whose date has passed is then made at once. */
  readonly turns = new Set<number>();
  /** The retries that an operator brought forward: slot and instant. */
  readonly broughtForward = new Set<string>();
  /** The slots whose debit the bank has: it is no longer withdrawn. */
  readonly submitted = new Set<number>();
  /** An operator skips the next slot when it is due. */
  skipsNext = false;
  /** The rules that a step has broken. */
  readonly problems: string[] = [];

  constructor(terms: Partial<Plan>, behaviour: FailureBehaviour, outcomes: readonly Outcome[]) {
    this.planWithSlots = { plan: { ...fresh, ...terms }, slots: [], timeZone: 'UTC' };
    this.dunned = { failure_behaviour: behaviour, time_zone: 'UTC' };
    this.outcomes = [...outcomes];
  }

  get plan(): Plan {
    return this.planWithSlots.plan;
  }

  /** Stores a change as the service does: by the slots that it has read, and the columns that differ. */
  apply(change: PlanStepChange): void {
    const all = this.planWithSlots.slots;
    const known = all.filter(
      ({ status, slot }) => isUnpaid({ status }) || status === 'processing' || isNamed(change, slot),
    );
    const before = { ...this.planWithSlots, slots: known };
    const { planWithSlots, columns } = applyChange(before, change, 'pi_1');
    const whole = applyChange(this.planWithSlots, change, 'pi_1');
    const kept = all.filter(({ slot }) => !planWithSlots.slots.some((other) => other.slot === slot));
    const plan = { ...this.plan, ...columns };
    this.planWithSlots = {
      ...planWithSlots,
      plan,
      slots: [...kept, ...planWithSlots.slots].toSorted((a, b) => a.slot - b.slot),
    };
    this.check(
      JSON.stringify(this.planWithSlots) === JSON.stringify(whole.planWithSlots),
      'the open slots decide as all do',
    );
    this.check(JSON.stringify(plan) === JSON.stringify(planWithSlots.plan), 'the columns that differ make the plan');
    this.check(Object.keys(applyChange(this.planWithSlots, {}).columns).length === 0, 'what was stored is stable');
    this.check(
      JSON.stringify({ ...plan, ...derive(this.planWithSlots) }) === JSON.stringify(plan),
      'the dates are derived',
    );
    for (const what of change.events ?? []) this.told.push({ at: this.now.getTime(), what });
  }

  check(isRight: boolean, rule: string): void {
    if (!isRight) this.problems.push(`${rule}: not at ${this.now.toISOString()}`);
  }

  slot(number: number): KnownSlot {
    const found = this.planWithSlots.slots.find(({ slot }) => slot === number);
    if (found === undefined) throw new Error(`no slot ${number}`);
    return found;
  }

  /** A transition of the contract. Returns whether the state allowed it. */
  move(transition: PlanTransition): boolean {
    const state = nextPlanState(this.plan.state, transition);
    if (state === null) return false;
    if (state === 'active') {
      this.apply(transition === 'activate' ? activate(this.now) : resume(this.planWithSlots, this.now));
      this.runUntil(this.now);
      return true;
    }
    if (state === 'pending') return false;
    this.apply(stop(this.planWithSlots, state, 'requested'));
    if (state === 'suspended') for (const { slot } of this.open('challenge')) this.decline(slot, 'final');
    this.withdrawDebits();
    if (state !== 'suspended') this.endUnpaid();
    this.apply(stopped(this.planWithSlots));
    return true;
  }

  /** What ends with its plan: failed payments are canceled, and those that wait for a payer. */
  endUnpaid(): void {
    const ended = this.planWithSlots.slots.filter(
      ({ status, is_returned: isReturned, challenge_ends_at: endsAt }) =>
        (isUnpaid({ status }) && !isReturned) || (status === 'processing' && endsAt !== null),
    );
    this.apply(givenUp(ended.map(({ slot }) => slot)));
  }

  open(kind: 'challenge' | 'accepted'): KnownSlot[] {
    const isOf = ({ slot, challenge_ends_at: endsAt }: KnownSlot) =>
      kind === 'challenge' ? endsAt !== null : endsAt === null && !this.submitted.has(slot);
    return this.planWithSlots.slots.filter((slot) => slot.status === 'processing' && isOf(slot));
  }

  withdrawDebits(): void {
    this.apply(withdrawn(this.open('accepted').map(({ slot }) => slot)));
  }

  openNext(): void {
    const isFirst = this.planWithSlots.slots.every(({ status }) => status === 'skipped');
    const change = openNext(this.planWithSlots, isFirst);
    this.apply(change);
    this.charge(change.opens.slot, 'plan');
  }

  skipNext(): void {
    this.skipsNext = false;
    this.apply(skipNext(this.planWithSlots));
  }

  retry(slot: KnownSlot, by: Attempt['by']): void {
    this.check(isUnpaid(slot), 'only what is unpaid is tried again');
    this.apply(attemptOpened(this.planWithSlots, slot));
    this.charge(slot.slot, by);
  }

  charge(number: number, by: Attempt['by']): void {
    this.planWithSlots = this.withSlot(number, { is_returned: false });
    const slot = this.slot(number);
    const { amount, failures } = slot;
    const { state } = this.plan;
    const at = this.now.getTime();
    this.attempts.push({
      slot: number,
      amount: amount ?? 0,
      at,
      failures,
      dueAt: retryDueAt(slot, 'UTC')?.getTime() ?? null,
      by,
      state,
    });
    const outcome = this.outcomes.shift() ?? 'succeed';
    if (outcome === 'challenge') this.apply(challenged({ slot: number }, customerInstant(at + 2 * dayMs)));
    else if (outcome === 'submitted') this.submitted.add(number);
    else if (outcome !== 'accepted') this.settle(number, outcome, { by });
  }

  settle(number: number, outcome: 'succeed' | 'decline' | 'final', how: Partial<How> = {}): void {
    const slot = this.slot(number);
    this.submitted.delete(number);
    if (outcome === 'succeed') this.apply(collected(this.planWithSlots, slot, slot.amount ?? 0));
    else this.decline(number, outcome, how);
  }

  decline(number: number, outcome: 'decline' | 'final', { by = 'plan', isDebit = false }: Partial<How> = {}): void {
    this.turns.add(this.now.getTime());
    const slot = this.slot(number);
    const code = outcome === 'final' ? ('card_declined' as const) : ('insufficient_funds' as const);
    const latest = { at: this.now, code, scheme: isDebit ? auBecs : null };
    const next = afterFailedAttempt(this.dunned, slot, latest, by === 'plan');
    this.store(failed(this.planWithSlots, slot, slot.amount ?? 0, next));
  }

  comeBack(number: number): void {
    const slot = this.slot(number);
    this.planWithSlots = this.withSlot(number, { is_returned: true });
    const next = afterReturn(this.dunned, { at: this.now, code: 'insufficient_funds', scheme: auBecs });
    this.store(returned(this.planWithSlots, slot, slot.amount ?? 0, next));
  }

  /** An outcome that may stop the plan: what the bank does not have is withdrawn, what has ended is given up. */
  store(change: PlanStepChange): void {
    if (change.events?.includes('suspended')) this.withdrawDebits();
    this.apply(change);
    if (this.plan.state === 'closed' || this.plan.state === 'deactivated') this.endUnpaid();
  }

  withSlot(number: number, fact: { is_returned: boolean }): PlanWithSlots {
    const slots = this.planWithSlots.slots.map((slot) => (slot.slot === number ? { ...slot, ...fact } : slot));
    return { ...this.planWithSlots, slots };
  }

  /** Does what is due up to an instant, each at its own: the end of a challenge, a retry, the next slot. */
  runUntil(target: CustomerInstant): void {
    for (;;) {
      const { plan, slots } = this.planWithSlots;
      const retry = firstRetry(slots);
      const [challenge] = this.open('challenge').toSorted(
        (a, b) => Number(a.challenge_ends_at) - Number(b.challenge_ends_at),
      );
      const due = [
        { at: challenge?.challenge_ends_at ?? null, run: () => this.decline(challenge?.slot ?? 0, 'final') },
        { at: plan.next_attempt_at, run: () => retry && this.retry(retry, 'plan') },
        { at: plan.next_due_at, run: () => (this.skipsNext ? this.skipNext() : this.openNext()) },
      ]
        .flatMap(({ at, run }) => (at === null || at > target ? [] : [{ at, run }]))
        .toSorted((a, b) => Number(a.at) - Number(b.at))[0];
      if (due === undefined) break;
      if (due.at > this.now) this.now = due.at;
      due.run();
    }
    this.now = target;
  }

  /** Does this step, if it is possible now. */
  do(step: Step): void {
    const { plan, slots } = this.planWithSlots;
    this.turns.add(this.now.getTime());
    const pick = (wanted: (slot: KnownSlot) => boolean) => {
      const found = slots.filter(wanted);
      return found[('which' in step ? step.which : 0) % Math.max(1, found.length)];
    };
    const isOver = plan.state === 'closed' || plan.state === 'deactivated';
    const isActive = plan.state === 'active';
    const isHalted = plan.state === 'suspended' && plan.state_reason === 'requested';
    if (step.do === 'move') this.move(step.transition);
    if (step.do === 'pass') this.runUntil(addMs(this.now, step.days * dayMs));
    if (step.do === 'pay') {
      const slot = pick(isUnpaid);
      if (slot !== undefined && !isOver && !isHalted) this.retry(slot, 'payer');
    }
    if (step.do === 'bank') {
      const slot = pick(({ status }) => status === 'processing');
      const isDebit = slot?.challenge_ends_at === null;
      if (slot !== undefined) this.settle(slot.slot, step.outcome, { isDebit });
    }
    if (step.do === 'return') {
      const slot = pick(({ status }) => status === 'paid');
      if (slot !== undefined) this.comeBack(slot.slot);
    }
    if (step.do === 'give up') {
      const slot = pick(isUnpaid);
      if (slot !== undefined && !isOver) this.apply(giveUp(this.planWithSlots, slot, this.now));
    }
    if (step.do === 'skip') this.skipsNext = true;
    if (step.do === 'new method' && isActive && plan.next_attempt_at !== null) {
      this.apply(retryAll(this.planWithSlots, this.now));
    }
    if (step.do === 'retry now' && isActive) {
      const slot = firstRetry(slots);
      if (slot !== null) {
        this.broughtForward.add(`${slot.slot} ${this.now.getTime()}`);
        this.apply(retryNow(slot, this.now));
      }
    }
    if (step.do === 'amend' && !isOver) this.amend(step.total, step.amount);
    this.runUntil(this.now);
  }

  /** A total that is reached already is refused, as the API does. */
  amend(more: number | null, amount: number): void {
    const { plan } = this;
    const { committedAmount } = progressOf(this.planWithSlots);
    const total = more === null ? null : Math.max(committedAmount, plan.collected_amount_cents + 1) + more;
    this.apply(amend(this.planWithSlots, { total_amount_cents: total, recurring_amount_cents: amount }, this.now));
  }

  /** The whole life, for comparison. */
  summary() {
    const slots = this.planWithSlots.slots.map(({ slot, due_date, status, amount }) => [
      slot,
      due_date,
      status,
      amount,
    ]);
    return { slots, told: this.told, attempts: this.attempts, plan: this.plan };
  }
}

/** Who has made an attempt, and whether a bank reports its outcome. */
interface How {
  by: Attempt['by'];
  isDebit: boolean;
}

/** Whether a charge is about this slot, so that the service has read it although it is not open. */
function isNamed({ slots = [] }: PlanStepChange, number: number): boolean {
  return slots.some(({ slots: numbers }) => numbers.includes(number));
}

export type Step =
  | { do: 'move'; transition: PlanTransition }
  | { do: 'pass'; days: number }
  | { do: 'pay' | 'return' | 'give up'; which: number }
  | { do: 'bank'; which: number; outcome: 'succeed' | 'decline' | 'final' }
  | { do: 'skip' | 'new method' | 'retry now' }
  | { do: 'amend'; total: number | null; amount: number };

const which = fc.nat(9);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.nat(30).map((days) => ({ do: 'pass' as const, days })) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom<PlanTransition>('suspend', 'resume', 'resume', 'resume', 'deactivate', 'close')
        .map((transition) => ({ do: 'move' as const, transition })),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('bank' as const),
        which,
        outcome: fc.constantFrom('succeed' as const, 'decline' as const, 'final' as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom('pay' as const, 'return' as const, 'give up' as const), which }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom('skip' as const, 'new method' as const, 'retry now' as const) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('amend' as const),
        total: fc.option(fc.nat(3000), { nil: null }),
        amount: fc.integer({ min: 1, max: 2000 }),
      }),
    },
  ),
  { maxLength: 16 },
);

/** The terms of a plan, what is done with it, and the outcomes of its charges. */
export interface Life {
  terms: Partial<Plan>;
  /** How many days after its creation it is activated. */
  activatedAfter: number;
  behaviour: FailureBehaviour;
  steps: Step[];
  outcomes: Outcome[];
}

export const lives: fc.Arbitrary<Life> = fc.record({
  terms: fc.record({
    frequency_type: fc.constantFrom('weekly' as const, 'monthly' as const),
    frequency_period: fc.integer({ min: 1, max: 2 }),
    start_date: fc.constantFrom('2027-01-01', '2027-01-05', '2027-01-31'),
    first_date: fc.constantFrom(null, null, '2027-01-01', '2027-01-07'),
    first_amount_cents: fc.option(fc.integer({ min: 1, max: 3000 }), { nil: null }),
    total_amount_cents: fc.option(fc.integer({ min: 1, max: 4000 }), { nil: null }),
  }),
  activatedAfter: fc.oneof(fc.constant(0), fc.nat(40)),
  behaviour: fc.constantFrom('retry' as const, 'retry' as const, 'stop' as const),
  steps,
  outcomes: fc.array(
    fc.constantFrom<Outcome>('succeed', 'succeed', 'decline', 'decline', 'final', 'challenge', 'accepted', 'submitted'),
    {
      maxLength: 20,
    },
  ),
});

export function live({ terms, activatedAfter, behaviour, steps: all, outcomes }: Life): Simulated {
  const subject = new Simulated(terms, behaviour, outcomes);
  subject.runUntil(addMs(begin, activatedAfter * dayMs));
  subject.move('activate');
  for (const step of all) subject.do(step);
  return subject;
}
