// Generated from the OpenAPI document of the service by `npm run generate`. Do not edit.

import type { Listing } from '../listing.ts';
import type { RequestOptions, WaitOptions, WriteOptions } from '../options.ts';
import { type ResponseOf, type QueryOf, path, Resource } from '../resource.ts';
import type { Requester } from '../transport.ts';
import type * as models from './models.ts';

/** The version of the API that this file was generated for. */
export const apiVersion = '1.0.0';

/** The payers and their saved payment methods. */
export class Customers extends Resource {
  /**
   * Create a customer
   *
   * With `test_clock`, the customer lives on the time of that clock, permanently. Lists leave it out unless they name
   * the clock.
   *
   * Needs a secret key with the scope `customers:write`.
   *
   * `POST /api/v1/customers`
   */
  create(body: models.CustomerCreate, options?: WriteOptions): Promise<models.Customer> {
    return this.send({ method: 'POST', path: path`/api/v1/customers`, body }, options);
  }

  /**
   * List customers, newest first
   *
   * Deleted customers are left out. Customers on a test clock appear only if test_clock names their clock.
   *
   * Needs a secret key with the scope `customers:read`.
   *
   * `GET /api/v1/customers`
   */
  list(query?: QueryOf<'listCustomers'>, options?: RequestOptions): Listing<models.CustomerList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/customers`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a customer
   *
   * Also returns a deleted customer, with its deleted_at.
   *
   * Needs a secret key with the scope `customers:read`.
   *
   * `GET /api/v1/customers/{customer_id}`
   */
  get(customerId: string, options?: RequestOptions): Promise<models.Customer> {
    return this.send({ method: 'GET', path: path`/api/v1/customers/${customerId}` }, options);
  }

  /**
   * Change a customer
   *
   * Fields that you leave out stay as they are. null clears a field. An object is replaced as a whole.
   *
   * Needs a secret key with the scope `customers:write`.
   *
   * `PUT /api/v1/customers/{customer_id}`
   */
  update(customerId: string, body?: models.CustomerUpdate, options?: RequestOptions): Promise<models.Customer> {
    return this.send({ method: 'PUT', path: path`/api/v1/customers/${customerId}`, body }, options);
  }

  /**
   * Delete a customer
   *
   * The customer stays readable by its id, with deleted_at. Its open plans are closed and its scheduled payments
   * canceled. After this response no charge starts for it.
   *
   * Needs a secret key with the scope `customers:write`.
   *
   * `DELETE /api/v1/customers/{customer_id}`
   */
  delete(customerId: string, options?: RequestOptions): Promise<models.Customer> {
    return this.send({ method: 'DELETE', path: path`/api/v1/customers/${customerId}` }, options);
  }

  /**
   * List the payment intents of a customer, newest first
   *
   * Needs a secret key with the scope `payment_intents:read`.
   *
   * `GET /api/v1/customers/{customer_id}/payment_intents`
   */
  listPaymentIntents(
    customerId: string,
    query?: QueryOf<'listCustomerPaymentIntents'>,
    options?: RequestOptions,
  ): Listing<models.PaymentIntentList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/customers/${customerId}/payment_intents`, query }, 'data', 'id', options);
  }

  /**
   * List the payment methods of a customer, newest first
   *
   * Returns the newest 100 by default. Detached methods are left out.
   *
   * Needs a secret key with the scope `payment_methods:read`.
   *
   * `GET /api/v1/customers/{customer_id}/payment_methods`
   */
  listPaymentMethods(
    customerId: string,
    query?: QueryOf<'listCustomerPaymentMethods'>,
    options?: RequestOptions,
  ): Listing<models.PaymentMethodList, 'payment_methods'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/customers/${customerId}/payment_methods`, query }, 'payment_methods', 'id', options);
  }

  /**
   * Fetch a payment method of a customer
   *
   * Needs a secret key with the scope `payment_methods:read`.
   *
   * `GET /api/v1/customers/{customer_id}/payment_methods/{payment_method_id}`
   */
  getPaymentMethod(
    customerId: string,
    paymentMethodId: string,
    options?: RequestOptions,
  ): Promise<models.PaymentMethodEnvelope> {
    return this.send({ method: 'GET', path: path`/api/v1/customers/${customerId}/payment_methods/${paymentMethodId}` }, options);
  }

  /**
   * Report what a customer was charged, has paid and owes
   *
   * The account of a customer in a range: totals by currency, and the lines between them. Without `from`, from the
   * first day of the customer on; without `to`, to the end of today. Streamed as JSON, or as CSV if `Accept` is
   * `text/csv` or the path ends in `.csv`. At most two reports of an account are read at a time.
   *
   * Needs a secret key with the scope `reports:read`.
   *
   * `GET /api/v1/customers/{customer_id}/statement`
   */
  getStatement(
    customerId: string,
    query?: QueryOf<'getCustomerStatement'>,
    options?: RequestOptions,
  ): Promise<models.Statement> {
    return this.send({ method: 'GET', path: path`/api/v1/customers/${customerId}/statement`, query }, options);
  }

  /**
   * Print what a customer was charged, has paid and owes
   *
   * The statement as a page to print, for the customer: the same range, totals and lines.
   *
   * Needs a secret key with the scope `reports:read`.
   *
   * `GET /api/v1/customers/{customer_id}/statement/document`
   */
  getStatementDocument(
    customerId: string,
    query?: QueryOf<'getCustomerStatementDocument'>,
    options?: RequestOptions,
  ): Promise<ResponseOf<'getCustomerStatementDocument'>> {
    return this.send({ method: 'GET', path: path`/api/v1/customers/${customerId}/statement/document`, query, accept: 'text/html' }, options);
  }
}

/**
 * Saved instruments. You can create cards and Australian bank accounts here. Klarna, PayID and PayPal are read-only; in
 * the sandbox a test helper creates them.
 */
export class PaymentMethods extends Resource {
  /**
   * Save a card or a bank account
   *
   * Accepts a publishable key. With such a key, `customer_reference` needs the `client_secret` of one of that
   * customer’s payment intents. In the sandbox, a fixture token creates a card with a known outcome: see *Test cards*.
   * The first method of a customer becomes its default, unless a publishable key saves it. A customer has at most 50
   * methods that are not detached.
   *
   * A secret key needs the scope `payment_methods:write`; a publishable key may call this too.
   *
   * `POST /api/v1/payment_methods`
   */
  create(body: models.PaymentMethodCreate, options?: WriteOptions): Promise<models.CreatedPaymentMethod> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_methods`, body }, options);
  }

  /**
   * List the saved payment methods, newest first
   *
   * Returns the newest 100 by default. Detached methods are left out.
   *
   * Needs a secret key with the scope `payment_methods:read`.
   *
   * `GET /api/v1/payment_methods`
   */
  list(
    query?: QueryOf<'listPaymentMethods'>,
    options?: RequestOptions,
  ): Listing<models.PaymentMethodList, 'payment_methods'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payment_methods`, query }, 'payment_methods', 'id', options);
  }

  /**
   * Fetch a payment method
   *
   * Needs a secret key with the scope `payment_methods:read`.
   *
   * `GET /api/v1/payment_methods/{payment_method_id}`
   */
  get(paymentMethodId: string, options?: RequestOptions): Promise<models.PaymentMethodEnvelope> {
    return this.send({ method: 'GET', path: path`/api/v1/payment_methods/${paymentMethodId}` }, options);
  }

  /**
   * Attach a payment method to a customer
   *
   * The first method of a customer becomes its default. Attaching it again to the same customer changes nothing. A
   * customer has at most 50 methods that are not detached.
   *
   * Needs a secret key with the scope `payment_methods:write`.
   *
   * `POST /api/v1/payment_methods/{payment_method_id}/attach`
   */
  attach(
    paymentMethodId: string,
    body: models.PaymentMethodAttach,
    options?: WriteOptions,
  ): Promise<models.PaymentMethodEnvelope> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_methods/${paymentMethodId}/attach`, body }, options);
  }

  /**
   * Detach a payment method
   *
   * After this response no charge starts on the method, and its mandate is canceled. It stays readable. Detaching it
   * again changes nothing.
   *
   * Needs a secret key with the scope `payment_methods:write`.
   *
   * `POST /api/v1/payment_methods/{payment_method_id}/detach`
   */
  detach(paymentMethodId: string, options?: WriteOptions): Promise<models.PaymentMethodEnvelope> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_methods/${paymentMethodId}/detach` }, options);
  }

  /**
   * Save a Klarna, PayID or PayPal instrument
   *
   * Creates at once what a payer would set up with Klarna, a bank or PayPal. `instrument_data` is returned as you sent
   * it. The method is charged like any other, by the outcome rules of the sandbox. The first method of a customer
   * becomes its default.
   *
   * Needs a secret key with the scope `payment_methods:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/payment_methods`
   */
  createSandboxPaymentMethod(
    body: models.SandboxPaymentMethodCreate,
    options?: WriteOptions,
  ): Promise<models.PaymentMethodEnvelope> {
    return this.send({ method: 'POST', path: path`/api/v1/test_helpers/payment_methods`, body }, options);
  }
}

/**
 * The authority of a payer to debit a bank account, with the evidence that it was given. An account that has a mandate
 * is debited only while the mandate is active.
 */
export class Mandates extends Resource {
  /**
   * Create a mandate for a bank account
   *
   * Without `acceptance` the mandate is `pending` until you send it. With `acceptance` it is `active` at once. Show the
   * payer the text first, and send its version and hash. An account has at most one mandate that has not ended: a
   * second one is refused with `mandate_exists`, and the error has its `mandate_id`. Sends `mandate.created`, and
   * `mandate.activated` with an acceptance.
   *
   * A publishable key needs the client_secret of a payment intent that can still be confirmed. It accepts a mandate
   * online for the customer of that payment intent, with a payment method that could confirm it. It cannot set the
   * terms: create the mandate with a secret key if there are any. The response has what a payer needs
   * (`MandateForPayer`).
   *
   * A secret key needs the scope `mandates:write`; a publishable key may call this too.
   *
   * `POST /api/v1/mandates`
   */
  create(body: models.MandateCreate, options?: WriteOptions): Promise<models.Mandate> {
    return this.send({ method: 'POST', path: path`/api/v1/mandates`, body }, options);
  }

  /**
   * List mandates, newest first
   *
   * Needs a secret key with the scope `mandates:read`.
   *
   * `GET /api/v1/mandates`
   */
  list(query?: QueryOf<'listMandates'>, options?: RequestOptions): Listing<models.MandateList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/mandates`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a mandate
   *
   * Needs a secret key with the scope `mandates:read`.
   *
   * `GET /api/v1/mandates/{mandate_id}`
   */
  get(mandateId: string, options?: RequestOptions): Promise<models.Mandate> {
    return this.send({ method: 'GET', path: path`/api/v1/mandates/${mandateId}` }, options);
  }

  /**
   * Print a mandate with its evidence
   *
   * A page to print: names, BSB, the last digits of the account number, the text that the payer agreed to, word for
   * word, and how the payer agreed. It stays the same after the text or the name of the account has changed.
   *
   * Needs a secret key with the scope `mandates:read`.
   *
   * `GET /api/v1/mandates/{mandate_id}/document`
   */
  getDocument(mandateId: string, options?: RequestOptions): Promise<ResponseOf<'getMandateDocument'>> {
    return this.send({ method: 'GET', path: path`/api/v1/mandates/${mandateId}/document`, accept: 'text/html' }, options);
  }

  /**
   * Record that the payer has agreed to a mandate
   *
   * Allowed from `pending`; the mandate becomes `active`. Sends `mandate.activated`.
   *
   * A publishable key needs the client_secret of a payment intent of the mandate’s customer that can still be
   * confirmed, and accepts online only. The response then has what a payer needs (`MandateForPayer`).
   *
   * A secret key needs the scope `mandates:write`; a publishable key may call this too.
   *
   * `POST /api/v1/mandates/{mandate_id}/accept`
   */
  accept(mandateId: string, body: models.MandateAccept, options?: WriteOptions): Promise<models.Mandate> {
    return this.send({ method: 'POST', path: path`/api/v1/mandates/${mandateId}/accept`, body }, options);
  }

  /**
   * Cancel a mandate
   *
   * Allowed from `pending` and `active`, for good. After this response the account is not debited. Sends
   * `mandate.canceled`.
   *
   * Needs a secret key with the scope `mandates:write`.
   *
   * `POST /api/v1/mandates/{mandate_id}/cancel`
   */
  cancel(mandateId: string, body?: models.MandateCancel, options?: WriteOptions): Promise<models.Mandate> {
    return this.send({ method: 'POST', path: path`/api/v1/mandates/${mandateId}/cancel`, body }, options);
  }

  /**
   * Record that you have sent a notice to the payer
   *
   * The service sends nothing to payers. `notices` of the mandate says what is due: a confirmation when the mandate
   * becomes active, and a notice when you change the amount of a plan that is debited under it (event
   * `mandate.notice_due`). Send it, and record it here: the open notice of this kind is then sent. If none is open, one
   * more is added. A mandate keeps 100 notices.
   *
   * Needs a secret key with the scope `mandates:write`.
   *
   * `POST /api/v1/mandates/{mandate_id}/notices`
   */
  recordNotice(mandateId: string, body: models.MandateNoticeSent, options?: WriteOptions): Promise<models.Mandate> {
    return this.send({ method: 'POST', path: path`/api/v1/mandates/${mandateId}/notices`, body }, options);
  }

  /** The same as `recordNotice`, by the name of its path. */
  notices(mandateId: string, body: models.MandateNoticeSent, options?: WriteOptions): Promise<models.Mandate> {
    return this.recordNotice(mandateId, body, options);
  }

  /**
   * Cancel a mandate as the payer would at the bank
   *
   * Allowed from `active`. Sends `mandate.canceled`.
   *
   * Needs a secret key with the scope `mandates:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/mandates/{mandate_id}/payer_cancels`
   */
  cancelAsPayer(mandateId: string, options?: WriteOptions): Promise<models.Mandate> {
    return this.send({ method: 'POST', path: path`/api/v1/test_helpers/mandates/${mandateId}/payer_cancels` }, options);
  }

  /** The same as `cancelAsPayer`, by the name of its path. */
  payerCancels(mandateId: string, options?: WriteOptions): Promise<models.Mandate> {
    return this.cancelAsPayer(mandateId, options);
  }

  /**
   * Fetch the text that a payer agrees to
   *
   * Show the payer `html` as it is, together with the account and the terms of the mandate. Send `version` and `sha256`
   * with the acceptance. The text has the name of your account. No lawyer has checked its words.
   *
   * Needs a secret key with the scope `mandates:read`.
   *
   * `GET /api/v1/mandate_texts/au_becs`
   */
  getText(options?: RequestOptions): Promise<models.MandateText> {
    return this.send({ method: 'GET', path: path`/api/v1/mandate_texts/au_becs` }, options);
  }

  /**
   * List the business days of a debit scheme
   *
   * The days on which the banks of the scheme settle, from a date on, oldest first. They are not a country’s working
   * days. The calendar has the years 2000 to 2099.
   *
   * Needs a secret key with the scope `mandates:read`.
   *
   * `GET /api/v1/business_days`
   */
  listBusinessDays(query: QueryOf<'listBusinessDays'>, options?: RequestOptions): Promise<models.BusinessDays> {
    return this.send({ method: 'GET', path: path`/api/v1/business_days`, query }, options);
  }
}

