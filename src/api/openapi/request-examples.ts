import { exampleIds } from './examples.ts';

/** A named request body example. */
export interface RequestExample {
  summary: string;
  value: object;
}

const card = (token: string) => ({
  expiry_month: 12,
  expiry_year: 2030,
  token_metadata: { type: 'fixture', token, data: '' },
});
const weekly = {
  customer_id: exampleIds.customer,
  frequency_type: 'weekly',
  recurring_amount_cents: 2500,
  currency: 'AUD',
  start_date: '2027-01-11',
};

/** Request body examples by operation. For other operations, an example is built from the schema. */
export const requestExamples: Readonly<Record<string, Readonly<Record<string, RequestExample>>>> = {
  createCustomer: {
    plain: { summary: 'Only a name', value: { name: 'Jo Nguyen' } },
    full: {
      summary: 'With address, phone and your own reference',
      value: {
        name: 'Jo Nguyen',
        email: 'jo@example.com',
        reference: 'member-1042',
        billing_address: { line1: '12 Wattle Street', city_or_suburb: 'Ultimo', postal_code: '2007', country: 'AU' },
        phones: [{ kind: 'mobile', raw: '0400 000 000', country_code: 'AU' }],
        additional_attributes: { tier: 'gold' },
      },
    },
    clock: {
      summary: 'On a test clock (sandbox)',
      value: { name: 'Jo Nguyen', test_clock: exampleIds.clock },
    },
  },
  updateCustomer: {
    email: {
      summary: 'Change the email address, remove the shipping address',
      value: { email: 'jo.n@example.com', shipping_address: null },
    },
  },
  createPaymentMethod: {
    fixture: {
      summary: 'A sandbox card that succeeds',
      value: {
        type: 'card',
        customer_reference: exampleIds.customer,
        payment_method_data: card('tok_sandbox_visa_succeed'),
      },
    },
    declined: {
      summary: 'A sandbox card that is declined for insufficient funds',
      value: {
        type: 'card',
        customer_reference: 'member-1042',
        payment_method_data: card('tok_sandbox_visa_decline_insufficient_funds'),
      },
    },
    becs: {
      summary: 'An Australian bank account',
      value: {
        type: 'au_becs_debit',
        customer_reference: exampleIds.customer,
        payment_method_data: { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '12345678' },
      },
    },
  },
  createSandboxPaymentMethod: {
    klarna: {
      summary: 'Klarna',
      value: {
        type: 'klarna',
        customer_reference: exampleIds.customer,
        instrument_data: { dob: { day: 24, month: 11, year: 1990 } },
      },
    },
    payId: {
      summary: 'A PayID',
      value: {
        type: 'pay_id',
        customer_reference: 'member-1042',
        instrument_data: { payid: 'jo@example.com', account_name: 'Jo Nguyen', payid_type: 'email' },
      },
    },
    payPal: {
      summary: 'A PayPal account without a customer',
      value: { type: 'paypal', instrument_data: { paypal_email: 'jo@example.com', account_name: 'Jo Nguyen' } },
    },
  },
  attachPaymentMethod: {
    customer: { summary: 'To a customer', value: { customer_id: exampleIds.customer } },
  },
  createPaymentIntent: {
    now: {
      summary: 'A payment to confirm',
      value: { amount: 2500, currency: 'AUD', customer_id: exampleIds.customer, metadata: { order: '6735' } },
    },
    scheduled: {
      summary: 'A payment that is charged on a date',
      value: {
        amount: 2500,
        currency: 'AUD',
        customer_id: exampleIds.customer,
        payment_method: exampleIds.method,
        scheduled_payment_date: '2027-01-11',
      },
    },
    declined: {
      summary: 'A sandbox payment that is declined first and succeeds at the second attempt',
      value: {
        amount: 2500,
        currency: 'AUD',
        customer_id: exampleIds.customer,
        metadata: { _sandbox_outcome: 'decline,succeed' },
      },
    },
  },
  confirmPaymentIntent: {
    method: { summary: 'With a saved method', value: { payment_method: exampleIds.method } },
    carried: { summary: 'With the method of the payment intent', value: {} },
  },
  createRefund: {
    part: { summary: 'A partial refund', value: { amount: 500, reason: 'Cancelled class' } },
    whole: { summary: 'Everything that remains', value: {} },
  },
  completePaymentIntentAction: {
    succeed: { summary: 'The payer passes the challenge', value: { result: 'succeed' } },
    fail: { summary: 'The payer fails the challenge', value: { result: 'fail' } },
  },
  createPaymentPlan: {
    capped: {
      summary: 'Weekly, up to a total',
      value: { ...weekly, name: 'Weekly membership', total_amount_cents: 130000 },
    },
    open: {
      summary: 'Fortnightly until further notice, with a larger first payment',
      value: {
        ...weekly,
        name: 'Fortnightly membership',
        frequency_period: 2,
        first_amount_cents: 7500,
        until_further_notice: true,
      },
    },
  },
  updatePaymentPlan: {
    amount: { summary: 'Another amount, from the next payment on', value: { recurring_amount_cents: 3000 } },
  },
  createTestClock: {
    clock: { summary: 'A Monday morning', value: { frozen_time: '2027-01-04T09:00:00Z', name: 'Renewals' } },
  },
  advanceTestClock: {
    week: { summary: 'A week ahead', value: { frozen_time: '2027-01-11T09:00:00Z' } },
    dryRun: { summary: 'A dry run of a week ahead', value: { frozen_time: '2027-01-11T09:00:00Z', dry_run: true } },
  },
  createWebhookEndpoint: {
    some: {
      summary: 'Payments and plans',
      value: {
        url: 'https://hooks.example.com/payments',
        event_types: ['payment_intent.*', 'payment_plan.*'],
        description: 'Bookkeeping',
      },
    },
    all: { summary: 'All events', value: { url: 'https://hooks.example.com/payments' } },
  },
  updateWebhookEndpoint: {
    enable: { summary: 'Enable it again', value: { status: 'enabled' } },
  },
  rotateWebhookSecret: {
    overlap: { summary: 'The old secret keeps signing for two more days', value: { overlap_hours: 48 } },
  },
  replayWebhookDeliveries: {
    failed: {
      summary: 'Everything that was not delivered during one night',
      value: { since: '2027-01-11T20:00:00Z', until: '2027-01-12T06:00:00Z' },
    },
  },
};
