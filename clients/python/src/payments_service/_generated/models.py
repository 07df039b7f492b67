# Generated from the OpenAPI document of the service by `npm run generate`. Do not edit.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

AgingReportRowType: TypeAlias = Literal["payment_plan", "subscription", "payment_intent"]  # noqa: E501
BalanceTransactionType: TypeAlias = Literal["payment", "refund", "return", "adjustment", "payout", "payout_failure"]  # noqa: E501
CardFunding: TypeAlias = Literal["credit", "debit", "prepaid"]  # noqa: E501
CardNetwork: TypeAlias = Literal["amex", "diners", "discover", "eftpos", "jcb", "mastercard", "visa"]  # noqa: E501
CheckoutSessionStatus: TypeAlias = Literal["open", "processing", "completed", "expired"]  # noqa: E501
ClockEffectType: TypeAlias = Literal["payment_intent.succeeded", "payment_intent.failed", "payment_intent.canceled", "payment_intent.requires_action", "payment_intent.restricted", "payment_intent.processing", "payment_intent.returned", "mandate.created", "mandate.activated", "mandate.notice_due", "mandate.canceled", "mandate.failed", "mandate.expired", "payment_plan.activated", "payment_plan.suspended", "payment_plan.deactivated", "payment_plan.closed", "payment_link.created", "payment_link.paid", "payment_link.completed", "payment_link.reopened", "payment_link.expired", "payment_link.deactivated", "payment_link.renewed", "payment_link.throttled", "checkout_session.completed", "checkout_session.expired", "payout.created", "payout.reconciled", "payout.paid", "payout.failed", "subscription.started", "subscription.trial_ending", "subscription.renewed", "subscription.past_due", "subscription.recovered", "subscription.pause_scheduled", "subscription.pause_removed", "subscription.paused", "subscription.resumed", "subscription.cancel_scheduled", "subscription.cancel_removed", "subscription.canceled", "subscription.changed", "subscription.change_scheduled", "subscription.change_removed", "subscription.change_failed", "subscription.period_paid", "subscription.updated", "subscription.in_effect_changed"]  # noqa: E501
CollectChoice: TypeAlias = Literal["required", "optional", "no"]  # noqa: E501
Currency: TypeAlias = Literal["USD", "AUD", "NZD", "EUR", "GBP", "JPY"]  # noqa: E501
CustomerStatus: TypeAlias = Literal["active", "inactive"]  # noqa: E501
DashboardRole: TypeAlias = Literal["viewer", "support", "finance", "admin"]  # noqa: E501
DebitScheme: TypeAlias = Literal["au_becs"]  # noqa: E501
EffectiveOn: TypeAlias = Literal["settled", "submitted"]  # noqa: E501
ErrorBodyType: TypeAlias = Literal["invalid_request_error", "authentication_error", "permission_error", "idempotency_error", "rate_limit_error", "api_error"]  # noqa: E501
ErrorBodyCode: TypeAlias = Literal["validation_failed", "bad_request", "invalid_json", "body_incomplete", "invalid_header", "unsupported_content_type", "unsupported_encoding", "unauthenticated", "insufficient_scope", "secret_key_required", "client_secret_invalid", "sandbox_only", "payment_method_not_allowed", "too_many_attempts", "resource_missing", "route_not_found", "method_not_allowed", "request_timeout", "idempotency_key_in_use", "payload_too_large", "payment_method_limit", "misdirected_request", "idempotency_key_reused", "invalid_state", "mandate_exists", "mandate_text_unknown", "mandate_unavailable", "mandate_limit_exceeded", "result_after_period", "quote_changed", "test_clock_advancing", "test_clock_failed", "test_clock_full", "test_clock_limit", "test_clock_customers_limit", "advance_bound_exceeded", "webhook_endpoint_limit", "webhook_endpoint_unverified", "headers_too_large", "rate_limited", "webhook_replay_limit", "internal_error", "unavailable", "processor_not_configured", "time_skipping_unavailable"]  # noqa: E501
ErrorDetailCode: TypeAlias = Literal["parameter_missing", "unknown_parameter", "invalid_type", "invalid_value", "invalid_format", "out_of_range", "too_long", "too_short", "too_many", "too_few", "duplicate", "immutable", "resource_missing", "customer_reference_ambiguous", "customer_deleted", "payment_method_detached", "payment_method_of_other_customer", "payment_method_not_allowed", "payment_method_of_other_intent", "payment_method_limit", "payment_method_missing", "payment_method_unattached", "no_period_left", "mandate_limit_exceeded", "mandate_required", "currency_of_scheme", "mandate_text_unknown", "amount_too_small", "amount_or_range", "method_currency_mismatch", "total_or_until_further_notice", "unknown_fixture_token", "unknown_event_type", "url_invalid", "url_unresolvable", "url_not_public"]  # noqa: E501
EventOrder: TypeAlias = Literal["asc", "desc"]  # noqa: E501
EventType: TypeAlias = Literal["payment_intent.succeeded", "payment_intent.failed", "payment_intent.canceled", "payment_intent.requires_action", "payment_intent.restricted", "payment_intent.processing", "payment_intent.returned", "mandate.created", "mandate.activated", "mandate.notice_due", "mandate.canceled", "mandate.failed", "mandate.expired", "payment_plan.activated", "payment_plan.suspended", "payment_plan.deactivated", "payment_plan.closed", "payment_link.created", "payment_link.paid", "payment_link.completed", "payment_link.reopened", "payment_link.expired", "payment_link.deactivated", "payment_link.renewed", "payment_link.throttled", "checkout_session.completed", "checkout_session.expired", "refund.succeeded", "refund.failed", "payout.created", "payout.reconciled", "payout.paid", "payout.failed", "subscription.started", "subscription.trial_ending", "subscription.renewed", "subscription.past_due", "subscription.recovered", "subscription.pause_scheduled", "subscription.pause_removed", "subscription.paused", "subscription.resumed", "subscription.cancel_scheduled", "subscription.cancel_removed", "subscription.canceled", "subscription.changed", "subscription.change_scheduled", "subscription.change_removed", "subscription.change_failed", "subscription.period_paid", "subscription.updated", "subscription.in_effect_changed", "test_clock.created", "test_clock.advancing", "test_clock.ready", "test_clock.deleted", "webhook_endpoint.ping", "webhook_endpoint.disabled"]  # noqa: E501
FailedPaymentsReportRowKind: TypeAlias = Literal["failed", "returned"]  # noqa: E501
FailureBehaviour: TypeAlias = Literal["retry", "stop"]  # noqa: E501
MandateAcceptanceType: TypeAlias = Literal["online", "paper", "telephone", "imported"]  # noqa: E501
MandateAmountType: TypeAlias = Literal["variable", "fixed"]  # noqa: E501
MandateNoticeChannel: TypeAlias = Literal["email", "letter", "message", "telephone", "in_person"]  # noqa: E501
MandateNoticeKind: TypeAlias = Literal["confirmation", "amount_changed", "terms_changed"]  # noqa: E501
MandateStatus: TypeAlias = Literal["pending", "active", "canceled", "failed", "expired"]  # noqa: E501
NotPayableReason: TypeAlias = Literal["methods_not_offered"]  # noqa: E501
PayableMethodType: TypeAlias = Literal["card", "au_becs_debit"]  # noqa: E501
PaymentIntentActionCompletionResult: TypeAlias = Literal["succeed", "fail"]  # noqa: E501
PaymentIntentBankResultResult: TypeAlias = Literal["settled", "dishonoured", "returned", "disputed"]  # noqa: E501
PaymentIntentStatus: TypeAlias = Literal["requires_payment_method", "processing", "requires_action", "succeeded", "failed", "canceled", "returned"]  # noqa: E501
PaymentLinkMode: TypeAlias = Literal["payment", "setup"]  # noqa: E501
PaymentLinkStatus: TypeAlias = Literal["open", "completed", "expired", "deactivated"]  # noqa: E501
PaymentPlanState: TypeAlias = Literal["pending", "active", "suspended", "deactivated", "closed"]  # noqa: E501
PayoutStatus: TypeAlias = Literal["in_transit", "paid", "failed"]  # noqa: E501
PlanFrequency: TypeAlias = Literal["weekly", "monthly"]  # noqa: E501
PlanPaymentStatus: TypeAlias = Literal["processing", "paid", "retrying", "failed", "skipped", "returned"]  # noqa: E501
PlanPaymentAttemptOutcome: TypeAlias = Literal["succeeded", "failed", "accepted", "submitted", "returned"]  # noqa: E501
PlansReportRowType: TypeAlias = Literal["payment_plan", "subscription"]  # noqa: E501
ReconciliationStatus: TypeAlias = Literal["in_progress", "completed"]  # noqa: E501
RefundStatus: TypeAlias = Literal["processing", "succeeded", "failed"]  # noqa: E501
ReportingCategory: TypeAlias = Literal["charge", "refund", "charge_failure", "other_adjustment", "payout", "payout_reversal"]  # noqa: E501
SavePaymentMethod: TypeAlias = Literal["no", "offer", "always"]  # noqa: E501
StatementLineType: TypeAlias = Literal["owed_before", "charged", "waived", "collected", "refunded", "returned", "owed"]  # noqa: E501
SubscriptionCancelAt: TypeAlias = Literal["period_end", "now"]  # noqa: E501
SubscriptionCancelUnused: TypeAlias = Literal["keep", "credit"]  # noqa: E501
SubscriptionChangeWhen: TypeAlias = Literal["now", "period_end"]  # noqa: E501
SubscriptionChangeProration: TypeAlias = Literal["days", "none"]  # noqa: E501
SubscriptionChangeCollect: TypeAlias = Literal["now", "next_period"]  # noqa: E501
SubscriptionFrequency: TypeAlias = Literal["weekly", "monthly", "yearly"]  # noqa: E501
SubscriptionMadeChangeStatus: TypeAlias = Literal["processing", "made", "failed", "credited"]  # noqa: E501
SubscriptionPeriodKind: TypeAlias = Literal["trial", "paid"]  # noqa: E501
SubscriptionPeriodLineKind: TypeAlias = Literal["item", "one_off", "proration", "discount", "credit", "owed"]  # noqa: E501
SubscriptionPeriodStatus: TypeAlias = Literal["processing", "paid", "retrying", "unpaid", "void"]  # noqa: E501
SubscriptionState: TypeAlias = Literal["pending", "trialing", "active", "past_due", "paused", "canceled"]  # noqa: E501
SurchargeReason: TypeAlias = Literal["not_allowed", "capped"]  # noqa: E501
SurchargeVerdict: TypeAlias = Literal["allowed", "at_most_cost", "forbidden"]  # noqa: E501
SurchargedMethodType: TypeAlias = Literal["card", "au_becs_debit", "klarna", "pay_id", "paypal"]  # noqa: E501
TestClockLastAdvanceStatus: TypeAlias = Literal["advancing", "ready", "failed"]  # noqa: E501
TestClockStatus: TypeAlias = Literal["created", "advancing", "ready", "failed"]  # noqa: E501
TrialEndBehaviour: TypeAlias = Literal["charge", "pause", "cancel"]  # noqa: E501
UnpaidBehaviour: TypeAlias = Literal["pause", "cancel"]  # noqa: E501
UnpaidService: TypeAlias = Literal["collect", "waive"]  # noqa: E501
WebhookDeliveryStatus: TypeAlias = Literal["pending", "delivered", "failed"]  # noqa: E501
WebhookDisabledReason: TypeAlias = Literal["requested", "gone", "failing"]  # noqa: E501
WebhookEndpointStatus: TypeAlias = Literal["enabled", "disabled"]  # noqa: E501
WebhookReplayStatus: TypeAlias = Literal["failed", "all"]  # noqa: E501


class Account(TypedDict):
    id: str
    """Your biller id."""
    name: str
    """The name of the account."""
    time_zone: str
    """The IANA name of the zone in which dates begin: payments are due at 00:00 of their date
    there.
    """
    country: str | None
    """ISO 3166-1 alpha-2. It decides which surcharges are allowed. Null: it was not stated."""
    display_name: str | None
    """The name that payers read. Null: `name`."""
    support_email: str | None
    """Where payers write with questions."""
    support_phone: str | None
    """Where payers call with questions."""
    address: str | None
    """The business address, as one line."""
    tax_id: str | None
    """Such as an ABN. Receipts show it."""
    brand_color: str | None
    """The colour of buttons, as `#rrggbb`."""
    checkout_origins: list[str]
    """The origins of your pages that may hold the widget. Those with `http` count in the sandbox
    only.
    """


class Address(TypedDict):
    line1: NotRequired[str]
    """Street and number."""
    line2: NotRequired[str]
    """Further address line."""
    city_or_suburb: NotRequired[str]
    """City or suburb."""
    state_or_region: NotRequired[str]
    """State or region."""
    postal_code: NotRequired[str]
    """Postal code."""
    country: NotRequired[str]
    """Country."""


class AdvancingTestClock(TypedDict):
    id: str
    """The id of the test clock."""
    status: Literal["advancing"]
    frozen_time: str
    """The time before the advance. It changes when the advance is complete."""


class AgingReport(TypedDict):
    data: list[AgingReportRow]


class AgingReportRow(TypedDict):
    customer_id: NotRequired[str | None]
    """The payer; null without a customer."""
    customer_name: NotRequired[str | None]
    """The name of the customer, as it is now."""
    customer_reference: NotRequired[str | None]
    """Your reference of the customer, as it is now."""
    type: NotRequired[AgingReportRowType]
    """For what it is owed."""
    id: NotRequired[str]
    """The plan, the subscription, or the payment by itself."""
    name: NotRequired[str | None]
    """Its name; null for a payment."""
    state: NotRequired[str | None]
    """Its state now; null for a payment."""
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    owed: NotRequired[int]
    """All that is owed of it. Minor units."""
    days_0_to_30: NotRequired[int]
    """What is late by up to 30 days. Minor units."""
    days_31_to_60: NotRequired[int]
    """By 31 to 60 days. Minor units."""
    days_61_to_90: NotRequired[int]
    """By 61 to 90 days. Minor units."""
    days_over_90: NotRequired[int]
    """By more than 90 days. Minor units."""
    late_since: NotRequired[str]
    """The date on which the oldest failed or came back, in the time zone of the report."""
    days_late: NotRequired[int]
    """The days since then."""
    next_attempt_at: NotRequired[str | None]
    """When it is tried again by itself; null if it is not."""


class AmountRange(TypedDict):
    min: int
    """The least, minor units."""
    max: int
    """The most, minor units."""
    suggested: list[int]
    """Amounts to choose from, minor units."""


class AmountRangeInput(TypedDict):
    min: int
    """The least, minor units."""
    max: int
    """The most, minor units."""
    suggested: NotRequired[list[int]]
    """Up to five amounts to choose from."""


class ApplyTo(TypedDict):
    payment_plan_id: NotRequired[str]
    """The plan: the method that was used becomes its instrument. If a failed payment has
    suspended it, it is resumed.
    """
    subscription_id: NotRequired[str]
    """The subscription: the method that was used becomes its instrument. It is started if it is
    pending, and resumed if a failed payment has paused it.
    """
    unpaid: NotRequired[UnpaidService]
    """Whether what was served and not paid is collected, the default, or waived: then the unpaid
    period is `void` and a new one begins today.
    """


class ApplyToInput(TypedDict):
    """What a completed payment or setup does: to a plan, or to a subscription. The method
    becomes its instrument, and is kept. If a failed payment has suspended the plan, it is
    resumed, and its unpaid payment is tried again at once. A subscription that is pending is
    started; one that a failed payment has paused is resumed; one that is past due is tried
    again at once. Name one of them. `unpaid` is for a subscription that is resumed.
    """
    payment_plan_id: NotRequired[str]
    """A plan of the customer that has not ended."""
    subscription_id: NotRequired[str]
    """A subscription of the customer that has not ended."""
    unpaid: NotRequired[UnpaidService]
    """Whether what was served and not paid is collected, the default, or waived: then the unpaid
    period is `void` and a new one begins today.
    """


class Balance(TypedDict):
    data: list[CurrencyBalance]
    """One for each currency in which money has moved."""
    complete_up_to: int
    """The `sequence` of the last event that is posted. The balance has all events up to it."""


class BalanceTransaction(TypedDict):
    id: str
    """The id of the row. It stays the same if the books are made again."""
    created_at: str
    """ISO 8601, UTC."""
    available_on: str | None
    """The date from which the net is available, in your time zone. Null in live mode."""
    type: BalanceTransactionType
    """`payment`: collected; a bank debit when it settled, and again when it is collected after a
    return. `refund`: given back to the payer; the fee is not. `return`: the bank took a debit
    back. `adjustment`: the fee of that debit, given back to you. `payout`: paid to your bank
    account. `payout_failure`: a payout that your bank has refused.
    """
    reporting_category: ReportingCategory
    """Stripe’s word for the type."""
    currency: Currency
    """An ISO 4217 code, in capitals."""
    gross: int
    """What moved, minor units. Negative if it left."""
    fee: int
    """What it cost you, minor units; negative if it was given back. The sum over all rows is
    what you have paid in fees. In live mode 0: the processor does not tell its fee.
    """
    net: int
    """`gross` less `fee`, minor units."""
    source: str
    """The payment intent, the refund or the payout."""
    payment_intent_id: str | None
    """The payment; null for a payout."""
    payout_id: str | None
    """The payout that pays the row; null if none does yet. A payout is no part of itself."""
    customer_id: str | None
    """The payer; null without a customer."""
    description: str | None
    """What is paid for, as the payer reads it."""
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    biller_id: str
    """The account whose money it is."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock that it is on; null in real time."""


class BalanceTransactionList(TypedDict):
    data: list[BalanceTransaction]
    has_more: bool
    """Whether more items follow."""


class BalanceTransactionsReport(TypedDict):
    data: list[BalanceTransactionsReportRow]


class BalanceTransactionsReportRow(TypedDict):
    id: NotRequired[str]
    """The id of the row. It stays the same if the books are made again."""
    created_at: NotRequired[str]
    """ISO 8601, UTC."""
    available_on: NotRequired[str | None]
    """The date from which the net is available, in your time zone. Null in live mode."""
    type: NotRequired[BalanceTransactionType]
    """`payment`: collected; a bank debit when it settled, and again when it is collected after a
    return. `refund`: given back to the payer; the fee is not. `return`: the bank took a debit
    back. `adjustment`: the fee of that debit, given back to you. `payout`: paid to your bank
    account. `payout_failure`: a payout that your bank has refused.
    """
    reporting_category: NotRequired[ReportingCategory]
    """Stripe’s word for the type."""
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    gross: NotRequired[int]
    """What moved, minor units. Negative if it left."""
    fee: NotRequired[int]
    """What it cost you, minor units; negative if it was given back. The sum over all rows is
    what you have paid in fees. In live mode 0: the processor does not tell its fee.
    """
    net: NotRequired[int]
    """`gross` less `fee`, minor units."""
    source: NotRequired[str]
    """The payment intent, the refund or the payout."""
    payment_intent_id: NotRequired[str | None]
    """The payment; null for a payout."""
    payout_id: NotRequired[str | None]
    """The payout that pays the row; null if none does yet. A payout is no part of itself."""
    customer_id: NotRequired[str | None]
    """The payer; null without a customer."""
    description: NotRequired[str | None]
    """What is paid for, as the payer reads it."""
    metadata: NotRequired[dict[str, str]]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    customer_name: NotRequired[str | None]
    """The name of the customer, as it is now."""
    customer_reference: NotRequired[str | None]
    """Your reference of the customer, as it is now."""
    payment_plan_id: NotRequired[str | None]
    """The plan that made the payment; null if none did."""
    subscription_id: NotRequired[str | None]
    """The subscription that made the payment; null if none did."""


