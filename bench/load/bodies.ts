import type { Place, Resource } from './jobs.ts';

export const customer = {
  name: 'Grace Example',
  email: 'grace@example.com',
  reference: 'member-20871',
  billing_address: { line1: '1 Example Street', city_or_suburb: 'Sydney', postal_code: '2000', country: 'AU' },
};

export const intent = { amount: 4990, currency: 'AUD', metadata: { order: '20871', channel: 'web' } } as const;

/** The JSON texts of the POSTs, to be sent in turn. */
export function bodiesOf(resource: Resource, { customerIds }: Place): string[] {
  if (resource === 'customer') return [JSON.stringify(customer)];
  if (resource === 'intent') return [JSON.stringify(intent)];
  return customerIds.map((id) => JSON.stringify({ ...intent, customer_id: id }));
}
