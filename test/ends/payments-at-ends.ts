// What an end does to a payment: one table, of every way to end or halt a subject against every state of its payment.
// The tests in test/ends go through its cells, and tools/ends.mjs writes it into the guide for billers. A cell that is
// missing is a type error.
import type { PlanTransition } from '../../src/domain/plan-state.ts';
import type { SubscriptionRequest } from '../../src/domain/subscriptions/requests.ts';

/** What a payment is for. A payment of a link is made in a session. */
export const subjectKinds = {
  plan: 'A plan',
  subscription: 'A subscription',
  scheduled: 'A scheduled payment',
  link: 'A payment link and its sessions',
} as const;
export type SubjectKind = keyof typeof subjectKinds;

/** The state in which an end finds a payment. */
export const paymentStates = {
  scheduled: 'not begun',
  accepted: 'a debit that the bank does not have yet',
  handedOver: 'a debit that the bank has',
  challenge: 'a challenge is open',
  retryPlanned: 'failed, a retry is planned',
  failed: 'failed, no retry; a payer has its `client_secret`',
  charged: 'the processor is being asked',
  refunded: 'refunded',
  returned: 'taken back by the bank',
} as const;
export type PaymentState = keyof typeof paymentStates;

type CommonEnd = 'detach' | 'mandate' | 'deletion';
/** What ends nothing is excluded here, so anything new that can be asked is in the table until then. */
type PlanEnd = Exclude<PlanTransition, 'activate' | 'resume'>;
type SubscriptionEnd =
  | Exclude<SubscriptionRequest['name'], 'start' | 'resume' | 'uncancel' | 'retry_now' | 'cancel'>
  | 'cancelAtEnd'
  | 'cancelNow';

interface Words {
  plan: Record<PlanEnd | CommonEnd, string>;
  subscription: Record<SubscriptionEnd | CommonEnd, string>;
  scheduled: Record<'cancel' | CommonEnd, string>;
  link: Record<'deactivate' | 'linkExpiry' | 'sessionExpiry' | CommonEnd, string>;
}

const commonEnds = {
  detach: 'the method is detached',
  mandate: 'the mandate is canceled or lapses',
  deletion: 'the customer is deleted',
} as const;

/** The ways to end or halt each kind of subject, or what it is charged with. */
export const endsOf = {
  plan: { suspend: '`suspend`', deactivate: '`deactivate`', close: '`close`', ...commonEnds },
  subscription: {
    pause: '`pause`',
    cancelAtEnd: '`cancel` at the end of the period',
    cancelNow: '`cancel` now',
    ...commonEnds,
  },
  scheduled: { cancel: '`cancel`', ...commonEnds },
  link: {
    deactivate: '`deactivate`',
    linkExpiry: 'the link expires',
    sessionExpiry: 'the session expires',
    ...commonEnds,
  },
} as const satisfies Words;
export type EndOf<K extends SubjectKind> = Extract<keyof (typeof endsOf)[K], string>;

/** What an end does to a payment. No attempt that the service begins after the end succeeds. */
export const fates = {
  'not made': 'No attempt is made, by the service or by a payer.',
  canceled:
    'It is `canceled` at once. The bank never gets its debit, its challenge cannot be passed, and it is not retried.',
  waits:
    'It is not canceled, but it is not tried and cannot be confirmed until the plan is resumed. Then it is tried ' +
    'again. A debit that waits for the bank is withdrawn, and an open challenge fails.',
  'to the end':
    'It is not retried automatically. It can be confirmed until the period ends, and then it is `canceled`.',
  fails:
    'It fails, now or when it is tried next, with `payment_method_unavailable` or `mandate_unavailable`. If it has ' +
    'failed already, it stays so. It can be confirmed with another method; the first payment of a subscription cannot, ' +
    'but the subscription can be started again. Later ones can until their period ends.',
  'never paid': 'It stays or becomes `failed`, and can no longer be confirmed. A challenge cannot be passed.',
  'goes on': 'What was begun before continues, and its outcome is recorded.',
  stays: 'It stays as it is. What the payer has back is not taken again.',
} as const;
export type Fate = keyof typeof fates;

