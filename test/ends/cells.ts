// Goes through the table of payments at ends: a test for each end of a kind of subject, with a payment in each state.
import assert from 'node:assert/strict';
import type { PaymentIntent } from '@payments-service/client';
import { it } from 'mocha';
import { type Reply, sendChecked } from '../support/api.ts';
import {
  type Cell,
  type EndOf,
  type Fate,
  type PaymentState,
  paymentsAtEnds,
  type SubjectKind,
} from './payments-at-ends.ts';
import { type World as Begun, type Case, type Means, useSubjects } from './subjects.ts';

export type World = Begun & { cases: Case[] };
type Row = Record<PaymentState, Cell>;

/** A payment with its cell of the table, and as the end finds it. */
type Found = Case & { cell: Cell; before: PaymentIntent | undefined };

/** Ends the subjects. Returns the reply of each request that is about a single one, in the order of the cases. */
export type End = (world: World) => Promise<Reply[] | undefined>;

/** After all retries, challenges and results of banks, and after the end of every period. */
const later = '2027-02-27T00:00:00.000Z';

/** A request about each subject. */
export function requests(path: (id: string) => string, body: object = {}): End {
  return async ({ stage, cases }) => {
    const replies: Reply[] = [];
    for (const { subject } of cases) replies.push(await stage.request('POST', path(subject.id), body));
    return replies;
  };
}

/** The ends that every kind of subject has. */
export const commonEnds: Record<'detach' | 'mandate' | 'deletion', End> = {
  async detach({ stage, methods }) {
    for (const method of Object.values(methods)) await stage.merchant.detach(method);
    return undefined;
  },
  async mandate({ life, mandate }) {
    await life.ask('POST', `/mandates/${mandate}/cancel`, {});
    return undefined;
  },
  async deletion({ life, customer }) {
    await life.ask('DELETE', `/customers/${customer}`);
    return undefined;
  },
};

/** The ends of plans and subscriptions that name in `in_flight_amount` what goes on. */
const naming: readonly string[] = ['suspend', 'deactivate', 'close', 'cancelNow', 'deletion'];
const collections: Partial<Record<SubjectKind, string>> = { plan: 'payment_plans', subscription: 'subscriptions' };

