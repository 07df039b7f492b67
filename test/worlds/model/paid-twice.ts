import { startOf } from '../../../lab/model/calendar.ts';
import { iso } from '../world.ts';
import { type Payment, type Story, takingsOf } from './story.ts';

/**
 * Money that was taken a second time: for one payment, one slot of a plan or one day of a subscription. Also money for
 * nothing: for no period, or, by a challenge, for one that is over. Returns a sentence for each.
 */
export function paidTwice(story: Story): string[] {
  const isPaid = ({ status }: Payment) => status === 'succeeded';
  const paid = story.payments.filter(isPaid);
  return [...twiceForOnePayment(story), ...twiceForOneSlot(paid), ...twiceForOneDay(story), ...forNothing(story)];
}

function twiceForOnePayment(story: Story): string[] {
  return story.payments.flatMap(({ name }) => {
    let held = 0;
    return story.happenings.flatMap(({ subject, type, at }) => {
      if (subject !== name) return [];
      if (type === 'payment_intent.returned') held -= 1;
      if (type !== 'payment_intent.succeeded') return [];
      held += 1;
      return held > 1 ? [`${name}: taken again at ${at}`] : [];
    });
  });
}

function twiceForOneSlot(paid: Payment[]): string[] {
  const first = new Map<string, string>();
  return paid.flatMap(({ name, subject, slot }) => {
    if (slot === null) return [];
    const key = `slot ${slot} of ${subject}`;
    const other = first.get(key);
    first.set(key, name);
    return other === undefined ? [] : [`${key}: paid by ${other} and by ${name}`];
  });
}

function twiceForOneDay({ payments, periods }: Story): string[] {
  const paid = new Set(payments.filter(({ status }) => status === 'succeeded').map(({ name }) => name));
  return Object.entries(periods).flatMap(([subscription, all]) => {
    const own = all
      .filter(({ payment }) => payment !== null && paid.has(payment))
      .sort((a, b) => (a.start < b.start ? -1 : 1));
    return own.flatMap(({ start, payment }, index) => {
      const before = own.slice(0, index).find(({ end }) => end > start);
      return before === undefined ? [] : [`${subscription}: ${start} is paid by ${before.payment} and by ${payment}`];
    });
  });
}

function forNothing(story: Story): string[] {
  return Object.keys(story.periods).flatMap((subscription) => {
    const own = story.payments.filter(({ subject }) => subject === subscription);
    return own.flatMap((payment) =>
      takingsOf(story, payment).flatMap(({ at, challengedAt }) => {
        const period = story.periods[subscription]?.find((one) => one.payment === payment.name);
        const isChange = story.changes[subscription]?.some((one) => one.payment === payment.name);
        if (period === undefined) return isChange ? [] : [`${payment.name}: ${payment.total} taken for no period`];
        // What is owed for days that are over can be paid late, also by a challenge that begins then.
        const endsAt = startOf(period.end, story.timeZone);
        if (challengedAt === null || challengedAt >= endsAt || at < endsAt) return [];
        return [`${payment.name}: a challenge was passed at ${iso(at)} for the days until ${period.end}`];
      }),
    );
  });
}
