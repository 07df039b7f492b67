import type { Json } from './rows.ts';

// Request bodies with the required fields, and those that are passed.

export const fixture = (token: string) => ({ type: 'fixture', token, data: '' });

/** A token that is not a fixture, as a vault makes it. */
export const vaulted = { type: 'vault', token: 'tok_1', data: '' };

export const card = (data: Json = {}, more: Json = {}): Json => ({
  type: 'card',
  payment_method_data: {
    expiry_month: 12,
    expiry_year: 2099,
    token_metadata: fixture('tok_sandbox_visa_succeed'),
    ...data,
  },
  ...more,
});

/** Card data with all fields. */
export const fullCard: Json = {
  card_name: 'Ada Lovelace',
  card_number_token: 'tok_number',
  card_number_end: '1881',
  card_bin: '51551234',
  fingerprint: 'fp_1',
  wallet: 'apple_pay',
  token_metadata: vaulted,
};

export const debit = (data: Json = {}, more: Json = {}): Json => ({
  type: 'au_becs_debit',
  payment_method_data: { bsb_number: '000-000', account_name: 'Ada Lovelace', account_number: '12345678', ...data },
  ...more,
});

export const intent = (more: Json = {}): Json => ({ amount: 1000, currency: 'AUD', ...more });

/** Weekly until further notice, far ahead: activating it collects nothing. */
export const plan = (customerId: string, more: Json = {}): Json => ({
  customer_id: customerId,
  name: 'Membership',
  frequency_type: 'weekly',
  recurring_amount_cents: 1000,
  until_further_notice: true,
  currency: 'AUD',
  start_date: '2100-01-01',
  ...more,
});

/** Monthly, from today on. */
export const subscription = (customerId: string, more: Json = {}): Json => ({
  customer_id: customerId,
  name: 'Membership',
  currency: 'AUD',
  frequency_type: 'monthly',
  items: [{ name: 'Membership', unit_amount_cents: 4900 }],
  ...more,
});

export const clock = (more: Json = {}): Json => ({ frozen_time: '2027-01-10T00:00:00Z', ...more });

/** Instruments that a payer sets up with a third party, by type, with all fields. */
export const instruments = {
  klarna: { dob: { day: 10, month: 12, year: 1990 } },
  pay_id: { payid: 'ada@example.com', account_name: 'Ada Lovelace', payid_type: 'email' },
  paypal: { paypal_email: 'ada@example.com', account_name: 'Ada Lovelace', paypal_token: 'tok_paypal' },
} as const;
