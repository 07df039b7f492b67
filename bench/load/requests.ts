import { itemInTurn } from '../../lab/parallel.ts';
import { customer, intent } from './bodies.ts';
import type { Operation, Place } from './jobs.ts';

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body: string | null;
  /** The status of success. */
  status: number;
}

/** The nth request of an operation; `intents` are those that wait to be confirmed. */
export function requestsOf(operation: Operation, place: Place, intents: readonly string[]): (nth: number) => Request {
  const get = (path: string): Request => ({ method: 'GET', path: `/api/v1${path}`, body: null, status: 200 });
  const post = (path: string, body: object, status = 201): Request => ({
    method: 'POST',
    path: `/api/v1${path}`,
    body: JSON.stringify(body),
    status,
  });
  switch (operation) {
    case 'fetch-customer':
      return (nth) => get(`/customers/${itemInTurn(place.fetched, nth)}`);
    case 'list-first':
      return () => get('/customers?limit=20');
    case 'list-deep':
      return () => get(`/customers?limit=20&starting_after=${place.deepCursor}`);
    case 'customer':
      return () => post('/customers', customer);
    case 'intent':
      return () => post('/payment_intents', intent);
    case 'customer-intent':
      return (nth) => post('/payment_intents', { ...intent, customer_id: itemInTurn(place.payers, nth).customerId });
    case 'confirm':
      return (nth) => {
        const body = { payment_method: itemInTurn(place.payers, nth).methodId };
        return post(`/payment_intents/${itemInTurn(intents, nth)}/confirm`, body, 200);
      };
    case 'payment':
      return (nth) => {
        const { customerId, methodId } = itemInTurn(place.payers, nth);
        return post('/payment_intents', {
          ...intent,
          customer_id: customerId,
          payment_method: methodId,
          confirm: true,
        });
      };
  }
}
