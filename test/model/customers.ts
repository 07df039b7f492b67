import { tellOfPlan } from './charging.ts';
import { type Deed, given, isFor, isServed, isThere, pick, pickMaybe } from './deed.ts';
import { methodFaults } from './methods.ts';
import { endPlan } from './plan-moves.ts';
import { shownCustomer, shownIntent } from './shown.ts';
import type { Of } from './steps.ts';
import {
  type Customer,
  holdStill,
  isGone,
  nowOf,
  refuseFaults,
  refuseMissing,
  refuseState,
  tell,
  type World,
} from './world.ts';

const customersPerClock = 3;

export function createCustomer(world: World, step: Of<'customer'>): Deed {
  const clock = pickMaybe(world.clocks, step.clock, isThere);
  const name = `customer-${world.customers.length}`;
  const fees = step.paysFees === undefined ? undefined : { customer_pays_transaction_fees: step.paysFees };
  return {
    method: 'POST',
    path: '/customers',
    body: given({ name, test_clock: clock?.name, fee_preferences: fees }),
    makes: name,
    does() {
      if (clock?.isDeleted) refuseFaults(422, ['/test_clock']);
      if (clock?.status === 'advancing') refuseState('test_clock_advancing');
      const others = world.customers.filter((other) => other.clock === clock && other.deletedAt === null);
      if (clock !== null && others.length >= customersPerClock) refuseState('test_clock_full');
      const createdAt = clock?.frozen ?? world.realNow;
      const none = { defaultMethod: null, deletedAt: null };
      const customer: Customer = { name, clock, paysFees: step.paysFees ?? false, createdAt, ...none };
      world.customers.push(customer);
      return { status: 201, body: shownCustomer(customer) };
    },
  };
}

export function changeCustomer(world: World, step: Of<'change customer'>): Deed | null {
  const customer = pick(world.customers, step.customer, isServed);
  if (customer === undefined) return null;
  const method = pickMaybe(world.methods, step.defaultMethod, isFor(customer));
  const names = step.defaultMethod !== undefined;
  const fees = step.paysFees === undefined ? undefined : { customer_pays_transaction_fees: step.paysFees };
  return {
    method: 'PUT',
    path: `/customers/${customer.name}`,
    body: given({ default_payment_method: names ? (method?.name ?? null) : undefined, fee_preferences: fees }),
    does() {
      if (isGone({ customer })) refuseMissing();
      holdStill(customer);
      const isOwn = method === null || methodFaults(method, customer, '').length === 0;
      refuseFaults(422, [
        ...(customer.deletedAt === null ? [] : ['']),
        ...(isOwn && (method === null || method.customer === customer) ? [] : ['/default_payment_method']),
      ]);
      if (names) customer.defaultMethod = method;
      if (step.paysFees !== undefined) customer.paysFees = step.paysFees;
      return { status: 200, body: shownCustomer(customer) };
    },
  };
}

export function deleteCustomer(world: World, step: Of<'delete customer'>): Deed | null {
  const customer = pick(world.customers, step.customer, isServed);
  if (customer === undefined) return null;
  return {
    method: 'DELETE',
    path: `/customers/${customer.name}`,
    does() {
      if (isGone({ customer })) refuseMissing();
      if (customer.deletedAt === null) {
        holdStill(customer);
        endAll(world, customer);
      }
      return { status: 200, body: shownCustomer(customer) };
    },
  };
}

/** Deleting ends the open plans, and the scheduled payments, those without a customer on the customer's methods too. */
function endAll(world: World, customer: Customer): void {
  const at = nowOf(world, customer);
  customer.deletedAt = at;
  const open = ['pending', 'active', 'suspended'];
  for (const plan of world.plans.filter((each) => each.customer === customer && open.includes(each.state))) {
    endPlan(world, plan, 'closed', 'customer_deleted', at);
    tellOfPlan(world, plan, 'closed', at);
  }
  for (const intent of world.intents.filter(({ scheduledAt }) => scheduledAt !== null)) {
    if ((intent.customer ?? intent.method?.customer) !== customer) continue;
    Object.assign(intent, { status: 'canceled', scheduledAt: null, updatedAt: at });
    const { name } = intent;
    const data = shownIntent(intent);
    tell(world, { type: 'payment_intent.canceled', at, clock: customer.clock, about: name, subject: name, data });
  }
}
