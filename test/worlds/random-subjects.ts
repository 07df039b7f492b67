import type { Chance } from '../../lab/random.ts';
import { dateAfter, type Setting } from './random-world.ts';
import { day, hour, iso, type Subject, type SubjectKind, type Terms, type WorldCustomer } from './world.ts';

const kinds: { kind: SubjectKind; weight: number }[] = [
  { kind: 'plan', weight: 6 },
  { kind: 'subscription', weight: 8 },
  { kind: 'scheduled', weight: 3 },
  { kind: 'link', weight: 1.5 },
  { kind: 'session', weight: 1 },
];
const amounts = [1000, 2500, 3000, 4500, 12_000];

/** A subject of a customer, with terms that the API mostly takes. */
export function subjectOf(chance: Chance, setting: Setting, customer: WorldCustomer): Subject {
  const { kind } = chance.pickByWeight(kinds);
  return { kind, terms: termsOf[kind](chance, setting, customer) };
}

const termsOf: Record<SubjectKind, (chance: Chance, setting: Setting, customer: WorldCustomer) => Terms> = {
  plan(chance, { begin, zone }, customer) {
    const amount = chance.pick(amounts);
    const waits = chance.pick([0, 0, 0, 1, 3, 6]);
    return {
      name: 'Plan',
      currency: 'AUD',
      recurring_amount_cents: amount,
      frequency_type: chance.pick(['weekly', 'weekly', 'monthly']),
      ...maybe(chance, 0.25, () => ({ frequency_period: chance.between(2, 3) })),
      start_date: dateAfter(begin, waits, zone),
      ...maybe(chance, 0.15, () => ({ first_date: dateAfter(begin, waits + chance.between(1, 5), zone) })),
      ...(chance.happens(0.5)
        ? { total_amount_cents: amount * chance.between(1, 5) + chance.pick([0, 0, 500]) }
        : { until_further_notice: true }),
      ...maybe(chance, 0.2, () => ({ first_amount_cents: chance.pick(amounts) })),
      ...maybe(chance, 0.25, () => ({ failure_behaviour: 'stop' })),
      ...instrument(chance, customer),
      ...outcomes(chance, customer),
    };
  },
  subscription(chance, { begin, zone }, customer) {
    const every = chance.pick(['weekly', 'weekly', 'monthly', 'monthly', 'yearly']);
    const period = chance.pick([1, 1, 1, 2]);
    const hasTrial = chance.happens(0.3);
    const isPlain = every === 'weekly' && !hasTrial;
    return {
      name: 'Subscription',
      currency: 'AUD',
      frequency_type: every,
      ...(period === 1 ? {} : { frequency_period: period }),
      items: items(chance),
      ...(hasTrial ? { trial_days: chance.between(1, 20) } : {}),
      ...(hasTrial ? { trial_end_behaviour: chance.pick(['charge', 'pause', 'cancel']) } : {}),
      ...(every === 'weekly' ? {} : maybe(chance, 0.25, () => ({ anchor_day: chance.pick([1, 15, 28, 31]) }))),
      ...(isPlain
        ? maybe(chance, 0.15, () => ({ ends_at: dateAfter(begin, 7 * period * chance.between(1, 6), zone) }))
        : {}),
      ...maybe(chance, 0.5, () => ({ effective_on: 'submitted' })),
      ...maybe(chance, 0.3, () => ({ unpaid_behaviour: 'cancel' })),
      ...maybe(chance, 0.2, () => ({ failure_behaviour: 'stop' })),
      ...maybe(chance, 0.4, () => ({ grace_days: chance.between(0, 9) })),
      ...instrument(chance, customer),
      ...outcomes(chance, customer, true),
    };
  },
  scheduled: (chance, { begin, zone, days }, customer) => ({
    amount: chance.pick(amounts),
    currency: 'AUD',
    scheduled_payment_date: dateAfter(begin, chance.between(0, days), zone),
    payment_method: methodOf(chance, customer),
    ...outcomes(chance, customer),
  }),
  link: (chance, { begin, days }, { subjects, card, account }) => ({
    name: 'Invoice',
    ...offer(chance, subjects),
    ...outcomes(chance, { card: card ?? 'another', account: account ?? { lapses_in_days: null } }),
    ...maybe(chance, 0.8, () => ({ expires_at: iso(begin + chance.between(1, days * 24) * hour) })),
  }),
  session: (chance, { begin }, { subjects }) => ({
    name: 'Order',
    ...offer(chance, subjects),
    ...maybe(chance, 0.7, () => ({ expires_at: iso(begin + chance.between(1, 30) * day) })),
  }),
};

