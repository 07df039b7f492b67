import * as fc from 'fast-check';
import type { Sequence } from './agreement.ts';
import type { IntentTerms, Of, PlanChange, PlanTerms, Step, Target } from './steps.ts';
import { instruments } from './world.ts';

const orNull = <T>(value: fc.Arbitrary<T>, freq: number): fc.Arbitrary<T | null> =>
  fc.option(value, { nil: null, freq });
const usually = <T>(value: fc.Arbitrary<T>, freq = 4) => fc.option(value, { nil: undefined, freq });
const maybe = <T>(value: fc.Arbitrary<T>, freq = 3) =>
  fc.oneof({ weight: freq - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const often = <T>(usual: T, seldom: fc.Arbitrary<T>, weight = 3): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: seldom });

/**
 * The newest that fits more often than the others, so that what was just made is acted on; seldom one that may not fit.
 */
const back = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: -4, max: -1 }) },
);

/**
 * Ends of months, leap days, and days on which clocks are put forward or back; all of them years away from real time.
 */
const frozenTimes = fc.constantFrom(
  '2031-01-31T00:00:00.000Z',
  '2032-01-31T09:30:00.000Z',
  '2031-03-28T23:59:59.999Z',
  '2031-09-27T12:00:00.000Z',
  '2032-02-28T05:00:00.000Z',
  '2031-12-30T13:00:00.000Z',
);
const zones = often('UTC', fc.constantFrom('Australia/Sydney', 'America/New_York', 'Asia/Beirut', 'Pacific/Apia'), 2);

const word = fc.constantFrom('succeed', 'succeed', 'succeed', 'decline', 'decline', 'timeout', 'requires_action');
const outcomes = fc.array(word, { minLength: 1, maxLength: 7 }).map((words) => words.join(','));
/** Some end in the digits that decide the outcome where nothing else does. */
const amount = fc.constantFrom(1000, 1000, 2500, 333, 1001, 1002, 1099, 1);
const total = fc.constantFrom(1000, 1500, 2000, 3000, 5000, 9999, 1);
const behaviour = often<'retry' | 'stop'>('retry', fc.constant('stop'));
const frequency = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ every: 'weekly' as const }) },
  { weight: 1, arbitrary: fc.constant({ every: 'weekly' as const, period: 2 }) },
  { weight: 2, arbitrary: fc.constant({ every: 'monthly' as const }) },
  { weight: 1, arbitrary: fc.constant({ every: 'monthly' as const, period: 3 }) },
);
const cap = fc.oneof(
  { weight: 8, arbitrary: total.map((cents) => ({ total: cents })) },
  { weight: 8, arbitrary: fc.constant({ isOpenEnded: true }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({}, { total: 5000, isOpenEnded: true }, { total: 5000, isOpenEnded: false }),
  },
);
const start = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 9 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 30) },
);

const planTerms: fc.Arbitrary<PlanTerms> = fc
  .record({
    frequency,
    cap,
    amount: fc.oneof({ weight: 30, arbitrary: amount }, { weight: 1, arbitrary: fc.constant(0) }),
    start,
    firstAmount: maybe(fc.constantFrom(500, 1502, 2000), 4),
    /** Days after the anchor; before the second payment, but for some. */
    firstAfter: maybe(fc.constantFrom(0, 3, 3, 6, 6, 7, -2), 5),
    method: maybe(back, 3),
    behaviour: maybe(behaviour),
    outcomes: maybe(outcomes, 2),
  })
  .map(({ frequency, cap, firstAfter, ...rest }) => {
    const first = firstAfter === undefined ? undefined : rest.start + firstAfter;
    return compact({ ...frequency, ...cap, ...rest, first });
  });
/** Of a plan that is accepted. */
const soundTerms = planTerms.filter(
  ({ amount: cents, total: most, isOpenEnded = false, start: from, first = from }) =>
    cents > 0 && (most === undefined) === isOpenEnded && from >= 0 && first >= 0 && first < from + 7,
);

