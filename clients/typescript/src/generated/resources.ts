// Generated from the OpenAPI document of the service by `npm run generate`. Do not edit.

import type { Listing } from '../listing.ts';
import type { RequestOptions, WaitOptions, WriteOptions } from '../options.ts';
import { type AnswerOf, type QueryOf, path, Resource } from '../resource.ts';
import type { Requester } from '../transport.ts';
import type * as models from './models.ts';

/** The version of the API that this was generated for. */
export const apiVersion = '1.0.0';

/** The payers, with their saved payment methods. */
export class Customers extends Resource {
  /**
   * Create a customer
   *
   * With `test_clock` it lives on the time of that clock, for good, and is left out of lists that do not name it.
   *
   * Needs a secret key with the scope `customers:write`.
   *
   * `POST /api/v1/customers`
   */
  create(body: models.CustomerCreate, options?: WriteOptions): Promise<models.Customer> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/customers`, body }, options);
  }

  /**
   * List customers, newest first
   *
   * Deleted customers are left out; customers on a test clock appear only when test_clock names it.
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
   * A deleted customer is returned with its deleted_at.
   *
   * Needs a secret key with the scope `customers:read`.
   *
   * `GET /api/v1/customers/{customer_id}`
   */
  get(customerId: string, options?: RequestOptions): Promise<models.Customer> {
    return this.answerTo({ method: 'GET', path: path`/api/v1/customers/${customerId}` }, options);
  }

  /**
   * Change a customer
   *
   * Fields that are not named stay as they are; null clears one. An object is replaced as a whole.
   *
   * Needs a secret key with the scope `customers:write`.
   *
   * `PUT /api/v1/customers/{customer_id}`
   */
  update(customerId: string, body?: models.CustomerUpdate, options?: RequestOptions): Promise<models.Customer> {
    return this.answerTo({ method: 'PUT', path: path`/api/v1/customers/${customerId}`, body }, options);
  }

  /**
   * Delete a customer
   *
   * The record stays readable by its id, with deleted_at. Its open plans are closed and its scheduled payments
   * canceled; after this response it is not charged.
   *
   * Needs a secret key with the scope `customers:write`.
   *
   * `DELETE /api/v1/customers/{customer_id}`
   */
  delete(customerId: string, options?: RequestOptions): Promise<models.Customer> {
    return this.answerTo({ method: 'DELETE', path: path`/api/v1/customers/${customerId}` }, options);
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
   * The newest 100 if no limit is given. Detached methods are left out.
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
    return this.answerTo({ method: 'GET', path: path`/api/v1/customers/${customerId}/payment_methods/${paymentMethodId}` }, options);
  }
}

/**
 * Saved instruments. Cards and Australian bank accounts can be made here; Klarna, PayID and PayPal can be read, and in
 * the sandbox a test helper makes them.
 */
export class PaymentMethods extends Resource {
  /**
   * Save a card or a bank account
   *
   * Accepts a publishable key, which may name a customer only with the `client_secret` of one of its payment intents.
   * In sandbox, a fixture token makes a card whose outcome is known: see *Test cards*. The first method of a customer
   * becomes its default, unless a publishable key saves it. A customer has at most 50 methods that are not detached.
   *
   * A secret key needs the scope `payment_methods:write`; a publishable key may call this too.
   *
   * `POST /api/v1/payment_methods`
   */
  create(body: models.PaymentMethodCreate, options?: WriteOptions): Promise<models.CreatedPaymentMethod> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_methods`, body }, options);
  }

  /**
   * List the saved payment methods, newest first
   *
   * The newest 100 if no limit is given. Detached methods are left out.
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
    return this.answerTo({ method: 'GET', path: path`/api/v1/payment_methods/${paymentMethodId}` }, options);
  }

  /**
   * Attach a payment method to a customer
   *
   * The first method of a customer becomes its default. Attaching it again to the same one changes nothing. A customer
   * has at most 50 methods that are not detached.
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
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_methods/${paymentMethodId}/attach`, body }, options);
  }

  /**
   * Detach a payment method
   *
   * After this response no charge is started on it; it stays readable. Detaching it again changes nothing.
   *
   * Needs a secret key with the scope `payment_methods:write`.
   *
   * `POST /api/v1/payment_methods/{payment_method_id}/detach`
   */
  detach(paymentMethodId: string, options?: WriteOptions): Promise<models.PaymentMethodEnvelope> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_methods/${paymentMethodId}/detach` }, options);
  }

  /**
   * Save a Klarna, PayID or PayPal instrument
   *
   * Sandbox only: what a payer sets up with Klarna, a bank or PayPal is there at once, and `instrument_data` reads back
   * as it was given. It is charged like any other method, by the outcome rules of the sandbox. The first method of a
   * customer becomes its default.
   *
   * Needs a secret key with the scope `payment_methods:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/payment_methods`
   */
  createSandboxPaymentMethod(
    body: models.SandboxPaymentMethodCreate,
    options?: WriteOptions,
  ): Promise<models.PaymentMethodEnvelope> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/test_helpers/payment_methods`, body }, options);
  }
}

