import assert from 'node:assert/strict';
import fc from 'fast-check';
import { before, describe, it } from 'mocha';
import { addDays, startOfDay } from '../../../src/domain/calendar.ts';
import { nextRetryAt } from '../../../src/domain/dunning.ts';
import { applyChange } from '../../../src/domain/subscriptions/apply.ts';
import { type Course, derive, isOwed, type Period, type Situation } from '../../../src/domain/subscriptions/course.ts';
import { respondTo, type SubscriptionRequest } from '../../../src/domain/subscriptions/requests.ts';
import {
  announceTrialEnd,
  type Change,
  collected,
  failed,
  passBoundary,
  resume,
} from '../../../src/domain/subscriptions/steps.ts';

const dayMs = 86_400_000;
const begin = new Date('2027-01-31T00:00:00Z');

const fresh: Course = {
  state: 'pending',
  state_reason: null,
  items: [{ id: 'sbi_1', name: 'A', unit_amount_cents: 100, quantity: 1 }],
  frequency_type: 'monthly',
  frequency_period: 1,
  start_date: '2027-01-31',
  anchor_day: null,
  anchor_start: null,
  anchor_number: 1,
  trial_days: null,
  trial_end_date: null,
  trial_end_behaviour: 'pause',
  failure_behaviour: 'retry',
  unpaid_behaviour: 'pause',
  grace_days: 7,
  effective_on: 'settled',
  started_at: null,
  current_number: 0,
  next_number: 1,
  ends_at: null,
  cancel_requested: false,
  pauses_at: null,
  resumes_at: null,
  trial_notice_sent: false,
  paid_periods: 0,
};

/** What happened at an instant. */
interface Told {
  at: number;
  what: string;
  inEffect: boolean;
}

/** A subscription in memory, with a processor that follows a list of outcomes: what the services do, without rows. */
class Simulated {
  situation: Situation;
  inEffect = false;
  now = begin;
  readonly told: Told[] = [];
  readonly periods = new Map<number, Period>();
  readonly outcomes: boolean[];

  constructor(terms: Partial<Course>, outcomes: boolean[]) {
    this.situation = { course: { ...fresh, ...terms }, current: null, owed: null, timeZone: 'UTC' };
    this.outcomes = [...outcomes];
  }

  apply(change: Change): void {
    const status = change.begins?.kind === 'trial' ? ('paid' as const) : ('processing' as const);
    const begun = { status, lines: [], amount_cents: 100, payment_intent_id: 'pi' };
    const owedNumber = this.situation.owed?.number;
    const owed = this.situation.owed && { ...this.situation.owed, ...change.owed };
    const applied = applyChange(this.situation, change, begun, { before: this.inEffect, at: this.now });
    if (owed && owedNumber !== undefined) this.periods.set(owedNumber, owed);
    if (applied.begins) this.periods.set(applied.begins.number, applied.begins);
    this.situation = applied.situation;
    this.inEffect = applied.derived.in_effect;
    for (const what of applied.happenings) this.told.push({ at: this.now.getTime(), what, inEffect: this.inEffect });
    if (change.begins?.kind === 'paid') this.charge();
  }

  charge(): void {
    if (this.outcomes.shift() ?? true) this.apply(collected(this.situation, this.now));
    else this.decline();
  }

  decline(): void {
    const { failures = 0, first_failed_at: first = null } = this.situation.owed ?? {};
    const firstFailedAt = first ?? this.now;
    const at = nextRetryAt(failures + 1, firstFailedAt);
    const series = { failures: failures + 1, first_failed_at: firstFailedAt, last_result_at: null };
    this.apply(failed(this.situation, { series, step: at === null ? { kind: 'suspend' } : { kind: 'retry', at } }));
  }

  ask(request: SubscriptionRequest): boolean {
    const change = respondTo(request, this.situation, this.now);
    if ('refused' in change) return false;
    this.apply(change);
    this.runUntil(this.now);
    return true;
  }

  runUntil(target: Date): void {
    for (;;) {
      const d = derive(this.situation, this.now);
      const due = (
        [
          [d.notice_at, () => this.apply(announceTrialEnd())],
          [d.grace_ends_at, () => this.apply({ happenings: [] })],
          [d.next_attempt_at, () => this.retry()],
          [d.resume_at, () => this.apply(resume(this.situation, this.now))],
          [d.next_period_at, () => this.apply(passBoundary(this.situation, this.now, { hasMethod: true }))],
        ] as const
      )
        .flatMap(([at, run]) => (at === null || at > target ? [] : [{ at, run }]))
        .toSorted((a, b) => Number(a.at) - Number(b.at))[0];
      if (due === undefined) break;
      if (due.at > this.now) this.now = due.at;
      due.run();
    }
    this.now = target;
  }

  retry(): void {
    this.apply({ owed: { status: 'processing', next_attempt_at: null }, happenings: [] });
    this.charge();
  }

  /** The whole course in words, for comparison. */
  summary() {
    const periods = [...this.periods.values()].map(({ number, start_date, end_date, status }) => [
      number,
      start_date,
      end_date,
      status,
    ]);
    return { periods, told: this.told, state: this.situation.course.state };
  }
}

type Deed = { do: 'ask'; request: SubscriptionRequest } | { do: 'pass'; days: number };

