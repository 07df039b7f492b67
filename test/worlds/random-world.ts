import { type Chance, chanceOf } from '../../lab/random.ts';
import { actionsOf } from './random-actions.ts';
import { makeQuarrel, subjectOf } from './random-subjects.ts';
import { day, hour, iso, type Subject, type World, type WorldCustomer } from './world.ts';

/** Before leap days, ends of months, Easter, Anzac Day, changes of daylight saving, and the end of a year. */
const dates = [
  '2027-01-05',
  '2027-01-30',
  '2027-03-19',
  '2027-03-31',
  '2027-06-08',
  '2027-09-28',
  '2027-12-14',
  '2028-02-10',
  '2028-04-10',
];
const zones = ['UTC', 'UTC', 'Australia/Sydney', 'America/New_York', 'Pacific/Auckland'];
const cards = ['tok_sandbox_visa_succeed', 'tok_sandbox_mastercard_succeed'];
const badCards = ['tok_sandbox_visa_decline_insufficient_funds', 'tok_sandbox_visa_decline_card_lost'];
const mostSubjects = 5;
/** The share of worlds in which payments fail and come back, and much is done about it. */
const quarrelShare = 0.4;

/** The world of a seed: always the same one. */
export function worldOf(seed: string): World {
  const chance = chanceOf(`world ${seed}`);
  const hours = chance.happens(0.6) ? 0 : chance.between(0, 23);
  const begin = Date.parse(`${chance.pick(dates)}T00:00:00Z`) + hours * hour;
  const place = { begin, zone: chance.pick(zones), days: chance.between(14, 70) };
  const customers: WorldCustomer[] = [];
  let left = mostSubjects;
  const count = chance.pick([1, 1, 1, 2, 2, 3]);
  for (let number = 1; number <= count && left > 0; number += 1) {
    const customer = customerOf(chance, place, Math.min(left, 3));
    customers.push(customer);
    left -= customer.subjects.length;
  }
  const isQuarrel = chance.happens(quarrelShare);
  if (isQuarrel) for (const { subjects } of customers) for (const subject of subjects) makeQuarrel(chance, subject);
  return {
    from: iso(begin),
    days: place.days,
    time_zone: place.zone,
    strides: seed,
    customers,
    actions: actionsOf(chance, customers, place, isQuarrel),
  };
}

/** When and where a world is, as far as its terms depend on it. */
export interface Setting {
  begin: number;
  zone: string;
  days: number;
}

function customerOf(chance: Chance, setting: Setting, most: number): WorldCustomer {
  const has = chance.pick(['card', 'account', 'account', 'both'] as const);
  const lapses = chance.happens(0.08) ? chance.between(3, setting.days) : null;
  const customer: WorldCustomer = {
    card: has === 'account' ? null : chance.pick(chance.happens(0.85) ? cards : badCards),
    account: has === 'card' ? null : { lapses_in_days: lapses },
    first: chance.pick(['card', 'account'] as const),
    subjects: [],
  };
  const count = Math.min(most, chance.pick([1, 1, 2, 2, 3]));
  const subjects: Subject[] = customer.subjects;
  for (let number = 1; number <= count; number += 1) subjects.push(subjectOf(chance, setting, customer));
  return customer;
}

/** The date in a zone, that many days after an instant. */
export function dateAfter(at: number, days: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(at));
  return iso(Date.parse(`${parts}T00:00:00Z`) + days * day).slice(0, 10);
}
