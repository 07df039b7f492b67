import type { Sequence } from './agreement.ts';
import type { PlanTerms, Step } from './steps.ts';

/**
 * A sequence that has told a broken service from a sound one, made as short as it goes; `finds` is the rule that it
 * needs.
 */
export interface Seed extends Sequence {
  finds: string;
}

/** Midnight of a Friday in UTC. */
const at = '2031-01-31T00:00:00.000Z';

/**
 * A clock, a payer whose card is never declined, and a running plan: weekly, 1000 cents, unless its terms say
 * otherwise.
 */
function running(terms: Partial<PlanTerms>, payer: Partial<Step & { do: 'customer' }> = {}): Step[] {
  const cap = terms.total === undefined ? { isOpenEnded: true } : {};
  return [
    { do: 'clock', at },
    { do: 'customer', clock: 0, ...payer },
    { do: 'method', customer: 0, instrument: 'tok_sandbox_visa_succeed' },
    { do: 'plan', customer: 0, terms: { every: 'weekly', amount: 1000, start: 0, ...cap, ...terms } },
    { do: 'activate', plan: 0 },
  ];
}

const pass = (to: number | 'bound' | 'beyond'): Step => ({ do: 'advance', clock: 0, to });

export const seeds: Seed[] = [
  {
    finds: 'a failed payment is tried again 1, 3 and 5 days after the first failure, and then the plan is suspended',
    zone: 'UTC',
    steps: [...running({ every: 'monthly', start: 1, outcomes: 'decline' }), pass(3), { do: 'look' }, pass(6)],
  },
  {
    finds: 'the plan closes with the payment that completes its total, and the last payment is cut to what remains',
    zone: 'UTC',
    steps: [...running({ total: 2500 }), pass('bound')],
  },
  {
    finds: 'resuming skips what passed meanwhile, the slot of this very instant too',
    zone: 'UTC',
    steps: [...running({}), { do: 'suspend', plan: 0 }, pass(14), { do: 'resume', plan: 0 }, pass(7)],
  },
  {
    finds: 'a payer who bears the fees pays them on top of each payment of a plan, and the total counts without them',
    zone: 'UTC',
    steps: running({ total: 1000 }, { paysFees: true }),
  },
  {
    finds: 'the manifest counts a payment once, however often it was tried in the advance',
    zone: 'UTC',
    steps: [...running({ start: 1, outcomes: 'decline,timeout,succeed' }), pass(7)],
  },
  {
    finds: 'an advance goes as far as two intervals of 30 days for a monthly plan, and not a millisecond further',
    zone: 'UTC',
    steps: [...running({ every: 'monthly', start: 9 }), pass('beyond'), pass('bound')],
  },
  {
    finds: 'of a retry and a slot that are due at one instant the older goes first',
    zone: 'UTC',
    // Suspended on the fifth day; resumed on the sixth, its next retry is on the seventh, with slot 1.
    steps: [...running({ outcomes: 'decline' }), pass(6), { do: 'resume', plan: 0 }, pass(2)],
  },
  {
    finds: 'a plan that is suspended by one payment tries none of its others again',
    zone: 'UTC',
    steps: [
      ...running({ outcomes: 'decline' }),
      pass(6),
      { do: 'resume', plan: 0 },
      pass(2),
      { do: 'detach', method: 0 },
      pass(2),
      pass(9),
    ],
  },
  {
    finds: 'what is tried by hand is no step of the series of retries',
    zone: 'UTC',
    steps: [...running({ outcomes: 'decline' }), { do: 'confirm', intent: 0, method: 0 }, pass(2), pass(4)],
  },
  {
    finds: 'a total that is raised wakes the calendar without a burst',
    zone: 'UTC',
    steps: [
      // Unpaid for as long as the challenge is not answered, so that a total of as much ends the calendar.
      ...running({ outcomes: 'decline,requires_action' }),
      { do: 'confirm', intent: 0, method: 0 },
      { do: 'change plan', plan: 0, change: { total: 1000 } },
      pass(10),
      { do: 'change plan', plan: 0, change: { total: 3000 } },
      pass(7),
    ],
  },
  {
    finds: 'resuming gives an unpaid payment a fresh series of retries',
    zone: 'UTC',
    steps: [...running({ every: 'monthly', outcomes: 'decline' }), pass(6), { do: 'resume', plan: 0 }, pass(6)],
  },
  {
    finds: 'what a request does at the instant at which an advance ended is no effect of it',
    zone: 'UTC',
    steps: [
      ...running({}),
      pass(7),
      { do: 'suspend', plan: 0 },
      { do: 'plan', customer: 0, terms: { every: 'weekly', amount: 500, start: 0, isOpenEnded: true } },
      { do: 'activate', plan: 0 },
    ],
  },
  {
    finds: 'a dry run returns every effect at its own instant, and does none of them',
    zone: 'UTC',
    steps: [...running({ start: 2, outcomes: 'decline,succeed' }), { do: 'dryRun', clock: 0, to: 'bound' }],
  },
  {
    finds: 'a challenge that is failed after its retry was due has the retry made at once',
    zone: 'UTC',
    steps: [
      ...running({ outcomes: 'decline,requires_action,succeed' }),
      { do: 'confirm', intent: 0, method: 0 },
      pass(2),
      { do: 'complete', intent: 0, result: 'fail' },
    ],
  },
  {
    finds: 'a retry that was due before a challenge ends is made when it has ended, and not before',
    zone: 'UTC',
    steps: [
      // The resume leaves alone what waits for a payer, so the retry is that of the series before.
      ...running({ outcomes: 'decline,requires_action,succeed', behaviour: 'stop' }),
      pass(2),
      { do: 'confirm', intent: 0, method: 0 },
      { do: 'resume', plan: 0 },
      pass(1),
    ],
  },
  {
    finds: 'a payment that is scheduled for today is made at once, on a clock and in real time',
    zone: 'UTC',
    steps: [
      ...running({}),
      { do: 'intent', terms: { amount: 1000, method: 0, scheduled: 0 } },
      { do: 'customer', clock: null },
      { do: 'method', customer: 0, instrument: 'tok_sandbox_visa_3ds_required' },
      { do: 'intent', terms: { amount: 1000, method: 0, scheduled: 0 } },
    ],
  },
  {
    finds: 'a day that begins at one o’clock, its midnight being skipped, is due when it begins',
    zone: 'Asia/Beirut',
    steps: [{ do: 'clock', at: '2031-03-20T12:00:00.000Z' }, ...running({ start: 3 }).slice(1), pass(14)],
  },
  {
    finds: 'nothing but the deletion of the clock is accepted while it advances',
    zone: 'UTC',
    steps: [
      ...running({}),
      {
        ...{ do: 'advance', clock: 0, to: 7 },
        meanwhile: [
          { do: 'suspend', plan: 0 },
          { do: 'cancel', intent: 0 },
          { do: 'detach', method: 0 },
          { do: 'change plan', plan: 0, change: { amount: 2000 } },
          { do: 'delete customer', customer: 0 },
          { do: 'dryRun', clock: 0, to: 1 },
          { do: 'delete clock', clock: 0 },
        ],
      },
    ],
  },
];
