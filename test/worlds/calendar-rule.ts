import { dateOfCount, startOf as midnightIn } from '../../lab/model/calendar.ts';
import { customerName, subjectName } from './build.ts';
import type { Body } from './place.ts';
import { wrongPeriods } from './subscription-calendar.ts';
import type { Fault, Happening, Telling } from './telling.ts';
import { endOf, iso, startOf, type World } from './world.ts';

/** Payments that the calendar does not give, or that it gives and that were not made. */
export function calendarFaults(world: World, telling: Telling): Fault[] {
  const { way, resources, happenings } = telling;
  const faults: Fault[] = [];
  const report = (...words: string[]) => {
    faults.push({ rule: 'what is paid is what the calendar gives', words: [way, ...words] });
  };
  for (const [customer, { subjects }] of world.customers.entries()) {
    for (const [index, { kind, terms }] of subjects.entries()) {
      const name = subjectName(world, customer + 1, index + 1);
      const shown = resources[name];
      const data = (part: string): Body[] => resources[`${name} ${part}`]?.data?.toReversed() ?? [];
      if (shown?.state === undefined) continue; // it was refused, or deleted with its customer
      const own = happenings.filter(({ subject }) => subject === name || subject.startsWith(`${name}/`));
      if (kind === 'plan') checkPlan({ world, telling, name, shown, own, report }, data('payments'));
      if (kind !== 'subscription') continue;
      const { time_zone: timeZone } = world;
      const course = { name, terms, timeZone, end: endOf(world), shown, periods: data('periods'), happenings: own };
      for (const words of wrongPeriods(course)) report(words);
    }
  }
  return faults;
}

interface Checked {
  world: World;
  telling: Telling;
  name: string;
  /** As the API shows it at the end. */
  shown: Body;
  /** Its events and those of its payments. */
  own: Happening[];
  report: (...words: string[]) => void;
}

function checkPlan(checked: Checked, payments: Body[]): void {
  const { world, name, shown, report } = checked;
  const { frequency_type: every, frequency_period: period, start_date: start, first_date: first } = shown;
  const dueOf = (slot: number) => (slot === 0 && first !== null ? first : dateOfCount(start, every, period, slot));
  const spans = activeSpans(checked);
  const begin = spans[0]?.from ?? startOf(world);
  const isActiveAt = (at: number) => spans.some(({ from, to }) => from <= at && at < to);
  /** Where it was suspended or resumed at that very instant, either may come first. */
  const isOpen = (at: number) => spans.some(({ from, to }) => (from === at && from !== begin) || to === at);
  for (const { slot, due_date: due, status, attempts } of payments) {
    if (due !== dueOf(slot)) report(`${name}: slot ${slot} is due on ${due}, and the calendar says ${dueOf(slot)}`);
    const midnight = midnightIn(due, world.time_zone);
    for (const { at } of attempts) {
      if (Date.parse(at) < midnight) report(`${name}: slot ${slot}, due on ${due}, was charged at ${at}`);
    }
    const begins = slot === 0 ? Math.max(midnight, begin) : midnight;
    if (isOpen(begins) || mayBeHealed(checked)) continue;
    const at = attempts[0]?.at ?? null;
    if (!isActiveAt(begins)) {
      if (at !== null) report(`${name}: slot ${slot} was charged at ${at}, and the plan was not active on ${due}`);
    } else if (status === 'skipped') {
      // While unpaid slots commit all of a total, no slot falls due. A resume then records those that passed.
      if (shown.until_further_notice)
        report(`${name}: slot ${slot}, due on ${due}, was skipped while the plan was active`);
    } else if (at !== null && at !== iso(begins))
      report(`${name}: slot ${slot} was first charged at ${at}, and not at ${iso(begins)}`);
    else if (at === null && !mayLackMethod(checked)) report(`${name}: slot ${slot}, due on ${due}, was never charged`);
  }
  const slots = payments.map(({ slot }) => slot);
  if (slots.some((slot, index) => slot !== index)) report(`${name}: has the slots ${slots.join()} and not the others`);
  const next = midnightIn(dueOf(slots.length), world.time_zone);
  const isOwed = shown.until_further_notice || (shown.state === 'active' && shown.next_payment_date !== null);
  if (isOwed && next <= endOf(world) && isActiveAt(next) && !isOpen(next) && !mayBeHealed(checked))
    report(`${name}: slot ${slots.length}, due on ${dueOf(slots.length)}, was never charged`);
}

interface Span {
  from: number;
  to: number;
}

/** When a plan was active: from its activation or a resume until an event that ends that. */
function activeSpans({ telling, name, own }: Checked): Span[] {
  const resumes = telling.answers.filter(({ what, answer }) => what === `resume ${name}` && answer.status === 200);
  const ends = ['payment_plan.suspended', 'payment_plan.deactivated', 'payment_plan.closed'];
  const turns = [
    ...own.filter(({ type }) => type === 'payment_plan.activated').map(({ at }) => ({ at, isActive: true })),
    ...resumes.map(({ at }) => ({ at, isActive: true })),
    ...own.filter(({ type }) => ends.includes(type)).map(({ at }) => ({ at, isActive: false })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const spans: Span[] = [];
  while (turns.length > 0) {
    const isActive = spans.at(-1)?.to === Number.POSITIVE_INFINITY;
    // Of those at one instant, the one comes first that changes the state.
    const index = turns.findIndex((turn) => turn.at === turns[0]?.at && turn.isActive !== isActive);
    const [turn] = turns.splice(Math.max(index, 0), 1);
    const at = Date.parse(turn?.at ?? '');
    if (turn?.isActive) spans.push({ from: at, to: Number.POSITIVE_INFINITY });
    else spans.splice(-1, 1, ...spans.slice(-1).map(({ from, to }) => ({ from, to: Math.min(to, at) })));
  }
  return spans;
}

/** Whether a link or a session may resume it, of which no event tells. */
function mayBeHealed({ world, name }: Checked): boolean {
  const [customer, subject] = (name.match(/\d+/g) ?? []).map(Number);
  return world.customers[(customer ?? 0) - 1]?.subjects.some(({ terms }) => terms.apply_to === subject) === true;
}

/** Whether something was done to its customer: the methods may be gone. */
function mayLackMethod({ world, name }: Checked): boolean {
  return world.actions.some(
    ({ customer, subject }) => subject === undefined && name.startsWith(customerName(customer)),
  );
}
