import type { Pool } from '../../src/platform/postgres/connection.ts';
import type { Body } from './place.ts';

const idPattern = /\b(acct|cus|pm|mdt|pi_sandbox|pi|att|re|po|pp|lnk|ses|sub|sbi|clk|adv|evt|req)_[0-9A-Za-z]{32}\b/g;
/** What differs between two tellings of one story, and says nothing. */
const leftOut = new Set([
  'client_secret',
  'url',
  'receipt_url',
  'next_action',
  'reference',
  'lodgement_reference',
  'advance_id',
  'event_id',
  'request_id',
  'recorded_at',
  'fingerprint',
]);

/** Gives each object the same name in every telling, whatever its id. */
export class Names {
  readonly #names = new Map<string, string>();

  set(id: string, name: string): void {
    this.#names.set(id, name);
  }

  of(id: string): string {
    return this.#names.get(id) ?? this.#unknown(id);
  }

  /** A value of the API with names for ids, without what differs always. */
  in(value: Body): Body {
    if (typeof value === 'string') return value.replaceAll(idPattern, (id) => this.of(id));
    if (Array.isArray(value)) return value.map((one) => this.in(one));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).filter(([name]) => !leftOut.has(name));
    return Object.fromEntries(members.map(([name, member]) => [this.in(name), this.in(member)]));
  }

  #unknown(id: string): string {
    return `${id.slice(0, id.lastIndexOf('_'))}_…`;
  }

  /** Names the payments that plans, subscriptions and sessions have made, their refunds and disputes, and payouts. */
  async findPayments(sql: Pool, billerId: string): Promise<void> {
    const sessions = await sql<{ id: string; payment_link_id: string; position: number }[]>`
      select id, payment_link_id, row_number() over (partition by payment_link_id order by id) as position
      from checkout_sessions where biller_id = ${billerId} and payment_link_id is not null`;
    for (const { id, payment_link_id, position } of sessions) {
      this.set(id, `${this.of(payment_link_id)}/session${position}`);
    }
    const intents = await sql<{ id: string; owner: string; part: string }[]>`
      select i.id, coalesce(i.payment_plan_id, i.subscription_id, i.checkout_session_id, i.customer_id) as owner,
        case when i.payment_plan_slot is not null then 'slot' || i.payment_plan_slot
          when p.number is not null then 'period' || p.number
          when i.subscription_charge is not null then 'charge' || i.subscription_charge
          else 'payment' end as part
      from payment_intents i left join subscription_periods p on p.payment_intent_id = i.id
      where i.biller_id = ${billerId}
      order by i.id`;
    for (const { id, owner, part } of intents) {
      if (!this.#names.has(id)) this.set(id, `${this.of(owner)}/${part}`);
    }
    const refunds = await sql<{ id: string; payment_intent_id: string; position: number }[]>`
      select f.id, f.payment_intent_id, row_number() over (partition by f.payment_intent_id order by f.id) as position
      from refunds f where f.biller_id = ${billerId}`;
    for (const { id, payment_intent_id, position } of refunds) {
      this.set(id, `${this.of(payment_intent_id)}/refund${position}`);
    }
    const disputes = await sql<{ id: string; payment_intent_id: string; position: number }[]>`
      select d.id, d.payment_intent_id, row_number() over (partition by d.payment_intent_id order by d.id) as position
      from disputes d where d.biller_id = ${billerId}`;
    for (const { id, payment_intent_id, position } of disputes) {
      this.set(id, `${this.of(payment_intent_id)}/dispute${position}`);
    }
    const payouts = await sql<{ id: string; currency: string; position: number }[]>`
      select id, currency, row_number() over (partition by currency order by created_at, id) as position
      from payouts where biller_id = ${billerId}`;
    for (const { id, currency, position } of payouts) this.set(id, `payout${position} in ${currency}`);
  }
}
