// Code generated from the OpenAPI document of the service by `npm run generate`. DO NOT EDIT.

package payments

import (
	"encoding/json"
	"time"
)

type Account struct {
	// Your biller id.
	ID string `json:"id"`
	// The name of the account.
	Name string `json:"name"`
	// The IANA name of the zone in which dates begin: payments are due at 00:00 of their date there.
	TimeZone string `json:"time_zone"`
	// ISO 3166-1 alpha-2. It decides which surcharges are allowed. Null: it was not stated.
	Country *string `json:"country"`
	// The name that payers read. Null: `name`.
	DisplayName *string `json:"display_name"`
	// Where payers write with questions.
	SupportEmail *string `json:"support_email"`
	// Where payers call with questions.
	SupportPhone *string `json:"support_phone"`
	// The business address, as one line.
	Address *string `json:"address"`
	// Such as an ABN. Receipts show it.
	TaxID *string `json:"tax_id"`
	// The colour of buttons, as `#rrggbb`.
	BrandColor *string `json:"brand_color"`
	// The origins of your pages that may hold the widget. Those with `http` count in the sandbox only.
	CheckoutOrigins []string `json:"checkout_origins"`
}

type Address struct {
	// Street and number.
	Line1 *string `json:"line1,omitzero"`
	// Further address line.
	Line2 *string `json:"line2,omitzero"`
	// City or suburb.
	CityOrSuburb *string `json:"city_or_suburb,omitzero"`
	// State or region.
	StateOrRegion *string `json:"state_or_region,omitzero"`
	// Postal code.
	PostalCode *string `json:"postal_code,omitzero"`
	// Country.
	Country *string `json:"country,omitzero"`
}

type AdvancingTestClock struct {
	// The id of the test clock.
	ID     string `json:"id"`
	Status string `json:"status"`
	// The time before the advance. It changes when the advance is complete.
	FrozenTime time.Time `json:"frozen_time"`
}

type AgingReport struct {
	Data []AgingReportRow `json:"data"`
}

type AgingReportRow struct {
	// The payer; null without a customer.
	CustomerID *string `json:"customer_id,omitzero"`
	// The name of the customer, as it is now.
	CustomerName *string `json:"customer_name,omitzero"`
	// Your reference of the customer, as it is now.
	CustomerReference *string `json:"customer_reference,omitzero"`
	// For what it is owed.
	Type *AgingReportRowType `json:"type,omitzero"`
	// The plan, the subscription, or the payment by itself.
	ID *string `json:"id,omitzero"`
	// Its name; null for a payment.
	Name *string `json:"name,omitzero"`
	// Its state now; null for a payment.
	State *string `json:"state,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency *Currency `json:"currency,omitzero"`
	// All that is owed of it. Minor units.
	Owed *int `json:"owed,omitzero"`
	// What is late by up to 30 days. Minor units.
	Days0To30 *int `json:"days_0_to_30,omitzero"`
	// By 31 to 60 days. Minor units.
	Days31To60 *int `json:"days_31_to_60,omitzero"`
	// By 61 to 90 days. Minor units.
	Days61To90 *int `json:"days_61_to_90,omitzero"`
	// By more than 90 days. Minor units.
	DaysOver90 *int `json:"days_over_90,omitzero"`
	// The date on which the oldest failed or came back, in the time zone of the report.
	LateSince *string `json:"late_since,omitzero"`
	// The days since then.
	DaysLate *int `json:"days_late,omitzero"`
	// When it is tried again by itself; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at,omitzero"`
}

// AgingReportRowType is a name of the API.
//
// For what it is owed.
type AgingReportRowType string

const (
	AgingReportRowTypePaymentPlan   AgingReportRowType = "payment_plan"
	AgingReportRowTypeSubscription  AgingReportRowType = "subscription"
	AgingReportRowTypePaymentIntent AgingReportRowType = "payment_intent"
)

type AmountRange struct {
	// The least, minor units.
	Min int `json:"min"`
	// The most, minor units.
	Max int `json:"max"`
	// Amounts to choose from, minor units.
	Suggested []int `json:"suggested"`
}

type AmountRangeInput struct {
	// The least, minor units.
	Min int `json:"min"`
	// The most, minor units.
	Max int `json:"max"`
	// Up to five amounts to choose from.
	Suggested Optional[[]int] `json:"suggested,omitzero"`
}

type ApplyTo struct {
	// The plan: the method that was used becomes its instrument. If a failed payment has suspended it,
	// it is resumed.
	PaymentPlanID *string `json:"payment_plan_id,omitzero"`
	// The subscription: the method that was used becomes its instrument. It is started if it is
	// pending, and resumed if a failed payment has paused it.
	SubscriptionID *string `json:"subscription_id,omitzero"`
	// Whether what was served and not paid is collected, the default, or waived: then the unpaid
	// period is `void` and a new one begins today.
	Unpaid *UnpaidService `json:"unpaid,omitzero"`
}

// What a completed payment or setup does: to a plan, or to a subscription. The method becomes its
// instrument, and is kept. If a failed payment has suspended the plan, it is resumed, and its
// unpaid payment is tried again at once. A subscription that is pending is started; one that a
// failed payment has paused is resumed; one that is past due is tried again at once. Name one of
// them. `unpaid` is for a subscription that is resumed.
type ApplyToInput struct {
	// A plan of the customer that has not ended.
	PaymentPlanID Optional[string] `json:"payment_plan_id,omitzero"`
	// A subscription of the customer that has not ended.
	SubscriptionID Optional[string] `json:"subscription_id,omitzero"`
	// Whether what was served and not paid is collected, the default, or waived: then the unpaid
	// period is `void` and a new one begins today.
	Unpaid Optional[UnpaidService] `json:"unpaid,omitzero"`
}

type Balance struct {
	// One for each currency in which money has moved.
	Data []CurrencyBalance `json:"data"`
	// The `sequence` of the last event that is posted. The balance has all events up to it.
	CompleteUpTo int `json:"complete_up_to"`
}