/**
 * A cell of the table. `refused`: the request is a 422 `invalid_state`, and the payment goes on as if it had not been
 * made. `cannot`: this end never finds a payment in this state. Both say why.
 */
export type Cell = Fate | { refused: string } | { cannot: string };

type Row = Record<PaymentState, Cell>;

/** What the bank or the processor has, and what the payer has back, is the same at every end. */
const begun = { handedOver: 'goes on', charged: 'goes on', refunded: 'stays', returned: 'stays' } as const;

const stopped: Row = {
  ...begun,
  scheduled: 'not made',
  accepted: 'canceled',
  challenge: 'canceled',
  retryPlanned: 'canceled',
  failed: 'canceled',
};

const suspended = {
  refused: 'The plan is already suspended, because the payment has failed for good. `close` cancels the payment.',
};

const detached: Row = {
  ...begun,
  scheduled: 'fails',
  accepted: 'fails',
  challenge: 'goes on',
  retryPlanned: 'fails',
  failed: 'fails',
  returned: 'fails',
};

/** A debit is with the bank from the moment in which the processor is asked. */
const withoutMandate = {
  challenge: { cannot: 'A debit under a mandate has no challenge.' },
  charged: { cannot: 'A debit counts as handed over before the processor is asked.' },
} as const;

const pastDue = { refused: 'The subscription is past due, or paused because its payment has failed.' };

const single = { retryPlanned: { cannot: 'Nothing retries a single payment.' } } as const;

const uncancelable = {
  handedOver: { refused: 'The bank has the debit.' },
  charged: { refused: 'The payment is being charged.' },
  refunded: { refused: 'The payment was made.' },
  returned: { refused: 'The payment was made.' },
} as const;

const unpayable = { accepted: 'never paid', challenge: 'never paid', failed: 'never paid' } as const;

/** What was begun in time counts. */
const closed: Row = { ...begun, ...single, ...unpayable, scheduled: 'not made', accepted: 'goes on' };

const completed = { cannot: 'A session that is paid is completed, and never expires.' };

const notChosen = { scheduled: { cannot: 'The payer has not chosen a method yet.' } } as const;

/** What an end does to a payment, by kind of subject, end and state. */
export const paymentsAtEnds: { [K in SubjectKind]: Record<EndOf<K>, Row> } = {
  plan: {
    suspend: {
      ...begun,
      scheduled: 'not made',
      accepted: 'waits',
      challenge: 'waits',
      retryPlanned: 'waits',
      failed: suspended,
      returned: 'waits',
    },
    deactivate: { ...stopped, failed: suspended },
    close: stopped,
    detach: detached,
    mandate: { ...detached, ...withoutMandate },
    deletion: stopped,
  },
  subscription: {
    pause: {
      ...begun,
      scheduled: 'not made',
      accepted: 'goes on',
      challenge: pastDue,
      retryPlanned: pastDue,
      failed: pastDue,
      returned: pastDue,
    },
    cancelAtEnd: {
      ...stopped,
      accepted: 'goes on',
      challenge: 'goes on',
      retryPlanned: 'to the end',
    },
    cancelNow: stopped,
    detach: detached,
    mandate: { ...detached, ...withoutMandate },
    deletion: stopped,
  },
  scheduled: {
    cancel: { ...stopped, ...single, ...uncancelable, scheduled: 'canceled' },
    detach: { ...detached, ...single, returned: 'stays' },
    mandate: { ...detached, ...single, ...withoutMandate, returned: 'stays' },
    deletion: { ...begun, ...single, ...unpayable, scheduled: 'canceled' },
  },
  link: {
    deactivate: { ...closed, challenge: 'goes on' },
    linkExpiry: closed,
    sessionExpiry: { ...closed, refunded: completed, returned: completed },
    detach: { ...detached, ...single, ...notChosen, returned: 'stays' },
    mandate: { ...detached, ...single, ...notChosen, ...withoutMandate, returned: 'stays' },
    deletion: { ...closed, ...unpayable },
  },
};
