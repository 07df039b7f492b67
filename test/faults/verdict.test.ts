import assert from 'node:assert/strict';
import type { Event, SubscriptionPeriod } from '@payments-service/client';
import type { Evidence, Finding, TakenRow } from '../../faults/evidence.ts';
import { openedAt } from '../../faults/judges/charges.ts';
import type { ClockHistory } from '../../faults/load/clocks.ts';
import { judge } from '../../faults/verdict.ts';
import { activate, newCourse } from '../../lab/model/plans.ts';
import {
  arrival,
  attemptId,
  charge,
  event,
  exchange,
  intentId,
  linkEvents,
  paidLink,
  refund,
  sound,
} from './evidence.ts';

type Doctored = Partial<Evidence>;

const other = { idempotency_key: 'att_other' };
const claim = { amount: 500, what: 'a plan', succeeded: [0, 1], attempts: [0, 1] } as const;
const [theAttempt = assert.fail()] = sound().attempts;
const openedAfter = openedAt(attemptId) - 1;
const [response = assert.fail()] = exchange().responses;
/** The charge of a process whose clock was off by so much. Its line was read 40 ms later, by the right clock. */
const chargedBy = (offMs: number, notAfter: number): Doctored => ({
  ledger: [
    {
      ...charge({ opened_at: new Date(openedAt(attemptId) + offMs).toISOString() }),
      seenAt: openedAt(attemptId) + 40,
    },
    refund(),
  ],
  claims: [{ ...claim, notAfter }],
});
const hourMs = 3_600_000;

const toldToWait = arrival(2, { behaviour: 'asks to wait', accepted: false });
const waiting = (at: number): Doctored => ({
  accounts: sound().accounts.map((account) => ({
    ...account,
    waits: [{ endpoint: 'shop-steady', eventId: 'evt_2', at: toldToWait.at }],
  })),
  arrivals: [arrival(1), toldToWait, arrival(2, { at })],
});

const link = (over: Partial<Evidence['links'][number]['link']> = {}, thanked = 1, types = ['paid', 'completed']) => ({
  links: [{ link: { ...paidLink, ...over }, thanked }],
  accounts: [{ name: 'shop', events: linkEvents(...types), endpoints: [], waits: [] }],
  arrivals: [],
});

const period = (number: number, start: string, end: string) =>
  ({ number, start, end, status: 'paid', kind: 'paid', payment_intent_id: `pi_${number}` }) as SubscriptionPeriod;
const periods = [period(1, '2027-01-01', '2027-01-08'), period(2, '2027-01-08', '2027-01-15')];
const charges = [charge(), charge({ idempotency_key: 'att_2' })];
const sold = (of: SubscriptionPeriod[], ledger = charges): Doctored => ({
  claims: [{ amount: 500, what: 'a subscription', succeeded: [2, 2], attempts: [2, 2] }],
  attempts: charges.map(({ idempotency_key: id }) => ({ ...(theAttempt as TakenRow), id })),
  ledger: [...ledger, refund()],
  subscriptions: [{ id: 'sub_1', amount: 500, periods: of }],
});

const debit = (steps: string[], kept = 'returned'): Doctored => ({
  ledger: [charge({ outcome: 'submitted' })],
  claims: [
    {
      ...{ amount: 500, what: 'a debit', succeeded: [0, 0], attempts: [1, 1] },
      debits: { succeeded: [1, 1], returned: [1, 1], failed: [0, 0] },
    },
  ],
  attempts: [{ ...theAttempt, outcome: kept }],
  accounts: [
    {
      name: 'shop',
      events: steps.map((step, nth) => ({ ...event(nth + 1), event_type: `payment_intent.${step}` }) as Event),
      endpoints: [],
      waits: [],
    },
  ],
  ...{ arrivals: [], exchanges: [], repetitions: [], refunds: [] },
});
const course = ['processing', 'succeeded', 'returned'];

/** A weekly plan on a clock that was activated and paid: two events. */
const calendar = newCourse(
  { every: 'week', period: 1, start: '2027-01-01', amount: 500, total: null },
  'good',
  Date.UTC(2027, 0, 1, 9),
);
activate(calendar);
const activated: Evidence['histories'][number] = {
  account: { name: 'shop' } as ClockHistory['account'],
  plans: [
    {
      ...{ label: 'pp_1', planId: 'pp_1', customerId: 'cus_1', cards: { good: 'pm_1', declining: null } },
      ...{ course: calendar, amounts: { whole: 500, rest: null } },
    },
  ],
};

