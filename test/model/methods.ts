import { type Deed, given, isAtHand, isServed, pick, pickMaybe } from './deed.ts';
import type { Of } from './steps.ts';
import {
  type Customer,
  holdStill,
  type Instrument,
  isGone,
  type Method,
  refuseFaults,
  refuseMissing,
  type World,
} from './world.ts';

export function createMethod(world: World, step: Of<'method'>): Deed {
  const customer = pickMaybe(world.customers, step.customer, isServed);
  const name = `method-${world.methods.length}`;
  const { instrument } = step;
  return {
    method: 'POST',
    path: '/payment_methods',
    body: given({ ...instrumentBody(instrument), customer_reference: customer?.name }),
    makes: name,
    does() {
      if (customer !== null) {
        refuseFaults(400, customerFaults(customer, '/customer_reference'));
        holdStill(customer);
      }
      const method: Method = { name, instrument, customer, isDetached: false };
      world.methods.push(method);
      if (customer !== null) customer.defaultMethod ??= method;
      return { status: 200 };
    },
  };
}

function instrumentBody(instrument: Instrument) {
  if (instrument === 'bank account') {
    const payment_method_data = { bsb_number: '000-000', account_name: 'Payer', account_number: '123456789' };
    return { type: 'au_becs_debit', payment_method_data };
  }
  const isPlain = instrument === 'plain card';
  const token_metadata = { type: isPlain ? 'checkout' : 'fixture', token: isPlain ? 'token' : instrument, data: '' };
  return { type: 'card', payment_method_data: { expiry_month: 12, expiry_year: 2099, token_metadata } };
}

const isLoose = (method: Method): boolean => isAtHand(method) && method.customer === null;

export function attachMethod(world: World, step: Of<'attach'>): Deed | null {
  const method = pick(world.methods, step.method, isLoose);
  const customer = pick(world.customers, step.customer, isServed);
  if (method === undefined || customer === undefined) return null;
  return {
    method: 'POST',
    path: `/payment_methods/${method.name}/attach`,
    body: { customer_id: customer.name },
    does() {
      if (isGone(method)) refuseMissing();
      refuseFaults(400, customerFaults(customer, '/customer_id'));
      holdStill(customer);
      refuseFaults(400, methodFaults(method, customer, '/payment_method_id'));
      attach(method, customer);
      return { status: 200 };
    },
  };
}

export function detachMethod(world: World, step: Of<'detach'>): Deed | null {
  const method = pick(world.methods, step.method, isAtHand);
  if (method === undefined) return null;
  return {
    method: 'POST',
    path: `/payment_methods/${method.name}/detach`,
    does() {
      if (isGone(method)) refuseMissing();
      holdStill(method.customer);
      method.isDetached = true;
      if (method.customer?.defaultMethod === method) method.customer.defaultMethod = null;
      return { status: 200 };
    },
  };
}

/** An unattached method becomes the customer's, and the default where there is none. */
export function attach(method: Method, customer: Customer): void {
  if (method.customer !== null) return;
  method.customer = customer;
  customer.defaultMethod ??= method;
}

/** What is wrong with naming this method: it must be chargeable, and of the customer or of none. */
export function methodFaults(method: Method, customer: Customer | null, path: string): string[] {
  const isOthers = customer !== null && method.customer !== null && method.customer !== customer;
  return isGone(method) || method.isDetached || isOthers ? [path] : [];
}

export function customerFaults(customer: Customer, path: string): string[] {
  return isGone({ customer }) || customer.deletedAt !== null ? [path] : [];
}
