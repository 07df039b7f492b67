// Subjects on one clock. When their end comes, the payment of each is in another state.
import assert from 'node:assert/strict';
import type { PaymentIntent } from '@payments-service/client';
import { beginLife, type Life } from '../pairs/lives.ts';
import { door } from '../races/barriers.ts';
import { useInvariants } from '../support/database.ts';
import { useLinks } from '../support/links.ts';
import { type Stage, useStage } from '../support/stage.ts';
import type { PaymentState, SubjectKind } from './payments-at-ends.ts';

/** When the clock begins: a Monday. */
const beginning = '2027-01-25T00:00:00.000Z';
/** When the end comes: a Saturday. What is accepted on this day goes to the bank on Monday. */
const endAt = '2027-02-06T01:00:00.000Z';

/** When a link expires, if that is its end. */
export const linkExpiresAt = '2027-02-06T01:05:00.000Z';

/** When a session expires that is opened at `endAt`. */
export const sessionExpiresAt = '2027-02-07T01:00:00.000Z';

/** How a payment is made. */
export type Means = 'card' | 'account';

/** A subject and its payment. */
interface Subject {
  id: string;
  intent: () => Promise<PaymentIntent | undefined>;
  /** The session in which the payment of a link is made. */
  session?: () => Promise<string>;
  /** The token of its page. */
  token?: () => string;
}

/** A payment of the table: in this state, by these means, when the end comes. */
export interface Case {
  state: PaymentState;
  means: Means;
  subject: Subject;
}

/** What happens to a subject until its end comes: instants with actions, in their order. */
type Steps = [at: string, act: () => Promise<unknown>][];

export type World = Awaited<ReturnType<typeof beginWorld>>;
type Links = ReturnType<typeof useLinks>;
type Builder = (
  world: World,
  state: PaymentState,
  means: Means,
  end: string,
) => Promise<{ subject: Subject; steps: Steps }>;

/** Returns what begins a customer with a subject for each payment, which is in its state at `endAt`. */
export function useSubjects() {
  const stage = useStage();
  useInvariants(stage.db);
  const links = useLinks(stage);
  return {
    stage,
    links,
    async begin(kind: SubjectKind, end: string, payments: readonly Pick<Case, 'state' | 'means'>[]) {
      const world = await beginWorld(stage, links);
      const cases: Case[] = [];
      const all: Steps = [];
      for (const { state, means } of payments) {
        const { subject, steps } = await builders[kind](world, state, means, end);
        cases.push({ state, means, subject });
        all.push(...steps);
      }
      for (const [at, act] of all.toSorted(([a], [b]) => Date.parse(a) - Date.parse(b))) {
        await world.life.to(at, { isForetold: false });
        await act();
      }
      await world.life.to(endAt, { isForetold: false });
      // A charge that is being asked for comes last: nothing may look at it meanwhile.
      await world.beginCharge();
      return { ...world, cases };
    },
  };
}

async function beginWorld(stage: Stage, links: Links) {
  const { id: clock } = await stage.merchant.clock(beginning);
  const life = beginLife(stage, clock);
  const customer = await life.payer('customer');
  const [card] = (await life.ask('GET', `/customers/${customer}/payment_methods`)).payment_methods;
  const { account, mandate } = await life.account(customer);
  const spare = await life.card(customer);
  let charge: (() => Promise<unknown>) | undefined;
  const asked = door();
  let charging: Promise<unknown> | undefined;
  return {
    ...{ stage, links, life, clock, customer, mandate, spare },
    methods: { card: String(card.id), account },
    /** Names the charge that is asked for at the end, and whose answer is held until then. */
    chargeAtEnd(last: () => Promise<unknown>): void {
      charge = last;
    },
    /** Begins that charge: the processor is asked. */
    async beginCharge(): Promise<void> {
      if (charge === undefined) return;
      let isFirst = true;
      stage.ledger.beforeAnswer = async () => {
        if (!isFirst) return;
        isFirst = false;
        await asked.pass();
      };
      charging = charge();
      await Promise.race([asked.arrived, charging.then(() => assert.fail('the processor was not asked'))]);
    },
    /** Lets the processor answer. */
    async answered(): Promise<void> {
      asked.open();
      await charging;
    },
  };
}

/** The outcomes of the attempts of a payment. Whatever is tried once more would succeed. */
function outcomesOf(state: PaymentState): string {
  if (state === 'challenge') return 'decline,requires_action,succeed';
  return state === 'retryPlanned' || state === 'failed' ? 'decline,succeed' : 'succeed';
}

/** The date on which a payment is made, so that it is in its state when the end comes. */
function dueOn(state: PaymentState, means: Means): string {
  if (state === 'scheduled') return '2027-02-08';
  if (state === 'handedOver') return '2027-02-05';
  const isOver = means === 'account' && state !== 'accepted';
  return isOver ? '2027-02-03' : '2027-02-06';
}

/** What a payer, the biller or the bank does at last to a payment that was made. */
function lastSteps({ life, methods }: World, state: PaymentState, intent: Subject['intent']): Steps {
  const id = async () => String((await intent())?.id);
  switch (state) {
    case 'challenge':
      return [
        [endAt, async () => assert.equal((await life.confirms(await id(), methods.card)).status, 'requires_action')],
      ];
    case 'refunded':
      return [[endAt, async () => life.refunds(await id(), 100)]];
    case 'returned':
      return [[endAt, async () => life.bank(await id(), 'returned')]];
    default:
      return [];
  }
}