/**
 * Single charges: created on your server, confirmed with a saved payment method. The event `payment_intent.succeeded`
 * completes a payment.
 */
export class PaymentIntents extends Resource {
  /**
   * Create a payment intent
   *
   * Nothing is charged until you confirm it, or until its scheduled_payment_date. The response has the `client_secret`.
   * With it a browser can fetch or confirm the payment intent.
   *
   * With `confirm: true` the payment is charged in the same request. The response has the result: `succeeded`, `failed`
   * with `last_payment_error`, `requires_action` or `processing`. A decline is not an error: it returns 201, and you
   * can confirm the payment intent again.
   *
   * Needs a secret key with the scope `payment_intents:write`.
   *
   * `POST /api/v1/payment_intents`
   */
  create(body: models.PaymentIntentCreate, options?: WriteOptions): Promise<models.PaymentIntent> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_intents`, body }, options);
  }

  /**
   * List payment intents, newest first
   *
   * Needs a secret key with the scope `payment_intents:read`.
   *
   * `GET /api/v1/payment_intents`
   */
  list(query?: QueryOf<'listPaymentIntents'>, options?: RequestOptions): Listing<models.PaymentIntentList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payment_intents`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a payment intent
   *
   * A publishable key needs the client_secret of this payment intent. It gets what a payer needs
   * (`PaymentIntentForPayer`). A secret key gets the whole `PaymentIntent`.
   *
   * A secret key needs the scope `payment_intents:read`; a publishable key may call this too.
   *
   * `GET /api/v1/payment_intents/{payment_intent_id}`
   */
  get(
    paymentIntentId: string,
    query?: QueryOf<'getPaymentIntent'>,
    options?: RequestOptions,
  ): Promise<models.PaymentIntent> {
    return this.send({ method: 'GET', path: path`/api/v1/payment_intents/${paymentIntentId}`, query }, options);
  }

