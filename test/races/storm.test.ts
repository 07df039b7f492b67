import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import type { Reply } from '../support/api.ts';
import { useStage } from '../support/stage.ts';
import { assertAccounted } from './account.ts';
import { type Dice, races, storm } from './storms.ts';

const day = 86_400_000;
const rounds = 10;

/** A plan and a payment of one customer, both due, and their methods. */
interface Prey {
  customer: string;
  cards: string[];
  plan: string;
  intent: string;
}

/** From its answer on, no charge of the plan is opened, unless a request undoes it. */
const stoppers = ['suspend', 'deactivate', 'close', 'delete customer'];
/** They make a plan collect again, or charge its payment without it. */
const undoers = ['resume', 'confirm slot'];

describe('a storm of requests and workers', () => {
  const stage = useStage();
  const request = (method: string, path: string, body?: object) => stage.request(method, path, body);

  async function prepare({ pick, random }: Dice): Promise<Prey> {
    const { id: customer } = await stage.merchant.customer();
    const cards = [await stage.merchant.card(customer), await stage.merchant.card(customer)];
    const _sandbox_outcome = pick(['succeed', 'succeed', 'decline,succeed', 'timeout,decline,succeed', 'decline']);
    const total = pick([undefined, 1000, 1500, 2500]);
    const { id: plan } = await stage.merchant.plan({
      customer_id: customer,
      start_date: realNow().toISOString().slice(0, 10),
      failure_behaviour: pick(['retry', 'retry', 'stop']),
      metadata: { _sandbox_outcome },
      ...(total === undefined ? {} : { total_amount_cents: total }),
      ...(random() < 0.5 ? { payment_instrument_id: cards[0] ?? '' } : {}),
    });
    await stage.merchant.move(plan, 'activate');
    if (random() < 0.3) await stage.collect(plan, realNow());
    const intent = await stage.merchant.intent({
      ...{ amount: 1000, currency: 'AUD', customer_id: customer, payment_method: cards[1] ?? '' },
      metadata: { _sandbox_outcome: pick(['succeed', 'decline,succeed']) },
    });
    return { customer, cards, plan, intent: intent.id };
  }

  const deeds = (prey: Prey, { pick }: Dice): Record<string, () => Promise<Reply | undefined>> => {
    const collectAt = (days: number) => async () => {
      await stage.collect(prey.plan, new Date(realNow().getTime() + days * day));
      return undefined;
    };
    const slotIntent = async () => (await stage.merchant.payments(prey.plan))[0]?.payment_intent_id ?? prey.intent;
    // Decided now, not when their turn comes: the order of the turns is the machine's.
    const [amount, total, card, refunded] = [
      pick([300, 700]),
      pick([700, 1000, 1700]),
      pick(prey.cards),
      pick([1, 600, 1000]),
    ];
    const plan = `/payment_plans/${prey.plan}`;
    const intent = `/payment_intents/${prey.intent}`;
    return {
      collect: collectAt(0),
      'collect too': collectAt(0),
      'collect a retry': collectAt(1),
      'collect the next slot': collectAt(7),
      suspend: () => request('POST', `${plan}/suspend`),
      resume: () => request('POST', `${plan}/resume`),
      deactivate: () => request('POST', `${plan}/deactivate`),
      close: () => request('POST', `${plan}/close`),
      'change the amount': () => request('PUT', plan, { recurring_amount_cents: amount }),
      'change the total': () => request('PUT', plan, { total_amount_cents: total }),
      'change the method': () => request('PUT', plan, { payment_instrument_id: prey.cards[1] ?? '' }),
      detach: () => request('POST', `/payment_methods/${card}/detach`),
      'delete customer': () => request('DELETE', `/customers/${prey.customer}`),
      confirm: () => request('POST', `${intent}/confirm`, {}),
      'confirm too': () => request('POST', `${intent}/confirm`, { payment_method: prey.cards[0] }),
      cancel: () => request('POST', `${intent}/cancel`),
      refund: () => request('POST', `${intent}/refunds`, { amount: refunded }),
      'refund too': () => request('POST', `${intent}/refunds`, {}),
      'confirm slot': async () => request('POST', `/payment_intents/${await slotIntent()}/confirm`, {}),
      'refund slot': async () => request('POST', `/payment_intents/${await slotIntent()}/refunds`, {}),
    };
  };

  const attemptsOf = async (plan: string) => {
    const [row] = await stage.db.sql<{ count: number }[]>`
      select count(*)::integer as count from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
      where i.payment_plan_id = ${plan}`;
    return row?.count;
  };

  async function play(dice: Dice): Promise<void> {
    const answering = dice.random() * 4;
    stage.ledger.beforeAnswer = () => pause(answering);
    const prey = await prepare(dice);
    const all = deeds(prey, dice);
    const chosen = dice.some(Object.keys(all), 3 + Math.floor(dice.random() * 6));
    let attemptsWhenStopped: number | undefined;
    const act = async ({ name, delay }: { name: string; delay: number }) => {
      await pause(delay);
      const reply = await all[name]?.();
      if (stoppers.includes(name) && reply?.status === 200) {
        attemptsWhenStopped ??= await attemptsOf(prey.plan);
      }
      return reply;
    };
    const replies = await Promise.all(chosen.map((name) => ({ name, delay: dice.random() * 8 })).map(act));
    const failed = replies.filter((reply) => reply !== undefined && reply.status >= 500);
    assert.deepEqual(failed, [], chosen.join(', '));
    stage.ledger.beforeAnswer = async () => {};
    await stage.collectAll(prey.plan, new Date(realNow().getTime() + 30 * day));
    if (attemptsWhenStopped !== undefined && !chosen.some((name) => undoers.includes(name))) {
      assert.equal(await attemptsOf(prey.plan), attemptsWhenStopped, `a charge began after ${chosen.join(', ')}`);
    }
  }

  it(`leaves every invariant standing and every cent accounted for, in ${rounds * races} rounds`, async function () {
    this.timeout(60_000 * races);
    await storm(rounds, play);
    await assertAccounted(stage);
  });
});