type BalanceTransaction struct {
	// The id of the row. It stays the same if the books are made again.
	ID string `json:"id"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// The date from which the net is available, in your time zone. Null in live mode.
	AvailableOn *string `json:"available_on"`
	// `payment`: collected; a bank debit when it settled, and again when it is collected after a
	// return. `refund`: given back to the payer; the fee is not. `return`: the bank took a debit back.
	// `adjustment`: the fee of that debit, given back to you. `payout`: paid to your bank account.
	// `payout_failure`: a payout that your bank has refused.
	Type BalanceTransactionType `json:"type"`
	// Stripe’s word for the type.
	ReportingCategory ReportingCategory `json:"reporting_category"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// What moved, minor units. Negative if it left.
	Gross int `json:"gross"`
	// What it cost you, minor units; negative if it was given back. The sum over all rows is what you
	// have paid in fees. In live mode 0: the processor does not tell its fee.
	Fee int `json:"fee"`
	// `gross` less `fee`, minor units.
	Net int `json:"net"`
	// The payment intent, the refund or the payout.
	Source string `json:"source"`
	// The payment; null for a payout.
	PaymentIntentID *string `json:"payment_intent_id"`
	// The payout that pays the row; null if none does yet. A payout is no part of itself.
	PayoutID *string `json:"payout_id"`
	// The payer; null without a customer.
	CustomerID *string `json:"customer_id"`
	// What is paid for, as the payer reads it.
	Description *string `json:"description"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// The account whose money it is.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock that it is on; null in real time.
	TestClock *string `json:"test_clock"`
}

type BalanceTransactionList struct {
	Data []BalanceTransaction `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// BalanceTransactionType is a name of the API.
type BalanceTransactionType string

const (
	BalanceTransactionTypePayment       BalanceTransactionType = "payment"
	BalanceTransactionTypeRefund        BalanceTransactionType = "refund"
	BalanceTransactionTypeReturn        BalanceTransactionType = "return"
	BalanceTransactionTypeAdjustment    BalanceTransactionType = "adjustment"
	BalanceTransactionTypePayout        BalanceTransactionType = "payout"
	BalanceTransactionTypePayoutFailure BalanceTransactionType = "payout_failure"
)

type BalanceTransactionsReport struct {
	Data []BalanceTransactionsReportRow `json:"data"`
}

type BalanceTransactionsReportRow struct {
	// The id of the row. It stays the same if the books are made again.
	ID *string `json:"id,omitzero"`
	// ISO 8601, UTC.
	CreatedAt *time.Time `json:"created_at,omitzero"`
	// The date from which the net is available, in your time zone. Null in live mode.
	AvailableOn *string `json:"available_on,omitzero"`
	// `payment`: collected; a bank debit when it settled, and again when it is collected after a
	// return. `refund`: given back to the payer; the fee is not. `return`: the bank took a debit back.
	// `adjustment`: the fee of that debit, given back to you. `payout`: paid to your bank account.
	// `payout_failure`: a payout that your bank has refused.
	Type *BalanceTransactionType `json:"type,omitzero"`
	// Stripe’s word for the type.
	ReportingCategory *ReportingCategory `json:"reporting_category,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency *Currency `json:"currency,omitzero"`
	// What moved, minor units. Negative if it left.
	Gross *int `json:"gross,omitzero"`
	// What it cost you, minor units; negative if it was given back. The sum over all rows is what you
	// have paid in fees. In live mode 0: the processor does not tell its fee.
	Fee *int `json:"fee,omitzero"`
	// `gross` less `fee`, minor units.
	Net *int `json:"net,omitzero"`
	// The payment intent, the refund or the payout.
	Source *string `json:"source,omitzero"`
	// The payment; null for a payout.
	PaymentIntentID *string `json:"payment_intent_id,omitzero"`
	// The payout that pays the row; null if none does yet. A payout is no part of itself.
	PayoutID *string `json:"payout_id,omitzero"`
	// The payer; null without a customer.
	CustomerID *string `json:"customer_id,omitzero"`
	// What is paid for, as the payer reads it.
	Description *string `json:"description,omitzero"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata,omitzero"`
	// The name of the customer, as it is now.
	CustomerName *string `json:"customer_name,omitzero"`
	// Your reference of the customer, as it is now.
	CustomerReference *string `json:"customer_reference,omitzero"`
	// The plan that made the payment; null if none did.
	PaymentPlanID *string `json:"payment_plan_id,omitzero"`
	// The subscription that made the payment; null if none did.
	SubscriptionID *string `json:"subscription_id,omitzero"`
}

// Present for an attempt that is a bank debit under a mandate.
type BankDebit struct {
	// The authority to debit the account.
	MandateID string `json:"mandate_id"`
	// Shown on the payer’s statement.
	LodgementReference string `json:"lodgement_reference"`
	// The day on which the account is debited. Dates here are those of the scheme.
	ChargeDate string `json:"charge_date"`
	// When it was handed to the bank; null before.
	SubmittedAt *time.Time `json:"submitted_at"`
	// When the bank is expected to report.
	ExpectedResultAt time.Time `json:"expected_result_at"`
	// When the bank reported that it was collected.
	SettledAt *time.Time `json:"settled_at"`
	// The last date on which it can come back.
	ReturnableUntil *string `json:"returnable_until"`
	// When it came back.
	ReturnedAt *time.Time `json:"returned_at"`
	// The bank’s own code for a refusal or a return.
	BankCode *string `json:"bank_code"`
}

// The steps of bank debits among all effects of the query, those on other pages included.
type BankDebitCounts struct {
	// Debits that were opened.
	Accepted int `json:"accepted"`
	// Debits that the bank has collected.
	Settled int `json:"settled"`
	// Debits that the bank has not collected, or that were withdrawn before it had them.
	Failed int `json:"failed"`
	// Debits that the bank has taken back.
	Returned int `json:"returned"`
}

type BecsData struct {
	// The BSB, which names the bank and the branch: six digits, with or without a hyphen. In the
	// sandbox 000-000 is enough.
	BsbNumber string `json:"bsb_number"`
	// The name of the account.
	AccountName string `json:"account_name"`
	// The number of the account, 6 to 9 characters; never shown again.
	AccountNumber string `json:"account_number"`
	// The tokenised account number.
	AccountNumberToken Optional[string] `json:"account_number_token,omitzero"`
	// Exactly 4 characters.
	AccountNumberEnd Optional[string] `json:"account_number_end,omitzero"`
	// A value that is the same for the same account.
	Fingerprint Optional[string] `json:"fingerprint,omitzero"`
}

type BecsInstrument struct {
	// Bank, state and branch.
	BsbNumber string `json:"bsb_number"`
	// The name of the account.
	AccountName string `json:"account_name"`
	// The tokenised account number.
	AccountNumberToken *string `json:"account_number_token,omitzero"`
	// Exactly 4 characters.
	AccountNumberEnd *string `json:"account_number_end,omitzero"`
	// A value that is the same for the same account.
	Fingerprint *string `json:"fingerprint,omitzero"`
}

type BecsPaymentMethod struct {
	// The id of the payment method.
	ID             string         `json:"id"`
	Type           string         `json:"type"`
	InstrumentData BecsInstrument `json:"instrument_data"`
}

type BecsPaymentMethodCreate struct {
	Type              string   `json:"type"`
	PaymentMethodData BecsData `json:"payment_method_data"`
	// The customer that the method belongs to: a cus_ id, or your own reference of the customer.
	CustomerReference Optional[string] `json:"customer_reference,omitzero"`
	// Required with a publishable key and `customer_reference`: the client_secret of a payment intent
	// of that customer.
	ClientSecret Optional[string] `json:"client_secret,omitzero"`
}

type BecsSummary struct {
	// Bank, state and branch.
	BsbNumber string `json:"bsb_number"`
	// The name of the account.
	AccountName string `json:"account_name"`
	// The end of the account number.
	Last4 string `json:"last4"`
}

type BusinessDays struct {
	// On the scheme’s clock, in order.
	Data []string `json:"data"`
	// Whether more follow: false at the end of the calendar, in 2099.
	HasMore bool `json:"has_more"`
}

type CanceledSubscription struct {
	// The id of the subscription.
	ID string `json:"id"`
	// The customer who gets the service and is charged.
	CustomerID string `json:"customer_id"`
	// A label.
	Name string `json:"name"`
	// `pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
	// payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
	// service. `canceled`: ended for good.
	State SubscriptionState `json:"state"`
	// Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
	// `no_payment_method`: its trial ended without one. `ended`: at `ends_at`. `customer_deleted`.
	StateReason *string `json:"state_reason"`
	// Whether the customer may use the service now.
	InEffect bool `json:"in_effect"`
	// Until when, if nothing else happens. Null while that is open, and while it is not in effect.
	InEffectUntil *time.Time `json:"in_effect_until"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// What is sold in the current period.
	Items []SubscriptionItem `json:"items"`
	// What is sold from the next period on, if that was changed; null if it is the same.
	NextItems []SubscriptionItem `json:"next_items"`
	// Fees that are not paid: the next paid period takes them once, or an unpaid period has taken
	// them.
	OneOffItems []SubscriptionOneOffItem `json:"one_off_items"`
	// The discounts of the current period.
	Discounts []SubscriptionDiscount `json:"discounts"`
	// The discounts from the next period on, if they were changed; null if they are the same.
	NextDiscounts []SubscriptionDiscount `json:"next_discounts"`
	// The unit of a period.
	FrequencyType SubscriptionFrequency `json:"frequency_type"`
	// How many weeks, months or years a period has. By default 1.
	FrequencyPeriod int `json:"frequency_period"`
	// The first day. By default today, for this customer. Not in the past. Periods are counted from
	// here, or from the end of the trial: 31 January is followed by 28 or 29 February, then by 31
	// March.
	StartDate string `json:"start_date"`
	// The day of the month on which periods begin; in shorter months the last day. The first period is
	// then short, and costs its share of the days. Not for weekly subscriptions. A resume counts anew
	// from its own day.
	AnchorDay *int `json:"anchor_day"`
	// The days of a trial before the first paid period.
	TrialDays *int `json:"trial_days"`
	// The first day after the trial. Either this or `trial_days`.
	TrialEndDate *string `json:"trial_end_date"`
	// What happens if a trial ends and there is no method to charge. `pause`, the default; `cancel`;
	// `charge`: the collection fails, and `unpaid_behaviour` decides.
	TrialEndBehaviour TrialEndBehaviour `json:"trial_end_behaviour"`
	// The method to charge; null for the customer’s default at each charge.
	PaymentInstrumentID *string `json:"payment_instrument_id"`
	// What happens after a failed payment, as for plans. `retry`, the default: it is charged again 1,
	// 3 and 5 days after its first failure, unless the decline is final. `stop`: it is not retried.
	FailureBehaviour FailureBehaviour `json:"failure_behaviour"`
	// What happens when no retry is left. `pause` is the default.
	UnpaidBehaviour UnpaidBehaviour `json:"unpaid_behaviour"`
	// For how many days after the first failure `in_effect` stays true while retries continue, if a
	// period was paid before: until the same time of day in the account’s time zone. By default 7,
	// which covers all retries.
	GraceDays int `json:"grace_days"`
	// When the first period takes effect that is paid by a bank debit. `settled`, the default: when
	// the bank has collected it. `submitted`: when the debit is accepted. Later periods begin on their
	// dates.
	EffectiveOn EffectiveOn `json:"effective_on"`
	// The day on which it ends, the first without service: an end of a period. Null: it continues.
	EndsAt *string `json:"ends_at"`
	// The day on which a pause begins that was requested.
	PausesAt *string `json:"pauses_at"`
	// The day on which the pause ends automatically. It does not end while a period is owed.
	ResumesAt *string `json:"resumes_at"`
	// The period that has begun last; null before the first.
	CurrentPeriod *CurrentPeriod `json:"current_period"`
	// When the next period begins; null if none is to come.
	NextPeriodStart *string `json:"next_period_start"`
	// When a failed payment is retried; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// What collecting would take for periods that are not paid, without surcharge, minor units. 0
	// unless one is unpaid.
	OwedAmountCents int `json:"owed_amount_cents"`
	// What the bank or the processor already had when it was canceled, minor units. If it succeeds, it
	// becomes credit, unless its period was over.
	InFlightAmount int `json:"in_flight_amount"`
	// The credit of the customer for later periods, minor units.
	CreditBalanceCents int `json:"credit_balance_cents"`
	// How much of the credit `refund_credit` can pay out now, minor units: at most what remains of the
	// payments.
	RefundableCreditCents int `json:"refundable_credit_cents"`
	// What changes have left for the next period to take, besides its items.
	NextPeriodLines []SubscriptionPeriodLine `json:"next_period_lines"`
	// The payment of a change that is under way; null if none is.
	ChangePaymentIntentID *string `json:"change_payment_intent_id"`
	// The periods that were collected. Trials do not count.
	PaidPeriods int `json:"paid_periods"`
	// Its last payment; null before the first.
	LatestPaymentIntentID *string `json:"latest_payment_intent_id"`
	// Why its last charge failed; null if it did not.
	LastPaymentError *SubscriptionPaymentError `json:"last_payment_error"`
	// For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
	// outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated by
	// semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters, values of at
	// most 500.
	Metadata map[string]string `json:"metadata"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock of the customer; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// With `unused: credit`, what the days are worth that are left; otherwise null.
	Quote *SubscriptionUnusedQuote `json:"quote"`
}

type CardData struct {
	// The month in which it expires.
	ExpiryMonth int `json:"expiry_month"`
	// The year in which it expires.
	ExpiryYear    int           `json:"expiry_year"`
	TokenMetadata TokenMetadata `json:"token_metadata"`
	// The name on the card, at most 30 characters.
	CardName Optional[string] `json:"card_name,omitzero"`
	// The tokenised card number.
	CardNumberToken Optional[string] `json:"card_number_token,omitzero"`
	// Exactly 4 characters.
	CardNumberEnd Optional[string] `json:"card_number_end,omitzero"`
	// Exactly 8 digits.
	CardBin Optional[string] `json:"card_bin,omitzero"`
	// A value that is the same for the same card.
	Fingerprint Optional[string] `json:"fingerprint,omitzero"`
	// The wallet that the card came from.
	Wallet Optional[string] `json:"wallet,omitzero"`
	// The networks that the card runs on, if your vault knows them: two for a co-branded card, such as
	// eftpos and visa. They count together with those of `card_bin` and `card_brand`; the strictest
	// decides whether a surcharge is allowed.
	CardNetworks Optional[[]CardNetwork] `json:"card_networks,omitzero"`
	// What the card draws on, if your vault knows it.
	CardFunding Optional[CardFunding] `json:"card_funding,omitzero"`
	// The country that the card was issued in, if your vault or the processor knows it: ISO 3166-1,
	// such as AU.
	CardCountry Optional[string] `json:"card_country,omitzero"`
	// The brand. By default derived from `card_bin`.
	CardBrand Optional[string] `json:"card_brand,omitzero"`
}

// CardFunding is a name of the API.
type CardFunding string

const (
	CardFundingCredit  CardFunding = "credit"
	CardFundingDebit   CardFunding = "debit"
	CardFundingPrepaid CardFunding = "prepaid"
)

type CardInstrument struct {
	// The name on the card, at most 30 characters.
	CardName string `json:"card_name"`
	// The month in which it expires.
	ExpiryMonth int `json:"expiry_month"`
	// The year in which it expires.
	ExpiryYear int `json:"expiry_year"`
	// The tokenised card number.
	CardNumberToken *string `json:"card_number_token,omitzero"`
	// Exactly 4 characters.
	CardNumberEnd *string `json:"card_number_end,omitzero"`
	// Exactly 8 digits.
	CardBin *string `json:"card_bin,omitzero"`
	// A value that is the same for the same card.
	Fingerprint *string `json:"fingerprint,omitzero"`
	// The wallet that the card came from.
	Wallet *string `json:"wallet,omitzero"`
	// The networks that the card runs on, if your vault knows them: two for a co-branded card, such as
	// eftpos and visa. They count together with those of `card_bin` and `card_brand`; the strictest
	// decides whether a surcharge is allowed.
	CardNetworks []CardNetwork `json:"card_networks,omitzero"`
	// What the card draws on, if your vault knows it.
	CardFunding *CardFunding `json:"card_funding,omitzero"`
	// The country that the card was issued in, if your vault or the processor knows it: ISO 3166-1,
	// such as AU.
	CardCountry *string `json:"card_country,omitzero"`
}

// CardNetwork is a name of the API.
type CardNetwork string

const (
	CardNetworkAmex       CardNetwork = "amex"
	CardNetworkDiners     CardNetwork = "diners"
	CardNetworkDiscover   CardNetwork = "discover"
	CardNetworkEftpos     CardNetwork = "eftpos"
	CardNetworkJcb        CardNetwork = "jcb"
	CardNetworkMastercard CardNetwork = "mastercard"
	CardNetworkVisa       CardNetwork = "visa"
)

type CardPaymentMethod struct {
	// The id of the payment method.
	ID             string         `json:"id"`
	Type           string         `json:"type"`
	InstrumentData CardInstrument `json:"instrument_data"`
}

type CardPaymentMethodCreate struct {
	Type              string   `json:"type"`
	PaymentMethodData CardData `json:"payment_method_data"`
	// The customer that the method belongs to: a cus_ id, or your own reference of the customer.
	CustomerReference Optional[string] `json:"customer_reference,omitzero"`
	// Required with a publishable key and `customer_reference`: the client_secret of a payment intent
	// of that customer.
	ClientSecret Optional[string] `json:"client_secret,omitzero"`
}

type CardSummary struct {
	// The last four digits, if known.
	Last4 *string `json:"last4"`
	// The month in which it expires.
	ExpMonth int `json:"exp_month"`
	// The year in which it expires.
	ExpYear int `json:"exp_year"`
	// Such as Visa; null if unknown.
	Brand *string `json:"brand"`
	// The wallet that the card came from; null if there was none.
	Wallet *string `json:"wallet"`
}

type CheckoutSession struct {
	// The id of the checkout session.
	ID string `json:"id"`
	// The page for the payer. Only for keys with `payment_links:write`. Lists and events leave it out.
	URL *string `json:"url,omitzero"`
	// Lets a browser read this session with a publishable key. Only for keys with
	// `payment_links:write`. Lists and events leave it out.
	ClientSecret *string `json:"client_secret,omitzero"`
	// `payment`, the default: the payer pays. `setup`: the payer saves a payment method; no money is
	// taken.
	Mode PaymentLinkMode `json:"mode"`
	// The link that it was started from.
	PaymentLinkID *string `json:"payment_link_id"`
	// The payment; null before the first attempt.
	PaymentIntentID *string `json:"payment_intent_id"`
	// The method that was charged or saved; null until the session is completed.
	PaymentMethodID *string `json:"payment_method_id"`
	// What is paid for, as the payer reads it.
	Name *string `json:"name"`
	// More about it, for the payer.
	Description *string `json:"description"`
	// Minor units, without surcharge; null if the payer chooses it.
	Amount *int `json:"amount"`
	// Between which amounts the payer chooses.
	AmountRange *AmountRange `json:"amount_range"`
	// Null in `setup` mode without one.
	Currency *Currency `json:"currency"`
	// The payer; null until a payer is known.
	CustomerID *string `json:"customer_id"`
	Collect    Collect `json:"collect"`
	// How can be paid.
	PaymentMethodTypes []PayableMethodType `json:"payment_method_types"`
	// Whether the page offers a way to pay, while it is open. If not, `not_payable_reason` says why.
	Payable bool `json:"payable"`
	// Why no payer can pay: `methods_not_offered` if the pages take none of `payment_method_types` in
	// this mode, such as cards in live mode, if your processor has no fields for them. Live mode: as
	// far as was known when it was made, or opened last.
	NotPayableReason *NotPayableReason `json:"not_payable_reason"`
	// Whether the method is kept for later payments: never, if the payer agrees, or always.
	SavePaymentMethod SavePaymentMethod `json:"save_payment_method"`
	// Whether the method that is saved becomes the `default_payment_method` of the customer without a
	// box to tick. Only in `setup` mode.
	MakeDefault bool `json:"make_default"`
	// What a completed payment or setup does to a plan or a subscription.
	ApplyTo *ApplyTo `json:"apply_to"`
	// Whether the fee is asked on top. At each payment the rules on surcharges decide.
	SurchargeApplied bool `json:"surcharge_applied"`
	// What the payer’s statement shows.
	StatementDescriptor *string `json:"statement_descriptor"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// Where the last page leads after success.
	SuccessURL *string `json:"success_url"`
	// Where the page leads a payer who leaves.
	CancelURL *string `json:"cancel_url"`
	// When it expires, in the customer’s time.
	ExpiresAt time.Time `json:"expires_at"`
	// `open`: the payer can pay. `processing`: an attempt is under way, or the bank’s challenge, or a
	// bank debit. `completed`: paid, or the method is saved. `expired`: it has ended without that
	// (`status_reason`).
	Status CheckoutSessionStatus `json:"status"`
	// Why it expired: `time`, `requested`, `too_many_attempts`, `link_completed`, `link_expired`,
	// `link_deactivated`, `customer_deleted` or `payment_canceled`; otherwise null.
	StatusReason *string `json:"status_reason"`
	// What the payer agreed to in the last accepted form if the method is kept for later payments;
	// otherwise null. For a bank account without that, see its mandate.
	Consent *CheckoutSessionConsent `json:"consent"`
	// Whether the saved method became the `default_payment_method` of the customer: because of
	// `make_default`, or because the payer has ticked the box. Only in `setup` mode.
	MadeDefault bool `json:"made_default"`
	// How many attempts were declined. The tenth one ends the session.
	FailedAttempts int `json:"failed_attempts"`
	// ISO 8601, UTC.
	CompletedAt *time.Time `json:"completed_at"`
	// ISO 8601, UTC.
	ExpiredAt *time.Time `json:"expired_at"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock of its customer; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

type CheckoutSessionChanges struct {
	// The method that was charged or saved; null until the session is completed.
	PaymentMethodID *string `json:"payment_method_id"`
	// `open`: the payer can pay. `processing`: an attempt is under way, or the bank’s challenge, or a
	// bank debit. `completed`: paid, or the method is saved. `expired`: it has ended without that
	// (`status_reason`).
	Status CheckoutSessionStatus `json:"status"`
	// Why it expired: `time`, `requested`, `too_many_attempts`, `link_completed`, `link_expired`,
	// `link_deactivated`, `customer_deleted` or `payment_canceled`; otherwise null.
	StatusReason *string `json:"status_reason"`
	// How many attempts were declined. The tenth one ends the session.
	FailedAttempts int `json:"failed_attempts"`
}

type CheckoutSessionCompletedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string         `json:"request_id"`
	Data      CheckoutSession `json:"data"`
}

type CheckoutSessionConsent struct {
	// The words that the page said, a line each: what is taken, and what is kept.
	Text string `json:"text"`
	// When the form was accepted, in the customer’s time.
	AcceptedAt time.Time `json:"accepted_at"`
	// The payer’s address.
	IPAddress string `json:"ip_address"`
	// The payer’s browser, as it names itself.
	UserAgent *string `json:"user_agent"`
}

type CheckoutSessionCreate struct {
	// `payment`, the default: the payer pays. `setup`: the payer saves a payment method; no money is
	// taken.
	Mode Optional[PaymentLinkMode] `json:"mode,omitzero"`
	// What is paid for, as the payer reads it. Shown as text.
	Name Optional[string] `json:"name,omitzero"`
	// More about it, for the payer.
	Description Optional[string] `json:"description,omitzero"`
	// Minor units. Either this or `amount_range`; neither in `setup` mode.
	Amount      Optional[int]              `json:"amount,omitzero"`
	AmountRange Optional[AmountRangeInput] `json:"amount_range,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency Optional[Currency] `json:"currency,omitzero"`
	// The payer. If this customer is on a test clock, so is the link.
	CustomerID Optional[string]       `json:"customer_id,omitzero"`
	Collect    Optional[CollectInput] `json:"collect,omitzero"`
	// How can be paid. By default `card`. `au_becs_debit` needs AUD, also for the subject of
	// `apply_to`.
	PaymentMethodTypes Optional[[]PayableMethodType] `json:"payment_method_types,omitzero"`
	// Whether the method is kept for later payments. By default `no`; in `setup` mode always `always`.
	SavePaymentMethod Optional[SavePaymentMethod] `json:"save_payment_method,omitzero"`
	// For `setup` mode: the method that is saved becomes the `default_payment_method` of the customer,
	// and the page says so. Needs the scope `customers:write`. By default the page has a box for it,
	// if the key has this scope.
	MakeDefault Optional[bool]         `json:"make_default,omitzero"`
	ApplyTo     Optional[ApplyToInput] `json:"apply_to,omitzero"`
	// Asks for the fee on top of the amount, where the rules on surcharges allow it.
	SurchargeApplied Optional[bool] `json:"surcharge_applied,omitzero"`
	// What the payer’s statement shows. By default that of the account.
	StatementDescriptor Optional[string] `json:"statement_descriptor,omitzero"`
	// For your own use. Copied to the payment intents, so that `_sandbox_outcome` chooses their
	// outcomes. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// Where the last page leads after success; `{CHECKOUT_SESSION_ID}` is filled in. https in live
	// mode.
	SuccessURL Optional[string] `json:"success_url,omitzero"`
	// Where the page leads a payer who leaves. https in live mode.
	CancelURL Optional[string] `json:"cancel_url,omitzero"`
	// An intent of yours that can be confirmed, also a failed one of a plan or a subscription that can
	// be retried. It decides about amount, payer and metadata.
	PaymentIntentID Optional[string] `json:"payment_intent_id,omitzero"`
	// A subscription with a payment that has failed or come back. The payer saves a method, and it
	// takes what `retry_now` or `resume` would take, which the page says before. The session is one of
	// mode `setup` whose `apply_to` names the subscription.
	SubscriptionID Optional[string] `json:"subscription_id,omitzero"`
	// From 5 minutes to 31 days ahead, in the customer’s time. By default in 24 hours.
	ExpiresAt Optional[time.Time] `json:"expires_at,omitzero"`
}

type CheckoutSessionEffect struct {
	Object string `json:"object"`
	// The checkout session.
	ObjectID string `json:"object_id"`
	// The advance that caused it; null in a dry run.
	AdvanceID *string `json:"advance_id"`
	// The simulated instant at which it happens.
	At time.Time `json:"at"`
	// What happened.
	EventType ClockEffectType `json:"event_type"`
	// The event that reports it; null in a dry run.
	EventID *string                `json:"event_id"`
	Changes CheckoutSessionChanges `json:"changes"`
}

type CheckoutSessionExpiredEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string         `json:"request_id"`
	Data      CheckoutSession `json:"data"`
}

type CheckoutSessionForPayer struct {
	// The id of the checkout session.
	ID string `json:"id"`
	// `payment`, the default: the payer pays. `setup`: the payer saves a payment method; no money is
	// taken.
	Mode PaymentLinkMode `json:"mode"`
	// The method that was charged or saved; null until the session is completed.
	PaymentMethodID *string `json:"payment_method_id"`
	// When it expires, in the customer’s time.
	ExpiresAt time.Time `json:"expires_at"`
	// `open`: the payer can pay. `processing`: an attempt is under way, or the bank’s challenge, or a
	// bank debit. `completed`: paid, or the method is saved. `expired`: it has ended without that
	// (`status_reason`).
	Status CheckoutSessionStatus `json:"status"`
	// Why it expired: `time`, `requested`, `too_many_attempts`, `link_completed`, `link_expired`,
	// `link_deactivated`, `customer_deleted` or `payment_canceled`; otherwise null.
	StatusReason *string `json:"status_reason"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
}

type CheckoutSessionList struct {
	Data []CheckoutSession `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// CheckoutSessionStatus is a name of the API.
type CheckoutSessionStatus string

const (
	CheckoutSessionStatusOpen       CheckoutSessionStatus = "open"
	CheckoutSessionStatusProcessing CheckoutSessionStatus = "processing"
	CheckoutSessionStatusCompleted  CheckoutSessionStatus = "completed"
	CheckoutSessionStatusExpired    CheckoutSessionStatus = "expired"
)

// One effect of an advance of a test clock: the object, what happened to it, and its new values.
//
// Value is a pointer to the type itself; nil if this client does not know it.
type ClockEffect struct {
	Object string `json:"object"`
	// The advance that caused it; null in a dry run.
	AdvanceID *string `json:"advance_id"`
	// The simulated instant at which it happens.
	At time.Time `json:"at"`
	// What happened.
	EventType ClockEffectType `json:"event_type"`
	// The event that reports it; null in a dry run.
	EventID *string          `json:"event_id"`
	Value   ClockEffectValue `json:"-"`
	// Raw is the JSON as received.
	Raw json.RawMessage `json:"-"`
}

// ClockEffectValue is one of the types that a ClockEffect has.
type ClockEffectValue interface{ isClockEffect() }

func (PaymentIntentEffect) isClockEffect()   {}
func (PaymentPlanEffect) isClockEffect()     {}
func (SubscriptionEffect) isClockEffect()    {}
func (MandateEffect) isClockEffect()         {}
func (PaymentLinkEffect) isClockEffect()     {}
func (CheckoutSessionEffect) isClockEffect() {}
func (PayoutEffect) isClockEffect()          {}

// UnmarshalJSON reads the type that the JSON names.
func (u *ClockEffect) UnmarshalJSON(data []byte) error {
	type shared ClockEffect
	var read shared
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	switch read.Object {
	case "payment_intent":
		read.Value = &PaymentIntentEffect{}
	case "payment_plan":
		read.Value = &PaymentPlanEffect{}
	case "subscription":
		read.Value = &SubscriptionEffect{}
	case "mandate":
		read.Value = &MandateEffect{}
	case "payment_link":
		read.Value = &PaymentLinkEffect{}
	case "checkout_session":
		read.Value = &CheckoutSessionEffect{}
	case "payout":
		read.Value = &PayoutEffect{}
	}
	read.Raw = append(json.RawMessage(nil), data...)
	*u = ClockEffect(read)
	if u.Value == nil {
		return nil
	}
	return json.Unmarshal(data, u.Value)
}

// MarshalJSON writes Value with its `object`; without a Value it writes Raw.
func (u ClockEffect) MarshalJSON() ([]byte, error) {
	switch u.Value.(type) {
	case PaymentIntentEffect, *PaymentIntentEffect:
		return marshalWith(u.Value, "object", "payment_intent")
	case PaymentPlanEffect, *PaymentPlanEffect:
		return marshalWith(u.Value, "object", "payment_plan")
	case SubscriptionEffect, *SubscriptionEffect:
		return marshalWith(u.Value, "object", "subscription")
	case MandateEffect, *MandateEffect:
		return marshalWith(u.Value, "object", "mandate")
	case PaymentLinkEffect, *PaymentLinkEffect:
		return marshalWith(u.Value, "object", "payment_link")
	case CheckoutSessionEffect, *CheckoutSessionEffect:
		return marshalWith(u.Value, "object", "checkout_session")
	case PayoutEffect, *PayoutEffect:
		return marshalWith(u.Value, "object", "payout")
	}
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}

type ClockEffectList struct {
	Data []ClockEffect `json:"data"`
	// Whether more items follow.
	HasMore    bool            `json:"has_more"`
	BankDebits BankDebitCounts `json:"bank_debits"`
}

// ClockEffectType is a name of the API.
type ClockEffectType string

const (
	ClockEffectTypePaymentIntentSucceeded      ClockEffectType = "payment_intent.succeeded"
	ClockEffectTypePaymentIntentFailed         ClockEffectType = "payment_intent.failed"
	ClockEffectTypePaymentIntentCanceled       ClockEffectType = "payment_intent.canceled"
	ClockEffectTypePaymentIntentRequiresAction ClockEffectType = "payment_intent.requires_action"
	ClockEffectTypePaymentIntentRestricted     ClockEffectType = "payment_intent.restricted"
	ClockEffectTypePaymentIntentProcessing     ClockEffectType = "payment_intent.processing"
	ClockEffectTypePaymentIntentReturned       ClockEffectType = "payment_intent.returned"
	ClockEffectTypeMandateCreated              ClockEffectType = "mandate.created"
	ClockEffectTypeMandateActivated            ClockEffectType = "mandate.activated"
	ClockEffectTypeMandateNoticeDue            ClockEffectType = "mandate.notice_due"
	ClockEffectTypeMandateCanceled             ClockEffectType = "mandate.canceled"
	ClockEffectTypeMandateFailed               ClockEffectType = "mandate.failed"
	ClockEffectTypeMandateExpired              ClockEffectType = "mandate.expired"
	ClockEffectTypePaymentPlanActivated        ClockEffectType = "payment_plan.activated"
	ClockEffectTypePaymentPlanSuspended        ClockEffectType = "payment_plan.suspended"
	ClockEffectTypePaymentPlanDeactivated      ClockEffectType = "payment_plan.deactivated"
	ClockEffectTypePaymentPlanClosed           ClockEffectType = "payment_plan.closed"
	ClockEffectTypePaymentLinkCreated          ClockEffectType = "payment_link.created"
	ClockEffectTypePaymentLinkPaid             ClockEffectType = "payment_link.paid"
	ClockEffectTypePaymentLinkCompleted        ClockEffectType = "payment_link.completed"
	ClockEffectTypePaymentLinkReopened         ClockEffectType = "payment_link.reopened"
	ClockEffectTypePaymentLinkExpired          ClockEffectType = "payment_link.expired"
	ClockEffectTypePaymentLinkDeactivated      ClockEffectType = "payment_link.deactivated"
	ClockEffectTypePaymentLinkRenewed          ClockEffectType = "payment_link.renewed"
	ClockEffectTypePaymentLinkThrottled        ClockEffectType = "payment_link.throttled"
	ClockEffectTypeCheckoutSessionCompleted    ClockEffectType = "checkout_session.completed"
	ClockEffectTypeCheckoutSessionExpired      ClockEffectType = "checkout_session.expired"
	ClockEffectTypePayoutCreated               ClockEffectType = "payout.created"
	ClockEffectTypePayoutReconciled            ClockEffectType = "payout.reconciled"
	ClockEffectTypePayoutPaid                  ClockEffectType = "payout.paid"
	ClockEffectTypePayoutFailed                ClockEffectType = "payout.failed"
	ClockEffectTypeSubscriptionStarted         ClockEffectType = "subscription.started"
	ClockEffectTypeSubscriptionTrialEnding     ClockEffectType = "subscription.trial_ending"
	ClockEffectTypeSubscriptionRenewed         ClockEffectType = "subscription.renewed"
	ClockEffectTypeSubscriptionPastDue         ClockEffectType = "subscription.past_due"
	ClockEffectTypeSubscriptionRecovered       ClockEffectType = "subscription.recovered"
	ClockEffectTypeSubscriptionPauseScheduled  ClockEffectType = "subscription.pause_scheduled"
	ClockEffectTypeSubscriptionPauseRemoved    ClockEffectType = "subscription.pause_removed"
	ClockEffectTypeSubscriptionPaused          ClockEffectType = "subscription.paused"
	ClockEffectTypeSubscriptionResumed         ClockEffectType = "subscription.resumed"
	ClockEffectTypeSubscriptionCancelScheduled ClockEffectType = "subscription.cancel_scheduled"
	ClockEffectTypeSubscriptionCancelRemoved   ClockEffectType = "subscription.cancel_removed"
	ClockEffectTypeSubscriptionCanceled        ClockEffectType = "subscription.canceled"
	ClockEffectTypeSubscriptionChanged         ClockEffectType = "subscription.changed"
	ClockEffectTypeSubscriptionChangeScheduled ClockEffectType = "subscription.change_scheduled"
	ClockEffectTypeSubscriptionChangeRemoved   ClockEffectType = "subscription.change_removed"
	ClockEffectTypeSubscriptionChangeFailed    ClockEffectType = "subscription.change_failed"
	ClockEffectTypeSubscriptionPeriodPaid      ClockEffectType = "subscription.period_paid"
	ClockEffectTypeSubscriptionUpdated         ClockEffectType = "subscription.updated"
	ClockEffectTypeSubscriptionInEffectChanged ClockEffectType = "subscription.in_effect_changed"
)

type Collect struct {
	// Whether the payer is asked for an e-mail address.
	Email CollectChoice `json:"email"`
	// Whether the payer is asked for a name.
	Name CollectChoice `json:"name"`
	// Whether the payer is asked for a phone number.
	Phone CollectChoice `json:"phone"`
}

// CollectChoice is a name of the API.
type CollectChoice string

const (
	CollectChoiceRequired CollectChoice = "required"
	CollectChoiceOptional CollectChoice = "optional"
	CollectChoiceNo       CollectChoice = "no"
)

// What to ask a payer about the person, if there is no `customer_id`. By default name and email are
// required. A customer is made from it with the first attempt to pay.
type CollectInput struct {
	// Whether the payer is asked for an e-mail address.
	Email Optional[CollectChoice] `json:"email,omitzero"`
	// Whether the payer is asked for a name.
	Name Optional[CollectChoice] `json:"name,omitzero"`
	// Whether the payer is asked for a phone number.
	Phone Optional[CollectChoice] `json:"phone,omitzero"`
}

type ComingPeriod struct {
	// From 1. A trial is period 1.
	Number int `json:"number"`
	// The first day.
	Start string `json:"start"`
	// The first day after it.
	End string `json:"end"`
	// What it costs, without surcharge, minor units.
	AmountCents int `json:"amount_cents"`
	// What it takes.
	Lines []SubscriptionPeriodLine `json:"lines"`
}

type ComingPeriodList struct {
	Data []ComingPeriod `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type CreatedPaymentMethod struct {
	// Always true.
	Success       bool                 `json:"success"`
	PaymentMethod PaymentMethodSummary `json:"payment_method"`
}

// Currency is a name of the API.
type Currency string

const (
	CurrencyUSD Currency = "USD"
	CurrencyAUD Currency = "AUD"
	CurrencyNZD Currency = "NZD"
	CurrencyEUR Currency = "EUR"
	CurrencyGBP Currency = "GBP"
	CurrencyJPY Currency = "JPY"
)

type CurrencyBalance struct {
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// Bank debits that were accepted and have no result yet, minor units.
	InFlight int `json:"in_flight"`
	// What was collected and is not available yet, minor units, fees taken off. In live mode all of
	// it: the processor does not tell when it is available.
	Pending int `json:"pending"`
	// What is available, minor units. Below 0 if more has left than was available.
	Available int `json:"available"`
}

type CurrentPeriod struct {
	// From 1. A trial is period 1.
	Number int `json:"number"`
	// The first day.
	Start string `json:"start"`
	// The first day after it.
	End string `json:"end"`
	// `processing`: being charged. `paid`: collected, or a trial. `retrying`: failed, and retried.
	// `unpaid`: failed, and not retried. `void`: nothing is owed for it, and it was not bought.
	Status SubscriptionPeriodStatus `json:"status"`
}

type Customer struct {
	// The id of the customer.
	ID string `json:"id"`
	// Full name.
	Name *string `json:"name"`
	// Email address.
	Email *string `json:"email"`
	// Your own reference.
	Reference *string `json:"reference"`
	// For your own use. By default `active`.
	Status *CustomerStatus `json:"status"`
	// Business name.
	BusinessName            *string                  `json:"business_name"`
	BillingAddress          *Address                 `json:"billing_address"`
	ShippingAddress         *Address                 `json:"shipping_address"`
	NotificationPreferences *NotificationPreferences `json:"notification_preferences"`
	FeePreferences          *FeePreferences          `json:"fee_preferences"`
	// Free-form.
	AdditionalAttributes map[string]any `json:"additional_attributes"`
	// In the order given.
	Phones []Phone `json:"phones"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// The method that is charged if no other is named. At first, the first method that was saved.
	DefaultPaymentMethod *string `json:"default_payment_method"`
	// The test clock whose time the customer follows; null in real time.
	TestClock *string `json:"test_clock"`
	// The account that the customer belongs to.
	BillerID *string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// When it was deleted; null if it was not.
	DeletedAt *time.Time `json:"deleted_at"`
}

type CustomerCreate struct {
	// Full name.
	Name string `json:"name"`
	// For your own use. By default `active`.
	Status Optional[CustomerStatus] `json:"status,omitzero"`
	// Email address.
	Email Optional[string] `json:"email,omitzero"`
	// Your own reference.
	Reference Optional[string] `json:"reference,omitzero"`
	// Business name.
	BusinessName            Optional[string]                  `json:"business_name,omitzero"`
	BillingAddress          Optional[Address]                 `json:"billing_address,omitzero"`
	ShippingAddress         Optional[Address]                 `json:"shipping_address,omitzero"`
	NotificationPreferences Optional[NotificationPreferences] `json:"notification_preferences,omitzero"`
	FeePreferences          Optional[FeePreferences]          `json:"fee_preferences,omitzero"`
	// Free-form.
	AdditionalAttributes Optional[map[string]any] `json:"additional_attributes,omitzero"`
	// At most 20.
	Phones Optional[[]Phone] `json:"phones,omitzero"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// Sandbox only: the test clock whose time the customer follows. Set at creation; it cannot be
	// changed.
	TestClock Optional[string] `json:"test_clock,omitzero"`
}

type CustomerList struct {
	Data []Customer `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// CustomerStatus is a name of the API.
type CustomerStatus string

const (
	CustomerStatusActive   CustomerStatus = "active"
	CustomerStatusInactive CustomerStatus = "inactive"
)

type CustomerUpdate struct {
	// Full name.
	Name Optional[string] `json:"name,omitzero"`
	// For your own use. By default `active`.
	Status Optional[CustomerStatus] `json:"status,omitzero"`
	// Email address.
	Email Optional[string] `json:"email,omitzero"`
	// Your own reference.
	Reference Optional[string] `json:"reference,omitzero"`
	// Business name.
	BusinessName            Optional[string]                  `json:"business_name,omitzero"`
	BillingAddress          Optional[Address]                 `json:"billing_address,omitzero"`
	ShippingAddress         Optional[Address]                 `json:"shipping_address,omitzero"`
	NotificationPreferences Optional[NotificationPreferences] `json:"notification_preferences,omitzero"`
	FeePreferences          Optional[FeePreferences]          `json:"fee_preferences,omitzero"`
	// Free-form.
	AdditionalAttributes Optional[map[string]any] `json:"additional_attributes,omitzero"`
	// At most 20.
	Phones Optional[[]Phone] `json:"phones,omitzero"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// A method of this customer, or null to have no default.
	DefaultPaymentMethod Optional[string] `json:"default_payment_method,omitzero"`
	// Cannot be changed. Sending it is a validation error.
	TestClock Optional[string] `json:"test_clock,omitzero"`
}

// DashboardRole is a name of the API.
type DashboardRole string

const (
	DashboardRoleViewer  DashboardRole = "viewer"
	DashboardRoleSupport DashboardRole = "support"
	DashboardRoleFinance DashboardRole = "finance"
	DashboardRoleAdmin   DashboardRole = "admin"
)

type DashboardSession struct {
	// The id of the session.
	ID     string `json:"id"`
	Object string `json:"object"`
	// Who it is for.
	Person string `json:"person"`
	// `viewer`: looks. `support`: also retries payments, changes plans and subscriptions, makes links
	// and sends webhooks again. `finance`: looks, sees the books, refunds and downloads. `admin`: all
	// of that.
	Role DashboardRole `json:"role"`
	// ISO 8601, UTC.
	ExpiresAt time.Time `json:"expires_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
}

type DashboardSessionCreate struct {
	// Who it is for. The audit log and the history of a customer name this person.
	Person string `json:"person"`
	// `viewer`: looks. `support`: also retries payments, changes plans and subscriptions, makes links
	// and sends webhooks again. `finance`: looks, sees the books, refunds and downloads. `admin`: all
	// of that.
	Role DashboardRole `json:"role"`
	// After how many seconds it ends, 300 to 43,200; by default 3,600.
	ExpiresIn Optional[int] `json:"expires_in,omitzero"`
}

type DashboardSessionList struct {
	Data []DashboardSession `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type DateOfBirth struct {
	// The day; null if unknown.
	Day *int `json:"day"`
	// The month; null if unknown.
	Month *int `json:"month"`
	// The year; null if unknown.
	Year *int `json:"year"`
}

type DateOfBirthData struct {
	// Day of the month.
	Day Optional[int] `json:"day,omitzero"`
	// Month; 1 is January.
	Month Optional[int] `json:"month,omitzero"`
	// Year, with four digits.
	Year Optional[int] `json:"year,omitzero"`
}

// DebitScheme is a name of the API.
type DebitScheme string

const (
	DebitSchemeAuBecs DebitScheme = "au_becs"
)

type DeletedTestClock struct {
	// The id of the deleted clock.
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

type DeletedWebhookEndpoint struct {
	// The id of the deleted endpoint.
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

// EffectiveOn is a name of the API.
type EffectiveOn string

const (
	EffectiveOnSettled   EffectiveOn = "settled"
	EffectiveOnSubmitted EffectiveOn = "submitted"
)

type EffectsManifest struct {
	// Payment intents attempted during the advance, each counted once.
	PaymentIntentsEnqueued int `json:"payment_intents_enqueued"`
	// Payment links that expired.
	LinksExpired int `json:"links_expired"`
	// Subscriptions that began a period, each counted once.
	SubscriptionsRolled int `json:"subscriptions_rolled"`
	// Plans whose next payment, next attempt or state changed.
	PlansRecalculated int `json:"plans_recalculated"`
}

type ErrorEnvelope struct {
	Error ErrorBody `json:"error"`
}

type ErrorBody struct {
	// What is wrong, for people. The words may change. Programs use `code`.
	Message string `json:"message"`
	// - `invalid_request_error`: the request is wrong, or does not fit the state of the object
	// - `authentication_error`: the key is missing or not valid
	// - `permission_error`: the key may not do this
	// - `idempotency_error`: the Idempotency-Key belongs to another request, or its first request is
	// still running
	// - `rate_limit_error`: too many requests
	// - `api_error`: something is wrong on our side
	Type ErrorBodyType `json:"type"`
	// What is wrong, for programs. See *Codes of errors*.
	Code *ErrorBodyCode `json:"code,omitzero"`
	// Every field error of the request, not only the first.
	Details []ErrorDetail `json:"details,omitzero"`
	// The id of the request, as in the `Request-Id` header.
	RequestID string `json:"request_id"`
	// With `advance_bound_exceeded`: the latest possible target of one advance.
	MaxFrozenTime *time.Time `json:"max_frozen_time,omitzero"`
	// With `mandate_exists`: the mandate of the bank account that has not ended.
	MandateID *string `json:"mandate_id,omitzero"`
	// With `/readyz`: the parts that are not reachable.
	Missing []string `json:"missing,omitzero"`
}

// ErrorBodyType is a name of the API.
//
// - `invalid_request_error`: the request is wrong, or does not fit the state of the object
// - `authentication_error`: the key is missing or not valid
// - `permission_error`: the key may not do this
// - `idempotency_error`: the Idempotency-Key belongs to another request, or its first request is
// still running
// - `rate_limit_error`: too many requests
// - `api_error`: something is wrong on our side
type ErrorBodyType string

const (
	ErrorBodyTypeInvalidRequestError ErrorBodyType = "invalid_request_error"
	ErrorBodyTypeAuthenticationError ErrorBodyType = "authentication_error"
	ErrorBodyTypePermissionError     ErrorBodyType = "permission_error"
	ErrorBodyTypeIdempotencyError    ErrorBodyType = "idempotency_error"
	ErrorBodyTypeRateLimitError      ErrorBodyType = "rate_limit_error"
	ErrorBodyTypeAPIError            ErrorBodyType = "api_error"
)

// ErrorBodyCode is a name of the API.
//
// What is wrong, for programs. See *Codes of errors*.
type ErrorBodyCode string

const (
	ErrorBodyCodeValidationFailed          ErrorBodyCode = "validation_failed"
	ErrorBodyCodeBadRequest                ErrorBodyCode = "bad_request"
	ErrorBodyCodeInvalidJson               ErrorBodyCode = "invalid_json"
	ErrorBodyCodeBodyIncomplete            ErrorBodyCode = "body_incomplete"
	ErrorBodyCodeInvalidHeader             ErrorBodyCode = "invalid_header"
	ErrorBodyCodeUnsupportedContentType    ErrorBodyCode = "unsupported_content_type"
	ErrorBodyCodeUnsupportedEncoding       ErrorBodyCode = "unsupported_encoding"
	ErrorBodyCodeUnauthenticated           ErrorBodyCode = "unauthenticated"
	ErrorBodyCodeInsufficientScope         ErrorBodyCode = "insufficient_scope"
	ErrorBodyCodeSecretKeyRequired         ErrorBodyCode = "secret_key_required"
	ErrorBodyCodeClientSecretInvalid       ErrorBodyCode = "client_secret_invalid"
	ErrorBodyCodeSandboxOnly               ErrorBodyCode = "sandbox_only"
	ErrorBodyCodePaymentMethodNotAllowed   ErrorBodyCode = "payment_method_not_allowed"
	ErrorBodyCodeTooManyAttempts           ErrorBodyCode = "too_many_attempts"
	ErrorBodyCodeResourceMissing           ErrorBodyCode = "resource_missing"
	ErrorBodyCodeRouteNotFound             ErrorBodyCode = "route_not_found"
	ErrorBodyCodeMethodNotAllowed          ErrorBodyCode = "method_not_allowed"
	ErrorBodyCodeRequestTimeout            ErrorBodyCode = "request_timeout"
	ErrorBodyCodeIdempotencyKeyInUse       ErrorBodyCode = "idempotency_key_in_use"
	ErrorBodyCodePayloadTooLarge           ErrorBodyCode = "payload_too_large"
	ErrorBodyCodePaymentMethodLimit        ErrorBodyCode = "payment_method_limit"
	ErrorBodyCodeMisdirectedRequest        ErrorBodyCode = "misdirected_request"
	ErrorBodyCodeIdempotencyKeyReused      ErrorBodyCode = "idempotency_key_reused"
	ErrorBodyCodeInvalidState              ErrorBodyCode = "invalid_state"
	ErrorBodyCodeMandateExists             ErrorBodyCode = "mandate_exists"
	ErrorBodyCodeMandateTextUnknown        ErrorBodyCode = "mandate_text_unknown"
	ErrorBodyCodeMandateUnavailable        ErrorBodyCode = "mandate_unavailable"
	ErrorBodyCodeMandateLimitExceeded      ErrorBodyCode = "mandate_limit_exceeded"
	ErrorBodyCodeResultAfterPeriod         ErrorBodyCode = "result_after_period"
	ErrorBodyCodeQuoteChanged              ErrorBodyCode = "quote_changed"
	ErrorBodyCodeTestClockAdvancing        ErrorBodyCode = "test_clock_advancing"
	ErrorBodyCodeTestClockFailed           ErrorBodyCode = "test_clock_failed"
	ErrorBodyCodeTestClockFull             ErrorBodyCode = "test_clock_full"
	ErrorBodyCodeTestClockLimit            ErrorBodyCode = "test_clock_limit"
	ErrorBodyCodeTestClockCustomersLimit   ErrorBodyCode = "test_clock_customers_limit"
	ErrorBodyCodeAdvanceBoundExceeded      ErrorBodyCode = "advance_bound_exceeded"
	ErrorBodyCodeWebhookEndpointLimit      ErrorBodyCode = "webhook_endpoint_limit"
	ErrorBodyCodeWebhookEndpointUnverified ErrorBodyCode = "webhook_endpoint_unverified"
	ErrorBodyCodeHeadersTooLarge           ErrorBodyCode = "headers_too_large"
	ErrorBodyCodeRateLimited               ErrorBodyCode = "rate_limited"
	ErrorBodyCodeWebhookReplayLimit        ErrorBodyCode = "webhook_replay_limit"
	ErrorBodyCodeInternalError             ErrorBodyCode = "internal_error"
	ErrorBodyCodeUnavailable               ErrorBodyCode = "unavailable"
	ErrorBodyCodeProcessorNotConfigured    ErrorBodyCode = "processor_not_configured"
	ErrorBodyCodeTimeSkippingUnavailable   ErrorBodyCode = "time_skipping_unavailable"
)

// What is wrong with one field.
type ErrorDetail struct {
	// For programs. See *Codes of details*.
	Code ErrorDetailCode `json:"code"`
	// For people.
	Message string `json:"message"`
	// A JSON pointer into the body, such as `/phones/0/raw`; or `query/limit`,
	// `header/Idempotency-TTL`.
	Path *string `json:"path,omitzero"`
}

// ErrorDetailCode is a name of the API.
//
// For programs. See *Codes of details*.
type ErrorDetailCode string

const (
	ErrorDetailCodeParameterMissing             ErrorDetailCode = "parameter_missing"
	ErrorDetailCodeUnknownParameter             ErrorDetailCode = "unknown_parameter"
	ErrorDetailCodeInvalidType                  ErrorDetailCode = "invalid_type"
	ErrorDetailCodeInvalidValue                 ErrorDetailCode = "invalid_value"
	ErrorDetailCodeInvalidFormat                ErrorDetailCode = "invalid_format"
	ErrorDetailCodeOutOfRange                   ErrorDetailCode = "out_of_range"
	ErrorDetailCodeTooLong                      ErrorDetailCode = "too_long"
	ErrorDetailCodeTooShort                     ErrorDetailCode = "too_short"
	ErrorDetailCodeTooMany                      ErrorDetailCode = "too_many"
	ErrorDetailCodeTooFew                       ErrorDetailCode = "too_few"
	ErrorDetailCodeDuplicate                    ErrorDetailCode = "duplicate"
	ErrorDetailCodeImmutable                    ErrorDetailCode = "immutable"
	ErrorDetailCodeResourceMissing              ErrorDetailCode = "resource_missing"
	ErrorDetailCodeCustomerReferenceAmbiguous   ErrorDetailCode = "customer_reference_ambiguous"
	ErrorDetailCodeCustomerDeleted              ErrorDetailCode = "customer_deleted"
	ErrorDetailCodePaymentMethodDetached        ErrorDetailCode = "payment_method_detached"
	ErrorDetailCodePaymentMethodOfOtherCustomer ErrorDetailCode = "payment_method_of_other_customer"
	ErrorDetailCodePaymentMethodNotAllowed      ErrorDetailCode = "payment_method_not_allowed"
	ErrorDetailCodePaymentMethodOfOtherIntent   ErrorDetailCode = "payment_method_of_other_intent"
	ErrorDetailCodePaymentMethodLimit           ErrorDetailCode = "payment_method_limit"
	ErrorDetailCodePaymentMethodMissing         ErrorDetailCode = "payment_method_missing"
	ErrorDetailCodePaymentMethodUnattached      ErrorDetailCode = "payment_method_unattached"
	ErrorDetailCodeNoPeriodLeft                 ErrorDetailCode = "no_period_left"
	ErrorDetailCodeMandateLimitExceeded         ErrorDetailCode = "mandate_limit_exceeded"
	ErrorDetailCodeMandateRequired              ErrorDetailCode = "mandate_required"
	ErrorDetailCodeCurrencyOfScheme             ErrorDetailCode = "currency_of_scheme"
	ErrorDetailCodeMandateTextUnknown           ErrorDetailCode = "mandate_text_unknown"
	ErrorDetailCodeAmountTooSmall               ErrorDetailCode = "amount_too_small"
	ErrorDetailCodeAmountOrRange                ErrorDetailCode = "amount_or_range"
	ErrorDetailCodeMethodCurrencyMismatch       ErrorDetailCode = "method_currency_mismatch"
	ErrorDetailCodeTotalOrUntilFurtherNotice    ErrorDetailCode = "total_or_until_further_notice"
	ErrorDetailCodeUnknownFixtureToken          ErrorDetailCode = "unknown_fixture_token"
	ErrorDetailCodeUnknownEventType             ErrorDetailCode = "unknown_event_type"
	ErrorDetailCodeURLInvalid                   ErrorDetailCode = "url_invalid"
	ErrorDetailCodeURLUnresolvable              ErrorDetailCode = "url_unresolvable"
	ErrorDetailCodeURLNotPublic                 ErrorDetailCode = "url_not_public"
)

// Event is one of several types, by `event_type`.
//
// Value is a pointer to the type itself; nil if this client does not know it.
type Event struct {
	EventType string `json:"event_type"`
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID string `json:"id"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string    `json:"request_id"`
	Value     EventValue `json:"-"`
	// Raw is the JSON as received.
	Raw json.RawMessage `json:"-"`
}

// EventValue is one of the types that a Event has.
type EventValue interface{ isEvent() }

func (PaymentIntentSucceededEvent) isEvent()      {}
func (PaymentIntentFailedEvent) isEvent()         {}
func (PaymentIntentCanceledEvent) isEvent()       {}
func (PaymentIntentRequiresActionEvent) isEvent() {}
func (PaymentIntentRestrictedEvent) isEvent()     {}
func (PaymentIntentProcessingEvent) isEvent()     {}
func (PaymentIntentReturnedEvent) isEvent()       {}
func (MandateCreatedEvent) isEvent()              {}
func (MandateActivatedEvent) isEvent()            {}
func (MandateNoticeDueEvent) isEvent()            {}
func (MandateCanceledEvent) isEvent()             {}
func (MandateFailedEvent) isEvent()               {}
func (MandateExpiredEvent) isEvent()              {}
func (PaymentPlanActivatedEvent) isEvent()        {}
func (PaymentPlanSuspendedEvent) isEvent()        {}
func (PaymentPlanDeactivatedEvent) isEvent()      {}
func (PaymentPlanClosedEvent) isEvent()           {}
func (PaymentLinkCreatedEvent) isEvent()          {}
func (PaymentLinkPaidEvent) isEvent()             {}
func (PaymentLinkCompletedEvent) isEvent()        {}
func (PaymentLinkReopenedEvent) isEvent()         {}
func (PaymentLinkExpiredEvent) isEvent()          {}
func (PaymentLinkDeactivatedEvent) isEvent()      {}
func (PaymentLinkRenewedEvent) isEvent()          {}
func (PaymentLinkThrottledEvent) isEvent()        {}
func (CheckoutSessionCompletedEvent) isEvent()    {}
func (CheckoutSessionExpiredEvent) isEvent()      {}
func (RefundSucceededEvent) isEvent()             {}
func (RefundFailedEvent) isEvent()                {}
func (PayoutCreatedEvent) isEvent()               {}
func (PayoutReconciledEvent) isEvent()            {}
func (PayoutPaidEvent) isEvent()                  {}
func (PayoutFailedEvent) isEvent()                {}
func (SubscriptionStartedEvent) isEvent()         {}
func (SubscriptionTrialEndingEvent) isEvent()     {}
func (SubscriptionRenewedEvent) isEvent()         {}
func (SubscriptionPastDueEvent) isEvent()         {}
func (SubscriptionRecoveredEvent) isEvent()       {}
func (SubscriptionPauseScheduledEvent) isEvent()  {}
func (SubscriptionPauseRemovedEvent) isEvent()    {}
func (SubscriptionPausedEvent) isEvent()          {}
func (SubscriptionResumedEvent) isEvent()         {}
func (SubscriptionCancelScheduledEvent) isEvent() {}
func (SubscriptionCancelRemovedEvent) isEvent()   {}
func (SubscriptionCanceledEvent) isEvent()        {}
func (SubscriptionChangedEvent) isEvent()         {}
func (SubscriptionChangeScheduledEvent) isEvent() {}
func (SubscriptionChangeRemovedEvent) isEvent()   {}
func (SubscriptionChangeFailedEvent) isEvent()    {}
func (SubscriptionPeriodPaidEvent) isEvent()      {}
func (SubscriptionUpdatedEvent) isEvent()         {}
func (SubscriptionInEffectChangedEvent) isEvent() {}
func (TestClockCreatedEvent) isEvent()            {}
func (TestClockAdvancingEvent) isEvent()          {}
func (TestClockReadyEvent) isEvent()              {}
func (TestClockDeletedEvent) isEvent()            {}
func (WebhookEndpointPingEvent) isEvent()         {}
func (WebhookEndpointDisabledEvent) isEvent()     {}

// UnmarshalJSON reads the type that the JSON names.
func (u *Event) UnmarshalJSON(data []byte) error {
	type shared Event
	var read shared
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	switch read.EventType {
	case "payment_intent.succeeded":
		read.Value = &PaymentIntentSucceededEvent{}
	case "payment_intent.failed":
		read.Value = &PaymentIntentFailedEvent{}
	case "payment_intent.canceled":
		read.Value = &PaymentIntentCanceledEvent{}
	case "payment_intent.requires_action":
		read.Value = &PaymentIntentRequiresActionEvent{}
	case "payment_intent.restricted":
		read.Value = &PaymentIntentRestrictedEvent{}
	case "payment_intent.processing":
		read.Value = &PaymentIntentProcessingEvent{}
	case "payment_intent.returned":
		read.Value = &PaymentIntentReturnedEvent{}
	case "mandate.created":
		read.Value = &MandateCreatedEvent{}
	case "mandate.activated":
		read.Value = &MandateActivatedEvent{}
	case "mandate.notice_due":
		read.Value = &MandateNoticeDueEvent{}
	case "mandate.canceled":
		read.Value = &MandateCanceledEvent{}
	case "mandate.failed":
		read.Value = &MandateFailedEvent{}
	case "mandate.expired":
		read.Value = &MandateExpiredEvent{}
	case "payment_plan.activated":
		read.Value = &PaymentPlanActivatedEvent{}
	case "payment_plan.suspended":
		read.Value = &PaymentPlanSuspendedEvent{}
	case "payment_plan.deactivated":
		read.Value = &PaymentPlanDeactivatedEvent{}
	case "payment_plan.closed":
		read.Value = &PaymentPlanClosedEvent{}
	case "payment_link.created":
		read.Value = &PaymentLinkCreatedEvent{}
	case "payment_link.paid":
		read.Value = &PaymentLinkPaidEvent{}
	case "payment_link.completed":
		read.Value = &PaymentLinkCompletedEvent{}
	case "payment_link.reopened":
		read.Value = &PaymentLinkReopenedEvent{}
	case "payment_link.expired":
		read.Value = &PaymentLinkExpiredEvent{}
	case "payment_link.deactivated":
		read.Value = &PaymentLinkDeactivatedEvent{}
	case "payment_link.renewed":
		read.Value = &PaymentLinkRenewedEvent{}
	case "payment_link.throttled":
		read.Value = &PaymentLinkThrottledEvent{}
	case "checkout_session.completed":
		read.Value = &CheckoutSessionCompletedEvent{}
	case "checkout_session.expired":
		read.Value = &CheckoutSessionExpiredEvent{}
	case "refund.succeeded":
		read.Value = &RefundSucceededEvent{}
	case "refund.failed":
		read.Value = &RefundFailedEvent{}
	case "payout.created":
		read.Value = &PayoutCreatedEvent{}
	case "payout.reconciled":
		read.Value = &PayoutReconciledEvent{}
	case "payout.paid":
		read.Value = &PayoutPaidEvent{}
	case "payout.failed":
		read.Value = &PayoutFailedEvent{}
	case "subscription.started":
		read.Value = &SubscriptionStartedEvent{}
	case "subscription.trial_ending":
		read.Value = &SubscriptionTrialEndingEvent{}
	case "subscription.renewed":
		read.Value = &SubscriptionRenewedEvent{}
	case "subscription.past_due":
		read.Value = &SubscriptionPastDueEvent{}
	case "subscription.recovered":
		read.Value = &SubscriptionRecoveredEvent{}
	case "subscription.pause_scheduled":
		read.Value = &SubscriptionPauseScheduledEvent{}
	case "subscription.pause_removed":
		read.Value = &SubscriptionPauseRemovedEvent{}
	case "subscription.paused":
		read.Value = &SubscriptionPausedEvent{}
	case "subscription.resumed":
		read.Value = &SubscriptionResumedEvent{}
	case "subscription.cancel_scheduled":
		read.Value = &SubscriptionCancelScheduledEvent{}
	case "subscription.cancel_removed":
		read.Value = &SubscriptionCancelRemovedEvent{}
	case "subscription.canceled":
		read.Value = &SubscriptionCanceledEvent{}
	case "subscription.changed":
		read.Value = &SubscriptionChangedEvent{}
	case "subscription.change_scheduled":
		read.Value = &SubscriptionChangeScheduledEvent{}
	case "subscription.change_removed":
		read.Value = &SubscriptionChangeRemovedEvent{}
	case "subscription.change_failed":
		read.Value = &SubscriptionChangeFailedEvent{}
	case "subscription.period_paid":
		read.Value = &SubscriptionPeriodPaidEvent{}
	case "subscription.updated":
		read.Value = &SubscriptionUpdatedEvent{}
	case "subscription.in_effect_changed":
		read.Value = &SubscriptionInEffectChangedEvent{}
	case "test_clock.created":
		read.Value = &TestClockCreatedEvent{}
	case "test_clock.advancing":
		read.Value = &TestClockAdvancingEvent{}
	case "test_clock.ready":
		read.Value = &TestClockReadyEvent{}
	case "test_clock.deleted":
		read.Value = &TestClockDeletedEvent{}
	case "webhook_endpoint.ping":
		read.Value = &WebhookEndpointPingEvent{}
	case "webhook_endpoint.disabled":
		read.Value = &WebhookEndpointDisabledEvent{}
	}
	read.Raw = append(json.RawMessage(nil), data...)
	*u = Event(read)
	if u.Value == nil {
		return nil
	}
	return json.Unmarshal(data, u.Value)
}

// MarshalJSON writes Value with its `event_type`; without a Value it writes Raw.
func (u Event) MarshalJSON() ([]byte, error) {
	switch u.Value.(type) {
	case PaymentIntentSucceededEvent, *PaymentIntentSucceededEvent:
		return marshalWith(u.Value, "event_type", "payment_intent.succeeded")
	case PaymentIntentFailedEvent, *PaymentIntentFailedEvent:
		return marshalWith(u.Value, "event_type", "payment_intent.failed")
	case PaymentIntentCanceledEvent, *PaymentIntentCanceledEvent:
		return marshalWith(u.Value, "event_type", "payment_intent.canceled")
	case PaymentIntentRequiresActionEvent, *PaymentIntentRequiresActionEvent:
		return marshalWith(u.Value, "event_type", "payment_intent.requires_action")
	case PaymentIntentRestrictedEvent, *PaymentIntentRestrictedEvent:
		return marshalWith(u.Value, "event_type", "payment_intent.restricted")
	case PaymentIntentProcessingEvent, *PaymentIntentProcessingEvent:
		return marshalWith(u.Value, "event_type", "payment_intent.processing")
	case PaymentIntentReturnedEvent, *PaymentIntentReturnedEvent:
		return marshalWith(u.Value, "event_type", "payment_intent.returned")
	case MandateCreatedEvent, *MandateCreatedEvent:
		return marshalWith(u.Value, "event_type", "mandate.created")
	case MandateActivatedEvent, *MandateActivatedEvent:
		return marshalWith(u.Value, "event_type", "mandate.activated")
	case MandateNoticeDueEvent, *MandateNoticeDueEvent:
		return marshalWith(u.Value, "event_type", "mandate.notice_due")
	case MandateCanceledEvent, *MandateCanceledEvent:
		return marshalWith(u.Value, "event_type", "mandate.canceled")
	case MandateFailedEvent, *MandateFailedEvent:
		return marshalWith(u.Value, "event_type", "mandate.failed")
	case MandateExpiredEvent, *MandateExpiredEvent:
		return marshalWith(u.Value, "event_type", "mandate.expired")
	case PaymentPlanActivatedEvent, *PaymentPlanActivatedEvent:
		return marshalWith(u.Value, "event_type", "payment_plan.activated")
	case PaymentPlanSuspendedEvent, *PaymentPlanSuspendedEvent:
		return marshalWith(u.Value, "event_type", "payment_plan.suspended")
	case PaymentPlanDeactivatedEvent, *PaymentPlanDeactivatedEvent:
		return marshalWith(u.Value, "event_type", "payment_plan.deactivated")
	case PaymentPlanClosedEvent, *PaymentPlanClosedEvent:
		return marshalWith(u.Value, "event_type", "payment_plan.closed")
	case PaymentLinkCreatedEvent, *PaymentLinkCreatedEvent:
		return marshalWith(u.Value, "event_type", "payment_link.created")
	case PaymentLinkPaidEvent, *PaymentLinkPaidEvent:
		return marshalWith(u.Value, "event_type", "payment_link.paid")
	case PaymentLinkCompletedEvent, *PaymentLinkCompletedEvent:
		return marshalWith(u.Value, "event_type", "payment_link.completed")
	case PaymentLinkReopenedEvent, *PaymentLinkReopenedEvent:
		return marshalWith(u.Value, "event_type", "payment_link.reopened")
	case PaymentLinkExpiredEvent, *PaymentLinkExpiredEvent:
		return marshalWith(u.Value, "event_type", "payment_link.expired")
	case PaymentLinkDeactivatedEvent, *PaymentLinkDeactivatedEvent:
		return marshalWith(u.Value, "event_type", "payment_link.deactivated")
	case PaymentLinkRenewedEvent, *PaymentLinkRenewedEvent:
		return marshalWith(u.Value, "event_type", "payment_link.renewed")
	case PaymentLinkThrottledEvent, *PaymentLinkThrottledEvent:
		return marshalWith(u.Value, "event_type", "payment_link.throttled")
	case CheckoutSessionCompletedEvent, *CheckoutSessionCompletedEvent:
		return marshalWith(u.Value, "event_type", "checkout_session.completed")
	case CheckoutSessionExpiredEvent, *CheckoutSessionExpiredEvent:
		return marshalWith(u.Value, "event_type", "checkout_session.expired")
	case RefundSucceededEvent, *RefundSucceededEvent:
		return marshalWith(u.Value, "event_type", "refund.succeeded")
	case RefundFailedEvent, *RefundFailedEvent:
		return marshalWith(u.Value, "event_type", "refund.failed")
	case PayoutCreatedEvent, *PayoutCreatedEvent:
		return marshalWith(u.Value, "event_type", "payout.created")
	case PayoutReconciledEvent, *PayoutReconciledEvent:
		return marshalWith(u.Value, "event_type", "payout.reconciled")
	case PayoutPaidEvent, *PayoutPaidEvent:
		return marshalWith(u.Value, "event_type", "payout.paid")
	case PayoutFailedEvent, *PayoutFailedEvent:
		return marshalWith(u.Value, "event_type", "payout.failed")
	case SubscriptionStartedEvent, *SubscriptionStartedEvent:
		return marshalWith(u.Value, "event_type", "subscription.started")
	case SubscriptionTrialEndingEvent, *SubscriptionTrialEndingEvent:
		return marshalWith(u.Value, "event_type", "subscription.trial_ending")
	case SubscriptionRenewedEvent, *SubscriptionRenewedEvent:
		return marshalWith(u.Value, "event_type", "subscription.renewed")
	case SubscriptionPastDueEvent, *SubscriptionPastDueEvent:
		return marshalWith(u.Value, "event_type", "subscription.past_due")
	case SubscriptionRecoveredEvent, *SubscriptionRecoveredEvent:
		return marshalWith(u.Value, "event_type", "subscription.recovered")
	case SubscriptionPauseScheduledEvent, *SubscriptionPauseScheduledEvent:
		return marshalWith(u.Value, "event_type", "subscription.pause_scheduled")
	case SubscriptionPauseRemovedEvent, *SubscriptionPauseRemovedEvent:
		return marshalWith(u.Value, "event_type", "subscription.pause_removed")
	case SubscriptionPausedEvent, *SubscriptionPausedEvent:
		return marshalWith(u.Value, "event_type", "subscription.paused")
	case SubscriptionResumedEvent, *SubscriptionResumedEvent:
		return marshalWith(u.Value, "event_type", "subscription.resumed")
	case SubscriptionCancelScheduledEvent, *SubscriptionCancelScheduledEvent:
		return marshalWith(u.Value, "event_type", "subscription.cancel_scheduled")
	case SubscriptionCancelRemovedEvent, *SubscriptionCancelRemovedEvent:
		return marshalWith(u.Value, "event_type", "subscription.cancel_removed")
	case SubscriptionCanceledEvent, *SubscriptionCanceledEvent:
		return marshalWith(u.Value, "event_type", "subscription.canceled")
	case SubscriptionChangedEvent, *SubscriptionChangedEvent:
		return marshalWith(u.Value, "event_type", "subscription.changed")
	case SubscriptionChangeScheduledEvent, *SubscriptionChangeScheduledEvent:
		return marshalWith(u.Value, "event_type", "subscription.change_scheduled")
	case SubscriptionChangeRemovedEvent, *SubscriptionChangeRemovedEvent:
		return marshalWith(u.Value, "event_type", "subscription.change_removed")
	case SubscriptionChangeFailedEvent, *SubscriptionChangeFailedEvent:
		return marshalWith(u.Value, "event_type", "subscription.change_failed")
	case SubscriptionPeriodPaidEvent, *SubscriptionPeriodPaidEvent:
		return marshalWith(u.Value, "event_type", "subscription.period_paid")
	case SubscriptionUpdatedEvent, *SubscriptionUpdatedEvent:
		return marshalWith(u.Value, "event_type", "subscription.updated")
	case SubscriptionInEffectChangedEvent, *SubscriptionInEffectChangedEvent:
		return marshalWith(u.Value, "event_type", "subscription.in_effect_changed")
	case TestClockCreatedEvent, *TestClockCreatedEvent:
		return marshalWith(u.Value, "event_type", "test_clock.created")
	case TestClockAdvancingEvent, *TestClockAdvancingEvent:
		return marshalWith(u.Value, "event_type", "test_clock.advancing")
	case TestClockReadyEvent, *TestClockReadyEvent:
		return marshalWith(u.Value, "event_type", "test_clock.ready")
	case TestClockDeletedEvent, *TestClockDeletedEvent:
		return marshalWith(u.Value, "event_type", "test_clock.deleted")
	case WebhookEndpointPingEvent, *WebhookEndpointPingEvent:
		return marshalWith(u.Value, "event_type", "webhook_endpoint.ping")
	case WebhookEndpointDisabledEvent, *WebhookEndpointDisabledEvent:
		return marshalWith(u.Value, "event_type", "webhook_endpoint.disabled")
	}
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}

type EventList struct {
	Data []Event `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// EventOrder is a name of the API.
type EventOrder string

const (
	EventOrderAsc  EventOrder = "asc"
	EventOrderDesc EventOrder = "desc"
)

// EventType is a name of the API.
type EventType string

const (
	EventTypePaymentIntentSucceeded      EventType = "payment_intent.succeeded"
	EventTypePaymentIntentFailed         EventType = "payment_intent.failed"
	EventTypePaymentIntentCanceled       EventType = "payment_intent.canceled"
	EventTypePaymentIntentRequiresAction EventType = "payment_intent.requires_action"
	EventTypePaymentIntentRestricted     EventType = "payment_intent.restricted"
	EventTypePaymentIntentProcessing     EventType = "payment_intent.processing"
	EventTypePaymentIntentReturned       EventType = "payment_intent.returned"
	EventTypeMandateCreated              EventType = "mandate.created"
	EventTypeMandateActivated            EventType = "mandate.activated"
	EventTypeMandateNoticeDue            EventType = "mandate.notice_due"
	EventTypeMandateCanceled             EventType = "mandate.canceled"
	EventTypeMandateFailed               EventType = "mandate.failed"
	EventTypeMandateExpired              EventType = "mandate.expired"
	EventTypePaymentPlanActivated        EventType = "payment_plan.activated"
	EventTypePaymentPlanSuspended        EventType = "payment_plan.suspended"
	EventTypePaymentPlanDeactivated      EventType = "payment_plan.deactivated"
	EventTypePaymentPlanClosed           EventType = "payment_plan.closed"
	EventTypePaymentLinkCreated          EventType = "payment_link.created"
	EventTypePaymentLinkPaid             EventType = "payment_link.paid"
	EventTypePaymentLinkCompleted        EventType = "payment_link.completed"
	EventTypePaymentLinkReopened         EventType = "payment_link.reopened"
	EventTypePaymentLinkExpired          EventType = "payment_link.expired"
	EventTypePaymentLinkDeactivated      EventType = "payment_link.deactivated"
	EventTypePaymentLinkRenewed          EventType = "payment_link.renewed"
	EventTypePaymentLinkThrottled        EventType = "payment_link.throttled"
	EventTypeCheckoutSessionCompleted    EventType = "checkout_session.completed"
	EventTypeCheckoutSessionExpired      EventType = "checkout_session.expired"
	EventTypeRefundSucceeded             EventType = "refund.succeeded"
	EventTypeRefundFailed                EventType = "refund.failed"
	EventTypePayoutCreated               EventType = "payout.created"
	EventTypePayoutReconciled            EventType = "payout.reconciled"
	EventTypePayoutPaid                  EventType = "payout.paid"
	EventTypePayoutFailed                EventType = "payout.failed"
	EventTypeSubscriptionStarted         EventType = "subscription.started"
	EventTypeSubscriptionTrialEnding     EventType = "subscription.trial_ending"
	EventTypeSubscriptionRenewed         EventType = "subscription.renewed"
	EventTypeSubscriptionPastDue         EventType = "subscription.past_due"
	EventTypeSubscriptionRecovered       EventType = "subscription.recovered"
	EventTypeSubscriptionPauseScheduled  EventType = "subscription.pause_scheduled"
	EventTypeSubscriptionPauseRemoved    EventType = "subscription.pause_removed"
	EventTypeSubscriptionPaused          EventType = "subscription.paused"
	EventTypeSubscriptionResumed         EventType = "subscription.resumed"
	EventTypeSubscriptionCancelScheduled EventType = "subscription.cancel_scheduled"
	EventTypeSubscriptionCancelRemoved   EventType = "subscription.cancel_removed"
	EventTypeSubscriptionCanceled        EventType = "subscription.canceled"
	EventTypeSubscriptionChanged         EventType = "subscription.changed"
	EventTypeSubscriptionChangeScheduled EventType = "subscription.change_scheduled"
	EventTypeSubscriptionChangeRemoved   EventType = "subscription.change_removed"
	EventTypeSubscriptionChangeFailed    EventType = "subscription.change_failed"
	EventTypeSubscriptionPeriodPaid      EventType = "subscription.period_paid"
	EventTypeSubscriptionUpdated         EventType = "subscription.updated"
	EventTypeSubscriptionInEffectChanged EventType = "subscription.in_effect_changed"
	EventTypeTestClockCreated            EventType = "test_clock.created"
	EventTypeTestClockAdvancing          EventType = "test_clock.advancing"
	EventTypeTestClockReady              EventType = "test_clock.ready"
	EventTypeTestClockDeleted            EventType = "test_clock.deleted"
	EventTypeWebhookEndpointPing         EventType = "webhook_endpoint.ping"
	EventTypeWebhookEndpointDisabled     EventType = "webhook_endpoint.disabled"
)

type FailedPaymentIntent struct {
	// The id of the payment intent; `pi_sandbox_…` in the sandbox.
	ID string `json:"id"`
	// Lets a browser act on this payment intent with a publishable key. A secret key gets it only with
	// the scope `payment_intents:write`. Lists and events leave it out.
	ClientSecret *string `json:"client_secret,omitzero"`
	// The base amount, minor units.
	Amount int `json:"amount"`
	// What is charged: base amount plus surcharge, minor units.
	TotalAmount int `json:"total_amount"`
	// The fee by the biller’s fee schedule for this kind of payment method, minor units, whether or
	// not it is passed on. Decided at each attempt. While the method is unknown, the most that any
	// kind costs.
	FeeAmount int `json:"fee_amount"`
	// What the payer pays on top, minor units: the fee if you ask for it and the rules on surcharges
	// allow it, less if they cap it, else 0. Decided at each attempt. Before the first one it is the
	// most that the payment method, or any method while none is named, may carry at the creation.
	SurchargeAmount int `json:"surcharge_amount"`
	// Whether the payer pays a surcharge.
	SurchargeApplied bool `json:"surcharge_applied"`
	// Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee
	// (`capped`). Null if it is taken whole, or not asked for.
	SurchargeReason *SurchargeReason `json:"surcharge_reason"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// `requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
	// `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
	// `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken. `failed`:
	// declined; `last_payment_error` says why, and you can confirm it again. `canceled`: it will not
	// be charged. `returned`: a bank debit had succeeded, and the bank has taken the money back;
	// `last_payment_error` says why.
	Status PaymentIntentStatus `json:"status"`
	// The saved method that is or was charged.
	PaymentMethodID *string `json:"payment_method_id,omitzero"`
	// The payer.
	CustomerID *string `json:"customer_id,omitzero"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// The plan that created it; null for a single payment.
	PaymentPlanID *string `json:"payment_plan_id"`
	// The payment link that it was made by.
	PaymentLinkID *string `json:"payment_link_id,omitzero"`
	// The last checkout session in which a payer could pay it.
	CheckoutSessionID *string `json:"checkout_session_id,omitzero"`
	// The subscription that created it, if one did.
	SubscriptionID *string `json:"subscription_id,omitzero"`
	// The number of the period that it pays, or in which the change was made that it pays.
	// Subscriptions only.
	SubscriptionPeriod *int `json:"subscription_period,omitzero"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// The date of a scheduled payment.
	ScheduledPaymentDate *string `json:"scheduled_payment_date,omitzero"`
	// What is paid for, as the payer reads it.
	Description *string `json:"description,omitzero"`
	// What the payer’s statement shows: the one given, or that of the account.
	StatementDescriptor *string `json:"statement_descriptor,omitzero"`
	// The sum of the refunds that succeeded, minor units.
	TotalRefundedAmount int `json:"total_refunded_amount"`
	// What you hold of this payment now, minor units: the total while the status is `succeeded`,
	// otherwise 0, less the refunds that succeeded. A debit that came back and was collected again
	// counts once. Below 0 if the bank took a debit back that you had refunded.
	NetCollectedAmount int `json:"net_collected_amount"`
	// The mandate of the last debit. Present for bank debits under a mandate only.
	MandateID *string `json:"mandate_id,omitzero"`
	// What the payer’s bank statement shows of the last debit. Present for bank debits under a mandate
	// only.
	LodgementReference *string `json:"lodgement_reference,omitzero"`
	// When the bank reports whether it collected the debit, a date of its scheme. Bank debits only.
	ExpectedResultDate *string `json:"expected_result_date,omitzero"`
	// The last date on which the bank can take the debit back. Present once a debit has succeeded.
	ReturnableUntil *string `json:"returnable_until,omitzero"`
	// What the bank has taken back, minor units: the whole of each debit that came back, whatever was
	// refunded before. Bank debits only.
	TotalReturnedAmount *int `json:"total_returned_amount,omitzero"`
	// Why the last attempt failed; null if it did not fail or there was none.
	LastPaymentError *PaymentError `json:"last_payment_error"`
	// Where to send the payer while the status is `requires_action`, else null: a page of the service,
	// which in live mode leads to the payer’s bank and back. Shown where `client_secret` is.
	NextAction *NextAction `json:"next_action,omitzero"`
	// The page with the receipt, once the payment has succeeded. Anyone who has this URL can read it.
	// Lists and events leave it out.
	ReceiptURL *string `json:"receipt_url,omitzero"`
	// When the money was last collected, in the customer’s time; a bank debit: when it settled. Null
	// before. It stays when the payment is refunded or comes back.
	CollectedAt *time.Time `json:"collected_at"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The number of the attempt that failed, from 1.
	Attempt int `json:"attempt"`
	// Whether the plan or subscription retries this payment.
	WillRetry bool `json:"will_retry"`
	// When the plan or subscription retries it; null if it does not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
}

type FailedPaymentsReport struct {
	Data []FailedPaymentsReportRow `json:"data"`
}

type FailedPaymentsReportRow struct {
	// ISO 8601, UTC.
	FailedAt *time.Time `json:"failed_at,omitzero"`
	// `failed`: an attempt failed. `returned`: the bank took back a debit that had succeeded.
	Kind *FailedPaymentsReportRowKind `json:"kind,omitzero"`
	// The payment.
	PaymentIntentID *string `json:"payment_intent_id,omitzero"`
	// The number of the attempt, from 1.
	Attempt *int `json:"attempt,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency *Currency `json:"currency,omitzero"`
	// What was to be paid, surcharge included. Minor units.
	Amount *int `json:"amount,omitzero"`
	// Why it failed, for programs.
	Code *string `json:"code,omitzero"`
	// Why it failed, in words.
	Message *string `json:"message,omitzero"`
	// The bank’s own code of a debit.
	BankCode *string `json:"bank_code,omitzero"`
	// The type of the payment method.
	PaymentMethodType *string `json:"payment_method_type,omitzero"`
	// The last four digits of the card or account.
	PaymentMethodLast4 *string `json:"payment_method_last4,omitzero"`
	// The payer; null without a customer.
	CustomerID *string `json:"customer_id,omitzero"`
	// The name of the customer, as it is now.
	CustomerName *string `json:"customer_name,omitzero"`
	// Your reference of the customer, as it is now.
	CustomerReference *string `json:"customer_reference,omitzero"`
	// The plan that made the payment; null if none did.
	PaymentPlanID *string `json:"payment_plan_id,omitzero"`
	// The subscription that made the payment; null if none did.
	SubscriptionID *string `json:"subscription_id,omitzero"`
	// Whether it was to be tried again, as known then.
	WillRetry *bool `json:"will_retry,omitzero"`
	// When, as known then; null if it was not to be tried again.
	NextAttemptAt *time.Time `json:"next_attempt_at,omitzero"`
	// The status of the payment now; null if the payment was deleted.
	Status *string `json:"status,omitzero"`
	// When the money was last collected; null if it was not.
	CollectedAt *time.Time `json:"collected_at,omitzero"`
}

// FailedPaymentsReportRowKind is a name of the API.
//
// `failed`: an attempt failed. `returned`: the bank took back a debit that had succeeded.
type FailedPaymentsReportRowKind string

const (
	FailedPaymentsReportRowKindFailed   FailedPaymentsReportRowKind = "failed"
	FailedPaymentsReportRowKindReturned FailedPaymentsReportRowKind = "returned"
)

// FailureBehaviour is a name of the API.
type FailureBehaviour string

const (
	FailureBehaviourRetry FailureBehaviour = "retry"
	FailureBehaviourStop  FailureBehaviour = "stop"
)

type FeePreferences struct {
	// Whether every payment of the customer carries the fee as a surcharge.
	CustomerPaysTransactionFees *bool `json:"customer_pays_transaction_fees,omitzero"`
}

type Healthy struct {
	Status string `json:"status"`
}

type KlarnaData struct {
	// The date of birth, as far as it is known. Parts that you leave out are returned as null.
	Dob Optional[DateOfBirthData] `json:"dob,omitzero"`
}

type KlarnaInstrument struct {
	Dob *DateOfBirth `json:"dob"`
}

type KlarnaPaymentMethod struct {
	// The id of the payment method.
	ID             string           `json:"id"`
	Type           string           `json:"type"`
	InstrumentData KlarnaInstrument `json:"instrument_data"`
}

type KlarnaPaymentMethodCreate struct {
	Type           string     `json:"type"`
	InstrumentData KlarnaData `json:"instrument_data"`
	// The customer that the method belongs to: a cus_ id, or your own reference of the customer.
	CustomerReference Optional[string] `json:"customer_reference,omitzero"`
}

type Mandate struct {
	// The id of the mandate.
	ID string `json:"id"`
	// The payer.
	CustomerID string `json:"customer_id"`
	// The bank account that may be debited.
	PaymentMethodID string `json:"payment_method_id"`
	// The debit scheme. `au_becs`: direct debits in Australia.
	Scheme DebitScheme `json:"scheme"`
	// For people: `DDR-` and 14 letters and digits. Show it to the payer.
	Reference string `json:"reference"`
	// `pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`,
	// `failed`, `expired`: ended for good; `status_reason` says why. The payer can give a new mandate.
	Status MandateStatus `json:"status"`
	// Why it has ended; null until then. `requested`: by you. `payer_canceled`, `payment_stopped`: by
	// the payer at the bank. `debit_disputed`: the payer has claimed a debit back.
	// `payment_method_detached`, `customer_deleted`: with its account or customer. `account_invalid`,
	// `account_closed`, `account_holder_deceased`: the bank has refused a debit. `unused`: 15 months
	// without a debit.
	StatusReason *string `json:"status_reason"`
	// Why you canceled it, in your words.
	CancellationReason *string `json:"cancellation_reason"`
	// How the payer agreed; null until then.
	Acceptance *MandateAcceptance `json:"acceptance"`
	// The most that one debit may take, surcharge included, minor units; null for no limit.
	MaxAmountCents *int `json:"max_amount_cents"`
	// Whether the amounts of the debits differ, as the payer was told.
	AmountType MandateAmountType `json:"amount_type"`
	// How often debits are made, as the payer was told.
	FrequencyText *string `json:"frequency_text"`
	// The date, on the scheme’s clock, on which a debit that is requested now would be charged. Null
	// unless the mandate is active, and after the last cut-off before it lapses.
	NextPossibleChargeDate *string `json:"next_possible_charge_date"`
	// When it was last used; null if it never was.
	LastDebitedAt *time.Time `json:"last_debited_at"`
	// When it became active; null while it is pending.
	ActivatedAt *time.Time `json:"activated_at"`
	// When it ended; null until then.
	EndedAt *time.Time `json:"ended_at"`
	// Notices that the payer must get, and those that were sent; oldest first.
	Notices []MandateNotice `json:"notices"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock of the customer; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

type MandateAccept struct {
	// How the payer agreed. `online` needs `ip_address` and `user_agent`. `imported`: with other
	// words, to another service, from which you bring the mandate. A publishable key accepts `online`
	// only.
	Type MandateAcceptanceType `json:"type"`
	// When the payer agreed, on the customer’s time; not ahead. By default now, if `type` is `online`.
	// With a publishable key it is always now, whatever you send.
	AcceptedAt Optional[time.Time] `json:"accepted_at,omitzero"`
	// The address that the payer’s browser had at your server.
	IPAddress Optional[string] `json:"ip_address,omitzero"`
	// The `User-Agent` of the payer’s browser.
	UserAgent Optional[string] `json:"user_agent,omitzero"`
	// The name of the person who agreed.
	SignatoryName string `json:"signatory_name"`
	// The `version` of the text that the payer was shown. Required unless `type` is `imported`.
	TextVersion Optional[string] `json:"text_version,omitzero"`
	// The `sha256` of that text. Required unless `type` is `imported`.
	TextSha256 Optional[string] `json:"text_sha256,omitzero"`
	// Required with a publishable key: the client_secret of a payment intent of the mandate’s customer
	// that can still be confirmed.
	ClientSecret Optional[string] `json:"client_secret,omitzero"`
}

type MandateAcceptance struct {
	// How the payer agreed.
	Type MandateAcceptanceType `json:"type"`
	// ISO 8601, UTC.
	AcceptedAt time.Time `json:"accepted_at"`
	// The payer’s address, as it was sent.
	IPAddress *string `json:"ip_address"`
	// The payer’s browser, as it was sent.
	UserAgent *string `json:"user_agent"`
	// What the service has seen of a payer who accepted with a publishable key or on a page; null if
	// you recorded it.
	Connection *MandateConnection `json:"connection"`
	// Who agreed.
	SignatoryName string `json:"signatory_name"`
	// The version of the text; null for an imported mandate that was agreed to with other words.
	TextVersion *string `json:"text_version"`
	// The hash of the text.
	TextSha256 *string `json:"text_sha256"`
}

type MandateAcceptanceInput struct {
	// How the payer agreed. `online` needs `ip_address` and `user_agent`. `imported`: with other
	// words, to another service, from which you bring the mandate. A publishable key accepts `online`
	// only.
	Type MandateAcceptanceType `json:"type"`
	// When the payer agreed, on the customer’s time; not ahead. By default now, if `type` is `online`.
	// With a publishable key it is always now, whatever you send.
	AcceptedAt Optional[time.Time] `json:"accepted_at,omitzero"`
	// The address that the payer’s browser had at your server.
	IPAddress Optional[string] `json:"ip_address,omitzero"`
	// The `User-Agent` of the payer’s browser.
	UserAgent Optional[string] `json:"user_agent,omitzero"`
	// The name of the person who agreed.
	SignatoryName string `json:"signatory_name"`
	// The `version` of the text that the payer was shown. Required unless `type` is `imported`.
	TextVersion Optional[string] `json:"text_version,omitzero"`
	// The `sha256` of that text. Required unless `type` is `imported`.
	TextSha256 Optional[string] `json:"text_sha256,omitzero"`
}

// MandateAcceptanceType is a name of the API.
type MandateAcceptanceType string

const (
	MandateAcceptanceTypeOnline    MandateAcceptanceType = "online"
	MandateAcceptanceTypePaper     MandateAcceptanceType = "paper"
	MandateAcceptanceTypeTelephone MandateAcceptanceType = "telephone"
	MandateAcceptanceTypeImported  MandateAcceptanceType = "imported"
)

type MandateActivatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Mandate `json:"data"`
}

// MandateAmountType is a name of the API.
type MandateAmountType string

const (
	MandateAmountTypeVariable MandateAmountType = "variable"
	MandateAmountTypeFixed    MandateAmountType = "fixed"
)

type MandateCancel struct {
	// The reason, in your words.
	Reason Optional[string] `json:"reason,omitzero"`
}

type MandateCanceledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Mandate `json:"data"`
}

type MandateChanges struct {
	// `pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`,
	// `failed`, `expired`: ended for good; `status_reason` says why. The payer can give a new mandate.
	Status MandateStatus `json:"status"`
	// Why it has ended; null until then. `requested`: by you. `payer_canceled`, `payment_stopped`: by
	// the payer at the bank. `debit_disputed`: the payer has claimed a debit back.
	// `payment_method_detached`, `customer_deleted`: with its account or customer. `account_invalid`,
	// `account_closed`, `account_holder_deceased`: the bank has refused a debit. `unused`: 15 months
	// without a debit.
	StatusReason *string `json:"status_reason"`
	// When it ended; null until then.
	EndedAt *time.Time `json:"ended_at"`
}

type MandateConnection struct {
	// The address from which the payer accepted.
	IPAddress string `json:"ip_address"`
	// The browser; null if it did not name itself.
	UserAgent *string `json:"user_agent"`
}

type MandateCreate struct {
	// A saved Australian bank account, pm_…. It has no other mandate that has not ended.
	PaymentMethodID string `json:"payment_method_id"`
	// The payer. By default the customer of the payment method. A method without one is attached.
	CustomerID Optional[string]                 `json:"customer_id,omitzero"`
	Acceptance Optional[MandateAcceptanceInput] `json:"acceptance,omitzero"`
	// The most that one debit may take, surcharge included, minor units. By default no limit.
	MaxAmountCents Optional[int] `json:"max_amount_cents,omitzero"`
	// Whether the amounts of the debits differ; by default `variable`. It is for the payer only.
	AmountType Optional[MandateAmountType] `json:"amount_type,omitzero"`
	// How often debits are made, for the payer.
	FrequencyText Optional[string] `json:"frequency_text,omitzero"`
	// Required with a publishable key: the client_secret of a payment intent of the mandate’s customer
	// that can still be confirmed.
	ClientSecret Optional[string] `json:"client_secret,omitzero"`
}

type MandateCreatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Mandate `json:"data"`
}

type MandateEffect struct {
	Object string `json:"object"`
	// The mandate.
	ObjectID string `json:"object_id"`
	// The advance that caused it; null in a dry run.
	AdvanceID *string `json:"advance_id"`
	// The simulated instant at which it happens.
	At time.Time `json:"at"`
	// What happened.
	EventType ClockEffectType `json:"event_type"`
	// The event that reports it; null in a dry run.
	EventID *string        `json:"event_id"`
	Changes MandateChanges `json:"changes"`
}

type MandateExpiredEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Mandate `json:"data"`
}

type MandateFailedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Mandate `json:"data"`
}

type MandateForPayer struct {
	// The id of the mandate.
	ID string `json:"id"`
	// The bank account that may be debited.
	PaymentMethodID string `json:"payment_method_id"`
	// The debit scheme. `au_becs`: direct debits in Australia.
	Scheme DebitScheme `json:"scheme"`
	// For people: `DDR-` and 14 letters and digits. Show it to the payer.
	Reference string `json:"reference"`
	// `pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`,
	// `failed`, `expired`: ended for good; `status_reason` says why. The payer can give a new mandate.
	Status MandateStatus `json:"status"`
	// Why it has ended; null until then. `requested`: by you. `payer_canceled`, `payment_stopped`: by
	// the payer at the bank. `debit_disputed`: the payer has claimed a debit back.
	// `payment_method_detached`, `customer_deleted`: with its account or customer. `account_invalid`,
	// `account_closed`, `account_holder_deceased`: the bank has refused a debit. `unused`: 15 months
	// without a debit.
	StatusReason *string `json:"status_reason"`
	// The most that one debit may take, surcharge included, minor units; null for no limit.
	MaxAmountCents *int `json:"max_amount_cents"`
	// Whether the amounts of the debits differ, as the payer was told.
	AmountType MandateAmountType `json:"amount_type"`
	// How often debits are made, as the payer was told.
	FrequencyText *string `json:"frequency_text"`
	// The date, on the scheme’s clock, on which a debit that is requested now would be charged. Null
	// unless the mandate is active, and after the last cut-off before it lapses.
	NextPossibleChargeDate *string `json:"next_possible_charge_date"`
	// When it became active; null while it is pending.
	ActivatedAt *time.Time `json:"activated_at"`
	// When it ended; null until then.
	EndedAt *time.Time `json:"ended_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

type MandateList struct {
	Data []Mandate `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// A notice that the payer must get. You send it, not the service.
type MandateNotice struct {
	// `confirmation`: that the mandate is active. `amount_changed`, `terms_changed`: a change of what
	// the payer agreed to.
	Kind MandateNoticeKind `json:"kind"`
	// The last date, on the scheme’s clock, to send it in time; null if you recorded it unasked.
	DueBy *string `json:"due_by"`
	// When you sent it, as you recorded it; null until then.
	SentAt *time.Time `json:"sent_at"`
	// How you sent it; null until then.
	Channel *MandateNoticeChannel `json:"channel"`
}

// MandateNoticeChannel is a name of the API.
type MandateNoticeChannel string

const (
	MandateNoticeChannelEmail     MandateNoticeChannel = "email"
	MandateNoticeChannelLetter    MandateNoticeChannel = "letter"
	MandateNoticeChannelMessage   MandateNoticeChannel = "message"
	MandateNoticeChannelTelephone MandateNoticeChannel = "telephone"
	MandateNoticeChannelInPerson  MandateNoticeChannel = "in_person"
)

type MandateNoticeDueEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Mandate `json:"data"`
}

// MandateNoticeKind is a name of the API.
type MandateNoticeKind string

const (
	MandateNoticeKindConfirmation  MandateNoticeKind = "confirmation"
	MandateNoticeKindAmountChanged MandateNoticeKind = "amount_changed"
	MandateNoticeKindTermsChanged  MandateNoticeKind = "terms_changed"
)

type MandateNoticeSent struct {
	// `confirmation`: that the mandate is active. `amount_changed`, `terms_changed`: a change of what
	// the payer agreed to.
	Kind MandateNoticeKind `json:"kind"`
	// How you notified the payer.
	Channel MandateNoticeChannel `json:"channel"`
	// When you sent it, on the customer’s time; not ahead. By default now.
	SentAt Optional[time.Time] `json:"sent_at,omitzero"`
}

// MandateStatus is a name of the API.
type MandateStatus string

const (
	MandateStatusPending  MandateStatus = "pending"
	MandateStatusActive   MandateStatus = "active"
	MandateStatusCanceled MandateStatus = "canceled"
	MandateStatusFailed   MandateStatus = "failed"
	MandateStatusExpired  MandateStatus = "expired"
)

type MandateText struct {
	// The debit scheme. `au_becs`: direct debits in Australia.
	Scheme DebitScheme `json:"scheme"`
	// The version of the words. A text never changes under one version and name.
	Version string `json:"version"`
	// A part of a page, without scripts and styles. Show it as it is.
	HTML string `json:"html"`
	// Of the bytes of `html` in UTF-8.
	Sha256 string `json:"sha256"`
}

type MandatesReport struct {
	Data []MandatesReportRow `json:"data"`
}

type MandatesReportRow struct {
	// The mandate.
	ID *string `json:"id,omitzero"`
	// What the payer’s bank knows it by.
	Reference *string `json:"reference,omitzero"`
	// `pending`: the payer has not agreed yet. `active`: the account may be debited. `canceled`,
	// `failed`, `expired`: ended for good; `status_reason` says why. The payer can give a new mandate.
	Status *MandateStatus `json:"status,omitzero"`
	// Why it has ended.
	StatusReason *string `json:"status_reason,omitzero"`
	// The debit scheme. `au_becs`: direct debits in Australia.
	Scheme *DebitScheme `json:"scheme,omitzero"`
	// The payer; null without a customer.
	CustomerID *string `json:"customer_id,omitzero"`
	// The name of the customer, as it is now.
	CustomerName *string `json:"customer_name,omitzero"`
	// Your reference of the customer, as it is now.
	CustomerReference *string `json:"customer_reference,omitzero"`
	// The bank account.
	PaymentMethodID *string `json:"payment_method_id,omitzero"`
	// The name of the account.
	AccountName *string `json:"account_name,omitzero"`
	// The last four digits of its number.
	AccountLast4 *string `json:"account_last4,omitzero"`
	// The most of one debit, minor units; null: no limit.
	MaxAmountCents *int `json:"max_amount_cents,omitzero"`
	// What was agreed about amounts.
	AmountType *MandateAmountType `json:"amount_type,omitzero"`
	// How the payer agreed; null if it was not agreed to yet.
	AcceptanceType *string `json:"acceptance_type,omitzero"`
	// When the payer agreed.
	AcceptedAt *time.Time `json:"accepted_at,omitzero"`
	// Since when the account may be debited.
	ActivatedAt *time.Time `json:"activated_at,omitzero"`
	// When it was last debited.
	LastDebitedAt *time.Time `json:"last_debited_at,omitzero"`
	// When it expires unless it is debited before.
	LapsesAt *time.Time `json:"lapses_at,omitzero"`
	// When it ended.
	EndedAt *time.Time `json:"ended_at,omitzero"`
	// ISO 8601, UTC.
	CreatedAt *time.Time `json:"created_at,omitzero"`
}

type NewDashboardSession struct {
	// The id of the session.
	ID     string `json:"id"`
	Object string `json:"object"`
	// Who it is for.
	Person string `json:"person"`
	// `viewer`: looks. `support`: also retries payments, changes plans and subscriptions, makes links
	// and sends webhooks again. `finance`: looks, sees the books, refunds and downloads. `admin`: all
	// of that.
	Role DashboardRole `json:"role"`
	// Opens the dashboard, once and within five minutes. It shows a page with a button: loading the
	// page uses nothing up.
	URL string `json:"url"`
	// ISO 8601, UTC.
	ExpiresAt time.Time `json:"expires_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
}

type NextAction struct {
	// Open the URL in the payer’s browser.
	Type string `json:"type"`
	// The page on which the payer passes the challenge.
	URL string `json:"url"`
}

// NotPayableReason is a name of the API.
type NotPayableReason string

const (
	NotPayableReasonMethodsNotOffered NotPayableReason = "methods_not_offered"
)

type NotificationPreferences struct {
	// Emails about payments. Stored for you; the service sends nothing.
	SendPaymentEmails *bool `json:"send_payment_emails,omitzero"`
	// Reminders by SMS. Stored for you; the service sends nothing.
	SendSmsReminders *bool `json:"send_sms_reminders,omitzero"`
	// Failures by SMS. Stored for you; the service sends nothing.
	SendSmsFailures *bool `json:"send_sms_failures,omitzero"`
}

type PayIdData struct {
	// The PayID.
	Payid string `json:"payid"`
	// The name of the account.
	AccountName string `json:"account_name"`
	// Such as email or phone.
	PayidType Optional[string] `json:"payid_type,omitzero"`
}

type PayIdInstrument struct {
	// The PayID.
	Payid string `json:"payid"`
	// The name of the account.
	AccountName string `json:"account_name"`
	// Such as email or phone.
	PayidType *string `json:"payid_type,omitzero"`
}

type PayIdPaymentMethod struct {
	// The id of the payment method.
	ID             string          `json:"id"`
	Type           string          `json:"type"`
	InstrumentData PayIdInstrument `json:"instrument_data"`
}

type PayIdPaymentMethodCreate struct {
	Type           string    `json:"type"`
	InstrumentData PayIdData `json:"instrument_data"`
	// The customer that the method belongs to: a cus_ id, or your own reference of the customer.
	CustomerReference Optional[string] `json:"customer_reference,omitzero"`
}

type PayPalData struct {
	// The email address of the PayPal account.
	PaypalEmail string `json:"paypal_email"`
	// The name of the account.
	AccountName string `json:"account_name"`
	// The tokenised account.
	PaypalToken Optional[string] `json:"paypal_token,omitzero"`
}

type PayPalInstrument struct {
	// The email address of the PayPal account.
	PaypalEmail string `json:"paypal_email"`
	// The name of the account.
	AccountName string `json:"account_name"`
	// The tokenised account.
	PaypalToken *string `json:"paypal_token,omitzero"`
}

type PayPalPaymentMethod struct {
	// The id of the payment method.
	ID             string           `json:"id"`
	Type           string           `json:"type"`
	InstrumentData PayPalInstrument `json:"instrument_data"`
}

type PayPalPaymentMethodCreate struct {
	Type           string     `json:"type"`
	InstrumentData PayPalData `json:"instrument_data"`
	// The customer that the method belongs to: a cus_ id, or your own reference of the customer.
	CustomerReference Optional[string] `json:"customer_reference,omitzero"`
}

// PayableMethodType is a name of the API.
type PayableMethodType string

const (
	PayableMethodTypeCard        PayableMethodType = "card"
	PayableMethodTypeAuBecsDebit PayableMethodType = "au_becs_debit"
)

type PaymentError struct {
	// Why the last attempt failed, for programs: see *Codes of failed payments*.
	Code string `json:"code"`
	// For people.
	Message string `json:"message"`
}

type PaymentIntent struct {
	// The id of the payment intent; `pi_sandbox_…` in the sandbox.
	ID string `json:"id"`
	// Lets a browser act on this payment intent with a publishable key. A secret key gets it only with
	// the scope `payment_intents:write`. Lists and events leave it out.
	ClientSecret *string `json:"client_secret,omitzero"`
	// The base amount, minor units.
	Amount int `json:"amount"`
	// What is charged: base amount plus surcharge, minor units.
	TotalAmount int `json:"total_amount"`
	// The fee by the biller’s fee schedule for this kind of payment method, minor units, whether or
	// not it is passed on. Decided at each attempt. While the method is unknown, the most that any
	// kind costs.
	FeeAmount int `json:"fee_amount"`
	// What the payer pays on top, minor units: the fee if you ask for it and the rules on surcharges
	// allow it, less if they cap it, else 0. Decided at each attempt. Before the first one it is the
	// most that the payment method, or any method while none is named, may carry at the creation.
	SurchargeAmount int `json:"surcharge_amount"`
	// Whether the payer pays a surcharge.
	SurchargeApplied bool `json:"surcharge_applied"`
	// Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee
	// (`capped`). Null if it is taken whole, or not asked for.
	SurchargeReason *SurchargeReason `json:"surcharge_reason"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// `requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
	// `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
	// `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken. `failed`:
	// declined; `last_payment_error` says why, and you can confirm it again. `canceled`: it will not
	// be charged. `returned`: a bank debit had succeeded, and the bank has taken the money back;
	// `last_payment_error` says why.
	Status PaymentIntentStatus `json:"status"`
	// The saved method that is or was charged.
	PaymentMethodID *string `json:"payment_method_id,omitzero"`
	// The payer.
	CustomerID *string `json:"customer_id,omitzero"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// The plan that created it; null for a single payment.
	PaymentPlanID *string `json:"payment_plan_id"`
	// The payment link that it was made by.
	PaymentLinkID *string `json:"payment_link_id,omitzero"`
	// The last checkout session in which a payer could pay it.
	CheckoutSessionID *string `json:"checkout_session_id,omitzero"`
	// The subscription that created it, if one did.
	SubscriptionID *string `json:"subscription_id,omitzero"`
	// The number of the period that it pays, or in which the change was made that it pays.
	// Subscriptions only.
	SubscriptionPeriod *int `json:"subscription_period,omitzero"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// The date of a scheduled payment.
	ScheduledPaymentDate *string `json:"scheduled_payment_date,omitzero"`
	// What is paid for, as the payer reads it.
	Description *string `json:"description,omitzero"`
	// What the payer’s statement shows: the one given, or that of the account.
	StatementDescriptor *string `json:"statement_descriptor,omitzero"`
	// The sum of the refunds that succeeded, minor units.
	TotalRefundedAmount int `json:"total_refunded_amount"`
	// What you hold of this payment now, minor units: the total while the status is `succeeded`,
	// otherwise 0, less the refunds that succeeded. A debit that came back and was collected again
	// counts once. Below 0 if the bank took a debit back that you had refunded.
	NetCollectedAmount int `json:"net_collected_amount"`
	// The mandate of the last debit. Present for bank debits under a mandate only.
	MandateID *string `json:"mandate_id,omitzero"`
	// What the payer’s bank statement shows of the last debit. Present for bank debits under a mandate
	// only.
	LodgementReference *string `json:"lodgement_reference,omitzero"`
	// When the bank reports whether it collected the debit, a date of its scheme. Bank debits only.
	ExpectedResultDate *string `json:"expected_result_date,omitzero"`
	// The last date on which the bank can take the debit back. Present once a debit has succeeded.
	ReturnableUntil *string `json:"returnable_until,omitzero"`
	// What the bank has taken back, minor units: the whole of each debit that came back, whatever was
	// refunded before. Bank debits only.
	TotalReturnedAmount *int `json:"total_returned_amount,omitzero"`
	// Why the last attempt failed; null if it did not fail or there was none.
	LastPaymentError *PaymentError `json:"last_payment_error"`
	// Where to send the payer while the status is `requires_action`, else null: a page of the service,
	// which in live mode leads to the payer’s bank and back. Shown where `client_secret` is.
	NextAction *NextAction `json:"next_action,omitzero"`
	// The page with the receipt, once the payment has succeeded. Anyone who has this URL can read it.
	// Lists and events leave it out.
	ReceiptURL *string `json:"receipt_url,omitzero"`
	// When the money was last collected, in the customer’s time; a bank debit: when it settled. Null
	// before. It stays when the payment is refunded or comes back.
	CollectedAt *time.Time `json:"collected_at"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
}

type PaymentIntentActionCompletion struct {
	// Whether the payer passes the challenge.
	Result PaymentIntentActionCompletionResult `json:"result"`
}

// PaymentIntentActionCompletionResult is a name of the API.
//
// Whether the payer passes the challenge.
type PaymentIntentActionCompletionResult string

const (
	PaymentIntentActionCompletionResultSucceed PaymentIntentActionCompletionResult = "succeed"
	PaymentIntentActionCompletionResultFail    PaymentIntentActionCompletionResult = "fail"
)

type PaymentIntentBankResult struct {
	// `settled`: collected. `dishonoured`: not collected. Both while the payment is processing.
	// `returned`: a late dishonour. `disputed`: the payer claims the money back. Both after it has
	// succeeded.
	Result PaymentIntentBankResultResult `json:"result"`
	// The bank’s code for `dishonoured` and `returned`: 1 to 6, or 9. By default 6, a lack of funds.
	BankCode Optional[string] `json:"bank_code,omitzero"`
}

// PaymentIntentBankResultResult is a name of the API.
//
// `settled`: collected. `dishonoured`: not collected. Both while the payment is processing.
// `returned`: a late dishonour. `disputed`: the payer claims the money back. Both after it has
// succeeded.
type PaymentIntentBankResultResult string

const (
	PaymentIntentBankResultResultSettled     PaymentIntentBankResultResult = "settled"
	PaymentIntentBankResultResultDishonoured PaymentIntentBankResultResult = "dishonoured"
	PaymentIntentBankResultResultReturned    PaymentIntentBankResultResult = "returned"
	PaymentIntentBankResultResultDisputed    PaymentIntentBankResultResult = "disputed"
)

type PaymentIntentCanceledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string       `json:"request_id"`
	Data      PaymentIntent `json:"data"`
}

type PaymentIntentChanges struct {
	// `requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
	// `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
	// `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken. `failed`:
	// declined; `last_payment_error` says why, and you can confirm it again. `canceled`: it will not
	// be charged. `returned`: a bank debit had succeeded, and the bank has taken the money back;
	// `last_payment_error` says why.
	Status PaymentIntentStatus `json:"status"`
	// The base amount, minor units.
	Amount int `json:"amount"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// The number of the attempt, from 1.
	Attempt int `json:"attempt"`
	// Why the last attempt failed; null if it did not fail or there was none.
	LastPaymentError *PaymentError `json:"last_payment_error"`
	// When the bank reports whether it collected the debit, a date of its scheme. Bank debits only.
	ExpectedResultDate *string `json:"expected_result_date,omitzero"`
	// Whether the plan retries this payment.
	WillRetry bool `json:"will_retry"`
	// ISO 8601, UTC.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
}

type PaymentIntentConfirm struct {
	// A saved method, pm_…. You can leave it out if the payment intent has one.
	PaymentMethod Optional[string] `json:"payment_method,omitzero"`
	// The customer who pays. Needed, with a secret key, if the payment intent has no customer and the
	// method belongs to one: so a browser that sends the method cannot choose the customer.
	CustomerID Optional[string] `json:"customer_id,omitzero"`
	// Required with a publishable key: the client_secret of this payment intent.
	ClientSecret Optional[string] `json:"client_secret,omitzero"`
	// Where the payer continues after the page of a 3D Secure challenge. Absolute, without
	// credentials, `https` in live mode. It stays until another confirm names one.
	ReturnURL Optional[string] `json:"return_url,omitzero"`
}

type PaymentIntentCreate struct {
	// Minor units, at least 200 and at most 100000. For more, make a payment plan of one payment, or a
	// payment link.
	Amount int `json:"amount"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// The payer. Name it to charge a method of a customer, by a confirm or on a date: the customer of
	// a method is not taken over.
	CustomerID Optional[string] `json:"customer_id,omitzero"`
	// Your own biller id. Any other is refused.
	BillerID Optional[string] `json:"biller_id,omitzero"`
	// A saved method, pm_…. A confirm that names no method charges this one.
	PaymentMethod Optional[string] `json:"payment_method,omitzero"`
	// Charges the payment in the same request, as a confirm does. Needs `payment_method`. Not together
	// with `scheduled_payment_date`.
	Confirm Optional[bool] `json:"confirm,omitzero"`
	// Free-form. Accepted, but not stored: to charge a method, save it with POST /payment_methods.
	PaymentMethodData Optional[map[string]any] `json:"payment_method_data,omitzero"`
	// For your own use. In the sandbox `_sandbox_outcome` chooses the outcome of a charge, and
	// `_sandbox_bank_outcome` that of a bank debit, `_sandbox_payout` that of its payouts: see
	// *Modes*. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// Asks for the fee on top of the amount, where the rules on surcharges allow it.
	SurchargeApplied Optional[bool] `json:"surcharge_applied,omitzero"`
	// The service charges at 00:00 of this date in the account’s time zone, or within seconds if it is
	// today. From today to 366 days ahead. Needs `payment_method`, and `customer_id` if the method
	// belongs to a customer. Confirming or canceling earlier ends the schedule.
	ScheduledPaymentDate Optional[string] `json:"scheduled_payment_date,omitzero"`
	// What is paid for. The payer reads it on receipts, and on the page of a checkout session.
	Description Optional[string] `json:"description,omitzero"`
	// What the payer’s statement shows. By default that of the account.
	StatementDescriptor Optional[string] `json:"statement_descriptor,omitzero"`
}

type PaymentIntentEffect struct {
	Object string `json:"object"`
	// Null in a dry run if the advance would create the payment intent.
	ObjectID *string `json:"object_id"`
	// The advance that caused it; null in a dry run.
	AdvanceID *string `json:"advance_id"`
	// The simulated instant at which it happens.
	At time.Time `json:"at"`
	// What happened.
	EventType ClockEffectType `json:"event_type"`
	// The event that reports it; null in a dry run.
	EventID *string `json:"event_id"`
	// Null for a scheduled payment.
	PaymentPlanID *string `json:"payment_plan_id"`
	// The slot of the plan that the payment is for.
	Slot *int `json:"slot"`
	// The date of the slot.
	DueDate *string              `json:"due_date"`
	Changes PaymentIntentChanges `json:"changes"`
}

type PaymentIntentFailedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string             `json:"request_id"`
	Data      FailedPaymentIntent `json:"data"`
}

type PaymentIntentForPayer struct {
	// The id of the payment intent; `pi_sandbox_…` in the sandbox.
	ID string `json:"id"`
	// Lets a browser act on this payment intent with a publishable key. A secret key gets it only with
	// the scope `payment_intents:write`. Lists and events leave it out.
	ClientSecret *string `json:"client_secret,omitzero"`
	// The base amount, minor units.
	Amount int `json:"amount"`
	// What is charged: base amount plus surcharge, minor units.
	TotalAmount int `json:"total_amount"`
	// What the payer pays on top, minor units: the fee if you ask for it and the rules on surcharges
	// allow it, less if they cap it, else 0. Decided at each attempt. Before the first one it is the
	// most that the payment method, or any method while none is named, may carry at the creation.
	SurchargeAmount int `json:"surcharge_amount"`
	// Whether the payer pays a surcharge.
	SurchargeApplied bool `json:"surcharge_applied"`
	// Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee
	// (`capped`). Null if it is taken whole, or not asked for.
	SurchargeReason *SurchargeReason `json:"surcharge_reason"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// `requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
	// `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
	// `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken. `failed`:
	// declined; `last_payment_error` says why, and you can confirm it again. `canceled`: it will not
	// be charged. `returned`: a bank debit had succeeded, and the bank has taken the money back;
	// `last_payment_error` says why.
	Status PaymentIntentStatus `json:"status"`
	// What the payer’s statement shows: the one given, or that of the account.
	StatementDescriptor *string `json:"statement_descriptor,omitzero"`
	// Why the last attempt failed; null if it did not fail or there was none.
	LastPaymentError *PaymentError `json:"last_payment_error"`
	// Where to send the payer while the status is `requires_action`, else null: a page of the service,
	// which in live mode leads to the payer’s bank and back. Shown where `client_secret` is.
	NextAction *NextAction `json:"next_action,omitzero"`
	// The page with the receipt, once the payment has succeeded. Anyone who has this URL can read it.
	// Lists and events leave it out.
	ReceiptURL *string `json:"receipt_url,omitzero"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
}

type PaymentIntentList struct {
	Data []PaymentIntent `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type PaymentIntentProcessingEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string       `json:"request_id"`
	Data      PaymentIntent `json:"data"`
}

type PaymentIntentRequiresActionEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string       `json:"request_id"`
	Data      PaymentIntent `json:"data"`
}

type PaymentIntentRestrictedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string       `json:"request_id"`
	Data      PaymentIntent `json:"data"`
}

type PaymentIntentReturnedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string               `json:"request_id"`
	Data      ReturnedPaymentIntent `json:"data"`
}

// PaymentIntentStatus is a name of the API.
type PaymentIntentStatus string

const (
	PaymentIntentStatusRequiresPaymentMethod PaymentIntentStatus = "requires_payment_method"
	PaymentIntentStatusProcessing            PaymentIntentStatus = "processing"
	PaymentIntentStatusRequiresAction        PaymentIntentStatus = "requires_action"
	PaymentIntentStatusSucceeded             PaymentIntentStatus = "succeeded"
	PaymentIntentStatusFailed                PaymentIntentStatus = "failed"
	PaymentIntentStatusCanceled              PaymentIntentStatus = "canceled"
	PaymentIntentStatusReturned              PaymentIntentStatus = "returned"
)

type PaymentIntentSucceededEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string       `json:"request_id"`
	Data      PaymentIntent `json:"data"`
}

type PaymentLink struct {
	// The id of the payment link.
	ID string `json:"id"`
	// What you send to the payer. Anyone who has it can pay. Events leave it out.
	URL *string `json:"url,omitzero"`
	// `payment`, the default: the payer pays. `setup`: the payer saves a payment method; no money is
	// taken.
	Mode PaymentLinkMode `json:"mode"`
	// What is paid for, as the payer reads it.
	Name string `json:"name"`
	// More about it, for the payer.
	Description *string `json:"description"`
	// Minor units, without surcharge; null if the payer chooses it.
	Amount *int `json:"amount"`
	// Between which amounts the payer chooses.
	AmountRange *AmountRange `json:"amount_range"`
	// Null in `setup` mode without one.
	Currency *Currency `json:"currency"`
	// The payer; null until a payer is known.
	CustomerID *string `json:"customer_id"`
	Collect    Collect `json:"collect"`
	// How can be paid.
	PaymentMethodTypes []PayableMethodType `json:"payment_method_types"`
	// Whether the page offers a way to pay, while it is open. If not, `not_payable_reason` says why.
	Payable bool `json:"payable"`
	// Why no payer can pay: `methods_not_offered` if the pages take none of `payment_method_types` in
	// this mode, such as cards in live mode, if your processor has no fields for them. Live mode: as
	// far as was known when it was made, or opened last.
	NotPayableReason *NotPayableReason `json:"not_payable_reason"`
	// Whether the method is kept for later payments: never, if the payer agrees, or always.
	SavePaymentMethod SavePaymentMethod `json:"save_payment_method"`
	// Whether the method that is saved becomes the `default_payment_method` of the customer without a
	// box to tick. Only in `setup` mode.
	MakeDefault bool `json:"make_default"`
	// What a completed payment or setup does to a plan or a subscription.
	ApplyTo *ApplyTo `json:"apply_to"`
	// Whether the fee is asked on top. At each payment the rules on surcharges decide.
	SurchargeApplied bool `json:"surcharge_applied"`
	// What the payer’s statement shows.
	StatementDescriptor *string `json:"statement_descriptor"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// Where the last page leads after success.
	SuccessURL *string `json:"success_url"`
	// Where the page leads a payer who leaves.
	CancelURL *string `json:"cancel_url"`
	// Your own reference.
	Reference *string `json:"reference"`
	// How many payments it takes; null for any number.
	MaxPayments *int `json:"max_payments"`
	// When it expires, in the customer’s time; null if never.
	ExpiresAt *time.Time `json:"expires_at"`
	// `open`: it can be paid. `completed`: it has taken all its payments. If one of them comes back,
	// the link is open again, or `expired` if its `expires_at` has come. `expired`: its `expires_at`
	// has come. `deactivated`: by you, or with its customer (`status_reason`). The last two can be
	// renewed.
	Status PaymentLinkStatus `json:"status"`
	// Why it ended: `time`, `payment_returned` (a payment came back after its `expires_at`),
	// `requested` or `customer_deleted`; null while open and when completed.
	StatusReason *string `json:"status_reason"`
	// Its payments that have succeeded and did not come back. In `setup` mode, the methods saved.
	PaymentsCount int `json:"payments_count"`
	// The sum of these payments without surcharges, minor units.
	CollectedAmount int `json:"collected_amount"`
	// ISO 8601, UTC.
	CompletedAt *time.Time `json:"completed_at"`
	// ISO 8601, UTC.
	ExpiredAt *time.Time `json:"expired_at"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock of its customer; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

type PaymentLinkChanges struct {
	// `open`: it can be paid. `completed`: it has taken all its payments. If one of them comes back,
	// the link is open again, or `expired` if its `expires_at` has come. `expired`: its `expires_at`
	// has come. `deactivated`: by you, or with its customer (`status_reason`). The last two can be
	// renewed.
	Status PaymentLinkStatus `json:"status"`
	// Why it ended: `time`, `payment_returned` (a payment came back after its `expires_at`),
	// `requested` or `customer_deleted`; null while open and when completed.
	StatusReason *string `json:"status_reason"`
	// Its payments that have succeeded and did not come back. In `setup` mode, the methods saved.
	PaymentsCount int `json:"payments_count"`
	// The sum of these payments without surcharges, minor units.
	CollectedAmount int `json:"collected_amount"`
}

type PaymentLinkCompletedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentLink `json:"data"`
}

type PaymentLinkCreate struct {
	// `payment`, the default: the payer pays. `setup`: the payer saves a payment method; no money is
	// taken.
	Mode Optional[PaymentLinkMode] `json:"mode,omitzero"`
	// What is paid for, as the payer reads it. Shown as text.
	Name string `json:"name"`
	// More about it, for the payer.
	Description Optional[string] `json:"description,omitzero"`
	// Minor units. Either this or `amount_range`; neither in `setup` mode.
	Amount      Optional[int]              `json:"amount,omitzero"`
	AmountRange Optional[AmountRangeInput] `json:"amount_range,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency Optional[Currency] `json:"currency,omitzero"`
	// The payer. If this customer is on a test clock, so is the link.
	CustomerID Optional[string]       `json:"customer_id,omitzero"`
	Collect    Optional[CollectInput] `json:"collect,omitzero"`
	// How can be paid. By default `card`. `au_becs_debit` needs AUD, also for the subject of
	// `apply_to`.
	PaymentMethodTypes Optional[[]PayableMethodType] `json:"payment_method_types,omitzero"`
	// Whether the method is kept for later payments. By default `no`; in `setup` mode always `always`.
	SavePaymentMethod Optional[SavePaymentMethod] `json:"save_payment_method,omitzero"`
	// For `setup` mode: the method that is saved becomes the `default_payment_method` of the customer,
	// and the page says so. Needs the scope `customers:write`. By default the page has a box for it,
	// if the key has this scope.
	MakeDefault Optional[bool]         `json:"make_default,omitzero"`
	ApplyTo     Optional[ApplyToInput] `json:"apply_to,omitzero"`
	// Asks for the fee on top of the amount, where the rules on surcharges allow it.
	SurchargeApplied Optional[bool] `json:"surcharge_applied,omitzero"`
	// What the payer’s statement shows. By default that of the account.
	StatementDescriptor Optional[string] `json:"statement_descriptor,omitzero"`
	// For your own use. Copied to the payment intents, so that `_sandbox_outcome` chooses their
	// outcomes. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// Where the last page leads after success; `{CHECKOUT_SESSION_ID}` is filled in. https in live
	// mode.
	SuccessURL Optional[string] `json:"success_url,omitzero"`
	// Where the page leads a payer who leaves. https in live mode.
	CancelURL Optional[string] `json:"cancel_url,omitzero"`
	// Your own reference, to find it by.
	Reference Optional[string] `json:"reference,omitzero"`
	// How many payments it takes. By default 1; null for any number.
	MaxPayments Optional[int] `json:"max_payments,omitzero"`
	// When it expires: after now, at most 366 days ahead, both in the customer’s time.
	ExpiresAt Optional[time.Time] `json:"expires_at,omitzero"`
}

type PaymentLinkCreatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentLink `json:"data"`
}

type PaymentLinkDeactivatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentLink `json:"data"`
}

type PaymentLinkEffect struct {
	Object string `json:"object"`
	// The payment link.
	ObjectID string `json:"object_id"`
	// The advance that caused it; null in a dry run.
	AdvanceID *string `json:"advance_id"`
	// The simulated instant at which it happens.
	At time.Time `json:"at"`
	// What happened.
	EventType ClockEffectType `json:"event_type"`
	// The event that reports it; null in a dry run.
	EventID *string            `json:"event_id"`
	Changes PaymentLinkChanges `json:"changes"`
}

type PaymentLinkExpiredEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentLink `json:"data"`
}

type PaymentLinkList struct {
	Data []PaymentLink `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// PaymentLinkMode is a name of the API.
type PaymentLinkMode string

const (
	PaymentLinkModePayment PaymentLinkMode = "payment"
	PaymentLinkModeSetup   PaymentLinkMode = "setup"
)

type PaymentLinkPaidEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentLink `json:"data"`
}

type PaymentLinkRenew struct {
	// The new `expires_at`; null for none. Required if the old one has passed.
	ExpiresAt Optional[time.Time] `json:"expires_at,omitzero"`
}

type PaymentLinkRenewedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentLink `json:"data"`
}

type PaymentLinkReopenedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentLink `json:"data"`
}

