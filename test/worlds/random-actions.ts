import type { Chance } from '../../lab/random.ts';
import { items } from './random-subjects.ts';
import { dateAfter, type Setting } from './random-world.ts';
import { type Action, hour, iso, type Subject, type SubjectKind, type Terms, type WorldCustomer } from './world.ts';

/** What is done, and the weight of it. `name` tells two choices of one kind apart. */
interface Choice {
  do: string;
  name?: string;
  weight: number;
  body?: (chance: Chance, setting: Setting, at: number) => Terms;
}

/** A card that takes money, one that asks for a challenge, one that is declined; or a method of the customer. */
const payerMethods = [
  'tok_sandbox_visa_succeed',
  'tok_sandbox_visa_3ds_required',
  'tok_sandbox_visa_3ds_required',
  'tok_sandbox_visa_decline_insufficient_funds',
  'card',
  'account',
];

const payments: Choice[] = [
  { do: 'payer confirms', weight: 3, body: (chance) => ({ method: chance.pick(payerMethods) }) },
  { do: 'refund', weight: 2, body: () => ({}) },
  { do: 'confirm', weight: 2, body: (chance) => ({ payment_method: chance.pick(['card', 'account']) }) },
  { do: 'cancel payment', weight: 1 },
  { do: 'pass challenge', weight: 1 },
  { do: 'fail challenge', weight: 0.5 },
  { do: 'settled', weight: 0.7 },
  { do: 'dishonoured', weight: 0.7 },
  { do: 'returned', weight: 0.7 },
  { do: 'disputed', weight: 0.4 },
  { do: 'dispute won', weight: 0.3 },
  { do: 'dispute lost', weight: 0.7 },
];
const replacement: Choice = {
  do: 'update',
  weight: 1.5,
  body: (chance) => ({ payment_instrument_id: chance.pick(['card', 'account']) }),
};

const paid: Choice = { do: 'pay', weight: 9, body: (chance) => ({ method: chance.pick(['card', 'card', 'account']) }) };

const choices: Record<SubjectKind, Choice[]> = {
  plan: [
    { do: 'suspend', weight: 3 },
    { do: 'resume', weight: 4 },
    { do: 'deactivate', weight: 0.7 },
    { do: 'close', weight: 0.7 },
    { do: 'update', weight: 1, body: (chance) => ({ recurring_amount_cents: chance.pick([1500, 2000, 5000]) }) },
    replacement,
    ...payments,
  ],
  subscription: [
    { do: 'pause', weight: 3, body: pause },
    { do: 'pause', name: 'pause later', weight: 1.5, body: () => ({ from: 'a later end' }) },
    { do: 'resume', weight: 3 },
    { do: 'cancel', weight: 3, body: () => ({}) },
    { do: 'cancel', name: 'cancel later', weight: 1.5, body: () => ({ at: 'a later end' }) },
    { do: 'cancel', name: 'cancel now', weight: 1.5, body: () => ({ at: 'now' }) },
    { do: 'uncancel', weight: 3 },
    { do: 'retry_now', weight: 2 },
    { do: 'change', weight: 2, body: (chance) => ({ items: items(chance) }) },
    {
      do: 'change',
      name: 'change now',
      weight: 3,
      body: (chance) => ({ items: items(chance), when: 'now', collect: chance.pick(['now', 'next_period']) }),
    },
    { do: 'refund_credit', weight: 1, body: () => ({}) },
    replacement,
    ...payments,
  ],
  scheduled: payments,
  link: [{ do: 'deactivate', weight: 1 }, paid, ...payments],
  session: [{ do: 'expire', weight: 1 }, paid, ...payments],
};

const ofCustomers: Choice[] = [
  { do: 'detach card', weight: 1 },
  { do: 'detach account', weight: 1 },
  { do: 'new card', weight: 2, body: (chance) => ({ token: `tok_sandbox_${chance.pick(['visa', 'amex'])}_succeed` }) },
  { do: 'new account', weight: 1 },
  { do: 'cancel mandate', weight: 0.7 },
  { do: 'payer cancels mandate', weight: 0.7 },
  { do: 'delete', weight: 0.4 },
];

/** A challenge that a payer opens and then passes, fails or leaves. */
const challenges = [['payer confirms', 'pass challenge'], ['payer confirms', 'fail challenge'], ['payer confirms']];

