import type { Action, World, WorldCustomer } from './world.ts';

/** Smaller worlds than this one, the smallest steps last. Each is a world on its own. */
function* smallerWorlds(world: World): Generator<World> {
  const { customers, actions, days } = world;
  if (customers.length > 1)
    for (let index = 0; index < customers.length; index += 1) yield withoutCustomer(world, index);
  if (actions.length > 1) yield { ...world, actions: [] };
  for (let index = 0; index < actions.length; index += 1) yield { ...world, actions: actions.toSpliced(index, 1) };
  for (const [index, { subjects }] of customers.entries()) {
    if (subjects.length > 1) for (let at = 0; at < subjects.length; at += 1) yield withoutSubject(world, index, at);
  }
  for (const fewer of [7, 14, 21, 28, 35, 42, 50]) if (fewer < days) yield { ...world, days: fewer };
  if (days > 1) yield { ...world, days: days - 1 };
  for (const [index, customer] of customers.entries()) {
    for (const smaller of smallerCustomers(customer)) yield { ...world, customers: customers.with(index, smaller) };
  }
  if (world.time_zone !== 'UTC') yield { ...world, time_zone: 'UTC' };
  const midnight = `${world.from.slice(0, 10)}T00:00:00.000Z`;
  if (world.from !== midnight) yield { ...world, from: midnight };
  for (const [index, action] of actions.entries()) {
    const rounded = Math.floor(action.at / 24) * 24;
    if (rounded !== action.at && rounded > 0)
      yield { ...world, actions: actions.with(index, { ...action, at: rounded }) };
  }
}

function withoutCustomer(world: World, index: number): World {
  const left = world.actions.filter(({ customer }) => customer !== index + 1);
  const renumbered = left.map((action) => ({
    ...action,
    customer: action.customer - (action.customer > index + 1 ? 1 : 0),
  }));
  return { ...world, customers: world.customers.toSpliced(index, 1), actions: renumbered };
}

function withoutSubject(world: World, customer: number, index: number): World {
  const isOf = (action: Action) => action.customer === customer + 1 && action.subject !== undefined;
  const actions = world.actions
    .filter((action) => !isOf(action) || action.subject !== index + 1)
    .map((action) =>
      isOf(action)
        ? { ...action, subject: (action.subject ?? 0) - ((action.subject ?? 0) > index + 1 ? 1 : 0) }
        : action,
    );
  const customers = world.customers.map((one, at) =>
    at === customer ? { ...one, subjects: one.subjects.toSpliced(index, 1) } : one,
  );
  return { ...world, customers, actions };
}

const needed = new Set([
  'name',
  'currency',
  'frequency_type',
  'items',
  'amount',
  'recurring_amount_cents',
  'start_date',
]);

function* smallerCustomers(customer: WorldCustomer): Generator<WorldCustomer> {
  const { card, account, subjects } = customer;
  if (card !== null && account !== null) {
    yield { ...customer, card: null };
    yield { ...customer, account: null };
  }
  if (account !== null && account.lapses_in_days !== null) yield { ...customer, account: { lapses_in_days: null } };
  for (const [index, subject] of subjects.entries()) {
    const smaller = (terms: Record<string, unknown>) => ({
      ...customer,
      subjects: subjects.with(index, { ...subject, terms }),
    });
    for (const name of Object.keys(subject.terms)) {
      if (needed.has(name)) continue;
      const { [name]: value, ...rest } = subject.terms;
      yield smaller(rest);
      if (name === 'total_amount_cents') yield smaller({ ...rest, until_further_notice: true });
      if (name !== 'metadata') continue;
      for (const metadata of smallerMetadata(value as Record<string, string>)) yield smaller({ ...rest, metadata });
    }
  }
}

/** Without one of its lists, or with one word less in it. */
function* smallerMetadata(metadata: Record<string, string>): Generator<Record<string, string>> {
  for (const [name, text] of Object.entries(metadata)) {
    const { [name]: _, ...rest } = metadata;
    if (Object.keys(rest).length > 0) yield rest;
    for (const separator of [';', ',']) {
      const words = text.split(separator);
      if (words.length < 2) continue;
      for (let index = 0; index < words.length; index += 1) {
        yield { ...metadata, [name]: words.toSpliced(index, 1).join(separator) };
      }
    }
  }
}

/**
 * The smallest world that still has a fault of the same rule, found by going on from each smaller one that has it.
 * `limitMs` ends the search early.
 */
export async function shrink(
  world: World,
  hasFault: (world: World) => Promise<boolean>,
  limitMs = Number.POSITIVE_INFINITY,
): Promise<World> {
  const endsAt = performance.now() + limitMs;
  let smallest = world;
  const tried = new Set<string>();
  search: for (;;) {
    for (const smaller of smallerWorlds(smallest)) {
      if (performance.now() > endsAt) return smallest;
      const text = JSON.stringify(smaller);
      if (tried.has(text)) continue;
      tried.add(text);
      if (!(await hasFault(smaller).catch(() => false))) continue;
      smallest = smaller;
      continue search;
    }
    return smallest;
  }
}
