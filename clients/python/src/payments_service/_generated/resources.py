# Generated from the OpenAPI document of the service by `npm run generate`. Do not edit.

from __future__ import annotations

from typing import Any, Unpack

from .._listing import Listing
from .._options import RequestOptions, WaitOptions, WriteOptions
from .._resource import Resource, segment
from .._transport import Transport
from . import models

# Responses are typed by the document, and not checked.
# mypy: disable-error-code="no-any-return"

API_VERSION = "1.0.0"
"""The version of the API that this file was generated for."""


class Customers(Resource):
    """The payers and their saved payment methods."""

    def create(
        self,
        body: models.CustomerCreate,
        **options: Unpack[WriteOptions],
    ) -> models.Customer:
        """Create a customer

        With `test_clock`, the customer lives on the time of that clock, permanently. Lists
        leave it out unless they name the clock.

        Needs a secret key with the scope `customers:write`.

        `POST /api/v1/customers`
        """
        return self._send("POST", "/api/v1/customers", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        status: str | None = None,
        email: str | None = None,
        name: str | None = None,
        reference: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.CustomerList, models.Customer]:
        """List customers, newest first

        Deleted customers are left out. Customers on a test clock appear only if test_clock
        names their clock.

        Needs a secret key with the scope `customers:read`.

        `GET /api/v1/customers`
        """
        return self._pages_of("GET", "/api/v1/customers", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "status": status, "email": email, "name": name, "reference": reference, "test_clock": test_clock}, options=options, items="data", cursor="id")

    def get(
        self,
        customer_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.Customer:
        """Fetch a customer

        Also returns a deleted customer, with its deleted_at.

        Needs a secret key with the scope `customers:read`.

        `GET /api/v1/customers/{customer_id}`
        """
        return self._send("GET", f"/api/v1/customers/{segment(customer_id)}", options=options)

    def update(
        self,
        customer_id: str,
        body: models.CustomerUpdate | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.Customer:
        """Change a customer

        Fields that you leave out stay as they are. null clears a field. An object is replaced
        as a whole.

        Needs a secret key with the scope `customers:write`.

        `PUT /api/v1/customers/{customer_id}`
        """
        return self._send("PUT", f"/api/v1/customers/{segment(customer_id)}", body=body, options=options)

    def delete(
        self,
        customer_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.Customer:
        """Delete a customer

        The customer stays readable by its id, with deleted_at. Its open plans are closed and
        its scheduled payments canceled. After this response no charge starts for it.

        Needs a secret key with the scope `customers:write`.

        `DELETE /api/v1/customers/{customer_id}`
        """
        return self._send("DELETE", f"/api/v1/customers/{segment(customer_id)}", options=options)

    def list_payment_intents(
        self,
        customer_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        collected_from: str | None = None,
        collected_to: str | None = None,
        status: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PaymentIntentList, models.PaymentIntent]:
        """List the payment intents of a customer, newest first

        Needs a secret key with the scope `payment_intents:read`.

        `GET /api/v1/customers/{customer_id}/payment_intents`
        """
        return self._pages_of("GET", f"/api/v1/customers/{segment(customer_id)}/payment_intents", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "collected_from": collected_from, "collected_to": collected_to, "status": status}, options=options, items="data", cursor="id")

    def list_payment_methods(
        self,
        customer_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PaymentMethodList, models.PaymentMethod]:
        """List the payment methods of a customer, newest first

        Returns the newest 100 by default. Detached methods are left out.

        Needs a secret key with the scope `payment_methods:read`.

        `GET /api/v1/customers/{customer_id}/payment_methods`
        """
        return self._pages_of("GET", f"/api/v1/customers/{segment(customer_id)}/payment_methods", query={"limit": limit, "starting_after": starting_after}, options=options, items="payment_methods", cursor="id")

    def get_payment_method(
        self,
        customer_id: str,
        payment_method_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.PaymentMethodEnvelope:
        """Fetch a payment method of a customer

        Needs a secret key with the scope `payment_methods:read`.

        `GET /api/v1/customers/{customer_id}/payment_methods/{payment_method_id}`
        """
        return self._send("GET", f"/api/v1/customers/{segment(customer_id)}/payment_methods/{segment(payment_method_id)}", options=options)

    def get_statement(
        self,
        customer_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        timezone: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.Statement:
        """Report what a customer was charged, has paid and owes

        The account of a customer in a range: totals by currency, and the lines between them.
        Without `from`, from the first day of the customer on; without `to`, to the end of
        today. Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends in
        `.csv`. At most two reports of an account are read at a time.

        Needs a secret key with the scope `reports:read`.

        `GET /api/v1/customers/{customer_id}/statement`
        """
        return self._send("GET", f"/api/v1/customers/{segment(customer_id)}/statement", query={"from": from_, "to": to, "timezone": timezone}, options=options)

    def get_statement_document(
        self,
        customer_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        timezone: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> str:
        """Print what a customer was charged, has paid and owes

        The statement as a page to print, for the customer: the same range, totals and lines.

        Needs a secret key with the scope `reports:read`.

        `GET /api/v1/customers/{customer_id}/statement/document`
        """
        return self._send("GET", f"/api/v1/customers/{segment(customer_id)}/statement/document", query={"from": from_, "to": to, "timezone": timezone}, accept="text/html", options=options)



class PaymentMethods(Resource):
    """Saved instruments. You can create cards and Australian bank accounts here. Klarna, PayID
    and PayPal are read-only; in the sandbox a test helper creates them.
    """

    def create(
        self,
        body: models.PaymentMethodCreate,
        **options: Unpack[WriteOptions],
    ) -> models.CreatedPaymentMethod:
        """Save a card or a bank account

        Accepts a publishable key. With such a key, `customer_reference` needs the
        `client_secret` of one of that customer’s payment intents. In the sandbox, a fixture
        token creates a card with a known outcome: see *Test cards*. The first method of a
        customer becomes its default, unless a publishable key saves it. A customer has at
        most 50 methods that are not detached.

        A secret key needs the scope `payment_methods:write`; a publishable key may call this
        too.

        `POST /api/v1/payment_methods`
        """
        return self._send("POST", "/api/v1/payment_methods", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PaymentMethodList, models.PaymentMethod]:
        """List the saved payment methods, newest first

        Returns the newest 100 by default. Detached methods are left out.

        Needs a secret key with the scope `payment_methods:read`.

        `GET /api/v1/payment_methods`
        """
        return self._pages_of("GET", "/api/v1/payment_methods", query={"limit": limit, "starting_after": starting_after}, options=options, items="payment_methods", cursor="id")

    def get(
        self,
        payment_method_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.PaymentMethodEnvelope:
        """Fetch a payment method

        Needs a secret key with the scope `payment_methods:read`.

        `GET /api/v1/payment_methods/{payment_method_id}`
        """
        return self._send("GET", f"/api/v1/payment_methods/{segment(payment_method_id)}", options=options)

    def attach(
        self,
        payment_method_id: str,
        body: models.PaymentMethodAttach,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentMethodEnvelope:
        """Attach a payment method to a customer

        The first method of a customer becomes its default. Attaching it again to the same
        customer changes nothing. A customer has at most 50 methods that are not detached.

        Needs a secret key with the scope `payment_methods:write`.

        `POST /api/v1/payment_methods/{payment_method_id}/attach`
        """
        return self._send("POST", f"/api/v1/payment_methods/{segment(payment_method_id)}/attach", body=body, options=options)

    def detach(
        self,
        payment_method_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentMethodEnvelope:
        """Detach a payment method

        After this response no charge starts on the method, and its mandate is canceled. It
        stays readable. Detaching it again changes nothing.

        Needs a secret key with the scope `payment_methods:write`.

        `POST /api/v1/payment_methods/{payment_method_id}/detach`
        """
        return self._send("POST", f"/api/v1/payment_methods/{segment(payment_method_id)}/detach", options=options)

    def create_sandbox_payment_method(
        self,
        body: models.SandboxPaymentMethodCreate,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentMethodEnvelope:
        """Save a Klarna, PayID or PayPal instrument

        Creates at once what a payer would set up with Klarna, a bank or PayPal.
        `instrument_data` is returned as you sent it. The method is charged like any other, by
        the outcome rules of the sandbox. The first method of a customer becomes its default.

        Needs a secret key with the scope `payment_methods:write`. Sandbox only.

        `POST /api/v1/test_helpers/payment_methods`
        """
        return self._send("POST", "/api/v1/test_helpers/payment_methods", body=body, options=options)



class Mandates(Resource):
    """The authority of a payer to debit a bank account, with the evidence that it was given. An
    account that has a mandate is debited only while the mandate is active.
    """

    def create(
        self,
        body: models.MandateCreate,
        **options: Unpack[WriteOptions],
    ) -> models.Mandate:
        """Create a mandate for a bank account

        Without `acceptance` the mandate is `pending` until you send it. With `acceptance` it
        is `active` at once. Show the payer the text first, and send its version and hash. An
        account has at most one mandate that has not ended: a second one is refused with
        `mandate_exists`, and the error has its `mandate_id`. Sends `mandate.created`, and
        `mandate.activated` with an acceptance.

        A publishable key needs the client_secret of a payment intent that can still be
        confirmed. It accepts a mandate online for the customer of that payment intent, with a
        payment method that could confirm it. It cannot set the terms: create the mandate with
        a secret key if there are any. The response has what a payer needs
        (`MandateForPayer`).

        A secret key needs the scope `mandates:write`; a publishable key may call this too.

        `POST /api/v1/mandates`
        """
        return self._send("POST", "/api/v1/mandates", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        customer_id: str | None = None,
        payment_method_id: str | None = None,
        status: models.MandateStatus | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.MandateList, models.Mandate]:
        """List mandates, newest first

        Needs a secret key with the scope `mandates:read`.

        `GET /api/v1/mandates`
        """
        return self._pages_of("GET", "/api/v1/mandates", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "customer_id": customer_id, "payment_method_id": payment_method_id, "status": status, "test_clock": test_clock}, options=options, items="data", cursor="id")

    def get(
        self,
        mandate_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.Mandate:
        """Fetch a mandate

        Needs a secret key with the scope `mandates:read`.

        `GET /api/v1/mandates/{mandate_id}`
        """
        return self._send("GET", f"/api/v1/mandates/{segment(mandate_id)}", options=options)

    def get_document(
        self,
        mandate_id: str,
        **options: Unpack[RequestOptions],
    ) -> str:
        """Print a mandate with its evidence

        A page to print: names, BSB, the last digits of the account number, the text that the
        payer agreed to, word for word, and how the payer agreed. It stays the same after the
        text or the name of the account has changed.

        Needs a secret key with the scope `mandates:read`.

        `GET /api/v1/mandates/{mandate_id}/document`
        """
        return self._send("GET", f"/api/v1/mandates/{segment(mandate_id)}/document", accept="text/html", options=options)

    def accept(
        self,
        mandate_id: str,
        body: models.MandateAccept,
        **options: Unpack[WriteOptions],
    ) -> models.Mandate:
        """Record that the payer has agreed to a mandate

        Allowed from `pending`; the mandate becomes `active`. Sends `mandate.activated`.

        A publishable key needs the client_secret of a payment intent of the mandate’s
        customer that can still be confirmed, and accepts online only. The response then has
        what a payer needs (`MandateForPayer`).

        A secret key needs the scope `mandates:write`; a publishable key may call this too.

        `POST /api/v1/mandates/{mandate_id}/accept`
        """
        return self._send("POST", f"/api/v1/mandates/{segment(mandate_id)}/accept", body=body, options=options)

    def cancel(
        self,
        mandate_id: str,
        body: models.MandateCancel | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.Mandate:
        """Cancel a mandate

        Allowed from `pending` and `active`, for good. After this response the account is not
        debited. Sends `mandate.canceled`.

        Needs a secret key with the scope `mandates:write`.

        `POST /api/v1/mandates/{mandate_id}/cancel`
        """
        return self._send("POST", f"/api/v1/mandates/{segment(mandate_id)}/cancel", body=body, options=options)

    def record_notice(
        self,
        mandate_id: str,
        body: models.MandateNoticeSent,
        **options: Unpack[WriteOptions],
    ) -> models.Mandate:
        """Record that you have sent a notice to the payer

        The service sends nothing to payers. `notices` of the mandate says what is due: a
        confirmation when the mandate becomes active, and a notice when you change the amount
        of a plan that is debited under it (event `mandate.notice_due`). Send it, and record
        it here: the open notice of this kind is then sent. If none is open, one more is
        added. A mandate keeps 100 notices.

        Needs a secret key with the scope `mandates:write`.

        `POST /api/v1/mandates/{mandate_id}/notices`
        """
        return self._send("POST", f"/api/v1/mandates/{segment(mandate_id)}/notices", body=body, options=options)

    notices = record_notice
    """The same as `record_notice`, by the name of its path."""

    def cancel_as_payer(
        self,
        mandate_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.Mandate:
        """Cancel a mandate as the payer would at the bank

        Allowed from `active`. Sends `mandate.canceled`.

        Needs a secret key with the scope `mandates:write`. Sandbox only.

        `POST /api/v1/test_helpers/mandates/{mandate_id}/payer_cancels`
        """
        return self._send("POST", f"/api/v1/test_helpers/mandates/{segment(mandate_id)}/payer_cancels", options=options)

    payer_cancels = cancel_as_payer
    """The same as `cancel_as_payer`, by the name of its path."""

    def get_text(
        self,
        **options: Unpack[RequestOptions],
    ) -> models.MandateText:
        """Fetch the text that a payer agrees to

        Show the payer `html` as it is, together with the account and the terms of the
        mandate. Send `version` and `sha256` with the acceptance. The text has the name of
        your account. No lawyer has checked its words.

        Needs a secret key with the scope `mandates:read`.

        `GET /api/v1/mandate_texts/au_becs`
        """
        return self._send("GET", "/api/v1/mandate_texts/au_becs", options=options)

    def list_business_days(
        self,
        *,
        scheme: models.DebitScheme,
        from_: str,
        count: int | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.BusinessDays:
        """List the business days of a debit scheme

        The days on which the banks of the scheme settle, from a date on, oldest first. They
        are not a country’s working days. The calendar has the years 2000 to 2099.

        Needs a secret key with the scope `mandates:read`.

        `GET /api/v1/business_days`
        """
        return self._send("GET", "/api/v1/business_days", query={"scheme": scheme, "from": from_, "count": count}, options=options)



class PaymentIntents(Resource):
    """Single charges: created on your server, confirmed with a saved payment method. The event
    `payment_intent.succeeded` completes a payment.
    """

    def create(
        self,
        body: models.PaymentIntentCreate,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentIntent:
        """Create a payment intent

        Nothing is charged until you confirm it, or until its scheduled_payment_date. The
        response has the `client_secret`. With it a browser can fetch or confirm the payment
        intent.

        With `confirm: true` the payment is charged in the same request. The response has the
        result: `succeeded`, `failed` with `last_payment_error`, `requires_action` or
        `processing`. A decline is not an error: it returns 201, and you can confirm the
        payment intent again.

        Needs a secret key with the scope `payment_intents:write`.

        `POST /api/v1/payment_intents`
        """
        return self._send("POST", "/api/v1/payment_intents", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        collected_from: str | None = None,
        collected_to: str | None = None,
        customer_id: str | None = None,
        payment_plan_id: str | None = None,
        subscription_id: str | None = None,
        payment_link_id: str | None = None,
        test_clock: str | None = None,
        status: models.PaymentIntentStatus | None = None,
        payment_method_type: models.SurchargedMethodType | None = None,
        currency: models.Currency | None = None,
        total_amount: int | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PaymentIntentList, models.PaymentIntent]:
        """List payment intents, newest first

        Needs a secret key with the scope `payment_intents:read`.

        `GET /api/v1/payment_intents`
        """
        return self._pages_of("GET", "/api/v1/payment_intents", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "collected_from": collected_from, "collected_to": collected_to, "customer_id": customer_id, "payment_plan_id": payment_plan_id, "subscription_id": subscription_id, "payment_link_id": payment_link_id, "test_clock": test_clock, "status": status, "payment_method_type": payment_method_type, "currency": currency, "total_amount": total_amount}, options=options, items="data", cursor="id")

    def get(
        self,
        payment_intent_id: str,
        *,
        client_secret: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.PaymentIntent:
        """Fetch a payment intent

        A publishable key needs the client_secret of this payment intent. It gets what a payer
        needs (`PaymentIntentForPayer`). A secret key gets the whole `PaymentIntent`.

        A secret key needs the scope `payment_intents:read`; a publishable key may call this
        too.

        `GET /api/v1/payment_intents/{payment_intent_id}`
        """
        return self._send("GET", f"/api/v1/payment_intents/{segment(payment_intent_id)}", query={"client_secret": client_secret}, options=options)

    def confirm(
        self,
        payment_intent_id: str,
        body: models.PaymentIntentConfirm | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentIntent:
        """Charge a payment intent

        Allowed from requires_payment_method and failed. Returns the result: `succeeded`,
        `failed` with `last_payment_error`, `requires_action` or `processing`. A decline is
        not an error: it returns 200. A bank account under a mandate returns `processing` with
        `expected_result_date`. A method without a customer is attached to the customer of the
        payment intent. If the payment intent has no customer, a method that belongs to one is
        charged only if `customer_id` names this customer (field error
        `payment_method_not_allowed`).

        A publishable key needs the client_secret of this payment intent. It may use a method
        of the payment intent’s customer, or a method without a customer. If the payment
        intent has no customer either, the method is bound to this payment intent. No other
        payment intent can use it until a secret key attaches it to a customer. Any other
        method returns 403 `payment_method_not_allowed`. After ten attempts that failed, with
        a publishable key or on a page, it returns 403 `too_many_attempts`: only a secret key
        may confirm it. The response has what a payer needs (`PaymentIntentForPayer`).

        A secret key needs the scope `payment_intents:write`; a publishable key may call this
        too.

        `POST /api/v1/payment_intents/{payment_intent_id}/confirm`
        """
        return self._send("POST", f"/api/v1/payment_intents/{segment(payment_intent_id)}/confirm", body=body, options=options)

    def cancel(
        self,
        payment_intent_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentIntent:
        """Cancel a payment intent

        Allowed from requires_payment_method, requires_action and failed, and from processing
        while a bank debit waits for its hand-over to the bank. It also ends a schedule. A
        challenge at a live processor is given up there first. A payment intent of a plan
        cannot be canceled: suspend or close the plan.

        Needs a secret key with the scope `payment_intents:write`.

        `POST /api/v1/payment_intents/{payment_intent_id}/cancel`
        """
        return self._send("POST", f"/api/v1/payment_intents/{segment(payment_intent_id)}/cancel", options=options)

    def complete_action(
        self,
        payment_intent_id: str,
        body: models.PaymentIntentActionCompletion,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentIntent:
        """Complete a 3D Secure challenge as the payer would

        Completes the attempt that waits for the challenge. It is not a new attempt. If the
        customer was deleted meanwhile, the payment fails.

        Needs a secret key with the scope `payment_intents:write`. Sandbox only.

        `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/complete_action`
        """
        return self._send("POST", f"/api/v1/test_helpers/payment_intents/{segment(payment_intent_id)}/complete_action", body=body, options=options)

    def report_bank_result(
        self,
        payment_intent_id: str,
        body: models.PaymentIntentBankResult,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentIntent:
        """Report on a bank debit as the bank would

        Reports now what the bank would report at its own time. A debit that was not handed
        over yet is handed over first. After that the bank sends no other report about this
        debit. On a test clock you do not need this: an advance makes the bank report what
        `_sandbox_bank_outcome` chooses.

        Needs a secret key with the scope `payment_intents:write`. Sandbox only.

        `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/bank_result`
        """
        return self._send("POST", f"/api/v1/test_helpers/payment_intents/{segment(payment_intent_id)}/bank_result", body=body, options=options)

    bank_result = report_bank_result
    """The same as `report_bank_result`, by the name of its path."""

    def dispute(
        self,
        payment_intent_id: str,
        body: models.PaymentIntentDispute | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.Dispute:
        """Dispute a payment as the payer would

        The payment intent must have succeeded, and not be a bank debit under a mandate: for
        that use `bank_result`. All of it that was not refunded is held at once. With a
        `result` the dispute closes ten days later, of the customer’s time: on a test clock an
        advance closes it. A second call gives an open dispute its result.

        Needs a secret key with the scope `payment_intents:write`. Sandbox only.

        `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/dispute`
        """
        return self._send("POST", f"/api/v1/test_helpers/payment_intents/{segment(payment_intent_id)}/dispute", body=body, options=options)



class Refunds(Resource):
    """Money returned to the payer, in whole or in part."""

    def create(
        self,
        payment_intent_id: str,
        body: models.RefundCreate | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.Refund:
        """Refund a payment, whole or in part

        The payment intent must have succeeded. Without an amount, the refund covers
        everything that remains of its total. Credit of a subscription that came from the
        payment is used up first. A failed refund returns `status: failed`; it is not an
        error. In the sandbox a refund fails if its amount ends in 03.

        Needs a secret key with the scope `payment_intents:write`.

        `POST /api/v1/payment_intents/{payment_intent_id}/refunds`
        """
        return self._send("POST", f"/api/v1/payment_intents/{segment(payment_intent_id)}/refunds", body=body, options=options)

    def list(
        self,
        payment_intent_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.RefundList, models.Refund]:
        """List the refunds of a payment, newest first

        Needs a secret key with the scope `payment_intents:read`.

        `GET /api/v1/payment_intents/{payment_intent_id}/refunds`
        """
        return self._pages_of("GET", f"/api/v1/payment_intents/{segment(payment_intent_id)}/refunds", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="id")

    def list_all_refunds(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        status: models.RefundStatus | None = None,
        payment_intent_id: str | None = None,
        customer_id: str | None = None,
        payment_plan_id: str | None = None,
        subscription_id: str | None = None,
        payment_link_id: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.RefundList, models.Refund]:
        """List refunds, newest first

        Lists the refunds of all payments.

        Needs a secret key with the scope `payment_intents:read`.

        `GET /api/v1/refunds`
        """
        return self._pages_of("GET", "/api/v1/refunds", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "status": status, "payment_intent_id": payment_intent_id, "customer_id": customer_id, "payment_plan_id": payment_plan_id, "subscription_id": subscription_id, "payment_link_id": payment_link_id, "test_clock": test_clock}, options=options, items="data", cursor="id")

    def get(
        self,
        refund_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.Refund:
        """Fetch a refund

        Needs a secret key with the scope `payment_intents:read`.

        `GET /api/v1/refunds/{refund_id}`
        """
        return self._send("GET", f"/api/v1/refunds/{segment(refund_id)}", options=options)



class PaymentPlans(Resource):
    """Recurring schedules. The service creates a payment intent for each due date, charges the
    saved method, and retries after failures.
    """

    def create(
        self,
        body: models.PaymentPlanCreate,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentPlan:
        """Create a payment plan

        A new plan is `pending`: it collects nothing until you activate it. Each due date is a
        slot with its own payment intent. The service charges it at 00:00 of that date in the
        account’s time zone, on the customer’s test clock if it has one. `payment_intent.*`
        events report the results. To see the calendar before you activate, use `GET
        …/schedule`.

        Needs a secret key with the scope `payment_plans:write`.

        `POST /api/v1/payment_plans`
        """
        return self._send("POST", "/api/v1/payment_plans", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        customer_id: str | None = None,
        state: models.PaymentPlanState | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PaymentPlanList, models.PaymentPlan]:
        """List payment plans, newest first

        Needs a secret key with the scope `payment_plans:read`.

        `GET /api/v1/payment_plans`
        """
        return self._pages_of("GET", "/api/v1/payment_plans", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "customer_id": customer_id, "state": state}, options=options, items="data", cursor="id")

    def get(
        self,
        plan_id: str,
        **options: Unpack[WaitOptions],
    ) -> models.PaymentPlan:
        """Fetch a payment plan

        With `Prefer: wait=N` the response comes once nothing of the plan is due and no charge
        is under way, or after N seconds (at most 60): send it after `activate` or `resume` to
        see the result of what is charged at once.

        Needs a secret key with the scope `payment_plans:read`.

        `GET /api/v1/payment_plans/{plan_id}`
        """
        return self._send("GET", f"/api/v1/payment_plans/{segment(plan_id)}", options=options)

    def update(
        self,
        plan_id: str,
        body: models.PaymentPlanUpdate | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.PaymentPlan:
        """Change a payment plan

        Until the plan has ended, you can change name, recurring_amount_cents,
        total_amount_cents, until_further_notice, payment_instrument_id, failure_behaviour and
        tax_included. While it is pending, you can change everything except customer_id. You
        can replace metadata in every state, also after the end. Payment intents that exist
        keep theirs.

        Needs a secret key with the scope `payment_plans:write`.

        `PUT /api/v1/payment_plans/{plan_id}`
        """
        return self._send("PUT", f"/api/v1/payment_plans/{segment(plan_id)}", body=body, options=options)

    def activate(
        self,
        plan_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentPlan:
        """Activate a plan: start collecting

        Moves the plan from `pending` to `active` and sends `payment_plan.activated`. If the
        date of slot 0 has come, the service charges it at once, some milliseconds after this
        response. A test clock need not advance for that. To see the result, fetch the plan
        with `Prefer: wait=N`, or wait for the event. Later slots whose date has passed are
        skipped.

        Needs a secret key with the scope `payment_plans:write`.

        `POST /api/v1/payment_plans/{plan_id}/activate`
        """
        return self._send("POST", f"/api/v1/payment_plans/{segment(plan_id)}/activate", options=options)

    def suspend(
        self,
        plan_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentPlan:
        """Suspend a plan: stop collecting until it is resumed

        Moves the plan from `active` to `suspended` and sends `payment_plan.suspended`. After
        this response no charge starts, and retries end.

        Needs a secret key with the scope `payment_plans:write`.

        `POST /api/v1/payment_plans/{plan_id}/suspend`
        """
        return self._send("POST", f"/api/v1/payment_plans/{segment(plan_id)}/suspend", options=options)

    def resume(
        self,
        plan_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentPlan:
        """Resume a plan: collect again, and retry unpaid payments

        Moves the plan from `suspended` to `active`. No event is sent. A payment that failed
        or waits for a retry is tried at once, some milliseconds after this response, with new
        retries: fetch the plan with `Prefer: wait=N` to see the result. Slots whose date
        passed in the meantime are skipped and never charged.

        Needs a secret key with the scope `payment_plans:write`.

        `POST /api/v1/payment_plans/{plan_id}/resume`
        """
        return self._send("POST", f"/api/v1/payment_plans/{segment(plan_id)}/resume", options=options)

    def deactivate(
        self,
        plan_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentPlan:
        """Deactivate an active plan for good

        Moves the plan from `active` to `deactivated` and sends `payment_plan.deactivated`.
        After this response no charge starts.

        Needs a secret key with the scope `payment_plans:write`.

        `POST /api/v1/payment_plans/{plan_id}/deactivate`
        """
        return self._send("POST", f"/api/v1/payment_plans/{segment(plan_id)}/deactivate", options=options)

    def close(
        self,
        plan_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentPlan:
        """Close a plan for good

        Moves the plan from `pending`, `active` or `suspended` to `closed` and sends
        `payment_plan.closed`. After this response no charge starts. The service also closes a
        plan when its total is collected.

        Needs a secret key with the scope `payment_plans:write`.

        `POST /api/v1/payment_plans/{plan_id}/close`
        """
        return self._send("POST", f"/api/v1/payment_plans/{segment(plan_id)}/close", options=options)

    def list_payments(
        self,
        plan_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PlanPaymentList, models.PlanPayment]:
        """List the past due dates of a plan with their results, newest first

        Needs a secret key with the scope `payment_plans:read`.

        `GET /api/v1/payment_plans/{plan_id}/payments`
        """
        return self._pages_of("GET", f"/api/v1/payment_plans/{segment(plan_id)}/payments", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="slot")

    def get_schedule(
        self,
        plan_id: str,
        *,
        count: int | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.ScheduledPaymentList:
        """Show the coming payments of a plan

        A pending or suspended plan is shown as if you activated or resumed it now.

        Needs a secret key with the scope `payment_plans:read`.

        `GET /api/v1/payment_plans/{plan_id}/schedule`
        """
        return self._send("GET", f"/api/v1/payment_plans/{segment(plan_id)}/schedule", query={"count": count}, options=options)



class PaymentLinks(Resource):
    """What you send to a payer: a URL behind which one or more payments are made, or a method is
    saved.
    """

    def create(
        self,
        body: models.PaymentLinkCreate,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentLink:
        """Create a payment link

        Send its `url` to the payer. By default it takes one payment, however many tabs or
        people open it. With `customer_id` the payer is known. If that customer is on a test
        clock, so is the link. Sends `payment_link.created`. While the test clock of its
        customer is advancing: `test_clock_advancing`.

        Needs a secret key with the scope `payment_links:write`.

        `POST /api/v1/payment_links`
        """
        return self._send("POST", "/api/v1/payment_links", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        status: models.PaymentLinkStatus | None = None,
        customer_id: str | None = None,
        payment_plan_id: str | None = None,
        subscription_id: str | None = None,
        reference: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PaymentLinkList, models.PaymentLink]:
        """List payment links, newest first

        Links of customers on a test clock are listed only with `test_clock`.

        Needs a secret key with the scope `payment_links:read`.

        `GET /api/v1/payment_links`
        """
        return self._pages_of("GET", "/api/v1/payment_links", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "status": status, "customer_id": customer_id, "payment_plan_id": payment_plan_id, "subscription_id": subscription_id, "reference": reference, "test_clock": test_clock}, options=options, items="data", cursor="id")

    def get(
        self,
        payment_link_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.PaymentLink:
        """Fetch a payment link

        Needs a secret key with the scope `payment_links:read`.

        `GET /api/v1/payment_links/{payment_link_id}`
        """
        return self._send("GET", f"/api/v1/payment_links/{segment(payment_link_id)}", options=options)

    def update(
        self,
        payment_link_id: str,
        body: models.PaymentLinkUpdate | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.PaymentLink:
        """Change an open payment link

        Null clears a field. A session that has started keeps the terms that its payer has
        seen. While the test clock of its customer is advancing: `test_clock_advancing`.

        Needs a secret key with the scope `payment_links:write`.

        `PUT /api/v1/payment_links/{payment_link_id}`
        """
        return self._send("PUT", f"/api/v1/payment_links/{segment(payment_link_id)}", body=body, options=options)

    def list_payments(
        self,
        payment_link_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PaymentIntentList, models.PaymentIntent]:
        """List the payments of a payment link, newest first

        Every payment intent on which an attempt was made, whatever its result.

        Needs a secret key with the scope `payment_links:read`.

        `GET /api/v1/payment_links/{payment_link_id}/payments`
        """
        return self._pages_of("GET", f"/api/v1/payment_links/{segment(payment_link_id)}/payments", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="id")

    def get_qr(
        self,
        payment_link_id: str,
        **options: Unpack[RequestOptions],
    ) -> str:
        """Fetch the QR code of a payment link

        The `url` of the link as an image, to print or to show on a screen.

        Needs a secret key with the scope `payment_links:write`.

        `GET /api/v1/payment_links/{payment_link_id}/qr.svg`
        """
        return self._send("GET", f"/api/v1/payment_links/{segment(payment_link_id)}/qr.svg", accept="image/svg+xml", options=options)

    def deactivate(
        self,
        payment_link_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentLink:
        """Deactivate an open payment link

        Its open sessions end. After the response no attempt is opened. One that is under way
        continues, and is counted and reported if it succeeds. Sends
        `payment_link.deactivated`. While the test clock of its customer is advancing:
        `test_clock_advancing`.

        Needs a secret key with the scope `payment_links:write`.

        `POST /api/v1/payment_links/{payment_link_id}/deactivate`
        """
        return self._send("POST", f"/api/v1/payment_links/{segment(payment_link_id)}/deactivate", options=options)

    def renew(
        self,
        payment_link_id: str,
        body: models.PaymentLinkRenew | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentLink:
        """Open an expired or deactivated payment link again

        The URL stays the same. Sends `payment_link.renewed`. While the test clock of its
        customer is advancing: `test_clock_advancing`.

        Needs a secret key with the scope `payment_links:write`.

        `POST /api/v1/payment_links/{payment_link_id}/renew`
        """
        return self._send("POST", f"/api/v1/payment_links/{segment(payment_link_id)}/renew", body=body, options=options)

    def rotate_url(
        self,
        payment_link_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.PaymentLink:
        """Give a payment link another URL

        In any state. The old URL no longer works; sessions that were started continue. While
        the test clock of its customer is advancing: `test_clock_advancing`.

        Needs a secret key with the scope `payment_links:write`.

        `POST /api/v1/payment_links/{payment_link_id}/rotate_url`
        """
        return self._send("POST", f"/api/v1/payment_links/{segment(payment_link_id)}/rotate_url", options=options)



class CheckoutSessions(Resource):
    """A hosted page on which one payer pays, or saves a payment method. A payment link creates
    one for each payer.
    """

    def create(
        self,
        body: models.CheckoutSessionCreate | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.CheckoutSession:
        """Create a checkout session

        A hosted page without a payment link. Send your payer to its `url`: to pay, to pay a
        `payment_intent_id` of yours, or in `setup` mode to save a method, whose
        `payment_method_id` your server then confirms with. With `subscription_id` the payer
        pays what a subscription has failed to collect: the page says what is taken, and for
        which dates. A payment intent has at most one open session.

        Needs a secret key with the scope `payment_links:write`.

        `POST /api/v1/checkout_sessions`
        """
        return self._send("POST", "/api/v1/checkout_sessions", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        status: models.CheckoutSessionStatus | None = None,
        payment_link_id: str | None = None,
        customer_id: str | None = None,
        payment_plan_id: str | None = None,
        subscription_id: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.CheckoutSessionList, models.CheckoutSession]:
        """List checkout sessions, newest first

        Sessions of customers on a test clock are listed only with `test_clock`.

        Needs a secret key with the scope `payment_links:read`.

        `GET /api/v1/checkout_sessions`
        """
        return self._pages_of("GET", "/api/v1/checkout_sessions", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "status": status, "payment_link_id": payment_link_id, "customer_id": customer_id, "payment_plan_id": payment_plan_id, "subscription_id": subscription_id, "test_clock": test_clock}, options=options, items="data", cursor="id")

    def get(
        self,
        checkout_session_id: str,
        *,
        client_secret: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.CheckoutSession:
        """Fetch a checkout session

        A publishable key needs the client_secret of this session. It gets what a payer needs
        (`CheckoutSessionForPayer`). A secret key gets the whole `CheckoutSession`.

        A secret key needs the scope `payment_links:read`; a publishable key may call this
        too.

        `GET /api/v1/checkout_sessions/{checkout_session_id}`
        """
        return self._send("GET", f"/api/v1/checkout_sessions/{segment(checkout_session_id)}", query={"client_secret": client_secret}, options=options)

    def expire(
        self,
        checkout_session_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.CheckoutSession:
        """End an open checkout session

        After the response no attempt is opened. Sends `checkout_session.expired`.

        Needs a secret key with the scope `payment_links:write`.

        `POST /api/v1/checkout_sessions/{checkout_session_id}/expire`
        """
        return self._send("POST", f"/api/v1/checkout_sessions/{segment(checkout_session_id)}/expire", options=options)



class Subscriptions(Resource):
    """A service that is sold in periods, each paid when it begins. `in_effect` says whether the
    customer may use it now.
    """

    def create(
        self,
        body: models.SubscriptionCreate,
        **options: Unpack[WriteOptions],
    ) -> models.Subscription:
        """Create a subscription

        A new subscription is `pending`: nothing is owed until you start it. To see its
        periods before that, use `GET …/schedule`.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions`
        """
        return self._send("POST", "/api/v1/subscriptions", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        updated_from: str | None = None,
        updated_to: str | None = None,
        customer_id: str | None = None,
        state: models.SubscriptionState | None = None,
        in_effect: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.SubscriptionList, models.Subscription]:
        """List subscriptions, newest first

        Needs a secret key with the scope `subscriptions:read`.

        `GET /api/v1/subscriptions`
        """
        return self._pages_of("GET", "/api/v1/subscriptions", query={"limit": limit, "starting_after": starting_after, "created_from": created_from, "created_to": created_to, "updated_from": updated_from, "updated_to": updated_to, "customer_id": customer_id, "state": state, "in_effect": in_effect, "test_clock": test_clock}, options=options, items="data", cursor="id")

    def get(
        self,
        subscription_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.Subscription:
        """Fetch a subscription

        Needs a secret key with the scope `subscriptions:read`.

        `GET /api/v1/subscriptions/{subscription_id}`
        """
        return self._send("GET", f"/api/v1/subscriptions/{segment(subscription_id)}", options=options)

    def update(
        self,
        subscription_id: str,
        body: models.SubscriptionUpdate | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.Subscription:
        """Change a subscription

        Until it is canceled, you can change name, payment_instrument_id, failure_behaviour,
        unpaid_behaviour, grace_days and metadata. Before its start, you can change everything
        except customer_id.

        Needs a secret key with the scope `subscriptions:write`.

        `PUT /api/v1/subscriptions/{subscription_id}`
        """
        return self._send("PUT", f"/api/v1/subscriptions/{segment(subscription_id)}", body=body, options=options)

    def start(
        self,
        subscription_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.Subscription:
        """Start a subscription: charge its first period, or begin its trial

        Returns `active` if the first period was paid, or `trialing`. A decline is not an
        error: the subscription stays `pending` with `last_payment_error`, nothing is owed,
        and you can start it again. While a challenge or a bank debit is under way, it is
        `pending` with `current_period.status: processing`; `latest_payment_intent_id` names
        the payment intent. With a start date to come, it starts automatically on that day.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions/{subscription_id}/start`
        """
        return self._send("POST", f"/api/v1/subscriptions/{segment(subscription_id)}/start", options=options)

    def pause(
        self,
        subscription_id: str,
        body: models.SubscriptionPause | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.Subscription:
        """Pause a subscription at the end of its period, or of a later one

        Until `pauses_at` it continues as before. Then no period begins and nothing is charged
        until you resume it, or until `resumes_at`. Paused time is never billed. To withdraw
        the pause before then, resume the subscription. If `from` is no end of a period to
        come, the error names the two that are nearest.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions/{subscription_id}/pause`
        """
        return self._send("POST", f"/api/v1/subscriptions/{segment(subscription_id)}/pause", body=body, options=options)

    def cancel(
        self,
        subscription_id: str,
        body: models.SubscriptionCancel | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.CanceledSubscription:
        """Cancel a subscription at the end of its period or of a later one, or now

        After this response no period begins that it excludes. At the end of the period, the
        service that is paid for continues until `ends_at`, and retries end. With a later date
        it continues as before until then, with renewals and retries; if that is no end of a
        period to come, the error names the two that are nearest. A subscription that is
        pending or paused is canceled at once, and not at a date. Nothing is refunded; with
        `at: now` and `unused: credit` the days that are left become credit, which you can
        refund.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions/{subscription_id}/cancel`
        """
        return self._send("POST", f"/api/v1/subscriptions/{segment(subscription_id)}/cancel", body=body, options=options)

    def list_periods(
        self,
        subscription_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.SubscriptionPeriodList, models.SubscriptionPeriod]:
        """List the periods of a subscription that have begun, newest first

        Needs a secret key with the scope `subscriptions:read`.

        `GET /api/v1/subscriptions/{subscription_id}/periods`
        """
        return self._pages_of("GET", f"/api/v1/subscriptions/{segment(subscription_id)}/periods", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="number")

    def get_schedule(
        self,
        subscription_id: str,
        *,
        count: int | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.ComingPeriodList:
        """Show the coming periods of a subscription

        A subscription that is pending or paused is shown as if you started or resumed it now.

        Needs a secret key with the scope `subscriptions:read`.

        `GET /api/v1/subscriptions/{subscription_id}/schedule`
        """
        return self._send("GET", f"/api/v1/subscriptions/{segment(subscription_id)}/schedule", query={"count": count}, options=options)

    def resume(
        self,
        subscription_id: str,
        body: models.SubscriptionResume | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.Subscription:
        """Resume a subscription: begin a new period today, and charge it

        A new period begins today. Returns `active` if it was paid. A decline is not an error:
        the subscription is `past_due` with `last_payment_error`, or what `unpaid_behaviour`
        says, and retries continue. While a challenge is under way, it is `active` and not yet
        in effect, with `current_period.status: processing`; a bank debit that is under way is
        enough. Later periods are counted from today, or begin on `anchor_day`. A period that
        was unpaid becomes `void`. A pause that has not begun is taken back.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions/{subscription_id}/resume`
        """
        return self._send("POST", f"/api/v1/subscriptions/{segment(subscription_id)}/resume", body=body, options=options)

    def uncancel(
        self,
        subscription_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.Subscription:
        """Withdraw the end of a subscription

        Withdraws a cancellation that has not taken effect: `ends_at` is what it was, and the
        retries and pause that it ended continue. Without a cancellation it removes `ends_at`.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions/{subscription_id}/uncancel`
        """
        return self._send("POST", f"/api/v1/subscriptions/{segment(subscription_id)}/uncancel", options=options)

    def retry(
        self,
        subscription_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.Subscription:
        """Charge the unpaid period of a subscription now

        Allowed while it is `past_due`, or `paused` because a payment failed. Returns `active`
        if the attempt has succeeded. A decline is not an error: the retries continue, or end.
        The attempt counts as the next one of its series.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions/{subscription_id}/retry_now`
        """
        return self._send("POST", f"/api/v1/subscriptions/{segment(subscription_id)}/retry_now", options=options)

    retry_now = retry
    """The same as `retry`, by the name of its path."""

    def change(
        self,
        subscription_id: str,
        body: models.SubscriptionChange,
        **options: Unpack[WriteOptions],
    ) -> models.SubscriptionChangeResult:
        """Change what a subscription sells, or ask what that costs

        Allowed while it is `trialing` or `active`, and for the next period while it is
        `paused`. A change now costs the days that are left; if that is negative, it goes to
        `credit_balance_cents`, which later periods use before money is taken. With `collect:
        now` it is charged at once, and made when that has succeeded: a decline is not an
        error, `last_payment_error` says why, and nothing has changed. While a challenge or a
        bank debit is under way, `change_payment_intent_id` names the payment intent. With
        `dry_run` nothing changes: the response says what would be charged.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions/{subscription_id}/change`
        """
        return self._send("POST", f"/api/v1/subscriptions/{segment(subscription_id)}/change", body=body, options=options)

    def list_changes(
        self,
        subscription_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.SubscriptionMadeChangeList, models.SubscriptionMadeChange]:
        """List the changes of a subscription that were requested with `when: now`, newest first

        Needs a secret key with the scope `subscriptions:read`.

        `GET /api/v1/subscriptions/{subscription_id}/changes`
        """
        return self._pages_of("GET", f"/api/v1/subscriptions/{segment(subscription_id)}/changes", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="number")

    def refund_credit(
        self,
        subscription_id: str,
        body: models.SubscriptionCreditRefund | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.SubscriptionCreditRefunds:
        """Pay out the credit of a subscription

        Refunds the payments of the subscription that succeeded, the newest first, each by at
        most what remains of it. The response is the refund of the newest; `refunds` are all.
        The credit is taken at once, and the part of a refund that fails comes back. Allowed
        in every state, also after it was canceled.

        Needs a secret key with the scope `subscriptions:write`.

        `POST /api/v1/subscriptions/{subscription_id}/refund_credit`
        """
        return self._send("POST", f"/api/v1/subscriptions/{segment(subscription_id)}/refund_credit", body=body, options=options)



class TestClocks(Resource):
    """Sandbox only: simulated time for chosen customers. Renewals, retries and expiry happen
    when you ask for them.
    """

    def create(
        self,
        body: models.TestClockCreate,
        **options: Unpack[WriteOptions],
    ) -> models.TestClock:
        """Create a test clock

        A clock stands still until you advance it. To put customers on it, create them with
        its id as their `test_clock`: at most 3 per clock, and 9 on all clocks of the account.
        An account has at most 3 clocks that are neither deleted nor failed. Each clock is
        deleted after 30 days. Sends `test_clock.created`.

        Needs a secret key with the scope `test_clocks:write`. Sandbox only.

        `POST /api/v1/test_helpers/test_clocks`
        """
        return self._send("POST", "/api/v1/test_helpers/test_clocks", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.TestClockList, models.TestClock]:
        """List test clocks, newest first

        Needs a secret key with the scope `test_clocks:read`. Sandbox only.

        `GET /api/v1/test_helpers/test_clocks`
        """
        return self._pages_of("GET", "/api/v1/test_helpers/test_clocks", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="id")

    def get(
        self,
        id: str,
        **options: Unpack[WaitOptions],
    ) -> models.TestClock:
        """Fetch a test clock

        With `Prefer: wait=N` the response comes as soon as the clock is no longer advancing,
        or after N seconds (at most 60). Check `status`, and fetch again while it is
        `advancing`. In each API process at most 100 requests of a key wait at a time. A
        further request returns at once, without `Preference-Applied`. Pause before you fetch
        again.

        Needs a secret key with the scope `test_clocks:read`. Sandbox only.

        `GET /api/v1/test_helpers/test_clocks/{id}`
        """
        return self._send("GET", f"/api/v1/test_helpers/test_clocks/{segment(id)}", options=options)

    def delete(
        self,
        id: str,
        **options: Unpack[RequestOptions],
    ) -> models.DeletedTestClock:
        """Delete a test clock with all its customers and their objects

        Allowed in any state. It cannot be undone. Sends `test_clock.deleted`. Events stay
        readable. Nothing on the clock is charged afterwards.

        Needs a secret key with the scope `test_clocks:write`. Sandbox only.

        `DELETE /api/v1/test_helpers/test_clocks/{id}`
        """
        return self._send("DELETE", f"/api/v1/test_helpers/test_clocks/{segment(id)}", options=options)

    def advance(
        self,
        id: str,
        body: models.TestClockAdvance,
        **options: Unpack[WriteOptions],
    ) -> models.TestClockDryRun | models.AdvancingTestClock:
        """Advance a test clock

        Allowed from `created` and `ready`, forward only. Returns at once, with the old
        frozen_time, and sends `test_clock.advancing`. Everything that is due on the way
        happens at its own instant, in order. When every effect is committed, the clock is
        `ready` and `test_clock.ready` is sent. To wait for that, fetch the clock with
        `Prefer: wait=60`. One advance covers at most two billing intervals. The clock’s
        max_frozen_time is the latest target, and the error for a longer advance has it too.
        With `dry_run` nothing changes, and the response shows what the advance would do.

        Needs a secret key with the scope `test_clocks:write`. Sandbox only.

        `POST /api/v1/test_helpers/test_clocks/{id}/advance`
        """
        return self._send("POST", f"/api/v1/test_helpers/test_clocks/{segment(id)}/advance", body=body, options=options)

    def list_effects(
        self,
        id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        advance_id: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.ClockEffectList, models.ClockEffect]:
        """List the effects of the advances of a test clock

        Oldest first, in the order of the clock’s time. `starting_after` takes the event_id of
        the last effect on the previous page. The effects of a running advance appear as they
        are committed.

        Needs a secret key with the scope `test_clocks:read`. Sandbox only.

        `GET /api/v1/test_helpers/test_clocks/{id}/effects`
        """
        return self._pages_of("GET", f"/api/v1/test_helpers/test_clocks/{segment(id)}/effects", query={"limit": limit, "starting_after": starting_after, "advance_id": advance_id}, options=options, items="data", cursor="event_id")



class Balance(Resource):
    """The books of your account: what was taken, what it cost, what came back, what was paid
    out. Rows are posted from events, within a second as a rule; `complete_up_to` says how
    far. Lists and balances leave out what is on test clocks, unless `test_clock` names one.
    """

    def get(
        self,
        *,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.Balance:
        """Fetch your balance in each currency

        With `test_clock`, the balance of that clock at its time.

        Needs a secret key with the scope `balance:read`.

        `GET /api/v1/balance`
        """
        return self._send("GET", "/api/v1/balance", query={"test_clock": test_clock}, options=options)



class BalanceTransactions(Resource):
    """The books of your account: what was taken, what it cost, what came back, what was paid
    out. Rows are posted from events, within a second as a rule; `complete_up_to` says how
    far. Lists and balances leave out what is on test clocks, unless `test_clock` names one.
    """

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        type: models.BalanceTransactionType | None = None,
        currency: models.Currency | None = None,
        source: str | None = None,
        payment_intent_id: str | None = None,
        customer_id: str | None = None,
        payout_id: str | None = None,
        test_clock: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.BalanceTransactionList, models.BalanceTransaction]:
        """List what has moved money, newest first

        One row for each movement. What is on a test clock appears only if `test_clock` names
        the clock. A bank debit has no row before it settles.

        Needs a secret key with the scope `balance:read`.

        `GET /api/v1/balance_transactions`
        """
        return self._pages_of("GET", "/api/v1/balance_transactions", query={"limit": limit, "starting_after": starting_after, "type": type, "currency": currency, "source": source, "payment_intent_id": payment_intent_id, "customer_id": customer_id, "payout_id": payout_id, "test_clock": test_clock, "from": from_, "to": to}, options=options, items="data", cursor="id")

    def get(
        self,
        balance_transaction_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.BalanceTransaction:
        """Fetch a row of your books

        Needs a secret key with the scope `balance:read`.

        `GET /api/v1/balance_transactions/{balance_transaction_id}`
        """
        return self._send("GET", f"/api/v1/balance_transactions/{segment(balance_transaction_id)}", options=options)



class Payouts(Resource):
    """What was paid to your bank account. The sandbox pays out at 00:00 of each business day, in
    your time zone: all that is available in a currency, if that is more than 0.
    `metadata._sandbox_payout` of a payment chooses what becomes of the payouts that it is in:
    a list of `paid` and `fail`. In live mode the processor pays out, if it says so: Stripe
    does.
    """

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        status: models.PayoutStatus | None = None,
        currency: models.Currency | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.PayoutList, models.Payout]:
        """List payouts, newest first

        What is on a test clock appears only if `test_clock` names the clock.

        Needs a secret key with the scope `balance:read`.

        `GET /api/v1/payouts`
        """
        return self._pages_of("GET", "/api/v1/payouts", query={"limit": limit, "starting_after": starting_after, "status": status, "currency": currency, "test_clock": test_clock}, options=options, items="data", cursor="id")

    def get(
        self,
        payout_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.Payout:
        """Fetch a payout

        Needs a secret key with the scope `balance:read`.

        `GET /api/v1/payouts/{payout_id}`
        """
        return self._send("GET", f"/api/v1/payouts/{segment(payout_id)}", options=options)

    def list_items(
        self,
        payout_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.BalanceTransactionList, models.BalanceTransaction]:
        """List the rows of your books that a payout pays, newest first

        Their `net` adds up to the payout. A payout that has failed still shows what it was to
        pay.

        Needs a secret key with the scope `balance:read`.

        `GET /api/v1/payouts/{payout_id}/items`
        """
        return self._pages_of("GET", f"/api/v1/payouts/{segment(payout_id)}/items", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="id")



class Disputes(Resource):
    """Payments that a payer has disputed with the bank. What is disputed is held until the
    dispute is won or lost, and cannot be refunded meanwhile. The sandbox opens disputes on
    request. Live mode has none yet.
    """

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        status: models.DisputeStatus | None = None,
        currency: models.Currency | None = None,
        payment_intent_id: str | None = None,
        customer_id: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.DisputeList, models.Dispute]:
        """List disputes, newest first

        What is on a test clock appears only if `test_clock` names the clock.

        Needs a secret key with the scope `balance:read`.

        `GET /api/v1/disputes`
        """
        return self._pages_of("GET", "/api/v1/disputes", query={"limit": limit, "starting_after": starting_after, "status": status, "currency": currency, "payment_intent_id": payment_intent_id, "customer_id": customer_id, "test_clock": test_clock}, options=options, items="data", cursor="id")

    def get(
        self,
        dispute_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.Dispute:
        """Fetch a dispute

        Needs a secret key with the scope `balance:read`.

        `GET /api/v1/disputes/{dispute_id}`
        """
        return self._send("GET", f"/api/v1/disputes/{segment(dispute_id)}", options=options)



class Reports(Resource):
    """What finance reads, as JSON or as CSV, with the same columns in both. Amounts are minor
    units, instants are UTC. Reports leave out what is on test clocks, unless `test_clock`
    names one.
    """

    def get_balance_transactions(
        self,
        *,
        from_: str,
        to: str,
        timezone: str | None = None,
        columns: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.BalanceTransactionsReport:
        """Report what has moved money

        The rows of your books with this `created_at`, oldest first, each with its customer
        and its plan. Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends
        in `.csv`. At most two reports of an account are read at a time.

        Needs a secret key with the scope `reports:read`.

        `GET /api/v1/reports/balance_transactions`
        """
        return self._send("GET", "/api/v1/reports/balance_transactions", query={"from": from_, "to": to, "timezone": timezone, "columns": columns, "test_clock": test_clock}, options=options)

    def get_payouts(
        self,
        *,
        from_: str,
        to: str,
        timezone: str | None = None,
        columns: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.PayoutsReport:
        """Report your payouts, each with what it is made of

        One row for each payout with this `created_at`, oldest first: what was paid, refunded
        and taken back, and the fees, which add up to it. `GET
        /balance_transactions?payout_id=` has its items. Streamed as JSON, or as CSV if
        `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an account
        are read at a time.

        Needs a secret key with the scope `reports:read`.

        `GET /api/v1/reports/payouts`
        """
        return self._send("GET", "/api/v1/reports/payouts", query={"from": from_, "to": to, "timezone": timezone, "columns": columns, "test_clock": test_clock}, options=options)

    def get_plans(
        self,
        *,
        from_: str,
        to: str,
        timezone: str | None = None,
        columns: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.PlansReport:
        """Report what plans and subscriptions charged and collected

        One row for each plan and each subscription, by customer: what moved in the range, and
        what was owed at its end. One that had ended, and neither moved nor owed anything, is
        left out. Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends in
        `.csv`. At most two reports of an account are read at a time.

        Needs a secret key with the scope `reports:read`.

        `GET /api/v1/reports/plans`
        """
        return self._send("GET", "/api/v1/reports/plans", query={"from": from_, "to": to, "timezone": timezone, "columns": columns, "test_clock": test_clock}, options=options)

    def get_aging(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        timezone: str | None = None,
        columns: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.AgingReport:
        """Report what is owed, by how many days it is late

        One row for each plan, subscription and payment by itself of which something is owed
        now, by customer. `from` and `to` narrow by the date since which it is late. Streamed
        as JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two
        reports of an account are read at a time.

        Needs a secret key with the scope `reports:read`.

        `GET /api/v1/reports/aging`
        """
        return self._send("GET", "/api/v1/reports/aging", query={"from": from_, "to": to, "timezone": timezone, "columns": columns, "test_clock": test_clock}, options=options)

    def get_failed_payments(
        self,
        *,
        from_: str,
        to: str,
        timezone: str | None = None,
        columns: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.FailedPaymentsReport:
        """Report the payments that failed or came back

        One row for each attempt that failed and each debit that came back, oldest first: why,
        when it was to be tried again, and what has become of the payment. Streamed as JSON,
        or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of
        an account are read at a time.

        Needs a secret key with the scope `reports:read`.

        `GET /api/v1/reports/failed_payments`
        """
        return self._send("GET", "/api/v1/reports/failed_payments", query={"from": from_, "to": to, "timezone": timezone, "columns": columns, "test_clock": test_clock}, options=options)

    def get_mandates(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        timezone: str | None = None,
        columns: str | None = None,
        test_clock: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.MandatesReport:
        """Report your mandates

        Each mandate as it is now, oldest first. `from` and `to` narrow by `created_at`.
        Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At
        most two reports of an account are read at a time.

        Needs a secret key with the scope `reports:read`.

        `GET /api/v1/reports/mandates`
        """
        return self._send("GET", "/api/v1/reports/mandates", query={"from": from_, "to": to, "timezone": timezone, "columns": columns, "test_clock": test_clock}, options=options)



class Events(Resource):
    """Everything that happened, numbered and stored, whether or not a webhook was sent."""

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        order: models.EventOrder | None = None,
        created_from: str | None = None,
        created_to: str | None = None,
        event_type: str | None = None,
        test_clock: str | None = None,
        object_id: str | None = None,
        customer_id: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.EventList, models.Event]:
        """List events

        Lists all events, newest first, whether or not an endpoint subscribes to them. With
        `order=asc` and the last id that you have as `starting_after` you get what was
        recorded since, oldest first. No event is missed, whatever is written meanwhile: the
        order is that of the commits.

        Needs a secret key with the scope `events:read`.

        `GET /api/v1/events`
        """
        return self._pages_of("GET", "/api/v1/events", query={"limit": limit, "starting_after": starting_after, "order": order, "created_from": created_from, "created_to": created_to, "event_type": event_type, "test_clock": test_clock, "object_id": object_id, "customer_id": customer_id}, options=options, items="data", cursor="id")

    def get(
        self,
        event_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.Event:
        """Fetch an event

        Needs a secret key with the scope `events:read`.

        `GET /api/v1/events/{event_id}`
        """
        return self._send("GET", f"/api/v1/events/{segment(event_id)}", options=options)



class WebhookEndpoints(Resource):
    """The endpoints that events are posted to, and the result of each delivery."""

    def create(
        self,
        body: models.WebhookEndpointCreate,
        **options: Unpack[WriteOptions],
    ) -> models.WebhookEndpoint:
        """Register a webhook endpoint

        Events are posted as JSON and signed by Standard Webhooks (`webhook-id`,
        `webhook-timestamp`, `webhook-signature`). The signing `secret` is in this response
        and is not shown again. `webhook-id` is the event’s id on every attempt. Only a 2xx
        response within 15 seconds is success. Redirects are not followed.

        After a failure, the next attempts come 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h
        and 24 h later, each give or take a tenth. `Retry-After` can make a wait longer, to at
        most 24 h. A 410 response, or five days of nothing but failure, disables the endpoint.
        Each mode has at most 16 endpoints.

        The key must also be able to read the events of the endpoint: `events:read` reads
        every event, `payment_intents:read` reads `payment_intent.*`, `payment_intents:read`
        reads `refund.*`, `mandates:read` reads `mandate.*`, `payment_plans:read` reads
        `payment_plan.*`, `payment_links:read` reads `payment_link.*`, `payment_links:read`
        reads `checkout_session.*`, `balance:read` reads `dispute.*`, `balance:read` reads
        `payout.*`, `subscriptions:read` reads `subscription.*`, `test_clocks:read` reads
        `test_clock.*`, `webhooks:read` reads `webhook_endpoint.*`. `*`, the default, needs
        `events:read`.

        Needs a secret key with the scope `webhooks:write`.

        `POST /api/v1/webhook_endpoints`
        """
        return self._send("POST", "/api/v1/webhook_endpoints", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.WebhookEndpointList, models.WebhookEndpoint]:
        """List webhook endpoints, newest first

        Needs a secret key with the scope `webhooks:read`.

        `GET /api/v1/webhook_endpoints`
        """
        return self._pages_of("GET", "/api/v1/webhook_endpoints", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="id")

    def get(
        self,
        webhook_endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.WebhookEndpoint:
        """Fetch a webhook endpoint

        Needs a secret key with the scope `webhooks:read`.

        `GET /api/v1/webhook_endpoints/{webhook_endpoint_id}`
        """
        return self._send("GET", f"/api/v1/webhook_endpoints/{segment(webhook_endpoint_id)}", options=options)

    def update(
        self,
        webhook_endpoint_id: str,
        body: models.WebhookEndpointUpdate | None = None,
        **options: Unpack[RequestOptions],
    ) -> models.WebhookEndpoint:
        """Change, enable or disable a webhook endpoint

        Enabling an endpoint does not send what it missed. Use replay for that.

        The key must also be able to read the events of the endpoint to change `url` or
        `event_types` or to enable it: see *Register a webhook endpoint*.

        Needs a secret key with the scope `webhooks:write`.

        `PUT /api/v1/webhook_endpoints/{webhook_endpoint_id}`
        """
        return self._send("PUT", f"/api/v1/webhook_endpoints/{segment(webhook_endpoint_id)}", body=body, options=options)

    def delete(
        self,
        webhook_endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.DeletedWebhookEndpoint:
        """Delete a webhook endpoint

        Its pending deliveries become `failed`. Its deliveries stay readable.

        Needs a secret key with the scope `webhooks:write`.

        `DELETE /api/v1/webhook_endpoints/{webhook_endpoint_id}`
        """
        return self._send("DELETE", f"/api/v1/webhook_endpoints/{segment(webhook_endpoint_id)}", options=options)

    def rotate_secret(
        self,
        webhook_endpoint_id: str,
        body: models.SecretRotation | None = None,
        **options: Unpack[WriteOptions],
    ) -> models.WebhookEndpoint:
        """Replace the signing secret

        While the old secret is valid, `webhook-signature` has a signature by each secret,
        separated by a space.

        Needs a secret key with the scope `webhooks:write`.

        `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret`
        """
        return self._send("POST", f"/api/v1/webhook_endpoints/{segment(webhook_endpoint_id)}/rotate_secret", body=body, options=options)

    def ping(
        self,
        webhook_endpoint_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.WebhookDelivery:
        """Send a test event

        Sends a `webhook_endpoint.ping` to this endpoint alone, whatever it subscribes to.
        Returns the delivery. Fetch it again to see the result. Each attempt has a `challenge`
        in its `data`. To verify the endpoint (`verified_at`), the receiver returns the
        challenge, as `{"challenge": …}` or as the bare text, within the first 2 KiB of a 2xx
        response.

        Needs a secret key with the scope `webhooks:write`.

        `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/ping`
        """
        return self._send("POST", f"/api/v1/webhook_endpoints/{segment(webhook_endpoint_id)}/ping", options=options)

    def list_deliveries(
        self,
        webhook_endpoint_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        status: models.WebhookDeliveryStatus | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.WebhookDeliveryList, models.WebhookDelivery]:
        """List the deliveries to an endpoint, newest first

        Needs a secret key with the scope `webhooks:read`.

        `GET /api/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries`
        """
        return self._pages_of("GET", f"/api/v1/webhook_endpoints/{segment(webhook_endpoint_id)}/deliveries", query={"limit": limit, "starting_after": starting_after, "status": status}, options=options, items="data", cursor="id")

    def replay_deliveries(
        self,
        webhook_endpoint_id: str,
        body: models.WebhookReplay,
        **options: Unpack[WriteOptions],
    ) -> models.ReplayResult:
        """Deliver the events of a time range again

        Delivers events that the endpoint subscribes to and has not received, also from while
        it was disabled. With `all`, also those that it has received. Events keep their ids,
        so a receiver can recognise a repeated one.

        A live endpoint must be verified first: ping it. The sandbox needs no verification.

        The key must also be able to read the events of the endpoint: see *Register a webhook
        endpoint*.

        Needs a secret key with the scope `webhooks:write`.

        `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/replay`
        """
        return self._send("POST", f"/api/v1/webhook_endpoints/{segment(webhook_endpoint_id)}/replay", body=body, options=options)

    replay = replay_deliveries
    """The same as `replay_deliveries`, by the name of its path."""



class WebhookDeliveries(Resource):
    """The endpoints that events are posted to, and the result of each delivery."""

    def get(
        self,
        webhook_delivery_id: str,
        **options: Unpack[RequestOptions],
    ) -> models.WebhookDelivery:
        """Fetch a delivery with every attempt

        Needs a secret key with the scope `webhooks:read`.

        `GET /api/v1/webhook_deliveries/{webhook_delivery_id}`
        """
        return self._send("GET", f"/api/v1/webhook_deliveries/{segment(webhook_delivery_id)}", options=options)

    def retry(
        self,
        webhook_delivery_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.WebhookDelivery:
        """Deliver again, now

        A pending delivery is attempted now, without waiting for its next attempt. A delivered
        or failed one starts the schedule again. The endpoint must be enabled.

        The key must also be able to read the event: see *Register a webhook endpoint*.

        Needs a secret key with the scope `webhooks:write`.

        `POST /api/v1/webhook_deliveries/{webhook_delivery_id}/retry`
        """
        return self._send("POST", f"/api/v1/webhook_deliveries/{segment(webhook_delivery_id)}/retry", options=options)



class DashboardSessions(Resource):
    """How your own people get into the dashboard, which shows customers, payments and what
    becomes of them. Your back office makes a session after its own sign-on, and sends the
    person to its URL.
    """

    def create(
        self,
        body: models.DashboardSessionCreate,
        **options: Unpack[WriteOptions],
    ) -> models.NewDashboardSession:
        """Let a person into the dashboard

        Send the person to its `url`, or open it: it works once, within five minutes. The
        session ends at `expires_at`, when you end it, or with the key that has made it. A
        role needs the scopes for what it sees and does.

        Needs a secret key with the scope `dashboard:write`.

        `POST /api/v1/dashboard_sessions`
        """
        return self._send("POST", "/api/v1/dashboard_sessions", body=body, options=options)

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Listing[models.DashboardSessionList, models.DashboardSession]:
        """List dashboard sessions, newest first

        Sessions that have ended are listed for 30 days.

        Needs a secret key with the scope `dashboard:write`.

        `GET /api/v1/dashboard_sessions`
        """
        return self._pages_of("GET", "/api/v1/dashboard_sessions", query={"limit": limit, "starting_after": starting_after}, options=options, items="data", cursor="id")

    def end(
        self,
        dashboard_session_id: str,
        **options: Unpack[WriteOptions],
    ) -> models.DashboardSession:
        """End a dashboard session at once

        Its `expires_at` is then the present. Ending it again changes nothing.

        Needs a secret key with the scope `dashboard:write`.

        `POST /api/v1/dashboard_sessions/{dashboard_session_id}/end`
        """
        return self._send("POST", f"/api/v1/dashboard_sessions/{segment(dashboard_session_id)}/end", options=options)



class Account(Resource):
    """How your account presents itself to payers, on the pages that the service shows them, and
    where it is.
    """

    def get(
        self,
        **options: Unpack[RequestOptions],
    ) -> models.Account:
        """Fetch your account as payers see it

        What the pages for payers show about you, your time zone, your country and your tax.
        An operator changes it (`npm run billers -- update`). It is the same in both modes.

        Needs a secret key with the scope `payment_intents:read`.

        `GET /api/v1/account`
        """
        return self._send("GET", "/api/v1/account", options=options)

    def list_surcharge_rules(
        self,
        **options: Unpack[RequestOptions],
    ) -> models.SurchargeRules:
        """List the surcharge rules that apply to your account

        Which surcharges the service adds to your payments today, by your country and by your
        stated cost of acceptance. An operator sets both (`npm run billers -- update`). If two
        rules apply to one payment, the stricter one counts. A payment on a test clock follows
        the rules of its clock’s date.

        Needs a secret key with the scope `payment_intents:read`.

        `GET /api/v1/surcharge_rules`
        """
        return self._send("GET", "/api/v1/surcharge_rules", options=options)



class Health(Resource):
    """For operators of the service."""

    def get(
        self,
        **options: Unpack[RequestOptions],
    ) -> models.Healthy:
        """Check that the process is running

        No key is needed.

        `GET /healthz`
        """
        return self._send("GET", "/healthz", options=options)

    def get_readiness(
        self,
        **options: Unpack[RequestOptions],
    ) -> models.Healthy:
        """Check that the service can handle requests

        No key is needed.

        `GET /readyz`
        """
        return self._send("GET", "/readyz", options=options)



class Reference(Resource):
    """This documentation."""

    def get_open_api_document(
        self,
        **options: Unpack[RequestOptions],
    ) -> dict[str, Any]:
        """Fetch this document

        No key is needed.

        `GET /openapi.json`
        """
        return self._send("GET", "/openapi.json", options=options)

    def get_page(
        self,
        **options: Unpack[RequestOptions],
    ) -> str:
        """Read this document as a page

        No key is needed.

        `GET /docs`
        """
        return self._send("GET", "/docs", accept="text/html", options=options)



class Resources:
    """Every operation of the API."""

    def __init__(self, transport: Transport) -> None:
        self.customers = Customers(transport)
        """The payers and their saved payment methods."""
        self.payment_methods = PaymentMethods(transport)
        """Saved instruments. You can create cards and Australian bank accounts here. Klarna,
        PayID and PayPal are read-only; in the sandbox a test helper creates them.
        """
        self.mandates = Mandates(transport)
        """The authority of a payer to debit a bank account, with the evidence that it was given.
        An account that has a mandate is debited only while the mandate is active.
        """
        self.payment_intents = PaymentIntents(transport)
        """Single charges: created on your server, confirmed with a saved payment method. The
        event `payment_intent.succeeded` completes a payment.
        """
        self.refunds = Refunds(transport)
        """Money returned to the payer, in whole or in part."""
        self.payment_plans = PaymentPlans(transport)
        """Recurring schedules. The service creates a payment intent for each due date, charges
        the saved method, and retries after failures.
        """
        self.payment_links = PaymentLinks(transport)
        """What you send to a payer: a URL behind which one or more payments are made, or a
        method is saved.
        """
        self.checkout_sessions = CheckoutSessions(transport)
        """A hosted page on which one payer pays, or saves a payment method. A payment link
        creates one for each payer.
        """
        self.subscriptions = Subscriptions(transport)
        """A service that is sold in periods, each paid when it begins. `in_effect` says whether
        the customer may use it now.
        """
        self.test_clocks = TestClocks(transport)
        """Sandbox only: simulated time for chosen customers. Renewals, retries and expiry happen
        when you ask for them.
        """
        self.balance = Balance(transport)
        """The books of your account: what was taken, what it cost, what came back, what was paid
        out. Rows are posted from events, within a second as a rule; `complete_up_to` says how
        far. Lists and balances leave out what is on test clocks, unless `test_clock` names
        one.
        """
        self.balance_transactions = BalanceTransactions(transport)
        """The books of your account: what was taken, what it cost, what came back, what was paid
        out. Rows are posted from events, within a second as a rule; `complete_up_to` says how
        far. Lists and balances leave out what is on test clocks, unless `test_clock` names
        one.
        """
        self.payouts = Payouts(transport)
        """What was paid to your bank account. The sandbox pays out at 00:00 of each business
        day, in your time zone: all that is available in a currency, if that is more than 0.
        `metadata._sandbox_payout` of a payment chooses what becomes of the payouts that it is
        in: a list of `paid` and `fail`. In live mode the processor pays out, if it says so:
        Stripe does.
        """
        self.disputes = Disputes(transport)
        """Payments that a payer has disputed with the bank. What is disputed is held until the
        dispute is won or lost, and cannot be refunded meanwhile. The sandbox opens disputes
        on request. Live mode has none yet.
        """
        self.reports = Reports(transport)
        """What finance reads, as JSON or as CSV, with the same columns in both. Amounts are
        minor units, instants are UTC. Reports leave out what is on test clocks, unless
        `test_clock` names one.
        """
        self.events = Events(transport)
        """Everything that happened, numbered and stored, whether or not a webhook was sent."""
        self.webhook_endpoints = WebhookEndpoints(transport)
        """The endpoints that events are posted to, and the result of each delivery."""
        self.webhook_deliveries = WebhookDeliveries(transport)
        """The endpoints that events are posted to, and the result of each delivery."""
        self.dashboard_sessions = DashboardSessions(transport)
        """How your own people get into the dashboard, which shows customers, payments and what
        becomes of them. Your back office makes a session after its own sign-on, and sends the
        person to its URL.
        """
        self.account = Account(transport)
        """How your account presents itself to payers, on the pages that the service shows them,
        and where it is.
        """
        self.health = Health(transport)
        """For operators of the service."""
        self.reference = Reference(transport)
        """This documentation."""
