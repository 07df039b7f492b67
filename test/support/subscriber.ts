import type { SubscriptionCreate } from '../../src/resources/subscription-input.ts';
import { usePayer } from './payer.ts';
import type { StageOptions } from './stage.ts';

/** What the API returns of a subscription, as far as tests look at it. */
// biome-ignore lint/suspicious/noExplicitAny: a response is checked against its schema when it is received.
type Shown = any;

/**
 * A payer on a clock, as `usePayer`, with subscriptions: monthly, 4900 cents, from the clock's day on.
 */
export function useSubscriber(options: StageOptions = {}) {
  const here = usePayer(options);
  const { stage } = here;
  const request = async (method: string, path: string, body?: unknown): Promise<Shown> => {
    const reply = await stage.request(method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const subscriber = {
    here,
    stage,
    create: (terms: Partial<SubscriptionCreate> = {}): Promise<Shown> =>
      request('POST', '/subscriptions', {
        customer_id: here.customer,
        name: 'Membership',
        currency: 'AUD',
        frequency_type: 'monthly',
        items: [{ name: 'Membership', unit_amount_cents: 4900 }],
        ...terms,
      }),
    get: (id: string): Promise<Shown> => request('GET', `/subscriptions/${id}`),
    /** A request, and what the workflow then does at once. Returns the subscription as it is after both. */
    async ask(id: string, what: string, body?: unknown): Promise<Shown> {
      await request(
        'POST',
        `/subscriptions/${id}/${what}`,
        body ?? (['pause', 'cancel'].includes(what) ? {} : undefined),
      );
      const { frozen_time } = await stage.merchant.getClock(here.clock);
      await stage.collectSubscriptionAll(id, frozen_time);
      return subscriber.get(id);
    },
    async started(terms: Partial<SubscriptionCreate> = {}): Promise<string> {
      const { id } = await subscriber.create(terms);
      await subscriber.ask(id, 'start');
      return id;
    },
    /** Each period, oldest first: `1 2027-01-10 2027-02-10 paid 4900`. */
    async periods(id: string): Promise<string[]> {
      const { data } = await request('GET', `/subscriptions/${id}/periods?limit=100`);
      return data.toReversed().map((p: Shown) => [p.number, p.start, p.end, p.status, p.amount_cents].join(' '));
    },
    /** The events of a subscription, oldest first: `2027-01-10 started`. Without `period_paid` and `updated`. */
    async events(id: string): Promise<string[]> {
      const rows = await stage.db.sql<{ line: string }[]>`
        select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') || ' ' || substr(event_type, 14) ||
          case when event_type = 'subscription.in_effect_changed' then ' ' || (data::jsonb ->> 'in_effect') else '' end as line
        from events where subject_id = ${id} and event_type not in ('subscription.period_paid', 'subscription.updated')
        order by sequence`;
      return rows.map(({ line }) => line);
    },
  };
  return subscriber;
}
