import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { useSubscriber } from '../support/subscriber.ts';
import { assertAccounted } from './account.ts';
import { type Dice, races, storm } from './storms.ts';

const rounds = 16;
/** The second period begins. */
const due = '2027-02-10T00:00:00Z';
const later = '2027-05-10T00:00:00Z';
const itemsAt = (price: number) => [{ name: 'Membership', unit_amount_cents: price }];
const outcomes = {
  due: 'succeed',
  retried: 'succeed;decline,succeed',
  'given up': 'succeed;decline,decline,decline,decline,succeed',
} as const;

describe('a storm of requests for a subscription and workers', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const post = (id: string, path: string, body?: object, key?: string): Promise<Reply> =>
    stage.api.send('POST', `/api/v1/subscriptions/${id}/${path}`, {
      key: stage.keys.sandboxSecret,
      ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
      ...(body === undefined ? {} : { body }),
    });

  /** A subscription that something is about to happen to, at an instant that its clock has reached. */
  async function prepare(dice: Dice): Promise<{ id: string; at: string }> {
    await setClock('2027-01-10T00:00:00Z');
    const made = await make(dice);
    // As in real time, where requests are taken while something is due.
    await setClock(made.at);
    return made;
  }

  const setClock = (at: string) =>
    stage.db.sql`update test_clocks set frozen_time = ${at} where id = ${here.clock}`.then(() => undefined);

  async function make({ pick }: Dice): Promise<{ id: string; at: string }> {
    const kind = pick(['pending', 'trial', 'due', 'retried', 'given up', 'paused', 'with credit', 'ending'] as const);
    if (kind === 'pending') return { id: (await subscriber.create()).id, at: due };
    if (kind === 'trial') return { id: await subscriber.started({ trial_days: 10 }), at: '2027-01-20T00:00:00Z' };
    const chosen = kind in outcomes ? outcomes[kind as keyof typeof outcomes] : 'succeed';
    const id = await subscriber.started({ metadata: { _sandbox_outcome_by_period: chosen } });
    const collectOn = (day: string) => stage.collectSubscriptionAll(id, `2027-02-${day}T00:00:00Z`);
    if (kind === 'with credit') await post(id, 'change', { items: itemsAt(900), when: 'now' });
    if (kind === 'ending') await post(id, 'cancel', {});
    if (kind === 'paused') await post(id, 'pause', {});
    if (kind === 'retried' || kind === 'paused') await collectOn('10');
    if (kind === 'given up') for (const day of ['10', '11', '13', '15']) await collectOn(day);
    return { id, at: { retried: '2027-02-11T00:00:00Z', 'given up': '2027-02-15T00:00:00Z' }[String(kind)] ?? due };
  }

  const deeds = (id: string, at: string, key: string): Record<string, () => Promise<Reply | undefined>> => {
    const upgrade = { items: itemsAt(9800), when: 'now', collect: 'now' };
    const collect = async () => {
      await stage.collectSubscription(id, at);
      return undefined;
    };
    return {
      'cancel now': () => post(id, 'cancel', { at: 'now' }),
      cancel: () => post(id, 'cancel', {}),
      uncancel: () => post(id, 'uncancel'),
      pause: () => post(id, 'pause', {}),
      resume: () => post(id, 'resume'),
      'resume with a key': () => post(id, 'resume', undefined, `${key} resume`),
      'resume with the same key': () => post(id, 'resume', undefined, `${key} resume`),
      start: () => post(id, 'start'),
      'start with a key': () => post(id, 'start', undefined, `${key} start`),
      'start with the same key': () => post(id, 'start', undefined, `${key} start`),
      'retry now': () => post(id, 'retry_now'),
      'retry now with a key': () => post(id, 'retry_now', undefined, `${key} retry`),
      'retry now with the same key': () => post(id, 'retry_now', undefined, `${key} retry`),
      upgrade: () => post(id, 'change', upgrade),
      'upgrade with a key': () => post(id, 'change', upgrade, key),
      'upgrade with the same key': () => post(id, 'change', upgrade, key),
      downgrade: () => post(id, 'change', { items: itemsAt(1200), when: 'now' }),
      'change later': () => post(id, 'change', { items: itemsAt(6000) }),
      'refund credit': () => post(id, 'refund_credit', {}),
      'refund credit with a key': () => post(id, 'refund_credit', {}, `${key} refund`),
      'refund credit with the same key': () => post(id, 'refund_credit', {}, `${key} refund`),
      collect,
      'collect too': collect,
    };
  };

  it('takes the money of each period, change and refund once, and none after a cancellation', async function () {
    this.timeout(60_000 * races);
    await storm(rounds, async (dice) => {
      const { id, at } = await prepare(dice);
      const all = deeds(id, at, `storm ${dice.seed}`);
      const chosen = dice.some(Object.keys(all), 3 + Math.floor(dice.random() * 4));
      const replies = await Promise.all(chosen.map(async (name) => ({ name, reply: await all[name]?.() })));
      const told = replies.map(({ name, reply }) => `${name} ${reply?.status ?? ''}`).join(', ');
      const of = (name: string) => replies.find((one) => one.name === name)?.reply;
      for (const { reply } of replies) assert.ok((reply?.status ?? 200) < 500, `${told}: ${reply?.text}`);
      for (const what of ['start', 'resume', 'retry now', 'upgrade', 'refund credit']) {
        const [one, same] = [of(`${what} with a key`), of(`${what} with the same key`)];
        if (one !== undefined && same !== undefined && one.status < 300 && same.status < 300)
          assert.equal(one.text, same.text, told);
      }
      await assertAccounted(stage);
      const before = { periods: await subscriber.periods(id), taken: stage.ledger.taken.size };
      await stage.collectSubscriptionAll(id, later);
      await assertAccounted(stage);
      if (of('cancel now')?.status === 200) {
        const after = { periods: await subscriber.periods(id), taken: stage.ledger.taken.size };
        assert.deepEqual(after, before, told);
      }
      await post(id, 'cancel', { at: 'now' });
    });
  });
});
