import { allKinds, idKinds } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type Invariant, type Offender, restore } from './invariant.ts';
import { referencesIn } from './tenant-tables.ts';

const breach = `Treat it as a security incident: data of one biller or mode may be seen by another. ${restore}`;

/** Tables of what is on the clock of its customer. */
const onClockOfCustomer = [
  'payment_plans',
  'subscriptions',
  'mandates',
  'payment_links',
  'checkout_sessions',
  'events',
];

const offClock = (db: Db, table: string) => db`
  select o.id,
    format('clock %s, customer on %s', coalesce(o.test_clock_id, 'none'), coalesce(c.test_clock_id, 'none')) as detail
  from ${db(table)} o join customers c on c.id = o.customer_id
  where o.test_clock_id is distinct from c.test_clock_id`;

/** Promise 4: two modes, two billers or two clocks never see each other's data. */
export const tenantInvariants: Invariant[] = [
  {
    name: 'what a row points at is of its own biller and mode',
    promise: 4,
    remedy: breach,
    offenders: async (db) => {
      const pointers = (await referencesIn(db)).map(
        ({ table, key, column, target, owner }) => db`
          select ${db(`t.${key}`)}::text as id, format('points at %s of another biller or mode', p.id) as detail
          from ${db(table)} t
          ${owner === undefined ? db`` : db`join ${db(owner.table)} o on o.id = ${db(`t.${owner.column}`)}`}
          join ${db(target)} p on p.id = ${db(`t.${column}`)}
          where (p.biller_id, p.livemode) <> ${
            owner === undefined ? db`(t.biller_id, t.livemode)` : db`(o.biller_id, o.livemode)`
          }`,
      );
      return db<Offender[]>`${pointers.reduce((all, next) => db`${all} union all ${next}`)} limit 100`;
    },
  },
  {
    name: 'an event is of the biller and mode of what it is about',
    promise: 4,
    remedy: breach,
    offenders: (db) => {
      const subjects = allKinds
        .flatMap((kind) => idKinds[kind].collection ?? [])
        .map((table) => db`select id, biller_id, livemode from ${db(table)}`)
        .reduce((all, next) => db`${all} union all ${next}`);
      return db<Offender[]>`
        select e.id, format('is about %s of another biller or mode', s.id) as detail
        from events e join (${subjects}) s on s.id = e.subject_id
        where (e.biller_id, e.livemode) <> (s.biller_id, s.livemode) limit 100`;
    },
  },
  {
    // A payment without a customer keeps its method when that method is later attached to a customer.
    name: 'a payment, a plan, a mandate and a default method are for an account of their own customer',
    promise: 4,
    remedy: breach,
    offenders: (db) => db<Offender[]>`
      with charged (id, customer_id, method_id) as (
        select id, customer_id::text, payment_method_id from payment_intents
        union all select id, customer_id, payment_instrument_id from payment_plans
        union all select id, customer_id, payment_instrument_id from subscriptions
        union all select id, customer_id, payment_method_id from mandates
        union all select id, id, default_payment_method_id from customers
      )
      select c.id, format('customer %s, method of %s', c.customer_id, m.customer_id) as detail
      from charged c join payment_methods m on m.id = c.method_id
      where m.customer_id <> c.customer_id limit 100`,
  },
  {
    name: 'a plan, a mandate, a link, a session, a payment and their events are on the clock of their customer',
    promise: 4,
    remedy: breach,
    offenders: (db) => db<Offender[]>`
      ${onClockOfCustomer.map((table) => offClock(db, table)).reduce((all, next) => db`${all} union all ${next}`)}
      union all
      select i.id, format('customer %s, plan of %s', coalesce(i.customer_id, 'none'), p.customer_id) as detail
      from payment_intents i join payment_plans p on p.id = i.payment_plan_id
      where i.customer_id is distinct from p.customer_id
      limit 100`,
  },
  {
    name: 'nothing in live mode is made for the sandbox',
    promise: 4,
    remedy: breach,
    offenders: (db) => db<Offender[]>`
      select id, 'a test clock' as detail from test_clocks where livemode
      union all select id, 'a customer on a test clock' from customers where livemode and test_clock_id is not null
      union all select id, 'a fixture card' from payment_methods where livemode and fixture_token is not null
      union all select id, 'a test clock event' from events
        where livemode and (test_clock_id is not null or event_type like 'test\_clock.%')
      limit 100`,
  },
];
