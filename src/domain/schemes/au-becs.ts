import type { SchemeProfile } from './scheme-profile.ts';

/**
 * Direct debits in Australia: the Bulk Electronic Clearing System (BECS). "Not verified" marks a figure for which no
 * source of the scheme could be read; the rules themselves, "BECS Procedures", are for members. Check those before live
 * use (docs/bank-debits.md).
 */
export const auBecs: SchemeProfile = {
  currency: 'AUD',
  calendar: 'AU',
  timeZone: 'Australia/Sydney',

  // Banks exchange files at 10:00, 13:00, 16:00, 18:30, 20:45 and 22:30 (auspaynet.com.au/node/85). Each bank agrees a
  // cut-off with its users. Not verified.
  cutOff: '16:00',

  // "Up to 2 business days" (docs.stripe.com/payments/au-becs-debit). The time of day is not verified.
  result: { time: '09:00', businessDays: 2 },

  // A dishonour can be late, and a payer's claim can come long after. Not verified: the service's own choice.
  returnWindow: 20,
  sandboxReturn: { lateDishonour: 3, dispute: 20 },

  // Stripe's default for one debit, 10,000.00 AUD (docs.stripe.com/payments/au-becs-debit). It is not the scheme's.
  maxAmount: { live: 1_000_000, sandbox: null },

  // GoCardless: an unused BECS mandate expires after 15 months (the comments of its client, gocardless-nodejs).
  mandateMonths: 15,

  // Service agreements of the field promise 14 days, and so does the text of the mandate. Not verified at the scheme.
  changeNoticeDays: 14,

  // ANZ, "Direct Debit FAQs": 6 can be re-debited, the others should not be. 7 is no longer used. 8 says that the
  // biller's own user number is wrong, so it is no reason of the payer's.
  returnCodes: {
    1: 'account_invalid', // invalid BSB number
    2: 'payment_stopped', // payment stopped
    3: 'account_closed', // account closed
    4: 'account_holder_deceased', // customer deceased
    5: 'account_invalid', // no account or incorrect account number
    6: 'insufficient_funds', // refer to customer
    9: 'account_invalid', // technically invalid: the account cannot be debited electronically
  },
};
