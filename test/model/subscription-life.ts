// A subscription of the service that lives beside its model: what the model is asked is asked of the API, and what both
// show is compared.
import assert from 'node:assert/strict';
import { day } from '../../lab/model/calendar.ts';
import type { Ask, Off } from '../../lab/model/subscription-asks.ts';
import type { Subscription } from '../../lab/model/subscriptions.ts';
import { tokens } from '../../lab/payer.ts';
import { useLinks } from '../support/links.ts';
import type { useSubscriber } from '../support/subscriber.ts';

const cardTokens = { good: tokens.good, empty: tokens.declining, expired: 'tok_sandbox_visa_decline_expired_card' };

export function useSubscriptionLife(subscriber: ReturnType<typeof useSubscriber>) {
  const { stage, here } = subscriber;
  const links = useLinks(stage);
  const life = {
    /** Whether the service does what was asked, and not refuses it. `day`: the day that the request names. */
    async isDone(
      id: string,
      asked: Ask,
      { now, day: named, quoted }: { now: number; day: string | null; quoted: Subscription['quoted'] | null },
    ): Promise<boolean> {
      const did = await isAccepted(id, asked, { now, named, quoted });
      if (did) await stage.collectSubscriptionAll(id, new Date(now));
      return did;
    },
    assertAgree,
  };

  async function isAccepted(
    id: string,
    asked: Ask,
    { now, named, quoted }: { now: number; named: string | null; quoted: Subscription['quoted'] | null },
  ): Promise<boolean> {
    const path = `/subscriptions/${id}`;
    const dateIn = (days: number) => new Date(now + days * day).toISOString().slice(0, 10);
    switch (asked.ask) {
      case 'change':
        return isChanged(id, asked, quoted);
      case 'refund':
        return (await stage.request('POST', `${path}/refund_credit`, {})).status === 201;
      case 'payback':
        return payBack(id, asked.amount);
      case 'card': {
        const card = await stage.merchant.card(here.customer, cardTokens[asked.card]);
        return send('PUT', path, { payment_instrument_id: card });
      }
      case 'heal':
        return heal(id, asked.unpaid);
      case 'fee': {
        const one_off_items = asked.amount === 0 ? [] : [{ name: 'Fee', unit_amount_cents: asked.amount }];
        return send('PUT', path, { one_off_items });
      }
      case 'discount':
        return send('PUT', path, { discounts: asked.off === null ? [] : [discount(asked.off)] });
      case 'cancel':
        return send('POST', `${path}/cancel`, { at: named ?? asked.at });
      case 'pause':
        return send('POST', `${path}/pause`, {
          ...(named === null ? {} : { from: named }),
          ...(asked.resumesIn === null ? {} : { resumes_at: dateIn(asked.resumesIn) }),
        });
      case 'resume':
        return send('POST', `${path}/resume`, asked.unpaid === 'waive' ? { unpaid: 'waive' } : undefined);
      default:
        return send('POST', `${path}/${asked.ask === 'retry' ? 'retry_now' : asked.ask}`);
    }
  }

  async function send(method: string, path: string, body?: object): Promise<boolean> {
    const { status, text } = await stage.request(method, path, body);
    assert.ok(status < 300 || status === 422, `${path}: ${status} ${text}`);
    return status < 300;
  }

  const discount = ({ percent, amount, periods }: Off) => ({
    name: 'Off',
    ...(percent === undefined ? { amount_off_cents: amount } : { percent_off: percent }),
    ...(periods === null ? {} : { periods }),
  });

  /** A payer opens a link that names the subscription, and saves a card that works. */
  async function heal(id: string, unpaid: 'collect' | 'waive'): Promise<boolean> {
    const apply_to = { subscription_id: id, ...(unpaid === 'waive' ? { unpaid } : {}) };
    const body = { mode: 'setup', name: 'Your card', customer_id: here.customer, apply_to };
    const made = await stage.request('POST', '/payment_links', body);
    assert.equal(made.status, 201, made.text);
    const token = await links.open(await links.read({ id: made.body.id }));
    return links.outcome(await links.save(token)) === 'completed';
  }

  /** Refunds a part of the latest payment, up to the credit. */
  async function payBack(id: string, most: number): Promise<boolean> {
    const { latest_payment_intent_id: intent, credit_balance_cents: credit } = await subscriber.get(id);
    return send('POST', `/payment_intents/${intent}/refunds`, { amount: Math.min(most, credit) });
  }

  /** Asks for a quote, and then for the change at this quote. */
  async function isChanged(
    id: string,
    { price, when, collect }: Extract<Ask, { ask: 'change' }>,
    quoted: Subscription['quoted'] | null,
  ): Promise<boolean> {
    const items = [{ name: 'Membership', unit_amount_cents: price }];
    const wanted = when === 'now' ? { items, when, collect } : { items, when };
    const quote = await stage.request('POST', `/subscriptions/${id}/change`, { ...wanted, dry_run: true });
    const sure = when === 'now' ? { expected_amount_cents: quote.body.amount_cents ?? 0 } : {};
    const made = await stage.request('POST', `/subscriptions/${id}/change`, { ...wanted, ...sure });
    assert.equal(made.status, quote.status, made.text);
    if (made.status !== 200) return false;
    for (const { body } of [quote, made]) {
      const next = quoted?.next === null ? null : body.next_period_amount_cents;
      assert.deepEqual({ amount: body.amount_cents, next }, quoted, 'the quote');
    }
    return true;
  }

  async function assertAgree(id: string, model: Subscription): Promise<void> {
    const found = await subscriber.get(id);
    const { account, ...sure } = await shownBy(id, found, model);
    const expected = expectedOf(model);
    for (const key of Object.keys(expected) as (keyof typeof expected)[]) {
      assert.deepEqual(sure[key], expected[key], key);
    }
    if (account !== null && account !== undefined) assert.equal(account, model.account, 'credit and lines');
    const last = (await eventsOf(id)).at(-1);
    for (const field of ['state', 'in_effect', 'in_effect_until', 'owed_amount_cents', 'credit_balance_cents']) {
      assert.deepEqual(last?.data[field], found[field], `the latest event tells ${field}`);
    }
  }

  /** The events of the subscription, oldest first. */
  const eventsOf = (id: string) => stage.db.sql<{ line: string; data: Record<string, unknown> }[]>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') || ' ' || substr(event_type, 14) as line,
      data::jsonb as data
    from events where subject_id = ${id} and event_type like 'subscription.%' order by sequence`;

  // biome-ignore lint/suspicious/noExplicitAny: a response is checked against its schema when it is received.
  async function shownBy(id: string, found: any, model: Subscription) {
    const { body: schedule } = await stage.request('GET', `/subscriptions/${id}/schedule?count=1`);
    const [row] = schedule.data;
    const { body: periods } = await stage.request('GET', `/subscriptions/${id}/periods?limit=100`);
    const attempts = await stage.db.sql<{ intent: string; count: number }[]>`
      select payment_intent_id as intent, count(*)::integer as count from payment_attempts group by 1`;
    const countOf = (intent: string) => attempts.find((one) => one.intent === intent)?.count ?? 0;
    const credit = Number(found.credit_balance_cents);
    const lines = found.next_period_lines.reduce((sum: number, line: { amount_cents: number }) => {
      return sum + line.amount_cents;
    }, 0);
    return {
      state: found.state,
      reason: found.state_reason,
      inEffect: found.in_effect,
      inEffectUntil: found.in_effect_until,
      owed: found.owed_amount_cents,
      paid: found.paid_periods,
      price: (found.next_items ?? found.items)[0].unit_amount_cents,
      account: model.isAccountClear ? (found.state === 'canceled' ? 0 - credit : lines - credit) : null,
      coming: model.isComingClear ? (row === undefined ? null : rowOf(row)) : null,
      periods: periods.data.toReversed().map((p: Record<string, unknown>, index: number) => {
        const tried = model.all[index]?.isCorrected === true ? [] : [countOf(String(p.payment_intent_id))];
        return [p.number, p.start, p.end, p.status, p.amount_cents, ...tried].join(' ');
      }),
      servedUntil: model.servedUntil === null ? null : (periods.data[0]?.served_until ?? 'nothing'),
      told: toldOf((await eventsOf(id)).map(({ line }) => line)),
    };
  }

  return life;
}

const rowOf = ({ number, start, end, amount_cents: amount }: Record<string, unknown>) => ({
  number,
  start,
  end,
  amount,
});

function expectedOf(model: Subscription) {
  const coming = model.isComingClear ? model.coming() : null;
  return {
    state: model.state,
    reason: model.reason,
    inEffect: model.inEffect,
    inEffectUntil: model.inEffectUntil === null ? null : new Date(model.inEffectUntil).toISOString(),
    owed: model.owed,
    paid: model.paid,
    price: model.nextPrice,
    coming: coming === null ? null : rowOf({ ...coming, amount_cents: coming.amount }),
    periods: model.all.map(({ number, start, end, status, amount, attempts, isCorrected }) =>
      [number, start, end, status, amount, ...(isCorrected ? [] : [attempts])].join(' '),
    ),
    servedUntil: model.servedUntil === null ? null : new Date(model.servedUntil).toISOString(),
    told: toldOf(model.told),
  };
}

/** What was told, by day. That an unpaid period is paid by a resume or by a retry has one name here. */
function toldOf(lines: readonly string[]): string[] {
  return lines
    .filter((line) => !line.endsWith(' updated'))
    .map((line) => line.replace(/ (resumed|recovered)$/, ' is back'))
    .toSorted();
}
