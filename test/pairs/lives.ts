import assert from 'node:assert/strict';
import type {
  CustomerCreate,
  PaymentIntentCreate,
  PaymentLinkCreate,
  PaymentPlanCreate,
} from '@payments-service/client';
import { beforeEach, it } from 'mocha';
import { dueOnClock } from '../../src/db/due-on-clock.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { CheckoutSessionCreate } from '../../src/resources/checkout-session-input.ts';
import type { SubscriptionCreate } from '../../src/resources/subscription-input.ts';
import { changeBillerProfile, type ProfileChange } from '../../src/services/accounts/biller-profile.ts';
import { paySession } from '../../src/services/links/session-payment.ts';
import { saveSessionMethod } from '../../src/services/links/session-setup.ts';
import type { Submission } from '../../src/services/links/submission.ts';
import { tokenOf } from '../../src/services/links/tokens.ts';
import { linkedSubjects } from '../../src/services/subjects/charge-hook.ts';
import { useInvariants } from '../support/database.ts';
import { useDebtor } from '../support/debtor.ts';
import { tester } from '../support/factories.ts';
import { card, useLinks } from '../support/links.ts';
import { type Stage, useStage } from '../support/stage.ts';
import { moneyOf, storyLine } from './story.ts';

/** Monday, 1 February 2027, 11:00 in Sydney: a business day, before the cut-off. */
const start = '2027-02-01T00:00:00.000Z';

/** How a clock is moved to a date. */
interface Way {
  /** The most milliseconds of an advance. By default as many as it may have. */
  stride?: number;
  /** Whether it stops at each stride, also where nothing is due. By default one advance passes over those. */
  isEach?: boolean;
}

const dayMs = 86_400_000;
const ways: Record<string, Way> = { 'in one step': {}, 'by each due day': { stride: dayMs } };
const everyDay: Record<string, Way> = { 'day by day': { stride: dayMs, isEach: true } };

// biome-ignore lint/suspicious/noExplicitAny: a response is checked against its schema when it is received.
type Shown = any;
type Terms<T> = Partial<T> & { name: string; customer_id: string };

/** Everything that happens on one clock, from its first customer to the end of the test. */
export type Life = ReturnType<typeof beginLife>;

/**
 * Returns `lived`, which declares a test: the story is lived through twice, each time on a clock of its own, with the
 * same assertions, and the same is paid out each time. A third time if it `isDaily`: a day on which nothing is due
 * changes nothing. `inTurn` is for tables of lives that differ in one thing: each is lived once, every other one by
 * each due day. The title begins with the pairs of capabilities that it covers (see `tools/pairs.mjs`). Each clock
 * begins at `from`; `account` changes the biller.
 */
export function useLives({
  from = start,
  account = {},
  inTurn = false,
}: {
  from?: string;
  account?: ProfileChange;
  inTurn?: boolean;
} = {}) {
  const stage = useStage();
  let count = 0;
  useInvariants(stage.db);
  beforeEach('set up the account', async () => {
    if (Object.keys(account).length === 0) return;
    await changeBillerProfile(stage.db.sql, stage.keys.biller.id, account, { by: tester, now: realNow() });
  });
  return function lived(title: string, story: (life: Life) => Promise<void>, { isDaily = false } = {}): void {
    const all = Object.entries(ways);
    const chosen = inTurn ? all.slice(count % all.length).slice(0, 1) : all;
    count += 1;
    it(title, async () => {
      let payouts: string[] | null = null;
      for (const [name, way] of [...chosen, ...(isDaily ? Object.entries(everyDay) : [])]) {
        const { id } = await stage.merchant.clock(from);
        const life = beginLife(stage, id, { from, ...way });
        try {
          await story(life);
          await life.holds();
          payouts ??= await life.payouts();
          assert.deepEqual(await life.payouts(), payouts, 'what was paid out, and when');
        } catch (error) {
          if (error instanceof Error) error.stack = `Moved ${name}: ${error.stack}`;
          throw error;
        }
      }
    });
  };
}