const behaviourOf = (state: PaymentState) => (state === 'failed' ? ('stop' as const) : ('retry' as const));

const builders: Record<SubjectKind, Builder> = {
  async plan(world, state, means) {
    const { life, stage, customer: customer_id, methods } = world;
    const terms = {
      ...{ name: state, customer_id, payment_instrument_id: methods[means], failure_behaviour: behaviourOf(state) },
      start_date: dueOn(state, means),
      metadata: { _sandbox_outcome: outcomesOf(state) },
    };
    if (state !== 'charged') {
      const id = await life.plan(terms);
      const intent = lastOf(life, id);
      return { subject: { id, intent }, steps: lastSteps(world, state, intent) };
    }
    const { id } = await stage.merchant.plan(terms);
    world.chargeAtEnd(async () => {
      await stage.merchant.move(id, 'activate');
      await stage.collect(id, endAt);
    });
    return { subject: { id, intent: lastOf(life, id) }, steps: [] };
  },

  async subscription(world, state, means) {
    const { life, stage, customer: customer_id, methods } = world;
    const starts = Date.parse(dueOn(state, means)) - 7 * 86_400_000;
    const isCharged = state === 'charged';
    const id = await life.started({
      ...{ name: state, customer_id, payment_instrument_id: methods[means], failure_behaviour: behaviourOf(state) },
      frequency_type: 'weekly',
      start_date: isCharged ? beginning.slice(0, 10) : new Date(starts).toISOString().slice(0, 10),
      metadata: { _sandbox_outcome_by_period: `succeed;${outcomesOf(state)}` },
    });
    const intent = lastOf(life, id, { isSecond: true });
    if (!isCharged) return { subject: { id, intent }, steps: lastSteps(world, state, intent) };
    await life.does('subscriptions', id, 'pause');
    world.chargeAtEnd(async () => {
      await life.ask('POST', `/subscriptions/${id}/resume`);
      await stage.collectSubscription(id, endAt);
    });
    return { subject: { id, intent }, steps: [] };
  },

  async scheduled(world, state, means) {
    const { life, stage, customer: customer_id, methods } = world;
    const make = () =>
      life.intent(state, {
        ...{ customer_id, payment_method: methods[means], scheduled_payment_date: dueOn(state, means) },
        metadata: { _sandbox_outcome: outcomesOf(state) },
      });
    if (state !== 'charged') {
      const id = await make();
      const intent = () => stage.merchant.getIntent(id);
      return { subject: { id, intent }, steps: lastSteps(world, state, intent) };
    }
    const subject = { id: '', intent: () => stage.merchant.getIntent(subject.id) };
    world.chargeAtEnd(async () => {
      subject.id = await make();
      await stage.collectScheduled(subject.id, endAt);
    });
    return { subject, steps: [] };
  },

  async link(world, state, means, end) {
    const { life, links, stage, customer: customer_id, methods } = world;
    const { id } = await links.link({
      ...{ name: state, customer_id, max_payments: null, payment_method_types: ['card', 'au_becs_debit'] },
      ...(end === 'linkExpiry' ? { expires_at: linkExpiresAt } : {}),
      metadata: { _sandbox_outcome: state === 'challenge' ? 'requires_action,succeed' : outcomesOf(state) },
    });
    let token = '';
    const session = async () => String((await links.find(token))?.session.id);
    const intent = async () => {
      const { payment_intent_id: paid } = await life.get('checkout_sessions', await session());
      return paid === null ? undefined : stage.merchant.getIntent(paid);
    };
    const opens = async () => {
      token = await links.open(await links.read({ id }));
    };
    const pays = async () => {
      const submitted = await links.pay(token, { method: { id: methods[means] } });
      assert.equal(submitted.kind, 'done', JSON.stringify(submitted));
    };
    const subject = { id, intent, session, token: () => token };
    const opensAt: Partial<Record<PaymentState, string>> = {
      handedOver: '2027-02-05T03:00:00.000Z',
      challenge: '2027-02-05T01:10:00.000Z',
      returned: '2027-02-03T00:00:00.000Z',
    };
    const opened = means === 'account' && dueOn(state, means) < '2027-02-05' ? opensAt.returned : opensAt[state];
    const steps: Steps = [[opened ?? endAt, opens]];
    if (state === 'charged') world.chargeAtEnd(pays);
    else if (state !== 'scheduled') steps.push([state === 'challenge' ? endAt : (opened ?? endAt), pays]);
    return { subject, steps: [...steps, ...(state === 'challenge' ? [] : lastSteps(world, state, intent))] };
  },
};

/** The latest payment of a plan or a subscription, if it has one. `isSecond`: after the first. */
function lastOf(life: Life, id: string, { isSecond = false } = {}): Subject['intent'] {
  return async () => {
    const latest = (await life.intentsOf(id)).slice(isSecond ? 1 : 0).at(-1);
    return latest === undefined ? undefined : life.get('payment_intents', latest);
  };
}