// PaymentLinkStatus is a name of the API.
type PaymentLinkStatus string

const (
	PaymentLinkStatusOpen        PaymentLinkStatus = "open"
	PaymentLinkStatusCompleted   PaymentLinkStatus = "completed"
	PaymentLinkStatusExpired     PaymentLinkStatus = "expired"
	PaymentLinkStatusDeactivated PaymentLinkStatus = "deactivated"
)

type PaymentLinkThrottledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentLink `json:"data"`
}

type PaymentLinkUpdate struct {
	// What is paid for, as the payer reads it. Shown as text.
	Name Optional[string] `json:"name,omitzero"`
	// For your own use. It replaces all pairs. At most 50 pairs; keys of at most 40 characters, values
	// of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// More about it, for the payer.
	Description Optional[string] `json:"description,omitzero"`
	// Your own reference, to find it by.
	Reference Optional[string] `json:"reference,omitzero"`
	// When it expires: after now, at most 366 days ahead, both in the customer’s time.
	ExpiresAt Optional[time.Time] `json:"expires_at,omitzero"`
	// Where the last page leads after success.
	SuccessURL Optional[string] `json:"success_url,omitzero"`
	// Where the page leads a payer who leaves.
	CancelURL Optional[string] `json:"cancel_url,omitzero"`
}