/** What a page offers: to pay, or to save another method; for a plan or a subscription before it, or for nothing. */
function offer(chance: Chance, subjects: Subject[]): Terms {
  const others = subjects.flatMap(({ kind }, index) => (kind === 'plan' || kind === 'subscription' ? [index + 1] : []));
  const applies = others.length > 0 && chance.happens(0.6);
  const isSetup = applies && chance.happens(0.5);
  return {
    ...(isSetup ? { mode: 'setup' } : { amount: chance.pick(amounts), currency: 'AUD' }),
    ...(applies ? { apply_to: chance.pick(others) } : {}),
    payment_method_types: chance.pick([['card'], ['card', 'au_becs_debit']]),
  };
}

export function items(chance: Chance): Terms[] {
  const seats = { name: 'Seats', unit_amount_cents: chance.pick([700, 1500, 4500]), quantity: chance.between(1, 4) };
  return chance.happens(0.7) ? [{ name: 'Membership', unit_amount_cents: chance.pick(amounts) }] : [seats];
}

/** Members that are there in this share of cases. */
function maybe(chance: Chance, share: number, members: () => Terms): Terms {
  return chance.happens(share) ? members() : {};
}

function methodOf(chance: Chance, { card, account }: WorldCustomer): 'card' | 'account' {
  if (card === null) return 'account';
  return account === null ? 'card' : chance.pick(['card', 'account'] as const);
}

function instrument(chance: Chance, customer: WorldCustomer): Terms {
  return maybe(chance, 0.3, () => ({ payment_instrument_id: methodOf(chance, customer) }));
}

const cardWords = ['succeed', 'succeed', 'succeed', 'decline', 'decline', 'timeout', 'requires_action'];
const bankWords = ['settled', 'settled', 'dishonoured', 'dishonoured', 'late_dishonour', 'disputed'];
const finalBankWords = ['account_closed', 'payment_stopped', 'mandate_canceled', 'account_invalid'];

/** What processor and bank say, one word for each attempt of a payment. */
function outcomes(
  chance: Chance,
  { card, account }: Pick<WorldCustomer, 'card' | 'account'>,
  hasPeriods = false,
): Terms {
  const list = (words: string[]) => Array.from({ length: chance.between(1, 4) }, () => chance.pick(words)).join(',');
  const metadata: Record<string, string> = {};
  if (card !== null && chance.happens(0.6)) metadata._sandbox_outcome = list(cardWords);
  if (hasPeriods && chance.happens(0.4)) {
    const ofPeriod = () => list(['succeed', 'succeed', 'decline']);
    metadata._sandbox_outcome_by_period = Array.from({ length: chance.between(1, 4) }, ofPeriod).join(';');
  }
  if (account !== null && chance.happens(0.6)) {
    metadata._sandbox_bank_outcome = list(chance.happens(0.8) ? bankWords : [...bankWords, ...finalBankWords]);
  }
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

/** Courses of a payment in which it fails, meets a challenge, or comes back. */
const cardQuarrels = [
  'decline,requires_action,succeed',
  'decline,requires_action',
  'decline,decline,requires_action,succeed',
  'requires_action,succeed',
  'decline,succeed',
  'succeed',
];
const bankQuarrels = ['dishonoured,settled', 'dishonoured', 'late_dishonour,settled', 'disputed', 'settled'];

/** Makes the payments of a subject fail and come back, so that payers and biller have something to do. */
export function makeQuarrel(chance: Chance, { terms }: Subject): void {
  if (terms.mode === 'setup') return;
  terms.metadata = {
    _sandbox_outcome: chance.pick(cardQuarrels),
    _sandbox_bank_outcome: chance.pick(bankQuarrels),
  };
}
