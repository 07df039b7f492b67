import { firstInstant } from './mandate-lapse.ts';
import type { Names } from './names.ts';
import { type Account, type Answer, type Body, nextDue } from './place.ts';
import { iso, type Subject, startOf, type Terms, type World, type WorldCustomer } from './world.ts';

/** How time passes for a world. */
export interface WorldTime {
  /** What each customer is made with. */
  ofCustomers: Terms;
  /** Lets time pass up to an instant. */
  passTo(at: number): Promise<void>;
  /** Waits until nothing is due at the present time, which is `at`. */
  settle(at: number): Promise<void>;
}

/** A world at its beginning. */
export interface Built {
  /** Ids by name, such as `customer1/plan2`. What was refused has none. */
  ids: Map<string, string>;
  /** The answers to the requests that made the subjects. */
  answers: { what: string; answer: Answer }[];
}

export const customerName = (customer: number): string => `customer${customer}`;

export function subjectName(world: World, customer: number, subject: number): string {
  const kind = world.customers[customer - 1]?.subjects[subject - 1]?.kind ?? 'nothing';
  return `${customerName(customer)}/${kind}${subject}`;
}

const collections: Record<Subject['kind'], string> = {
  plan: 'payment_plans',
  subscription: 'subscriptions',
  scheduled: 'payment_intents',
  link: 'payment_links',
  session: 'checkout_sessions',
};
export const collectionOf = (kind: Subject['kind']): string => collections[kind];

/** Makes all that a world has. The present time is that of `firstInstant`, and at the end that of the world. */
export async function build(account: Account, world: World, names: Names, time: WorldTime): Promise<Built> {
  names.set(account.billerId, 'biller');
  const built: Built = { ids: new Map(), answers: [] };
  const known = (name: string, { id }: Body) => {
    names.set(id, name);
    built.ids.set(name, id);
  };
  for (const [index, customer] of world.customers.entries()) {
    const name = customerName(index + 1);
    known(name, await account.do('POST', '/customers', { name: 'Jo Nguyen', ...time.ofCustomers }));
    await addMethods(account, built, name, customer, known);
  }
  await time.passTo(startOf(world));
  for (const [index, { subjects }] of world.customers.entries()) {
    for (const [position, subject] of subjects.entries()) {
      const name = subjectName(world, index + 1, position + 1);
      const answer = await make(account, built, customerName(index + 1), subject, world);
      built.answers.push({ what: name, answer });
      if (answer.status >= 300) continue;
      known(name, answer.body);
      const first = { plan: 'activate', subscription: 'start' }[subject.kind as string];
      if (first === undefined) continue;
      const path = `/${collectionOf(subject.kind)}/${answer.body.id}/${first}`;
      built.answers.push({ what: `${first} ${name}`, answer: await account.ask('POST', path) });
      await time.settle(startOf(world));
    }
  }
  return built;
}

/** Makes a test clock of the account, for a world. */
export async function makeClock(account: Account, world: World, names: Names): Promise<WorldTime & { clock: string }> {
  const frozen_time = iso(firstInstant(world));
  const { id: clock } = await account.do('POST', '/test_helpers/test_clocks', { frozen_time });
  names.set(clock, 'clock');
  return {
    clock,
    ofCustomers: { test_clock: clock },
    passTo: (at) => passTo(account, clock, at),
    settle: (at) => settle(account, clock, at),
  };
}

/** Workflows act on what a request has made due. */
async function settle(account: Account, clock: string, now: number): Promise<void> {
  await account.place.carryOut?.(clock);
  for (let tries = 0; (await nextDue(account.place, clock, now)) !== null; tries += 1) {
    if (tries > 1000) throw new Error(`something is still due at ${iso(now)} after all this time`);
    await new Promise((resolve) => setTimeout(resolve, 12));
  }
}

async function addMethods(
  account: Account,
  { ids }: Built,
  customer: string,
  { card, account: bank, first }: WorldCustomer,
  known: (name: string, body: Body) => void,
): Promise<void> {
  const addCard = async () => {
    if (card !== null) known(`${customer}/card`, await addCardOf(account, ids.get(customer) ?? '', card));
  };
  if (first === 'card') await addCard();
  if (bank !== null) {
    const added = await addAccountOf(account, ids.get(customer) ?? '');
    known(`${customer}/account`, added.account);
    known(`${customer}/mandate`, added.mandate);
  }
  if (first === 'account') await addCard();
}

export async function addCardOf(account: Account, customer: string, token: string): Promise<Body> {
  const made = await account.do('POST', '/payment_methods', {
    type: 'card',
    customer_reference: customer,
    payment_method_data: {
      expiry_month: 12,
      expiry_year: 2099,
      token_metadata: { type: 'fixture', token, data: '' },
    },
  });
  return made.payment_method;
}

export async function addAccountOf(account: Account, customer: string): Promise<{ account: Body; mandate: Body }> {
  const { payment_method: method } = await account.do('POST', '/payment_methods', {
    type: 'au_becs_debit',
    customer_reference: customer,
    payment_method_data: { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '98765432' },
  });
  const { version, sha256 } = await account.do('GET', '/mandate_texts/au_becs');
  const mandate = await account.do('POST', '/mandates', {
    payment_method_id: method.id,
    acceptance: {
      type: 'online',
      ip_address: '203.0.113.7',
      user_agent: 'a browser',
      signatory_name: 'Jo Nguyen',
      text_version: version,
      text_sha256: sha256,
    },
  });
  return { account: method, mandate };
}

/** Advances a clock, on which nothing is due, to where the world begins. */
async function passTo(account: Account, clock: string, begin: number): Promise<void> {
  for (;;) {
    const { frozen_time, max_frozen_time } = await account.do('GET', `/test_helpers/test_clocks/${clock}`);
    if (Date.parse(frozen_time) >= begin) return;
    await advance(account, clock, Math.min(begin, Date.parse(max_frozen_time)));
  }
}

/** Advances a clock and waits for the end of it. Returns the clock. */
export async function advance(account: Account, clock: string, target: number): Promise<Body> {
  const path = `/test_helpers/test_clocks/${clock}`;
  await account.do('POST', `${path}/advance`, { frozen_time: iso(target) });
  await account.place.carryOut?.(clock);
  for (;;) {
    const shown = await account.do('GET', path, undefined, { Prefer: 'wait=60' });
    if (shown.status !== 'advancing') return shown;
  }
}

/** The terms of a subject with ids for the names of methods and other subjects. */
export function withIds(terms: Terms, ids: ReadonlyMap<string, string>, customer: string, world: World): Terms {
  const resolved = { ...terms };
  for (const field of ['payment_instrument_id', 'payment_method']) {
    const name = resolved[field];
    if (typeof name === 'string') resolved[field] = ids.get(`${customer}/${name}`) ?? name;
  }
  if (typeof resolved.apply_to === 'number') {
    const name = subjectName(world, Number(customer.slice('customer'.length)), resolved.apply_to);
    const field = name.includes('/plan') ? 'payment_plan_id' : 'subscription_id';
    resolved.apply_to = { [field]: ids.get(name) ?? 'missing' };
  }
  return resolved;
}

function make(account: Account, built: Built, customer: string, subject: Subject, world: World): Promise<Answer> {
  const terms = withIds(subject.terms, built.ids, customer, world);
  return account.ask('POST', `/${collectionOf(subject.kind)}`, { customer_id: built.ids.get(customer), ...terms });
}