  /**
   * Charge a payment intent
   *
   * Allowed from requires_payment_method and failed. Returns the result: `succeeded`, `failed` with
   * `last_payment_error`, `requires_action` or `processing`. A decline is not an error: it returns 200. A bank account
   * under a mandate returns `processing` with `expected_result_date`. A method without a customer is attached to the
   * customer of the payment intent. If the payment intent has no customer, a method that belongs to one is charged only
   * if `customer_id` names this customer (field error `payment_method_not_allowed`).
   *
   * A publishable key needs the client_secret of this payment intent. It may use a method of the payment intent’s
   * customer, or a method without a customer. If the payment intent has no customer either, the method is bound to this
   * payment intent. No other payment intent can use it until a secret key attaches it to a customer. Any other method
   * returns 403 `payment_method_not_allowed`. After ten attempts that failed, with a publishable key or on a page, it
   * returns 403 `too_many_attempts`: only a secret key may confirm it. The response has what a payer needs
   * (`PaymentIntentForPayer`).
   *
   * A secret key needs the scope `payment_intents:write`; a publishable key may call this too.
   *
   * `POST /api/v1/payment_intents/{payment_intent_id}/confirm`
   */
  confirm(
    paymentIntentId: string,
    body?: models.PaymentIntentConfirm,
    options?: WriteOptions,
  ): Promise<models.PaymentIntent> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_intents/${paymentIntentId}/confirm`, body }, options);
  }

  /**
   * Cancel a payment intent
   *
   * Allowed from requires_payment_method, requires_action and failed, and from processing while a bank debit waits for
   * its hand-over to the bank. It also ends a schedule. A challenge at a live processor is given up there first. A
   * payment intent of a plan cannot be canceled: suspend or close the plan.
   *
   * Needs a secret key with the scope `payment_intents:write`.
   *
   * `POST /api/v1/payment_intents/{payment_intent_id}/cancel`
   */
  cancel(paymentIntentId: string, options?: WriteOptions): Promise<models.PaymentIntent> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_intents/${paymentIntentId}/cancel` }, options);
  }

  /**
   * Complete a 3D Secure challenge as the payer would
   *
   * Completes the attempt that waits for the challenge. It is not a new attempt. If the customer was deleted meanwhile,
   * the payment fails.
   *
   * Needs a secret key with the scope `payment_intents:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/complete_action`
   */
  completeAction(
    paymentIntentId: string,
    body: models.PaymentIntentActionCompletion,
    options?: WriteOptions,
  ): Promise<models.PaymentIntent> {
    return this.send({ method: 'POST', path: path`/api/v1/test_helpers/payment_intents/${paymentIntentId}/complete_action`, body }, options);
  }

  /**
   * Report on a bank debit as the bank would
   *
   * Reports now what the bank would report at its own time. A debit that was not handed over yet is handed over first.
   * After that the bank sends no other report about this debit. On a test clock you do not need this: an advance makes
   * the bank report what `_sandbox_bank_outcome` chooses.
   *
   * Needs a secret key with the scope `payment_intents:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/bank_result`
   */
  reportBankResult(
    paymentIntentId: string,
    body: models.PaymentIntentBankResult,
    options?: WriteOptions,
  ): Promise<models.PaymentIntent> {
    return this.send({ method: 'POST', path: path`/api/v1/test_helpers/payment_intents/${paymentIntentId}/bank_result`, body }, options);
  }

  /** The same as `reportBankResult`, by the name of its path. */
  bankResult(
    paymentIntentId: string,
    body: models.PaymentIntentBankResult,
    options?: WriteOptions,
  ): Promise<models.PaymentIntent> {
    return this.reportBankResult(paymentIntentId, body, options);
  }

  /**
   * Dispute a payment as the payer would
   *
   * The payment intent must have succeeded, and not be a bank debit under a mandate: for that use `bank_result`. All of
   * it that was not refunded is held at once. With a `result` the dispute closes ten days later, of the customer’s
   * time: on a test clock an advance closes it. A second call gives an open dispute its result.
   *
   * Needs a secret key with the scope `payment_intents:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/dispute`
   */
  dispute(
    paymentIntentId: string,
    body?: models.PaymentIntentDispute,
    options?: WriteOptions,
  ): Promise<models.Dispute> {
    return this.send({ method: 'POST', path: path`/api/v1/test_helpers/payment_intents/${paymentIntentId}/dispute`, body }, options);
  }
}