/**
 * Single charges: created on your server, confirmed with a saved payment method. `payment_intent.succeeded` is what
 * completes a payment.
 */
export class PaymentIntents extends Resource {
  /**
   * Create a payment intent
   *
   * Nothing is charged before it is confirmed, or its scheduled_payment_date comes. The response has the
   * `client_secret`, with which a browser may fetch or confirm it.
   *
   * Needs a secret key with the scope `payment_intents:write`.
   *
   * `POST /api/v1/payment_intents`
   */
  create(body: models.PaymentIntentCreate, options?: WriteOptions): Promise<models.PaymentIntent> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_intents`, body }, options);
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
   * A publishable key may, when it presents the client_secret of the intent: it sees what a payer needs
   * (`PaymentIntentForPayer`), a secret key all of the `PaymentIntent`.
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
    return this.answerTo({ method: 'GET', path: path`/api/v1/payment_intents/${paymentIntentId}`, query }, options);
  }

  /**
   * Charge a payment intent
   *
   * Allowed from requires_payment_method and failed. Returns the outcome: `succeeded`, `failed` with
   * `last_payment_error`, `requires_action` or `processing`; a decline is not an error; it is 200. A method without a
   * customer is attached to the customer of the intent.
   *
   * A publishable key may, when it presents the client_secret of the intent. It may use a method of the intent’s
   * customer, or one that belongs to no customer: if the intent has no customer either, the method is bound to the
   * intent, and cannot be used for another until a secret key attaches it to a customer. Any other method is 403
   * `payment_method_not_allowed`. The response shows what a payer needs (`PaymentIntentForPayer`).
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
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_intents/${paymentIntentId}/confirm`, body }, options);
  }

  /**
   * Cancel a payment intent
   *
   * While requires_payment_method, requires_action or failed. A schedule ends with it. A plan’s intent is not canceled:
   * suspend or close the plan.
   *
   * Needs a secret key with the scope `payment_intents:write`.
   *
   * `POST /api/v1/payment_intents/{payment_intent_id}/cancel`
   */
  cancel(paymentIntentId: string, options?: WriteOptions): Promise<models.PaymentIntent> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_intents/${paymentIntentId}/cancel` }, options);
  }

  /**
   * Complete a 3D Secure challenge as the customer would
   *
   * Sandbox only. It completes the attempt that waits for the challenge; it is not a new attempt.
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
    return this.answerTo({ method: 'POST', path: path`/api/v1/test_helpers/payment_intents/${paymentIntentId}/complete_action`, body }, options);
  }
}

/** Money given back, in whole or in part. */
export class Refunds extends Resource {
  /**
   * Refund a payment, whole or in part
   *
   * Of a payment intent that has succeeded. Without an amount, all that remains of its total is refunded. A refund that
   * fails has `status: failed`, and is not an error; in the sandbox one whose amount ends in 03 does.
   *
   * Needs a secret key with the scope `payment_intents:write`.
   *
   * `POST /api/v1/payment_intents/{payment_intent_id}/refunds`
   */
  create(paymentIntentId: string, body?: models.RefundCreate, options?: WriteOptions): Promise<models.Refund> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_intents/${paymentIntentId}/refunds`, body }, options);
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
   * Fetch a refund
   *
   * Needs a secret key with the scope `payment_intents:read`.
   *
   * `GET /api/v1/refunds/{refund_id}`
   */
  get(refundId: string, options?: RequestOptions): Promise<models.Refund> {
    return this.answerTo({ method: 'GET', path: path`/api/v1/refunds/${refundId}` }, options);
  }
}

/**
 * Recurring schedules. The service makes a payment intent for each due date, charges the saved method, and tries again
 * after failures.
 */