// PaymentMethod is one of several types, by `type`.
//
// Value is a pointer to the type itself; nil if this client does not know it.
type PaymentMethod struct {
	Type string `json:"type"`
	// The id of the payment method.
	ID    string             `json:"id"`
	Value PaymentMethodValue `json:"-"`
	// Raw is the JSON as received.
	Raw json.RawMessage `json:"-"`
}

// PaymentMethodValue is one of the types that a PaymentMethod has.
type PaymentMethodValue interface{ isPaymentMethod() }

func (CardPaymentMethod) isPaymentMethod()   {}
func (BecsPaymentMethod) isPaymentMethod()   {}
func (KlarnaPaymentMethod) isPaymentMethod() {}
func (PayIdPaymentMethod) isPaymentMethod()  {}
func (PayPalPaymentMethod) isPaymentMethod() {}

// UnmarshalJSON reads the type that the JSON names.
func (u *PaymentMethod) UnmarshalJSON(data []byte) error {
	type shared PaymentMethod
	var read shared
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	switch read.Type {
	case "card":
		read.Value = &CardPaymentMethod{}
	case "au_becs_debit":
		read.Value = &BecsPaymentMethod{}
	case "klarna":
		read.Value = &KlarnaPaymentMethod{}
	case "pay_id":
		read.Value = &PayIdPaymentMethod{}
	case "paypal":
		read.Value = &PayPalPaymentMethod{}
	}
	read.Raw = append(json.RawMessage(nil), data...)
	*u = PaymentMethod(read)
	if u.Value == nil {
		return nil
	}
	return json.Unmarshal(data, u.Value)
}

