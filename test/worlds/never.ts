import { lineOf } from './compare.ts';
import type { Fault, Happening, Telling } from './telling.ts';

/** What is wrong with a telling on its own, whatever the others are. */
export function faultsOf(telling: Telling): Fault[] {
  return [...telling.faults, ...backwards(telling), ...lostPauses(telling), ...unpaidService(telling)];
}

/** No event of an object, or of a customer, comes after one with a later instant. */
function backwards({ way, happenings }: Telling): Fault[] {
  const latest = new Map<string, Happening>();
  for (const happening of happenings) {
    for (const key of [happening.subject, happening.customer]) {
      const before = latest.get(key);
      if (before !== undefined && before.at > happening.at) {
        const words = [`${way}, ${key}:`, `  first ${lineOf(before)}`, `  then ${lineOf(happening)}`];
        return [{ rule: 'time never runs back', words }];
      }
      latest.set(key, happening);
    }
  }
  return [];
}

/** A pause that is still to come when a cancel is taken back is as it was before the cancel. */
function lostPauses({ way, happenings }: Telling): Fault[] {
  const last = new Map<string, Happening>();
  const paused = new Map<string, { pauses_at: string; resumes_at: string | null }>();
  for (const happening of happenings.filter(({ type }) => type.startsWith('subscription.'))) {
    const { subject, type, at, data } = happening;
    const before = last.get(subject)?.data;
    last.set(subject, happening);
    // What is asked of the pause between the two is no part of the cancel.
    if (/\.(pause_scheduled|pause_removed|paused|resumed)$/.test(type)) paused.delete(subject);
    if (type === 'subscription.cancel_scheduled') {
      if (before?.pauses_at == null) paused.delete(subject);
      else paused.set(subject, before);
    }
    const pause = type === 'subscription.cancel_removed' ? paused.get(subject) : undefined;
    if (pause === undefined || pause.pauses_at <= at.slice(0, 10)) continue;
    if (data.pauses_at === pause.pauses_at && data.resumes_at === pause.resumes_at) continue;
    const told = (one: { pauses_at: string | null; resumes_at: string | null }) =>
      `pauses_at ${one.pauses_at}, resumes_at ${one.resumes_at}`;
    const words = [`${way}, ${lineOf(happening)}: ${told(data)}; before the cancel ${told(pause)}`];
    return [{ rule: 'an uncancel gives back what was planned', words }];
  }
  return [];
}

/** No event and no response says that a subscription is in effect for time that is over, or by an open challenge. */
function unpaidService({ way, happenings, answers }: Telling): Fault[] {
  const told = happenings
    .filter(({ type }) => type.startsWith('subscription.'))
    .map((happening) => ({ at: happening.at, data: happening.data, words: lineOf(happening) }));
  const returned = answers
    .map(({ at, what, answer }) => ({ at, data: answer?.body?.subscription ?? answer?.body, words: String(what) }))
    .filter(({ at, data }) => at !== undefined && data?.in_effect !== undefined);
  for (const { at, data, words } of [...told, ...returned]) {
    const { in_effect: isServed, in_effect_until: until, current_period: period } = data;
    const isOver = isServed && until !== null && until <= at;
    const isBegun = words.includes('in_effect_changed') && isServed && until === null;
    const hasDebit = data.state === 'active' && period?.status === 'processing';
    if (!isOver && (!isBegun || hasDebit)) continue;
    const said = `${data.state}, in effect until ${until}, its period ${JSON.stringify(period)}`;
    return [
      { rule: 'nothing is in effect that is neither paid nor granted', words: [`${way}, ${at} ${words}: ${said}`] },
    ];
  }
  return [];
}