/** Declares a test for each end of a kind of subject. */
export function testEnds<K extends SubjectKind>(kind: K, ends: Record<EndOf<K>, End>): void {
  const { stage, links, begin } = useSubjects();
  const collection = collections[kind];

  for (const end of Object.keys(ends) as EndOf<K>[]) {
    const row: Row = paymentsAtEnds[kind][end];
    it(`${kind}, ${end}: a payment in each state is as the table says`, async () => {
      const world = await begin(kind, end, paymentsOf(kind, end, row));
      const all: Found[] = [];
      for (const each of world.cases) {
        const before = await each.subject.intent();
        all.push({ ...each, cell: row[each.state], before });
      }
      await inEach(assertIsInState);
      /** The attempts that were begun before the end, or by hand after it. */
      const known = await attemptsSoFar();
      const replies = await ends[end](world);
      await inEach((payment, index) => afterEnd(payment, replies?.[index]));
      await world.answered();
      await world.life.to(later, { isForetold: false });
      await inEach(afterAll);
      if (kind === 'plan' && end === 'suspend') await resumed(world, row);
      await world.life.holds();

      async function inEach(check: (payment: Found, index: number) => Promise<void>): Promise<void> {
        for (const [index, payment] of all.entries()) {
          await check(payment, index).catch((cause: Error) => {
            const cell = JSON.stringify(payment.cell);
            throw new Error(`${payment.state} by ${payment.means}, ${cell}: ${cause.message}`, { cause });
          });
        }
      }

      /** What holds at the instant of the end. */
      async function afterEnd(payment: Found, reply?: Reply): Promise<void> {
        const { subject, cell, before } = payment;
        const isRefused = typeof cell !== 'string';
        if (reply) assert.equal(reply.body?.error?.code, isRefused ? 'invalid_state' : undefined, reply.text);
        const intent = before && (await stage.merchant.getIntent(before.id));
        const expected = isRefused ? [before?.status] : atOnce[cell](before?.status);
        assert.ok(expected.includes(intent?.status), `the payment is ${intent?.status} at once`);
        if (isRefused) return;
        if (intent !== undefined) await afterEndOf(intent, payment);
        if (subject.token !== undefined && isOver[cell]) assert.match(await submits(subject.token()), /^ended/);
      }

      async function afterEndOf(intent: PaymentIntent, { subject, cell, means }: Found): Promise<void> {
        const { status, amount } = intent;
        if (status === 'requires_action') assert.equal((await passes(intent)) === 'succeeded', cell === 'goes on');
        if (cell === 'goes on') await assertIsNamed(subject.id, amount);
        // A session is soon over: in it, the payment is made again at once.
        if (cell === 'fails' && kind === 'link' && status === 'failed') await assertPayable(intent);
        if (cell === 'to the end' && means === 'account') await assertPayable(intent);
        if (typeof cell === 'string' && isOver[cell]) await assertUnpayable(intent);
      }

      /** What holds for good. */
      async function afterAll({ subject, means, cell, before }: Found): Promise<void> {
        if (typeof cell !== 'string') return;
        const begun = (await attemptsOf(subject.id, before?.id)).filter(({ id }) => !known.has(id));
        const taken = begun.filter(({ outcome }) => outcome !== 'failed');
        assert.deepEqual(taken, [], 'no charge that began after the end succeeds');
        if (cell === 'not made') return assert.deepEqual(begun, []);
        const intent = await stage.merchant.getIntent(before?.id ?? (await subject.intent())?.id ?? '');
        const isPaid = cell === 'to the end' && means === 'account';
        // Once the unpaid period of a subscription is over, its payment ends.
        const isLapsed = cell === 'fails' && kind === 'subscription' && intent.status === 'canceled';
        const expected = isPaid ? ['succeeded'] : isLapsed ? ['canceled'] : atLast[cell](before?.status);
        assert.ok(expected.includes(intent.status), `the payment is ${intent.status} at last`);
        if (cell === 'goes on') await assertIsNamed(subject.id, 0);
        if (cell !== 'fails' || isLapsed) await assertUnpayable(intent);
        else if (kind !== 'link') await assertPayable(intent);
      }

      /** A plan or a subscription that has stopped says what may still be taken. A canceled one gives it as credit. */
      async function assertIsNamed(id: string, amount: number): Promise<void> {
        if (collection === undefined || !naming.includes(end)) return;
        const shown = await world.life.get(collection, id);
        assert.equal(shown.in_flight_amount ?? 0, amount, 'in_flight_amount');
        if (amount === 0 && kind === 'subscription') assert.equal(shown.credit_balance_cents, 3000);
      }

      async function assertPayable({ id }: PaymentIntent): Promise<void> {
        const { body } = await confirm(id, world.spare);
        assert.equal(body.status, 'succeeded', 'it can be paid with another method');
        for (const attempt of await attemptsSoFar()) known.add(attempt);
      }

      async function assertUnpayable({ id, client_secret }: PaymentIntent): Promise<void> {
        const byBiller = await confirm(id, world.spare);
        const byPayer = await sendChecked(`${stage.api.url}/api/v1/payment_intents/${id}/confirm`, 'POST', {
          key: stage.keys.sandboxPublishable,
          body: { payment_method: world.spare, client_secret },
        });
        for (const { status, body, text } of [byBiller, byPayer]) {
          assert.equal(`${status} ${body.error?.code}`, '422 invalid_state', text);
        }
      }

      /** A payer sends the form of the page. Returns the state of the session, or the kind of the refusal. */
      async function submits(token: string): Promise<string> {
        const version = (await links.find(token))?.session.submissions ?? 0;
        return links.outcome(await links.pay(token, { version, method: { id: world.spare } }));
      }
    });
  }

  /** The payment is in the state that it is there for. */
  async function assertIsInState({ state, subject, before }: Found): Promise<void> {
    const attempts = before === undefined ? [] : await attemptsOf(null, before.id);
    const { [state]: expected } = states;
    assert.match(`${before?.status} ${attempts.at(-1)?.outcome}`, expected);
    if (collection === undefined || (state !== 'retryPlanned' && state !== 'failed')) return;
    const { next_attempt_at: retriedAt } = (await stage.request('GET', `/${collection}/${subject.id}`)).body;
    assert.equal(retriedAt !== null, state === 'retryPlanned', `the next attempt is at ${retriedAt}`);
  }

  const confirm = (id: string, payment_method: string): Promise<Reply> =>
    stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });

  /** Plays the payer who passes a challenge. Returns the status of the payment, or the code of the refusal. */
  async function passes({ id }: PaymentIntent): Promise<string> {
    const path = `/test_helpers/payment_intents/${id}/complete_action`;
    const { body } = await stage.request('POST', path, { result: 'succeed' });
    return body.status ?? body.error.code;
  }

  async function attemptsSoFar(): Promise<Set<string>> {
    const rows = await stage.db.sql<{ id: string }[]>`select id from payment_attempts`;
    return new Set(rows.map(({ id }) => id));
  }

  /** The attempts of a payment, and of all payments of a plan or a subscription, oldest first. */
  async function attemptsOf(subjectId: string | null, intentId: string | null = null) {
    return stage.db.sql<{ id: string; outcome: string }[]>`
      select a.id, a.outcome from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
      where ${subjectId} in (i.payment_plan_id, i.subscription_id) or i.id = ${intentId}
      order by a.at, a.number`;
  }

  /** Plans that were suspended go on where they were. */
  async function resumed({ life, cases }: World, row: Row): Promise<void> {
    const waiting = cases.filter(({ state }) => row[state] === 'waits');
    for (const { subject } of waiting) await life.does('payment_plans', subject.id, 'resume');
    await life.to('2027-03-04');
    for (const { state, subject } of waiting) {
      const [first = ''] = await life.slots(subject.id);
      assert.match(first, / paid /, `${state}: it is tried again when the plan is resumed`);
    }
  }
}

