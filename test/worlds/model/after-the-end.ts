import type { Happening } from '../telling.ts';
import { iso } from '../world.ts';
import { eventsOf, type Payment, type Story, type Taking, takingsOf } from './story.ts';

/** After this, something takes no money, until it goes on. */
interface End {
  what: string;
  stops: (payment: Payment, taking: Taking) => boolean;
  at: number;
  sequence: number;
  /** The last event before it goes on. */
  until: number;
}

/**
 * Money that was taken by a charge that began after an end or a halt. What the bank already had at that instant is
 * none. Returns a sentence for each.
 */
export function takenAfterTheEnd(story: Story): string[] {
  const ends = endsOf(story);
  return story.payments.flatMap((payment) =>
    takingsOf(story, payment).flatMap((taking) => {
      const end = ends.find((one) => one.stops(payment, taking) && isAfter(taking, one));
      if (end === undefined) return [];
      return [
        `${payment.name}: ${payment.total} taken at ${iso(taking.at)}, begun at ${iso(taking.beganAt)} by ` +
          `${taking.attempt?.source ?? 'nothing'}, after ${iso(end.at)} ${end.what}`,
      ];
    }),
  );
}

function isAfter({ beganAt, acceptedIn, sequence }: Taking, end: End): boolean {
  return sequence <= end.until && (acceptedIn > end.sequence || beganAt > end.at);
}

const isOf = (subject: string) => (payment: Payment) => payment.subject === subject;

function endsOf(story: Story): End[] {
  const ends: End[] = [];
  const endsBy = (event: Happening, stops: End['stops'], until: number | undefined) => {
    const { type, subject, at, sequence } = event;
    ends.push({ what: `${type} of ${subject}`, stops, at: Date.parse(at), sequence, until: until ?? Infinity });
  };
  for (const event of eventsOf(story, 'subscription.canceled', 'payment_plan.closed', 'payment_plan.deactivated')) {
    endsBy(event, isOf(event.subject), undefined);
  }
  for (const event of eventsOf(story, 'payment_intent.canceled')) {
    endsBy(event, ({ name }) => name === event.subject, undefined);
  }
  for (const event of eventsOf(story, 'payment_plan.suspended', 'subscription.paused')) {
    const wasAsked = event.data.state_reason === 'requested';
    // What was due before a pause is still paid.
    if (wasAsked && event.type === 'subscription.paused') continue;
    // After a failure a payer may still pay the failed payment.
    const stops: End['stops'] = (payment, { attempt }) =>
      payment.subject === event.subject && (wasAsked || attempt?.source !== 'confirm');
    endsBy(event, stops, goesOn(story, event, wasAsked));
  }
  for (const event of eventsOf(story, 'payment_link.deactivated', 'payment_link.expired')) {
    // What a payer has begun in time is still taken: also a debit that the bank did not have yet, and a challenge,
    // which only the link's own time ends.
    const staysOpen = (sequence: number | null) =>
      event.type === 'payment_link.deactivated' && sequence !== null && sequence < event.sequence;
    const stops: End['stops'] = (payment, { acceptedIn, challengedIn }) =>
      payment.subject === event.subject && acceptedIn > event.sequence && !staysOpen(challengedIn);
    endsBy(
      event,
      stops,
      nextOf(story, event, ({ type }) => type === 'payment_link.renewed'),
    );
  }
  for (const event of eventsOf(story, 'checkout_session.expired')) endsBy(event, isOf(event.subject), undefined);
  for (const event of eventsOf(story, 'subscription.cancel_scheduled')) {
    // With the end of a later period, everything continues until then.
    if (event.data.ends_at > (event.data.current_period?.end ?? '')) continue;
    // The period that has begun is paid. What has failed is not retried.
    const stops: End['stops'] = ({ subject }, { attempt }) =>
      subject === event.subject && attempt?.source === 'subscription' && attempt.number > 1;
    endsBy(
      event,
      stops,
      nextOf(story, event, ({ type }) => /\.(cancel_removed|cancel_scheduled)$/.test(type)),
    );
  }
  for (const event of eventsOf(story, 'mandate.canceled', 'mandate.failed', 'mandate.expired')) {
    endsBy(event, (_, { attempt }) => attempt?.mandate === event.subject, undefined);
  }
  return [...ends, ...endsByDeeds(story)];
}

/** What no event tells of: a customer was deleted, a method detached. */
function endsByDeeds({ deeds }: Story): End[] {
  return deeds.flatMap(({ do: done, of, at, sequence, body }) => {
    const method = body?.payment_method?.id;
    const stops: Record<string, End['stops']> = {
      delete: ({ customer }) => customer === of,
      'detach card': (_, { attempt }) => attempt?.method === method,
      'detach account': (_, { attempt }) => attempt?.method === method,
    };
    const stop = stops[done];
    return stop === undefined ? [] : [{ what: `${done} of ${of}`, stops: stop, at, sequence, until: Infinity }];
  });
}

function nextOf({ happenings }: Story, end: Happening, goesOnBy: (event: Happening) => boolean): number | undefined {
  return happenings.find((event) => event.subject === end.subject && event.sequence > end.sequence && goesOnBy(event))
    ?.sequence;
}

/**
 * A plan or subscription goes on when it is resumed, of which a plan has no event, or tried again. After a failure also
 * when a payer gives it a new method.
 */
function goesOn({ deeds, happenings }: Story, halt: Happening, wasAsked: boolean): number | undefined {
  const { subject, customer, sequence } = halt;
  const asked = deeds.filter((deed) => deed.of === subject && ['resume', 'retry_now'].includes(deed.do));
  const told = happenings.filter(
    (event) =>
      (event.subject === subject && ['subscription.resumed', 'subscription.recovered'].includes(event.type)) ||
      (!wasAsked && event.customer === customer && event.type === 'checkout_session.completed'),
  );
  const times = [
    ...asked.flatMap((deed) => (deed.sequence >= sequence ? [deed.sequence] : [])),
    ...told.flatMap((event) => (event.sequence > sequence ? [event.sequence] : [])),
  ];
  return times.sort((one, other) => one - other)[0];
}