/** Money returned to the payer, in whole or in part. */
export class Refunds extends Resource {
  /**
   * Refund a payment, whole or in part
   *
   * The payment intent must have succeeded. Without an amount, the refund covers everything that remains of its total.
   * Credit of a subscription that came from the payment is used up first. A failed refund returns `status: failed`; it
   * is not an error. In the sandbox a refund fails if its amount ends in 03.
   *
   * Needs a secret key with the scope `payment_intents:write`.
   *
   * `POST /api/v1/payment_intents/{payment_intent_id}/refunds`
   */
  create(paymentIntentId: string, body?: models.RefundCreate, options?: WriteOptions): Promise<models.Refund> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_intents/${paymentIntentId}/refunds`, body }, options);
  }

  /**
   * List the refunds of a payment, newest first
   *
   * Needs a secret key with the scope `payment_intents:read`.
   *
   * `GET /api/v1/payment_intents/{payment_intent_id}/refunds`
   */
  list(
    paymentIntentId: string,
    query?: QueryOf<'listRefunds'>,
    options?: RequestOptions,
  ): Listing<models.RefundList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payment_intents/${paymentIntentId}/refunds`, query }, 'data', 'id', options);
  }

  /**
   * List refunds, newest first
   *
   * Lists the refunds of all payments.
   *
   * Needs a secret key with the scope `payment_intents:read`.
   *
   * `GET /api/v1/refunds`
   */
  listAllRefunds(query?: QueryOf<'listAllRefunds'>, options?: RequestOptions): Listing<models.RefundList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/refunds`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a refund
   *
   * Needs a secret key with the scope `payment_intents:read`.
   *
   * `GET /api/v1/refunds/{refund_id}`
   */
  get(refundId: string, options?: RequestOptions): Promise<models.Refund> {
    return this.send({ method: 'GET', path: path`/api/v1/refunds/${refundId}` }, options);
  }
}

/**
 * Recurring schedules. The service creates a payment intent for each due date, charges the saved method, and retries
 * after failures.
 */
export class PaymentPlans extends Resource {
  /**
   * Create a payment plan
   *
   * A new plan is `pending`: it collects nothing until you activate it. Each due date is a slot with its own payment
   * intent. The service charges it at 00:00 of that date in the account’s time zone, on the customer’s test clock if it
   * has one. `payment_intent.*` events report the results. To see the calendar before you activate, use `GET
   * …/schedule`.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans`
   */
  create(body: models.PaymentPlanCreate, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_plans`, body }, options);
  }

  /**
   * List payment plans, newest first
   *
   * Needs a secret key with the scope `payment_plans:read`.
   *
   * `GET /api/v1/payment_plans`
   */
  list(query?: QueryOf<'listPaymentPlans'>, options?: RequestOptions): Listing<models.PaymentPlanList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payment_plans`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a payment plan
   *
   * With `Prefer: wait=N` the response comes once nothing of the plan is due and no charge is under way, or after N
   * seconds (at most 60): send it after `activate` or `resume` to see the result of what is charged at once.
   *
   * Needs a secret key with the scope `payment_plans:read`.
   *
   * `GET /api/v1/payment_plans/{plan_id}`
   */
  get(planId: string, options?: WaitOptions): Promise<models.PaymentPlan> {
    return this.send({ method: 'GET', path: path`/api/v1/payment_plans/${planId}` }, options);
  }

  /**
   * Change a payment plan
   *
   * Until the plan has ended, you can change name, recurring_amount_cents, total_amount_cents, until_further_notice,
   * payment_instrument_id, failure_behaviour and tax_included. While it is pending, you can change everything except
   * customer_id. You can replace metadata in every state, also after the end. Payment intents that exist keep theirs.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `PUT /api/v1/payment_plans/{plan_id}`
   */
  update(planId: string, body?: models.PaymentPlanUpdate, options?: RequestOptions): Promise<models.PaymentPlan> {
    return this.send({ method: 'PUT', path: path`/api/v1/payment_plans/${planId}`, body }, options);
  }

  /**
   * Activate a plan: start collecting
   *
   * Moves the plan from `pending` to `active` and sends `payment_plan.activated`. If the date of slot 0 has come, the
   * service charges it at once, some milliseconds after this response. A test clock need not advance for that. To see
   * the result, fetch the plan with `Prefer: wait=N`, or wait for the event. Later slots whose date has passed are
   * skipped.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/activate`
   */
  activate(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/activate` }, options);
  }

  /**
   * Suspend a plan: stop collecting until it is resumed
   *
   * Moves the plan from `active` to `suspended` and sends `payment_plan.suspended`. After this response no charge
   * starts, and retries end.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/suspend`
   */
  suspend(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/suspend` }, options);
  }

  /**
   * Resume a plan: collect again, and retry unpaid payments
   *
   * Moves the plan from `suspended` to `active`. No event is sent. A payment that failed or waits for a retry is tried
   * at once, some milliseconds after this response, with new retries: fetch the plan with `Prefer: wait=N` to see the
   * result. Slots whose date passed in the meantime are skipped and never charged.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/resume`
   */
  resume(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/resume` }, options);
  }

  /**
   * Deactivate an active plan for good
   *
   * Moves the plan from `active` to `deactivated` and sends `payment_plan.deactivated`. After this response no charge
   * starts.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/deactivate`
   */
  deactivate(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/deactivate` }, options);
  }

  /**
   * Close a plan for good
   *
   * Moves the plan from `pending`, `active` or `suspended` to `closed` and sends `payment_plan.closed`. After this
   * response no charge starts. The service also closes a plan when its total is collected.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/close`
   */
  close(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/close` }, options);
  }

  /**
   * List the past due dates of a plan with their results, newest first
   *
   * Needs a secret key with the scope `payment_plans:read`.
   *
   * `GET /api/v1/payment_plans/{plan_id}/payments`
   */
  listPayments(
    planId: string,
    query?: QueryOf<'listPlanPayments'>,
    options?: RequestOptions,
  ): Listing<models.PlanPaymentList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payment_plans/${planId}/payments`, query }, 'data', 'slot', options);
  }

  /**
   * Show the coming payments of a plan
   *
   * A pending or suspended plan is shown as if you activated or resumed it now.
   *
   * Needs a secret key with the scope `payment_plans:read`.
   *
   * `GET /api/v1/payment_plans/{plan_id}/schedule`
   */
  getSchedule(
    planId: string,
    query?: QueryOf<'getPlanSchedule'>,
    options?: RequestOptions,
  ): Promise<models.ScheduledPaymentList> {
    return this.send({ method: 'GET', path: path`/api/v1/payment_plans/${planId}/schedule`, query }, options);
  }
}

/** What you send to a payer: a URL behind which one or more payments are made, or a method is saved. */
export class PaymentLinks extends Resource {
  /**
   * Create a payment link
   *
   * Send its `url` to the payer. By default it takes one payment, however many tabs or people open it. With
   * `customer_id` the payer is known. If that customer is on a test clock, so is the link. Sends
   * `payment_link.created`. While the test clock of its customer is advancing: `test_clock_advancing`.
   *
   * Needs a secret key with the scope `payment_links:write`.
   *
   * `POST /api/v1/payment_links`
   */
  create(body: models.PaymentLinkCreate, options?: WriteOptions): Promise<models.PaymentLink> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_links`, body }, options);
  }

  /**
   * List payment links, newest first
   *
   * Links of customers on a test clock are listed only with `test_clock`.
   *
   * Needs a secret key with the scope `payment_links:read`.
   *
   * `GET /api/v1/payment_links`
   */
  list(query?: QueryOf<'listPaymentLinks'>, options?: RequestOptions): Listing<models.PaymentLinkList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payment_links`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a payment link
   *
   * Needs a secret key with the scope `payment_links:read`.
   *
   * `GET /api/v1/payment_links/{payment_link_id}`
   */
  get(paymentLinkId: string, options?: RequestOptions): Promise<models.PaymentLink> {
    return this.send({ method: 'GET', path: path`/api/v1/payment_links/${paymentLinkId}` }, options);
  }

  /**
   * Change an open payment link
   *
   * Null clears a field. A session that has started keeps the terms that its payer has seen. While the test clock of
   * its customer is advancing: `test_clock_advancing`.
   *
   * Needs a secret key with the scope `payment_links:write`.
   *
   * `PUT /api/v1/payment_links/{payment_link_id}`
   */
  update(
    paymentLinkId: string,
    body?: models.PaymentLinkUpdate,
    options?: RequestOptions,
  ): Promise<models.PaymentLink> {
    return this.send({ method: 'PUT', path: path`/api/v1/payment_links/${paymentLinkId}`, body }, options);
  }

  /**
   * List the payments of a payment link, newest first
   *
   * Every payment intent on which an attempt was made, whatever its result.
   *
   * Needs a secret key with the scope `payment_links:read`.
   *
   * `GET /api/v1/payment_links/{payment_link_id}/payments`
   */
  listPayments(
    paymentLinkId: string,
    query?: QueryOf<'listPaymentLinkPayments'>,
    options?: RequestOptions,
  ): Listing<models.PaymentIntentList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payment_links/${paymentLinkId}/payments`, query }, 'data', 'id', options);
  }

  /**
   * Fetch the QR code of a payment link
   *
   * The `url` of the link as an image, to print or to show on a screen.
   *
   * Needs a secret key with the scope `payment_links:write`.
   *
   * `GET /api/v1/payment_links/{payment_link_id}/qr.svg`
   */
  getQr(paymentLinkId: string, options?: RequestOptions): Promise<ResponseOf<'getPaymentLinkQr'>> {
    return this.send({ method: 'GET', path: path`/api/v1/payment_links/${paymentLinkId}/qr.svg`, accept: 'image/svg+xml' }, options);
  }

  /**
   * Deactivate an open payment link
   *
   * Its open sessions end. After the response no attempt is opened. One that is under way continues, and is counted and
   * reported if it succeeds. Sends `payment_link.deactivated`. While the test clock of its customer is advancing:
   * `test_clock_advancing`.
   *
   * Needs a secret key with the scope `payment_links:write`.
   *
   * `POST /api/v1/payment_links/{payment_link_id}/deactivate`
   */
  deactivate(paymentLinkId: string, options?: WriteOptions): Promise<models.PaymentLink> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_links/${paymentLinkId}/deactivate` }, options);
  }

  /**
   * Open an expired or deactivated payment link again
   *
   * The URL stays the same. Sends `payment_link.renewed`. While the test clock of its customer is advancing:
   * `test_clock_advancing`.
   *
   * Needs a secret key with the scope `payment_links:write`.
   *
   * `POST /api/v1/payment_links/{payment_link_id}/renew`
   */
  renew(paymentLinkId: string, body?: models.PaymentLinkRenew, options?: WriteOptions): Promise<models.PaymentLink> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_links/${paymentLinkId}/renew`, body }, options);
  }

  /**
   * Give a payment link another URL
   *
   * In any state. The old URL no longer works; sessions that were started continue. While the test clock of its
   * customer is advancing: `test_clock_advancing`.
   *
   * Needs a secret key with the scope `payment_links:write`.
   *
   * `POST /api/v1/payment_links/{payment_link_id}/rotate_url`
   */
  rotateUrl(paymentLinkId: string, options?: WriteOptions): Promise<models.PaymentLink> {
    return this.send({ method: 'POST', path: path`/api/v1/payment_links/${paymentLinkId}/rotate_url` }, options);
  }
}

/** A hosted page on which one payer pays, or saves a payment method. A payment link creates one for each payer. */
export class CheckoutSessions extends Resource {
  /**
   * Create a checkout session
   *
   * A hosted page without a payment link. Send your payer to its `url`: to pay, to pay a `payment_intent_id` of yours,
   * or in `setup` mode to save a method, whose `payment_method_id` your server then confirms with. With
   * `subscription_id` the payer pays what a subscription has failed to collect: the page says what is taken, and for
   * which dates. A payment intent has at most one open session.
   *
   * Needs a secret key with the scope `payment_links:write`.
   *
   * `POST /api/v1/checkout_sessions`
   */
  create(body?: models.CheckoutSessionCreate, options?: WriteOptions): Promise<models.CheckoutSession> {
    return this.send({ method: 'POST', path: path`/api/v1/checkout_sessions`, body }, options);
  }

  /**
   * List checkout sessions, newest first
   *
   * Sessions of customers on a test clock are listed only with `test_clock`.
   *
   * Needs a secret key with the scope `payment_links:read`.
   *
   * `GET /api/v1/checkout_sessions`
   */
  list(query?: QueryOf<'listCheckoutSessions'>, options?: RequestOptions): Listing<models.CheckoutSessionList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/checkout_sessions`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a checkout session
   *
   * A publishable key needs the client_secret of this session. It gets what a payer needs (`CheckoutSessionForPayer`).
   * A secret key gets the whole `CheckoutSession`.
   *
   * A secret key needs the scope `payment_links:read`; a publishable key may call this too.
   *
   * `GET /api/v1/checkout_sessions/{checkout_session_id}`
   */
  get(
    checkoutSessionId: string,
    query?: QueryOf<'getCheckoutSession'>,
    options?: RequestOptions,
  ): Promise<models.CheckoutSession> {
    return this.send({ method: 'GET', path: path`/api/v1/checkout_sessions/${checkoutSessionId}`, query }, options);
  }

  /**
   * End an open checkout session
   *
   * After the response no attempt is opened. Sends `checkout_session.expired`.
   *
   * Needs a secret key with the scope `payment_links:write`.
   *
   * `POST /api/v1/checkout_sessions/{checkout_session_id}/expire`
   */
  expire(checkoutSessionId: string, options?: WriteOptions): Promise<models.CheckoutSession> {
    return this.send({ method: 'POST', path: path`/api/v1/checkout_sessions/${checkoutSessionId}/expire` }, options);
  }
}

/** A service that is sold in periods, each paid when it begins. `in_effect` says whether the customer may use it now. */
export class Subscriptions extends Resource {
  /**
   * Create a subscription
   *
   * A new subscription is `pending`: nothing is owed until you start it. To see its periods before that, use `GET
   * …/schedule`.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions`
   */
  create(body: models.SubscriptionCreate, options?: WriteOptions): Promise<models.Subscription> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions`, body }, options);
  }

  /**
   * List subscriptions, newest first
   *
   * Needs a secret key with the scope `subscriptions:read`.
   *
   * `GET /api/v1/subscriptions`
   */
  list(query?: QueryOf<'listSubscriptions'>, options?: RequestOptions): Listing<models.SubscriptionList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/subscriptions`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a subscription
   *
   * Needs a secret key with the scope `subscriptions:read`.
   *
   * `GET /api/v1/subscriptions/{subscription_id}`
   */
  get(subscriptionId: string, options?: RequestOptions): Promise<models.Subscription> {
    return this.send({ method: 'GET', path: path`/api/v1/subscriptions/${subscriptionId}` }, options);
  }