/** Some requests that mean something together. */
const courses: Partial<Record<SubjectKind, string[][]>> = {
  plan: [
    ['suspend', 'resume'],
    ['suspend', 'payer confirms', 'resume'],
    ['close', 'payer confirms'],
    ['dispute lost', 'suspend', 'resume'],
    ['delete', 'payer confirms'],
    ['payer confirms', 'close', 'pass challenge'],
    ['payer confirms', 'suspend', 'pass challenge', 'resume'],
    ...challenges,
  ],
  subscription: [
    ['pause', 'cancel', 'uncancel'],
    ['cancel', 'uncancel'],
    ['pause', 'resume'],
    ['cancel', 'uncancel', 'pause'],
    ['cancel later', 'cancel', 'uncancel'],
    ['pause later', 'cancel later', 'uncancel'],
    ['cancel', 'cancel later'],
    ['cancel now', 'payer confirms'],
    ['cancel', 'payer confirms'],
    ['payer confirms', 'cancel now', 'pass challenge'],
    ['cancel now', 'pass challenge'],
    ['change now', 'returned', 'refund_credit'],
    ['dispute lost', 'change now', 'refund_credit'],
    ['cancel now', 'settled', 'refund_credit'],
    ...challenges,
  ],
  scheduled: [['payer confirms', 'cancel payment', 'pass challenge'], ...challenges],
  link: [['pay', 'deactivate', 'pass challenge']],
  session: [['pay', 'expire', 'pass challenge']],
};

/** What biller and payers do, each at an instant of its own: when something is due, at a midnight, or at any time. */
export function actionsOf(chance: Chance, customers: WorldCustomer[], setting: Setting, isQuarrel: boolean): Action[] {
  const actions: Action[] = [];
  const count = isQuarrel ? chance.between(3, 8) : chance.pick([0, 0, 1, 2, 3, 4, 5]);
  while (actions.length < count) {
    const customer = chance.between(1, customers.length);
    const subjects = customers[customer - 1]?.subjects ?? [];
    const subject = chance.between(1, subjects.length);
    const chosen = subjects[subject - 1];
    const at =
      chosen !== undefined && chance.happens(isQuarrel ? 0.8 : 0.3)
        ? nearDue(chance, setting, chosen)
        : instant(chance, setting);
    if (chance.happens(0.15)) {
      actions.push(madeOf(chance, setting, chance.pickByWeight(ofCustomers), { at, customer }));
      continue;
    }
    const kind = chosen?.kind ?? 'plan';
    const course = chance.happens(isQuarrel ? 0.7 : 0.3) ? chance.pick(courses[kind] ?? [[]]) : [];
    if (course.length === 0) {
      actions.push(madeOf(chance, setting, chance.pickByWeight(choices[kind]), { at, customer, subject }));
    }
    let next = at;
    for (const name of course) {
      const choice = choices[kind].find((one) => (one.name ?? one.do) === name);
      const ofCustomer = ofCustomers.find((one) => one.do === name);
      if (choice !== undefined) actions.push(madeOf(chance, setting, choice, { at: next, customer, subject }));
      else if (ofCustomer !== undefined) actions.push(madeOf(chance, setting, ofCustomer, { at: next, customer }));
      next += chance.pick([0, 0.1, 1, 24, 72, 168]);
    }
  }
  return actions.sort((a, b) => a.at - b.at);
}

function madeOf(
  chance: Chance,
  setting: Setting,
  choice: Choice,
  where: { at: number; customer: number; subject?: number },
): Action {
  const { at, ...whose } = where;
  const body = choice.body?.(chance, setting, at);
  return { at, ...whose, do: choice.do, ...(body === undefined ? {} : { body }) };
}

/** Hours after the beginning. */
function instant(chance: Chance, { begin, days }: Setting): number {
  const whole = chance.between(0, days - 1) * 24;
  const toMidnight = 24 - new Date(begin).getUTCHours();
  if (chance.happens(0.4)) return whole + toMidnight;
  if (chance.happens(0.3)) return whole + toMidnight + chance.pick([4, 5, 6, 22, 23]);
  return Math.round((whole + chance.next() * 24) * 10) / 10;
}

/** Hours after the beginning, at one of the due dates of a subject or in the days of its retries. */
function nearDue(chance: Chance, { begin, days }: Setting, { terms }: Subject): number {
  const { start_date, scheduled_payment_date, frequency_type, frequency_period } = terms;
  const first = Date.parse(String(scheduled_payment_date ?? start_date ?? iso(begin)));
  const length = (frequency_type === 'weekly' ? 7 : 30) * Number(frequency_period ?? 1);
  const count = frequency_type === undefined ? 0 : chance.between(0, Math.floor(days / length));
  const due = (first - begin) / hour + count * length * 24;
  return Math.round(Math.max(0.1, due + chance.pick([6, 6, 20, 30, 57, 80, 110, 150])) * 10) / 10;
}

function pause(chance: Chance, { begin, zone }: Setting, at: number): Terms {
  return chance.happens(0.6) ? { resumes_at: dateAfter(begin, Math.floor(at / 24) + chance.between(3, 40), zone) } : {};
}