export class PaymentPlans extends Resource {
  /**
   * Create a payment plan
   *
   * The plan is pending: it collects nothing before it is activated. Each due date is a slot with a payment intent of
   * its own, which is charged at 00:00 of that date in the account’s time zone, on the customer’s test clock if it has
   * one, and sends the `payment_intent.*` events. Look at the calendar with `GET …/schedule` before you activate.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans`
   */
  create(body: models.PaymentPlanCreate, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_plans`, body }, options);
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
   * Needs a secret key with the scope `payment_plans:read`.
   *
   * `GET /api/v1/payment_plans/{plan_id}`
   */
  get(planId: string, options?: RequestOptions): Promise<models.PaymentPlan> {
    return this.answerTo({ method: 'GET', path: path`/api/v1/payment_plans/${planId}` }, options);
  }

  /**
   * Change a payment plan
   *
   * name, recurring_amount_cents, total_amount_cents, until_further_notice, payment_instrument_id and failure_behaviour
   * until the plan has ended; everything but customer_id while it is pending.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `PUT /api/v1/payment_plans/{plan_id}`
   */
  update(planId: string, body?: models.PaymentPlanUpdate, options?: RequestOptions): Promise<models.PaymentPlan> {
    return this.answerTo({ method: 'PUT', path: path`/api/v1/payment_plans/${planId}`, body }, options);
  }

  /**
   * Start collecting; the first payment at once when its date has come
   *
   * From `pending` to `active`, with `payment_plan.activated`. When slot 0 has come it is charged at once, on a test
   * clock without an advance, but some milliseconds after this response: wait for its event, or look at `GET
   * …/payments`. Later slots that have passed are skipped.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/activate`
   */
  activate(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/activate` }, options);
  }

  /**
   * Stop collecting until the plan is resumed
   *
   * From `active` to `suspended`, with `payment_plan.suspended`. After this response no charge starts; retries end.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/suspend`
   */
  suspend(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/suspend` }, options);
  }

  /**
   * Go on collecting; what is unpaid is tried again at once
   *
   * From `suspended` to `active`; no event is sent. A payment that was failed or between retries is tried at once, some
   * milliseconds after this response, with a new series of retries; slots that passed meanwhile are skipped, not
   * charged.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/resume`
   */
  resume(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/resume` }, options);
  }

  /**
   * End an active plan for good
   *
   * From `active` to `deactivated`, with `payment_plan.deactivated`. After this response no charge starts.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/deactivate`
   */
  deactivate(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/deactivate` }, options);
  }

  /**
   * Close a plan for good
   *
   * From `pending`, `active` or `suspended` to `closed`, with `payment_plan.closed`. After this response no charge
   * starts. A plan closes by itself when its total is collected.
   *
   * Needs a secret key with the scope `payment_plans:write`.
   *
   * `POST /api/v1/payment_plans/{plan_id}/close`
   */
  close(planId: string, options?: WriteOptions): Promise<models.PaymentPlan> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/payment_plans/${planId}/close` }, options);
  }

  /**
   * List the due dates of a plan that have come, newest first, with what became of each
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
   * Show the calendar ahead of a plan
   *
   * A pending or suspended plan is shown as if it were activated or resumed now.
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
    return this.answerTo({ method: 'GET', path: path`/api/v1/payment_plans/${planId}/schedule`, query }, options);
  }
}

/** Sandbox only: simulated time for chosen customers, so that renewals, retries and expiry happen when you ask for them. */
export class TestClocks extends Resource {
  /**
   * Create a test clock
   *
   * It stands still until it is advanced. Create customers on it with their `test_clock`: 3 at most, and 9 on all
   * clocks of the account. There can be 3 clocks that are neither deleted nor failed; each is deleted after 30 days.
   * Sends `test_clock.created`.
   *
   * Needs a secret key with the scope `test_clocks:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/test_clocks`
   */
  create(body: models.TestClockCreate, options?: WriteOptions): Promise<models.TestClock> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/test_helpers/test_clocks`, body }, options);
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
   * With `Prefer: wait=N` the response comes as soon as the clock is not advancing any more, after N seconds at most,
   * and 60: look at `status`, and ask again while it is `advancing`. At most 100 requests of a key wait at a time, in
   * each process of the API: one more gets its response at once, without `Preference-Applied`. Pause before you ask
   * again.
   *
   * Needs a secret key with the scope `test_clocks:read`. Sandbox only.
   *
   * `GET /api/v1/test_helpers/test_clocks/{id}`
   */
  get(id: string, options?: WaitOptions): Promise<models.TestClock> {
    return this.answerTo({ method: 'GET', path: path`/api/v1/test_helpers/test_clocks/${id}` }, options);
  }

  /**
   * Delete a test clock with all of its customers and all that they have
   *
   * In any state, for good, with `test_clock.deleted`. Its events stay readable, and nothing on it is charged.
   *
   * Needs a secret key with the scope `test_clocks:write`. Sandbox only.
   *
   * `DELETE /api/v1/test_helpers/test_clocks/{id}`
   */
  delete(id: string, options?: RequestOptions): Promise<models.DeletedTestClock> {
    return this.answerTo({ method: 'DELETE', path: path`/api/v1/test_helpers/test_clocks/${id}` }, options);
  }

  /**
   * Advance a test clock
   *
   * From `created` or `ready`, forward only. Responds at once, with the old frozen_time and `test_clock.advancing`; the
   * clock is `ready`, with `test_clock.ready`, when every effect is committed: fetch it with `Prefer: wait=60` to wait
   * for that. All that is due on the way happens at its own instant, in order. One advance goes at most two billing
   * intervals ahead: max_frozen_time of the clock says how far, and so does the error for a longer one. With `dry_run`
   * nothing is changed, and the response shows what the advance would do.
   *
   * Needs a secret key with the scope `test_clocks:write`. Sandbox only.
   *
   * `POST /api/v1/test_helpers/test_clocks/{id}/advance`
   */
  advance(id: string, body: models.TestClockAdvance, options?: WriteOptions): Promise<AnswerOf<'advanceTestClock'>> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/test_helpers/test_clocks/${id}/advance`, body }, options);
  }