// MarshalJSON writes Value with its `type`; without a Value it writes Raw.
func (u PaymentMethod) MarshalJSON() ([]byte, error) {
	switch u.Value.(type) {
	case CardPaymentMethod, *CardPaymentMethod:
		return marshalWith(u.Value, "type", "card")
	case BecsPaymentMethod, *BecsPaymentMethod:
		return marshalWith(u.Value, "type", "au_becs_debit")
	case KlarnaPaymentMethod, *KlarnaPaymentMethod:
		return marshalWith(u.Value, "type", "klarna")
	case PayIdPaymentMethod, *PayIdPaymentMethod:
		return marshalWith(u.Value, "type", "pay_id")
	case PayPalPaymentMethod, *PayPalPaymentMethod:
		return marshalWith(u.Value, "type", "paypal")
	}
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}

type PaymentMethodAttach struct {
	// The customer to attach it to.
	CustomerID string `json:"customer_id"`
}

// PaymentMethodCreate is one of several types, by `type`.
//
// Value is a pointer to the type itself; nil if this client does not know it.
type PaymentMethodCreate struct {
	Type  string                   `json:"type"`
	Value PaymentMethodCreateValue `json:"-"`
	// Raw is the JSON as received.
	Raw json.RawMessage `json:"-"`
}

// PaymentMethodCreateValue is one of the types that a PaymentMethodCreate has.
type PaymentMethodCreateValue interface{ isPaymentMethodCreate() }

func (CardPaymentMethodCreate) isPaymentMethodCreate() {}
func (BecsPaymentMethodCreate) isPaymentMethodCreate() {}

// UnmarshalJSON reads the type that the JSON names.
func (u *PaymentMethodCreate) UnmarshalJSON(data []byte) error {
	type shared PaymentMethodCreate
	var read shared
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	switch read.Type {
	case "card":
		read.Value = &CardPaymentMethodCreate{}
	case "au_becs_debit":
		read.Value = &BecsPaymentMethodCreate{}
	}
	read.Raw = append(json.RawMessage(nil), data...)
	*u = PaymentMethodCreate(read)
	if u.Value == nil {
		return nil
	}
	return json.Unmarshal(data, u.Value)
}

// MarshalJSON writes Value with its `type`; without a Value it writes Raw.
func (u PaymentMethodCreate) MarshalJSON() ([]byte, error) {
	switch u.Value.(type) {
	case CardPaymentMethodCreate, *CardPaymentMethodCreate:
		return marshalWith(u.Value, "type", "card")
	case BecsPaymentMethodCreate, *BecsPaymentMethodCreate:
		return marshalWith(u.Value, "type", "au_becs_debit")
	}
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}

type PaymentMethodEnvelope struct {
	// Always true.
	Success       bool          `json:"success"`
	PaymentMethod PaymentMethod `json:"payment_method"`
}

type PaymentMethodList struct {
	// Always true.
	Success        bool            `json:"success"`
	PaymentMethods []PaymentMethod `json:"payment_methods"`
	// Whether more methods follow.
	HasMore bool `json:"has_more"`
}

type PaymentMethodSummary struct {
	// The id of the payment method.
	ID string `json:"id"`
	// The type. The member of the same name has the details.
	Type        PayableMethodType `json:"type"`
	Card        *CardSummary      `json:"card,omitzero"`
	AuBecsDebit *BecsSummary      `json:"au_becs_debit,omitzero"`
}

type PaymentPlan struct {
	// The id of the payment plan.
	ID string `json:"id"`
	// The customer that is charged.
	CustomerID string `json:"customer_id"`
	// A label.
	Name string `json:"name"`
	// `pending`: created; collects nothing yet. `active`: collects on its dates. `suspended`: collects
	// nothing until you resume it. `deactivated`, `closed`: ended for good.
	State PaymentPlanState `json:"state"`
	// `requested`: by you. `payment_failed`: suspended because a payment failed for good.
	// `payment_returned`: suspended because the bank took a debit back for good; or closed by its last
	// payment, and a debit came back after that. `total_collected`: closed by its last payment.
	// `customer_deleted`: closed with its customer. Null while pending or active.
	StateReason *string `json:"state_reason"`
	// Whether payments are weeks or months apart. Daily plans are not possible.
	FrequencyType PlanFrequency `json:"frequency_type"`
	// Weeks or months between payments.
	FrequencyPeriod int `json:"frequency_period"`
	// The amount of each payment, minor units.
	RecurringAmountCents int `json:"recurring_amount_cents"`
	// The amount of the first payment, if it differs.
	FirstAmountCents *int `json:"first_amount_cents"`
	// The sum to collect; null for a plan until further notice.
	TotalAmountCents *int `json:"total_amount_cents"`
	// Whether the plan has no total.
	UntilFurtherNotice bool `json:"until_further_notice"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// The date that the calendar is counted from.
	StartDate string `json:"start_date"`
	// The date of the first payment, if it is not start_date.
	FirstDate *string `json:"first_date"`
	// The method to charge; null for the customer’s default at each charge.
	PaymentInstrumentID *string `json:"payment_instrument_id"`
	// What happens after a failed payment. `retry`, the default: the same payment intent is charged
	// again 1, 3 and 5 days after its first failure, a card at the same time of day in the account’s
	// time zone. Later payments keep their dates. The plan becomes `suspended` when all retries have
	// failed, or at once if the decline is final (`card_declined`, `expired_card`,
	// `authentication_required`, `payment_method_unavailable`, `processor_rejected`). `stop`: the plan
	// becomes `suspended` at the first failure.
	FailureBehaviour FailureBehaviour `json:"failure_behaviour"`
	// For your own use. Copied to each payment intent of the plan, so that `_sandbox_outcome` chooses
	// their outcomes. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// The base amounts collected so far, without surcharges.
	CollectedAmountCents int `json:"collected_amount_cents"`
	// What is missing from the total because debits came back after the plan was closed, minor units.
	ShortfallAmountCents *int `json:"shortfall_amount_cents,omitzero"`
	// What the bank or the processor already had when the plan stopped, and may still collect, minor
	// units.
	InFlightAmount *int `json:"in_flight_amount,omitzero"`
	// The date of the next payment of the calendar; retries do not count. For a pending plan, the date
	// of its first payment. Null if the plan is suspended or has ended, or if nothing would remain to
	// be collected.
	NextPaymentDate *string `json:"next_payment_date"`
	// When a failed payment is next retried: the earliest time if there are several; null if there is
	// none.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock of the customer; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

type PaymentPlanActivatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentPlan `json:"data"`
}

type PaymentPlanChanges struct {
	// `pending`: created; collects nothing yet. `active`: collects on its dates. `suspended`: collects
	// nothing until you resume it. `deactivated`, `closed`: ended for good.
	State PaymentPlanState `json:"state"`
	// `requested`: by you. `payment_failed`: suspended because a payment failed for good.
	// `payment_returned`: suspended because the bank took a debit back for good; or closed by its last
	// payment, and a debit came back after that. `total_collected`: closed by its last payment.
	// `customer_deleted`: closed with its customer. Null while pending or active.
	StateReason *string `json:"state_reason"`
	// The base amounts collected so far, without surcharges.
	CollectedAmountCents int `json:"collected_amount_cents"`
	// The date of the next payment of the calendar; retries do not count. For a pending plan, the date
	// of its first payment. Null if the plan is suspended or has ended, or if nothing would remain to
	// be collected.
	NextPaymentDate *string `json:"next_payment_date"`
	// When a failed payment is next retried: the earliest time if there are several; null if there is
	// none.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
}

type PaymentPlanClosedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentPlan `json:"data"`
}

type PaymentPlanCreate struct {
	// The customer to charge.
	CustomerID string `json:"customer_id"`
	// A label.
	Name string `json:"name"`
	// Whether payments are weeks or months apart. Daily plans are not possible.
	FrequencyType PlanFrequency `json:"frequency_type"`
	// The amount of each payment, minor units. The limits of payment intents (200 and 100000) do not
	// apply.
	RecurringAmountCents int `json:"recurring_amount_cents"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// The date of the first payment (slot 0). Slot n is due n intervals later, always counted from
	// this date: 31 January is followed by 28 or 29 February, then by 31 March. A payment is due at
	// 00:00 of its date in the account’s time zone. Not in the past.
	StartDate string `json:"start_date"`
	// How many weeks or months are between payments. Weekly with 2 is fortnightly. By default 1.
	FrequencyPeriod Optional[int] `json:"frequency_period,omitzero"`
	// True for a plan without a total.
	UntilFurtherNotice Optional[bool] `json:"until_further_notice,omitzero"`
	// What happens after a failed payment. `retry`, the default: the same payment intent is charged
	// again 1, 3 and 5 days after its first failure, a card at the same time of day in the account’s
	// time zone. Later payments keep their dates. The plan becomes `suspended` when all retries have
	// failed, or at once if the decline is final (`card_declined`, `expired_card`,
	// `authentication_required`, `payment_method_unavailable`, `processor_rejected`). `stop`: the plan
	// becomes `suspended` at the first failure.
	FailureBehaviour Optional[FailureBehaviour] `json:"failure_behaviour,omitzero"`
	// For your own use. Copied to each payment intent of the plan, so that `_sandbox_outcome` chooses
	// their outcomes. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// The amount of the first payment only, minor units.
	FirstAmountCents Optional[int] `json:"first_amount_cents,omitzero"`
	// The sum to collect, minor units. The last payment is cut to what remains, and closes the plan.
	// Send either this or `until_further_notice: true`.
	TotalAmountCents Optional[int] `json:"total_amount_cents,omitzero"`
	// The date of the first payment instead of start_date. It must be before the second payment. All
	// others are still counted from start_date.
	FirstDate Optional[string] `json:"first_date,omitzero"`
	// The method to charge. By default the customer’s default method at the time of each charge; there
	// must be one now.
	PaymentInstrumentID Optional[string] `json:"payment_instrument_id,omitzero"`
}

type PaymentPlanDeactivatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentPlan `json:"data"`
}

type PaymentPlanEffect struct {
	Object string `json:"object"`
	// The plan.
	ObjectID string `json:"object_id"`
	// The advance that caused it; null in a dry run.
	AdvanceID *string `json:"advance_id"`
	// The simulated instant at which it happens.
	At time.Time `json:"at"`
	// What happened.
	EventType ClockEffectType `json:"event_type"`
	// The event that reports it; null in a dry run.
	EventID *string            `json:"event_id"`
	Changes PaymentPlanChanges `json:"changes"`
}

type PaymentPlanList struct {
	Data []PaymentPlan `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// PaymentPlanState is a name of the API.
type PaymentPlanState string

const (
	PaymentPlanStatePending     PaymentPlanState = "pending"
	PaymentPlanStateActive      PaymentPlanState = "active"
	PaymentPlanStateSuspended   PaymentPlanState = "suspended"
	PaymentPlanStateDeactivated PaymentPlanState = "deactivated"
	PaymentPlanStateClosed      PaymentPlanState = "closed"
)

type PaymentPlanSuspendedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string     `json:"request_id"`
	Data      PaymentPlan `json:"data"`
}

type PaymentPlanUpdate struct {
	// Cannot be changed. Sending it is a validation error.
	CustomerID Optional[string] `json:"customer_id,omitzero"`
	// A label.
	Name Optional[string] `json:"name,omitzero"`
	// Whether payments are weeks or months apart. Daily plans are not possible.
	FrequencyType Optional[PlanFrequency] `json:"frequency_type,omitzero"`
	// The amount of each payment, minor units. The limits of payment intents (200 and 100000) do not
	// apply.
	RecurringAmountCents Optional[int] `json:"recurring_amount_cents,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency Optional[Currency] `json:"currency,omitzero"`
	// The date of the first payment (slot 0). Slot n is due n intervals later, always counted from
	// this date: 31 January is followed by 28 or 29 February, then by 31 March. A payment is due at
	// 00:00 of its date in the account’s time zone. Not in the past.
	StartDate Optional[string] `json:"start_date,omitzero"`
	// How many weeks or months are between payments. Weekly with 2 is fortnightly. By default 1.
	FrequencyPeriod Optional[int] `json:"frequency_period,omitzero"`
	// True for a plan without a total.
	UntilFurtherNotice Optional[bool] `json:"until_further_notice,omitzero"`
	// What happens after a failed payment. `retry`, the default: the same payment intent is charged
	// again 1, 3 and 5 days after its first failure, a card at the same time of day in the account’s
	// time zone. Later payments keep their dates. The plan becomes `suspended` when all retries have
	// failed, or at once if the decline is final (`card_declined`, `expired_card`,
	// `authentication_required`, `payment_method_unavailable`, `processor_rejected`). `stop`: the plan
	// becomes `suspended` at the first failure.
	FailureBehaviour Optional[FailureBehaviour] `json:"failure_behaviour,omitzero"`
	// For your own use. Copied to each payment intent of the plan, so that `_sandbox_outcome` chooses
	// their outcomes. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// The amount of the first payment only, minor units.
	FirstAmountCents Optional[int] `json:"first_amount_cents,omitzero"`
	// The sum to collect, minor units. The last payment is cut to what remains, and closes the plan.
	// Send either this or `until_further_notice: true`.
	TotalAmountCents Optional[int] `json:"total_amount_cents,omitzero"`
	// The date of the first payment instead of start_date. It must be before the second payment. All
	// others are still counted from start_date.
	FirstDate Optional[string] `json:"first_date,omitzero"`
	// The method to charge. By default the customer’s default method at the time of each charge; there
	// must be one now.
	PaymentInstrumentID Optional[string] `json:"payment_instrument_id,omitzero"`
}

type Payout struct {
	// The id of the payout.
	ID string `json:"id"`
	// Minor units: the sum of `net` of its items.
	Amount int `json:"amount"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// `in_transit`: on its way. `paid`: it has arrived. `failed`: the bank has refused it; its items
	// are available again, and the next payout has them.
	Status PayoutStatus `json:"status"`
	// The business day on which it was made, in your time zone.
	PaidOutOn string `json:"paid_out_on"`
	// The business day on which it arrives, in your time zone: the next one.
	ArrivesOn string `json:"arrives_on"`
	// When it was paid or has failed; null while it is in transit.
	EndedAt *time.Time `json:"ended_at"`
	// Why it has failed: `declined` in the sandbox.
	FailureCode *string `json:"failure_code"`
	// `completed`: its items are known and add up to its amount. In the sandbox at once.
	ReconciliationStatus ReconciliationStatus `json:"reconciliation_status"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock that it is on; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

type PayoutChanges struct {
	// Minor units: the sum of `net` of its items.
	Amount int `json:"amount"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// `in_transit`: on its way. `paid`: it has arrived. `failed`: the bank has refused it; its items
	// are available again, and the next payout has them.
	Status PayoutStatus `json:"status"`
	// The business day on which it arrives, in your time zone: the next one.
	ArrivesOn string `json:"arrives_on"`
	// Why it has failed: `declined` in the sandbox.
	FailureCode *string `json:"failure_code"`
	// `completed`: its items are known and add up to its amount. In the sandbox at once.
	ReconciliationStatus ReconciliationStatus `json:"reconciliation_status"`
}

type PayoutCreatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Payout  `json:"data"`
}

type PayoutEffect struct {
	Object string `json:"object"`
	// Null in a dry run if the advance would make the payout.
	ObjectID *string `json:"object_id"`
	// The advance that caused it; null in a dry run.
	AdvanceID *string `json:"advance_id"`
	// The simulated instant at which it happens.
	At time.Time `json:"at"`
	// What happened.
	EventType ClockEffectType `json:"event_type"`
	// The event that reports it; null in a dry run.
	EventID *string       `json:"event_id"`
	Changes PayoutChanges `json:"changes"`
}

type PayoutFailedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Payout  `json:"data"`
}

type PayoutList struct {
	Data []Payout `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type PayoutPaidEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Payout  `json:"data"`
}

type PayoutReconciledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Payout  `json:"data"`
}

// PayoutStatus is a name of the API.
type PayoutStatus string

const (
	PayoutStatusInTransit PayoutStatus = "in_transit"
	PayoutStatusPaid      PayoutStatus = "paid"
	PayoutStatusFailed    PayoutStatus = "failed"
)

type Phone struct {
	// Such as mobile or home.
	Kind *string `json:"kind,omitzero"`
	// The number, in any form.
	Raw string `json:"raw"`
	// Such as AU or +61.
	CountryCode *string `json:"country_code,omitzero"`
}