class BankDebit(TypedDict):
    """Present for an attempt that is a bank debit under a mandate."""
    mandate_id: str
    """The authority to debit the account."""
    lodgement_reference: str
    """Shown on the payer’s statement."""
    charge_date: str
    """The day on which the account is debited. Dates here are those of the scheme."""
    submitted_at: str | None
    """When it was handed to the bank; null before."""
    expected_result_at: str
    """When the bank is expected to report."""
    settled_at: str | None
    """When the bank reported that it was collected."""
    returnable_until: str | None
    """The last date on which it can come back."""
    returned_at: str | None
    """When it came back."""
    bank_code: str | None
    """The bank’s own code for a refusal or a return."""


class BankDebitCounts(TypedDict):
    """The steps of bank debits among all effects of the query, those on other pages included."""
    accepted: int
    """Debits that were opened."""
    settled: int
    """Debits that the bank has collected."""
    failed: int
    """Debits that the bank has not collected, or that were withdrawn before it had them."""
    returned: int
    """Debits that the bank has taken back."""


class BecsData(TypedDict):
    bsb_number: str
    """The BSB, which names the bank and the branch: six digits, with or without a hyphen. In the
    sandbox 000-000 is enough.
    """
    account_name: str
    """The name of the account."""
    account_number: str
    """The number of the account, 6 to 9 characters; never shown again."""
    account_number_token: NotRequired[str]
    """The tokenised account number."""
    account_number_end: NotRequired[str]
    """Exactly 4 characters."""
    fingerprint: NotRequired[str]
    """A value that is the same for the same account."""


class BecsInstrument(TypedDict):
    bsb_number: str
    """Bank, state and branch."""
    account_name: str
    """The name of the account."""
    account_number_token: NotRequired[str]
    """The tokenised account number."""
    account_number_end: NotRequired[str]
    """Exactly 4 characters."""
    fingerprint: NotRequired[str]
    """A value that is the same for the same account."""


class BecsPaymentMethod(TypedDict):
    id: str
    """The id of the payment method."""
    type: Literal["au_becs_debit"]
    instrument_data: BecsInstrument


class BecsPaymentMethodCreate(TypedDict):
    type: Literal["au_becs_debit"]
    payment_method_data: BecsData
    customer_reference: NotRequired[str]
    """The customer that the method belongs to: a cus_ id, or your own reference of the customer."""
    client_secret: NotRequired[str]
    """Required with a publishable key and `customer_reference`: the client_secret of a payment
    intent of that customer.
    """


class BecsSummary(TypedDict):
    bsb_number: str
    """Bank, state and branch."""
    account_name: str
    """The name of the account."""
    last4: str
    """The end of the account number."""


class BusinessDays(TypedDict):
    data: list[str]
    """On the scheme’s clock, in order."""
    has_more: bool
    """Whether more follow: false at the end of the calendar, in 2099."""


class CanceledSubscription(TypedDict):
    id: str
    """The id of the subscription."""
    customer_id: str
    """The customer who gets the service and is charged."""
    name: str
    """A label."""
    state: SubscriptionState
    """`pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
    payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
    service. `canceled`: ended for good.
    """
    state_reason: str | None
    """Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
    `no_payment_method`: its trial ended without one. `ended`: at `ends_at`.
    `customer_deleted`.
    """
    in_effect: bool
    """Whether the customer may use the service now."""
    in_effect_until: str | None
    """Until when, if nothing else happens. Null while that is open, and while it is not in
    effect.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    items: list[SubscriptionItem]
    """What is sold in the current period."""
    next_items: list[SubscriptionItem] | None
    """What is sold from the next period on, if that was changed; null if it is the same."""
    one_off_items: list[SubscriptionOneOffItem]
    """Fees that are not paid: the next paid period takes them once, or an unpaid period has
    taken them.
    """
    discounts: list[SubscriptionDiscount]
    """The discounts of the current period."""
    next_discounts: list[SubscriptionDiscount] | None
    """The discounts from the next period on, if they were changed; null if they are the same."""
    frequency_type: SubscriptionFrequency
    """The unit of a period."""
    frequency_period: int
    """How many weeks, months or years a period has. By default 1."""
    start_date: str
    """The first day. By default today, for this customer. Not in the past. Periods are counted
    from here, or from the end of the trial: 31 January is followed by 28 or 29 February, then
    by 31 March.
    """
    anchor_day: int | None
    """The day of the month on which periods begin; in shorter months the last day. The first
    period is then short, and costs its share of the days. Not for weekly subscriptions. A
    resume counts anew from its own day.
    """
    trial_days: int | None
    """The days of a trial before the first paid period."""
    trial_end_date: str | None
    """The first day after the trial. Either this or `trial_days`."""
    trial_end_behaviour: TrialEndBehaviour
    """What happens if a trial ends and there is no method to charge. `pause`, the default;
    `cancel`; `charge`: the collection fails, and `unpaid_behaviour` decides.
    """
    payment_instrument_id: str | None
    """The method to charge; null for the customer’s default at each charge."""
    failure_behaviour: FailureBehaviour
    """What happens after a failed payment, as for plans. `retry`, the default: it is charged
    again 1, 3 and 5 days after its first failure, unless the decline is final. `stop`: it is
    not retried.
    """
    unpaid_behaviour: UnpaidBehaviour
    """What happens when no retry is left. `pause` is the default."""
    grace_days: int
    """For how many days after the first failure `in_effect` stays true while retries continue,
    if a period was paid before: until the same time of day in the account’s time zone. By
    default 7, which covers all retries.
    """
    effective_on: EffectiveOn
    """When the first period takes effect that is paid by a bank debit. `settled`, the default:
    when the bank has collected it. `submitted`: when the debit is accepted. Later periods
    begin on their dates.
    """
    ends_at: str | None
    """The day on which it ends, the first without service: an end of a period. Null: it
    continues.
    """
    pauses_at: str | None
    """The day on which a pause begins that was requested."""
    resumes_at: str | None
    """The day on which the pause ends automatically. It does not end while a period is owed."""
    current_period: CurrentPeriod | None
    """The period that has begun last; null before the first."""
    next_period_start: str | None
    """When the next period begins; null if none is to come."""
    next_attempt_at: str | None
    """When a failed payment is retried; null if it is not."""
    owed_amount_cents: int
    """What collecting would take for periods that are not paid, without surcharge, minor units.
    0 unless one is unpaid.
    """
    in_flight_amount: int
    """What the bank or the processor already had when it was canceled, minor units. If it
    succeeds, it becomes credit, unless its period was over.
    """
    credit_balance_cents: int
    """The credit of the customer for later periods, minor units."""
    refundable_credit_cents: int
    """How much of the credit `refund_credit` can pay out now, minor units: at most what remains
    of the payments.
    """
    next_period_lines: list[SubscriptionPeriodLine]
    """What changes have left for the next period to take, besides its items."""
    change_payment_intent_id: str | None
    """The payment of a change that is under way; null if none is."""
    paid_periods: int
    """The periods that were collected. Trials do not count."""
    latest_payment_intent_id: str | None
    """Its last payment; null before the first."""
    last_payment_error: SubscriptionPaymentError | None
    """Why its last charge failed; null if it did not."""
    metadata: dict[str, str]
    """For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
    outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated
    by semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters,
    values of at most 500.
    """
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock of the customer; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    quote: SubscriptionUnusedQuote | None
    """With `unused: credit`, what the days are worth that are left; otherwise null."""


class CardData(TypedDict):
    expiry_month: int
    """The month in which it expires."""
    expiry_year: int
    """The year in which it expires."""
    token_metadata: TokenMetadata
    card_name: NotRequired[str]
    """The name on the card, at most 30 characters."""
    card_number_token: NotRequired[str]
    """The tokenised card number."""
    card_number_end: NotRequired[str]
    """Exactly 4 characters."""
    card_bin: NotRequired[str]
    """Exactly 8 digits."""
    fingerprint: NotRequired[str]
    """A value that is the same for the same card."""
    wallet: NotRequired[str]
    """The wallet that the card came from."""
    card_networks: NotRequired[list[CardNetwork]]
    """The networks that the card runs on, if your vault knows them: two for a co-branded card,
    such as eftpos and visa. They count together with those of `card_bin` and `card_brand`;
    the strictest decides whether a surcharge is allowed.
    """
    card_funding: NotRequired[CardFunding]
    """What the card draws on, if your vault knows it."""
    card_country: NotRequired[str]
    """The country that the card was issued in, if your vault or the processor knows it: ISO
    3166-1, such as AU.
    """
    card_brand: NotRequired[str]
    """The brand. By default derived from `card_bin`."""


class CardInstrument(TypedDict):
    card_name: str
    """The name on the card, at most 30 characters."""
    expiry_month: int
    """The month in which it expires."""
    expiry_year: int
    """The year in which it expires."""
    card_number_token: NotRequired[str]
    """The tokenised card number."""
    card_number_end: NotRequired[str]
    """Exactly 4 characters."""
    card_bin: NotRequired[str]
    """Exactly 8 digits."""
    fingerprint: NotRequired[str]
    """A value that is the same for the same card."""
    wallet: NotRequired[str]
    """The wallet that the card came from."""
    card_networks: NotRequired[list[CardNetwork]]
    """The networks that the card runs on, if your vault knows them: two for a co-branded card,
    such as eftpos and visa. They count together with those of `card_bin` and `card_brand`;
    the strictest decides whether a surcharge is allowed.
    """
    card_funding: NotRequired[CardFunding]
    """What the card draws on, if your vault knows it."""
    card_country: NotRequired[str]
    """The country that the card was issued in, if your vault or the processor knows it: ISO
    3166-1, such as AU.
    """


class CardPaymentMethod(TypedDict):
    id: str
    """The id of the payment method."""
    type: Literal["card"]
    instrument_data: CardInstrument


class CardPaymentMethodCreate(TypedDict):
    type: Literal["card"]
    payment_method_data: CardData
    customer_reference: NotRequired[str]
    """The customer that the method belongs to: a cus_ id, or your own reference of the customer."""
    client_secret: NotRequired[str]
    """Required with a publishable key and `customer_reference`: the client_secret of a payment
    intent of that customer.
    """


class CardSummary(TypedDict):
    last4: str | None
    """The last four digits, if known."""
    exp_month: int
    """The month in which it expires."""
    exp_year: int
    """The year in which it expires."""
    brand: str | None
    """Such as Visa; null if unknown."""
    wallet: str | None
    """The wallet that the card came from; null if there was none."""


class CheckoutSession(TypedDict):
    id: str
    """The id of the checkout session."""
    url: NotRequired[str]
    """The page for the payer. Only for keys with `payment_links:write`. Lists and events leave
    it out.
    """
    client_secret: NotRequired[str]
    """Lets a browser read this session with a publishable key. Only for keys with
    `payment_links:write`. Lists and events leave it out.
    """
    mode: PaymentLinkMode
    """`payment`, the default: the payer pays. `setup`: the payer saves a payment method; no
    money is taken.
    """
    payment_link_id: str | None
    """The link that it was started from."""
    payment_intent_id: str | None
    """The payment; null before the first attempt."""
    payment_method_id: str | None
    """The method that was charged or saved; null until the session is completed."""
    name: str | None
    """What is paid for, as the payer reads it."""
    description: str | None
    """More about it, for the payer."""
    amount: int | None
    """Minor units, without surcharge; null if the payer chooses it."""
    amount_range: AmountRange | None
    """Between which amounts the payer chooses."""
    currency: Currency | None
    """Null in `setup` mode without one."""
    customer_id: str | None
    """The payer; null until a payer is known."""
    collect: Collect
    payment_method_types: list[PayableMethodType]
    """How can be paid."""
    payable: bool
    """Whether the page offers a way to pay, while it is open. If not, `not_payable_reason` says
    why.
    """
    not_payable_reason: NotPayableReason | None
    """Why no payer can pay: `methods_not_offered` if the pages take none of
    `payment_method_types` in this mode, such as cards in live mode, if your processor has no
    fields for them. Live mode: as far as was known when it was made, or opened last.
    """
    save_payment_method: SavePaymentMethod
    """Whether the method is kept for later payments: never, if the payer agrees, or always."""
    make_default: bool
    """Whether the method that is saved becomes the `default_payment_method` of the customer
    without a box to tick. Only in `setup` mode.
    """
    apply_to: ApplyTo | None
    """What a completed payment or setup does to a plan or a subscription."""
    surcharge_applied: bool
    """Whether the fee is asked on top. At each payment the rules on surcharges decide."""
    statement_descriptor: str | None
    """What the payer’s statement shows."""
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    success_url: str | None
    """Where the last page leads after success."""
    cancel_url: str | None
    """Where the page leads a payer who leaves."""
    expires_at: str
    """When it expires, in the customer’s time."""
    status: CheckoutSessionStatus
    """`open`: the payer can pay. `processing`: an attempt is under way, or the bank’s challenge,
    or a bank debit. `completed`: paid, or the method is saved. `expired`: it has ended
    without that (`status_reason`).
    """
    status_reason: str | None
    """Why it expired: `time`, `requested`, `too_many_attempts`, `link_completed`,
    `link_expired`, `link_deactivated`, `customer_deleted` or `payment_canceled`; otherwise
    null.
    """
    consent: CheckoutSessionConsent | None
    """What the payer agreed to in the last accepted form if the method is kept for later
    payments; otherwise null. For a bank account without that, see its mandate.
    """
    made_default: bool
    """Whether the saved method became the `default_payment_method` of the customer: because of
    `make_default`, or because the payer has ticked the box. Only in `setup` mode.
    """
    failed_attempts: int
    """How many attempts were declined. The tenth one ends the session."""
    completed_at: str | None
    """ISO 8601, UTC."""
    expired_at: str | None
    """ISO 8601, UTC."""
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock of its customer; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""


class CheckoutSessionChanges(TypedDict):
    payment_method_id: str | None
    """The method that was charged or saved; null until the session is completed."""
    status: CheckoutSessionStatus
    """`open`: the payer can pay. `processing`: an attempt is under way, or the bank’s challenge,
    or a bank debit. `completed`: paid, or the method is saved. `expired`: it has ended
    without that (`status_reason`).
    """
    status_reason: str | None
    """Why it expired: `time`, `requested`, `too_many_attempts`, `link_completed`,
    `link_expired`, `link_deactivated`, `customer_deleted` or `payment_canceled`; otherwise
    null.
    """
    failed_attempts: int
    """How many attempts were declined. The tenth one ends the session."""


class CheckoutSessionCompletedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["checkout_session.completed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: CheckoutSession


class CheckoutSessionConsent(TypedDict):
    text: str
    """The words that the page said, a line each: what is taken, and what is kept."""
    accepted_at: str
    """When the form was accepted, in the customer’s time."""
    ip_address: str
    """The payer’s address."""
    user_agent: str | None
    """The payer’s browser, as it names itself."""


class CheckoutSessionCreate(TypedDict):
    mode: NotRequired[PaymentLinkMode]
    """`payment`, the default: the payer pays. `setup`: the payer saves a payment method; no
    money is taken.
    """
    name: NotRequired[str]
    """What is paid for, as the payer reads it. Shown as text."""
    description: NotRequired[str]
    """More about it, for the payer."""
    amount: NotRequired[int]
    """Minor units. Either this or `amount_range`; neither in `setup` mode."""
    amount_range: NotRequired[AmountRangeInput]
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    customer_id: NotRequired[str]
    """The payer. If this customer is on a test clock, so is the link."""
    collect: NotRequired[CollectInput]
    payment_method_types: NotRequired[list[PayableMethodType]]
    """How can be paid. By default `card`. `au_becs_debit` needs AUD, also for the subject of
    `apply_to`.
    """
    save_payment_method: NotRequired[SavePaymentMethod]
    """Whether the method is kept for later payments. By default `no`; in `setup` mode always
    `always`.
    """
    make_default: NotRequired[bool]
    """For `setup` mode: the method that is saved becomes the `default_payment_method` of the
    customer, and the page says so. Needs the scope `customers:write`. By default the page has
    a box for it, if the key has this scope.
    """
    apply_to: NotRequired[ApplyToInput]
    surcharge_applied: NotRequired[bool]
    """Asks for the fee on top of the amount, where the rules on surcharges allow it."""
    statement_descriptor: NotRequired[str]
    """What the payer’s statement shows. By default that of the account."""
    metadata: NotRequired[dict[str, str]]
    """For your own use. Copied to the payment intents, so that `_sandbox_outcome` chooses their
    outcomes. At most 50 pairs; keys of at most 40 characters, values of at most 500.
    """
    success_url: NotRequired[str]
    """Where the last page leads after success; `{CHECKOUT_SESSION_ID}` is filled in. https in
    live mode.
    """
    cancel_url: NotRequired[str]
    """Where the page leads a payer who leaves. https in live mode."""
    payment_intent_id: NotRequired[str]
    """An intent of yours that can be confirmed, also a failed one of a plan or a subscription
    that can be retried. It decides about amount, payer and metadata.
    """
    subscription_id: NotRequired[str]
    """A subscription with a payment that has failed or come back. The payer saves a method, and
    it takes what `retry_now` or `resume` would take, which the page says before. The session
    is one of mode `setup` whose `apply_to` names the subscription.
    """
    expires_at: NotRequired[str]
    """From 5 minutes to 31 days ahead, in the customer’s time. By default in 24 hours."""


class CheckoutSessionEffect(TypedDict):
    object: Literal["checkout_session"]
    object_id: str
    """The checkout session."""
    advance_id: str | None
    """The advance that caused it; null in a dry run."""
    at: str
    """The simulated instant at which it happens."""
    event_type: ClockEffectType
    """What happened."""
    event_id: str | None
    """The event that reports it; null in a dry run."""
    changes: CheckoutSessionChanges


class CheckoutSessionExpiredEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["checkout_session.expired"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: CheckoutSession


class CheckoutSessionForPayer(TypedDict):
    id: str
    """The id of the checkout session."""
    mode: PaymentLinkMode
    """`payment`, the default: the payer pays. `setup`: the payer saves a payment method; no
    money is taken.
    """
    payment_method_id: str | None
    """The method that was charged or saved; null until the session is completed."""
    expires_at: str
    """When it expires, in the customer’s time."""
    status: CheckoutSessionStatus
    """`open`: the payer can pay. `processing`: an attempt is under way, or the bank’s challenge,
    or a bank debit. `completed`: paid, or the method is saved. `expired`: it has ended
    without that (`status_reason`).
    """
    status_reason: str | None
    """Why it expired: `time`, `requested`, `too_many_attempts`, `link_completed`,
    `link_expired`, `link_deactivated`, `customer_deleted` or `payment_canceled`; otherwise
    null.
    """
    livemode: bool
    """False in the sandbox."""


class CheckoutSessionList(TypedDict):
    data: list[CheckoutSession]
    has_more: bool
    """Whether more items follow."""


class ClockEffectList(TypedDict):
    data: list[ClockEffect]
    has_more: bool
    """Whether more items follow."""
    bank_debits: BankDebitCounts


class Collect(TypedDict):
    email: CollectChoice
    """Whether the payer is asked for an e-mail address."""
    name: CollectChoice
    """Whether the payer is asked for a name."""
    phone: CollectChoice
    """Whether the payer is asked for a phone number."""


class CollectInput(TypedDict):
    """What to ask a payer about the person, if there is no `customer_id`. By default name and
    email are required. A customer is made from it with the first attempt to pay.
    """
    email: NotRequired[CollectChoice]
    """Whether the payer is asked for an e-mail address."""
    name: NotRequired[CollectChoice]
    """Whether the payer is asked for a name."""
    phone: NotRequired[CollectChoice]
    """Whether the payer is asked for a phone number."""


class ComingPeriod(TypedDict):
    number: int
    """From 1. A trial is period 1."""
    start: str
    """The first day."""
    end: str
    """The first day after it."""
    amount_cents: int
    """What it costs, without surcharge, minor units."""
    lines: list[SubscriptionPeriodLine]
    """What it takes."""


class ComingPeriodList(TypedDict):
    data: list[ComingPeriod]
    has_more: bool
    """Whether more items follow."""


class CreatedPaymentMethod(TypedDict):
    success: bool
    """Always true."""
    payment_method: PaymentMethodSummary


class CurrencyBalance(TypedDict):
    currency: Currency
    """An ISO 4217 code, in capitals."""
    in_flight: int
    """Bank debits that were accepted and have no result yet, minor units."""
    pending: int
    """What was collected and is not available yet, minor units, fees taken off. In live mode all
    of it: the processor does not tell when it is available.
    """
    available: int
    """What is available, minor units. Below 0 if more has left than was available."""


class CurrentPeriod(TypedDict):
    number: int
    """From 1. A trial is period 1."""
    start: str
    """The first day."""
    end: str
    """The first day after it."""
    status: SubscriptionPeriodStatus
    """`processing`: being charged. `paid`: collected, or a trial. `retrying`: failed, and
    retried. `unpaid`: failed, and not retried. `void`: nothing is owed for it, and it was not
    bought.
    """


class Customer(TypedDict):
    id: str
    """The id of the customer."""
    name: str | None
    """Full name."""
    email: str | None
    """Email address."""
    reference: str | None
    """Your own reference."""
    status: CustomerStatus | None
    """For your own use. By default `active`."""
    business_name: str | None
    """Business name."""
    billing_address: Address | None
    shipping_address: Address | None
    notification_preferences: NotificationPreferences | None
    fee_preferences: FeePreferences | None
    additional_attributes: dict[str, Any] | None
    """Free-form."""
    phones: list[Phone] | None
    """In the order given."""
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    default_payment_method: str | None
    """The method that is charged if no other is named. At first, the first method that was
    saved.
    """
    test_clock: str | None
    """The test clock whose time the customer follows; null in real time."""
    biller_id: str | None
    """The account that the customer belongs to."""
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    deleted_at: str | None
    """When it was deleted; null if it was not."""


class CustomerCreate(TypedDict):
    name: str
    """Full name."""
    status: NotRequired[CustomerStatus]
    """For your own use. By default `active`."""
    email: NotRequired[str]
    """Email address."""
    reference: NotRequired[str]
    """Your own reference."""
    business_name: NotRequired[str]
    """Business name."""
    billing_address: NotRequired[Address]
    shipping_address: NotRequired[Address]
    notification_preferences: NotRequired[NotificationPreferences]
    fee_preferences: NotRequired[FeePreferences]
    additional_attributes: NotRequired[dict[str, Any]]
    """Free-form."""
    phones: NotRequired[list[Phone]]
    """At most 20."""
    metadata: NotRequired[dict[str, str]]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    test_clock: NotRequired[str]
    """Sandbox only: the test clock whose time the customer follows. Set at creation; it cannot
    be changed.
    """


class CustomerList(TypedDict):
    data: list[Customer]
    has_more: bool
    """Whether more items follow."""


class CustomerUpdate(TypedDict):
    name: NotRequired[str]
    """Full name."""
    status: NotRequired[CustomerStatus]
    """For your own use. By default `active`."""
    email: NotRequired[str | None]
    """Email address."""
    reference: NotRequired[str | None]
    """Your own reference."""
    business_name: NotRequired[str | None]
    """Business name."""
    billing_address: NotRequired[Address | None]
    shipping_address: NotRequired[Address | None]
    notification_preferences: NotRequired[NotificationPreferences | None]
    fee_preferences: NotRequired[FeePreferences | None]
    additional_attributes: NotRequired[dict[str, Any] | None]
    """Free-form."""
    phones: NotRequired[list[Phone] | None]
    """At most 20."""
    metadata: NotRequired[dict[str, str]]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    default_payment_method: NotRequired[str | None]
    """A method of this customer, or null to have no default."""
    test_clock: NotRequired[str | None]
    """Cannot be changed. Sending it is a validation error."""


class DashboardSession(TypedDict):
    id: str
    """The id of the session."""
    object: Literal["dashboard_session"]
    person: str
    """Who it is for."""
    role: DashboardRole
    """`viewer`: looks. `support`: also retries payments, changes plans and subscriptions, makes
    links and sends webhooks again. `finance`: looks, sees the books, refunds and downloads.
    `admin`: all of that.
    """
    expires_at: str
    """ISO 8601, UTC."""
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""


class DashboardSessionCreate(TypedDict):
    person: str
    """Who it is for. The audit log and the history of a customer name this person."""
    role: DashboardRole
    """`viewer`: looks. `support`: also retries payments, changes plans and subscriptions, makes
    links and sends webhooks again. `finance`: looks, sees the books, refunds and downloads.
    `admin`: all of that.
    """
    expires_in: NotRequired[int]
    """After how many seconds it ends, 300 to 43,200; by default 3,600."""


class DashboardSessionList(TypedDict):
    data: list[DashboardSession]
    has_more: bool
    """Whether more items follow."""


class DateOfBirth(TypedDict):
    day: int | None
    """The day; null if unknown."""
    month: int | None
    """The month; null if unknown."""
    year: int | None
    """The year; null if unknown."""


class DateOfBirthData(TypedDict):
    day: NotRequired[int | None]
    """Day of the month."""
    month: NotRequired[int | None]
    """Month; 1 is January."""
    year: NotRequired[int | None]
    """Year, with four digits."""


class DeletedTestClock(TypedDict):
    id: str
    """The id of the deleted clock."""
    object: Literal["test_clock"]
    deleted: Literal[True]


class DeletedWebhookEndpoint(TypedDict):
    id: str
    """The id of the deleted endpoint."""
    deleted: Literal[True]


class EffectsManifest(TypedDict):
    payment_intents_enqueued: int
    """Payment intents attempted during the advance, each counted once."""
    links_expired: int
    """Payment links that expired."""
    subscriptions_rolled: int
    """Subscriptions that began a period, each counted once."""
    plans_recalculated: int
    """Plans whose next payment, next attempt or state changed."""


class Error(TypedDict):
    error: ErrorBody


class ErrorBody(TypedDict):
    message: str
    """What is wrong, for people. The words may change. Programs use `code`."""
    type: ErrorBodyType
    """- `invalid_request_error`: the request is wrong, or does not fit the state of the object
    - `authentication_error`: the key is missing or not valid
    - `permission_error`: the key may not do this
    - `idempotency_error`: the Idempotency-Key belongs to another request, or its first
    request is still running
    - `rate_limit_error`: too many requests
    - `api_error`: something is wrong on our side
    """
    code: NotRequired[ErrorBodyCode]
    """What is wrong, for programs. See *Codes of errors*."""
    details: NotRequired[list[ErrorDetail]]
    """Every field error of the request, not only the first."""
    request_id: str
    """The id of the request, as in the `Request-Id` header."""
    max_frozen_time: NotRequired[str]
    """With `advance_bound_exceeded`: the latest possible target of one advance."""
    mandate_id: NotRequired[str]
    """With `mandate_exists`: the mandate of the bank account that has not ended."""
    missing: NotRequired[list[str]]
    """With `/readyz`: the parts that are not reachable."""


class ErrorDetail(TypedDict):
    """What is wrong with one field."""
    code: ErrorDetailCode
    """For programs. See *Codes of details*."""
    message: str
    """For people."""
    path: NotRequired[str]
    """A JSON pointer into the body, such as `/phones/0/raw`; or `query/limit`,
    `header/Idempotency-TTL`.
    """


class EventList(TypedDict):
    data: list[Event]
    has_more: bool
    """Whether more items follow."""


class FailedPaymentIntent(TypedDict):
    id: str
    """The id of the payment intent; `pi_sandbox_…` in the sandbox."""
    client_secret: NotRequired[str]
    """Lets a browser act on this payment intent with a publishable key. A secret key gets it
    only with the scope `payment_intents:write`. Lists and events leave it out.
    """
    amount: int
    """The base amount, minor units."""
    total_amount: int
    """What is charged: base amount plus surcharge, minor units."""
    fee_amount: int
    """The fee by the biller’s fee schedule for this kind of payment method, minor units, whether
    or not it is passed on. Decided at each attempt. While the method is unknown, the most
    that any kind costs.
    """
    surcharge_amount: int
    """What the payer pays on top, minor units: the fee if you ask for it and the rules on
    surcharges allow it, less if they cap it, else 0. Decided at each attempt. Before the
    first one it is the most that the payment method, or any method while none is named, may
    carry at the creation.
    """
    surcharge_applied: bool
    """Whether the payer pays a surcharge."""
    surcharge_reason: SurchargeReason | None
    """Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee
    (`capped`). Null if it is taken whole, or not asked for.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    status: PaymentIntentStatus
    """`requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
    `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
    `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken.
    `failed`: declined; `last_payment_error` says why, and you can confirm it again.
    `canceled`: it will not be charged. `returned`: a bank debit had succeeded, and the bank
    has taken the money back; `last_payment_error` says why.
    """
    payment_method_id: NotRequired[str]
    """The saved method that is or was charged."""
    customer_id: NotRequired[str]
    """The payer."""
    biller_id: str
    """The account that is paid."""
    payment_plan_id: str | None
    """The plan that created it; null for a single payment."""
    payment_link_id: NotRequired[str]
    """The payment link that it was made by."""
    checkout_session_id: NotRequired[str]
    """The last checkout session in which a payer could pay it."""
    subscription_id: NotRequired[str]
    """The subscription that created it, if one did."""
    subscription_period: NotRequired[int]
    """The number of the period that it pays, or in which the change was made that it pays.
    Subscriptions only.
    """
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    scheduled_payment_date: NotRequired[str]
    """The date of a scheduled payment."""
    description: NotRequired[str]
    """What is paid for, as the payer reads it."""
    statement_descriptor: NotRequired[str]
    """What the payer’s statement shows: the one given, or that of the account."""
    total_refunded_amount: int
    """The sum of the refunds that succeeded, minor units."""
    net_collected_amount: int
    """What you hold of this payment now, minor units: the total while the status is `succeeded`,
    otherwise 0, less the refunds that succeeded. A debit that came back and was collected
    again counts once. Below 0 if the bank took a debit back that you had refunded.
    """
    mandate_id: NotRequired[str]
    """The mandate of the last debit. Present for bank debits under a mandate only."""
    lodgement_reference: NotRequired[str]
    """What the payer’s bank statement shows of the last debit. Present for bank debits under a
    mandate only.
    """
    expected_result_date: NotRequired[str]
    """When the bank reports whether it collected the debit, a date of its scheme. Bank debits
    only.
    """
    returnable_until: NotRequired[str]
    """The last date on which the bank can take the debit back. Present once a debit has
    succeeded.
    """
    total_returned_amount: NotRequired[int]
    """What the bank has taken back, minor units: the whole of each debit that came back,
    whatever was refunded before. Bank debits only.
    """
    last_payment_error: PaymentError | None
    """Why the last attempt failed; null if it did not fail or there was none."""
    next_action: NotRequired[NextAction | None]
    """Where to send the payer while the status is `requires_action`, else null: a page of the
    service, which in live mode leads to the payer’s bank and back. Shown where
    `client_secret` is.
    """
    receipt_url: NotRequired[str]
    """The page with the receipt, once the payment has succeeded. Anyone who has this URL can
    read it. Lists and events leave it out.
    """
    collected_at: str | None
    """When the money was last collected, in the customer’s time; a bank debit: when it settled.
    Null before. It stays when the payment is refunded or comes back.
    """
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    livemode: bool
    """False in the sandbox."""
    attempt: int
    """The number of the attempt that failed, from 1."""
    will_retry: bool
    """Whether the plan or subscription retries this payment."""
    next_attempt_at: str | None
    """When the plan or subscription retries it; null if it does not."""


