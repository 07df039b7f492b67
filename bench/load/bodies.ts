export const customer = {
  name: 'Grace Example',
  email: 'grace@example.com',
  reference: 'member-20871',
  billing_address: { line1: '1 Example Street', city_or_suburb: 'Sydney', postal_code: '2000', country: 'AU' },
};

export const intent = { amount: 4990, currency: 'AUD', metadata: { order: '20871', channel: 'web' } } as const;
