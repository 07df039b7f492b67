import type { Method } from '../../src/api/http/route.ts';
import type { TableName } from './tables.ts';

/** An endpoint as the contract's tables have it. */
export interface Endpoint {
  method: Method;
  path: string;
  /** The statuses that its row, or the notes of its row, list; in their order. */
  statuses: readonly number[];
  /** Those that hold where the contract lists none: by its table of errors, and by ../shared/decisions.md. */
  more?: readonly number[];
  /** What is not found by a 404, where its row says so. */
  missing?: string;
  /** The parameters of the query that its row names. */
  query?: readonly string[];
  /** The members of the answer’s body that its row shows, where it is no resource. */
  output?: readonly string[];
}

const customers = '/api/v1/customers';
const customer = `${customers}/{customer_id}`;
const methods = '/api/v1/payment_methods';
const method = `${methods}/{payment_method_id}`;
const intents = '/api/v1/payment_intents';
const plans = '/api/v1/payment_plans';
const plan = `${plans}/{plan_id}`;
const clocks = '/api/v1/test_helpers/test_clocks';
const clock = `${clocks}/{id}`;

const page = ['data', 'has_more'];
const oneMethod = ['success', 'payment_method'];
const manyMethods = ['success', 'payment_methods'];
const ofTransition = [200, 400, 401, 403, 404, 422, 500];

/** The contract's section “Endpoints”: its tables, row by row. */
export const endpoints = {
  customerEndpoints: [
    { method: 'POST', path: customers, statuses: [201, 400, 401, 403, 422, 500] },
    {
      method: 'GET',
      path: customers,
      statuses: [200, 401, 403, 500],
      query: ['status', 'email', 'name', 'reference', 'limit', 'starting_after', 'test_clock'],
      output: page,
    },
    { method: 'GET', path: customer, statuses: [200, 401, 403, 404, 500] },
    { method: 'PUT', path: customer, statuses: [200, 400, 401, 403, 404, 422, 500] },
    { method: 'DELETE', path: customer, statuses: [200, 401, 403, 404, 500] },
    {
      method: 'GET',
      path: `${customer}/payment_intents`,
      statuses: [200, 401, 403, 404, 500],
      query: ['status', 'limit', 'starting_after'],
      output: page,
    },
    {
      method: 'GET',
      path: `${customer}/payment_methods`,
      statuses: [200, 400, 401, 403, 404, 500],
      missing: 'customer',
      output: manyMethods,
    },
    {
      method: 'GET',
      path: `${customer}/payment_methods/{payment_method_id}`,
      statuses: [200, 400, 401, 403, 404, 500],
      missing: 'payment method',
      output: oneMethod,
    },
  ],
  methodEndpoints: [
    { method: 'POST', path: methods, statuses: [200, 400, 401, 403, 500], output: oneMethod },
    { method: 'GET', path: methods, statuses: [200, 400, 401, 403, 500], output: manyMethods },
    { method: 'GET', path: method, statuses: [200, 400, 401, 403, 404, 500], output: oneMethod },
    { method: 'POST', path: `${method}/detach`, statuses: [200, 400, 401, 403, 404, 500], output: oneMethod },
  ],
  intentEndpoints: [
    { method: 'POST', path: intents, statuses: [201, 400, 401, 403], more: [422, 500] },
    {
      method: 'POST',
      path: `${intents}/{payment_intent_id}/confirm`,
      statuses: [],
      more: [200, 400, 401, 403, 404, 422, 500],
    },
  ],
  planEndpoints: [
    { method: 'POST', path: plans, statuses: [], more: [201, 400, 401, 403, 422, 500] },
    { method: 'GET', path: plan, statuses: [], more: [200, 401, 403, 404, 500] },
    {
      method: 'GET',
      path: plans,
      statuses: [],
      more: [200, 400, 401, 403, 500],
      query: ['customer_id', 'state', 'limit', 'starting_after'],
      output: page,
    },
    { method: 'PUT', path: plan, statuses: [], more: [200, 400, 401, 403, 404, 422, 500] },
    { method: 'POST', path: `${plan}/activate`, statuses: [], more: ofTransition },
    { method: 'POST', path: `${plan}/suspend`, statuses: [], more: ofTransition },
    { method: 'POST', path: `${plan}/resume`, statuses: [], more: ofTransition },
    { method: 'POST', path: `${plan}/deactivate`, statuses: [], more: ofTransition },
    { method: 'POST', path: `${plan}/close`, statuses: [], more: ofTransition },
  ],
  clockEndpoints: [
    { method: 'POST', path: clocks, statuses: [201, 422], more: [400, 401, 403, 500] },
    {
      method: 'GET',
      path: clocks,
      statuses: [],
      more: [200, 400, 401, 403, 500],
      query: ['limit', 'starting_after'],
      output: page,
    },
    { method: 'GET', path: clock, statuses: [], more: [200, 401, 403, 404, 500] },
    {
      method: 'POST',
      path: `${clock}/advance`,
      statuses: [202],
      more: [400, 401, 403, 404, 422, 500],
      output: ['id', 'status', 'frozen_time'],
    },
    { method: 'DELETE', path: clock, statuses: [], more: [200, 401, 403, 404, 500] },
  ],
} as const satisfies Partial<Record<TableName, readonly Endpoint[]>>;

/** All of them, in the order of the contract. */
export const contractEndpoints: readonly Endpoint[] = Object.values(endpoints).flat();

/** An endpoint as an operation of the document is called: `GET /api/v1/customers`. */
export function nameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