  /**
   * Change a subscription
   *
   * Until it is canceled, you can change name, payment_instrument_id, failure_behaviour, unpaid_behaviour, grace_days
   * and metadata. Before its start, you can change everything except customer_id.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `PUT /api/v1/subscriptions/{subscription_id}`
   */
  update(
    subscriptionId: string,
    body?: models.SubscriptionUpdate,
    options?: RequestOptions,
  ): Promise<models.Subscription> {
    return this.send({ method: 'PUT', path: path`/api/v1/subscriptions/${subscriptionId}`, body }, options);
  }

  /**
   * Start a subscription: charge its first period, or begin its trial
   *
   * Returns `active` if the first period was paid, or `trialing`. A decline is not an error: the subscription stays
   * `pending` with `last_payment_error`, nothing is owed, and you can start it again. While a challenge or a bank debit
   * is under way, it is `pending` with `current_period.status: processing`; `latest_payment_intent_id` names the
   * payment intent. With a start date to come, it starts automatically on that day.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions/{subscription_id}/start`
   */
  start(subscriptionId: string, options?: WriteOptions): Promise<models.Subscription> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions/${subscriptionId}/start` }, options);
  }

  /**
   * Pause a subscription at the end of its period, or of a later one
   *
   * Until `pauses_at` it continues as before. Then no period begins and nothing is charged until you resume it, or
   * until `resumes_at`. Paused time is never billed. To withdraw the pause before then, resume the subscription. If
   * `from` is no end of a period to come, the error names the two that are nearest.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions/{subscription_id}/pause`
   */
  pause(subscriptionId: string, body?: models.SubscriptionPause, options?: WriteOptions): Promise<models.Subscription> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions/${subscriptionId}/pause`, body }, options);
  }

  /**
   * Cancel a subscription at the end of its period or of a later one, or now
   *
   * After this response no period begins that it excludes. At the end of the period, the service that is paid for
   * continues until `ends_at`, and retries end. With a later date it continues as before until then, with renewals and
   * retries; if that is no end of a period to come, the error names the two that are nearest. A subscription that is
   * pending or paused is canceled at once, and not at a date. Nothing is refunded; with `at: now` and `unused: credit`
   * the days that are left become credit, which you can refund.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions/{subscription_id}/cancel`
   */
  cancel(
    subscriptionId: string,
    body?: models.SubscriptionCancel,
    options?: WriteOptions,
  ): Promise<models.CanceledSubscription> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions/${subscriptionId}/cancel`, body }, options);
  }

  /**
   * List the periods of a subscription that have begun, newest first
   *
   * Needs a secret key with the scope `subscriptions:read`.
   *
   * `GET /api/v1/subscriptions/{subscription_id}/periods`
   */
  listPeriods(
    subscriptionId: string,
    query?: QueryOf<'listSubscriptionPeriods'>,
    options?: RequestOptions,
  ): Listing<models.SubscriptionPeriodList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/subscriptions/${subscriptionId}/periods`, query }, 'data', 'number', options);
  }

  /**
   * Show the coming periods of a subscription
   *
   * A subscription that is pending or paused is shown as if you started or resumed it now.
   *
   * Needs a secret key with the scope `subscriptions:read`.
   *
   * `GET /api/v1/subscriptions/{subscription_id}/schedule`
   */
  getSchedule(
    subscriptionId: string,
    query?: QueryOf<'getSubscriptionSchedule'>,
    options?: RequestOptions,
  ): Promise<models.ComingPeriodList> {
    return this.send({ method: 'GET', path: path`/api/v1/subscriptions/${subscriptionId}/schedule`, query }, options);
  }

  /**
   * Resume a subscription: begin a new period today, and charge it
   *
   * A new period begins today. Returns `active` if it was paid. A decline is not an error: the subscription is
   * `past_due` with `last_payment_error`, or what `unpaid_behaviour` says, and retries continue. While a challenge is
   * under way, it is `active` and not yet in effect, with `current_period.status: processing`; a bank debit that is
   * under way is enough. Later periods are counted from today, or begin on `anchor_day`. A period that was unpaid
   * becomes `void`. A pause that has not begun is taken back.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions/{subscription_id}/resume`
   */
  resume(
    subscriptionId: string,
    body?: models.SubscriptionResume,
    options?: WriteOptions,
  ): Promise<models.Subscription> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions/${subscriptionId}/resume`, body }, options);
  }

  /**
   * Withdraw the end of a subscription
   *
   * Withdraws a cancellation that has not taken effect: `ends_at` is what it was, and the retries and pause that it
   * ended continue. Without a cancellation it removes `ends_at`.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions/{subscription_id}/uncancel`
   */
  uncancel(subscriptionId: string, options?: WriteOptions): Promise<models.Subscription> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions/${subscriptionId}/uncancel` }, options);
  }

  /**
   * Charge the unpaid period of a subscription now
   *
   * Allowed while it is `past_due`, or `paused` because a payment failed. Returns `active` if the attempt has
   * succeeded. A decline is not an error: the retries continue, or end. The attempt counts as the next one of its
   * series.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions/{subscription_id}/retry_now`
   */
  retry(subscriptionId: string, options?: WriteOptions): Promise<models.Subscription> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions/${subscriptionId}/retry_now` }, options);
  }

  /** The same as `retry`, by the name of its path. */
  retryNow(subscriptionId: string, options?: WriteOptions): Promise<models.Subscription> {
    return this.retry(subscriptionId, options);
  }

  /**
   * Change what a subscription sells, or ask what that costs
   *
   * Allowed while it is `trialing` or `active`, and for the next period while it is `paused`. A change now costs the
   * days that are left; if that is negative, it goes to `credit_balance_cents`, which later periods use before money is
   * taken. With `collect: now` it is charged at once, and made when that has succeeded: a decline is not an error,
   * `last_payment_error` says why, and nothing has changed. While a challenge or a bank debit is under way,
   * `change_payment_intent_id` names the payment intent. With `dry_run` nothing changes: the response says what would
   * be charged.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions/{subscription_id}/change`
   */
  change(
    subscriptionId: string,
    body: models.SubscriptionChange,
    options?: WriteOptions,
  ): Promise<models.SubscriptionChangeResult> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions/${subscriptionId}/change`, body }, options);
  }

  /**
   * List the changes of a subscription that were requested with `when: now`, newest first
   *
   * Needs a secret key with the scope `subscriptions:read`.
   *
   * `GET /api/v1/subscriptions/{subscription_id}/changes`
   */
  listChanges(
    subscriptionId: string,
    query?: QueryOf<'listSubscriptionChanges'>,
    options?: RequestOptions,
  ): Listing<models.SubscriptionMadeChangeList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/subscriptions/${subscriptionId}/changes`, query }, 'data', 'number', options);
  }

  /**
   * Pay out the credit of a subscription
   *
   * Refunds the payments of the subscription that succeeded, the newest first, each by at most what remains of it. The
   * response is the refund of the newest; `refunds` are all. The credit is taken at once, and the part of a refund that
   * fails comes back. Allowed in every state, also after it was canceled.
   *
   * Needs a secret key with the scope `subscriptions:write`.
   *
   * `POST /api/v1/subscriptions/{subscription_id}/refund_credit`
   */
  refundCredit(
    subscriptionId: string,
    body?: models.SubscriptionCreditRefund,
    options?: WriteOptions,
  ): Promise<models.SubscriptionCreditRefunds> {
    return this.send({ method: 'POST', path: path`/api/v1/subscriptions/${subscriptionId}/refund_credit`, body }, options);
  }
}

/** Sandbox only: simulated time for chosen customers. Renewals, retries and expiry happen when you ask for them. */
export class TestClocks extends Resource {
  /**
   * Create a test clock
   *
   * A clock stands still until you advance it. To put customers on it, create them with its id as their `test_clock`:
   * at most 3 per clock, and 9 on all clocks of the account. An account has at most 3 clocks that are neither deleted
   * nor failed. Each clock is deleted after 30 days. Sends `test_clock.created`.
   *
   * Needs a secret key with the scope `test_clocks:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/test_clocks`
   */
  create(body: models.TestClockCreate, options?: WriteOptions): Promise<models.TestClock> {
    return this.send({ method: 'POST', path: path`/api/v1/test_helpers/test_clocks`, body }, options);
  }

