// What a subscription is sold on, and what a biller or a payer asks between two advances.

export interface SubscriptionTerms {
  every: 'week' | 'month';
  /** Weeks or months in a period. */
  period: number;
  trialDays: number;
  behaviour: 'retry' | 'stop';
  unpaid: 'pause' | 'cancel';
  graceDays: number;
  /**
   * Whether each attempt of each paid period succeeds; the last of a list repeats, and so does the last list. Null: the
   * card that is used decides.
   */
  outcomes: boolean[][] | null;
}

/** Returns these terms as the API takes them. */
export function termsOf(terms: SubscriptionTerms) {
  const lists = terms.outcomes?.map((list) => list.map((isPaid) => (isPaid ? 'succeed' : 'decline')).join(','));
  return {
    frequency_type: terms.every === 'week' ? 'weekly' : 'monthly',
    frequency_period: terms.period,
    ...(terms.trialDays === 0 ? {} : { trial_days: terms.trialDays }),
    failure_behaviour: terms.behaviour,
    unpaid_behaviour: terms.unpaid,
    grace_days: terms.graceDays,
    ...(lists === undefined ? {} : { metadata: { _sandbox_outcome_by_period: lists.join(';') } }),
  } as const;
}

/** Cards: one that works, one without money and one that has expired, which is declined for good. */
export type Card = 'good' | 'empty' | 'expired';

/**
 * What is asked. `resumesIn`: days after the day of the request. `later`: so many periods after the current one; `off`
 * days beside the end of that.
 */
export type Ask =
  | { ask: 'pause'; resumesIn: number | null; from?: LaterEnd }
  | { ask: 'uncancel' | 'retry' }
  /** `heal`: a payer saves a working card on the page of a link that names the subscription. */
  | { ask: 'resume' | 'heal'; unpaid: 'collect' | 'waive' }
  | { ask: 'card'; card: Card }
  | { ask: 'cancel'; at: 'period_end' | 'now' | LaterEnd }
  | { ask: 'change'; price: number; when: 'period_end' | 'now'; collect: 'next_period' | 'now' }
  /** All of the credit, or so much of it. */
  | { ask: 'refund'; amount?: number }
  /** An ordinary refund of the latest payment, of at most so much credit as came from it. */
  | { ask: 'payback'; amount: number }
  /** A fee for the next period, or for the one that is unpaid if that has taken one; 0 withdraws it. */
  | { ask: 'fee'; amount: number }
  /** A discount from the next period on; null ends it. */
  | { ask: 'discount'; off: Off | null };

/** So many per cent, or an amount, for so many periods. */
export interface Off {
  percent?: number;
  amount?: number;
  periods: number | null;
}

export interface LaterEnd {
  later: number;
  off: number;
}