  /**
   * List what the advances of a test clock did
   *
   * In the order of the clock’s time, the oldest first; `starting_after` takes the event_id of the last effect of the
   * page before. The effects of an advance under way are there as they are committed.
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

/** What has happened, kept and numbered, whether a webhook told of it or not. */
export class Events extends Resource {
  /**
   * List events
   *
   * What has happened, newest first, whether an endpoint has subscribed to it or not. After an outage of your receiver,
   * read on until a `sequence` that you know.
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
    return this.answerTo({ method: 'GET', path: path`/api/v1/events/${eventId}` }, options);
  }
}

/** Where events are posted to, and how each delivery went. */
export class WebhookEndpoints extends Resource {
  /**
   * Register a webhook endpoint
   *
   * Events are posted as JSON and signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`)
   * with the `secret` of this response, which is not shown again. `webhook-id` is the event’s id on every attempt. Only
   * a 2xx response within 15 seconds is success; redirects are not followed. After a failure the next attempts come 5
   * s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h later, each give or take a tenth, or later when `Retry-After`
   * asks for it (at most 24 h). A response 410, or five days of nothing but failure, disables the endpoint. At most 16
   * endpoints in each mode.
   *
   * The key must also be able to read the events of the endpoint: `events:read` reads every event,
   * `payment_intents:read` reads `payment_intent.*`, `payment_intents:read` reads `refund.*`, `payment_plans:read`
   * reads `payment_plan.*`, `test_clocks:read` reads `test_clock.*`, `webhooks:read` reads `webhook_endpoint.*`. `*`,
   * the default, needs `events:read`.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `POST /api/v1/webhook_endpoints`
   */
  create(body: models.WebhookEndpointCreate, options?: WriteOptions): Promise<models.WebhookEndpoint> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/webhook_endpoints`, body }, options);
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
    return this.answerTo({ method: 'GET', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}` }, options);
  }

  /**
   * Change, enable or disable a webhook endpoint
   *
   * Enabling it sends nothing that it has missed: replay that.
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
    return this.answerTo({ method: 'PUT', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}`, body }, options);
  }

  /**
   * Delete a webhook endpoint
   *
   * Its pending deliveries end as failed; its deliveries stay readable.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `DELETE /api/v1/webhook_endpoints/{webhook_endpoint_id}`
   */
  delete(webhookEndpointId: string, options?: RequestOptions): Promise<models.DeletedWebhookEndpoint> {
    return this.answerTo({ method: 'DELETE', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}` }, options);
  }

  /**
   * Replace the signing secret
   *
   * While the old secret overlaps, `webhook-signature` carries a signature of each, separated by a space.
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
    return this.answerTo({ method: 'POST', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}/rotate_secret`, body }, options);
  }

  /**
   * Send a test event
   *
   * A `webhook_endpoint.ping` goes to this endpoint alone, whatever it subscribes to. The response is the delivery;
   * fetch it again to see how it went. Each attempt carries a `challenge` in its `data`: when the receiver returns it,
   * as `{"challenge": …}` or as the bare text, within the first 2 KiB of a 2xx response, the endpoint is verified
   * (`verified_at`).
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/ping`
   */
  ping(webhookEndpointId: string, options?: WriteOptions): Promise<models.WebhookDelivery> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}/ping` }, options);
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
   * Deliver the events of a range of time again
   *
   * What the endpoint subscribes to and has not received, from when it was disabled too; with `all`, what it has
   * received as well. Events keep their ids, so a receiver can recognise a repeated one.
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
    return this.answerTo({ method: 'POST', path: path`/api/v1/webhook_endpoints/${webhookEndpointId}/replay`, body }, options);
  }
}

/** Where events are posted to, and how each delivery went. */
export class WebhookDeliveries extends Resource {
  /**
   * Fetch a delivery with every attempt
   *
   * Needs a secret key with the scope `webhooks:read`.
   *
   * `GET /api/v1/webhook_deliveries/{webhook_delivery_id}`
   */
  get(webhookDeliveryId: string, options?: RequestOptions): Promise<models.WebhookDelivery> {
    return this.answerTo({ method: 'GET', path: path`/api/v1/webhook_deliveries/${webhookDeliveryId}` }, options);
  }

  /**
   * Deliver again, now
   *
   * A pending delivery does not wait for its next attempt. One that was delivered or has failed restarts the schedule.
   * The endpoint must be enabled.
   *
   * The key must also be able to read the event: see *Register a webhook endpoint*.
   *
   * Needs a secret key with the scope `webhooks:write`.
   *
   * `POST /api/v1/webhook_deliveries/{webhook_delivery_id}/retry`
   */
  retry(webhookDeliveryId: string, options?: WriteOptions): Promise<models.WebhookDelivery> {
    return this.answerTo({ method: 'POST', path: path`/api/v1/webhook_deliveries/${webhookDeliveryId}/retry` }, options);
  }
}

/** For whoever runs the service. */
export class Health extends Resource {
  /**
   * Whether the process is running
   *
   * No key is needed.
   *
   * `GET /healthz`
   */
  get(options?: RequestOptions): Promise<models.Healthy> {
    return this.answerTo({ method: 'GET', path: path`/healthz` }, options);
  }

  /**
   * Whether everything that requests need can be reached
   *
   * No key is needed.
   *
   * `GET /readyz`
   */
  getReadiness(options?: RequestOptions): Promise<models.Healthy> {
    return this.answerTo({ method: 'GET', path: path`/readyz` }, options);
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
  getOpenApiDocument(options?: RequestOptions): Promise<AnswerOf<'getOpenApiDocument'>> {
    return this.answerTo({ method: 'GET', path: path`/openapi.json` }, options);
  }

  /**
   * Read this document as a page
   *
   * No key is needed.
   *
   * `GET /docs`
   */
  getPage(options?: RequestOptions): Promise<AnswerOf<'getReferencePage'>> {
    return this.answerTo({ method: 'GET', path: path`/docs`, accept: 'text/html' }, options);
  }
}

/** Every operation of the API. */
export class Resources {
  /** The payers, with their saved payment methods. */
  readonly customers: Customers;
  /**
   * Saved instruments. Cards and Australian bank accounts can be made here; Klarna, PayID and PayPal can be read, and
   * in the sandbox a test helper makes them.
   */
  readonly paymentMethods: PaymentMethods;
  /**
   * Single charges: created on your server, confirmed with a saved payment method. `payment_intent.succeeded` is what
   * completes a payment.
   */
  readonly paymentIntents: PaymentIntents;
  /** Money given back, in whole or in part. */
  readonly refunds: Refunds;
  /**
   * Recurring schedules. The service makes a payment intent for each due date, charges the saved method, and tries
   * again after failures.
   */
  readonly paymentPlans: PaymentPlans;
  /**
   * Sandbox only: simulated time for chosen customers, so that renewals, retries and expiry happen when you ask for
   * them.
   */
  readonly testClocks: TestClocks;
  /** What has happened, kept and numbered, whether a webhook told of it or not. */
  readonly events: Events;
  /** Where events are posted to, and how each delivery went. */
  readonly webhookEndpoints: WebhookEndpoints;
  /** Where events are posted to, and how each delivery went. */
  readonly webhookDeliveries: WebhookDeliveries;
  /** For whoever runs the service. */
  readonly health: Health;
  /** This documentation. */
  readonly reference: Reference;

  constructor(request: Requester) {
    this.customers = new Customers(request);
    this.paymentMethods = new PaymentMethods(request);
    this.paymentIntents = new PaymentIntents(request);
    this.refunds = new Refunds(request);
    this.paymentPlans = new PaymentPlans(request);
    this.testClocks = new TestClocks(request);
    this.events = new Events(request);
    this.webhookEndpoints = new WebhookEndpoints(request);
    this.webhookDeliveries = new WebhookDeliveries(request);
    this.health = new Health(request);
    this.reference = new Reference(request);
  }
}