  /**
   * List test clocks, newest first
   *
   * Needs a secret key with the scope `test_clocks:read`. Sandbox only.
   *
   * `GET /api/v1/test_helpers/test_clocks`
   */
  list(query?: QueryOf<'listTestClocks'>, options?: RequestOptions): Listing<models.TestClockList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/test_helpers/test_clocks`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a test clock
   *
   * With `Prefer: wait=N` the response comes as soon as the clock is no longer advancing, or after N seconds (at most
   * 60). Check `status`, and fetch again while it is `advancing`. In each API process at most 100 requests of a key
   * wait at a time. A further request returns at once, without `Preference-Applied`. Pause before you fetch again.
   *
   * Needs a secret key with the scope `test_clocks:read`. Sandbox only.
   *
   * `GET /api/v1/test_helpers/test_clocks/{id}`
   */
  get(id: string, options?: WaitOptions): Promise<models.TestClock> {
    return this.send({ method: 'GET', path: path`/api/v1/test_helpers/test_clocks/${id}` }, options);
  }

  /**
   * Delete a test clock with all its customers and their objects
   *
   * Allowed in any state. It cannot be undone. Sends `test_clock.deleted`. Events stay readable. Nothing on the clock
   * is charged afterwards.
   *
   * Needs a secret key with the scope `test_clocks:write`. Sandbox only.
   *
   * `DELETE /api/v1/test_helpers/test_clocks/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<models.DeletedTestClock> {
    return this.send({ method: 'DELETE', path: path`/api/v1/test_helpers/test_clocks/${id}` }, options);
  }

  /**
   * Advance a test clock
   *
   * Allowed from `created` and `ready`, forward only. Returns at once, with the old frozen_time, and sends
   * `test_clock.advancing`. Everything that is due on the way happens at its own instant, in order. When every effect
   * is committed, the clock is `ready` and `test_clock.ready` is sent. To wait for that, fetch the clock with `Prefer:
   * wait=60`. One advance covers at most two billing intervals. The clock’s max_frozen_time is the latest target, and
   * the error for a longer advance has it too. With `dry_run` nothing changes, and the response shows what the advance
   * would do.
   *
   * Needs a secret key with the scope `test_clocks:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/test_clocks/{id}/advance`
   */
  advance(id: string, body: models.TestClockAdvance, options?: WriteOptions): Promise<ResponseOf<'advanceTestClock'>> {
    return this.send({ method: 'POST', path: path`/api/v1/test_helpers/test_clocks/${id}/advance`, body }, options);
  }

  /**
   * List the effects of the advances of a test clock
   *
   * Oldest first, in the order of the clock’s time. `starting_after` takes the event_id of the last effect on the
   * previous page. The effects of a running advance appear as they are committed.
   *
   * Needs a secret key with the scope `test_clocks:read`. Sandbox only.
   *
   * `GET /api/v1/test_helpers/test_clocks/{id}/effects`
   */
  listEffects(
    id: string,
    query?: QueryOf<'listTestClockEffects'>,
    options?: RequestOptions,
  ): Listing<models.ClockEffectList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/test_helpers/test_clocks/${id}/effects`, query }, 'data', 'event_id', options);
  }
}

/**
 * The books of your account: what was taken, what it cost, what came back, what was paid out. Rows are posted from
 * events, within a second as a rule; `complete_up_to` says how far. Lists and balances leave out what is on test
 * clocks, unless `test_clock` names one.
 */
export class Balance extends Resource {
  /**
   * Fetch your balance in each currency
   *
   * With `test_clock`, the balance of that clock at its time.
   *
   * Needs a secret key with the scope `balance:read`.
   *
   * `GET /api/v1/balance`
   */
  get(query?: QueryOf<'getBalance'>, options?: RequestOptions): Promise<models.Balance> {
    return this.send({ method: 'GET', path: path`/api/v1/balance`, query }, options);
  }
}

/**
 * The books of your account: what was taken, what it cost, what came back, what was paid out. Rows are posted from
 * events, within a second as a rule; `complete_up_to` says how far. Lists and balances leave out what is on test
 * clocks, unless `test_clock` names one.
 */
export class BalanceTransactions extends Resource {
  /**
   * List what has moved money, newest first
   *
   * One row for each movement. What is on a test clock appears only if `test_clock` names the clock. A bank debit has
   * no row before it settles.
   *
   * Needs a secret key with the scope `balance:read`.
   *
   * `GET /api/v1/balance_transactions`
   */
  list(
    query?: QueryOf<'listBalanceTransactions'>,
    options?: RequestOptions,
  ): Listing<models.BalanceTransactionList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/balance_transactions`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a row of your books
   *
   * Needs a secret key with the scope `balance:read`.
   *
   * `GET /api/v1/balance_transactions/{balance_transaction_id}`
   */
  get(balanceTransactionId: string, options?: RequestOptions): Promise<models.BalanceTransaction> {
    return this.send({ method: 'GET', path: path`/api/v1/balance_transactions/${balanceTransactionId}` }, options);
  }
}

/**
 * What was paid to your bank account. The sandbox pays out at 00:00 of each business day, in your time zone: all that
 * is available in a currency, if that is more than 0. `metadata._sandbox_payout` of a payment chooses what becomes of
 * the payouts that it is in: a list of `paid` and `fail`. In live mode the processor pays out, if it says so: Stripe
 * does.
 */
export class Payouts extends Resource {
  /**
   * List payouts, newest first
   *
   * What is on a test clock appears only if `test_clock` names the clock.
   *
   * Needs a secret key with the scope `balance:read`.
   *
   * `GET /api/v1/payouts`
   */
  list(query?: QueryOf<'listPayouts'>, options?: RequestOptions): Listing<models.PayoutList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payouts`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a payout
   *
   * Needs a secret key with the scope `balance:read`.
   *
   * `GET /api/v1/payouts/{payout_id}`
   */
  get(payoutId: string, options?: RequestOptions): Promise<models.Payout> {
    return this.send({ method: 'GET', path: path`/api/v1/payouts/${payoutId}` }, options);
  }

  /**
   * List the rows of your books that a payout pays, newest first
   *
   * Their `net` adds up to the payout. A payout that has failed still shows what it was to pay.
   *
   * Needs a secret key with the scope `balance:read`.
   *
   * `GET /api/v1/payouts/{payout_id}/items`
   */
  listItems(
    payoutId: string,
    query?: QueryOf<'listPayoutItems'>,
    options?: RequestOptions,
  ): Listing<models.BalanceTransactionList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/payouts/${payoutId}/items`, query }, 'data', 'id', options);
  }
}

/**
 * Payments that a payer has disputed with the bank. What is disputed is held until the dispute is won or lost, and
 * cannot be refunded meanwhile. The sandbox opens disputes on request. Live mode has none yet.
 */
export class Disputes extends Resource {
  /**
   * List disputes, newest first
   *
   * What is on a test clock appears only if `test_clock` names the clock.
   *
   * Needs a secret key with the scope `balance:read`.
   *
   * `GET /api/v1/disputes`
   */
  list(query?: QueryOf<'listDisputes'>, options?: RequestOptions): Listing<models.DisputeList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/disputes`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a dispute
   *
   * Needs a secret key with the scope `balance:read`.
   *
   * `GET /api/v1/disputes/{dispute_id}`
   */
  get(disputeId: string, options?: RequestOptions): Promise<models.Dispute> {
    return this.send({ method: 'GET', path: path`/api/v1/disputes/${disputeId}` }, options);
  }
}

/**
 * What finance reads, as JSON or as CSV, with the same columns in both. Amounts are minor units, instants are UTC.
 * Reports leave out what is on test clocks, unless `test_clock` names one.
 */
export class Reports extends Resource {
  /**
   * Report what has moved money
   *
   * The rows of your books with this `created_at`, oldest first, each with its customer and its plan. Streamed as JSON,
   * or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an account are read at a
   * time.
   *
   * Needs a secret key with the scope `reports:read`.
   *
   * `GET /api/v1/reports/balance_transactions`
   */
  getBalanceTransactions(
    query: QueryOf<'getReportBalanceTransactions'>,
    options?: RequestOptions,
  ): Promise<models.BalanceTransactionsReport> {
    return this.send({ method: 'GET', path: path`/api/v1/reports/balance_transactions`, query }, options);
  }

  /**
   * Report your payouts, each with what it is made of
   *
   * One row for each payout with this `created_at`, oldest first: what was paid, refunded and taken back, and the fees,
   * which add up to it. `GET /balance_transactions?payout_id=` has its items. Streamed as JSON, or as CSV if `Accept`
   * is `text/csv` or the path ends in `.csv`. At most two reports of an account are read at a time.
   *
   * Needs a secret key with the scope `reports:read`.
   *
   * `GET /api/v1/reports/payouts`
   */
  getPayouts(query: QueryOf<'getReportPayouts'>, options?: RequestOptions): Promise<models.PayoutsReport> {
    return this.send({ method: 'GET', path: path`/api/v1/reports/payouts`, query }, options);
  }

  /**
   * Report what plans and subscriptions charged and collected
   *
   * One row for each plan and each subscription, by customer: what moved in the range, and what was owed at its end.
   * One that had ended, and neither moved nor owed anything, is left out. Streamed as JSON, or as CSV if `Accept` is
   * `text/csv` or the path ends in `.csv`. At most two reports of an account are read at a time.
   *
   * Needs a secret key with the scope `reports:read`.
   *
   * `GET /api/v1/reports/plans`
   */
  getPlans(query: QueryOf<'getReportPlans'>, options?: RequestOptions): Promise<models.PlansReport> {
    return this.send({ method: 'GET', path: path`/api/v1/reports/plans`, query }, options);
  }

  /**
   * Report what is owed, by how many days it is late
   *
   * One row for each plan, subscription and payment by itself of which something is owed now, by customer. `from` and
   * `to` narrow by the date since which it is late. Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path
   * ends in `.csv`. At most two reports of an account are read at a time.
   *
   * Needs a secret key with the scope `reports:read`.
   *
   * `GET /api/v1/reports/aging`
   */
  getAging(query?: QueryOf<'getReportAging'>, options?: RequestOptions): Promise<models.AgingReport> {
    return this.send({ method: 'GET', path: path`/api/v1/reports/aging`, query }, options);
  }

  /**
   * Report the payments that failed or came back
   *
   * One row for each attempt that failed and each debit that came back, oldest first: why, when it was to be tried
   * again, and what has become of the payment. Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends
   * in `.csv`. At most two reports of an account are read at a time.
   *
   * Needs a secret key with the scope `reports:read`.
   *
   * `GET /api/v1/reports/failed_payments`
   */
  getFailedPayments(
    query: QueryOf<'getReportFailedPayments'>,
    options?: RequestOptions,
  ): Promise<models.FailedPaymentsReport> {
    return this.send({ method: 'GET', path: path`/api/v1/reports/failed_payments`, query }, options);
  }

  /**
   * Report your mandates
   *
   * Each mandate as it is now, oldest first. `from` and `to` narrow by `created_at`. Streamed as JSON, or as CSV if
   * `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an account are read at a time.
   *
   * Needs a secret key with the scope `reports:read`.
   *
   * `GET /api/v1/reports/mandates`
   */
  getMandates(query?: QueryOf<'getReportMandates'>, options?: RequestOptions): Promise<models.MandatesReport> {
    return this.send({ method: 'GET', path: path`/api/v1/reports/mandates`, query }, options);
  }
}