/** The states that only a debit can be in, and only a card. The others are tried with both. */
const ofDebits: readonly PaymentState[] = ['accepted', 'handedOver', 'returned'];
const ofCards: readonly PaymentState[] = ['challenge', 'charged'];

/** The payments that an end can find. */
function paymentsOf(kind: SubjectKind, end: string, row: Row): Pick<Case, 'state' | 'means'>[] {
  const meansOf = (state: PaymentState): Means[] => {
    if (ofDebits.includes(state)) return ['account'];
    // A session has expired when a bank refuses its debit.
    const isOfCard = ofCards.includes(state) || (kind === 'link' && (state === 'failed' || state === 'scheduled'));
    if (isOfCard) return ['card'];
    return end === 'mandate' ? ['account'] : ['card', 'account'];
  };
  const cells = Object.entries(row) as [PaymentState, Cell][];
  return cells
    .filter(([, cell]) => typeof cell === 'string' || 'refused' in cell)
    .flatMap(([state]) => meansOf(state).map((means) => ({ state, means })));
}

/** The status of a payment that is in a state, and the outcome of its last attempt. */
const states: Record<PaymentState, RegExp> = {
  scheduled: /^(undefined|requires_payment_method) undefined$/,
  accepted: /^processing accepted$/,
  handedOver: /^processing submitted$/,
  challenge: /^requires_action requires_action$/,
  retryPlanned: /^failed failed$/,
  failed: /^failed failed$/,
  charged: /^processing processing$/,
  refunded: /^succeeded succeeded$/,
  returned: /^returned returned$/,
};

/** Whether a payer or a biller is refused who confirms the payment after the end. */
const isOver: Record<Fate, boolean> = {
  'not made': true,
  canceled: true,
  waits: true,
  'to the end': false,
  fails: false,
  'never paid': true,
  'goes on': false,
  stays: true,
};

type Statuses = (before: string | undefined) => (string | undefined)[];

/** The statuses that a payment may have at the instant of the end, by the one that it had before. */
const atOnce: Record<Fate, Statuses> = {
  'not made': (before) => [before],
  canceled: () => ['canceled'],
  waits: (before) => [before === 'returned' ? before : 'failed'],
  'to the end': () => ['failed'],
  // What is to come fails when it is tried.
  fails: (before) => [before === 'processing' ? 'failed' : before],
  'never paid': (before) => ['failed', before === 'requires_action' ? before : 'failed'],
  'goes on': (before) => (before === 'processing' ? [before, 'succeeded'] : [before]),
  stays: (before) => [before],
};

/** The same after everything. */
const atLast: Record<Exclude<Fate, 'not made'>, Statuses> = {
  ...atOnce,
  'to the end': () => ['canceled'],
  'never paid': () => ['failed'],
  // In a session the payment is made again at once.
  fails: () => ['failed', 'succeeded'],
  'goes on': () => ['succeeded'],
};