class FailedPaymentsReport(TypedDict):
    data: list[FailedPaymentsReportRow]


class FailedPaymentsReportRow(TypedDict):
    failed_at: NotRequired[str]
    """ISO 8601, UTC."""
    kind: NotRequired[FailedPaymentsReportRowKind]
    """`failed`: an attempt failed. `returned`: the bank took back a debit that had succeeded."""
    payment_intent_id: NotRequired[str]
    """The payment."""
    attempt: NotRequired[int | None]
    """The number of the attempt, from 1."""
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    amount: NotRequired[int]
    """What was to be paid, surcharge included. Minor units."""
    code: NotRequired[str | None]
    """Why it failed, for programs."""
    message: NotRequired[str | None]
    """Why it failed, in words."""
    bank_code: NotRequired[str | None]
    """The bank’s own code of a debit."""
    payment_method_type: NotRequired[str | None]
    """The type of the payment method."""
    payment_method_last4: NotRequired[str | None]
    """The last four digits of the card or account."""
    customer_id: NotRequired[str | None]
    """The payer; null without a customer."""
    customer_name: NotRequired[str | None]
    """The name of the customer, as it is now."""
    customer_reference: NotRequired[str | None]
    """Your reference of the customer, as it is now."""
    payment_plan_id: NotRequired[str | None]
    """The plan that made the payment; null if none did."""
    subscription_id: NotRequired[str | None]
    """The subscription that made the payment; null if none did."""
    will_retry: NotRequired[bool | None]
    """Whether it was to be tried again, as known then."""
    next_attempt_at: NotRequired[str | None]
    """When, as known then; null if it was not to be tried again."""
    status: NotRequired[str | None]
    """The status of the payment now; null if the payment was deleted."""
    collected_at: NotRequired[str | None]
    """When the money was last collected; null if it was not."""


class FeePreferences(TypedDict):
    customer_pays_transaction_fees: NotRequired[bool]
    """Whether every payment of the customer carries the fee as a surcharge."""


class Healthy(TypedDict):
    status: Literal["ok"]


class KlarnaData(TypedDict):
    dob: NotRequired[DateOfBirthData | None]
    """The date of birth, as far as it is known. Parts that you leave out are returned as null."""


class KlarnaInstrument(TypedDict):
    dob: DateOfBirth | None


class KlarnaPaymentMethod(TypedDict):
    id: str
    """The id of the payment method."""
    type: Literal["klarna"]
    instrument_data: KlarnaInstrument


class KlarnaPaymentMethodCreate(TypedDict):
    type: Literal["klarna"]
    instrument_data: KlarnaData
    customer_reference: NotRequired[str]
    """The customer that the method belongs to: a cus_ id, or your own reference of the customer."""


class Mandate(TypedDict):
    id: str
    """The id of the mandate."""
    customer_id: str
    """The payer."""
    payment_method_id: str
    """The bank account that may be debited."""
    scheme: DebitScheme
    """The debit scheme. `au_becs`: direct debits in Australia."""
    reference: str
    """For people: `DDR-` and 14 letters and digits. Show it to the payer."""
    status: MandateStatus
    """`pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`,
    `failed`, `expired`: ended for good; `status_reason` says why. The payer can give a new
    mandate.
    """
    status_reason: str | None
    """Why it has ended; null until then. `requested`: by you. `payer_canceled`,
    `payment_stopped`: by the payer at the bank. `debit_disputed`: the payer has claimed a
    debit back. `payment_method_detached`, `customer_deleted`: with its account or customer.
    `account_invalid`, `account_closed`, `account_holder_deceased`: the bank has refused a
    debit. `unused`: 15 months without a debit.
    """
    cancellation_reason: str | None
    """Why you canceled it, in your words."""
    acceptance: MandateAcceptance | None
    """How the payer agreed; null until then."""
    max_amount_cents: int | None
    """The most that one debit may take, surcharge included, minor units; null for no limit."""
    amount_type: MandateAmountType
    """Whether the amounts of the debits differ, as the payer was told."""
    frequency_text: str | None
    """How often debits are made, as the payer was told."""
    next_possible_charge_date: str | None
    """The date, on the scheme’s clock, on which a debit that is requested now would be charged.
    Null unless the mandate is active, and after the last cut-off before it lapses.
    """
    last_debited_at: str | None
    """When it was last used; null if it never was."""
    activated_at: str | None
    """When it became active; null while it is pending."""
    ended_at: str | None
    """When it ended; null until then."""
    notices: list[MandateNotice]
    """Notices that the payer must get, and those that were sent; oldest first."""
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock of the customer; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""


class MandateAccept(TypedDict):
    type: MandateAcceptanceType
    """How the payer agreed. `online` needs `ip_address` and `user_agent`. `imported`: with other
    words, to another service, from which you bring the mandate. A publishable key accepts
    `online` only.
    """
    accepted_at: NotRequired[str]
    """When the payer agreed, on the customer’s time; not ahead. By default now, if `type` is
    `online`. With a publishable key it is always now, whatever you send.
    """
    ip_address: NotRequired[str]
    """The address that the payer’s browser had at your server."""
    user_agent: NotRequired[str]
    """The `User-Agent` of the payer’s browser."""
    signatory_name: str
    """The name of the person who agreed."""
    text_version: NotRequired[str]
    """The `version` of the text that the payer was shown. Required unless `type` is `imported`."""
    text_sha256: NotRequired[str]
    """The `sha256` of that text. Required unless `type` is `imported`."""
    client_secret: NotRequired[str]
    """Required with a publishable key: the client_secret of a payment intent of the mandate’s
    customer that can still be confirmed.
    """


class MandateAcceptance(TypedDict):
    type: MandateAcceptanceType
    """How the payer agreed."""
    accepted_at: str
    """ISO 8601, UTC."""
    ip_address: str | None
    """The payer’s address, as it was sent."""
    user_agent: str | None
    """The payer’s browser, as it was sent."""
    connection: MandateConnection | None
    """What the service has seen of a payer who accepted with a publishable key or on a page;
    null if you recorded it.
    """
    signatory_name: str
    """Who agreed."""
    text_version: str | None
    """The version of the text; null for an imported mandate that was agreed to with other words."""
    text_sha256: str | None
    """The hash of the text."""


class MandateAcceptanceInput(TypedDict):
    type: MandateAcceptanceType
    """How the payer agreed. `online` needs `ip_address` and `user_agent`. `imported`: with other
    words, to another service, from which you bring the mandate. A publishable key accepts
    `online` only.
    """
    accepted_at: NotRequired[str]
    """When the payer agreed, on the customer’s time; not ahead. By default now, if `type` is
    `online`. With a publishable key it is always now, whatever you send.
    """
    ip_address: NotRequired[str]
    """The address that the payer’s browser had at your server."""
    user_agent: NotRequired[str]
    """The `User-Agent` of the payer’s browser."""
    signatory_name: str
    """The name of the person who agreed."""
    text_version: NotRequired[str]
    """The `version` of the text that the payer was shown. Required unless `type` is `imported`."""
    text_sha256: NotRequired[str]
    """The `sha256` of that text. Required unless `type` is `imported`."""


class MandateActivatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["mandate.activated"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Mandate


class MandateCancel(TypedDict):
    reason: NotRequired[str]
    """The reason, in your words."""


class MandateCanceledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["mandate.canceled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Mandate


class MandateChanges(TypedDict):
    status: MandateStatus
    """`pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`,
    `failed`, `expired`: ended for good; `status_reason` says why. The payer can give a new
    mandate.
    """
    status_reason: str | None
    """Why it has ended; null until then. `requested`: by you. `payer_canceled`,
    `payment_stopped`: by the payer at the bank. `debit_disputed`: the payer has claimed a
    debit back. `payment_method_detached`, `customer_deleted`: with its account or customer.
    `account_invalid`, `account_closed`, `account_holder_deceased`: the bank has refused a
    debit. `unused`: 15 months without a debit.
    """
    ended_at: str | None
    """When it ended; null until then."""


class MandateConnection(TypedDict):
    ip_address: str
    """The address from which the payer accepted."""
    user_agent: str | None
    """The browser; null if it did not name itself."""


class MandateCreate(TypedDict):
    payment_method_id: str
    """A saved Australian bank account, pm_…. It has no other mandate that has not ended."""
    customer_id: NotRequired[str]
    """The payer. By default the customer of the payment method. A method without one is
    attached.
    """
    acceptance: NotRequired[MandateAcceptanceInput]
    max_amount_cents: NotRequired[int]
    """The most that one debit may take, surcharge included, minor units. By default no limit."""
    amount_type: NotRequired[MandateAmountType]
    """Whether the amounts of the debits differ; by default `variable`. It is for the payer only."""
    frequency_text: NotRequired[str]
    """How often debits are made, for the payer."""
    client_secret: NotRequired[str]
    """Required with a publishable key: the client_secret of a payment intent of the mandate’s
    customer that can still be confirmed.
    """


class MandateCreatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["mandate.created"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Mandate


class MandateEffect(TypedDict):
    object: Literal["mandate"]
    object_id: str
    """The mandate."""
    advance_id: str | None
    """The advance that caused it; null in a dry run."""
    at: str
    """The simulated instant at which it happens."""
    event_type: ClockEffectType
    """What happened."""
    event_id: str | None
    """The event that reports it; null in a dry run."""
    changes: MandateChanges


class MandateExpiredEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["mandate.expired"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Mandate


class MandateFailedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["mandate.failed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Mandate


class MandateForPayer(TypedDict):
    id: str
    """The id of the mandate."""
    payment_method_id: str
    """The bank account that may be debited."""
    scheme: DebitScheme
    """The debit scheme. `au_becs`: direct debits in Australia."""
    reference: str
    """For people: `DDR-` and 14 letters and digits. Show it to the payer."""
    status: MandateStatus
    """`pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`,
    `failed`, `expired`: ended for good; `status_reason` says why. The payer can give a new
    mandate.
    """
    status_reason: str | None
    """Why it has ended; null until then. `requested`: by you. `payer_canceled`,
    `payment_stopped`: by the payer at the bank. `debit_disputed`: the payer has claimed a
    debit back. `payment_method_detached`, `customer_deleted`: with its account or customer.
    `account_invalid`, `account_closed`, `account_holder_deceased`: the bank has refused a
    debit. `unused`: 15 months without a debit.
    """
    max_amount_cents: int | None
    """The most that one debit may take, surcharge included, minor units; null for no limit."""
    amount_type: MandateAmountType
    """Whether the amounts of the debits differ, as the payer was told."""
    frequency_text: str | None
    """How often debits are made, as the payer was told."""
    next_possible_charge_date: str | None
    """The date, on the scheme’s clock, on which a debit that is requested now would be charged.
    Null unless the mandate is active, and after the last cut-off before it lapses.
    """
    activated_at: str | None
    """When it became active; null while it is pending."""
    ended_at: str | None
    """When it ended; null until then."""
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""


class MandateList(TypedDict):
    data: list[Mandate]
    has_more: bool
    """Whether more items follow."""


class MandateNotice(TypedDict):
    """A notice that the payer must get. You send it, not the service."""
    kind: MandateNoticeKind
    """`confirmation`: that the mandate is active. `amount_changed`, `terms_changed`: a change of
    what the payer agreed to.
    """
    due_by: str | None
    """The last date, on the scheme’s clock, to send it in time; null if you recorded it unasked."""
    sent_at: str | None
    """When you sent it, as you recorded it; null until then."""
    channel: MandateNoticeChannel | None
    """How you sent it; null until then."""


class MandateNoticeDueEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["mandate.notice_due"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Mandate


class MandateNoticeSent(TypedDict):
    kind: MandateNoticeKind
    """`confirmation`: that the mandate is active. `amount_changed`, `terms_changed`: a change of
    what the payer agreed to.
    """
    channel: MandateNoticeChannel
    """How you notified the payer."""
    sent_at: NotRequired[str]
    """When you sent it, on the customer’s time; not ahead. By default now."""


class MandateText(TypedDict):
    scheme: DebitScheme
    """The debit scheme. `au_becs`: direct debits in Australia."""
    version: str
    """The version of the words. A text never changes under one version and name."""
    html: str
    """A part of a page, without scripts and styles. Show it as it is."""
    sha256: str
    """Of the bytes of `html` in UTF-8."""


class MandatesReport(TypedDict):
    data: list[MandatesReportRow]


class MandatesReportRow(TypedDict):
    id: NotRequired[str]
    """The mandate."""
    reference: NotRequired[str]
    """What the payer’s bank knows it by."""
    status: NotRequired[MandateStatus]
    """`pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`,
    `failed`, `expired`: ended for good; `status_reason` says why. The payer can give a new
    mandate.
    """
    status_reason: NotRequired[str | None]
    """Why it has ended."""
    scheme: NotRequired[DebitScheme]
    """The debit scheme. `au_becs`: direct debits in Australia."""
    customer_id: NotRequired[str | None]
    """The payer; null without a customer."""
    customer_name: NotRequired[str | None]
    """The name of the customer, as it is now."""
    customer_reference: NotRequired[str | None]
    """Your reference of the customer, as it is now."""
    payment_method_id: NotRequired[str]
    """The bank account."""
    account_name: NotRequired[str | None]
    """The name of the account."""
    account_last4: NotRequired[str | None]
    """The last four digits of its number."""
    max_amount_cents: NotRequired[int | None]
    """The most of one debit, minor units; null: no limit."""
    amount_type: NotRequired[MandateAmountType]
    """What was agreed about amounts."""
    acceptance_type: NotRequired[str | None]
    """How the payer agreed; null if it was not agreed to yet."""
    accepted_at: NotRequired[str | None]
    """When the payer agreed."""
    activated_at: NotRequired[str | None]
    """Since when the account may be debited."""
    last_debited_at: NotRequired[str | None]
    """When it was last debited."""
    lapses_at: NotRequired[str | None]
    """When it expires unless it is debited before."""
    ended_at: NotRequired[str | None]
    """When it ended."""
    created_at: NotRequired[str]
    """ISO 8601, UTC."""


class NewDashboardSession(TypedDict):
    id: str
    """The id of the session."""
    object: Literal["dashboard_session"]
    person: str
    """Who it is for."""
    role: DashboardRole
    """`viewer`: looks. `support`: also retries payments, changes plans and subscriptions, makes
    links and sends webhooks again. `finance`: looks, sees the books, refunds and downloads.
    `admin`: all of that.
    """
    url: str
    """Opens the dashboard, once and within five minutes. It shows a page with a button: loading
    the page uses nothing up.
    """
    expires_at: str
    """ISO 8601, UTC."""
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""


class NextAction(TypedDict):
    type: Literal["redirect"]
    """Open the URL in the payer’s browser."""
    url: str
    """The page on which the payer passes the challenge."""


class NotificationPreferences(TypedDict):
    send_payment_emails: NotRequired[bool]
    """Emails about payments. Stored for you; the service sends nothing."""
    send_sms_reminders: NotRequired[bool]
    """Reminders by SMS. Stored for you; the service sends nothing."""
    send_sms_failures: NotRequired[bool]
    """Failures by SMS. Stored for you; the service sends nothing."""


class PayIdData(TypedDict):
    payid: str
    """The PayID."""
    account_name: str
    """The name of the account."""
    payid_type: NotRequired[str]
    """Such as email or phone."""


class PayIdInstrument(TypedDict):
    payid: str
    """The PayID."""
    account_name: str
    """The name of the account."""
    payid_type: NotRequired[str]
    """Such as email or phone."""


class PayIdPaymentMethod(TypedDict):
    id: str
    """The id of the payment method."""
    type: Literal["pay_id"]
    instrument_data: PayIdInstrument


class PayIdPaymentMethodCreate(TypedDict):
    type: Literal["pay_id"]
    instrument_data: PayIdData
    customer_reference: NotRequired[str]
    """The customer that the method belongs to: a cus_ id, or your own reference of the customer."""


class PayPalData(TypedDict):
    paypal_email: str
    """The email address of the PayPal account."""
    account_name: str
    """The name of the account."""
    paypal_token: NotRequired[str]
    """The tokenised account."""


class PayPalInstrument(TypedDict):
    paypal_email: str
    """The email address of the PayPal account."""
    account_name: str
    """The name of the account."""
    paypal_token: NotRequired[str]
    """The tokenised account."""


class PayPalPaymentMethod(TypedDict):
    id: str
    """The id of the payment method."""
    type: Literal["paypal"]
    instrument_data: PayPalInstrument


class PayPalPaymentMethodCreate(TypedDict):
    type: Literal["paypal"]
    instrument_data: PayPalData
    customer_reference: NotRequired[str]
    """The customer that the method belongs to: a cus_ id, or your own reference of the customer."""


class PaymentError(TypedDict):
    code: str
    """Why the last attempt failed, for programs: see *Codes of failed payments*."""
    message: str
    """For people."""


class PaymentIntent(TypedDict):
    id: str
    """The id of the payment intent; `pi_sandbox_…` in the sandbox."""
    client_secret: NotRequired[str]
    """Lets a browser act on this payment intent with a publishable key. A secret key gets it
    only with the scope `payment_intents:write`. Lists and events leave it out.
    """
    amount: int
    """The base amount, minor units."""
    total_amount: int
    """What is charged: base amount plus surcharge, minor units."""
    fee_amount: int
    """The fee by the biller’s fee schedule for this kind of payment method, minor units, whether
    or not it is passed on. Decided at each attempt. While the method is unknown, the most
    that any kind costs.
    """
    surcharge_amount: int
    """What the payer pays on top, minor units: the fee if you ask for it and the rules on
    surcharges allow it, less if they cap it, else 0. Decided at each attempt. Before the
    first one it is the most that the payment method, or any method while none is named, may
    carry at the creation.
    """
    surcharge_applied: bool
    """Whether the payer pays a surcharge."""
    surcharge_reason: SurchargeReason | None
    """Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee
    (`capped`). Null if it is taken whole, or not asked for.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    status: PaymentIntentStatus
    """`requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
    `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
    `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken.
    `failed`: declined; `last_payment_error` says why, and you can confirm it again.
    `canceled`: it will not be charged. `returned`: a bank debit had succeeded, and the bank
    has taken the money back; `last_payment_error` says why.
    """
    payment_method_id: NotRequired[str]
    """The saved method that is or was charged."""
    customer_id: NotRequired[str]
    """The payer."""
    biller_id: str
    """The account that is paid."""
    payment_plan_id: str | None
    """The plan that created it; null for a single payment."""
    payment_link_id: NotRequired[str]
    """The payment link that it was made by."""
    checkout_session_id: NotRequired[str]
    """The last checkout session in which a payer could pay it."""
    subscription_id: NotRequired[str]
    """The subscription that created it, if one did."""
    subscription_period: NotRequired[int]
    """The number of the period that it pays, or in which the change was made that it pays.
    Subscriptions only.
    """
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    scheduled_payment_date: NotRequired[str]
    """The date of a scheduled payment."""
    description: NotRequired[str]
    """What is paid for, as the payer reads it."""
    statement_descriptor: NotRequired[str]
    """What the payer’s statement shows: the one given, or that of the account."""
    total_refunded_amount: int
    """The sum of the refunds that succeeded, minor units."""
    net_collected_amount: int
    """What you hold of this payment now, minor units: the total while the status is `succeeded`,
    otherwise 0, less the refunds that succeeded. A debit that came back and was collected
    again counts once. Below 0 if the bank took a debit back that you had refunded.
    """
    mandate_id: NotRequired[str]
    """The mandate of the last debit. Present for bank debits under a mandate only."""
    lodgement_reference: NotRequired[str]
    """What the payer’s bank statement shows of the last debit. Present for bank debits under a
    mandate only.
    """
    expected_result_date: NotRequired[str]
    """When the bank reports whether it collected the debit, a date of its scheme. Bank debits
    only.
    """
    returnable_until: NotRequired[str]
    """The last date on which the bank can take the debit back. Present once a debit has
    succeeded.
    """
    total_returned_amount: NotRequired[int]
    """What the bank has taken back, minor units: the whole of each debit that came back,
    whatever was refunded before. Bank debits only.
    """
    last_payment_error: PaymentError | None
    """Why the last attempt failed; null if it did not fail or there was none."""
    next_action: NotRequired[NextAction | None]
    """Where to send the payer while the status is `requires_action`, else null: a page of the
    service, which in live mode leads to the payer’s bank and back. Shown where
    `client_secret` is.
    """
    receipt_url: NotRequired[str]
    """The page with the receipt, once the payment has succeeded. Anyone who has this URL can
    read it. Lists and events leave it out.
    """
    collected_at: str | None
    """When the money was last collected, in the customer’s time; a bank debit: when it settled.
    Null before. It stays when the payment is refunded or comes back.
    """
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    livemode: bool
    """False in the sandbox."""


class PaymentIntentActionCompletion(TypedDict):
    result: PaymentIntentActionCompletionResult
    """Whether the payer passes the challenge."""


class PaymentIntentBankResult(TypedDict):
    result: PaymentIntentBankResultResult
    """`settled`: collected. `dishonoured`: not collected. Both while the payment is processing.
    `returned`: a late dishonour. `disputed`: the payer claims the money back. Both after it
    has succeeded.
    """
    bank_code: NotRequired[str]
    """The bank’s code for `dishonoured` and `returned`: 1 to 6, or 9. By default 6, a lack of
    funds.
    """


class PaymentIntentCanceledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_intent.canceled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentIntent


class PaymentIntentChanges(TypedDict):
    status: PaymentIntentStatus
    """`requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
    `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
    `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken.
    `failed`: declined; `last_payment_error` says why, and you can confirm it again.
    `canceled`: it will not be charged. `returned`: a bank debit had succeeded, and the bank
    has taken the money back; `last_payment_error` says why.
    """
    amount: int
    """The base amount, minor units."""
    currency: Currency
    """An ISO 4217 code, in capitals."""
    attempt: int
    """The number of the attempt, from 1."""
    last_payment_error: PaymentError | None
    """Why the last attempt failed; null if it did not fail or there was none."""
    expected_result_date: NotRequired[str]
    """When the bank reports whether it collected the debit, a date of its scheme. Bank debits
    only.
    """
    will_retry: bool
    """Whether the plan retries this payment."""
    next_attempt_at: str | None
    """ISO 8601, UTC."""


class PaymentIntentConfirm(TypedDict):
    payment_method: NotRequired[str]
    """A saved method, pm_…. You can leave it out if the payment intent has one."""
    customer_id: NotRequired[str]
    """The customer who pays. Needed, with a secret key, if the payment intent has no customer
    and the method belongs to one: so a browser that sends the method cannot choose the
    customer.
    """
    client_secret: NotRequired[str]
    """Required with a publishable key: the client_secret of this payment intent."""
    return_url: NotRequired[str]
    """Where the payer continues after the page of a 3D Secure challenge. Absolute, without
    credentials, `https` in live mode. It stays until another confirm names one.
    """


class PaymentIntentCreate(TypedDict):
    amount: int
    """Minor units, at least 200 and at most 100000. For more, make a payment plan of one
    payment, or a payment link.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    customer_id: NotRequired[str]
    """The payer. Name it to charge a method of a customer, by a confirm or on a date: the
    customer of a method is not taken over.
    """
    biller_id: NotRequired[str]
    """Your own biller id. Any other is refused."""
    payment_method: NotRequired[str]
    """A saved method, pm_…. A confirm that names no method charges this one."""
    confirm: NotRequired[bool]
    """Charges the payment in the same request, as a confirm does. Needs `payment_method`. Not
    together with `scheduled_payment_date`.
    """
    payment_method_data: NotRequired[dict[str, Any]]
    """Free-form. Accepted, but not stored: to charge a method, save it with POST
    /payment_methods.
    """
    metadata: NotRequired[dict[str, str]]
    """For your own use. In the sandbox `_sandbox_outcome` chooses the outcome of a charge, and
    `_sandbox_bank_outcome` that of a bank debit, `_sandbox_payout` that of its payouts: see
    *Modes*. At most 50 pairs; keys of at most 40 characters, values of at most 500.
    """
    surcharge_applied: NotRequired[bool]
    """Asks for the fee on top of the amount, where the rules on surcharges allow it."""
    scheduled_payment_date: NotRequired[str]
    """The service charges at 00:00 of this date in the account’s time zone, or within seconds if
    it is today. From today to 366 days ahead. Needs `payment_method`, and `customer_id` if
    the method belongs to a customer. Confirming or canceling earlier ends the schedule.
    """
    description: NotRequired[str]
    """What is paid for. The payer reads it on receipts, and on the page of a checkout session."""
    statement_descriptor: NotRequired[str]
    """What the payer’s statement shows. By default that of the account."""


class PaymentIntentEffect(TypedDict):
    object: Literal["payment_intent"]
    object_id: str | None
    """Null in a dry run if the advance would create the payment intent."""
    advance_id: str | None
    """The advance that caused it; null in a dry run."""
    at: str
    """The simulated instant at which it happens."""
    event_type: ClockEffectType
    """What happened."""
    event_id: str | None
    """The event that reports it; null in a dry run."""
    payment_plan_id: str | None
    """Null for a scheduled payment."""
    slot: int | None
    """The slot of the plan that the payment is for."""
    due_date: str | None
    """The date of the slot."""
    changes: PaymentIntentChanges


class PaymentIntentFailedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_intent.failed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: FailedPaymentIntent


class PaymentIntentForPayer(TypedDict):
    id: str
    """The id of the payment intent; `pi_sandbox_…` in the sandbox."""
    client_secret: NotRequired[str]
    """Lets a browser act on this payment intent with a publishable key. A secret key gets it
    only with the scope `payment_intents:write`. Lists and events leave it out.
    """
    amount: int
    """The base amount, minor units."""
    total_amount: int
    """What is charged: base amount plus surcharge, minor units."""
    surcharge_amount: int
    """What the payer pays on top, minor units: the fee if you ask for it and the rules on
    surcharges allow it, less if they cap it, else 0. Decided at each attempt. Before the
    first one it is the most that the payment method, or any method while none is named, may
    carry at the creation.
    """
    surcharge_applied: bool
    """Whether the payer pays a surcharge."""
    surcharge_reason: SurchargeReason | None
    """Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee
    (`capped`). Null if it is taken whole, or not asked for.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    status: PaymentIntentStatus
    """`requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
    `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
    `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken.
    `failed`: declined; `last_payment_error` says why, and you can confirm it again.
    `canceled`: it will not be charged. `returned`: a bank debit had succeeded, and the bank
    has taken the money back; `last_payment_error` says why.
    """
    statement_descriptor: NotRequired[str]
    """What the payer’s statement shows: the one given, or that of the account."""
    last_payment_error: PaymentError | None
    """Why the last attempt failed; null if it did not fail or there was none."""
    next_action: NotRequired[NextAction | None]
    """Where to send the payer while the status is `requires_action`, else null: a page of the
    service, which in live mode leads to the payer’s bank and back. Shown where
    `client_secret` is.
    """
    receipt_url: NotRequired[str]
    """The page with the receipt, once the payment has succeeded. Anyone who has this URL can
    read it. Lists and events leave it out.
    """
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    livemode: bool
    """False in the sandbox."""


class PaymentIntentList(TypedDict):
    data: list[PaymentIntent]
    has_more: bool
    """Whether more items follow."""


class PaymentIntentProcessingEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_intent.processing"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentIntent


class PaymentIntentRequiresActionEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_intent.requires_action"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentIntent


class PaymentIntentRestrictedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_intent.restricted"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentIntent


class PaymentIntentReturnedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_intent.returned"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: ReturnedPaymentIntent


class PaymentIntentSucceededEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_intent.succeeded"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentIntent


class PaymentLink(TypedDict):
    id: str
    """The id of the payment link."""
    url: NotRequired[str]
    """What you send to the payer. Anyone who has it can pay. Events leave it out."""
    mode: PaymentLinkMode
    """`payment`, the default: the payer pays. `setup`: the payer saves a payment method; no
    money is taken.
    """
    name: str
    """What is paid for, as the payer reads it."""
    description: str | None
    """More about it, for the payer."""
    amount: int | None
    """Minor units, without surcharge; null if the payer chooses it."""
    amount_range: AmountRange | None
    """Between which amounts the payer chooses."""
    currency: Currency | None
    """Null in `setup` mode without one."""
    customer_id: str | None
    """The payer; null until a payer is known."""
    collect: Collect
    payment_method_types: list[PayableMethodType]
    """How can be paid."""
    payable: bool
    """Whether the page offers a way to pay, while it is open. If not, `not_payable_reason` says
    why.
    """
    not_payable_reason: NotPayableReason | None
    """Why no payer can pay: `methods_not_offered` if the pages take none of
    `payment_method_types` in this mode, such as cards in live mode, if your processor has no
    fields for them. Live mode: as far as was known when it was made, or opened last.
    """
    save_payment_method: SavePaymentMethod
    """Whether the method is kept for later payments: never, if the payer agrees, or always."""
    make_default: bool
    """Whether the method that is saved becomes the `default_payment_method` of the customer
    without a box to tick. Only in `setup` mode.
    """
    apply_to: ApplyTo | None
    """What a completed payment or setup does to a plan or a subscription."""
    surcharge_applied: bool
    """Whether the fee is asked on top. At each payment the rules on surcharges decide."""
    statement_descriptor: str | None
    """What the payer’s statement shows."""
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    success_url: str | None
    """Where the last page leads after success."""
    cancel_url: str | None
    """Where the page leads a payer who leaves."""
    reference: str | None
    """Your own reference."""
    max_payments: int | None
    """How many payments it takes; null for any number."""
    expires_at: str | None
    """When it expires, in the customer’s time; null if never."""
    status: PaymentLinkStatus
    """`open`: it can be paid. `completed`: it has taken all its payments. If one of them comes
    back, the link is open again, or `expired` if its `expires_at` has come. `expired`: its
    `expires_at` has come. `deactivated`: by you, or with its customer (`status_reason`). The
    last two can be renewed.
    """
    status_reason: str | None
    """Why it ended: `time`, `payment_returned` (a payment came back after its `expires_at`),
    `requested` or `customer_deleted`; null while open and when completed.
    """
    payments_count: int
    """Its payments that have succeeded and did not come back. In `setup` mode, the methods
    saved.
    """
    collected_amount: int
    """The sum of these payments without surcharges, minor units."""
    completed_at: str | None
    """ISO 8601, UTC."""
    expired_at: str | None
    """ISO 8601, UTC."""
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock of its customer; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""


class PaymentLinkChanges(TypedDict):
    status: PaymentLinkStatus
    """`open`: it can be paid. `completed`: it has taken all its payments. If one of them comes
    back, the link is open again, or `expired` if its `expires_at` has come. `expired`: its
    `expires_at` has come. `deactivated`: by you, or with its customer (`status_reason`). The
    last two can be renewed.
    """
    status_reason: str | None
    """Why it ended: `time`, `payment_returned` (a payment came back after its `expires_at`),
    `requested` or `customer_deleted`; null while open and when completed.
    """
    payments_count: int
    """Its payments that have succeeded and did not come back. In `setup` mode, the methods
    saved.
    """
    collected_amount: int
    """The sum of these payments without surcharges, minor units."""


class PaymentLinkCompletedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_link.completed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentLink


class PaymentLinkCreate(TypedDict):
    mode: NotRequired[PaymentLinkMode]
    """`payment`, the default: the payer pays. `setup`: the payer saves a payment method; no
    money is taken.
    """
    name: str
    """What is paid for, as the payer reads it. Shown as text."""
    description: NotRequired[str]
    """More about it, for the payer."""
    amount: NotRequired[int]
    """Minor units. Either this or `amount_range`; neither in `setup` mode."""
    amount_range: NotRequired[AmountRangeInput]
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    customer_id: NotRequired[str]
    """The payer. If this customer is on a test clock, so is the link."""
    collect: NotRequired[CollectInput]
    payment_method_types: NotRequired[list[PayableMethodType]]
    """How can be paid. By default `card`. `au_becs_debit` needs AUD, also for the subject of
    `apply_to`.
    """
    save_payment_method: NotRequired[SavePaymentMethod]
    """Whether the method is kept for later payments. By default `no`; in `setup` mode always
    `always`.
    """
    make_default: NotRequired[bool]
    """For `setup` mode: the method that is saved becomes the `default_payment_method` of the
    customer, and the page says so. Needs the scope `customers:write`. By default the page has
    a box for it, if the key has this scope.
    """
    apply_to: NotRequired[ApplyToInput]
    surcharge_applied: NotRequired[bool]
    """Asks for the fee on top of the amount, where the rules on surcharges allow it."""
    statement_descriptor: NotRequired[str]
    """What the payer’s statement shows. By default that of the account."""
    metadata: NotRequired[dict[str, str]]
    """For your own use. Copied to the payment intents, so that `_sandbox_outcome` chooses their
    outcomes. At most 50 pairs; keys of at most 40 characters, values of at most 500.
    """
    success_url: NotRequired[str]
    """Where the last page leads after success; `{CHECKOUT_SESSION_ID}` is filled in. https in
    live mode.
    """
    cancel_url: NotRequired[str]
    """Where the page leads a payer who leaves. https in live mode."""
    reference: NotRequired[str]
    """Your own reference, to find it by."""
    max_payments: NotRequired[int | None]
    """How many payments it takes. By default 1; null for any number."""
    expires_at: NotRequired[str | None]
    """When it expires: after now, at most 366 days ahead, both in the customer’s time."""


class PaymentLinkCreatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_link.created"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentLink


class PaymentLinkDeactivatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_link.deactivated"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentLink


class PaymentLinkEffect(TypedDict):
    object: Literal["payment_link"]
    object_id: str
    """The payment link."""
    advance_id: str | None
    """The advance that caused it; null in a dry run."""
    at: str
    """The simulated instant at which it happens."""
    event_type: ClockEffectType
    """What happened."""
    event_id: str | None
    """The event that reports it; null in a dry run."""
    changes: PaymentLinkChanges


class PaymentLinkExpiredEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_link.expired"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentLink


class PaymentLinkList(TypedDict):
    data: list[PaymentLink]
    has_more: bool
    """Whether more items follow."""


class PaymentLinkPaidEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_link.paid"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentLink


class PaymentLinkRenew(TypedDict):
    expires_at: NotRequired[str | None]
    """The new `expires_at`; null for none. Required if the old one has passed."""


class PaymentLinkRenewedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_link.renewed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentLink


class PaymentLinkReopenedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_link.reopened"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentLink


class PaymentLinkThrottledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_link.throttled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentLink


class PaymentLinkUpdate(TypedDict):
    name: NotRequired[str]
    """What is paid for, as the payer reads it. Shown as text."""
    metadata: NotRequired[dict[str, str]]
    """For your own use. It replaces all pairs. At most 50 pairs; keys of at most 40 characters,
    values of at most 500.
    """
    description: NotRequired[str | None]
    """More about it, for the payer."""
    reference: NotRequired[str | None]
    """Your own reference, to find it by."""
    expires_at: NotRequired[str | None]
    """When it expires: after now, at most 366 days ahead, both in the customer’s time."""
    success_url: NotRequired[str | None]
    """Where the last page leads after success."""
    cancel_url: NotRequired[str | None]
    """Where the page leads a payer who leaves."""


class PaymentMethodAttach(TypedDict):
    customer_id: str
    """The customer to attach it to."""


class PaymentMethodEnvelope(TypedDict):
    success: bool
    """Always true."""
    payment_method: PaymentMethod


class PaymentMethodList(TypedDict):
    success: bool
    """Always true."""
    payment_methods: list[PaymentMethod]
    has_more: bool
    """Whether more methods follow."""


class PaymentMethodSummary(TypedDict):
    id: str
    """The id of the payment method."""
    type: PayableMethodType
    """The type. The member of the same name has the details."""
    card: NotRequired[CardSummary]
    au_becs_debit: NotRequired[BecsSummary]


class PaymentPlan(TypedDict):
    id: str
    """The id of the payment plan."""
    customer_id: str
    """The customer that is charged."""
    name: str
    """A label."""
    state: PaymentPlanState
    """`pending`: created; collects nothing yet. `active`: collects on its dates. `suspended`:
    collects nothing until you resume it. `deactivated`, `closed`: ended for good.
    """
    state_reason: str | None
    """`requested`: by you. `payment_failed`: suspended because a payment failed for good.
    `payment_returned`: suspended because the bank took a debit back for good; or closed by
    its last payment, and a debit came back after that. `total_collected`: closed by its last
    payment. `customer_deleted`: closed with its customer. Null while pending or active.
    """
    frequency_type: PlanFrequency
    """Whether payments are weeks or months apart. Daily plans are not possible."""
    frequency_period: int
    """Weeks or months between payments."""
    recurring_amount_cents: int
    """The amount of each payment, minor units."""
    first_amount_cents: int | None
    """The amount of the first payment, if it differs."""
    total_amount_cents: int | None
    """The sum to collect; null for a plan until further notice."""
    until_further_notice: bool
    """Whether the plan has no total."""
    currency: Currency
    """An ISO 4217 code, in capitals."""
    start_date: str
    """The date that the calendar is counted from."""
    first_date: str | None
    """The date of the first payment, if it is not start_date."""
    payment_instrument_id: str | None
    """The method to charge; null for the customer’s default at each charge."""
    failure_behaviour: FailureBehaviour
    """What happens after a failed payment. `retry`, the default: the same payment intent is
    charged again 1, 3 and 5 days after its first failure, a card at the same time of day in
    the account’s time zone. Later payments keep their dates. The plan becomes `suspended`
    when all retries have failed, or at once if the decline is final (`card_declined`,
    `expired_card`, `authentication_required`, `payment_method_unavailable`,
    `processor_rejected`). `stop`: the plan becomes `suspended` at the first failure.
    """
    metadata: dict[str, str]
    """For your own use. Copied to each payment intent of the plan, so that `_sandbox_outcome`
    chooses their outcomes. At most 50 pairs; keys of at most 40 characters, values of at most
    500.
    """
    collected_amount_cents: int
    """The base amounts collected so far, without surcharges."""
    shortfall_amount_cents: NotRequired[int]
    """What is missing from the total because debits came back after the plan was closed, minor
    units.
    """
    in_flight_amount: NotRequired[int]
    """What the bank or the processor already had when the plan stopped, and may still collect,
    minor units.
    """
    next_payment_date: str | None
    """The date of the next payment of the calendar; retries do not count. For a pending plan,
    the date of its first payment. Null if the plan is suspended or has ended, or if nothing
    would remain to be collected.
    """
    next_attempt_at: str | None
    """When a failed payment is next retried: the earliest time if there are several; null if
    there is none.
    """
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock of the customer; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""


class PaymentPlanActivatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_plan.activated"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentPlan


class PaymentPlanChanges(TypedDict):
    state: PaymentPlanState
    """`pending`: created; collects nothing yet. `active`: collects on its dates. `suspended`:
    collects nothing until you resume it. `deactivated`, `closed`: ended for good.
    """
    state_reason: str | None
    """`requested`: by you. `payment_failed`: suspended because a payment failed for good.
    `payment_returned`: suspended because the bank took a debit back for good; or closed by
    its last payment, and a debit came back after that. `total_collected`: closed by its last
    payment. `customer_deleted`: closed with its customer. Null while pending or active.
    """
    collected_amount_cents: int
    """The base amounts collected so far, without surcharges."""
    next_payment_date: str | None
    """The date of the next payment of the calendar; retries do not count. For a pending plan,
    the date of its first payment. Null if the plan is suspended or has ended, or if nothing
    would remain to be collected.
    """
    next_attempt_at: str | None
    """When a failed payment is next retried: the earliest time if there are several; null if
    there is none.
    """


class PaymentPlanClosedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_plan.closed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentPlan


class PaymentPlanCreate(TypedDict):
    customer_id: str
    """The customer to charge."""
    name: str
    """A label."""
    frequency_type: PlanFrequency
    """Whether payments are weeks or months apart. Daily plans are not possible."""
    recurring_amount_cents: int
    """The amount of each payment, minor units. The limits of payment intents (200 and 100000) do
    not apply.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    start_date: str
    """The date of the first payment (slot 0). Slot n is due n intervals later, always counted
    from this date: 31 January is followed by 28 or 29 February, then by 31 March. A payment
    is due at 00:00 of its date in the account’s time zone. Not in the past.
    """
    frequency_period: NotRequired[int]
    """How many weeks or months are between payments. Weekly with 2 is fortnightly. By default 1."""
    until_further_notice: NotRequired[bool]
    """True for a plan without a total."""
    failure_behaviour: NotRequired[FailureBehaviour]
    """What happens after a failed payment. `retry`, the default: the same payment intent is
    charged again 1, 3 and 5 days after its first failure, a card at the same time of day in
    the account’s time zone. Later payments keep their dates. The plan becomes `suspended`
    when all retries have failed, or at once if the decline is final (`card_declined`,
    `expired_card`, `authentication_required`, `payment_method_unavailable`,
    `processor_rejected`). `stop`: the plan becomes `suspended` at the first failure.
    """
    metadata: NotRequired[dict[str, str]]
    """For your own use. Copied to each payment intent of the plan, so that `_sandbox_outcome`
    chooses their outcomes. At most 50 pairs; keys of at most 40 characters, values of at most
    500.
    """
    first_amount_cents: NotRequired[int]
    """The amount of the first payment only, minor units."""
    total_amount_cents: NotRequired[int]
    """The sum to collect, minor units. The last payment is cut to what remains, and closes the
    plan. Send either this or `until_further_notice: true`.
    """
    first_date: NotRequired[str]
    """The date of the first payment instead of start_date. It must be before the second payment.
    All others are still counted from start_date.
    """
    payment_instrument_id: NotRequired[str]
    """The method to charge. By default the customer’s default method at the time of each charge;
    there must be one now.
    """


class PaymentPlanDeactivatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_plan.deactivated"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentPlan


class PaymentPlanEffect(TypedDict):
    object: Literal["payment_plan"]
    object_id: str
    """The plan."""
    advance_id: str | None
    """The advance that caused it; null in a dry run."""
    at: str
    """The simulated instant at which it happens."""
    event_type: ClockEffectType
    """What happened."""
    event_id: str | None
    """The event that reports it; null in a dry run."""
    changes: PaymentPlanChanges


class PaymentPlanList(TypedDict):
    data: list[PaymentPlan]
    has_more: bool
    """Whether more items follow."""


class PaymentPlanSuspendedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payment_plan.suspended"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PaymentPlan


class PaymentPlanUpdate(TypedDict):
    customer_id: NotRequired[str | None]
    """Cannot be changed. Sending it is a validation error."""
    name: NotRequired[str]
    """A label."""
    frequency_type: NotRequired[PlanFrequency]
    """Whether payments are weeks or months apart. Daily plans are not possible."""
    recurring_amount_cents: NotRequired[int]
    """The amount of each payment, minor units. The limits of payment intents (200 and 100000) do
    not apply.
    """
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    start_date: NotRequired[str]
    """The date of the first payment (slot 0). Slot n is due n intervals later, always counted
    from this date: 31 January is followed by 28 or 29 February, then by 31 March. A payment
    is due at 00:00 of its date in the account’s time zone. Not in the past.
    """
    frequency_period: NotRequired[int]
    """How many weeks or months are between payments. Weekly with 2 is fortnightly. By default 1."""
    until_further_notice: NotRequired[bool]
    """True for a plan without a total."""
    failure_behaviour: NotRequired[FailureBehaviour]
    """What happens after a failed payment. `retry`, the default: the same payment intent is
    charged again 1, 3 and 5 days after its first failure, a card at the same time of day in
    the account’s time zone. Later payments keep their dates. The plan becomes `suspended`
    when all retries have failed, or at once if the decline is final (`card_declined`,
    `expired_card`, `authentication_required`, `payment_method_unavailable`,
    `processor_rejected`). `stop`: the plan becomes `suspended` at the first failure.
    """
    metadata: NotRequired[dict[str, str]]
    """For your own use. Copied to each payment intent of the plan, so that `_sandbox_outcome`
    chooses their outcomes. At most 50 pairs; keys of at most 40 characters, values of at most
    500.
    """
    first_amount_cents: NotRequired[int | None]
    """The amount of the first payment only, minor units."""
    total_amount_cents: NotRequired[int | None]
    """The sum to collect, minor units. The last payment is cut to what remains, and closes the
    plan. Send either this or `until_further_notice: true`.
    """
    first_date: NotRequired[str | None]
    """The date of the first payment instead of start_date. It must be before the second payment.
    All others are still counted from start_date.
    """
    payment_instrument_id: NotRequired[str | None]
    """The method to charge. By default the customer’s default method at the time of each charge;
    there must be one now.
    """


class Payout(TypedDict):
    id: str
    """The id of the payout."""
    amount: int
    """Minor units: the sum of `net` of its items."""
    currency: Currency
    """An ISO 4217 code, in capitals."""
    status: PayoutStatus
    """`in_transit`: on its way. `paid`: it has arrived. `failed`: the bank has refused it; its
    items are available again, and the next payout has them.
    """
    paid_out_on: str
    """The business day on which it was made, in your time zone."""
    arrives_on: str
    """The business day on which it arrives, in your time zone: the next one."""
    ended_at: str | None
    """When it was paid or has failed; null while it is in transit."""
    failure_code: str | None
    """Why it has failed: `declined` in the sandbox."""
    reconciliation_status: ReconciliationStatus
    """`completed`: its items are known and add up to its amount. In the sandbox at once."""
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock that it is on; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""


class PayoutChanges(TypedDict):
    amount: int
    """Minor units: the sum of `net` of its items."""
    currency: Currency
    """An ISO 4217 code, in capitals."""
    status: PayoutStatus
    """`in_transit`: on its way. `paid`: it has arrived. `failed`: the bank has refused it; its
    items are available again, and the next payout has them.
    """
    arrives_on: str
    """The business day on which it arrives, in your time zone: the next one."""
    failure_code: str | None
    """Why it has failed: `declined` in the sandbox."""
    reconciliation_status: ReconciliationStatus
    """`completed`: its items are known and add up to its amount. In the sandbox at once."""


class PayoutCreatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payout.created"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Payout


class PayoutEffect(TypedDict):
    object: Literal["payout"]
    object_id: str | None
    """Null in a dry run if the advance would make the payout."""
    advance_id: str | None
    """The advance that caused it; null in a dry run."""
    at: str
    """The simulated instant at which it happens."""
    event_type: ClockEffectType
    """What happened."""
    event_id: str | None
    """The event that reports it; null in a dry run."""
    changes: PayoutChanges


class PayoutFailedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payout.failed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Payout


class PayoutList(TypedDict):
    data: list[Payout]
    has_more: bool
    """Whether more items follow."""


class PayoutPaidEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payout.paid"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Payout


class PayoutReconciledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["payout.reconciled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Payout


class Phone(TypedDict):
    kind: NotRequired[str]
    """Such as mobile or home."""
    raw: str
    """The number, in any form."""
    country_code: NotRequired[str]
    """Such as AU or +61."""


class PingedWebhookEndpoint(TypedDict):
    id: str
    """The id of the webhook endpoint."""
    url: str
    """Where events are posted."""
    event_types: list[str]
    """What it subscribes to: event types, groups, or `*`."""
    description: str | None
    """For your own use."""
    status: WebhookEndpointStatus
    """Nothing is sent to a disabled endpoint."""
    disabled_reason: WebhookDisabledReason | None
    """`requested`: by you. `gone`: it returned 410. `failing`: five days of nothing but failure."""
    verified_at: str | None
    """When the receiver first returned the challenge of a ping from this URL. Null until then,
    and again after the URL changes. In live mode, nothing is replayed to an unverified
    endpoint.
    """
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    secret: NotRequired[str]
    """The signing secret (Standard Webhooks). Shown only when it is created or rotated."""
    challenge: NotRequired[str]
    """Return it to verify the endpoint: as `{"challenge": …}` or as the bare text of a 2xx
    response. Each attempt has its own. It is only in the webhook, not in `GET /events`.
    """


class PlanPayment(TypedDict):
    slot: int
    """The number of the due date, from 0."""
    due_date: str
    """The date in the account’s time zone."""
    amount: int | None
    """The base amount in minor units; null for a skipped slot."""
    status: PlanPaymentStatus
    """`processing`: the processor was asked, or a bank debit is under way. `paid`: collected.
    `retrying`: failed or returned, and retried at the plan’s next_attempt_at. `failed`: not
    retried, unless you resume the plan; never retried if its payment intent is `canceled`.
    `skipped`: its date passed before the plan was activated, or while it was suspended; it is
    never charged. `returned`: it was paid and the bank took the money back; not retried,
    unless you resume the plan.
    """
    payment_intent_id: str | None
    """The single payment intent of this slot, whatever the number of attempts; null for a
    skipped slot.
    """
    attempts: list[PlanPaymentAttempt]
    """Oldest first."""


class PlanPaymentAttempt(TypedDict):
    number: int
    """The number of the attempt, from 1."""
    at: str
    """When it was made, in the customer’s time."""
    outcome: PlanPaymentAttemptOutcome
    """The result. Of a bank debit also `accepted`: it goes to the bank at the cut-off;
    `submitted`: the bank has it; `returned`: it had succeeded and came back.
    """
    code: str | None
    """Why it failed: see *Codes of failed payments*. Null if it did not."""
    message: str | None
    """For people."""
    bank_debit: NotRequired[BankDebit]


class PlanPaymentList(TypedDict):
    data: list[PlanPayment]
    has_more: bool
    """Whether more items follow."""


class PlansReport(TypedDict):
    data: list[PlansReportRow]


class PlansReportRow(TypedDict):
    type: NotRequired[PlansReportRowType]
    """What the row is about."""
    id: NotRequired[str]
    """The plan or the subscription."""
    name: NotRequired[str]
    """Its name."""
    customer_id: NotRequired[str | None]
    """The payer; null without a customer."""
    customer_name: NotRequired[str | None]
    """The name of the customer, as it is now."""
    customer_reference: NotRequired[str | None]
    """Your reference of the customer, as it is now."""
    state: NotRequired[str]
    """Its state now."""
    state_reason: NotRequired[str | None]
    """Why it is in this state, if something else than a request."""
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    charged: NotRequired[int]
    """What came due in the range, less corrections. Minor units."""
    waived: NotRequired[int]
    """What was charged and is not asked for any more. Minor units."""
    collected: NotRequired[int]
    """What was collected in the range, surcharges included. Minor units."""
    refunded: NotRequired[int]
    """What was given back in the range. Minor units."""
    returned: NotRequired[int]
    """What the bank took back in the range. Minor units."""
    owed: NotRequired[int]
    """What was owed at the end of the range, with what was under way. Minor units."""


class Refund(TypedDict):
    id: str
    """The id of the refund."""
    payment_intent_id: str
    """The payment that is refunded."""
    amount: int
    """Minor units."""
    surcharge_amount: int
    """How much of the amount is surcharge, minor units: the part that it has in the payment."""
    currency: Currency
    """An ISO 4217 code, in capitals."""
    reason: str | None
    """The reason, in your words."""
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    status: RefundStatus
    """`processing`: the processor was asked. `succeeded`: the money was returned. `failed`: it
    was not; you can request a new refund.
    """
    refund_at_risk: NotRequired[bool]
    """Present and true if the payment was a bank debit that could still come back when it was
    refunded. If it does, the payer has the money twice: see `total_returned_amount` of the
    payment intent.
    """
    biller_id: str
    """The account that pays the refund."""
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""


class RefundCreate(TypedDict):
    amount: NotRequired[int]
    """Minor units. By default everything that remains."""
    reason: NotRequired[str]
    """The reason, in your words."""
    metadata: NotRequired[dict[str, str]]
    """For your own use. In the sandbox `_sandbox_refund_outcome`: `fail` makes the refund fail.
    At most 50 pairs; keys of at most 40 characters, values of at most 500.
    """


class RefundFailedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["refund.failed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Refund


class RefundList(TypedDict):
    data: list[Refund]
    has_more: bool
    """Whether more items follow."""


class RefundSucceededEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["refund.succeeded"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Refund


class ReplayResult(TypedDict):
    enqueued: int
    """How many deliveries were created, the oldest events first."""
    has_more: bool
    """Whether the range may hold more than this replay took (10,000, or what was left of the
    hourly budget). If so, replay again with `starting_after`.
    """
    last_event_id: str | None
    """The last event that this replay delivers; null if there is none."""


class ReturnedPaymentIntent(TypedDict):
    id: str
    """The id of the payment intent; `pi_sandbox_…` in the sandbox."""
    client_secret: NotRequired[str]
    """Lets a browser act on this payment intent with a publishable key. A secret key gets it
    only with the scope `payment_intents:write`. Lists and events leave it out.
    """
    amount: int
    """The base amount, minor units."""
    total_amount: int
    """What is charged: base amount plus surcharge, minor units."""
    fee_amount: int
    """The fee by the biller’s fee schedule for this kind of payment method, minor units, whether
    or not it is passed on. Decided at each attempt. While the method is unknown, the most
    that any kind costs.
    """
    surcharge_amount: int
    """What the payer pays on top, minor units: the fee if you ask for it and the rules on
    surcharges allow it, less if they cap it, else 0. Decided at each attempt. Before the
    first one it is the most that the payment method, or any method while none is named, may
    carry at the creation.
    """
    surcharge_applied: bool
    """Whether the payer pays a surcharge."""
    surcharge_reason: SurchargeReason | None
    """Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee
    (`capped`). Null if it is taken whole, or not asked for.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    status: PaymentIntentStatus
    """`requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
    `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
    `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken.
    `failed`: declined; `last_payment_error` says why, and you can confirm it again.
    `canceled`: it will not be charged. `returned`: a bank debit had succeeded, and the bank
    has taken the money back; `last_payment_error` says why.
    """
    payment_method_id: NotRequired[str]
    """The saved method that is or was charged."""
    customer_id: NotRequired[str]
    """The payer."""
    biller_id: str
    """The account that is paid."""
    payment_plan_id: str | None
    """The plan that created it; null for a single payment."""
    payment_link_id: NotRequired[str]
    """The payment link that it was made by."""
    checkout_session_id: NotRequired[str]
    """The last checkout session in which a payer could pay it."""
    subscription_id: NotRequired[str]
    """The subscription that created it, if one did."""
    subscription_period: NotRequired[int]
    """The number of the period that it pays, or in which the change was made that it pays.
    Subscriptions only.
    """
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    scheduled_payment_date: NotRequired[str]
    """The date of a scheduled payment."""
    description: NotRequired[str]
    """What is paid for, as the payer reads it."""
    statement_descriptor: NotRequired[str]
    """What the payer’s statement shows: the one given, or that of the account."""
    total_refunded_amount: int
    """The sum of the refunds that succeeded, minor units."""
    net_collected_amount: int
    """What you hold of this payment now, minor units: the total while the status is `succeeded`,
    otherwise 0, less the refunds that succeeded. A debit that came back and was collected
    again counts once. Below 0 if the bank took a debit back that you had refunded.
    """
    mandate_id: NotRequired[str]
    """The mandate of the last debit. Present for bank debits under a mandate only."""
    lodgement_reference: NotRequired[str]
    """What the payer’s bank statement shows of the last debit. Present for bank debits under a
    mandate only.
    """
    expected_result_date: NotRequired[str]
    """When the bank reports whether it collected the debit, a date of its scheme. Bank debits
    only.
    """
    returnable_until: NotRequired[str]
    """The last date on which the bank can take the debit back. Present once a debit has
    succeeded.
    """
    total_returned_amount: NotRequired[int]
    """What the bank has taken back, minor units: the whole of each debit that came back,
    whatever was refunded before. Bank debits only.
    """
    last_payment_error: PaymentError | None
    """Why the last attempt failed; null if it did not fail or there was none."""
    next_action: NotRequired[NextAction | None]
    """Where to send the payer while the status is `requires_action`, else null: a page of the
    service, which in live mode leads to the payer’s bank and back. Shown where
    `client_secret` is.
    """
    receipt_url: NotRequired[str]
    """The page with the receipt, once the payment has succeeded. Anyone who has this URL can
    read it. Lists and events leave it out.
    """
    collected_at: str | None
    """When the money was last collected, in the customer’s time; a bank debit: when it settled.
    Null before. It stays when the payment is refunded or comes back.
    """
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    livemode: bool
    """False in the sandbox."""
    attempt: int
    """The number of the attempt that came back, from 1."""
    reason: str
    """Why, for programs: see *Codes of failed payments*."""
    bank_code: str | None
    """The bank’s own code; null if it gave none."""
    returned_at: str
    """When the bank reported it."""
    will_retry: bool
    """Whether the plan or subscription retries this payment."""
    next_attempt_at: str | None
    """When the plan or subscription retries it; null if it does not."""


class ScheduledPayment(TypedDict):
    slot: int
    """The number of the due date, from 0."""
    due_date: str
    """The date in the account’s time zone."""
    amount: int
    """The base amount in minor units."""


class ScheduledPaymentList(TypedDict):
    data: list[ScheduledPayment]
    has_more: bool
    """Whether more items follow."""


class SecretRotation(TypedDict):
    overlap_hours: NotRequired[int]
    """How many hours the old secret keeps signing together with the new one; by default 24."""


Statement = TypedDict("Statement", {
    "customer_id": "str",
    "customer_name": "str",
    "customer_reference": "str | None",
    "from": "str",
    "to": "str",
    "timezone": "str",
    "totals": "list[StatementTotals]",
    "data": "list[StatementRow]",
})


class StatementRow(TypedDict):
    date: NotRequired[str]
    """In the time zone of the statement."""
    type: NotRequired[StatementLineType]
    """What moved. The first lines are `owed_before`, the last `owed`, one for each currency."""
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    amount: NotRequired[int]
    """How much. Below 0 for a charge that was corrected. Minor units."""
    owed: NotRequired[int]
    """What is owed after this line. Minor units."""
    payment_intent_id: NotRequired[str | None]
    """The payment, if it is one."""
    source: NotRequired[str | None]
    """The refund, the payment, the subscription or the plan."""
    payment_plan_id: NotRequired[str | None]
    """The plan that it is for."""
    subscription_id: NotRequired[str | None]
    """The subscription that it is for."""


class StatementTotals(TypedDict):
    currency: Currency
    """An ISO 4217 code, in capitals."""
    owed_before: int
    """What was owed at `from`. Minor units."""
    charged: int
    """What came due, less corrections. A payment by itself is charged when it is collected.
    Minor units.
    """
    waived: int
    """What was charged and is not asked for any more. Minor units."""
    collected: int
    """What was collected, surcharges included. Minor units."""
    refunded: int
    """What was given back. It does not change what is owed. Minor units."""
    returned: int
    """What the bank took back. Minor units."""
    owed: int
    """What was owed at `to`: `owed_before` + `charged` − `waived` − `collected` + `returned`.
    Minor units.
    """


class Subscription(TypedDict):
    id: str
    """The id of the subscription."""
    customer_id: str
    """The customer who gets the service and is charged."""
    name: str
    """A label."""
    state: SubscriptionState
    """`pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
    payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
    service. `canceled`: ended for good.
    """
    state_reason: str | None
    """Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
    `no_payment_method`: its trial ended without one. `ended`: at `ends_at`.
    `customer_deleted`.
    """
    in_effect: bool
    """Whether the customer may use the service now."""
    in_effect_until: str | None
    """Until when, if nothing else happens. Null while that is open, and while it is not in
    effect.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    items: list[SubscriptionItem]
    """What is sold in the current period."""
    next_items: list[SubscriptionItem] | None
    """What is sold from the next period on, if that was changed; null if it is the same."""
    one_off_items: list[SubscriptionOneOffItem]
    """Fees that are not paid: the next paid period takes them once, or an unpaid period has
    taken them.
    """
    discounts: list[SubscriptionDiscount]
    """The discounts of the current period."""
    next_discounts: list[SubscriptionDiscount] | None
    """The discounts from the next period on, if they were changed; null if they are the same."""
    frequency_type: SubscriptionFrequency
    """The unit of a period."""
    frequency_period: int
    """How many weeks, months or years a period has. By default 1."""
    start_date: str
    """The first day. By default today, for this customer. Not in the past. Periods are counted
    from here, or from the end of the trial: 31 January is followed by 28 or 29 February, then
    by 31 March.
    """
    anchor_day: int | None
    """The day of the month on which periods begin; in shorter months the last day. The first
    period is then short, and costs its share of the days. Not for weekly subscriptions. A
    resume counts anew from its own day.
    """
    trial_days: int | None
    """The days of a trial before the first paid period."""
    trial_end_date: str | None
    """The first day after the trial. Either this or `trial_days`."""
    trial_end_behaviour: TrialEndBehaviour
    """What happens if a trial ends and there is no method to charge. `pause`, the default;
    `cancel`; `charge`: the collection fails, and `unpaid_behaviour` decides.
    """
    payment_instrument_id: str | None
    """The method to charge; null for the customer’s default at each charge."""
    failure_behaviour: FailureBehaviour
    """What happens after a failed payment, as for plans. `retry`, the default: it is charged
    again 1, 3 and 5 days after its first failure, unless the decline is final. `stop`: it is
    not retried.
    """
    unpaid_behaviour: UnpaidBehaviour
    """What happens when no retry is left. `pause` is the default."""
    grace_days: int
    """For how many days after the first failure `in_effect` stays true while retries continue,
    if a period was paid before: until the same time of day in the account’s time zone. By
    default 7, which covers all retries.
    """
    effective_on: EffectiveOn
    """When the first period takes effect that is paid by a bank debit. `settled`, the default:
    when the bank has collected it. `submitted`: when the debit is accepted. Later periods
    begin on their dates.
    """
    ends_at: str | None
    """The day on which it ends, the first without service: an end of a period. Null: it
    continues.
    """
    pauses_at: str | None
    """The day on which a pause begins that was requested."""
    resumes_at: str | None
    """The day on which the pause ends automatically. It does not end while a period is owed."""
    current_period: CurrentPeriod | None
    """The period that has begun last; null before the first."""
    next_period_start: str | None
    """When the next period begins; null if none is to come."""
    next_attempt_at: str | None
    """When a failed payment is retried; null if it is not."""
    owed_amount_cents: int
    """What collecting would take for periods that are not paid, without surcharge, minor units.
    0 unless one is unpaid.
    """
    in_flight_amount: int
    """What the bank or the processor already had when it was canceled, minor units. If it
    succeeds, it becomes credit, unless its period was over.
    """
    credit_balance_cents: int
    """The credit of the customer for later periods, minor units."""
    refundable_credit_cents: int
    """How much of the credit `refund_credit` can pay out now, minor units: at most what remains
    of the payments.
    """
    next_period_lines: list[SubscriptionPeriodLine]
    """What changes have left for the next period to take, besides its items."""
    change_payment_intent_id: str | None
    """The payment of a change that is under way; null if none is."""
    paid_periods: int
    """The periods that were collected. Trials do not count."""
    latest_payment_intent_id: str | None
    """Its last payment; null before the first."""
    last_payment_error: SubscriptionPaymentError | None
    """Why its last charge failed; null if it did not."""
    metadata: dict[str, str]
    """For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
    outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated
    by semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters,
    values of at most 500.
    """
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock of the customer; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""


class SubscriptionCancel(TypedDict):
    at: NotRequired[SubscriptionCancelAt | str]
    """When it ends. `period_end`, the default: at the end of the current period, since that was
    paid for. `now`: at once. A date: at the end of this or of a later period.
    """
    unused: NotRequired[SubscriptionCancelUnused]
    """With `at: now`: whether the days that are paid and left go back. `keep`, the default:
    nothing goes back. `credit`: they become credit, as if it were changed to nothing.
    """
    dry_run: NotRequired[bool]
    """Nothing changes: `quote` says what would become credit. With `unused: credit`."""


class SubscriptionCancelRemovedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.cancel_removed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionCancelScheduledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.cancel_scheduled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionCanceledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.canceled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: SubscriptionLettingGo


class SubscriptionChange(TypedDict):
    items: list[SubscriptionItemInput]
    """What is sold. A period costs the sum of unit amount times quantity, at least 1 minor unit.
    The limits of payment intents (200 and 100000) do not apply.
    """
    when: NotRequired[SubscriptionChangeWhen]
    """`period_end`, the default: from the next period on. `now`: from now on."""
    proration: NotRequired[SubscriptionChangeProration]
    """What a change now costs. `days`, the default: the days that are left, this day included,
    are credited at the price before and charged at the new one. `none`: nothing; the next
    period takes the new price.
    """
    collect: NotRequired[SubscriptionChangeCollect]
    """When a change now is paid. `next_period`, the default: the next period takes it. `now`: it
    is charged at once, and made when that has succeeded.
    """
    expected_amount_cents: NotRequired[int]
    """The `amount_cents` of your quote. If the change costs another amount now, nothing changes."""
    dry_run: NotRequired[bool]
    """Only return what the change costs."""


class SubscriptionChangeFailedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.change_failed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionChangeRemovedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.change_removed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionChangeResult(TypedDict):
    lines: list[SubscriptionPeriodLine]
    """What the change costs and credits. If it is paid now, their sum is `amount_cents`: what
    earlier changes have left for the next period and the credit balance are among them.
    """
    amount_cents: int
    """What the change takes now, without surcharge, minor units."""
    next_period_amount_cents: int
    """What the next period takes, without surcharge, minor units. 0 if none is to come."""
    subscription: Subscription
    valid_until: str
    """The same request gets this quote until then: the end of the day."""


class SubscriptionChangeScheduledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.change_scheduled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionChangedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.changed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionChanges(TypedDict):
    state: SubscriptionState
    """`pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
    payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
    service. `canceled`: ended for good.
    """
    state_reason: str | None
    """Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
    `no_payment_method`: its trial ended without one. `ended`: at `ends_at`.
    `customer_deleted`.
    """
    in_effect: bool
    """Whether the customer may use the service now."""
    in_effect_until: str | None
    """Until when, if nothing else happens. Null while that is open, and while it is not in
    effect.
    """
    next_attempt_at: str | None
    """When a failed payment is retried; null if it is not."""


class SubscriptionCreate(TypedDict):
    customer_id: str
    """The customer who gets the service and is charged."""
    name: str
    """A label."""
    currency: Currency
    """An ISO 4217 code, in capitals."""
    items: list[SubscriptionItemInput]
    """What is sold. A period costs the sum of unit amount times quantity, at least 1 minor unit.
    The limits of payment intents (200 and 100000) do not apply.
    """
    frequency_type: SubscriptionFrequency
    """The unit of a period."""
    frequency_period: NotRequired[int]
    """How many weeks, months or years a period has. By default 1."""
    trial_end_behaviour: NotRequired[TrialEndBehaviour]
    """What happens if a trial ends and there is no method to charge. `pause`, the default;
    `cancel`; `charge`: the collection fails, and `unpaid_behaviour` decides.
    """
    failure_behaviour: NotRequired[FailureBehaviour]
    """What happens after a failed payment, as for plans. `retry`, the default: it is charged
    again 1, 3 and 5 days after its first failure, unless the decline is final. `stop`: it is
    not retried.
    """
    unpaid_behaviour: NotRequired[UnpaidBehaviour]
    """What happens when no retry is left. `pause` is the default."""
    grace_days: NotRequired[int]
    """For how many days after the first failure `in_effect` stays true while retries continue,
    if a period was paid before: until the same time of day in the account’s time zone. By
    default 7, which covers all retries.
    """
    effective_on: NotRequired[EffectiveOn]
    """When the first period takes effect that is paid by a bank debit. `settled`, the default:
    when the bank has collected it. `submitted`: when the debit is accepted. Later periods
    begin on their dates.
    """
    one_off_items: NotRequired[list[SubscriptionOneOffItemInput]]
    """Fees that the next paid period takes once, such as a joining fee. The days of the period
    and discounts change nothing of them. An update replaces those that wait; an empty list
    withdraws them.
    """
    discounts: NotRequired[list[SubscriptionDiscountInput]]
    """What is taken off the items of each paid period, one after the other, and never more than
    they cost. An update replaces all of them, from the next period on.
    """
    metadata: NotRequired[dict[str, str]]
    """For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
    outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated
    by semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters,
    values of at most 500.
    """
    start_date: NotRequired[str]
    """The first day. By default today, for this customer. Not in the past. Periods are counted
    from here, or from the end of the trial: 31 January is followed by 28 or 29 February, then
    by 31 March.
    """
    anchor_day: NotRequired[int]
    """The day of the month on which periods begin; in shorter months the last day. The first
    period is then short, and costs its share of the days. Not for weekly subscriptions. A
    resume counts anew from its own day.
    """
    trial_days: NotRequired[int]
    """The days of a trial before the first paid period."""
    trial_end_date: NotRequired[str]
    """The first day after the trial. Either this or `trial_days`."""
    ends_at: NotRequired[str]
    """The day on which it ends, the first without service: an end of a period. Null: it
    continues.
    """
    payment_instrument_id: NotRequired[str]
    """The method to charge. By default the customer’s default method at the time of each charge."""


class SubscriptionCreditRefund(TypedDict):
    amount_cents: NotRequired[int]
    """Minor units, at most `refundable_credit_cents`. That is the default."""
    reason: NotRequired[str]
    """The reason, in your words."""
    metadata: NotRequired[dict[str, str]]
    """For your own use. In the sandbox `_sandbox_refund_outcome`: `fail` makes the refund fail.
    At most 50 pairs; keys of at most 40 characters, values of at most 500.
    """


class SubscriptionCreditRefunds(TypedDict):
    id: str
    """The id of the refund."""
    payment_intent_id: str
    """The payment that is refunded."""
    amount: int
    """Minor units."""
    surcharge_amount: int
    """How much of the amount is surcharge, minor units: the part that it has in the payment."""
    currency: Currency
    """An ISO 4217 code, in capitals."""
    reason: str | None
    """The reason, in your words."""
    metadata: dict[str, str]
    """For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500."""
    status: RefundStatus
    """`processing`: the processor was asked. `succeeded`: the money was returned. `failed`: it
    was not; you can request a new refund.
    """
    refund_at_risk: NotRequired[bool]
    """Present and true if the payment was a bank debit that could still come back when it was
    refunded. If it does, the payer has the money twice: see `total_returned_amount` of the
    payment intent.
    """
    biller_id: str
    """The account that pays the refund."""
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    refunds: list[Refund]
    """All refunds of this request, that of the newest payment first. Each has its own status: if
    one fails, its part of the credit comes back.
    """


class SubscriptionDiscount(TypedDict):
    name: str
    """A label, for statements."""
    percent_off: int | None
    """So many per cent; null if it is an amount."""
    amount_off_cents: int | None
    """An amount, minor units; null if it is a percentage."""
    periods_left: int | None
    """For how many paid periods that begin later; null for all."""


class SubscriptionDiscountInput(TypedDict):
    name: str
    """A label, for statements."""
    percent_off: NotRequired[int]
    """So many per cent of what the items of a period cost."""
    amount_off_cents: NotRequired[int]
    """So much of what the items of a whole period cost, minor units. Either this or
    `percent_off`.
    """
    periods: NotRequired[int]
    """For how many paid periods. By default for all."""


class SubscriptionEffect(TypedDict):
    object: Literal["subscription"]
    object_id: str
    """The subscription."""
    advance_id: str | None
    """The advance that caused it; null in a dry run."""
    at: str
    """The simulated instant at which it happens."""
    event_type: ClockEffectType
    """What happened."""
    event_id: str | None
    """The event that reports it; null in a dry run."""
    from_period: int | None
    """The number before `to_period` if that has begun with this effect, else the same."""
    to_period: int | None
    """The period that has begun last, after this effect."""
    changes: SubscriptionChanges


class SubscriptionInEffectChangedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.in_effect_changed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionItem(TypedDict):
    id: str
    """The id of the item."""
    name: str
    """A label, for statements."""
    unit_amount_cents: int
    """The price of one for a whole period, minor units."""
    quantity: int
    """How many."""


class SubscriptionItemInput(TypedDict):
    name: str
    """A label, for statements."""
    unit_amount_cents: int
    """The price of one, for a whole period, minor units."""
    quantity: NotRequired[int]
    """How many; by default 1."""


class SubscriptionLettingGo(TypedDict):
    id: str
    """The id of the subscription."""
    customer_id: str
    """The customer who gets the service and is charged."""
    name: str
    """A label."""
    state: SubscriptionState
    """`pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
    payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
    service. `canceled`: ended for good.
    """
    state_reason: str | None
    """Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
    `no_payment_method`: its trial ended without one. `ended`: at `ends_at`.
    `customer_deleted`.
    """
    in_effect: bool
    """Whether the customer may use the service now."""
    in_effect_until: str | None
    """Until when, if nothing else happens. Null while that is open, and while it is not in
    effect.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    items: list[SubscriptionItem]
    """What is sold in the current period."""
    next_items: list[SubscriptionItem] | None
    """What is sold from the next period on, if that was changed; null if it is the same."""
    one_off_items: list[SubscriptionOneOffItem]
    """Fees that are not paid: the next paid period takes them once, or an unpaid period has
    taken them.
    """
    discounts: list[SubscriptionDiscount]
    """The discounts of the current period."""
    next_discounts: list[SubscriptionDiscount] | None
    """The discounts from the next period on, if they were changed; null if they are the same."""
    frequency_type: SubscriptionFrequency
    """The unit of a period."""
    frequency_period: int
    """How many weeks, months or years a period has. By default 1."""
    start_date: str
    """The first day. By default today, for this customer. Not in the past. Periods are counted
    from here, or from the end of the trial: 31 January is followed by 28 or 29 February, then
    by 31 March.
    """
    anchor_day: int | None
    """The day of the month on which periods begin; in shorter months the last day. The first
    period is then short, and costs its share of the days. Not for weekly subscriptions. A
    resume counts anew from its own day.
    """
    trial_days: int | None
    """The days of a trial before the first paid period."""
    trial_end_date: str | None
    """The first day after the trial. Either this or `trial_days`."""
    trial_end_behaviour: TrialEndBehaviour
    """What happens if a trial ends and there is no method to charge. `pause`, the default;
    `cancel`; `charge`: the collection fails, and `unpaid_behaviour` decides.
    """
    payment_instrument_id: str | None
    """The method to charge; null for the customer’s default at each charge."""
    failure_behaviour: FailureBehaviour
    """What happens after a failed payment, as for plans. `retry`, the default: it is charged
    again 1, 3 and 5 days after its first failure, unless the decline is final. `stop`: it is
    not retried.
    """
    unpaid_behaviour: UnpaidBehaviour
    """What happens when no retry is left. `pause` is the default."""
    grace_days: int
    """For how many days after the first failure `in_effect` stays true while retries continue,
    if a period was paid before: until the same time of day in the account’s time zone. By
    default 7, which covers all retries.
    """
    effective_on: EffectiveOn
    """When the first period takes effect that is paid by a bank debit. `settled`, the default:
    when the bank has collected it. `submitted`: when the debit is accepted. Later periods
    begin on their dates.
    """
    ends_at: str | None
    """The day on which it ends, the first without service: an end of a period. Null: it
    continues.
    """
    pauses_at: str | None
    """The day on which a pause begins that was requested."""
    resumes_at: str | None
    """The day on which the pause ends automatically. It does not end while a period is owed."""
    current_period: CurrentPeriod | None
    """The period that has begun last; null before the first."""
    next_period_start: str | None
    """When the next period begins; null if none is to come."""
    next_attempt_at: str | None
    """When a failed payment is retried; null if it is not."""
    owed_amount_cents: int
    """What collecting would take for periods that are not paid, without surcharge, minor units.
    0 unless one is unpaid.
    """
    in_flight_amount: int
    """What the bank or the processor already had when it was canceled, minor units. If it
    succeeds, it becomes credit, unless its period was over.
    """
    credit_balance_cents: int
    """The credit of the customer for later periods, minor units."""
    refundable_credit_cents: int
    """How much of the credit `refund_credit` can pay out now, minor units: at most what remains
    of the payments.
    """
    next_period_lines: list[SubscriptionPeriodLine]
    """What changes have left for the next period to take, besides its items."""
    change_payment_intent_id: str | None
    """The payment of a change that is under way; null if none is."""
    paid_periods: int
    """The periods that were collected. Trials do not count."""
    latest_payment_intent_id: str | None
    """Its last payment; null before the first."""
    last_payment_error: SubscriptionPaymentError | None
    """Why its last charge failed; null if it did not."""
    metadata: dict[str, str]
    """For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
    outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated
    by semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters,
    values of at most 500.
    """
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock of the customer; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    waived_amount_cents: int
    """What was served and is not collected, minor units. 0 if all is paid or collected."""
    dropped_lines: list[SubscriptionPeriodLine]
    """Fees and lines of changes that are no longer taken, since it has ended."""


class SubscriptionList(TypedDict):
    data: list[Subscription]
    has_more: bool
    """Whether more items follow."""


class SubscriptionMadeChange(TypedDict):
    number: int
    """From 1."""
    period: int
    """The period in which it was requested."""
    status: SubscriptionMadeChangeStatus
    """`processing`: its payment is under way. `made`. `failed`: its payment was declined, or
    another change took its place; nothing has changed. `credited`: it was paid when its
    period was over or the subscription no longer active; nothing has changed, and the money
    is credit.
    """
    items: list[SubscriptionItem]
    """What it sells from then on."""
    lines: list[SubscriptionPeriodLine]
    """What this change alone costs and credits."""
    amount_cents: int
    """What was charged for it at once, without surcharge, minor units."""
    payment_intent_id: str | None
    """That payment; null if nothing was charged."""
    changed_at: str
    """When it was requested."""


class SubscriptionMadeChangeList(TypedDict):
    data: list[SubscriptionMadeChange]
    has_more: bool
    """Whether more items follow."""


class SubscriptionOneOffItem(TypedDict):
    name: str
    """A label, for statements."""
    unit_amount_cents: int
    """The price of one, minor units."""
    quantity: int
    """How many."""


class SubscriptionOneOffItemInput(TypedDict):
    name: str
    """A label, for statements."""
    unit_amount_cents: int
    """The price of one, minor units."""
    quantity: NotRequired[int]
    """How many; by default 1."""


class SubscriptionPaidPeriod(TypedDict):
    id: str
    """The id of the subscription."""
    customer_id: str
    """The customer who gets the service and is charged."""
    name: str
    """A label."""
    state: SubscriptionState
    """`pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
    payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
    service. `canceled`: ended for good.
    """
    state_reason: str | None
    """Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
    `no_payment_method`: its trial ended without one. `ended`: at `ends_at`.
    `customer_deleted`.
    """
    in_effect: bool
    """Whether the customer may use the service now."""
    in_effect_until: str | None
    """Until when, if nothing else happens. Null while that is open, and while it is not in
    effect.
    """
    currency: Currency
    """An ISO 4217 code, in capitals."""
    items: list[SubscriptionItem]
    """What is sold in the current period."""
    next_items: list[SubscriptionItem] | None
    """What is sold from the next period on, if that was changed; null if it is the same."""
    one_off_items: list[SubscriptionOneOffItem]
    """Fees that are not paid: the next paid period takes them once, or an unpaid period has
    taken them.
    """
    discounts: list[SubscriptionDiscount]
    """The discounts of the current period."""
    next_discounts: list[SubscriptionDiscount] | None
    """The discounts from the next period on, if they were changed; null if they are the same."""
    frequency_type: SubscriptionFrequency
    """The unit of a period."""
    frequency_period: int
    """How many weeks, months or years a period has. By default 1."""
    start_date: str
    """The first day. By default today, for this customer. Not in the past. Periods are counted
    from here, or from the end of the trial: 31 January is followed by 28 or 29 February, then
    by 31 March.
    """
    anchor_day: int | None
    """The day of the month on which periods begin; in shorter months the last day. The first
    period is then short, and costs its share of the days. Not for weekly subscriptions. A
    resume counts anew from its own day.
    """
    trial_days: int | None
    """The days of a trial before the first paid period."""
    trial_end_date: str | None
    """The first day after the trial. Either this or `trial_days`."""
    trial_end_behaviour: TrialEndBehaviour
    """What happens if a trial ends and there is no method to charge. `pause`, the default;
    `cancel`; `charge`: the collection fails, and `unpaid_behaviour` decides.
    """
    payment_instrument_id: str | None
    """The method to charge; null for the customer’s default at each charge."""
    failure_behaviour: FailureBehaviour
    """What happens after a failed payment, as for plans. `retry`, the default: it is charged
    again 1, 3 and 5 days after its first failure, unless the decline is final. `stop`: it is
    not retried.
    """
    unpaid_behaviour: UnpaidBehaviour
    """What happens when no retry is left. `pause` is the default."""
    grace_days: int
    """For how many days after the first failure `in_effect` stays true while retries continue,
    if a period was paid before: until the same time of day in the account’s time zone. By
    default 7, which covers all retries.
    """
    effective_on: EffectiveOn
    """When the first period takes effect that is paid by a bank debit. `settled`, the default:
    when the bank has collected it. `submitted`: when the debit is accepted. Later periods
    begin on their dates.
    """
    ends_at: str | None
    """The day on which it ends, the first without service: an end of a period. Null: it
    continues.
    """
    pauses_at: str | None
    """The day on which a pause begins that was requested."""
    resumes_at: str | None
    """The day on which the pause ends automatically. It does not end while a period is owed."""
    current_period: CurrentPeriod | None
    """The period that has begun last; null before the first."""
    next_period_start: str | None
    """When the next period begins; null if none is to come."""
    next_attempt_at: str | None
    """When a failed payment is retried; null if it is not."""
    owed_amount_cents: int
    """What collecting would take for periods that are not paid, without surcharge, minor units.
    0 unless one is unpaid.
    """
    in_flight_amount: int
    """What the bank or the processor already had when it was canceled, minor units. If it
    succeeds, it becomes credit, unless its period was over.
    """
    credit_balance_cents: int
    """The credit of the customer for later periods, minor units."""
    refundable_credit_cents: int
    """How much of the credit `refund_credit` can pay out now, minor units: at most what remains
    of the payments.
    """
    next_period_lines: list[SubscriptionPeriodLine]
    """What changes have left for the next period to take, besides its items."""
    change_payment_intent_id: str | None
    """The payment of a change that is under way; null if none is."""
    paid_periods: int
    """The periods that were collected. Trials do not count."""
    latest_payment_intent_id: str | None
    """Its last payment; null before the first."""
    last_payment_error: SubscriptionPaymentError | None
    """Why its last charge failed; null if it did not."""
    metadata: dict[str, str]
    """For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
    outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated
    by semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters,
    values of at most 500.
    """
    biller_id: str
    """The account that is paid."""
    livemode: bool
    """False in the sandbox."""
    test_clock: str | None
    """The test clock of the customer; null in real time."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    paid_period: SubscriptionPeriod


class SubscriptionPastDueEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.past_due"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


SubscriptionPause = TypedDict("SubscriptionPause", {
    "from": "NotRequired[str]",
    "resumes_at": "NotRequired[str]",
    "anchor_day": "NotRequired[int]",
})


class SubscriptionPauseRemovedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.pause_removed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionPauseScheduledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.pause_scheduled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionPausedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.paused"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionPaymentError(TypedDict):
    code: str
    """Why it failed, for programs: see *Codes of failed payments*."""
    message: str
    """For people."""


class SubscriptionPeriod(TypedDict):
    number: int
    """From 1. A trial is period 1."""
    start: str
    """The first day."""
    end: str
    """The first day after it."""
    status: SubscriptionPeriodStatus
    """`processing`: being charged. `paid`: collected, or a trial. `retrying`: failed, and
    retried. `unpaid`: failed, and not retried. `void`: nothing is owed for it, and it was not
    bought.
    """
    kind: SubscriptionPeriodKind
    """Whether it is a trial."""
    lines: list[SubscriptionPeriodLine]
    """The statement of the period."""
    amount_cents: int
    """The sum of the lines, without surcharge, minor units."""
    payment_intent_id: str | None
    """Its payment; null for a trial."""
    failures: int
    """The failed attempts of the present series."""
    next_attempt_at: str | None
    """When it is retried; null if it is not."""
    served_until: str | None
    """Until when it was in effect, if that has ended; otherwise null."""


class SubscriptionPeriodLine(TypedDict):
    kind: SubscriptionPeriodLineKind
    """`item`: a whole period. `one_off`: a fee that is taken once. `proration`: the share of its
    days. `discount`: negative, unless a change gives back days that had it. `credit`:
    negative. `owed`: days that were served in an earlier period and not paid.
    """
    description: str
    """For people."""
    quantity: int
    """How many."""
    amount_cents: int
    """The amount of the line, minor units."""


class SubscriptionPeriodList(TypedDict):
    data: list[SubscriptionPeriod]
    has_more: bool
    """Whether more items follow."""


class SubscriptionPeriodPaidEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.period_paid"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: SubscriptionPaidPeriod


class SubscriptionRecoveredEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.recovered"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionRenewedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.renewed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionResume(TypedDict):
    anchor_day: NotRequired[int]
    """The day of the month on which later periods begin, such as that of before the pause. The
    new period is then short, and costs its share of the days. By default the day of the
    resume. Not for weekly subscriptions.
    """
    unpaid: NotRequired[UnpaidService]
    """Whether what was served and not paid is collected, the default, or waived: then the unpaid
    period is `void` and a new one begins today.
    """


class SubscriptionResumedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.resumed"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: SubscriptionLettingGo


class SubscriptionStartedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.started"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionTrialEndingEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.trial_ending"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: Subscription


class SubscriptionUnusedQuote(TypedDict):
    lines: list[SubscriptionPeriodLine]
    """What the change costs and credits. If it is paid now, their sum is `amount_cents`: what
    earlier changes have left for the next period and the credit balance are among them.
    """
    credit_cents: int
    """What becomes credit, minor units."""
    valid_until: str
    """The same request gets this quote until then: the end of the day."""


class SubscriptionUpdate(TypedDict):
    customer_id: NotRequired[str | None]
    """Cannot be changed. Sending it is a validation error."""
    name: NotRequired[str]
    """A label."""
    currency: NotRequired[Currency]
    """An ISO 4217 code, in capitals."""
    items: NotRequired[list[SubscriptionItemInput]]
    """What is sold. A period costs the sum of unit amount times quantity, at least 1 minor unit.
    The limits of payment intents (200 and 100000) do not apply.
    """
    frequency_type: NotRequired[SubscriptionFrequency]
    """The unit of a period."""
    frequency_period: NotRequired[int]
    """How many weeks, months or years a period has. By default 1."""
    trial_end_behaviour: NotRequired[TrialEndBehaviour]
    """What happens if a trial ends and there is no method to charge. `pause`, the default;
    `cancel`; `charge`: the collection fails, and `unpaid_behaviour` decides.
    """
    failure_behaviour: NotRequired[FailureBehaviour]
    """What happens after a failed payment, as for plans. `retry`, the default: it is charged
    again 1, 3 and 5 days after its first failure, unless the decline is final. `stop`: it is
    not retried.
    """
    unpaid_behaviour: NotRequired[UnpaidBehaviour]
    """What happens when no retry is left. `pause` is the default."""
    grace_days: NotRequired[int]
    """For how many days after the first failure `in_effect` stays true while retries continue,
    if a period was paid before: until the same time of day in the account’s time zone. By
    default 7, which covers all retries.
    """
    effective_on: NotRequired[EffectiveOn]
    """When the first period takes effect that is paid by a bank debit. `settled`, the default:
    when the bank has collected it. `submitted`: when the debit is accepted. Later periods
    begin on their dates.
    """
    one_off_items: NotRequired[list[SubscriptionOneOffItemInput]]
    """Fees that the next paid period takes once, such as a joining fee. The days of the period
    and discounts change nothing of them. An update replaces those that wait; an empty list
    withdraws them.
    """
    discounts: NotRequired[list[SubscriptionDiscountInput]]
    """What is taken off the items of each paid period, one after the other, and never more than
    they cost. An update replaces all of them, from the next period on.
    """
    metadata: NotRequired[dict[str, str]]
    """For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
    outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated
    by semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters,
    values of at most 500.
    """
    start_date: NotRequired[str | None]
    """The first day. By default today, for this customer. Not in the past. Periods are counted
    from here, or from the end of the trial: 31 January is followed by 28 or 29 February, then
    by 31 March.
    """
    anchor_day: NotRequired[int | None]
    """The day of the month on which periods begin; in shorter months the last day. The first
    period is then short, and costs its share of the days. Not for weekly subscriptions. A
    resume counts anew from its own day.
    """
    trial_days: NotRequired[int | None]
    """The days of a trial before the first paid period."""
    trial_end_date: NotRequired[str | None]
    """The first day after the trial. Either this or `trial_days`."""
    ends_at: NotRequired[str | None]
    """The day on which it ends, the first without service: an end of a period. Null: it
    continues.
    """
    payment_instrument_id: NotRequired[str | None]
    """The method to charge. By default the customer’s default method at the time of each charge."""


class SubscriptionUpdatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["subscription.updated"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: SubscriptionLettingGo


SurchargeRule = TypedDict("SurchargeRule", {
    "payment_method_type": "SurchargedMethodType | None",
    "card_network": "CardNetwork | None",
    "card_funding": "CardFunding | None",
    "verdict": "SurchargeVerdict",
    "cost_of_acceptance_percent": "float | None",
    "from": "str | None",
    "until": "str | None",
    "source": "str",
})


class SurchargeRules(TypedDict):
    country: str | None
    """The country of your account, ISO 3166-1 alpha-2; null if an operator has set none."""
    date: str
    """Today in the time zone of your account. The rules are those of this date."""
    data: list[SurchargeRule]
    has_more: bool
    """Always false: all rules are returned."""


class TestClock(TypedDict):
    id: str
    """The id of the test clock."""
    object: Literal["test_clock"]
    name: str | None
    """A label."""
    status: TestClockStatus
    """`created`: not advanced yet. `advancing`: until every effect of an advance is committed.
    `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect
    could not be applied; the clock cannot be advanced again.
    """
    frozen_time: str
    """The current time of the clock’s customers."""
    expires_at: str
    """When the clock is deleted with all its objects: 30 days after creation, in real time."""
    last_advanced_at: str | None
    """When the last advance was complete, in real time."""
    failure_reason: str | None
    """Why the last advance failed, in words."""
    livemode: Literal[False]
    max_frozen_time: str | None
    """The latest target of one advance now: two of the shortest intervals of the active plans
    and subscriptions ahead. A week counts 7 days, a month or a subscription 30. Without any
    of them, it is 62 days ahead. Null while the clock cannot be advanced.
    """
    last_advance: TestClockLastAdvance | None
    """Null before the first advance."""
    webhook_deliveries: WebhookDeliveryCounts


class TestClockAdvance(TypedDict):
    frozen_time: str
    """The instant to advance to."""
    dry_run: NotRequired[bool]
    """Return what the advance would do, with 200, and change nothing. By default false."""


class TestClockAdvancing(TypedDict):
    id: str
    """The id of the test clock."""
    object: Literal["test_clock"]
    name: str | None
    """A label."""
    status: TestClockStatus
    """`created`: not advanced yet. `advancing`: until every effect of an advance is committed.
    `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect
    could not be applied; the clock cannot be advanced again.
    """
    frozen_time: str
    """The current time of the clock’s customers."""
    expires_at: str
    """When the clock is deleted with all its objects: 30 days after creation, in real time."""
    last_advanced_at: str | None
    """When the last advance was complete, in real time."""
    failure_reason: str | None
    """Why the last advance failed, in words."""
    livemode: Literal[False]
    target_time: str
    """The instant that the clock advances to."""


class TestClockAdvancingEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["test_clock.advancing"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: TestClockAdvancing


class TestClockCreate(TypedDict):
    frozen_time: str
    """The current time of the clock’s customers."""
    name: NotRequired[str]
    """A label."""


class TestClockCreatedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["test_clock.created"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: TestClockState


class TestClockDeletedEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["test_clock.deleted"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: TestClockState


class TestClockDryRun(TypedDict):
    id: str
    """The id of the test clock."""
    dry_run: Literal[True]
    status: TestClockStatus
    """`created`: not advanced yet. `advancing`: until every effect of an advance is committed.
    `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect
    could not be applied; the clock cannot be advanced again.
    """
    frozen_time: str
    """The current time of the clock’s customers."""
    target_time: str
    """The target of the advance."""
    effects_manifest: EffectsManifest
    effects: list[ClockEffect]
    """What the advance would do, in order."""


class TestClockLastAdvance(TypedDict):
    id: str
    """The id of the advance, adv_…. Use it to list its effects."""
    status: TestClockLastAdvanceStatus
    """The state of the advance."""
    from_time: str
    """The clock’s time before the advance."""
    target_time: str
    """The target of the advance."""
    effects_manifest: EffectsManifest | None
    """Null until it is complete."""
    requested_at: str
    """When it was requested, in real time."""
    finished_at: str | None
    """When it ended, in real time; null until then."""
    webhook_deliveries: WebhookDeliveryCounts


class TestClockList(TypedDict):
    data: list[TestClock]
    has_more: bool
    """Whether more items follow."""


class TestClockReady(TypedDict):
    id: str
    """The id of the test clock."""
    object: Literal["test_clock"]
    name: str | None
    """A label."""
    status: TestClockStatus
    """`created`: not advanced yet. `advancing`: until every effect of an advance is committed.
    `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect
    could not be applied; the clock cannot be advanced again.
    """
    frozen_time: str
    """The current time of the clock’s customers."""
    expires_at: str
    """When the clock is deleted with all its objects: 30 days after creation, in real time."""
    last_advanced_at: str | None
    """When the last advance was complete, in real time."""
    failure_reason: str | None
    """Why the last advance failed, in words."""
    livemode: Literal[False]
    effects_manifest: EffectsManifest


class TestClockReadyEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["test_clock.ready"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: TestClockReady


class TestClockState(TypedDict):
    id: str
    """The id of the test clock."""
    object: Literal["test_clock"]
    name: str | None
    """A label."""
    status: TestClockStatus
    """`created`: not advanced yet. `advancing`: until every effect of an advance is committed.
    `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect
    could not be applied; the clock cannot be advanced again.
    """
    frozen_time: str
    """The current time of the clock’s customers."""
    expires_at: str
    """When the clock is deleted with all its objects: 30 days after creation, in real time."""
    last_advanced_at: str | None
    """When the last advance was complete, in real time."""
    failure_reason: str | None
    """Why the last advance failed, in words."""
    livemode: Literal[False]


class TokenMetadata(TypedDict):
    type: str
    """Who issued the token; `fixture` for a test card."""
    token: str
    """The token. For a fixture, one of those under *Test cards*."""
    data: str
    """Further token data; an empty string for a fixture."""


class WebhookAttempt(TypedDict):
    at: str
    """ISO 8601, UTC."""
    status_code: int | None
    """The HTTP status of the response; null if there was none."""
    error: str | None
    """Why it failed; null if it succeeded."""
    duration_ms: int
    """How long it took, in milliseconds."""
    response_excerpt: str | None
    """The first 2 KiB of the response. Null without a response, and for a key that may not read
    the event.
    """


class WebhookDelivery(TypedDict):
    id: str
    """The id of the delivery."""
    event_id: str
    """The event that is delivered. Its id is the `webhook-id` of every attempt."""
    event_type: EventType
    """The type of that event."""
    endpoint_id: str
    """The endpoint that it is delivered to."""
    status: WebhookDeliveryStatus
    """`pending`: on its way, or between two attempts. `delivered`: the receiver returned a 2xx.
    `failed`: given up.
    """
    failure_reason: str | None
    """Why it was given up: all attempts were used, or the endpoint was disabled or deleted."""
    attempts: list[WebhookAttempt]
    """Oldest first."""
    next_attempt_at: str | None
    """When the next attempt is due. Like all times here, in real time."""
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""


class WebhookDeliveryCounts(TypedDict):
    """Webhook deliveries, by status. When `pending` is 0, your receiver has received everything,
    except what failed. For a clock, the deliveries of all its events. For an advance, those
    of the events that it caused and of its `test_clock.ready`.
    """
    pending: int
    """On their way, or between two attempts."""
    delivered: int
    """The receiver returned a 2xx."""
    failed: int
    """Given up."""


class WebhookDeliveryList(TypedDict):
    data: list[WebhookDelivery]
    has_more: bool
    """Whether more items follow."""


class WebhookEndpoint(TypedDict):
    id: str
    """The id of the webhook endpoint."""
    url: str
    """Where events are posted."""
    event_types: list[str]
    """What it subscribes to: event types, groups, or `*`."""
    description: str | None
    """For your own use."""
    status: WebhookEndpointStatus
    """Nothing is sent to a disabled endpoint."""
    disabled_reason: WebhookDisabledReason | None
    """`requested`: by you. `gone`: it returned 410. `failing`: five days of nothing but failure."""
    verified_at: str | None
    """When the receiver first returned the challenge of a ping from this URL. Null until then,
    and again after the URL changes. In live mode, nothing is replayed to an unverified
    endpoint.
    """
    livemode: bool
    """False in the sandbox."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    secret: NotRequired[str]
    """The signing secret (Standard Webhooks). Shown only when it is created or rotated."""


class WebhookEndpointCreate(TypedDict):
    url: str
    """Where events are posted: `https`, or in the sandbox also `http`, without credentials or
    fragment. The host must be public, or, in the sandbox of a service on your machine,
    `127.0.0.1` or `localhost`. The service checks this now, and again at each connection.
    """
    event_types: NotRequired[list[str]]
    """Event types, groups such as `payment_plan.*`, or `*` for everything. By default
    everything.
    """
    description: NotRequired[str | None]
    """For your own use."""


class WebhookEndpointDisabledEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["webhook_endpoint.disabled"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: WebhookEndpoint


class WebhookEndpointList(TypedDict):
    data: list[WebhookEndpoint]
    has_more: bool
    """Whether more items follow."""


class WebhookEndpointPingEvent(TypedDict):
    id: str
    """The same on every delivery attempt, so that a receiver can recognise a repeated event."""
    event_type: Literal["webhook_endpoint.ping"]
    created_at: str
    """When it happened, in the customer’s time. For a customer on a test clock, that is the time
    of the clock.
    """
    livemode: bool
    """False in the sandbox."""
    biller_id: str
    """The account that it happened to."""
    test_clock: str | None
    """The test clock that it is about, or that its customer is on; null in real time."""
    sequence: int
    """Rises by one with each event of an account and mode, without gaps, in commit order."""
    request_id: str | None
    """The API request that caused it; null if no request did."""
    data: PingedWebhookEndpoint


class WebhookEndpointUpdate(TypedDict):
    url: NotRequired[str]
    """Where events are posted: `https`, or in the sandbox also `http`, without credentials or
    fragment. The host must be public, or, in the sandbox of a service on your machine,
    `127.0.0.1` or `localhost`. The service checks this now, and again at each connection.
    """
    event_types: NotRequired[list[str]]
    """Event types, groups such as `payment_plan.*`, or `*` for everything. Unchanged if left
    out.
    """
    description: NotRequired[str | None]
    """For your own use."""
    status: NotRequired[WebhookEndpointStatus]
    """Disabling ends the pending deliveries. After you enable it again, you can replay what
    happened in between.
    """


class WebhookReplay(TypedDict):
    since: str
    """Only events from this real time on."""
    until: NotRequired[str]
    """Only events up to this real time; by default until now."""
    status: NotRequired[WebhookReplayStatus]
    """`failed`, the default: what was not delivered. `all`: also what was delivered."""
    starting_after: NotRequired[str]
    """Only events after this one. Pass `last_event_id` of the previous replay while that returns
    `has_more`.
    """


ClockEffect: TypeAlias = "PaymentIntentEffect | PaymentPlanEffect | SubscriptionEffect | MandateEffect | PaymentLinkEffect | CheckoutSessionEffect | PayoutEffect"  # noqa: E501
Event: TypeAlias = "PaymentIntentSucceededEvent | PaymentIntentFailedEvent | PaymentIntentCanceledEvent | PaymentIntentRequiresActionEvent | PaymentIntentRestrictedEvent | PaymentIntentProcessingEvent | PaymentIntentReturnedEvent | MandateCreatedEvent | MandateActivatedEvent | MandateNoticeDueEvent | MandateCanceledEvent | MandateFailedEvent | MandateExpiredEvent | PaymentPlanActivatedEvent | PaymentPlanSuspendedEvent | PaymentPlanDeactivatedEvent | PaymentPlanClosedEvent | PaymentLinkCreatedEvent | PaymentLinkPaidEvent | PaymentLinkCompletedEvent | PaymentLinkReopenedEvent | PaymentLinkExpiredEvent | PaymentLinkDeactivatedEvent | PaymentLinkRenewedEvent | PaymentLinkThrottledEvent | CheckoutSessionCompletedEvent | CheckoutSessionExpiredEvent | RefundSucceededEvent | RefundFailedEvent | PayoutCreatedEvent | PayoutReconciledEvent | PayoutPaidEvent | PayoutFailedEvent | SubscriptionStartedEvent | SubscriptionTrialEndingEvent | SubscriptionRenewedEvent | SubscriptionPastDueEvent | SubscriptionRecoveredEvent | SubscriptionPauseScheduledEvent | SubscriptionPauseRemovedEvent | SubscriptionPausedEvent | SubscriptionResumedEvent | SubscriptionCancelScheduledEvent | SubscriptionCancelRemovedEvent | SubscriptionCanceledEvent | SubscriptionChangedEvent | SubscriptionChangeScheduledEvent | SubscriptionChangeRemovedEvent | SubscriptionChangeFailedEvent | SubscriptionPeriodPaidEvent | SubscriptionUpdatedEvent | SubscriptionInEffectChangedEvent | TestClockCreatedEvent | TestClockAdvancingEvent | TestClockReadyEvent | TestClockDeletedEvent | WebhookEndpointPingEvent | WebhookEndpointDisabledEvent"  # noqa: E501
PaymentMethod: TypeAlias = "CardPaymentMethod | BecsPaymentMethod | KlarnaPaymentMethod | PayIdPaymentMethod | PayPalPaymentMethod"  # noqa: E501
PaymentMethodCreate: TypeAlias = "CardPaymentMethodCreate | BecsPaymentMethodCreate"  # noqa: E501
SandboxPaymentMethodCreate: TypeAlias = "KlarnaPaymentMethodCreate | PayIdPaymentMethodCreate | PayPalPaymentMethodCreate"  # noqa: E501
