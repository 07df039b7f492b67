import type { Method } from '../../src/api/http/route.ts';
import type { TableName } from './tables.ts';

/** An endpoint, as in the contract's tables. */
export interface Endpoint {
  method: Method;
  path: string;
  /** The statuses that its row or its notes list, in order. */
  statuses: readonly number[];
  /** The statuses that the contract does not list here: from its table of errors, and ../shared/decisions.md. */
  more?: readonly number[];
  /** What a 404 means, if its row says so. */
  missing?: string;
  /** The query parameters that its row names. */
  query?: readonly string[];
  /** The members of the response body in its row, if it is not a resource. */
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

/** All endpoints, in the order of the contract. */
export const contractEndpoints: readonly Endpoint[] = Object.values(endpoints).flat();

/** The name of an endpoint's operation in the document: `GET /api/v1/customers`. */
export function nameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