type PingedWebhookEndpoint struct {
	// The id of the webhook endpoint.
	ID string `json:"id"`
	// Where events are posted.
	URL string `json:"url"`
	// What it subscribes to: event types, groups, or `*`.
	EventTypes []string `json:"event_types"`
	// For your own use.
	Description *string `json:"description"`
	// Nothing is sent to a disabled endpoint.
	Status WebhookEndpointStatus `json:"status"`
	// `requested`: by you. `gone`: it returned 410. `failing`: five days of nothing but failure.
	DisabledReason *WebhookDisabledReason `json:"disabled_reason"`
	// When the receiver first returned the challenge of a ping from this URL. Null until then, and
	// again after the URL changes. In live mode, nothing is replayed to an unverified endpoint.
	VerifiedAt *time.Time `json:"verified_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// The signing secret (Standard Webhooks). Shown only when it is created or rotated.
	Secret *string `json:"secret,omitzero"`
	// Return it to verify the endpoint: as `{"challenge": …}` or as the bare text of a 2xx response.
	// Each attempt has its own. It is only in the webhook, not in `GET /events`.
	Challenge *string `json:"challenge,omitzero"`
}

// PlanFrequency is a name of the API.
type PlanFrequency string

const (
	PlanFrequencyWeekly  PlanFrequency = "weekly"
	PlanFrequencyMonthly PlanFrequency = "monthly"
)

type PlanPayment struct {
	// The number of the due date, from 0.
	Slot int `json:"slot"`
	// The date in the account’s time zone.
	DueDate string `json:"due_date"`
	// The base amount in minor units; null for a skipped slot.
	Amount *int `json:"amount"`
	// `processing`: the processor was asked, or a bank debit is under way. `paid`: collected.
	// `retrying`: failed or returned, and retried at the plan’s next_attempt_at. `failed`: not
	// retried, unless you resume the plan; never retried if its payment intent is `canceled`.
	// `skipped`: its date passed before the plan was activated, or while it was suspended; it is never
	// charged. `returned`: it was paid and the bank took the money back; not retried, unless you
	// resume the plan.
	Status PlanPaymentStatus `json:"status"`
	// The single payment intent of this slot, whatever the number of attempts; null for a skipped
	// slot.
	PaymentIntentID *string `json:"payment_intent_id"`
	// Oldest first.
	Attempts []PlanPaymentAttempt `json:"attempts"`
}

// PlanPaymentStatus is a name of the API.
//
// `processing`: the processor was asked, or a bank debit is under way. `paid`: collected.
// `retrying`: failed or returned, and retried at the plan’s next_attempt_at. `failed`: not retried,
// unless you resume the plan; never retried if its payment intent is `canceled`. `skipped`: its
// date passed before the plan was activated, or while it was suspended; it is never charged.
// `returned`: it was paid and the bank took the money back; not retried, unless you resume the
// plan.
type PlanPaymentStatus string

const (
	PlanPaymentStatusProcessing PlanPaymentStatus = "processing"
	PlanPaymentStatusPaid       PlanPaymentStatus = "paid"
	PlanPaymentStatusRetrying   PlanPaymentStatus = "retrying"
	PlanPaymentStatusFailed     PlanPaymentStatus = "failed"
	PlanPaymentStatusSkipped    PlanPaymentStatus = "skipped"
	PlanPaymentStatusReturned   PlanPaymentStatus = "returned"
)

type PlanPaymentAttempt struct {
	// The number of the attempt, from 1.
	Number int `json:"number"`
	// When it was made, in the customer’s time.
	At time.Time `json:"at"`
	// The result. Of a bank debit also `accepted`: it goes to the bank at the cut-off; `submitted`:
	// the bank has it; `returned`: it had succeeded and came back.
	Outcome PlanPaymentAttemptOutcome `json:"outcome"`
	// Why it failed: see *Codes of failed payments*. Null if it did not.
	Code *string `json:"code"`
	// For people.
	Message   *string    `json:"message"`
	BankDebit *BankDebit `json:"bank_debit,omitzero"`
}

// PlanPaymentAttemptOutcome is a name of the API.
//
// The result. Of a bank debit also `accepted`: it goes to the bank at the cut-off; `submitted`: the
// bank has it; `returned`: it had succeeded and came back.
type PlanPaymentAttemptOutcome string

const (
	PlanPaymentAttemptOutcomeSucceeded PlanPaymentAttemptOutcome = "succeeded"
	PlanPaymentAttemptOutcomeFailed    PlanPaymentAttemptOutcome = "failed"
	PlanPaymentAttemptOutcomeAccepted  PlanPaymentAttemptOutcome = "accepted"
	PlanPaymentAttemptOutcomeSubmitted PlanPaymentAttemptOutcome = "submitted"
	PlanPaymentAttemptOutcomeReturned  PlanPaymentAttemptOutcome = "returned"
)

type PlanPaymentList struct {
	Data []PlanPayment `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type PlansReport struct {
	Data []PlansReportRow `json:"data"`
}

type PlansReportRow struct {
	// What the row is about.
	Type *PlansReportRowType `json:"type,omitzero"`
	// The plan or the subscription.
	ID *string `json:"id,omitzero"`
	// Its name.
	Name *string `json:"name,omitzero"`
	// The payer; null without a customer.
	CustomerID *string `json:"customer_id,omitzero"`
	// The name of the customer, as it is now.
	CustomerName *string `json:"customer_name,omitzero"`
	// Your reference of the customer, as it is now.
	CustomerReference *string `json:"customer_reference,omitzero"`
	// Its state now.
	State *string `json:"state,omitzero"`
	// Why it is in this state, if something else than a request.
	StateReason *string `json:"state_reason,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency *Currency `json:"currency,omitzero"`
	// What came due in the range, less corrections. Minor units.
	Charged *int `json:"charged,omitzero"`
	// What was charged and is not asked for any more. Minor units.
	Waived *int `json:"waived,omitzero"`
	// What was collected in the range, surcharges included. Minor units.
	Collected *int `json:"collected,omitzero"`
	// What was given back in the range. Minor units.
	Refunded *int `json:"refunded,omitzero"`
	// What the bank took back in the range. Minor units.
	Returned *int `json:"returned,omitzero"`
	// What was owed at the end of the range, with what was under way. Minor units.
	Owed *int `json:"owed,omitzero"`
}

// PlansReportRowType is a name of the API.
//
// What the row is about.
type PlansReportRowType string

const (
	PlansReportRowTypePaymentPlan  PlansReportRowType = "payment_plan"
	PlansReportRowTypeSubscription PlansReportRowType = "subscription"
)

// ReconciliationStatus is a name of the API.
type ReconciliationStatus string

const (
	ReconciliationStatusInProgress ReconciliationStatus = "in_progress"
	ReconciliationStatusCompleted  ReconciliationStatus = "completed"
)

type Refund struct {
	// The id of the refund.
	ID string `json:"id"`
	// The payment that is refunded.
	PaymentIntentID string `json:"payment_intent_id"`
	// Minor units.
	Amount int `json:"amount"`
	// How much of the amount is surcharge, minor units: the part that it has in the payment.
	SurchargeAmount int `json:"surcharge_amount"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// The reason, in your words.
	Reason *string `json:"reason"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// `processing`: the processor was asked. `succeeded`: the money was returned. `failed`: it was
	// not; you can request a new refund.
	Status RefundStatus `json:"status"`
	// Present and true if the payment was a bank debit that could still come back when it was
	// refunded. If it does, the payer has the money twice: see `total_returned_amount` of the payment
	// intent.
	RefundAtRisk *bool `json:"refund_at_risk,omitzero"`
	// The account that pays the refund.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

type RefundCreate struct {
	// Minor units. By default everything that remains.
	Amount Optional[int] `json:"amount,omitzero"`
	// The reason, in your words.
	Reason Optional[string] `json:"reason,omitzero"`
	// For your own use. In the sandbox `_sandbox_refund_outcome`: `fail` makes the refund fail. At
	// most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
}

type RefundFailedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Refund  `json:"data"`
}

type RefundList struct {
	Data []Refund `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// RefundStatus is a name of the API.
type RefundStatus string

const (
	RefundStatusProcessing RefundStatus = "processing"
	RefundStatusSucceeded  RefundStatus = "succeeded"
	RefundStatusFailed     RefundStatus = "failed"
)

type RefundSucceededEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string `json:"request_id"`
	Data      Refund  `json:"data"`
}

type ReplayResult struct {
	// How many deliveries were created, the oldest events first.
	Enqueued int `json:"enqueued"`
	// Whether the range may hold more than this replay took (10,000, or what was left of the hourly
	// budget). If so, replay again with `starting_after`.
	HasMore bool `json:"has_more"`
	// The last event that this replay delivers; null if there is none.
	LastEventID *string `json:"last_event_id"`
}

// ReportingCategory is a name of the API.
type ReportingCategory string

const (
	ReportingCategoryCharge          ReportingCategory = "charge"
	ReportingCategoryRefund          ReportingCategory = "refund"
	ReportingCategoryChargeFailure   ReportingCategory = "charge_failure"
	ReportingCategoryOtherAdjustment ReportingCategory = "other_adjustment"
	ReportingCategoryPayout          ReportingCategory = "payout"
	ReportingCategoryPayoutReversal  ReportingCategory = "payout_reversal"
)

type ReturnedPaymentIntent struct {
	// The id of the payment intent; `pi_sandbox_…` in the sandbox.
	ID string `json:"id"`
	// Lets a browser act on this payment intent with a publishable key. A secret key gets it only with
	// the scope `payment_intents:write`. Lists and events leave it out.
	ClientSecret *string `json:"client_secret,omitzero"`
	// The base amount, minor units.
	Amount int `json:"amount"`
	// What is charged: base amount plus surcharge, minor units.
	TotalAmount int `json:"total_amount"`
	// The fee by the biller’s fee schedule for this kind of payment method, minor units, whether or
	// not it is passed on. Decided at each attempt. While the method is unknown, the most that any
	// kind costs.
	FeeAmount int `json:"fee_amount"`
	// What the payer pays on top, minor units: the fee if you ask for it and the rules on surcharges
	// allow it, less if they cap it, else 0. Decided at each attempt. Before the first one it is the
	// most that the payment method, or any method while none is named, may carry at the creation.
	SurchargeAmount int `json:"surcharge_amount"`
	// Whether the payer pays a surcharge.
	SurchargeApplied bool `json:"surcharge_applied"`
	// Why a surcharge that you ask for is not taken (`not_allowed`) or is less than the fee
	// (`capped`). Null if it is taken whole, or not asked for.
	SurchargeReason *SurchargeReason `json:"surcharge_reason"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// `requires_payment_method`: nothing was charged yet; confirm it, unless it is scheduled.
	// `processing`: the processor was asked, or a bank debit is under way; wait for the webhook.
	// `requires_action`: the payer must pass 3D Secure. `succeeded`: the money was taken. `failed`:
	// declined; `last_payment_error` says why, and you can confirm it again. `canceled`: it will not
	// be charged. `returned`: a bank debit had succeeded, and the bank has taken the money back;
	// `last_payment_error` says why.
	Status PaymentIntentStatus `json:"status"`
	// The saved method that is or was charged.
	PaymentMethodID *string `json:"payment_method_id,omitzero"`
	// The payer.
	CustomerID *string `json:"customer_id,omitzero"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// The plan that created it; null for a single payment.
	PaymentPlanID *string `json:"payment_plan_id"`
	// The payment link that it was made by.
	PaymentLinkID *string `json:"payment_link_id,omitzero"`
	// The last checkout session in which a payer could pay it.
	CheckoutSessionID *string `json:"checkout_session_id,omitzero"`
	// The subscription that created it, if one did.
	SubscriptionID *string `json:"subscription_id,omitzero"`
	// The number of the period that it pays, or in which the change was made that it pays.
	// Subscriptions only.
	SubscriptionPeriod *int `json:"subscription_period,omitzero"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// The date of a scheduled payment.
	ScheduledPaymentDate *string `json:"scheduled_payment_date,omitzero"`
	// What is paid for, as the payer reads it.
	Description *string `json:"description,omitzero"`
	// What the payer’s statement shows: the one given, or that of the account.
	StatementDescriptor *string `json:"statement_descriptor,omitzero"`
	// The sum of the refunds that succeeded, minor units.
	TotalRefundedAmount int `json:"total_refunded_amount"`
	// What you hold of this payment now, minor units: the total while the status is `succeeded`,
	// otherwise 0, less the refunds that succeeded. A debit that came back and was collected again
	// counts once. Below 0 if the bank took a debit back that you had refunded.
	NetCollectedAmount int `json:"net_collected_amount"`
	// The mandate of the last debit. Present for bank debits under a mandate only.
	MandateID *string `json:"mandate_id,omitzero"`
	// What the payer’s bank statement shows of the last debit. Present for bank debits under a mandate
	// only.
	LodgementReference *string `json:"lodgement_reference,omitzero"`
	// When the bank reports whether it collected the debit, a date of its scheme. Bank debits only.
	ExpectedResultDate *string `json:"expected_result_date,omitzero"`
	// The last date on which the bank can take the debit back. Present once a debit has succeeded.
	ReturnableUntil *string `json:"returnable_until,omitzero"`
	// What the bank has taken back, minor units: the whole of each debit that came back, whatever was
	// refunded before. Bank debits only.
	TotalReturnedAmount *int `json:"total_returned_amount,omitzero"`
	// Why the last attempt failed; null if it did not fail or there was none.
	LastPaymentError *PaymentError `json:"last_payment_error"`
	// Where to send the payer while the status is `requires_action`, else null: a page of the service,
	// which in live mode leads to the payer’s bank and back. Shown where `client_secret` is.
	NextAction *NextAction `json:"next_action,omitzero"`
	// The page with the receipt, once the payment has succeeded. Anyone who has this URL can read it.
	// Lists and events leave it out.
	ReceiptURL *string `json:"receipt_url,omitzero"`
	// When the money was last collected, in the customer’s time; a bank debit: when it settled. Null
	// before. It stays when the payment is refunded or comes back.
	CollectedAt *time.Time `json:"collected_at"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The number of the attempt that came back, from 1.
	Attempt int `json:"attempt"`
	// Why, for programs: see *Codes of failed payments*.
	Reason string `json:"reason"`
	// The bank’s own code; null if it gave none.
	BankCode *string `json:"bank_code"`
	// When the bank reported it.
	ReturnedAt time.Time `json:"returned_at"`
	// Whether the plan or subscription retries this payment.
	WillRetry bool `json:"will_retry"`
	// When the plan or subscription retries it; null if it does not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
}

// SandboxPaymentMethodCreate is one of several types, by `type`.
//
// Value is a pointer to the type itself; nil if this client does not know it.
type SandboxPaymentMethodCreate struct {
	Type  string                          `json:"type"`
	Value SandboxPaymentMethodCreateValue `json:"-"`
	// Raw is the JSON as received.
	Raw json.RawMessage `json:"-"`
}

// SandboxPaymentMethodCreateValue is one of the types that a SandboxPaymentMethodCreate has.
type SandboxPaymentMethodCreateValue interface{ isSandboxPaymentMethodCreate() }

func (KlarnaPaymentMethodCreate) isSandboxPaymentMethodCreate() {}
func (PayIdPaymentMethodCreate) isSandboxPaymentMethodCreate()  {}
func (PayPalPaymentMethodCreate) isSandboxPaymentMethodCreate() {}

// UnmarshalJSON reads the type that the JSON names.
func (u *SandboxPaymentMethodCreate) UnmarshalJSON(data []byte) error {
	type shared SandboxPaymentMethodCreate
	var read shared
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	switch read.Type {
	case "klarna":
		read.Value = &KlarnaPaymentMethodCreate{}
	case "pay_id":
		read.Value = &PayIdPaymentMethodCreate{}
	case "paypal":
		read.Value = &PayPalPaymentMethodCreate{}
	}
	read.Raw = append(json.RawMessage(nil), data...)
	*u = SandboxPaymentMethodCreate(read)
	if u.Value == nil {
		return nil
	}
	return json.Unmarshal(data, u.Value)
}

// MarshalJSON writes Value with its `type`; without a Value it writes Raw.
func (u SandboxPaymentMethodCreate) MarshalJSON() ([]byte, error) {
	switch u.Value.(type) {
	case KlarnaPaymentMethodCreate, *KlarnaPaymentMethodCreate:
		return marshalWith(u.Value, "type", "klarna")
	case PayIdPaymentMethodCreate, *PayIdPaymentMethodCreate:
		return marshalWith(u.Value, "type", "pay_id")
	case PayPalPaymentMethodCreate, *PayPalPaymentMethodCreate:
		return marshalWith(u.Value, "type", "paypal")
	}
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}

// SavePaymentMethod is a name of the API.
type SavePaymentMethod string

const (
	SavePaymentMethodNo     SavePaymentMethod = "no"
	SavePaymentMethodOffer  SavePaymentMethod = "offer"
	SavePaymentMethodAlways SavePaymentMethod = "always"
)

type ScheduledPayment struct {
	// The number of the due date, from 0.
	Slot int `json:"slot"`
	// The date in the account’s time zone.
	DueDate string `json:"due_date"`
	// The base amount in minor units.
	Amount int `json:"amount"`
}

type ScheduledPaymentList struct {
	Data []ScheduledPayment `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type SecretRotation struct {
	// How many hours the old secret keeps signing together with the new one; by default 24.
	OverlapHours Optional[int] `json:"overlap_hours,omitzero"`
}

type Statement struct {
	// The customer.
	CustomerID string `json:"customer_id"`
	// Its name, as it is now.
	CustomerName string `json:"customer_name"`
	// Your reference of it, as it is now.
	CustomerReference *string `json:"customer_reference"`
	// ISO 8601, UTC.
	From time.Time `json:"from"`
	// ISO 8601, UTC.
	To time.Time `json:"to"`
	// The time zone of the dates.
	Timezone string `json:"timezone"`
	// One for each currency.
	Totals []StatementTotals `json:"totals"`
	Data   []StatementRow    `json:"data"`
}

// StatementLineType is a name of the API.
type StatementLineType string

const (
	StatementLineTypeOwedBefore StatementLineType = "owed_before"
	StatementLineTypeCharged    StatementLineType = "charged"
	StatementLineTypeWaived     StatementLineType = "waived"
	StatementLineTypeCollected  StatementLineType = "collected"
	StatementLineTypeRefunded   StatementLineType = "refunded"
	StatementLineTypeReturned   StatementLineType = "returned"
	StatementLineTypeOwed       StatementLineType = "owed"
)

type StatementRow struct {
	// In the time zone of the statement.
	Date *string `json:"date,omitzero"`
	// What moved. The first lines are `owed_before`, the last `owed`, one for each currency.
	Type *StatementLineType `json:"type,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency *Currency `json:"currency,omitzero"`
	// How much. Below 0 for a charge that was corrected. Minor units.
	Amount *int `json:"amount,omitzero"`
	// What is owed after this line. Minor units.
	Owed *int `json:"owed,omitzero"`
	// The payment, if it is one.
	PaymentIntentID *string `json:"payment_intent_id,omitzero"`
	// The refund, the payment, the subscription or the plan.
	Source *string `json:"source,omitzero"`
	// The plan that it is for.
	PaymentPlanID *string `json:"payment_plan_id,omitzero"`
	// The subscription that it is for.
	SubscriptionID *string `json:"subscription_id,omitzero"`
}

type StatementTotals struct {
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// What was owed at `from`. Minor units.
	OwedBefore int `json:"owed_before"`
	// What came due, less corrections. A payment by itself is charged when it is collected. Minor
	// units.
	Charged int `json:"charged"`
	// What was charged and is not asked for any more. Minor units.
	Waived int `json:"waived"`
	// What was collected, surcharges included. Minor units.
	Collected int `json:"collected"`
	// What was given back. It does not change what is owed. Minor units.
	Refunded int `json:"refunded"`
	// What the bank took back. Minor units.
	Returned int `json:"returned"`
	// What was owed at `to`: `owed_before` + `charged` − `waived` − `collected` + `returned`. Minor
	// units.
	Owed int `json:"owed"`
}

type Subscription struct {
	// The id of the subscription.
	ID string `json:"id"`
	// The customer who gets the service and is charged.
	CustomerID string `json:"customer_id"`
	// A label.
	Name string `json:"name"`
	// `pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
	// payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
	// service. `canceled`: ended for good.
	State SubscriptionState `json:"state"`
	// Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
	// `no_payment_method`: its trial ended without one. `ended`: at `ends_at`. `customer_deleted`.
	StateReason *string `json:"state_reason"`
	// Whether the customer may use the service now.
	InEffect bool `json:"in_effect"`
	// Until when, if nothing else happens. Null while that is open, and while it is not in effect.
	InEffectUntil *time.Time `json:"in_effect_until"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// What is sold in the current period.
	Items []SubscriptionItem `json:"items"`
	// What is sold from the next period on, if that was changed; null if it is the same.
	NextItems []SubscriptionItem `json:"next_items"`
	// Fees that are not paid: the next paid period takes them once, or an unpaid period has taken
	// them.
	OneOffItems []SubscriptionOneOffItem `json:"one_off_items"`
	// The discounts of the current period.
	Discounts []SubscriptionDiscount `json:"discounts"`
	// The discounts from the next period on, if they were changed; null if they are the same.
	NextDiscounts []SubscriptionDiscount `json:"next_discounts"`
	// The unit of a period.
	FrequencyType SubscriptionFrequency `json:"frequency_type"`
	// How many weeks, months or years a period has. By default 1.
	FrequencyPeriod int `json:"frequency_period"`
	// The first day. By default today, for this customer. Not in the past. Periods are counted from
	// here, or from the end of the trial: 31 January is followed by 28 or 29 February, then by 31
	// March.
	StartDate string `json:"start_date"`
	// The day of the month on which periods begin; in shorter months the last day. The first period is
	// then short, and costs its share of the days. Not for weekly subscriptions. A resume counts anew
	// from its own day.
	AnchorDay *int `json:"anchor_day"`
	// The days of a trial before the first paid period.
	TrialDays *int `json:"trial_days"`
	// The first day after the trial. Either this or `trial_days`.
	TrialEndDate *string `json:"trial_end_date"`
	// What happens if a trial ends and there is no method to charge. `pause`, the default; `cancel`;
	// `charge`: the collection fails, and `unpaid_behaviour` decides.
	TrialEndBehaviour TrialEndBehaviour `json:"trial_end_behaviour"`
	// The method to charge; null for the customer’s default at each charge.
	PaymentInstrumentID *string `json:"payment_instrument_id"`
	// What happens after a failed payment, as for plans. `retry`, the default: it is charged again 1,
	// 3 and 5 days after its first failure, unless the decline is final. `stop`: it is not retried.
	FailureBehaviour FailureBehaviour `json:"failure_behaviour"`
	// What happens when no retry is left. `pause` is the default.
	UnpaidBehaviour UnpaidBehaviour `json:"unpaid_behaviour"`
	// For how many days after the first failure `in_effect` stays true while retries continue, if a
	// period was paid before: until the same time of day in the account’s time zone. By default 7,
	// which covers all retries.
	GraceDays int `json:"grace_days"`
	// When the first period takes effect that is paid by a bank debit. `settled`, the default: when
	// the bank has collected it. `submitted`: when the debit is accepted. Later periods begin on their
	// dates.
	EffectiveOn EffectiveOn `json:"effective_on"`
	// The day on which it ends, the first without service: an end of a period. Null: it continues.
	EndsAt *string `json:"ends_at"`
	// The day on which a pause begins that was requested.
	PausesAt *string `json:"pauses_at"`
	// The day on which the pause ends automatically. It does not end while a period is owed.
	ResumesAt *string `json:"resumes_at"`
	// The period that has begun last; null before the first.
	CurrentPeriod *CurrentPeriod `json:"current_period"`
	// When the next period begins; null if none is to come.
	NextPeriodStart *string `json:"next_period_start"`
	// When a failed payment is retried; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// What collecting would take for periods that are not paid, without surcharge, minor units. 0
	// unless one is unpaid.
	OwedAmountCents int `json:"owed_amount_cents"`
	// What the bank or the processor already had when it was canceled, minor units. If it succeeds, it
	// becomes credit, unless its period was over.
	InFlightAmount int `json:"in_flight_amount"`
	// The credit of the customer for later periods, minor units.
	CreditBalanceCents int `json:"credit_balance_cents"`
	// How much of the credit `refund_credit` can pay out now, minor units: at most what remains of the
	// payments.
	RefundableCreditCents int `json:"refundable_credit_cents"`
	// What changes have left for the next period to take, besides its items.
	NextPeriodLines []SubscriptionPeriodLine `json:"next_period_lines"`
	// The payment of a change that is under way; null if none is.
	ChangePaymentIntentID *string `json:"change_payment_intent_id"`
	// The periods that were collected. Trials do not count.
	PaidPeriods int `json:"paid_periods"`
	// Its last payment; null before the first.
	LatestPaymentIntentID *string `json:"latest_payment_intent_id"`
	// Why its last charge failed; null if it did not.
	LastPaymentError *SubscriptionPaymentError `json:"last_payment_error"`
	// For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
	// outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated by
	// semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters, values of at
	// most 500.
	Metadata map[string]string `json:"metadata"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock of the customer; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

type SubscriptionCancel struct {
	// When it ends. `period_end`, the default: at the end of the current period, since that was paid
	// for. `now`: at once. A date: at the end of this or of a later period.
	At Optional[SubscriptionCancelAt] `json:"at,omitzero"`
	// With `at: now`: whether the days that are paid and left go back. `keep`, the default: nothing
	// goes back. `credit`: they become credit, as if it were changed to nothing.
	Unused Optional[SubscriptionCancelUnused] `json:"unused,omitzero"`
	// Nothing changes: `quote` says what would become credit. With `unused: credit`.
	DryRun Optional[bool] `json:"dry_run,omitzero"`
}

// SubscriptionCancelAt is a name of the API.
type SubscriptionCancelAt string

const (
	SubscriptionCancelAtPeriodEnd SubscriptionCancelAt = "period_end"
	SubscriptionCancelAtNow       SubscriptionCancelAt = "now"
)

// SubscriptionCancelUnused is a name of the API.
//
// With `at: now`: whether the days that are paid and left go back. `keep`, the default: nothing
// goes back. `credit`: they become credit, as if it were changed to nothing.
type SubscriptionCancelUnused string

const (
	SubscriptionCancelUnusedKeep   SubscriptionCancelUnused = "keep"
	SubscriptionCancelUnusedCredit SubscriptionCancelUnused = "credit"
)

type SubscriptionCancelRemovedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionCancelScheduledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionCanceledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string               `json:"request_id"`
	Data      SubscriptionLettingGo `json:"data"`
}

type SubscriptionChange struct {
	// What is sold. A period costs the sum of unit amount times quantity, at least 1 minor unit. The
	// limits of payment intents (200 and 100000) do not apply.
	Items []SubscriptionItemInput `json:"items"`
	// `period_end`, the default: from the next period on. `now`: from now on.
	When Optional[SubscriptionChangeWhen] `json:"when,omitzero"`
	// What a change now costs. `days`, the default: the days that are left, this day included, are
	// credited at the price before and charged at the new one. `none`: nothing; the next period takes
	// the new price.
	Proration Optional[SubscriptionChangeProration] `json:"proration,omitzero"`
	// When a change now is paid. `next_period`, the default: the next period takes it. `now`: it is
	// charged at once, and made when that has succeeded.
	Collect Optional[SubscriptionChangeCollect] `json:"collect,omitzero"`
	// The `amount_cents` of your quote. If the change costs another amount now, nothing changes.
	ExpectedAmountCents Optional[int] `json:"expected_amount_cents,omitzero"`
	// Only return what the change costs.
	DryRun Optional[bool] `json:"dry_run,omitzero"`
}

// SubscriptionChangeWhen is a name of the API.
//
// `period_end`, the default: from the next period on. `now`: from now on.
type SubscriptionChangeWhen string

const (
	SubscriptionChangeWhenNow       SubscriptionChangeWhen = "now"
	SubscriptionChangeWhenPeriodEnd SubscriptionChangeWhen = "period_end"
)

// SubscriptionChangeProration is a name of the API.
//
// What a change now costs. `days`, the default: the days that are left, this day included, are
// credited at the price before and charged at the new one. `none`: nothing; the next period takes
// the new price.
type SubscriptionChangeProration string

const (
	SubscriptionChangeProrationDays SubscriptionChangeProration = "days"
	SubscriptionChangeProrationNone SubscriptionChangeProration = "none"
)

// SubscriptionChangeCollect is a name of the API.
//
// When a change now is paid. `next_period`, the default: the next period takes it. `now`: it is
// charged at once, and made when that has succeeded.
type SubscriptionChangeCollect string

const (
	SubscriptionChangeCollectNow        SubscriptionChangeCollect = "now"
	SubscriptionChangeCollectNextPeriod SubscriptionChangeCollect = "next_period"
)

type SubscriptionChangeFailedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionChangeRemovedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionChangeResult struct {
	// What the change costs and credits. If it is paid now, their sum is `amount_cents`: what earlier
	// changes have left for the next period and the credit balance are among them.
	Lines []SubscriptionPeriodLine `json:"lines"`
	// What the change takes now, without surcharge, minor units.
	AmountCents int `json:"amount_cents"`
	// What the next period takes, without surcharge, minor units. 0 if none is to come.
	NextPeriodAmountCents int          `json:"next_period_amount_cents"`
	Subscription          Subscription `json:"subscription"`
	// The same request gets this quote until then: the end of the day.
	ValidUntil time.Time `json:"valid_until"`
}

type SubscriptionChangeScheduledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionChangedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionChanges struct {
	// `pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
	// payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
	// service. `canceled`: ended for good.
	State SubscriptionState `json:"state"`
	// Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
	// `no_payment_method`: its trial ended without one. `ended`: at `ends_at`. `customer_deleted`.
	StateReason *string `json:"state_reason"`
	// Whether the customer may use the service now.
	InEffect bool `json:"in_effect"`
	// Until when, if nothing else happens. Null while that is open, and while it is not in effect.
	InEffectUntil *time.Time `json:"in_effect_until"`
	// When a failed payment is retried; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
}

type SubscriptionCreate struct {
	// The customer who gets the service and is charged.
	CustomerID string `json:"customer_id"`
	// A label.
	Name string `json:"name"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// What is sold. A period costs the sum of unit amount times quantity, at least 1 minor unit. The
	// limits of payment intents (200 and 100000) do not apply.
	Items []SubscriptionItemInput `json:"items"`
	// The unit of a period.
	FrequencyType SubscriptionFrequency `json:"frequency_type"`
	// How many weeks, months or years a period has. By default 1.
	FrequencyPeriod Optional[int] `json:"frequency_period,omitzero"`
	// What happens if a trial ends and there is no method to charge. `pause`, the default; `cancel`;
	// `charge`: the collection fails, and `unpaid_behaviour` decides.
	TrialEndBehaviour Optional[TrialEndBehaviour] `json:"trial_end_behaviour,omitzero"`
	// What happens after a failed payment, as for plans. `retry`, the default: it is charged again 1,
	// 3 and 5 days after its first failure, unless the decline is final. `stop`: it is not retried.
	FailureBehaviour Optional[FailureBehaviour] `json:"failure_behaviour,omitzero"`
	// What happens when no retry is left. `pause` is the default.
	UnpaidBehaviour Optional[UnpaidBehaviour] `json:"unpaid_behaviour,omitzero"`
	// For how many days after the first failure `in_effect` stays true while retries continue, if a
	// period was paid before: until the same time of day in the account’s time zone. By default 7,
	// which covers all retries.
	GraceDays Optional[int] `json:"grace_days,omitzero"`
	// When the first period takes effect that is paid by a bank debit. `settled`, the default: when
	// the bank has collected it. `submitted`: when the debit is accepted. Later periods begin on their
	// dates.
	EffectiveOn Optional[EffectiveOn] `json:"effective_on,omitzero"`
	// Fees that the next paid period takes once, such as a joining fee. The days of the period and
	// discounts change nothing of them. An update replaces those that wait; an empty list withdraws
	// them.
	OneOffItems Optional[[]SubscriptionOneOffItemInput] `json:"one_off_items,omitzero"`
	// What is taken off the items of each paid period, one after the other, and never more than they
	// cost. An update replaces all of them, from the next period on.
	Discounts Optional[[]SubscriptionDiscountInput] `json:"discounts,omitzero"`
	// For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
	// outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated by
	// semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters, values of at
	// most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// The first day. By default today, for this customer. Not in the past. Periods are counted from
	// here, or from the end of the trial: 31 January is followed by 28 or 29 February, then by 31
	// March.
	StartDate Optional[string] `json:"start_date,omitzero"`
	// The day of the month on which periods begin; in shorter months the last day. The first period is
	// then short, and costs its share of the days. Not for weekly subscriptions. A resume counts anew
	// from its own day.
	AnchorDay Optional[int] `json:"anchor_day,omitzero"`
	// The days of a trial before the first paid period.
	TrialDays Optional[int] `json:"trial_days,omitzero"`
	// The first day after the trial. Either this or `trial_days`.
	TrialEndDate Optional[string] `json:"trial_end_date,omitzero"`
	// The day on which it ends, the first without service: an end of a period. Null: it continues.
	EndsAt Optional[string] `json:"ends_at,omitzero"`
	// The method to charge. By default the customer’s default method at the time of each charge.
	PaymentInstrumentID Optional[string] `json:"payment_instrument_id,omitzero"`
}

type SubscriptionCreditRefund struct {
	// Minor units, at most `refundable_credit_cents`. That is the default.
	AmountCents Optional[int] `json:"amount_cents,omitzero"`
	// The reason, in your words.
	Reason Optional[string] `json:"reason,omitzero"`
	// For your own use. In the sandbox `_sandbox_refund_outcome`: `fail` makes the refund fail. At
	// most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
}

type SubscriptionCreditRefunds struct {
	// The id of the refund.
	ID string `json:"id"`
	// The payment that is refunded.
	PaymentIntentID string `json:"payment_intent_id"`
	// Minor units.
	Amount int `json:"amount"`
	// How much of the amount is surcharge, minor units: the part that it has in the payment.
	SurchargeAmount int `json:"surcharge_amount"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// The reason, in your words.
	Reason *string `json:"reason"`
	// For your own use. At most 50 pairs; keys of at most 40 characters, values of at most 500.
	Metadata map[string]string `json:"metadata"`
	// `processing`: the processor was asked. `succeeded`: the money was returned. `failed`: it was
	// not; you can request a new refund.
	Status RefundStatus `json:"status"`
	// Present and true if the payment was a bank debit that could still come back when it was
	// refunded. If it does, the payer has the money twice: see `total_returned_amount` of the payment
	// intent.
	RefundAtRisk *bool `json:"refund_at_risk,omitzero"`
	// The account that pays the refund.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// All refunds of this request, that of the newest payment first. Each has its own status: if one
	// fails, its part of the credit comes back.
	Refunds []Refund `json:"refunds"`
}

type SubscriptionDiscount struct {
	// A label, for statements.
	Name string `json:"name"`
	// So many per cent; null if it is an amount.
	PercentOff *int `json:"percent_off"`
	// An amount, minor units; null if it is a percentage.
	AmountOffCents *int `json:"amount_off_cents"`
	// For how many paid periods that begin later; null for all.
	PeriodsLeft *int `json:"periods_left"`
}

type SubscriptionDiscountInput struct {
	// A label, for statements.
	Name string `json:"name"`
	// So many per cent of what the items of a period cost.
	PercentOff Optional[int] `json:"percent_off,omitzero"`
	// So much of what the items of a whole period cost, minor units. Either this or `percent_off`.
	AmountOffCents Optional[int] `json:"amount_off_cents,omitzero"`
	// For how many paid periods. By default for all.
	Periods Optional[int] `json:"periods,omitzero"`
}

type SubscriptionEffect struct {
	Object string `json:"object"`
	// The subscription.
	ObjectID string `json:"object_id"`
	// The advance that caused it; null in a dry run.
	AdvanceID *string `json:"advance_id"`
	// The simulated instant at which it happens.
	At time.Time `json:"at"`
	// What happened.
	EventType ClockEffectType `json:"event_type"`
	// The event that reports it; null in a dry run.
	EventID *string `json:"event_id"`
	// The number before `to_period` if that has begun with this effect, else the same.
	FromPeriod *int `json:"from_period"`
	// The period that has begun last, after this effect.
	ToPeriod *int                `json:"to_period"`
	Changes  SubscriptionChanges `json:"changes"`
}

// SubscriptionFrequency is a name of the API.
type SubscriptionFrequency string

const (
	SubscriptionFrequencyWeekly  SubscriptionFrequency = "weekly"
	SubscriptionFrequencyMonthly SubscriptionFrequency = "monthly"
	SubscriptionFrequencyYearly  SubscriptionFrequency = "yearly"
)

type SubscriptionInEffectChangedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionItem struct {
	// The id of the item.
	ID string `json:"id"`
	// A label, for statements.
	Name string `json:"name"`
	// The price of one for a whole period, minor units.
	UnitAmountCents int `json:"unit_amount_cents"`
	// How many.
	Quantity int `json:"quantity"`
}

type SubscriptionItemInput struct {
	// A label, for statements.
	Name string `json:"name"`
	// The price of one, for a whole period, minor units.
	UnitAmountCents int `json:"unit_amount_cents"`
	// How many; by default 1.
	Quantity Optional[int] `json:"quantity,omitzero"`
}

type SubscriptionLettingGo struct {
	// The id of the subscription.
	ID string `json:"id"`
	// The customer who gets the service and is charged.
	CustomerID string `json:"customer_id"`
	// A label.
	Name string `json:"name"`
	// `pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
	// payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
	// service. `canceled`: ended for good.
	State SubscriptionState `json:"state"`
	// Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
	// `no_payment_method`: its trial ended without one. `ended`: at `ends_at`. `customer_deleted`.
	StateReason *string `json:"state_reason"`
	// Whether the customer may use the service now.
	InEffect bool `json:"in_effect"`
	// Until when, if nothing else happens. Null while that is open, and while it is not in effect.
	InEffectUntil *time.Time `json:"in_effect_until"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// What is sold in the current period.
	Items []SubscriptionItem `json:"items"`
	// What is sold from the next period on, if that was changed; null if it is the same.
	NextItems []SubscriptionItem `json:"next_items"`
	// Fees that are not paid: the next paid period takes them once, or an unpaid period has taken
	// them.
	OneOffItems []SubscriptionOneOffItem `json:"one_off_items"`
	// The discounts of the current period.
	Discounts []SubscriptionDiscount `json:"discounts"`
	// The discounts from the next period on, if they were changed; null if they are the same.
	NextDiscounts []SubscriptionDiscount `json:"next_discounts"`
	// The unit of a period.
	FrequencyType SubscriptionFrequency `json:"frequency_type"`
	// How many weeks, months or years a period has. By default 1.
	FrequencyPeriod int `json:"frequency_period"`
	// The first day. By default today, for this customer. Not in the past. Periods are counted from
	// here, or from the end of the trial: 31 January is followed by 28 or 29 February, then by 31
	// March.
	StartDate string `json:"start_date"`
	// The day of the month on which periods begin; in shorter months the last day. The first period is
	// then short, and costs its share of the days. Not for weekly subscriptions. A resume counts anew
	// from its own day.
	AnchorDay *int `json:"anchor_day"`
	// The days of a trial before the first paid period.
	TrialDays *int `json:"trial_days"`
	// The first day after the trial. Either this or `trial_days`.
	TrialEndDate *string `json:"trial_end_date"`
	// What happens if a trial ends and there is no method to charge. `pause`, the default; `cancel`;
	// `charge`: the collection fails, and `unpaid_behaviour` decides.
	TrialEndBehaviour TrialEndBehaviour `json:"trial_end_behaviour"`
	// The method to charge; null for the customer’s default at each charge.
	PaymentInstrumentID *string `json:"payment_instrument_id"`
	// What happens after a failed payment, as for plans. `retry`, the default: it is charged again 1,
	// 3 and 5 days after its first failure, unless the decline is final. `stop`: it is not retried.
	FailureBehaviour FailureBehaviour `json:"failure_behaviour"`
	// What happens when no retry is left. `pause` is the default.
	UnpaidBehaviour UnpaidBehaviour `json:"unpaid_behaviour"`
	// For how many days after the first failure `in_effect` stays true while retries continue, if a
	// period was paid before: until the same time of day in the account’s time zone. By default 7,
	// which covers all retries.
	GraceDays int `json:"grace_days"`
	// When the first period takes effect that is paid by a bank debit. `settled`, the default: when
	// the bank has collected it. `submitted`: when the debit is accepted. Later periods begin on their
	// dates.
	EffectiveOn EffectiveOn `json:"effective_on"`
	// The day on which it ends, the first without service: an end of a period. Null: it continues.
	EndsAt *string `json:"ends_at"`
	// The day on which a pause begins that was requested.
	PausesAt *string `json:"pauses_at"`
	// The day on which the pause ends automatically. It does not end while a period is owed.
	ResumesAt *string `json:"resumes_at"`
	// The period that has begun last; null before the first.
	CurrentPeriod *CurrentPeriod `json:"current_period"`
	// When the next period begins; null if none is to come.
	NextPeriodStart *string `json:"next_period_start"`
	// When a failed payment is retried; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// What collecting would take for periods that are not paid, without surcharge, minor units. 0
	// unless one is unpaid.
	OwedAmountCents int `json:"owed_amount_cents"`
	// What the bank or the processor already had when it was canceled, minor units. If it succeeds, it
	// becomes credit, unless its period was over.
	InFlightAmount int `json:"in_flight_amount"`
	// The credit of the customer for later periods, minor units.
	CreditBalanceCents int `json:"credit_balance_cents"`
	// How much of the credit `refund_credit` can pay out now, minor units: at most what remains of the
	// payments.
	RefundableCreditCents int `json:"refundable_credit_cents"`
	// What changes have left for the next period to take, besides its items.
	NextPeriodLines []SubscriptionPeriodLine `json:"next_period_lines"`
	// The payment of a change that is under way; null if none is.
	ChangePaymentIntentID *string `json:"change_payment_intent_id"`
	// The periods that were collected. Trials do not count.
	PaidPeriods int `json:"paid_periods"`
	// Its last payment; null before the first.
	LatestPaymentIntentID *string `json:"latest_payment_intent_id"`
	// Why its last charge failed; null if it did not.
	LastPaymentError *SubscriptionPaymentError `json:"last_payment_error"`
	// For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
	// outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated by
	// semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters, values of at
	// most 500.
	Metadata map[string]string `json:"metadata"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock of the customer; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// What was served and is not collected, minor units. 0 if all is paid or collected.
	WaivedAmountCents int `json:"waived_amount_cents"`
	// Fees and lines of changes that are no longer taken, since it has ended.
	DroppedLines []SubscriptionPeriodLine `json:"dropped_lines"`
}

type SubscriptionList struct {
	Data []Subscription `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type SubscriptionMadeChange struct {
	// From 1.
	Number int `json:"number"`
	// The period in which it was requested.
	Period int `json:"period"`
	// `processing`: its payment is under way. `made`. `failed`: its payment was declined, or another
	// change took its place; nothing has changed. `credited`: it was paid when its period was over or
	// the subscription no longer active; nothing has changed, and the money is credit.
	Status SubscriptionMadeChangeStatus `json:"status"`
	// What it sells from then on.
	Items []SubscriptionItem `json:"items"`
	// What this change alone costs and credits.
	Lines []SubscriptionPeriodLine `json:"lines"`
	// What was charged for it at once, without surcharge, minor units.
	AmountCents int `json:"amount_cents"`
	// That payment; null if nothing was charged.
	PaymentIntentID *string `json:"payment_intent_id"`
	// When it was requested.
	ChangedAt time.Time `json:"changed_at"`
}

// SubscriptionMadeChangeStatus is a name of the API.
//
// `processing`: its payment is under way. `made`. `failed`: its payment was declined, or another
// change took its place; nothing has changed. `credited`: it was paid when its period was over or
// the subscription no longer active; nothing has changed, and the money is credit.
type SubscriptionMadeChangeStatus string

const (
	SubscriptionMadeChangeStatusProcessing SubscriptionMadeChangeStatus = "processing"
	SubscriptionMadeChangeStatusMade       SubscriptionMadeChangeStatus = "made"
	SubscriptionMadeChangeStatusFailed     SubscriptionMadeChangeStatus = "failed"
	SubscriptionMadeChangeStatusCredited   SubscriptionMadeChangeStatus = "credited"
)

type SubscriptionMadeChangeList struct {
	Data []SubscriptionMadeChange `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type SubscriptionOneOffItem struct {
	// A label, for statements.
	Name string `json:"name"`
	// The price of one, minor units.
	UnitAmountCents int `json:"unit_amount_cents"`
	// How many.
	Quantity int `json:"quantity"`
}

type SubscriptionOneOffItemInput struct {
	// A label, for statements.
	Name string `json:"name"`
	// The price of one, minor units.
	UnitAmountCents int `json:"unit_amount_cents"`
	// How many; by default 1.
	Quantity Optional[int] `json:"quantity,omitzero"`
}

type SubscriptionPaidPeriod struct {
	// The id of the subscription.
	ID string `json:"id"`
	// The customer who gets the service and is charged.
	CustomerID string `json:"customer_id"`
	// A label.
	Name string `json:"name"`
	// `pending`: not started; nothing is owed. `trialing`: in its trial. `active`: paid, or its
	// payment is under way. `past_due`: a payment failed and is retried. `paused`: no period, no
	// service. `canceled`: ended for good.
	State SubscriptionState `json:"state"`
	// Why it is paused or canceled. `requested`: by you. `payment_failed`: no retry is left.
	// `no_payment_method`: its trial ended without one. `ended`: at `ends_at`. `customer_deleted`.
	StateReason *string `json:"state_reason"`
	// Whether the customer may use the service now.
	InEffect bool `json:"in_effect"`
	// Until when, if nothing else happens. Null while that is open, and while it is not in effect.
	InEffectUntil *time.Time `json:"in_effect_until"`
	// An ISO 4217 code, in capitals.
	Currency Currency `json:"currency"`
	// What is sold in the current period.
	Items []SubscriptionItem `json:"items"`
	// What is sold from the next period on, if that was changed; null if it is the same.
	NextItems []SubscriptionItem `json:"next_items"`
	// Fees that are not paid: the next paid period takes them once, or an unpaid period has taken
	// them.
	OneOffItems []SubscriptionOneOffItem `json:"one_off_items"`
	// The discounts of the current period.
	Discounts []SubscriptionDiscount `json:"discounts"`
	// The discounts from the next period on, if they were changed; null if they are the same.
	NextDiscounts []SubscriptionDiscount `json:"next_discounts"`
	// The unit of a period.
	FrequencyType SubscriptionFrequency `json:"frequency_type"`
	// How many weeks, months or years a period has. By default 1.
	FrequencyPeriod int `json:"frequency_period"`
	// The first day. By default today, for this customer. Not in the past. Periods are counted from
	// here, or from the end of the trial: 31 January is followed by 28 or 29 February, then by 31
	// March.
	StartDate string `json:"start_date"`
	// The day of the month on which periods begin; in shorter months the last day. The first period is
	// then short, and costs its share of the days. Not for weekly subscriptions. A resume counts anew
	// from its own day.
	AnchorDay *int `json:"anchor_day"`
	// The days of a trial before the first paid period.
	TrialDays *int `json:"trial_days"`
	// The first day after the trial. Either this or `trial_days`.
	TrialEndDate *string `json:"trial_end_date"`
	// What happens if a trial ends and there is no method to charge. `pause`, the default; `cancel`;
	// `charge`: the collection fails, and `unpaid_behaviour` decides.
	TrialEndBehaviour TrialEndBehaviour `json:"trial_end_behaviour"`
	// The method to charge; null for the customer’s default at each charge.
	PaymentInstrumentID *string `json:"payment_instrument_id"`
	// What happens after a failed payment, as for plans. `retry`, the default: it is charged again 1,
	// 3 and 5 days after its first failure, unless the decline is final. `stop`: it is not retried.
	FailureBehaviour FailureBehaviour `json:"failure_behaviour"`
	// What happens when no retry is left. `pause` is the default.
	UnpaidBehaviour UnpaidBehaviour `json:"unpaid_behaviour"`
	// For how many days after the first failure `in_effect` stays true while retries continue, if a
	// period was paid before: until the same time of day in the account’s time zone. By default 7,
	// which covers all retries.
	GraceDays int `json:"grace_days"`
	// When the first period takes effect that is paid by a bank debit. `settled`, the default: when
	// the bank has collected it. `submitted`: when the debit is accepted. Later periods begin on their
	// dates.
	EffectiveOn EffectiveOn `json:"effective_on"`
	// The day on which it ends, the first without service: an end of a period. Null: it continues.
	EndsAt *string `json:"ends_at"`
	// The day on which a pause begins that was requested.
	PausesAt *string `json:"pauses_at"`
	// The day on which the pause ends automatically. It does not end while a period is owed.
	ResumesAt *string `json:"resumes_at"`
	// The period that has begun last; null before the first.
	CurrentPeriod *CurrentPeriod `json:"current_period"`
	// When the next period begins; null if none is to come.
	NextPeriodStart *string `json:"next_period_start"`
	// When a failed payment is retried; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// What collecting would take for periods that are not paid, without surcharge, minor units. 0
	// unless one is unpaid.
	OwedAmountCents int `json:"owed_amount_cents"`
	// What the bank or the processor already had when it was canceled, minor units. If it succeeds, it
	// becomes credit, unless its period was over.
	InFlightAmount int `json:"in_flight_amount"`
	// The credit of the customer for later periods, minor units.
	CreditBalanceCents int `json:"credit_balance_cents"`
	// How much of the credit `refund_credit` can pay out now, minor units: at most what remains of the
	// payments.
	RefundableCreditCents int `json:"refundable_credit_cents"`
	// What changes have left for the next period to take, besides its items.
	NextPeriodLines []SubscriptionPeriodLine `json:"next_period_lines"`
	// The payment of a change that is under way; null if none is.
	ChangePaymentIntentID *string `json:"change_payment_intent_id"`
	// The periods that were collected. Trials do not count.
	PaidPeriods int `json:"paid_periods"`
	// Its last payment; null before the first.
	LatestPaymentIntentID *string `json:"latest_payment_intent_id"`
	// Why its last charge failed; null if it did not.
	LastPaymentError *SubscriptionPaymentError `json:"last_payment_error"`
	// For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
	// outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated by
	// semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters, values of at
	// most 500.
	Metadata map[string]string `json:"metadata"`
	// The account that is paid.
	BillerID string `json:"biller_id"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The test clock of the customer; null in real time.
	TestClock *string `json:"test_clock"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt  time.Time          `json:"updated_at"`
	PaidPeriod SubscriptionPeriod `json:"paid_period"`
}

type SubscriptionPastDueEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionPause struct {
	// When the pause begins: an end of a period. By default at the end of the current period.
	From Optional[string] `json:"from,omitzero"`
	// When it resumes automatically: after the pause begins. By default it waits for a resume.
	ResumesAt Optional[string] `json:"resumes_at,omitzero"`
	// The day of the month on which later periods begin, such as that of before the pause. The new
	// period is then short, and costs its share of the days. By default the day of the resume. Not for
	// weekly subscriptions.
	AnchorDay Optional[int] `json:"anchor_day,omitzero"`
}

type SubscriptionPauseRemovedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionPauseScheduledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionPausedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionPaymentError struct {
	// Why it failed, for programs: see *Codes of failed payments*.
	Code string `json:"code"`
	// For people.
	Message string `json:"message"`
}

type SubscriptionPeriod struct {
	// From 1. A trial is period 1.
	Number int `json:"number"`
	// The first day.
	Start string `json:"start"`
	// The first day after it.
	End string `json:"end"`
	// `processing`: being charged. `paid`: collected, or a trial. `retrying`: failed, and retried.
	// `unpaid`: failed, and not retried. `void`: nothing is owed for it, and it was not bought.
	Status SubscriptionPeriodStatus `json:"status"`
	// Whether it is a trial.
	Kind SubscriptionPeriodKind `json:"kind"`
	// The statement of the period.
	Lines []SubscriptionPeriodLine `json:"lines"`
	// The sum of the lines, without surcharge, minor units.
	AmountCents int `json:"amount_cents"`
	// Its payment; null for a trial.
	PaymentIntentID *string `json:"payment_intent_id"`
	// The failed attempts of the present series.
	Failures int `json:"failures"`
	// When it is retried; null if it is not.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// Until when it was in effect, if that has ended; otherwise null.
	ServedUntil *time.Time `json:"served_until"`
}

// SubscriptionPeriodKind is a name of the API.
//
// Whether it is a trial.
type SubscriptionPeriodKind string

const (
	SubscriptionPeriodKindTrial SubscriptionPeriodKind = "trial"
	SubscriptionPeriodKindPaid  SubscriptionPeriodKind = "paid"
)

type SubscriptionPeriodLine struct {
	// `item`: a whole period. `one_off`: a fee that is taken once. `proration`: the share of its days.
	// `discount`: negative, unless a change gives back days that had it. `credit`: negative. `owed`:
	// days that were served in an earlier period and not paid.
	Kind SubscriptionPeriodLineKind `json:"kind"`
	// For people.
	Description string `json:"description"`
	// How many.
	Quantity int `json:"quantity"`
	// The amount of the line, minor units.
	AmountCents int `json:"amount_cents"`
}

// SubscriptionPeriodLineKind is a name of the API.
//
// `item`: a whole period. `one_off`: a fee that is taken once. `proration`: the share of its days.
// `discount`: negative, unless a change gives back days that had it. `credit`: negative. `owed`:
// days that were served in an earlier period and not paid.
type SubscriptionPeriodLineKind string

const (
	SubscriptionPeriodLineKindItem      SubscriptionPeriodLineKind = "item"
	SubscriptionPeriodLineKindOneOff    SubscriptionPeriodLineKind = "one_off"
	SubscriptionPeriodLineKindProration SubscriptionPeriodLineKind = "proration"
	SubscriptionPeriodLineKindDiscount  SubscriptionPeriodLineKind = "discount"
	SubscriptionPeriodLineKindCredit    SubscriptionPeriodLineKind = "credit"
	SubscriptionPeriodLineKindOwed      SubscriptionPeriodLineKind = "owed"
)

type SubscriptionPeriodList struct {
	Data []SubscriptionPeriod `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type SubscriptionPeriodPaidEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string                `json:"request_id"`
	Data      SubscriptionPaidPeriod `json:"data"`
}

// SubscriptionPeriodStatus is a name of the API.
type SubscriptionPeriodStatus string

const (
	SubscriptionPeriodStatusProcessing SubscriptionPeriodStatus = "processing"
	SubscriptionPeriodStatusPaid       SubscriptionPeriodStatus = "paid"
	SubscriptionPeriodStatusRetrying   SubscriptionPeriodStatus = "retrying"
	SubscriptionPeriodStatusUnpaid     SubscriptionPeriodStatus = "unpaid"
	SubscriptionPeriodStatusVoid       SubscriptionPeriodStatus = "void"
)

type SubscriptionRecoveredEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionRenewedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionResume struct {
	// The day of the month on which later periods begin, such as that of before the pause. The new
	// period is then short, and costs its share of the days. By default the day of the resume. Not for
	// weekly subscriptions.
	AnchorDay Optional[int] `json:"anchor_day,omitzero"`
	// Whether what was served and not paid is collected, the default, or waived: then the unpaid
	// period is `void` and a new one begins today.
	Unpaid Optional[UnpaidService] `json:"unpaid,omitzero"`
}

type SubscriptionResumedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string               `json:"request_id"`
	Data      SubscriptionLettingGo `json:"data"`
}

type SubscriptionStartedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

// SubscriptionState is a name of the API.
type SubscriptionState string

const (
	SubscriptionStatePending  SubscriptionState = "pending"
	SubscriptionStateTrialing SubscriptionState = "trialing"
	SubscriptionStateActive   SubscriptionState = "active"
	SubscriptionStatePastDue  SubscriptionState = "past_due"
	SubscriptionStatePaused   SubscriptionState = "paused"
	SubscriptionStateCanceled SubscriptionState = "canceled"
)

type SubscriptionTrialEndingEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string      `json:"request_id"`
	Data      Subscription `json:"data"`
}

type SubscriptionUnusedQuote struct {
	// What the change costs and credits. If it is paid now, their sum is `amount_cents`: what earlier
	// changes have left for the next period and the credit balance are among them.
	Lines []SubscriptionPeriodLine `json:"lines"`
	// What becomes credit, minor units.
	CreditCents int `json:"credit_cents"`
	// The same request gets this quote until then: the end of the day.
	ValidUntil time.Time `json:"valid_until"`
}

type SubscriptionUpdate struct {
	// Cannot be changed. Sending it is a validation error.
	CustomerID Optional[string] `json:"customer_id,omitzero"`
	// A label.
	Name Optional[string] `json:"name,omitzero"`
	// An ISO 4217 code, in capitals.
	Currency Optional[Currency] `json:"currency,omitzero"`
	// What is sold. A period costs the sum of unit amount times quantity, at least 1 minor unit. The
	// limits of payment intents (200 and 100000) do not apply.
	Items Optional[[]SubscriptionItemInput] `json:"items,omitzero"`
	// The unit of a period.
	FrequencyType Optional[SubscriptionFrequency] `json:"frequency_type,omitzero"`
	// How many weeks, months or years a period has. By default 1.
	FrequencyPeriod Optional[int] `json:"frequency_period,omitzero"`
	// What happens if a trial ends and there is no method to charge. `pause`, the default; `cancel`;
	// `charge`: the collection fails, and `unpaid_behaviour` decides.
	TrialEndBehaviour Optional[TrialEndBehaviour] `json:"trial_end_behaviour,omitzero"`
	// What happens after a failed payment, as for plans. `retry`, the default: it is charged again 1,
	// 3 and 5 days after its first failure, unless the decline is final. `stop`: it is not retried.
	FailureBehaviour Optional[FailureBehaviour] `json:"failure_behaviour,omitzero"`
	// What happens when no retry is left. `pause` is the default.
	UnpaidBehaviour Optional[UnpaidBehaviour] `json:"unpaid_behaviour,omitzero"`
	// For how many days after the first failure `in_effect` stays true while retries continue, if a
	// period was paid before: until the same time of day in the account’s time zone. By default 7,
	// which covers all retries.
	GraceDays Optional[int] `json:"grace_days,omitzero"`
	// When the first period takes effect that is paid by a bank debit. `settled`, the default: when
	// the bank has collected it. `submitted`: when the debit is accepted. Later periods begin on their
	// dates.
	EffectiveOn Optional[EffectiveOn] `json:"effective_on,omitzero"`
	// Fees that the next paid period takes once, such as a joining fee. The days of the period and
	// discounts change nothing of them. An update replaces those that wait; an empty list withdraws
	// them.
	OneOffItems Optional[[]SubscriptionOneOffItemInput] `json:"one_off_items,omitzero"`
	// What is taken off the items of each paid period, one after the other, and never more than they
	// cost. An update replaces all of them, from the next period on.
	Discounts Optional[[]SubscriptionDiscountInput] `json:"discounts,omitzero"`
	// For your own use. Copied to each payment intent, so that `_sandbox_outcome` chooses their
	// outcomes; `_sandbox_outcome_by_period` has one such list for each paid period, separated by
	// semicolons, and the last repeats. At most 50 pairs; keys of at most 40 characters, values of at
	// most 500.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// The first day. By default today, for this customer. Not in the past. Periods are counted from
	// here, or from the end of the trial: 31 January is followed by 28 or 29 February, then by 31
	// March.
	StartDate Optional[string] `json:"start_date,omitzero"`
	// The day of the month on which periods begin; in shorter months the last day. The first period is
	// then short, and costs its share of the days. Not for weekly subscriptions. A resume counts anew
	// from its own day.
	AnchorDay Optional[int] `json:"anchor_day,omitzero"`
	// The days of a trial before the first paid period.
	TrialDays Optional[int] `json:"trial_days,omitzero"`
	// The first day after the trial. Either this or `trial_days`.
	TrialEndDate Optional[string] `json:"trial_end_date,omitzero"`
	// The day on which it ends, the first without service: an end of a period. Null: it continues.
	EndsAt Optional[string] `json:"ends_at,omitzero"`
	// The method to charge. By default the customer’s default method at the time of each charge.
	PaymentInstrumentID Optional[string] `json:"payment_instrument_id,omitzero"`
}

type SubscriptionUpdatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string               `json:"request_id"`
	Data      SubscriptionLettingGo `json:"data"`
}

// SurchargeReason is a name of the API.
type SurchargeReason string

const (
	SurchargeReasonNotAllowed SurchargeReason = "not_allowed"
	SurchargeReasonCapped     SurchargeReason = "capped"
)

type SurchargeRule struct {
	// The type of payment method. Null: every type that no other rule names.
	PaymentMethodType *SurchargedMethodType `json:"payment_method_type"`
	// The network of a card; null for any.
	CardNetwork *CardNetwork `json:"card_network"`
	// What a card draws on; null for any.
	CardFunding *CardFunding `json:"card_funding"`
	// `allowed`: the fee may be added. `at_most_cost`: at most your cost of acceptance, or the fee if
	// you have stated none. `forbidden`: nothing is added.
	Verdict SurchargeVerdict `json:"verdict"`
	// What you have stated that it costs you, in percent of the amount. Null if none counts here.
	CostOfAcceptancePercent *float64 `json:"cost_of_acceptance_percent"`
	// The first date on which the rule holds; null if it has none.
	From *string `json:"from"`
	// The first date on which the rule no longer holds; null if none is known.
	Until *string `json:"until"`
	// What the rule rests on.
	Source string `json:"source"`
}

type SurchargeRules struct {
	// The country of your account, ISO 3166-1 alpha-2; null if an operator has set none.
	Country *string `json:"country"`
	// Today in the time zone of your account. The rules are those of this date.
	Date string          `json:"date"`
	Data []SurchargeRule `json:"data"`
	// Always false: all rules are returned.
	HasMore bool `json:"has_more"`
}

// SurchargeVerdict is a name of the API.
type SurchargeVerdict string

const (
	SurchargeVerdictAllowed    SurchargeVerdict = "allowed"
	SurchargeVerdictAtMostCost SurchargeVerdict = "at_most_cost"
	SurchargeVerdictForbidden  SurchargeVerdict = "forbidden"
)

// SurchargedMethodType is a name of the API.
type SurchargedMethodType string

const (
	SurchargedMethodTypeCard        SurchargedMethodType = "card"
	SurchargedMethodTypeAuBecsDebit SurchargedMethodType = "au_becs_debit"
	SurchargedMethodTypeKlarna      SurchargedMethodType = "klarna"
	SurchargedMethodTypePayID       SurchargedMethodType = "pay_id"
	SurchargedMethodTypePaypal      SurchargedMethodType = "paypal"
)

type TestClock struct {
	// The id of the test clock.
	ID     string `json:"id"`
	Object string `json:"object"`
	// A label.
	Name *string `json:"name"`
	// `created`: not advanced yet. `advancing`: until every effect of an advance is committed.
	// `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect could not
	// be applied; the clock cannot be advanced again.
	Status TestClockStatus `json:"status"`
	// The current time of the clock’s customers.
	FrozenTime time.Time `json:"frozen_time"`
	// When the clock is deleted with all its objects: 30 days after creation, in real time.
	ExpiresAt time.Time `json:"expires_at"`
	// When the last advance was complete, in real time.
	LastAdvancedAt *time.Time `json:"last_advanced_at"`
	// Why the last advance failed, in words.
	FailureReason *string `json:"failure_reason"`
	Livemode      bool    `json:"livemode"`
	// The latest target of one advance now: two of the shortest intervals of the active plans and
	// subscriptions ahead. A week counts 7 days, a month or a subscription 30. Without any of them, it
	// is 62 days ahead. Null while the clock cannot be advanced.
	MaxFrozenTime *time.Time `json:"max_frozen_time"`
	// Null before the first advance.
	LastAdvance       *TestClockLastAdvance `json:"last_advance"`
	WebhookDeliveries WebhookDeliveryCounts `json:"webhook_deliveries"`
}

type TestClockAdvance struct {
	// The instant to advance to.
	FrozenTime time.Time `json:"frozen_time"`
	// Return what the advance would do, with 200, and change nothing. By default false.
	DryRun Optional[bool] `json:"dry_run,omitzero"`
}

type TestClockAdvancing struct {
	// The id of the test clock.
	ID     string `json:"id"`
	Object string `json:"object"`
	// A label.
	Name *string `json:"name"`
	// `created`: not advanced yet. `advancing`: until every effect of an advance is committed.
	// `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect could not
	// be applied; the clock cannot be advanced again.
	Status TestClockStatus `json:"status"`
	// The current time of the clock’s customers.
	FrozenTime time.Time `json:"frozen_time"`
	// When the clock is deleted with all its objects: 30 days after creation, in real time.
	ExpiresAt time.Time `json:"expires_at"`
	// When the last advance was complete, in real time.
	LastAdvancedAt *time.Time `json:"last_advanced_at"`
	// Why the last advance failed, in words.
	FailureReason *string `json:"failure_reason"`
	Livemode      bool    `json:"livemode"`
	// The instant that the clock advances to.
	TargetTime time.Time `json:"target_time"`
}

type TestClockAdvancingEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string            `json:"request_id"`
	Data      TestClockAdvancing `json:"data"`
}

type TestClockCreate struct {
	// The current time of the clock’s customers.
	FrozenTime time.Time `json:"frozen_time"`
	// A label.
	Name Optional[string] `json:"name,omitzero"`
}

type TestClockCreatedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string        `json:"request_id"`
	Data      TestClockState `json:"data"`
}

type TestClockDeletedEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string        `json:"request_id"`
	Data      TestClockState `json:"data"`
}

type TestClockDryRun struct {
	// The id of the test clock.
	ID     string `json:"id"`
	DryRun bool   `json:"dry_run"`
	// `created`: not advanced yet. `advancing`: until every effect of an advance is committed.
	// `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect could not
	// be applied; the clock cannot be advanced again.
	Status TestClockStatus `json:"status"`
	// The current time of the clock’s customers.
	FrozenTime time.Time `json:"frozen_time"`
	// The target of the advance.
	TargetTime      time.Time       `json:"target_time"`
	EffectsManifest EffectsManifest `json:"effects_manifest"`
	// What the advance would do, in order.
	Effects []ClockEffect `json:"effects"`
}

type TestClockLastAdvance struct {
	// The id of the advance, adv_…. Use it to list its effects.
	ID string `json:"id"`
	// The state of the advance.
	Status TestClockLastAdvanceStatus `json:"status"`
	// The clock’s time before the advance.
	FromTime time.Time `json:"from_time"`
	// The target of the advance.
	TargetTime time.Time `json:"target_time"`
	// Null until it is complete.
	EffectsManifest *EffectsManifest `json:"effects_manifest"`
	// When it was requested, in real time.
	RequestedAt time.Time `json:"requested_at"`
	// When it ended, in real time; null until then.
	FinishedAt        *time.Time            `json:"finished_at"`
	WebhookDeliveries WebhookDeliveryCounts `json:"webhook_deliveries"`
}

// TestClockLastAdvanceStatus is a name of the API.
//
// The state of the advance.
type TestClockLastAdvanceStatus string

const (
	TestClockLastAdvanceStatusAdvancing TestClockLastAdvanceStatus = "advancing"
	TestClockLastAdvanceStatusReady     TestClockLastAdvanceStatus = "ready"
	TestClockLastAdvanceStatusFailed    TestClockLastAdvanceStatus = "failed"
)

type TestClockList struct {
	Data []TestClock `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type TestClockReady struct {
	// The id of the test clock.
	ID     string `json:"id"`
	Object string `json:"object"`
	// A label.
	Name *string `json:"name"`
	// `created`: not advanced yet. `advancing`: until every effect of an advance is committed.
	// `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect could not
	// be applied; the clock cannot be advanced again.
	Status TestClockStatus `json:"status"`
	// The current time of the clock’s customers.
	FrozenTime time.Time `json:"frozen_time"`
	// When the clock is deleted with all its objects: 30 days after creation, in real time.
	ExpiresAt time.Time `json:"expires_at"`
	// When the last advance was complete, in real time.
	LastAdvancedAt *time.Time `json:"last_advanced_at"`
	// Why the last advance failed, in words.
	FailureReason   *string         `json:"failure_reason"`
	Livemode        bool            `json:"livemode"`
	EffectsManifest EffectsManifest `json:"effects_manifest"`
}

type TestClockReadyEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string        `json:"request_id"`
	Data      TestClockReady `json:"data"`
}

type TestClockState struct {
	// The id of the test clock.
	ID     string `json:"id"`
	Object string `json:"object"`
	// A label.
	Name *string `json:"name"`
	// `created`: not advanced yet. `advancing`: until every effect of an advance is committed.
	// `ready`: the advance is complete, and `frozen_time` is its target. `failed`: an effect could not
	// be applied; the clock cannot be advanced again.
	Status TestClockStatus `json:"status"`
	// The current time of the clock’s customers.
	FrozenTime time.Time `json:"frozen_time"`
	// When the clock is deleted with all its objects: 30 days after creation, in real time.
	ExpiresAt time.Time `json:"expires_at"`
	// When the last advance was complete, in real time.
	LastAdvancedAt *time.Time `json:"last_advanced_at"`
	// Why the last advance failed, in words.
	FailureReason *string `json:"failure_reason"`
	Livemode      bool    `json:"livemode"`
}

// TestClockStatus is a name of the API.
type TestClockStatus string

const (
	TestClockStatusCreated   TestClockStatus = "created"
	TestClockStatusAdvancing TestClockStatus = "advancing"
	TestClockStatusReady     TestClockStatus = "ready"
	TestClockStatusFailed    TestClockStatus = "failed"
)

type TokenMetadata struct {
	// Who issued the token; `fixture` for a test card.
	Type string `json:"type"`
	// The token. For a fixture, one of those under *Test cards*.
	Token string `json:"token"`
	// Further token data; an empty string for a fixture.
	Data string `json:"data"`
}

// TrialEndBehaviour is a name of the API.
type TrialEndBehaviour string

const (
	TrialEndBehaviourCharge TrialEndBehaviour = "charge"
	TrialEndBehaviourPause  TrialEndBehaviour = "pause"
	TrialEndBehaviourCancel TrialEndBehaviour = "cancel"
)

// UnpaidBehaviour is a name of the API.
type UnpaidBehaviour string

const (
	UnpaidBehaviourPause  UnpaidBehaviour = "pause"
	UnpaidBehaviourCancel UnpaidBehaviour = "cancel"
)

// UnpaidService is a name of the API.
type UnpaidService string

const (
	UnpaidServiceCollect UnpaidService = "collect"
	UnpaidServiceWaive   UnpaidService = "waive"
)

type WebhookAttempt struct {
	// ISO 8601, UTC.
	At time.Time `json:"at"`
	// The HTTP status of the response; null if there was none.
	StatusCode *int `json:"status_code"`
	// Why it failed; null if it succeeded.
	Error *string `json:"error"`
	// How long it took, in milliseconds.
	DurationMs int `json:"duration_ms"`
	// The first 2 KiB of the response. Null without a response, and for a key that may not read the
	// event.
	ResponseExcerpt *string `json:"response_excerpt"`
}

type WebhookDelivery struct {
	// The id of the delivery.
	ID string `json:"id"`
	// The event that is delivered. Its id is the `webhook-id` of every attempt.
	EventID string `json:"event_id"`
	// The type of that event.
	EventType EventType `json:"event_type"`
	// The endpoint that it is delivered to.
	EndpointID string `json:"endpoint_id"`
	// `pending`: on its way, or between two attempts. `delivered`: the receiver returned a 2xx.
	// `failed`: given up.
	Status WebhookDeliveryStatus `json:"status"`
	// Why it was given up: all attempts were used, or the endpoint was disabled or deleted.
	FailureReason *string `json:"failure_reason"`
	// Oldest first.
	Attempts []WebhookAttempt `json:"attempts"`
	// When the next attempt is due. Like all times here, in real time.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
}

// Webhook deliveries, by status. When `pending` is 0, your receiver has received everything, except
// what failed. For a clock, the deliveries of all its events. For an advance, those of the events
// that it caused and of its `test_clock.ready`.
type WebhookDeliveryCounts struct {
	// On their way, or between two attempts.
	Pending int `json:"pending"`
	// The receiver returned a 2xx.
	Delivered int `json:"delivered"`
	// Given up.
	Failed int `json:"failed"`
}

type WebhookDeliveryList struct {
	Data []WebhookDelivery `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

// WebhookDeliveryStatus is a name of the API.
type WebhookDeliveryStatus string

const (
	WebhookDeliveryStatusPending   WebhookDeliveryStatus = "pending"
	WebhookDeliveryStatusDelivered WebhookDeliveryStatus = "delivered"
	WebhookDeliveryStatusFailed    WebhookDeliveryStatus = "failed"
)

// WebhookDisabledReason is a name of the API.
type WebhookDisabledReason string

const (
	WebhookDisabledReasonRequested WebhookDisabledReason = "requested"
	WebhookDisabledReasonGone      WebhookDisabledReason = "gone"
	WebhookDisabledReasonFailing   WebhookDisabledReason = "failing"
)

type WebhookEndpoint struct {
	// The id of the webhook endpoint.
	ID string `json:"id"`
	// Where events are posted.
	URL string `json:"url"`
	// What it subscribes to: event types, groups, or `*`.
	EventTypes []string `json:"event_types"`
	// For your own use.
	Description *string `json:"description"`
	// Nothing is sent to a disabled endpoint.
	Status WebhookEndpointStatus `json:"status"`
	// `requested`: by you. `gone`: it returned 410. `failing`: five days of nothing but failure.
	DisabledReason *WebhookDisabledReason `json:"disabled_reason"`
	// When the receiver first returned the challenge of a ping from this URL. Null until then, and
	// again after the URL changes. In live mode, nothing is replayed to an unverified endpoint.
	VerifiedAt *time.Time `json:"verified_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// ISO 8601, UTC.
	CreatedAt time.Time `json:"created_at"`
	// ISO 8601, UTC.
	UpdatedAt time.Time `json:"updated_at"`
	// The signing secret (Standard Webhooks). Shown only when it is created or rotated.
	Secret *string `json:"secret,omitzero"`
}

type WebhookEndpointCreate struct {
	// Where events are posted: `https`, or in the sandbox also `http`, without credentials or
	// fragment. The host must be public, or, in the sandbox of a service on your machine, `127.0.0.1`
	// or `localhost`. The service checks this now, and again at each connection.
	URL string `json:"url"`
	// Event types, groups such as `payment_plan.*`, or `*` for everything. By default everything.
	EventTypes Optional[[]string] `json:"event_types,omitzero"`
	// For your own use.
	Description Optional[string] `json:"description,omitzero"`
}

type WebhookEndpointDisabledEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string         `json:"request_id"`
	Data      WebhookEndpoint `json:"data"`
}

type WebhookEndpointList struct {
	Data []WebhookEndpoint `json:"data"`
	// Whether more items follow.
	HasMore bool `json:"has_more"`
}

type WebhookEndpointPingEvent struct {
	// The same on every delivery attempt, so that a receiver can recognise a repeated event.
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	// When it happened, in the customer’s time. For a customer on a test clock, that is the time of
	// the clock.
	CreatedAt time.Time `json:"created_at"`
	// False in the sandbox.
	Livemode bool `json:"livemode"`
	// The account that it happened to.
	BillerID string `json:"biller_id"`
	// The test clock that it is about, or that its customer is on; null in real time.
	TestClock *string `json:"test_clock"`
	// Rises by one with each event of an account and mode, without gaps, in commit order.
	Sequence int `json:"sequence"`
	// The API request that caused it; null if no request did.
	RequestID *string               `json:"request_id"`
	Data      PingedWebhookEndpoint `json:"data"`
}

// WebhookEndpointStatus is a name of the API.
type WebhookEndpointStatus string

const (
	WebhookEndpointStatusEnabled  WebhookEndpointStatus = "enabled"
	WebhookEndpointStatusDisabled WebhookEndpointStatus = "disabled"
)

type WebhookEndpointUpdate struct {
	// Where events are posted: `https`, or in the sandbox also `http`, without credentials or
	// fragment. The host must be public, or, in the sandbox of a service on your machine, `127.0.0.1`
	// or `localhost`. The service checks this now, and again at each connection.
	URL Optional[string] `json:"url,omitzero"`
	// Event types, groups such as `payment_plan.*`, or `*` for everything. Unchanged if left out.
	EventTypes Optional[[]string] `json:"event_types,omitzero"`
	// For your own use.
	Description Optional[string] `json:"description,omitzero"`
	// Disabling ends the pending deliveries. After you enable it again, you can replay what happened
	// in between.
	Status Optional[WebhookEndpointStatus] `json:"status,omitzero"`
}

type WebhookReplay struct {
	// Only events from this real time on.
	Since time.Time `json:"since"`
	// Only events up to this real time; by default until now.
	Until Optional[time.Time] `json:"until,omitzero"`
	// `failed`, the default: what was not delivered. `all`: also what was delivered.
	Status Optional[WebhookReplayStatus] `json:"status,omitzero"`
	// Only events after this one. Pass `last_event_id` of the previous replay while that returns
	// `has_more`.
	StartingAfter Optional[string] `json:"starting_after,omitzero"`
}

// WebhookReplayStatus is a name of the API.
//
// `failed`, the default: what was not delivered. `all`: also what was delivered.
type WebhookReplayStatus string

const (
	WebhookReplayStatusFailed WebhookReplayStatus = "failed"
	WebhookReplayStatusAll    WebhookReplayStatus = "all"
)