/** Everything that happened, numbered and stored, whether or not a webhook was sent. */
export class Events extends Resource {
  /**
   * List events
   *
   * Lists all events, newest first, whether or not an endpoint subscribes to them. With `order=asc` and the last id
   * that you have as `starting_after` you get what was recorded since, oldest first. No event is missed, whatever is
   * written meanwhile: the order is that of the commits.
   *
   * Needs a secret key with the scope `events:read`.
   *
   * `GET /api/v1/events`
   */
  list(query?: QueryOf<'listEvents'>, options?: RequestOptions): Listing<models.EventList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/events`, query }, 'data', 'id', options);
  }

  /**
   * Fetch an event
   *
   * Needs a secret key with the scope `events:read`.
   *
   * `GET /api/v1/events/{event_id}`
   */
  get(eventId: string, options?: RequestOptions): Promise<models.Event> {
    return this.send({ method: 'GET', path: path`/api/v1/events/${eventId}` }, options);
  }
}

/** The endpoints that events are posted to, and the result of each delivery. */
export class WebhookEndpoints extends Resource {
  /**
   * Register a webhook endpoint
   *
   * Events are posted as JSON and signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`).
   * The signing `secret` is in this response and is not shown again. `webhook-id` is the event’s id on every attempt.
   * Only a 2xx response within 15 seconds is success. Redirects are not followed.
   *
   * After a failure, the next attempts come 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h later, each give or
   * take a tenth. `Retry-After` can make a wait longer, to at most 24 h. A 410 response, or five days of nothing but
   * failure, disables the endpoint. Each mode has at most 16 endpoints.
   *
   * The key must also be able to read the events of the endpoint: `events:read` reads every event,
   * `payment_intents:read` reads `payment_intent.*`, `payment_intents:read` reads `refund.*`, `mandates:read` reads
   * `mandate.*`, `payment_plans:read` reads `payment_plan.*`, `payment_links:read` reads `payment_link.*`,
   * `payment_links:read` reads `checkout_session.*`, `balance:read` reads `dispute.*`, `balance:read` reads `payout.*`,
   * `subscriptions:read` reads `subscription.*`, `test_clocks:read` reads `test_clock.*`, `webhooks:read` reads
   * `webhook_endpoint.*`. `*`, the default, needs `events:read`.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `POST /api/v1/webhook_endpoints`
   */
  create(body: models.WebhookEndpointCreate, options?: WriteOptions): Promise<models.WebhookEndpoint> {
    return this.send({ method: 'POST', path: path`/api/v1/webhook_endpoints`, body }, options);
  }

  /**
   * List webhook endpoints, newest first
   *
   * Needs a secret key with the scope `webhooks:read`.
   *
   * `GET /api/v1/webhook_endpoints`
   */
  list(query?: QueryOf<'listWebhookEndpoints'>, options?: RequestOptions): Listing<models.WebhookEndpointList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/webhook_endpoints`, query }, 'data', 'id', options);
  }

  /**
   * Fetch a webhook endpoint
   *
   * Needs a secret key with the scope `webhooks:read`.
   *
   * `GET /api/v1/webhook_endpoints/{webhook_endpoint_id}`
   */
  get(webhookEndpointId: string, options?: RequestOptions): Promise<models.WebhookEndpoint> {
    return this.send({ method: 'GET', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}` }, options);
  }

  /**
   * Change, enable or disable a webhook endpoint
   *
   * Enabling an endpoint does not send what it missed. Use replay for that.
   *
   * The key must also be able to read the events of the endpoint to change `url` or `event_types` or to enable it: see
   * *Register a webhook endpoint*.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `PUT /api/v1/webhook_endpoints/{webhook_endpoint_id}`
   */
  update(
    webhookEndpointId: string,
    body?: models.WebhookEndpointUpdate,
    options?: RequestOptions,
  ): Promise<models.WebhookEndpoint> {
    return this.send({ method: 'PUT', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}`, body }, options);
  }

  /**
   * Delete a webhook endpoint
   *
   * Its pending deliveries become `failed`. Its deliveries stay readable.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `DELETE /api/v1/webhook_endpoints/{webhook_endpoint_id}`
   */
  delete(webhookEndpointId: string, options?: RequestOptions): Promise<models.DeletedWebhookEndpoint> {
    return this.send({ method: 'DELETE', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}` }, options);
  }

  /**
   * Replace the signing secret
   *
   * While the old secret is valid, `webhook-signature` has a signature by each secret, separated by a space.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret`
   */
  rotateSecret(
    webhookEndpointId: string,
    body?: models.SecretRotation,
    options?: WriteOptions,
  ): Promise<models.WebhookEndpoint> {
    return this.send({ method: 'POST', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}/rotate_secret`, body }, options);
  }

  /**
   * Send a test event
   *
   * Sends a `webhook_endpoint.ping` to this endpoint alone, whatever it subscribes to. Returns the delivery. Fetch it
   * again to see the result. Each attempt has a `challenge` in its `data`. To verify the endpoint (`verified_at`), the
   * receiver returns the challenge, as `{"challenge": …}` or as the bare text, within the first 2 KiB of a 2xx
   * response.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/ping`
   */
  ping(webhookEndpointId: string, options?: WriteOptions): Promise<models.WebhookDelivery> {
    return this.send({ method: 'POST', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}/ping` }, options);
  }

  /**
   * List the deliveries to an endpoint, newest first
   *
   * Needs a secret key with the scope `webhooks:read`.
   *
   * `GET /api/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries`
   */
  listDeliveries(
    webhookEndpointId: string,
    query?: QueryOf<'listWebhookDeliveries'>,
    options?: RequestOptions,
  ): Listing<models.WebhookDeliveryList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}/deliveries`, query }, 'data', 'id', options);
  }

  /**
   * Deliver the events of a time range again
   *
   * Delivers events that the endpoint subscribes to and has not received, also from while it was disabled. With `all`,
   * also those that it has received. Events keep their ids, so a receiver can recognise a repeated one.
   *
   * A live endpoint must be verified first: ping it. The sandbox needs no verification.
   *
   * The key must also be able to read the events of the endpoint: see *Register a webhook endpoint*.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/replay`
   */
  replayDeliveries(
    webhookEndpointId: string,
    body: models.WebhookReplay,
    options?: WriteOptions,
  ): Promise<models.ReplayResult> {
    return this.send({ method: 'POST', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}/replay`, body }, options);
  }

  /** The same as `replayDeliveries`, by the name of its path. */
  replay(webhookEndpointId: string, body: models.WebhookReplay, options?: WriteOptions): Promise<models.ReplayResult> {
    return this.replayDeliveries(webhookEndpointId, body, options);
  }
}

/** The endpoints that events are posted to, and the result of each delivery. */
export class WebhookDeliveries extends Resource {
  /**
   * Fetch a delivery with every attempt
   *
   * Needs a secret key with the scope `webhooks:read`.
   *
   * `GET /api/v1/webhook_deliveries/{webhook_delivery_id}`
   */
  get(webhookDeliveryId: string, options?: RequestOptions): Promise<models.WebhookDelivery> {
    return this.send({ method: 'GET', path: path`/api/v1/webhook_deliveries/${webhookDeliveryId}` }, options);
  }

  /**
   * Deliver again, now
   *
   * A pending delivery is attempted now, without waiting for its next attempt. A delivered or failed one starts the
   * schedule again. The endpoint must be enabled.
   *
   * The key must also be able to read the event: see *Register a webhook endpoint*.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `POST /api/v1/webhook_deliveries/{webhook_delivery_id}/retry`
   */
  retry(webhookDeliveryId: string, options?: WriteOptions): Promise<models.WebhookDelivery> {
    return this.send({ method: 'POST', path: path`/api/v1/webhook_deliveries/${webhookDeliveryId}/retry` }, options);
  }
}

/**
 * How your own people get into the dashboard, which shows customers, payments and what becomes of them. Your back
 * office makes a session after its own sign-on, and sends the person to its URL.
 */
export class DashboardSessions extends Resource {
  /**
   * Let a person into the dashboard
   *
   * Send the person to its `url`, or open it: it works once, within five minutes. The session ends at `expires_at`,
   * when you end it, or with the key that has made it. A role needs the scopes for what it sees and does.
   *
   * Needs a secret key with the scope `dashboard:write`.
   *
   * `POST /api/v1/dashboard_sessions`
   */
  create(body: models.DashboardSessionCreate, options?: WriteOptions): Promise<models.NewDashboardSession> {
    return this.send({ method: 'POST', path: path`/api/v1/dashboard_sessions`, body }, options);
  }

  /**
   * List dashboard sessions, newest first
   *
   * Sessions that have ended are listed for 30 days.
   *
   * Needs a secret key with the scope `dashboard:write`.
   *
   * `GET /api/v1/dashboard_sessions`
   */
  list(
    query?: QueryOf<'listDashboardSessions'>,
    options?: RequestOptions,
  ): Listing<models.DashboardSessionList, 'data'> {
    return this.pagesOf({ method: 'GET', path: path`/api/v1/dashboard_sessions`, query }, 'data', 'id', options);
  }

  /**
   * End a dashboard session at once
   *
   * Its `expires_at` is then the present. Ending it again changes nothing.
   *
   * Needs a secret key with the scope `dashboard:write`.
   *
   * `POST /api/v1/dashboard_sessions/{dashboard_session_id}/end`
   */
  end(dashboardSessionId: string, options?: WriteOptions): Promise<models.DashboardSession> {
    return this.send({ method: 'POST', path: path`/api/v1/dashboard_sessions/${dashboardSessionId}/end` }, options);
  }
}

/** How your account presents itself to payers, on the pages that the service shows them, and where it is. */
export class Account extends Resource {
  /**
   * Fetch your account as payers see it
   *
   * What the pages for payers show about you, your time zone, your country and your tax. An operator changes it (`npm
   * run billers -- update`). It is the same in both modes.
   *
   * Needs a secret key with the scope `payment_intents:read`.
   *
   * `GET /api/v1/account`
   */
  get(options?: RequestOptions): Promise<models.Account> {
    return this.send({ method: 'GET', path: path`/api/v1/account` }, options);
  }

  /**
   * List the surcharge rules that apply to your account
   *
   * Which surcharges the service adds to your payments today, by your country and by your stated cost of acceptance. An
   * operator sets both (`npm run billers -- update`). If two rules apply to one payment, the stricter one counts. A
   * payment on a test clock follows the rules of its clock’s date.
   *
   * Needs a secret key with the scope `payment_intents:read`.
   *
   * `GET /api/v1/surcharge_rules`
   */
  listSurchargeRules(options?: RequestOptions): Promise<models.SurchargeRules> {
    return this.send({ method: 'GET', path: path`/api/v1/surcharge_rules` }, options);
  }
}

/** For operators of the service. */
export class Health extends Resource {
  /**
   * Check that the process is running
   *
   * No key is needed.
   *
   * `GET /healthz`
   */
  get(options?: RequestOptions): Promise<models.Healthy> {
    return this.send({ method: 'GET', path: path`/healthz` }, options);
  }

  /**
   * Check that the service can handle requests
   *
   * No key is needed.
   *
   * `GET /readyz`
   */
  getReadiness(options?: RequestOptions): Promise<models.Healthy> {
    return this.send({ method: 'GET', path: path`/readyz` }, options);
  }
}

/** This documentation. */
export class Reference extends Resource {
  /**
   * Fetch this document
   *
   * No key is needed.
   *
   * `GET /openapi.json`
   */
  getOpenApiDocument(options?: RequestOptions): Promise<ResponseOf<'getOpenApiDocument'>> {
    return this.send({ method: 'GET', path: path`/openapi.json` }, options);
  }

  /**
   * Read this document as a page
   *
   * No key is needed.
   *
   * `GET /docs`
   */
  getPage(options?: RequestOptions): Promise<ResponseOf<'getReferencePage'>> {
    return this.send({ method: 'GET', path: path`/docs`, accept: 'text/html' }, options);
  }
}

/** Every operation of the API. */
export class Resources {
  /** The payers and their saved payment methods. */
  readonly customers: Customers;
  /**
   * Saved instruments. You can create cards and Australian bank accounts here. Klarna, PayID and PayPal are read-only;
   * in the sandbox a test helper creates them.
   */
  readonly paymentMethods: PaymentMethods;
  /**
   * The authority of a payer to debit a bank account, with the evidence that it was given. An account that has a
   * mandate is debited only while the mandate is active.
   */
  readonly mandates: Mandates;
  /**
   * Single charges: created on your server, confirmed with a saved payment method. The event `payment_intent.succeeded`
   * completes a payment.
   */
  readonly paymentIntents: PaymentIntents;
  /** Money returned to the payer, in whole or in part. */
  readonly refunds: Refunds;
  /**
   * Recurring schedules. The service creates a payment intent for each due date, charges the saved method, and retries
   * after failures.
   */
  readonly paymentPlans: PaymentPlans;
  /** What you send to a payer: a URL behind which one or more payments are made, or a method is saved. */
  readonly paymentLinks: PaymentLinks;
  /** A hosted page on which one payer pays, or saves a payment method. A payment link creates one for each payer. */
  readonly checkoutSessions: CheckoutSessions;
  /** A service that is sold in periods, each paid when it begins. `in_effect` says whether the customer may use it now. */
  readonly subscriptions: Subscriptions;
  /** Sandbox only: simulated time for chosen customers. Renewals, retries and expiry happen when you ask for them. */
  readonly testClocks: TestClocks;
  /**
   * The books of your account: what was taken, what it cost, what came back, what was paid out. Rows are posted from
   * events, within a second as a rule; `complete_up_to` says how far. Lists and balances leave out what is on test
   * clocks, unless `test_clock` names one.
   */
  readonly balance: Balance;
  /**
   * The books of your account: what was taken, what it cost, what came back, what was paid out. Rows are posted from
   * events, within a second as a rule; `complete_up_to` says how far. Lists and balances leave out what is on test
   * clocks, unless `test_clock` names one.
   */
  readonly balanceTransactions: BalanceTransactions;
  /**
   * What was paid to your bank account. The sandbox pays out at 00:00 of each business day, in your time zone: all that
   * is available in a currency, if that is more than 0. `metadata._sandbox_payout` of a payment chooses what becomes of
   * the payouts that it is in: a list of `paid` and `fail`. In live mode the processor pays out, if it says so: Stripe
   * does.
   */
  readonly payouts: Payouts;
  /**
   * Payments that a payer has disputed with the bank. What is disputed is held until the dispute is won or lost, and
   * cannot be refunded meanwhile. The sandbox opens disputes on request. Live mode has none yet.
   */
  readonly disputes: Disputes;
  /**
   * What finance reads, as JSON or as CSV, with the same columns in both. Amounts are minor units, instants are UTC.
   * Reports leave out what is on test clocks, unless `test_clock` names one.
   */
  readonly reports: Reports;
  /** Everything that happened, numbered and stored, whether or not a webhook was sent. */
  readonly events: Events;
  /** The endpoints that events are posted to, and the result of each delivery. */
  readonly webhookEndpoints: WebhookEndpoints;
  /** The endpoints that events are posted to, and the result of each delivery. */
  readonly webhookDeliveries: WebhookDeliveries;
  /**
   * How your own people get into the dashboard, which shows customers, payments and what becomes of them. Your back
   * office makes a session after its own sign-on, and sends the person to its URL.
   */
  readonly dashboardSessions: DashboardSessions;
  /** How your account presents itself to payers, on the pages that the service shows them, and where it is. */
  readonly account: Account;
  /** For operators of the service. */
  readonly health: Health;
  /** This documentation. */
  readonly reference: Reference;

  constructor(request: Requester) {
    this.customers = new Customers(request);
    this.paymentMethods = new PaymentMethods(request);
    this.mandates = new Mandates(request);
    this.paymentIntents = new PaymentIntents(request);
    this.refunds = new Refunds(request);
    this.paymentPlans = new PaymentPlans(request);
    this.paymentLinks = new PaymentLinks(request);
    this.checkoutSessions = new CheckoutSessions(request);
    this.subscriptions = new Subscriptions(request);
    this.testClocks = new TestClocks(request);
    this.balance = new Balance(request);
    this.balanceTransactions = new BalanceTransactions(request);
    this.payouts = new Payouts(request);
    this.disputes = new Disputes(request);
    this.reports = new Reports(request);
    this.events = new Events(request);
    this.webhookEndpoints = new WebhookEndpoints(request);
    this.webhookDeliveries = new WebhookDeliveries(request);
    this.dashboardSessions = new DashboardSessions(request);
    this.account = new Account(request);
    this.health = new Health(request);
    this.reference = new Reference(request);
  }
}