const lasting: fc.Arbitrary<PlanChange> = fc.oneof(
  fc.record({ amount }),
  fc.record({ total: orNull(total, 8) }),
  fc.record({ isOpenEnded: often(true, fc.constant(false)) }),
  fc.record({ method: orNull(back, 2) }),
  fc.record({ behaviour }),
  fc.record({ label: fc.constant('renamed'), total }),
);
const early: fc.Arbitrary<PlanChange> = fc.oneof(
  frequency,
  fc.record({ firstAmount: orNull(fc.constantFrom(500, 2000), 5) }),
  fc.record({ start }),
  fc.record({ first: orNull(start, 5) }),
  fc.record({ outcomes }),
  fc.record({ customer: back, label: fc.constant('renamed') }),
);

const intentTerms: fc.Arbitrary<IntentTerms> = fc
  .record({
    amount: often(1000, fc.constantFrom(1001, 1002, 1099, 2503, 200, 199, 100_000, 100_001), 2),
    customer: usually(back),
    method: usually(back, 2),
    surcharge: maybe(fc.boolean()),
    scheduled: maybe(fc.constantFrom(0, 0, 2, 3, 7, 14, 40, -2, 366, 367)),
    outcomes: maybe(outcomes, 3),
  })
  .map(compact);

const target: fc.Arbitrary<Target> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 9 }) },
  { weight: 6, arbitrary: fc.constant('bound' as const) },
  { weight: 1, arbitrary: fc.constantFrom('beyond' as const, 'here' as const, -3, 62) },
);

/** What is said in one go: a single step, or steps that make sense one after the other. */
type Phrase = fc.Arbitrary<Step[]>;
const phrase = (weight: number, ...steps: fc.Arbitrary<Step>[]) => ({
  weight,
  arbitrary: fc.tuple(...steps) as Phrase,
});
const act = <S extends Step>(step: { [K in keyof S]: fc.Arbitrary<S[K]> | (S[K] & string) }): fc.Arbitrary<Step> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(step).map(([name, value]) => [name, typeof value === 'string' ? fc.constant(value) : value]),
      ) as Record<string, fc.Arbitrary<unknown>>,
    )
    .map((made) => compact(made) as unknown as Step);
const customer = act<Of<'customer'>>({ do: 'customer', clock: orNull(back, 6), paysFees: maybe(fc.boolean()) });
const instrument = often('tok_sandbox_visa_succeed', fc.constantFrom(...instruments), 1);
const method = act<Of<'method'>>({ do: 'method', customer: orNull(back, 6), instrument });
const detach = act<Of<'detach'>>({ do: 'detach', method: back });
const defaultMethod = usually(orNull(back, 4), 2);
const changeOfCustomer = { customer: back, defaultMethod, paysFees: maybe(fc.boolean()) };
const plan = act<Of<'plan'>>({ do: 'plan', customer: back, terms: planTerms });
const activate = act<Of<'activate'>>({ do: 'activate', plan: back });
const suspend = act<Of<'suspend'>>({ do: 'suspend', plan: back });
const resume = act<Of<'resume'>>({ do: 'resume', plan: back });
const intent = act<Of<'intent'>>({ do: 'intent', terms: intentTerms });
const confirm = act<Of<'confirm'>>({ do: 'confirm', intent: back, method: orNull(back, 2) });
const result = fc.constantFrom('succeed' as const, 'fail' as const);
const complete = act<Of<'complete'>>({ do: 'complete', intent: back, result });
const challenging = { customer: fc.constant(0), instrument: fc.constant('tok_sandbox_visa_3ds_required' as const) };
const challenge = act<Of<'method'>>({ do: 'method', ...challenging });
const cents = orNull(fc.constantFrom(1, 103, 500, 1000, 1048), 3);
const refund = act<Of<'refund'>>({ do: 'refund', intent: back, amount: cents, fails: maybe(fc.constant(true), 5) });

/**
 * A plan whose first payment waits for a challenge, once it is confirmed: it stays unpaid for as long as no payer
 * answers.
 */