/** What breaks no promise. */
const innocent: Record<string, Doctored> = {
  'a run in which all is well': {},
  'several calls under one key': { ledger: [charge(), charge(), charge(), refund()] },
  'a charge at the instant at which its plan ended': { claims: [{ ...claim, notAfter: openedAfter + 1 }] },
  'an event that came twice': { arrivals: [arrival(1), arrival(2), arrival(2)] },
  'a webhook that comes again after the time of Retry-After': waiting(9_000),
  'a webhook that the biller has asked for': { ...waiting(4_000), replayedFrom: 3_000 },
  'what was deleted with its clock': { attempts: [], claims: [{ ...claim, isDeleted: true }] },
  'a live charge in the ledger of live mode': {
    attempts: [{ ...theAttempt, livemode: true }],
    ledger: [charge({ livemode: true }), refund()],
  },
  'a link that counts what was taken': link(),
  'periods that follow each other, each paid once': sold(periods.toReversed()),
  'a debit that succeeded and came back': debit(course),
  'a charge in time by a clock that is an hour ahead': chargedBy(hourMs, openedAfter + 1),
  'a charge in time by a clock that is an hour behind': chargedBy(-hourMs, openedAfter + 1),
  'a webhook that comes early because its sender died before it recorded the wait': {
    arrivals: [arrival(1), toldToWait, arrival(2, { at: 4_000 })],
  },
  'a challenge that its payer has passed': {
    ...link(),
    ledger: [charge({ outcome: 'requires_action' }), refund()],
    claims: [{ amount: 500, what: 'a link', succeeded: [0, 0], attempts: [1, 1], isChallenged: true }],
  },
};

