import { dateAfter, dateAt } from '../../lab/model/calendar.ts';
import { type Clock, type Customer, isGone, type Method, nowOf, type World } from './world.ts';

/** A request, with names for ids, and what the rules make of it. */
export interface Deed {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: Record<string, unknown>;
  /** The name of what it makes. */
  makes?: string;
  /** Changes the world and answers what the API is to answer. @throws Refused, and then nothing has changed. */
  does(): Success;
}

interface Success {
  status: number;
  /** What the body shows; undefined where it shows nothing that the model knows. */
  body?: unknown;
}

/**
 * The object that a step means: 0 is the newest that fits, 1 the one before it, round and round; of all objects where
 * none fits, or the number is negative. None where there are no such objects.
 */
export function pick<T>(all: readonly T[], back: number, fits: (one: T) => boolean = () => true): T | undefined {
  const fitting = back < 0 ? [] : all.filter(fits);
  const choice = fitting.length > 0 ? fitting : all;
  return choice[choice.length - 1 - (Math.abs(back) % Math.max(1, choice.length))];
}

/** The same where a step may leave it out, or where nothing is there to name. */
export function pickMaybe<T>(
  all: readonly T[],
  back: number | null | undefined,
  fits: (one: T) => boolean = () => true,
): T | null {
  return back === null || back === undefined ? null : (pick(all, back, fits) ?? null);
}

export const isThere = (clock: Clock): boolean => !clock.isDeleted;
export const isServed = (customer: Customer): boolean => customer.deletedAt === null && !isGone({ customer });
export const isAtHand = (method: Method): boolean => !method.isDetached && !isGone(method);
/** Whether a method can be named for a customer. */
export const isFor =
  (customer: Customer | null) =>
  (method: Method): boolean =>
    isAtHand(method) && (customer === null || method.customer === null || method.customer === customer);

export function today(world: World, customer: Customer | null): string {
  return dateAt(nowOf(world, customer), world.zone);
}

/** How far ahead the dates of plans in real time lie: no run of the tests sees them come. */
const neverDays = 400;

/** A plan's date, so many days from the customer's today. */
export function dateIn(world: World, customer: Customer, days: number): string {
  const ahead = customer.clock === null && days >= 0 ? days + neverDays : days;
  return dateAfter(today(world, customer), ahead);
}

/** A body without the members that are not given. */
export function given(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
