import type { Place, Resource } from './jobs.ts';

export const customer = {
  name: 'Grace Example',
  email: 'grace@example.com',
  reference: 'member-20871',
  billing_address: { line1: '1 Example Street', city_or_suburb: 'Sydney', postal_code: '2000', country: 'AU' },
};

export const intent = { amount: 4990, currency: 'AUD', metadata: { order: '20871', channel: 'web' } } as const;

/** The JSON text of a POST; all bodies of a resource are equal, as every id is made by the service. */
export function bodyOf(resource: Resource, { customerId }: Place): string {
  if (resource === 'customer') return JSON.stringify(customer);
  return JSON.stringify(resource === 'intent' ? intent : { ...intent, customer_id: customerId });
}
