// A capped plan by bank debit over Easter and Anzac Day 2028. The dates are worked out by hand, from the calendar of
// the Reserve Bank of Australia; nothing is shared with the service.
import type { PlanPayment, WebhookEvent } from '@payments-service/client';
import { payLink } from '../clients/typescript/src/cli/payer.ts';
import { becomesTrue } from '../lab/eventually.ts';
import { makeDebtor, makePlan } from '../lab/payer.ts';
import { closeMonth } from './month.ts';
import { arrivalTimeoutMs, arrivalTimes, type Scene } from './scene.ts';
import { chapter, minute, money, say, table, timeline } from './timeline.ts';

/** Thursday, 30 March 2028, 11:00 in Sydney. */
const frozenTime = '2028-03-30T00:00:00.000Z';
/** Five Fridays, one of them Good Friday; the last payment is cut to 20.00. */
const terms = { start_date: '2028-03-31', recurring_amount_cents: 5000, total_amount_cents: 22_000 };
const missing = 2000;

/** Time, event, and the payment's number; 0 for the plan itself. */
type Happening = [at: string, type: string, payment: number];

/** One advance of the clock, and what must happen in it. */
interface Step {
  title: string;
  to: string;
  happenings: Happening[];
  /** Payments that were attempted. The result of a debit is no attempt. */
  attempted: number;
  /** What the bank is then made to say about the last payment so far, and what follows at once. */
  report?: { result: 'dishonoured' | 'returned'; happening: Happening };
}

const steps: Step[] = [
  {
    title: 'The first debit: made on Friday, settled on Tuesday at 09:00 in Sydney',
    to: '2028-04-06T00:00:00.000Z',
    happenings: [
      ['2028-03-31 00:00', 'payment_intent.processing', 1],
      ['2028-04-03 23:00', 'payment_intent.succeeded', 1],
    ],
    attempted: 1,
  },
  {
    title: 'The second one is dishonoured on Tuesday',
    to: '2028-04-10T22:00:00.000Z',
    happenings: [['2028-04-07 00:00', 'payment_intent.processing', 2]],
    attempted: 1,
    report: { result: 'dishonoured', happening: ['2028-04-10 22:00', 'payment_intent.failed', 2] },
  },
  {
    title: 'It is debited again on Wednesday, the business day after the result',
    to: '2028-04-13T00:00:00.000Z',
    happenings: [['2028-04-11 23:00', 'payment_intent.processing', 2]],
    attempted: 1,
  },
  {
    title: 'Over Easter and Anzac Day: banks are closed on 14, 17 and 25 April',
    to: '2028-04-27T00:00:00.000Z',
    happenings: [
      ['2028-04-14 00:00', 'payment_intent.processing', 3],
      ['2028-04-17 23:00', 'payment_intent.succeeded', 2],
      ['2028-04-19 23:00', 'payment_intent.succeeded', 3],
      ['2028-04-21 00:00', 'payment_intent.processing', 4],
      ['2028-04-25 23:00', 'payment_intent.succeeded', 4],
    ],
    attempted: 2,
  },
  {
    title: 'The last one closes the plan, and comes back three business days later',
    to: '2028-05-04T23:00:00.000Z',
    happenings: [
      ['2028-04-28 00:00', 'payment_intent.processing', 5],
      ['2028-05-01 23:00', 'payment_intent.succeeded', 5],
      ['2028-05-01 23:00', 'payment_plan.closed', 0],
    ],
    attempted: 1,
    report: { result: 'returned', happening: ['2028-05-04 23:00', 'payment_intent.returned', 5] },
  },
];

/** The six debits: due, charged, result, what follows, and the bank's code. */
const debits = [
  ['2028-03-31', '2028-03-31', '2028-04-03 23:00', 'succeeded', null],
  ['2028-04-07', '2028-04-07', '2028-04-10 23:00', 'failed', '6'],
  ['2028-04-07', '2028-04-12', '2028-04-17 23:00', 'succeeded', null],
  ['2028-04-14', '2028-04-18', '2028-04-19 23:00', 'succeeded', null],
  ['2028-04-21', '2028-04-21', '2028-04-25 23:00', 'succeeded', null],
  ['2028-04-28', '2028-04-28', '2028-05-01 23:00', 'returned', '6'],
];