const requests: fc.Arbitrary<SubscriptionRequest> = fc.oneof(
  fc.constant({ name: 'start' as const }),
  fc.nat(60).map((days) => ({ name: 'pause' as const, resumesAt: days < 20 ? null : addDays('2027-01-31', 5 * days) })),
  fc.constant({ name: 'resume' as const }),
  fc.constantFrom('period_end' as const, 'now' as const).map((when) => ({ name: 'cancel' as const, when })),
  fc.constant({ name: 'uncancel' as const }),
  fc.constant({ name: 'retry_now' as const }),
);
const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: requests.map((request) => ({ do: 'ask' as const, request })) },
    { weight: 3, arbitrary: fc.nat(45).map((days) => ({ do: 'pass' as const, days })) },
  ),
  { maxLength: 14 },
);
const terms = fc.record({
  frequency_type: fc.constantFrom('weekly' as const, 'monthly' as const),
  anchor_day: fc.constant(null),
  trial_days: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
  unpaid_behaviour: fc.constantFrom('pause' as const, 'cancel' as const),
  grace_days: fc.nat(9),
});
/** The terms of a subscription, what is asked of it, and the outcomes of its charges. */
interface Lived {
  terms: Partial<Course>;
  deeds: Deed[];
  outcomes: boolean[];
}

const courses: fc.Arbitrary<Lived> = fc.record({ terms, deeds, outcomes: fc.array(fc.boolean(), { maxLength: 12 }) });

function live({ terms: own, deeds: all, outcomes }: Lived): Simulated {
  const subject = new Simulated(own, outcomes);
  subject.ask({ name: 'start' });
  for (const deed of all) {
    if (deed.do === 'ask') subject.ask(deed.request);
    else subject.runUntil(new Date(subject.now.getTime() + deed.days * dayMs));
  }
  return subject;
}

describe('10,000 random courses of subscriptions', () => {
  const lives: { course: Lived; subject: Simulated }[] = [];
  const seed = Number(process.env.FC_SEED ?? Math.trunc(Math.random() * 2 ** 31));

  before('live them', function () {
    this.timeout(120_000);
    for (const course of fc.sample(courses, { numRuns: 10_000, seed })) lives.push({ course, subject: live(course) });
  });

  function hold(check: (subject: Simulated) => void): void {
    for (const { course, subject } of lives) {
      try {
        check(subject);
      } catch (error) {
        throw new Error(`seed ${seed}, course ${JSON.stringify(course)}`, { cause: error });
      }
    }
  }

  it('have periods that are disjoint, unless they are void', () => {
    hold(({ periods }) => {
      const bought = [...periods.values()].filter(({ status }) => status !== 'void');
      for (const [index, period] of bought.entries()) {
        const next = bought[index + 1];
        if (next !== undefined) assert.ok(next.start_date >= period.end_date);
      }
    });
  });

  it('have at most one period that is owed', () => {
    hold(({ periods }) => assert.ok([...periods.values()].filter(isOwed).length <= 1));
  });

  it('never owe anything while they are pending, and count what was paid', () => {
    hold(({ situation: { course }, periods }) => {
      const paid = [...periods.values()].filter(({ kind, status }) => kind === 'paid' && status === 'paid');
      assert.equal(course.paid_periods, paid.length);
      if (course.state === 'pending') assert.equal([...periods.values()].filter(isOwed).length, 0);
    });
  });

  it('say in turn that they are in effect and that they are not', () => {
    hold(({ told, inEffect }) => {
      const said = told.filter(({ what }) => what === 'in_effect_changed').map((one) => one.inEffect);
      for (const [index, value] of said.entries()) assert.equal(value, index % 2 === 0);
      assert.equal(said.at(-1) ?? false, inEffect);
    });
  });

  it('are in effect only in a period that was begun, or in the moment before the first of a resume', () => {
    hold(({ situation: { course, current }, inEffect, now }) => {
      if (!inEffect) return;
      assert.ok(['trialing', 'active', 'past_due'].includes(course.state));
      assert.ok(current !== null && startOfDay(current.start_date, 'UTC') <= now);
    });
  });

  it('begin no period after they were paused or canceled, until they are resumed', () => {
    hold(({ told }) => {
      let isStopped = false;
      for (const { what } of told) {
        if (what === 'paused' || what === 'canceled') isStopped = true;
        if (what === 'resumed' || what === 'recovered') isStopped = false;
        if (what === 'renewed') assert.ok(!isStopped);
      }
    });
  });

  it('wait for nothing once they are canceled', () => {
    hold(({ situation, now }) => {
      if (situation.course.state !== 'canceled') return;
      const { in_effect: _, in_effect_until: __, ...dates } = derive(situation, now);
      assert.deepEqual(new Set(Object.values(dates)), new Set([null]));
    });
  });

  it('are the same in one advance and in any split of it', () => {
    fc.assert(
      fc.property(courses, fc.integer({ min: 1, max: 9 }), (course, part) => {
        const split = course.deeds.flatMap((deed) =>
          deed.do === 'pass' && deed.days > part
            ? [
                { ...deed, days: part },
                { ...deed, days: deed.days - part },
              ]
            : [deed],
        );
        assert.deepEqual(live({ ...course, deeds: split }).summary(), live(course).summary());
      }),
      { numRuns: 1_000 },
    );
  });
});