const waiting = {
  every: 'weekly',
  amount: 1000,
  isOpenEnded: true,
  start: 0,
  outcomes: 'decline,requires_action',
} as const;
const troubled = act<Of<'plan'>>({ do: 'plan', customer: back, terms: fc.constant<PlanTerms>(waiting) });
/** Its calendar ends where the total is spoken for, and goes on when it is more. */
const lowered = act<Of<'change plan'>>({ do: 'change plan', plan: back, change: fc.constant({ total: 1000 }) });
const more = fc.constantFrom<PlanChange>({ total: 9999 }, { isOpenEnded: true });
const raised = act<Of<'change plan'>>({ do: 'change plan', plan: back, change: more });

const calls = [
  phrase(4, act<Of<'clock'>>({ do: 'clock', at: frozenTimes })),
  phrase(8, customer),
  phrase(12, customer, method),
  phrase(16, method),
  phrase(8, act<Of<'attach'>>({ do: 'attach', method: back, customer: back })),
  phrase(8, detach),
  phrase(8, act<Of<'change customer'>>({ do: 'change customer', ...changeOfCustomer })),
  phrase(2, act<Of<'delete customer'>>({ do: 'delete customer', customer: back })),
  phrase(8, plan),
  phrase(24, plan, activate),
  phrase(8, activate),
  phrase(12, suspend),
  phrase(24, resume),
  phrase(4, act<Of<'close'>>({ do: 'close', plan: back })),
  phrase(4, act<Of<'deactivate'>>({ do: 'deactivate', plan: back })),
  phrase(28, act<Of<'change plan'>>({ do: 'change plan', plan: back, change: lasting })),
  phrase(8, act<Of<'change plan'>>({ do: 'change plan', plan: back, change: early })),
  phrase(16, intent),
  phrase(16, intent, confirm),
  phrase(20, confirm),
  phrase(16, confirm, complete),
  phrase(10, challenge, confirm, complete),
  phrase(10, challenge, intent, confirm, complete),
  phrase(8, complete),
  phrase(8, act<Of<'cancel'>>({ do: 'cancel', intent: back })),
  phrase(16, refund),
  phrase(16, act<Of<'dryRun'>>({ do: 'dryRun', clock: back, to: target })),
  phrase(2, act<Of<'delete clock'>>({ do: 'delete clock', clock: back })),
];

/** A clock with a payer and a running plan, then anything; `isInterrupted`: also while an advance is under way. */
export function sequences({ isInterrupted, maxLength }: { isInterrupted: boolean; maxLength: number }) {
  const another = phrase(20, act<Of<'advance'>>({ do: 'advance', clock: back, to: target }));
  const others = fc.array(fc.oneof(...calls, another), { minLength: 1, maxLength: 3 }).map((steps) => steps.flat());
  const meanwhile = isInterrupted ? maybe(others, 6) : fc.constant(undefined);
  const advance = act<Of<'advance'>>({ do: 'advance', clock: back, to: target, meanwhile });
  const moves = [
    phrase(120, advance),
    phrase(24, suspend, advance, resume),
    phrase(8, challenge, confirm, advance, complete),
    phrase(8, troubled, activate, confirm, lowered, advance, raised, advance),
    phrase(16, detach, advance, method, resume),
    phrase(12, act<Of<'look'>>({ do: 'look' })),
  ];
  return fc
    .record({
      zone: zones,
      opening: fc.tuple(
        act<Of<'clock'>>({ do: 'clock', at: frozenTimes }),
        act<Of<'customer'>>({ do: 'customer', clock: fc.constant(0) }),
        act<Of<'method'>>({ do: 'method', customer: fc.constant(0), instrument }),
        act<Of<'plan'>>({ do: 'plan', customer: fc.constant(0), terms: soundTerms }),
        act<Of<'activate'>>({ do: 'activate', plan: fc.constant(0) }),
      ),
      phrases: fc.array(fc.oneof(...calls, ...moves), { minLength: 1, maxLength, size: 'max' }),
    })
    .map(({ zone, opening, phrases }): Sequence => ({ zone, steps: [...opening, ...phrases.flat()] }));
}

/** Without the members that are undefined, so that a sequence is printed as the data that it is. */
function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