/** Takes a plan of debits through a dishonour and a late return. Each step is shown, and compared with the dates. */
export async function runDebits(scene: Scene): Promise<void> {
  const { payments, checks } = scene;
  chapter('A plan by bank debit: AUD 50.00 a week up to 220.00 in all, over Easter and Anzac Day');
  say('Bank debits settle business days later. Times are UTC: 09:00 in Sydney is 23:00 of the day before.');
  const { id: clockId } = await payments.testClocks.create({ frozen_time: frozenTime, name: 'npm run demo, debits' });
  scene.debitClockId = clockId;
  const { customerId } = await makeDebtor(payments, { name: 'Dora Debited', test_clock: clockId });
  const { id: planId } = await makePlan(payments, { customer_id: customerId, name: 'debits', ...terms });
  await payments.paymentPlans.activate(planId);
  const expected: string[] = [`${minute(frozenTime)} payment_plan.activated`];
  let slots: PlanPayment[] = [];
  for (const { title, to, happenings, attempted, report } of steps) {
    chapter(title);
    const { last_advance: advance } = await payments.testClocks.advanceAndWait(clockId, { frozen_time: to });
    const manifest = advance?.effects_manifest;
    expected.push(...happenings.map(lineOf));
    checks.equal(`debits, payments attempted up to ${to}`, manifest?.payment_intents_enqueued, attempted);
    checks.equal(`debits, plans recalculated up to ${to}`, manifest?.plans_recalculated, 1);
    slots = await checkEvents(scene, clockId, planId, expected);
    if (report === undefined) continue;
    const last = slots.reduce((a, b) => (a.slot > b.slot ? a : b));
    await payments.paymentIntents.reportBankResult(last.payment_intent_id ?? '', { result: report.result });
    expected.push(lineOf(report.happening));
    slots = await checkEvents(scene, clockId, planId, expected);
  }
  showDebits(scene, slots);
  await collectShortfall(scene, customerId, planId);
  await closeMonth(scene, { clockId, customerId });
}

function lineOf([at, type, payment]: Happening): string {
  return [at, type, ...(payment === 0 ? [] : [payment])].join(' ');
}

/**
 * Waits for the webhooks about payments and the plan, compares them with what must have happened so far, and shows
 * those that are new. Returns the plan's payments.
 */
async function checkEvents(scene: Scene, clockId: string, planId: string, expected: string[]): Promise<PlanPayment[]> {
  const { payments, checks, receiver, signal, arrivedAfterMs } = scene;
  const told = () => {
    const own = receiver.arrivals
      .map(({ event }) => event)
      .filter(({ test_clock: clock, event_type: type }) => clock === clockId && type.startsWith('payment_'));
    return [...new Map(own.map((event) => [event.id, event])).values()].sort((a, b) => a.sequence - b.sequence);
  };
  await becomesTrue(() => told().length >= expected.length, { timeoutMs: arrivalTimeoutMs, everyMs: 5, signal });
  const slots = await payments.paymentPlans.listPayments(planId).toArray();
  const got = told().map((event) => {
    const slot = slots.find(({ payment_intent_id: id }) => id === event.data.id)?.slot;
    return lineOf([minute(event.created_at), event.event_type, slot === undefined ? 0 : slot + 1]);
  });
  checks.equal('debits, events', got, expected);
  const times = await arrivalTimes(scene);
  const news = told().filter(({ id }) => !arrivedAfterMs.has(id));
  for (const { id } of news) arrivedAfterMs.set(id, times.get(id) ?? null);
  timeline(
    news.map((event) => ({ event, plan: 'debits', attempt: attemptOf(event), ms: times.get(event.id) ?? null })),
  );
  return slots;
}

function attemptOf({ data }: WebhookEvent): number | null {
  return 'attempt' in data && typeof data.attempt === 'number' ? data.attempt : null;
}

function showDebits({ checks }: Scene, slots: PlanPayment[]): void {
  const rows = slots
    .toSorted((a, b) => a.slot - b.slot)
    .flatMap(({ due_date: due, attempts }) =>
      attempts.map(({ outcome, bank_debit: debit }) => [
        due,
        debit?.charge_date ?? '',
        debit === null || debit === undefined ? '' : minute(debit.expected_result_at),
        outcome,
        debit?.bank_code ?? null,
      ]),
    );
  checks.equal('debits, each with its days', rows, debits);
  const titles = [
    { title: 'due', width: 10 },
    { title: 'charged', width: 10 },
    { title: 'result', width: 16 },
    { title: 'outcome', width: 9 },
    { title: 'bank code', width: 9 },
  ];
  table(
    titles,
    rows.map((row) => row.map((cell) => cell ?? '')),
  );
}

/** The payer pays what is missing behind a payment link, on its page. */
async function collectShortfall({ payments, checks }: Scene, customerId: string, planId: string): Promise<void> {
  const plan = await payments.paymentPlans.get(planId);
  checks.members('debits, plan', plan, {
    state: 'closed',
    state_reason: 'payment_returned',
    collected_amount_cents: 20_000,
    shortfall_amount_cents: missing,
  });
  chapter(`The plan is closed with a shortfall of ${money(plan.shortfall_amount_cents ?? 0)}: the payer gets a link`);
  const { id, url } = await payments.paymentLinks.create({
    ...{ name: 'What is missing', amount: missing, currency: 'AUD', customer_id: customerId },
  });
  await payLink(url ?? '');
  const paid = await payments.paymentLinks.get(id);
  checks.members('debits, shortfall', paid, { status: 'completed', collected_amount: missing });
  say('Paid by card on the page of the link; the plan stays as it is.');
}