/** Begins a life on a clock that is at `from`. */
export function beginLife(
  stage: Stage,
  clock: string,
  { from = start, stride = Number.POSITIVE_INFINITY, isEach = false }: Way & { from?: string } = {},
) {
  const { merchant } = stage;
  const { client } = merchant;
  const debtor = useDebtor(stage);
  const links = useLinks(stage);
  /** What the test calls each object. */
  const names = new Map<string, string>();
  const named = (name: string, id: string): string => {
    names.set(id, name);
    return id;
  };
  const now = async (): Promise<string> => (await merchant.getClock(clock)).frozen_time;
  const deps = { charging: stage.charging, vault: stage.vault, ...linkedSubjects };
  const visitor = () => ({ requestId: 'req_test', now: realNow() });

  /** A request that must succeed. */
  async function ask(method: string, path: string, body?: unknown): Promise<Shown> {
    const reply = await stage.request(method, path, body);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  /** What workflows do at once, at the time of the clock. */
  async function settle(): Promise<void> {
    const at = customerInstant(await now());
    for (;;) {
      const [due] = await dueOnClock(stage.db.sql, clock, at, { limit: 1 });
      if (due === undefined) return;
      if (due.kind === 'paymentPlan') await stage.collect(due.id, at);
      else if (due.kind === 'subscription') await stage.collectSubscription(due.id, at);
      else if (due.kind === 'scheduledPayment') await stage.collectScheduled(due.id, at);
      else if (due.kind === 'bankDebit') await stage.debit(due.id, at);
      else throw new Error(`${due.id} is due at the time of the clock, and only an advance ends it`);
    }
  }

  /** The end of the next advance, at most `furthest`: a stride further, or all strides in which nothing is due. */
  async function nextStep(at: number, furthest: number): Promise<number> {
    if (isEach || at + stride >= furthest) return Math.min(at + stride, furthest);
    const [due] = await dueOnClock(stage.db.sql, clock, customerInstant(furthest), { limit: 1 });
    const quiet = due === undefined ? furthest - at : Number(due.at ?? 0) - 1 - at;
    return Math.min(at + Math.max(1, Math.floor(quiet / stride)) * stride, furthest);
  }

  const life = {
    ask,
    /** Requests whose refusal is a value. */
    request: stage.request,
    /** A customer without any way to pay. */
    customer: async (name = 'customer', more: Partial<CustomerCreate> = {}): Promise<string> =>
      named(name, (await merchant.customer({ test_clock: clock, ...more })).id),
    /** A customer with a card. */
    async payer(name = 'payer', token?: string): Promise<string> {
      const id = await life.customer(name);
      await merchant.card(id, token);
      return id;
    },
    /** A customer with a bank account under an active mandate. */
    async debtor(name = 'debtor') {
      const customer = await life.customer(name);
      return { customer, ...(await life.account(customer)) };
    },
    /** A bank account of a customer under an active mandate of that name. */
    async account(customer: string, name = 'mandate') {
      const account = await debtor.account(customer);
      return { account, mandate: await life.mandate(name, account) };
    },
    mandate: async (name: string, account: string): Promise<string> =>
      named(name, (await debtor.active({ payment_method_id: account })).id),
    card: (customer: string, token?: string): Promise<string> => merchant.card(customer, token),

    /** An active plan: weekly, 1000 cents, from the first day on. */
    async plan({ name, ...terms }: Terms<PaymentPlanCreate>): Promise<string> {
      const { id } = await merchant.plan({ name, start_date: from.slice(0, 10), ...terms });
      await merchant.move(named(name, id), 'activate');
      await settle();
      return id;
    },
    /** A pending subscription: monthly, 3000 cents, from the first day on. */
    async subscription({ name, ...terms }: Terms<SubscriptionCreate>): Promise<string> {
      const items = [{ name: 'Membership', unit_amount_cents: 3000 }];
      const body = { name, currency: 'AUD', frequency_type: 'monthly', items, ...terms };
      return named(name, (await ask('POST', '/subscriptions', body)).id);
    },
    async started(terms: Terms<SubscriptionCreate>): Promise<string> {
      const id = await life.subscription(terms);
      await life.does('subscriptions', id, 'start');
      return id;
    },
    /** A payment: scheduled if the terms name a date, otherwise to be confirmed. */
    async intent(name: string, terms: Partial<PaymentIntentCreate>): Promise<string> {
      return named(name, (await merchant.intent(terms)).id);
    },
    /** A link, over 2500 cents unless it is for a setup. */
    async link({ name, ...terms }: Terms<PaymentLinkCreate>): Promise<string> {
      const amount = terms.mode === 'setup' ? {} : { amount: 2500, currency: 'AUD' as const };
      return named(name, (await client.paymentLinks.create({ name, ...amount, ...terms })).id);
    },
    async session({ name, ...terms }: Partial<CheckoutSessionCreate> & { name: string }): Promise<string> {
      const currency = terms.mode === 'setup' ? {} : { currency: 'AUD' };
      const alone = terms.payment_intent_id === undefined ? { name, ...currency } : {};
      return named(name, (await ask('POST', '/checkout_sessions', { ...alone, ...terms })).id);
    },
    /**
     * A payer opens the page of a link, and pays or saves a method there: a card that succeeds, unless `input` says
     * otherwise. Returns the state of the session, or the kind of the refusal. The session gets a name.
     */
    async opens(linkId: string, input: Partial<Submission> = {}, name = 'sitting'): Promise<string> {
      const opened = await links.start(await links.read({ id: linkId }));
      if (opened.kind !== 'started') return Object.values(opened).join(' ');
      return submit(opened.token, input, name);
    },
    /** The same on the page of a session. */
    async visits(sessionId: string, input: Partial<Submission> = {}): Promise<string> {
      const [row] = await stage.db.sql<Shown[]>`select * from checkout_sessions where id = ${sessionId}`;
      return submit(tokenOf(stage.vault, 'checkout_session_tokens', row), input);
    },
    /** What the payer sends. A saved method is named by its id, a card by its token. */
    byAccount: (account: string): Partial<Submission> => ({ method: { id: account } }),
    byCard: (token: string): Partial<Submission> => ({ method: card(token) }),
    /** A bank account that the payer names on the page, and the mandate that is given with it. */
    async byNewAccount(): Promise<Partial<Submission>> {
      const payment_method_data = { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '98765432' };
      return {
        method: { data: { type: 'au_becs_debit', payment_method_data } },
        acceptance: await debtor.online(),
      };
    },
    mandatesOf: async (customer: string): Promise<Shown[]> =>
      (await ask('GET', `/mandates?customer_id=${customer}&test_clock=${clock}`)).data,

    /** A request about an object, such as `cancel`, and what workflows then do at once. */
    async does(collection: string, id: string, what: string, body: object = {}): Promise<Shown> {
      const reply = await ask('POST', `/${collection}/${id}/${what}`, body);
      await settle();
      return reply;
    },
    /** A change of an object's fields, and what workflows then do at once. */
    async puts(collection: string, id: string, body: object): Promise<Shown> {
      const reply = await ask('PUT', `/${collection}/${id}`, body);
      await settle();
      return reply;
    },
    async confirms(intent: string, method: string): Promise<Shown> {
      return life.does('payment_intents', intent, 'confirm', { payment_method: method });
    },
    async refunds(intent: string, amount: number): Promise<Shown> {
      const refund = await life.does('payment_intents', intent, 'refunds', { amount });
      named(`refund ${amount}`, refund.id);
      return refund;
    },
    /** What the bank reports of a debit now. */
    bank: (intent: string, result: 'settled' | 'dishonoured' | 'returned' | 'disputed'): Promise<Shown> =>
      life.tells(`/test_helpers/payment_intents/${intent}/bank_result`, { result }),
    /** A payer disputes a payment; with a result, the bank decides ten days later. */
    async disputes(name: string, intent: string, result?: 'won' | 'lost'): Promise<Shown> {
      const path = `/test_helpers/payment_intents/${intent}/dispute`;
      const dispute = await life.tells(path, result === undefined ? {} : { result });
      named(name, dispute.id);
      return dispute;
    },
    async tells(path: string, body?: object): Promise<Shown> {
      const reply = await ask('POST', path, body);
      await settle();
      return reply;
    },
    async detaches(account: string): Promise<void> {
      await merchant.detach(account);
      await settle();
    },
    async deletes(customer: string): Promise<void> {
      await ask('DELETE', `/customers/${customer}`);
      await settle();
    },

    /** Moves the clock to an instant or a date. Each dry run, if made, must foretell what its advance then does. */
    async to(target: string, { isForetold = true } = {}): Promise<void> {
      const end = Date.parse(target.length === 10 ? `${target}T00:00:00Z` : target);
      const path = `/test_helpers/test_clocks/${clock}`;
      let moved = await merchant.getClock(clock);
      for (let at = Date.parse(moved.frozen_time); at < end; at = Date.parse(moved.frozen_time)) {
        const frozen_time = new Date(await nextStep(at, Math.min(end, Date.parse(moved.max_frozen_time ?? target))));
        const dryRun = isForetold ? await ask('POST', `${path}/advance`, { frozen_time, dry_run: true }) : null;
        await stage.advance(clock, frozen_time.toISOString());
        moved = await merchant.getClock(clock);
        if (dryRun === null) continue;
        const { data: effects } = await ask('GET', `${path}/effects?limit=100&advance_id=${moved.last_advance?.id}`);
        const told = `the dry run of ${moved.frozen_time}`;
        assert.deepEqual(dryRun.effects.map(effectLine), effects.map(effectLine), told);
      }
    },

    get: (collection: string, id: string): Promise<Shown> => ask('GET', `/${collection}/${id}`),
    /** The chosen fields of an object. */
    async shows(collection: string, id: string, ...fields: string[]): Promise<unknown[]> {
      const object = await life.get(collection, id);
      return fields.map((field) => object[field]);
    },
    /** Each period of a subscription, oldest first: `1 2027-02-01 2027-03-01 paid 3000`. */
    async periods(id: string): Promise<string[]> {
      const { data } = await ask('GET', `/subscriptions/${id}/periods?limit=100`);
      return data.toReversed().map((p: Shown) => [p.number, p.start, p.end, p.status, p.amount_cents].join(' '));
    },
    /** Each slot of a plan, oldest first: `0 2027-02-01 paid failed,succeeded`. */
    async slots(id: string): Promise<string[]> {
      return (await merchant.payments(id)).map(({ slot, due_date: due, status, attempts }) =>
        [slot, due, status, attempts.map(({ outcome }) => outcome).join(',')].join(' ').trim(),
      );
    },
    /** The intents of a plan or a subscription, oldest first. */
    async intentsOf(id: string): Promise<string[]> {
      const intents = await allIntents();
      return intents
        .filter((intent) => intent.payment_plan_id === id || intent.subscription_id === id)
        .map((intent) => intent.id);
    },
    /**
     * All that happened on the clock from `from` on, in the order in which it was recorded, one line each. Without the
     * events that only tell that a period is paid, or that what is owed has changed, and without payouts.
     */
    async story(from = ''): Promise<string[]> {
      const lines = await allLines();
      return lines.filter((line) => line >= from && !/ (subscription\.(period_paid|updated)|payout\.\w+) /.test(line));
    },
    /** What was paid out of what was collected, and when, one line each. */
    payouts: async (): Promise<string[]> => (await allLines()).filter((line) => / payout\.\w+ /.test(line)),
    /** What a customer has paid and what the biller holds, such as `charged 3000 refunded 500 held 2500`. */
    async money(customer: string): Promise<string> {
      return moneyOf(customer, await allIntents(), await merchant.events({ test_clock: clock }));
    },
    /** The clock has not failed. */
    async holds(): Promise<void> {
      const { status, failure_reason: reason } = await merchant.getClock(clock);
      assert.notEqual(status, 'failed', String(reason));
    },
  };

  async function allLines(): Promise<string[]> {
    const events = await merchant.events({ test_clock: clock });
    const lines = events.flatMap((event) => storyLine(event, names) ?? []);
    assert.deepEqual(lines.map(at), lines.map(at).toSorted(), 'no event is recorded after a later one');
    return lines;
  }

  async function allIntents() {
    return (await client.paymentIntents.list({ test_clock: clock, limit: 100 }).toArray()).reverse();
  }

  async function submit(token: string, input: Partial<Submission>, name?: string): Promise<string> {
    const found = await links.find(token);
    assert.ok(found);
    if (name !== undefined) named(name, found.session.id);
    const send = found.session.mode === 'setup' ? saveSessionMethod : paySession;
    const form = { version: found.session.submissions, method: card(), ...input };
    const submitted = await send(stage.db.sql, deps, token, form, visitor());
    await settle();
    return links.outcome(submitted);
  }
  return life;
}

/** The instant of a line. */
const at = (line: string): string => line.slice(0, 16);

function effectLine({ at, object, changes }: Shown): string {
  return `${at} ${object} ${JSON.stringify(changes)}`;
}