/** What was doctored, the promise that it breaks, and words that say how. */
const guilty: [string, Doctored, Finding['promise'], RegExp][] = [
  ['a second charge', { ledger: [charge(), charge(other), refund()] }, 'P1', /2 of 2 attempts have succeeded, at most/],
  ['an attempt too many', { ledger: [charge(), charge({ ...other, outcome: 'failed' })] }, 'P1', /at most 1 attempts/],
  ['an unwanted charge', { ledger: [charge(), charge({ ...other, amount: 777 })] }, 'P1', /1 charges of 777, which/],
  ['a key for two amounts', { ledger: [charge(), charge({ amount: 501 })] }, 'P1', /asked for 500, and for 501/],
  [
    'a charge after the end',
    { claims: [{ ...claim, notAfter: openedAfter }] },
    'P1',
    /opened after the plan was ended/,
  ],
  ['it by a clock that is an hour ahead', chargedBy(hourMs, openedAfter), 'P1', /opened after the plan was ended/],
  ['it by a clock that is an hour behind', chargedBy(-hourMs, openedAfter), 'P1', /opened after the plan was ended/],
  [
    'a second refund',
    { ledger: [charge(), refund(), refund({ idempotency_key: 're_2' })] },
    'P1',
    /2 refunds of .*, of/,
  ],
  ['a payment never taken', { ledger: [refund()] }, 'P2', /0 of 0 attempts have succeeded, 1 were due/],
  ['a payment only tried', { ledger: [charge({ outcome: 'failed' }), refund()] }, 'P2', /0 of 1 attempts have succ/],
  ['a promise that is gone', { unreadable: [{ id: 'cus_1', response: '404' }] }, 'P3', /cus_1 was in a response, and/],
  [
    'two responses under one key',
    { exchanges: [exchange({ responses: [response, { ...response, text: '{"id":"re_2","amount":100}' }] })] },
    ...(['P4', /has 2 responses under one key/] as const),
  ],
  [
    'a repetition with other bytes',
    { repetitions: [{ exchange: exchange(), status: 201, text: '{"amount":100,"id":"re_1"}' }] },
    ...(['P4', /with other bytes/] as const),
  ],
  [
    'a repetition that was refused',
    { repetitions: [{ exchange: exchange(), status: 422, text: '{"error":{}}' }] },
    ...(['P4', /returned 201, and its repetition 422/] as const),
  ],
  ['an event that never came', { arrivals: [arrival(1)] }, 'P5', /evt_2 was never delivered/],
  [
    'a delivery that was refused',
    { arrivals: [arrival(1), arrival(2, { behaviour: 'fails', accepted: false })] },
    ...(['P5', /evt_2 was never delivered/] as const),
  ],
  [
    'an event never committed',
    { arrivals: [arrival(1), arrival(2), arrival(3)] },
    'P5',
    /evt_3 was delivered, and never/,
  ],
  [
    'an event with other contents',
    { arrivals: [arrival(1), arrival(2, { event: { ...arrival(2).event, created_at: '2026-01-02T00:00:00.000Z' } })] },
    ...(['P5', /evt_2 was delivered with other/] as const),
  ],
  [
    'a gap in the sequence',
    { accounts: [{ name: 'shop', events: [event(1), event(3)], endpoints: [], waits: [] }], arrivals: [] },
    ...(['P5', /have a gap at 3/] as const),
  ],
  ['a bad signature', { refusedWebhooks: ['POST /shop-steady: no'] }, 'P5', /POST \/shop-steady: no/],
  ['a webhook before Retry-After', waiting(4_000), 'P5', /evt_2 came again before the time of Retry-After/],
  ['a charge that is unknown here', { attempts: [] }, 'P6', /succeeded at the processor, and unknown here/],
  [
    'a charge that is unknown there',
    { attempts: [theAttempt, { ...theAttempt, id: 'att_2' }] },
    ...(['P6', /is unknown to the processor/] as const),
  ],
  ['another outcome', { attempts: [{ ...theAttempt, outcome: 'failed' }] }, 'P6', /succeeded at the processor, failed/],
  ['another amount', { attempts: [{ ...theAttempt, amount: 499 }] }, 'P6', /of 500 at the processor, of 499 here/],
  ['a refund never made', { ledger: [charge()] }, 'P6', /which the processor has not made/],
  [
    'a broken invariant',
    { violations: [{ invariant: 'a payment intent succeeds at most once', id: intentId, detail: '2' }] },
    ...(['P6', /does not hold: a payment intent succeeds at most once/] as const),
  ],
  ['a charge in the other mode', { attempts: [{ ...theAttempt, livemode: true }] }, 'P9', /in the ledger of the other/],
  ['a change beside the load', { bystander: { before: 'abc', after: 'abd' } }, 'P9', /has changed: from abc to abd/],
  [
    'a payment of a plan that was never told',
    { histories: [activated] },
    'P8',
    /pp_1, events, how many: expected 2, got 0/,
  ],
  ['what is stuck', { stuck: ['1 slots in processing'] }, 'stuck', /1 slots in processing/],
  [
    'a link paid too often',
    { ...link(), ledger: [charge(), charge(other), refund()] },
    ...(['P1', /lnk_1 was paid 2 times, of 1/] as const),
  ],
  [
    'a link that counts too few payments',
    { ...link(), ledger: [charge(), charge(other), refund()] },
    ...(['P6', /lnk_1 counts 1 payments, and 2 were made/] as const),
  ],
  ['another sum of a link', link({ collected_amount: 400 }), 'P6', /lnk_1 has collected 400 by 1 payments of 500/],
  ['a link completed too early', link({ max_payments: 2 }), 'P6', /lnk_1 is completed by 1 payments, of 2/],
  ['a completion never told', link({}, 1, ['paid']), 'P5', /lnk_1 has 0 events payment_link.completed, of 1/],
  ['a payer thanked for nothing', link({}, 2), 'P3', /lnk_1 counts 1 payments, and 2 payers were thanked/],
  ['a full link that is open', link({ status: 'open' }), 'P6', /lnk_1 is open, though it has taken all its 1 payments/],
  ['a link paid twice by events', link({}, 1, ['paid', 'paid']), 'P5', /lnk_1 has 2 events payment_link.paid, of 1/],
  [
    'a challenge that no payer has passed',
    { ledger: [charge({ outcome: 'requires_action' }), refund()] },
    ...(['P6', /is requires_action at the processor, succeeded here/] as const),
  ],
  ['a missing period', sold(periods.slice(1)), 'P2', /sub_1 has no period 1/],
  [
    'a gap between periods',
    sold([...periods.slice(0, 1), period(2, '2027-01-09', '2027-01-16')]),
    ...(['P2', /sub_1 begins 2027-01-09, though the last ended 2027-01-08/] as const),
  ],
  [
    'one payment for two periods',
    sold(periods.map((one) => ({ ...one, payment_intent_id: 'pi_1' }))),
    ...(['P1', /sub_1 has one payment for two periods/] as const),
  ],
  ['a period charged twice', sold(periods.slice(0, 1)), 'P1', /sub_1 was charged 2 times for 1 paid periods/],
  ['a period charged never', sold(periods, charges.slice(0, 1)), 'P2', /sub_1 has 2 paid periods, and was charged 1/],
  ['a debit never handed over', { ...debit(course), ledger: [] }, 'P2', /1 attempts were to be made/],
  [
    'a debit handed over twice',
    { ...debit(course), ledger: [charge({ outcome: 'submitted' }), charge({ ...other, outcome: 'submitted' })] },
    ...(['P1', /at most 1 attempts were to be made/] as const),
  ],
  ['a return unknown there', { ...debit(course), ledger: [] }, 'P6', /returned here, and is unknown to the processor/],
  ['a failure of what succeeded', debit([...course, 'failed']), 'P1', /a debit: 1 failed, of 0/],
  ['a return told twice', debit([...course, 'returned']), 'P6', /a debit: 2 returned, of 1/],
  ['a result never told', debit(['processing', 'returned']), 'P2', /a debit: 0 succeeded, of 1/],
  ['a result told twice', debit(['succeeded', ...course]), 'P1', /a debit: 2 succeeded, of 1/],
  ['a return never told', debit(['succeeded']), 'P6', /a debit: 0 returned, of 1/],
  ['money kept that came back', debit(course, 'succeeded'), 'P6', /a debit: 1 here, 0 by the events/],
];

describe('the judges of a fault run', () => {
  for (const [what, doctored] of Object.entries(innocent)) {
    it(`have nothing against ${what}`, () => assert.deepEqual(judge(sound(doctored)), []));
  }
  for (const [what, doctored, promise, words] of guilty) {
    it(`find ${what}: ${promise}`, () => {
      const findings = judge(sound(doctored)).map((finding) => `${finding.promise}: ${finding.what}`);
      assert.ok(
        findings.some((finding) => finding.startsWith(promise) && words.test(finding)),
        `no finding of ${promise} about ${words}, but:\n${findings.join('\n') || 'none at all'}`,
      );
    });
  }
});
