import type { OperatorCommand } from './operator-command.ts';
import type { SubjectStatus } from './subject-status.ts';

/**
 * What is known of a kind of subject without looking at one. A subject has steps that fall due, and a workflow that
 * takes them: see `workflows/collection.ts`.
 */
interface SubjectFacts {
  /** Its kind of id: see `domain/ids.ts`. */
  idKind: string;
  /** What its workflow does, as the Web UI shows it to an operator who has never seen the code. */
  summary(id: string): string;
  /** The names of its activities, as histories have them. The operator commands are called `press…` there. */
  activities: { read: string; collect: string; execute: string };
  /** The operator commands that it takes. */
  commands: readonly OperatorCommand['name'][];
  /** The name under which the audit log has its commands. */
  audited: string;
  /** Where the API shows it. `status` is null while it is not known. */
  paths(id: string, status: SubjectStatus | null): string[];
  /** Whether its workflow shows its state and its next date, so that the reconciler can compare them. */
  showsDate: boolean;
  /**
   * What an advance of a test clock does with it. It `moves` its workflow; or it `ends` the subject itself, which then
   * has no workflow on a clock.
   */
  onClock: 'moves' | 'ends';
  /**
   * Whether an advance moves it through several steps at once, until another subject is due: only if none of its steps
   * makes another subject due earlier.
   */
  mayRunAhead: boolean;
  /** What is due on a clock, in the words of the workbench. */
  due: string;
}

/**
 * Every kind of subject, by the type of its workflow. Whatever lists kinds derives from this table, or does not compile
 * while one is missing. When a clock is deleted, its subjects are locked in this order. The names of workflows and
 * activities are in histories: they never change.
 */
export const subjectKinds = {
  paymentPlan: {
    idKind: 'payment_plan',
    summary: (id) => `Collects the payments of plan ${id} by its calendar, and retries what has failed`,
    activities: { read: 'readPlan', collect: 'collectPlan', execute: 'pressPlan' },
    commands: ['recheck', 'retryNow', 'skipSlot'],
    audited: 'payment_plan',
    paths: (id, status) => [
      `payment_plans/${id}`,
      `payment_plans/${id}/payments`,
      ...paymentPath(status?.story?.unpaid?.intentId),
    ],
    showsDate: true,
    onClock: 'moves',
    mayRunAhead: true,
    due: 'a plan',
  },
  paymentLink: {
    idKind: 'payment_link',
    summary: (id) => `Lets payment link ${id} expire at its time`,
    activities: { read: 'readPaymentLink', collect: 'expirePaymentLink', execute: 'pressPaymentLink' },
    commands: ['recheck'],
    audited: 'payment_link',
    paths: (id) => [`payment_links/${id}`],
    showsDate: true,
    onClock: 'ends',
    mayRunAhead: false,
    due: 'a link expires',
  },
  checkoutSession: {
    idKind: 'checkout_session',
    summary: (id) => `Ends checkout session ${id} at its time, and a challenge that takes too long`,
    activities: { read: 'readCheckoutSession', collect: 'expireCheckoutSession', execute: 'pressCheckoutSession' },
    commands: ['recheck'],
    audited: 'checkout_session',
    paths: (id) => [`checkout_sessions/${id}`],
    showsDate: false,
    onClock: 'ends',
    mayRunAhead: false,
    due: 'a session expires',
  },
  scheduledPayment: {
    idKind: 'payment_intent',
    summary: (id) => `Makes payment ${id} on its date`,
    activities: {
      read: 'readScheduledPayment',
      collect: 'collectScheduledPayment',
      execute: 'pressScheduledPayment',
    },
    commands: ['recheck', 'retryNow'],
    audited: 'payment_intent',
    paths: (id) => paymentPath(id),
    showsDate: false,
    onClock: 'moves',
    mayRunAhead: false,
    due: 'a scheduled payment',
  },
  bankDebit: {
    idKind: 'payment_attempt',
    summary: (id) => `Hands debit ${id} to the bank, and records what the bank reports`,
    activities: { read: 'readBankDebit', collect: 'collectBankDebit', execute: 'pressBankDebit' },
    commands: ['recheck'],
    audited: 'bank_debit',
    paths: (_, status) => paymentPath(status?.story?.paymentIntentId),
    showsDate: true,
    onClock: 'moves',
    mayRunAhead: false,
    due: 'a bank debit',
  },
  subscription: {
    idKind: 'subscription',
    summary: (id) => `Begins the periods of subscription ${id} by its calendar, and retries what has failed`,
    activities: { read: 'readSubscription', collect: 'collectSubscription', execute: 'pressSubscription' },
    commands: ['recheck', 'retryNow'],
    audited: 'subscription',
    paths: (id) => [`subscriptions/${id}`, `subscriptions/${id}/periods`],
    showsDate: true,
    onClock: 'moves',
    mayRunAhead: true,
    due: 'a subscription',
  },
} as const satisfies Readonly<Record<string, SubjectFacts>>;

type Table = typeof subjectKinds;

export type SubjectKind = keyof Table;

/** A kind by what an advance of a test clock does with it. */
export type KindWhere<Does extends SubjectFacts['onClock']> = {
  [Kind in SubjectKind]: Table[Kind]['onClock'] extends Does ? Kind : never;
}[SubjectKind];

/** A kind that an advance of a test clock may move through several steps at once. */
export type KindAhead = { [Kind in SubjectKind]: Table[Kind]['mayRunAhead'] extends true ? Kind : never }[SubjectKind];

export function mayRunAhead(kind: SubjectKind): kind is KindAhead {
  return subjectKinds[kind].mayRunAhead;
}

export const allSubjectKinds = Object.keys(subjectKinds) as SubjectKind[];

export function isSubjectKind(type: string): type is SubjectKind {
  return Object.hasOwn(subjectKinds, type);
}

/** Returns whether an advance of a test clock ends the subjects of this kind itself: they have no workflow there. */
export function endsOnClock(kind: string): kind is KindWhere<'ends'> {
  return isSubjectKind(kind) && subjectKinds[kind].onClock === 'ends';
}

type NameOf<Step extends keyof SubjectFacts['activities']> = Table[SubjectKind]['activities'][Step];

/** The activities of all kinds, by their names. `at` is the workflow's time in epoch ms. */
export type SubjectActivities = Record<NameOf<'read'>, (id: string) => Promise<SubjectStatus>> &
  Record<NameOf<'collect'>, (id: string, at: number) => Promise<SubjectStatus>> &
  Record<NameOf<'execute'>, (id: string, command: OperatorCommand) => Promise<string>>;

function paymentPath(id: string | undefined): string[] {
  return id === undefined ? [] : [`payment_intents/${id}`];
}
