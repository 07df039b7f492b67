// Code generated from the OpenAPI document of the service by `npm run generate`. DO NOT EDIT.

package payments

import (
	"context"
	"encoding/json"
	"net/url"
)

// APIVersion is the version of the API that this package was generated for.
const APIVersion = "1.0.0"

// Resources has every operation of the API.
type Resources struct {
	// The payers and their saved payment methods.
	Customers *CustomersService
	// Saved instruments. You can create cards and Australian bank accounts here. Klarna, PayID and
	// PayPal are read-only; in the sandbox a test helper creates them.
	PaymentMethods *PaymentMethodsService
	// The authority of a payer to debit a bank account, with the evidence that it was given. An
	// account that has a mandate is debited only while the mandate is active.
	Mandates *MandatesService
	// Single charges: created on your server, confirmed with a saved payment method. The event
	// `payment_intent.succeeded` completes a payment.
	PaymentIntents *PaymentIntentsService
	// Money returned to the payer, in whole or in part.
	Refunds *RefundsService
	// Recurring schedules. The service creates a payment intent for each due date, charges the saved
	// method, and retries after failures.
	PaymentPlans *PaymentPlansService
	// What you send to a payer: a URL behind which one or more payments are made, or a method is
	// saved.
	PaymentLinks *PaymentLinksService
	// A hosted page on which one payer pays, or saves a payment method. A payment link creates one for
	// each payer.
	CheckoutSessions *CheckoutSessionsService
	// A service that is sold in periods, each paid when it begins. `in_effect` says whether the
	// customer may use it now.
	Subscriptions *SubscriptionsService
	// Sandbox only: simulated time for chosen customers. Renewals, retries and expiry happen when you
	// ask for them.
	TestClocks *TestClocksService
	// The books of your account: what was taken, what it cost, what came back, what was paid out. Rows
	// are posted from events, within a second as a rule; `complete_up_to` says how far. Lists and
	// balances leave out what is on test clocks, unless `test_clock` names one.
	Balance *BalanceService
	// The books of your account: what was taken, what it cost, what came back, what was paid out. Rows
	// are posted from events, within a second as a rule; `complete_up_to` says how far. Lists and
	// balances leave out what is on test clocks, unless `test_clock` names one.
	BalanceTransactions *BalanceTransactionsService
	// What was paid to your bank account. The sandbox pays out at 00:00 of each business day, in your
	// time zone: all that is available in a currency, if that is more than 0.
	// `metadata._sandbox_payout` of a payment chooses what becomes of the payouts that it is in: a
	// list of `paid` and `fail`. In live mode the processor pays out, if it says so: Stripe does.
	Payouts *PayoutsService
	// Payments that a payer has disputed with the bank. What is disputed is held until the dispute is
	// won or lost, and cannot be refunded meanwhile. The sandbox opens disputes on request. Live mode
	// has none yet.
	Disputes *DisputesService
	// What finance reads, as JSON or as CSV, with the same columns in both. Amounts are minor units,
	// instants are UTC. Reports leave out what is on test clocks, unless `test_clock` names one.
	Reports *ReportsService
	// Everything that happened, numbered and stored, whether or not a webhook was sent.
	Events *EventsService
	// The endpoints that events are posted to, and the result of each delivery.
	WebhookEndpoints *WebhookEndpointsService
	// The endpoints that events are posted to, and the result of each delivery.
	WebhookDeliveries *WebhookDeliveriesService
	// How your own people get into the dashboard, which shows customers, payments and what becomes of
	// them. Your back office makes a session after its own sign-on, and sends the person to its URL.
	DashboardSessions *DashboardSessionsService
	// How your account presents itself to payers, on the pages that the service shows them, and where
	// it is.
	Account *AccountService
	// For operators of the service.
	Health *HealthService
	// This documentation.
	Reference *ReferenceService
}

func newResources(t *transport) Resources {
	return Resources{
		Customers:           &CustomersService{t},
		PaymentMethods:      &PaymentMethodsService{t},
		Mandates:            &MandatesService{t},
		PaymentIntents:      &PaymentIntentsService{t},
		Refunds:             &RefundsService{t},
		PaymentPlans:        &PaymentPlansService{t},
		PaymentLinks:        &PaymentLinksService{t},
		CheckoutSessions:    &CheckoutSessionsService{t},
		Subscriptions:       &SubscriptionsService{t},
		TestClocks:          &TestClocksService{t},
		Balance:             &BalanceService{t},
		BalanceTransactions: &BalanceTransactionsService{t},
		Payouts:             &PayoutsService{t},
		Disputes:            &DisputesService{t},
		Reports:             &ReportsService{t},
		Events:              &EventsService{t},
		WebhookEndpoints:    &WebhookEndpointsService{t},
		WebhookDeliveries:   &WebhookDeliveriesService{t},
		DashboardSessions:   &DashboardSessionsService{t},
		Account:             &AccountService{t},
		Health:              &HealthService{t},
		Reference:           &ReferenceService{t},
	}
}

// CustomersService: The payers and their saved payment methods.
type CustomersService struct{ t *transport }

// Create: Create a customer
//
// With `test_clock`, the customer lives on the time of that clock, permanently. Lists leave it out
// unless they name the clock.
//
// Needs a secret key with the scope `customers:write`.
//
// `POST /api/v1/customers`
func (s *CustomersService) Create(ctx context.Context, body CustomerCreate, options ...Option) (*Customer, error) {
	return send[Customer](ctx, s.t, request{method: "POST", path: path("/api/v1/customers"), body: body}, options)
}

// CustomersListQuery is the query of the method.
type CustomersListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
	CreatedFrom   Optional[string]
	CreatedTo     Optional[string]
	UpdatedFrom   Optional[string]
	UpdatedTo     Optional[string]
	Status        Optional[string]
	Email         Optional[string]
	Name          Optional[string]
	Reference     Optional[string]
	TestClock     Optional[string]
}

func (q CustomersListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "status", q.Status)
	addOptional(values, "email", q.Email)
	addOptional(values, "name", q.Name)
	addOptional(values, "reference", q.Reference)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// List: List customers, newest first
//
// Deleted customers are left out. Customers on a test clock appear only if test_clock names their
// clock.
//
// Needs a secret key with the scope `customers:read`.
//
// `GET /api/v1/customers`
func (s *CustomersService) List(ctx context.Context, query CustomersListQuery, options ...Option) *Listing[CustomerList, Customer] {
	return &Listing[CustomerList, Customer]{
		fetch: func(after string) (*CustomerList, error) {
			return send[CustomerList](ctx, s.t, request{method: "GET", path: path("/api/v1/customers"), query: query.values()}.after(after), options)
		},
		read: func(page *CustomerList) ([]Customer, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *Customer) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a customer
//
// Also returns a deleted customer, with its deleted_at.
//
// Needs a secret key with the scope `customers:read`.
//
// `GET /api/v1/customers/{customer_id}`
func (s *CustomersService) Get(ctx context.Context, customerID string, options ...Option) (*Customer, error) {
	return send[Customer](ctx, s.t, request{method: "GET", path: path("/api/v1/customers/", customerID)}, options)
}

// Update: Change a customer
//
// Fields that you leave out stay as they are. null clears a field. An object is replaced as a
// whole.
//
// Needs a secret key with the scope `customers:write`.
//
// `PUT /api/v1/customers/{customer_id}`
func (s *CustomersService) Update(ctx context.Context, customerID string, body CustomerUpdate, options ...Option) (*Customer, error) {
	return send[Customer](ctx, s.t, request{method: "PUT", path: path("/api/v1/customers/", customerID), body: body}, options)
}

// Delete: Delete a customer
//
// The customer stays readable by its id, with deleted_at. Its open plans are closed and its
// scheduled payments canceled. After this response no charge starts for it.
//
// Needs a secret key with the scope `customers:write`.
//
// `DELETE /api/v1/customers/{customer_id}`
func (s *CustomersService) Delete(ctx context.Context, customerID string, options ...Option) (*Customer, error) {
	return send[Customer](ctx, s.t, request{method: "DELETE", path: path("/api/v1/customers/", customerID)}, options)
}

// CustomersListPaymentIntentsQuery is the query of the method.
type CustomersListPaymentIntentsQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
	CreatedFrom   Optional[string]
	CreatedTo     Optional[string]
	UpdatedFrom   Optional[string]
	UpdatedTo     Optional[string]
	CollectedFrom Optional[string]
	CollectedTo   Optional[string]
	Status        Optional[string]
}

func (q CustomersListPaymentIntentsQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "collected_from", q.CollectedFrom)
	addOptional(values, "collected_to", q.CollectedTo)
	addOptional(values, "status", q.Status)
	return values
}

// ListPaymentIntents: List the payment intents of a customer, newest first
//
// Needs a secret key with the scope `payment_intents:read`.
//
// `GET /api/v1/customers/{customer_id}/payment_intents`
func (s *CustomersService) ListPaymentIntents(ctx context.Context, customerID string, query CustomersListPaymentIntentsQuery, options ...Option) *Listing[PaymentIntentList, PaymentIntent] {
	return &Listing[PaymentIntentList, PaymentIntent]{
		fetch: func(after string) (*PaymentIntentList, error) {
			return send[PaymentIntentList](ctx, s.t, request{method: "GET", path: path("/api/v1/customers/", customerID, "/payment_intents"), query: query.values()}.after(after), options)
		},
		read: func(page *PaymentIntentList) ([]PaymentIntent, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *PaymentIntent) string {
			return cursorOf(item.ID)
		},
	}
}

// CustomersListPaymentMethodsQuery is the query of the method.
type CustomersListPaymentMethodsQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q CustomersListPaymentMethodsQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// ListPaymentMethods: List the payment methods of a customer, newest first
//
// Returns the newest 100 by default. Detached methods are left out.
//
// Needs a secret key with the scope `payment_methods:read`.
//
// `GET /api/v1/customers/{customer_id}/payment_methods`
func (s *CustomersService) ListPaymentMethods(ctx context.Context, customerID string, query CustomersListPaymentMethodsQuery, options ...Option) *Listing[PaymentMethodList, PaymentMethod] {
	return &Listing[PaymentMethodList, PaymentMethod]{
		fetch: func(after string) (*PaymentMethodList, error) {
			return send[PaymentMethodList](ctx, s.t, request{method: "GET", path: path("/api/v1/customers/", customerID, "/payment_methods"), query: query.values()}.after(after), options)
		},
		read: func(page *PaymentMethodList) ([]PaymentMethod, bool) {
			return page.PaymentMethods, page.HasMore
		},
		cursor: func(item *PaymentMethod) string {
			return cursorOf(item.ID)
		},
	}
}

// GetPaymentMethod: Fetch a payment method of a customer
//
// Needs a secret key with the scope `payment_methods:read`.
//
// `GET /api/v1/customers/{customer_id}/payment_methods/{payment_method_id}`
func (s *CustomersService) GetPaymentMethod(ctx context.Context, customerID string, paymentMethodID string, options ...Option) (*PaymentMethodEnvelope, error) {
	return send[PaymentMethodEnvelope](ctx, s.t, request{method: "GET", path: path("/api/v1/customers/", customerID, "/payment_methods/", paymentMethodID)}, options)
}

// CustomersGetStatementQuery is the query of the method.
type CustomersGetStatementQuery struct {
	From     Optional[string]
	To       Optional[string]
	Timezone Optional[string]
}

func (q CustomersGetStatementQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "from", q.From)
	addOptional(values, "to", q.To)
	addOptional(values, "timezone", q.Timezone)
	return values
}

// GetStatement: Report what a customer was charged, has paid and owes
//
// The account of a customer in a range: totals by currency, and the lines between them. Without
// `from`, from the first day of the customer on; without `to`, to the end of today. Streamed as
// JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an
// account are read at a time.
//
// Needs a secret key with the scope `reports:read`.
//
// `GET /api/v1/customers/{customer_id}/statement`
func (s *CustomersService) GetStatement(ctx context.Context, customerID string, query CustomersGetStatementQuery, options ...Option) (*Statement, error) {
	return send[Statement](ctx, s.t, request{method: "GET", path: path("/api/v1/customers/", customerID, "/statement"), query: query.values()}, options)
}

// CustomersGetStatementDocumentQuery is the query of the method.
type CustomersGetStatementDocumentQuery struct {
	From     Optional[string]
	To       Optional[string]
	Timezone Optional[string]
}

func (q CustomersGetStatementDocumentQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "from", q.From)
	addOptional(values, "to", q.To)
	addOptional(values, "timezone", q.Timezone)
	return values
}

// GetStatementDocument: Print what a customer was charged, has paid and owes
//
// The statement as a page to print, for the customer: the same range, totals and lines.
//
// Needs a secret key with the scope `reports:read`.
//
// `GET /api/v1/customers/{customer_id}/statement/document`
func (s *CustomersService) GetStatementDocument(ctx context.Context, customerID string, query CustomersGetStatementDocumentQuery, options ...Option) (string, error) {
	return s.t.sendText(ctx, request{method: "GET", path: path("/api/v1/customers/", customerID, "/statement/document"), query: query.values(), accept: "text/html"}, options)
}

// PaymentMethodsService: Saved instruments. You can create cards and Australian bank accounts here.
// Klarna, PayID and PayPal are read-only; in the sandbox a test helper creates them.
type PaymentMethodsService struct{ t *transport }

// Create: Save a card or a bank account
//
// Accepts a publishable key. With such a key, `customer_reference` needs the `client_secret` of one
// of that customer’s payment intents. In the sandbox, a fixture token creates a card with a known
// outcome: see *Test cards*. The first method of a customer becomes its default, unless a
// publishable key saves it. A customer has at most 50 methods that are not detached.
//
// A secret key needs the scope `payment_methods:write`; a publishable key may call this too.
//
// `POST /api/v1/payment_methods`
func (s *PaymentMethodsService) Create(ctx context.Context, body PaymentMethodCreate, options ...Option) (*CreatedPaymentMethod, error) {
	return send[CreatedPaymentMethod](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_methods"), body: body}, options)
}

// PaymentMethodsListQuery is the query of the method.
type PaymentMethodsListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q PaymentMethodsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// List: List the saved payment methods, newest first
//
// Returns the newest 100 by default. Detached methods are left out.
//
// Needs a secret key with the scope `payment_methods:read`.
//
// `GET /api/v1/payment_methods`
func (s *PaymentMethodsService) List(ctx context.Context, query PaymentMethodsListQuery, options ...Option) *Listing[PaymentMethodList, PaymentMethod] {
	return &Listing[PaymentMethodList, PaymentMethod]{
		fetch: func(after string) (*PaymentMethodList, error) {
			return send[PaymentMethodList](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_methods"), query: query.values()}.after(after), options)
		},
		read: func(page *PaymentMethodList) ([]PaymentMethod, bool) {
			return page.PaymentMethods, page.HasMore
		},
		cursor: func(item *PaymentMethod) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a payment method
//
// Needs a secret key with the scope `payment_methods:read`.
//
// `GET /api/v1/payment_methods/{payment_method_id}`
func (s *PaymentMethodsService) Get(ctx context.Context, paymentMethodID string, options ...Option) (*PaymentMethodEnvelope, error) {
	return send[PaymentMethodEnvelope](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_methods/", paymentMethodID)}, options)
}

// Attach: Attach a payment method to a customer
//
// The first method of a customer becomes its default. Attaching it again to the same customer
// changes nothing. A customer has at most 50 methods that are not detached.
//
// Needs a secret key with the scope `payment_methods:write`.
//
// `POST /api/v1/payment_methods/{payment_method_id}/attach`
func (s *PaymentMethodsService) Attach(ctx context.Context, paymentMethodID string, body PaymentMethodAttach, options ...Option) (*PaymentMethodEnvelope, error) {
	return send[PaymentMethodEnvelope](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_methods/", paymentMethodID, "/attach"), body: body}, options)
}

// Detach: Detach a payment method
//
// After this response no charge starts on the method, and its mandate is canceled. It stays
// readable. Detaching it again changes nothing.
//
// Needs a secret key with the scope `payment_methods:write`.
//
// `POST /api/v1/payment_methods/{payment_method_id}/detach`
func (s *PaymentMethodsService) Detach(ctx context.Context, paymentMethodID string, options ...Option) (*PaymentMethodEnvelope, error) {
	return send[PaymentMethodEnvelope](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_methods/", paymentMethodID, "/detach")}, options)
}

// CreateSandboxPaymentMethod: Save a Klarna, PayID or PayPal instrument
//
// Creates at once what a payer would set up with Klarna, a bank or PayPal. `instrument_data` is
// returned as you sent it. The method is charged like any other, by the outcome rules of the
// sandbox. The first method of a customer becomes its default.
//
// Needs a secret key with the scope `payment_methods:write`. Sandbox only.
//
// `POST /api/v1/test_helpers/payment_methods`
func (s *PaymentMethodsService) CreateSandboxPaymentMethod(ctx context.Context, body SandboxPaymentMethodCreate, options ...Option) (*PaymentMethodEnvelope, error) {
	return send[PaymentMethodEnvelope](ctx, s.t, request{method: "POST", path: path("/api/v1/test_helpers/payment_methods"), body: body}, options)
}

// MandatesService: The authority of a payer to debit a bank account, with the evidence that it was
// given. An account that has a mandate is debited only while the mandate is active.
type MandatesService struct{ t *transport }

// Create: Create a mandate for a bank account
//
// Without `acceptance` the mandate is `pending` until you send it. With `acceptance` it is `active`
// at once. Show the payer the text first, and send its version and hash. An account has at most one
// mandate that has not ended: a second one is refused with `mandate_exists`, and the error has its
// `mandate_id`. Sends `mandate.created`, and `mandate.activated` with an acceptance.
//
// A publishable key needs the client_secret of a payment intent that can still be confirmed. It
// accepts a mandate online for the customer of that payment intent, with a payment method that
// could confirm it. It cannot set the terms: create the mandate with a secret key if there are any.
// The response has what a payer needs (`MandateForPayer`).
//
// A secret key needs the scope `mandates:write`; a publishable key may call this too.
//
// `POST /api/v1/mandates`
func (s *MandatesService) Create(ctx context.Context, body MandateCreate, options ...Option) (*Mandate, error) {
	return send[Mandate](ctx, s.t, request{method: "POST", path: path("/api/v1/mandates"), body: body}, options)
}

// MandatesListQuery is the query of the method.
type MandatesListQuery struct {
	Limit           Optional[int]
	StartingAfter   Optional[string]
	CreatedFrom     Optional[string]
	CreatedTo       Optional[string]
	UpdatedFrom     Optional[string]
	UpdatedTo       Optional[string]
	CustomerID      Optional[string]
	PaymentMethodID Optional[string]
	Status          Optional[MandateStatus]
	TestClock       Optional[string]
}

func (q MandatesListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "payment_method_id", q.PaymentMethodID)
	addOptional(values, "status", q.Status)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// List: List mandates, newest first
//
// Needs a secret key with the scope `mandates:read`.
//
// `GET /api/v1/mandates`
func (s *MandatesService) List(ctx context.Context, query MandatesListQuery, options ...Option) *Listing[MandateList, Mandate] {
	return &Listing[MandateList, Mandate]{
		fetch: func(after string) (*MandateList, error) {
			return send[MandateList](ctx, s.t, request{method: "GET", path: path("/api/v1/mandates"), query: query.values()}.after(after), options)
		},
		read: func(page *MandateList) ([]Mandate, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *Mandate) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a mandate
//
// Needs a secret key with the scope `mandates:read`.
//
// `GET /api/v1/mandates/{mandate_id}`
func (s *MandatesService) Get(ctx context.Context, mandateID string, options ...Option) (*Mandate, error) {
	return send[Mandate](ctx, s.t, request{method: "GET", path: path("/api/v1/mandates/", mandateID)}, options)
}

// GetDocument: Print a mandate with its evidence
//
// A page to print: names, BSB, the last digits of the account number, the text that the payer
// agreed to, word for word, and how the payer agreed. It stays the same after the text or the name
// of the account has changed.
//
// Needs a secret key with the scope `mandates:read`.
//
// `GET /api/v1/mandates/{mandate_id}/document`
func (s *MandatesService) GetDocument(ctx context.Context, mandateID string, options ...Option) (string, error) {
	return s.t.sendText(ctx, request{method: "GET", path: path("/api/v1/mandates/", mandateID, "/document"), accept: "text/html"}, options)
}

// Accept: Record that the payer has agreed to a mandate
//
// Allowed from `pending`; the mandate becomes `active`. Sends `mandate.activated`.
//
// A publishable key needs the client_secret of a payment intent of the mandate’s customer that can
// still be confirmed, and accepts online only. The response then has what a payer needs
// (`MandateForPayer`).
//
// A secret key needs the scope `mandates:write`; a publishable key may call this too.
//
// `POST /api/v1/mandates/{mandate_id}/accept`
func (s *MandatesService) Accept(ctx context.Context, mandateID string, body MandateAccept, options ...Option) (*Mandate, error) {
	return send[Mandate](ctx, s.t, request{method: "POST", path: path("/api/v1/mandates/", mandateID, "/accept"), body: body}, options)
}

// Cancel: Cancel a mandate
//
// Allowed from `pending` and `active`, for good. After this response the account is not debited.
// Sends `mandate.canceled`.
//
// Needs a secret key with the scope `mandates:write`.
//
// `POST /api/v1/mandates/{mandate_id}/cancel`
func (s *MandatesService) Cancel(ctx context.Context, mandateID string, body MandateCancel, options ...Option) (*Mandate, error) {
	return send[Mandate](ctx, s.t, request{method: "POST", path: path("/api/v1/mandates/", mandateID, "/cancel"), body: body}, options)
}

// RecordNotice: Record that you have sent a notice to the payer
//
// The service sends nothing to payers. `notices` of the mandate says what is due: a confirmation
// when the mandate becomes active, and a notice when you change the amount of a plan that is
// debited under it (event `mandate.notice_due`). Send it, and record it here: the open notice of
// this kind is then sent. If none is open, one more is added. A mandate keeps 100 notices.
//
// Needs a secret key with the scope `mandates:write`.
//
// `POST /api/v1/mandates/{mandate_id}/notices`
func (s *MandatesService) RecordNotice(ctx context.Context, mandateID string, body MandateNoticeSent, options ...Option) (*Mandate, error) {
	return send[Mandate](ctx, s.t, request{method: "POST", path: path("/api/v1/mandates/", mandateID, "/notices"), body: body}, options)
}

// Notices is the same as RecordNotice, by the name of its path.
func (s *MandatesService) Notices(ctx context.Context, mandateID string, body MandateNoticeSent, options ...Option) (*Mandate, error) {
	return s.RecordNotice(ctx, mandateID, body, options...)
}

// CancelAsPayer: Cancel a mandate as the payer would at the bank
//
// Allowed from `active`. Sends `mandate.canceled`.
//
// Needs a secret key with the scope `mandates:write`. Sandbox only.
//
// `POST /api/v1/test_helpers/mandates/{mandate_id}/payer_cancels`
func (s *MandatesService) CancelAsPayer(ctx context.Context, mandateID string, options ...Option) (*Mandate, error) {
	return send[Mandate](ctx, s.t, request{method: "POST", path: path("/api/v1/test_helpers/mandates/", mandateID, "/payer_cancels")}, options)
}

// PayerCancels is the same as CancelAsPayer, by the name of its path.
func (s *MandatesService) PayerCancels(ctx context.Context, mandateID string, options ...Option) (*Mandate, error) {
	return s.CancelAsPayer(ctx, mandateID, options...)
}

// GetText: Fetch the text that a payer agrees to
//
// Show the payer `html` as it is, together with the account and the terms of the mandate. Send
// `version` and `sha256` with the acceptance. The text has the name of your account. No lawyer has
// checked its words.
//
// Needs a secret key with the scope `mandates:read`.
//
// `GET /api/v1/mandate_texts/au_becs`
func (s *MandatesService) GetText(ctx context.Context, options ...Option) (*MandateText, error) {
	return send[MandateText](ctx, s.t, request{method: "GET", path: path("/api/v1/mandate_texts/au_becs")}, options)
}

// MandatesListBusinessDaysQuery is the query of the method.
type MandatesListBusinessDaysQuery struct {
	Scheme DebitScheme
	From   string
	Count  Optional[int]
}

func (q MandatesListBusinessDaysQuery) values() url.Values {
	values := url.Values{}
	addRequired(values, "scheme", q.Scheme)
	addRequired(values, "from", q.From)
	addOptional(values, "count", q.Count)
	return values
}

// ListBusinessDays: List the business days of a debit scheme
//
// The days on which the banks of the scheme settle, from a date on, oldest first. They are not a
// country’s working days. The calendar has the years 2000 to 2099.
//
// Needs a secret key with the scope `mandates:read`.
//
// `GET /api/v1/business_days`
func (s *MandatesService) ListBusinessDays(ctx context.Context, query MandatesListBusinessDaysQuery, options ...Option) (*BusinessDays, error) {
	return send[BusinessDays](ctx, s.t, request{method: "GET", path: path("/api/v1/business_days"), query: query.values()}, options)
}

// PaymentIntentsService: Single charges: created on your server, confirmed with a saved payment
// method. The event `payment_intent.succeeded` completes a payment.
type PaymentIntentsService struct{ t *transport }

// Create: Create a payment intent
//
// Nothing is charged until you confirm it, or until its scheduled_payment_date. The response has
// the `client_secret`. With it a browser can fetch or confirm the payment intent.
//
// With `confirm: true` the payment is charged in the same request. The response has the result:
// `succeeded`, `failed` with `last_payment_error`, `requires_action` or `processing`. A decline is
// not an error: it returns 201, and you can confirm the payment intent again.
//
// Needs a secret key with the scope `payment_intents:write`.
//
// `POST /api/v1/payment_intents`
func (s *PaymentIntentsService) Create(ctx context.Context, body PaymentIntentCreate, options ...Option) (*PaymentIntent, error) {
	return send[PaymentIntent](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_intents"), body: body}, options)
}

// PaymentIntentsListQuery is the query of the method.
type PaymentIntentsListQuery struct {
	Limit             Optional[int]
	StartingAfter     Optional[string]
	CreatedFrom       Optional[string]
	CreatedTo         Optional[string]
	UpdatedFrom       Optional[string]
	UpdatedTo         Optional[string]
	CollectedFrom     Optional[string]
	CollectedTo       Optional[string]
	CustomerID        Optional[string]
	PaymentPlanID     Optional[string]
	SubscriptionID    Optional[string]
	PaymentLinkID     Optional[string]
	TestClock         Optional[string]
	Status            Optional[PaymentIntentStatus]
	PaymentMethodType Optional[SurchargedMethodType]
	Currency          Optional[Currency]
	TotalAmount       Optional[int]
}

func (q PaymentIntentsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "collected_from", q.CollectedFrom)
	addOptional(values, "collected_to", q.CollectedTo)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "payment_plan_id", q.PaymentPlanID)
	addOptional(values, "subscription_id", q.SubscriptionID)
	addOptional(values, "payment_link_id", q.PaymentLinkID)
	addOptional(values, "test_clock", q.TestClock)
	addOptional(values, "status", q.Status)
	addOptional(values, "payment_method_type", q.PaymentMethodType)
	addOptional(values, "currency", q.Currency)
	addOptional(values, "total_amount", q.TotalAmount)
	return values
}

// List: List payment intents, newest first
//
// Needs a secret key with the scope `payment_intents:read`.
//
// `GET /api/v1/payment_intents`
func (s *PaymentIntentsService) List(ctx context.Context, query PaymentIntentsListQuery, options ...Option) *Listing[PaymentIntentList, PaymentIntent] {
	return &Listing[PaymentIntentList, PaymentIntent]{
		fetch: func(after string) (*PaymentIntentList, error) {
			return send[PaymentIntentList](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_intents"), query: query.values()}.after(after), options)
		},
		read: func(page *PaymentIntentList) ([]PaymentIntent, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *PaymentIntent) string {
			return cursorOf(item.ID)
		},
	}
}

// PaymentIntentsGetQuery is the query of the method.
type PaymentIntentsGetQuery struct {
	ClientSecret Optional[string]
}

func (q PaymentIntentsGetQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "client_secret", q.ClientSecret)
	return values
}

// Get: Fetch a payment intent
//
// A publishable key needs the client_secret of this payment intent. It gets what a payer needs
// (`PaymentIntentForPayer`). A secret key gets the whole `PaymentIntent`.
//
// A secret key needs the scope `payment_intents:read`; a publishable key may call this too.
//
// `GET /api/v1/payment_intents/{payment_intent_id}`
func (s *PaymentIntentsService) Get(ctx context.Context, paymentIntentID string, query PaymentIntentsGetQuery, options ...Option) (*PaymentIntent, error) {
	return send[PaymentIntent](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_intents/", paymentIntentID), query: query.values()}, options)
}

// Confirm: Charge a payment intent
//
// Allowed from requires_payment_method and failed. Returns the result: `succeeded`, `failed` with
// `last_payment_error`, `requires_action` or `processing`. A decline is not an error: it returns
// 200. A bank account under a mandate returns `processing` with `expected_result_date`. A method
// without a customer is attached to the customer of the payment intent. If the payment intent has
// no customer, a method that belongs to one is charged only if `customer_id` names this customer
// (field error `payment_method_not_allowed`).
//
// A publishable key needs the client_secret of this payment intent. It may use a method of the
// payment intent’s customer, or a method without a customer. If the payment intent has no customer
// either, the method is bound to this payment intent. No other payment intent can use it until a
// secret key attaches it to a customer. Any other method returns 403 `payment_method_not_allowed`.
// After ten attempts that failed, with a publishable key or on a page, it returns 403
// `too_many_attempts`: only a secret key may confirm it. The response has what a payer needs
// (`PaymentIntentForPayer`).
//
// A secret key needs the scope `payment_intents:write`; a publishable key may call this too.
//
// `POST /api/v1/payment_intents/{payment_intent_id}/confirm`
func (s *PaymentIntentsService) Confirm(ctx context.Context, paymentIntentID string, body PaymentIntentConfirm, options ...Option) (*PaymentIntent, error) {
	return send[PaymentIntent](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_intents/", paymentIntentID, "/confirm"), body: body}, options)
}

// Cancel: Cancel a payment intent
//
// Allowed from requires_payment_method, requires_action and failed, and from processing while a
// bank debit waits for its hand-over to the bank. It also ends a schedule. A challenge at a live
// processor is given up there first. A payment intent of a plan cannot be canceled: suspend or
// close the plan.
//
// Needs a secret key with the scope `payment_intents:write`.
//
// `POST /api/v1/payment_intents/{payment_intent_id}/cancel`
func (s *PaymentIntentsService) Cancel(ctx context.Context, paymentIntentID string, options ...Option) (*PaymentIntent, error) {
	return send[PaymentIntent](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_intents/", paymentIntentID, "/cancel")}, options)
}

// CompleteAction: Complete a 3D Secure challenge as the payer would
//
// Completes the attempt that waits for the challenge. It is not a new attempt. If the customer was
// deleted meanwhile, the payment fails.
//
// Needs a secret key with the scope `payment_intents:write`. Sandbox only.
//
// `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/complete_action`
func (s *PaymentIntentsService) CompleteAction(ctx context.Context, paymentIntentID string, body PaymentIntentActionCompletion, options ...Option) (*PaymentIntent, error) {
	return send[PaymentIntent](ctx, s.t, request{method: "POST", path: path("/api/v1/test_helpers/payment_intents/", paymentIntentID, "/complete_action"), body: body}, options)
}

// ReportBankResult: Report on a bank debit as the bank would
//
// Reports now what the bank would report at its own time. A debit that was not handed over yet is
// handed over first. After that the bank sends no other report about this debit. On a test clock
// you do not need this: an advance makes the bank report what `_sandbox_bank_outcome` chooses.
//
// Needs a secret key with the scope `payment_intents:write`. Sandbox only.
//
// `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/bank_result`
func (s *PaymentIntentsService) ReportBankResult(ctx context.Context, paymentIntentID string, body PaymentIntentBankResult, options ...Option) (*PaymentIntent, error) {
	return send[PaymentIntent](ctx, s.t, request{method: "POST", path: path("/api/v1/test_helpers/payment_intents/", paymentIntentID, "/bank_result"), body: body}, options)
}

// BankResult is the same as ReportBankResult, by the name of its path.
func (s *PaymentIntentsService) BankResult(ctx context.Context, paymentIntentID string, body PaymentIntentBankResult, options ...Option) (*PaymentIntent, error) {
	return s.ReportBankResult(ctx, paymentIntentID, body, options...)
}

// Dispute: Dispute a payment as the payer would
//
// The payment intent must have succeeded, and not be a bank debit under a mandate: for that use
// `bank_result`. All of it that was not refunded is held at once. With a `result` the dispute
// closes ten days later, of the customer’s time: on a test clock an advance closes it. A second
// call gives an open dispute its result.
//
// Needs a secret key with the scope `payment_intents:write`. Sandbox only.
//
// `POST /api/v1/test_helpers/payment_intents/{payment_intent_id}/dispute`
func (s *PaymentIntentsService) Dispute(ctx context.Context, paymentIntentID string, body PaymentIntentDispute, options ...Option) (*Dispute, error) {
	return send[Dispute](ctx, s.t, request{method: "POST", path: path("/api/v1/test_helpers/payment_intents/", paymentIntentID, "/dispute"), body: body}, options)
}

// RefundsService: Money returned to the payer, in whole or in part.
type RefundsService struct{ t *transport }

// Create: Refund a payment, whole or in part
//
// The payment intent must have succeeded. Without an amount, the refund covers everything that
// remains of its total. Credit of a subscription that came from the payment is used up first. A
// failed refund returns `status: failed`; it is not an error. In the sandbox a refund fails if its
// amount ends in 03.
//
// Needs a secret key with the scope `payment_intents:write`.
//
// `POST /api/v1/payment_intents/{payment_intent_id}/refunds`
func (s *RefundsService) Create(ctx context.Context, paymentIntentID string, body RefundCreate, options ...Option) (*Refund, error) {
	return send[Refund](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_intents/", paymentIntentID, "/refunds"), body: body}, options)
}

// RefundsListQuery is the query of the method.
type RefundsListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q RefundsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// List: List the refunds of a payment, newest first
//
// Needs a secret key with the scope `payment_intents:read`.
//
// `GET /api/v1/payment_intents/{payment_intent_id}/refunds`
func (s *RefundsService) List(ctx context.Context, paymentIntentID string, query RefundsListQuery, options ...Option) *Listing[RefundList, Refund] {
	return &Listing[RefundList, Refund]{
		fetch: func(after string) (*RefundList, error) {
			return send[RefundList](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_intents/", paymentIntentID, "/refunds"), query: query.values()}.after(after), options)
		},
		read: func(page *RefundList) ([]Refund, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *Refund) string {
			return cursorOf(item.ID)
		},
	}
}

// RefundsListAllRefundsQuery is the query of the method.
type RefundsListAllRefundsQuery struct {
	Limit           Optional[int]
	StartingAfter   Optional[string]
	CreatedFrom     Optional[string]
	CreatedTo       Optional[string]
	UpdatedFrom     Optional[string]
	UpdatedTo       Optional[string]
	Status          Optional[RefundStatus]
	PaymentIntentID Optional[string]
	CustomerID      Optional[string]
	PaymentPlanID   Optional[string]
	SubscriptionID  Optional[string]
	PaymentLinkID   Optional[string]
	TestClock       Optional[string]
}

func (q RefundsListAllRefundsQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "status", q.Status)
	addOptional(values, "payment_intent_id", q.PaymentIntentID)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "payment_plan_id", q.PaymentPlanID)
	addOptional(values, "subscription_id", q.SubscriptionID)
	addOptional(values, "payment_link_id", q.PaymentLinkID)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// ListAllRefunds: List refunds, newest first
//
// Lists the refunds of all payments.
//
// Needs a secret key with the scope `payment_intents:read`.
//
// `GET /api/v1/refunds`
func (s *RefundsService) ListAllRefunds(ctx context.Context, query RefundsListAllRefundsQuery, options ...Option) *Listing[RefundList, Refund] {
	return &Listing[RefundList, Refund]{
		fetch: func(after string) (*RefundList, error) {
			return send[RefundList](ctx, s.t, request{method: "GET", path: path("/api/v1/refunds"), query: query.values()}.after(after), options)
		},
		read: func(page *RefundList) ([]Refund, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *Refund) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a refund
//
// Needs a secret key with the scope `payment_intents:read`.
//
// `GET /api/v1/refunds/{refund_id}`
func (s *RefundsService) Get(ctx context.Context, refundID string, options ...Option) (*Refund, error) {
	return send[Refund](ctx, s.t, request{method: "GET", path: path("/api/v1/refunds/", refundID)}, options)
}

// PaymentPlansService: Recurring schedules. The service creates a payment intent for each due date,
// charges the saved method, and retries after failures.
type PaymentPlansService struct{ t *transport }

// Create: Create a payment plan
//
// A new plan is `pending`: it collects nothing until you activate it. Each due date is a slot with
// its own payment intent. The service charges it at 00:00 of that date in the account’s time zone,
// on the customer’s test clock if it has one. `payment_intent.*` events report the results. To see
// the calendar before you activate, use `GET …/schedule`.
//
// Needs a secret key with the scope `payment_plans:write`.
//
// `POST /api/v1/payment_plans`
func (s *PaymentPlansService) Create(ctx context.Context, body PaymentPlanCreate, options ...Option) (*PaymentPlan, error) {
	return send[PaymentPlan](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_plans"), body: body}, options)
}

// PaymentPlansListQuery is the query of the method.
type PaymentPlansListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
	CreatedFrom   Optional[string]
	CreatedTo     Optional[string]
	UpdatedFrom   Optional[string]
	UpdatedTo     Optional[string]
	CustomerID    Optional[string]
	State         Optional[PaymentPlanState]
}

func (q PaymentPlansListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "state", q.State)
	return values
}

// List: List payment plans, newest first
//
// Needs a secret key with the scope `payment_plans:read`.
//
// `GET /api/v1/payment_plans`
func (s *PaymentPlansService) List(ctx context.Context, query PaymentPlansListQuery, options ...Option) *Listing[PaymentPlanList, PaymentPlan] {
	return &Listing[PaymentPlanList, PaymentPlan]{
		fetch: func(after string) (*PaymentPlanList, error) {
			return send[PaymentPlanList](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_plans"), query: query.values()}.after(after), options)
		},
		read: func(page *PaymentPlanList) ([]PaymentPlan, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *PaymentPlan) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a payment plan
//
// With `Prefer: wait=N` the response comes once nothing of the plan is due and no charge is under
// way, or after N seconds (at most 60): send it after `activate` or `resume` to see the result of
// what is charged at once.
//
// Needs a secret key with the scope `payment_plans:read`.
//
// `GET /api/v1/payment_plans/{plan_id}`
func (s *PaymentPlansService) Get(ctx context.Context, planID string, options ...Option) (*PaymentPlan, error) {
	return send[PaymentPlan](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_plans/", planID)}, options)
}

// Update: Change a payment plan
//
// Until the plan has ended, you can change name, recurring_amount_cents, total_amount_cents,
// until_further_notice, payment_instrument_id, failure_behaviour and tax_included. While it is
// pending, you can change everything except customer_id. You can replace metadata in every state,
// also after the end. Payment intents that exist keep theirs.
//
// Needs a secret key with the scope `payment_plans:write`.
//
// `PUT /api/v1/payment_plans/{plan_id}`
func (s *PaymentPlansService) Update(ctx context.Context, planID string, body PaymentPlanUpdate, options ...Option) (*PaymentPlan, error) {
	return send[PaymentPlan](ctx, s.t, request{method: "PUT", path: path("/api/v1/payment_plans/", planID), body: body}, options)
}

// Activate: Activate a plan: start collecting
//
// Moves the plan from `pending` to `active` and sends `payment_plan.activated`. If the date of slot
// 0 has come, the service charges it at once, some milliseconds after this response. A test clock
// need not advance for that. To see the result, fetch the plan with `Prefer: wait=N`, or wait for
// the event. Later slots whose date has passed are skipped.
//
// Needs a secret key with the scope `payment_plans:write`.
//
// `POST /api/v1/payment_plans/{plan_id}/activate`
func (s *PaymentPlansService) Activate(ctx context.Context, planID string, options ...Option) (*PaymentPlan, error) {
	return send[PaymentPlan](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_plans/", planID, "/activate")}, options)
}

// Suspend: Suspend a plan: stop collecting until it is resumed
//
// Moves the plan from `active` to `suspended` and sends `payment_plan.suspended`. After this
// response no charge starts, and retries end.
//
// Needs a secret key with the scope `payment_plans:write`.
//
// `POST /api/v1/payment_plans/{plan_id}/suspend`
func (s *PaymentPlansService) Suspend(ctx context.Context, planID string, options ...Option) (*PaymentPlan, error) {
	return send[PaymentPlan](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_plans/", planID, "/suspend")}, options)
}

// Resume: Resume a plan: collect again, and retry unpaid payments
//
// Moves the plan from `suspended` to `active`. No event is sent. A payment that failed or waits for
// a retry is tried at once, some milliseconds after this response, with new retries: fetch the plan
// with `Prefer: wait=N` to see the result. Slots whose date passed in the meantime are skipped and
// never charged.
//
// Needs a secret key with the scope `payment_plans:write`.
//
// `POST /api/v1/payment_plans/{plan_id}/resume`
func (s *PaymentPlansService) Resume(ctx context.Context, planID string, options ...Option) (*PaymentPlan, error) {
	return send[PaymentPlan](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_plans/", planID, "/resume")}, options)
}

// Deactivate: Deactivate an active plan for good
//
// Moves the plan from `active` to `deactivated` and sends `payment_plan.deactivated`. After this
// response no charge starts.
//
// Needs a secret key with the scope `payment_plans:write`.
//
// `POST /api/v1/payment_plans/{plan_id}/deactivate`
func (s *PaymentPlansService) Deactivate(ctx context.Context, planID string, options ...Option) (*PaymentPlan, error) {
	return send[PaymentPlan](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_plans/", planID, "/deactivate")}, options)
}

// Close: Close a plan for good
//
// Moves the plan from `pending`, `active` or `suspended` to `closed` and sends
// `payment_plan.closed`. After this response no charge starts. The service also closes a plan when
// its total is collected.
//
// Needs a secret key with the scope `payment_plans:write`.
//
// `POST /api/v1/payment_plans/{plan_id}/close`
func (s *PaymentPlansService) Close(ctx context.Context, planID string, options ...Option) (*PaymentPlan, error) {
	return send[PaymentPlan](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_plans/", planID, "/close")}, options)
}

// PaymentPlansListPaymentsQuery is the query of the method.
type PaymentPlansListPaymentsQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q PaymentPlansListPaymentsQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// ListPayments: List the past due dates of a plan with their results, newest first
//
// Needs a secret key with the scope `payment_plans:read`.
//
// `GET /api/v1/payment_plans/{plan_id}/payments`
func (s *PaymentPlansService) ListPayments(ctx context.Context, planID string, query PaymentPlansListPaymentsQuery, options ...Option) *Listing[PlanPaymentList, PlanPayment] {
	return &Listing[PlanPaymentList, PlanPayment]{
		fetch: func(after string) (*PlanPaymentList, error) {
			return send[PlanPaymentList](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_plans/", planID, "/payments"), query: query.values()}.after(after), options)
		},
		read: func(page *PlanPaymentList) ([]PlanPayment, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *PlanPayment) string {
			return cursorOf(item.Slot)
		},
	}
}

// PaymentPlansGetScheduleQuery is the query of the method.
type PaymentPlansGetScheduleQuery struct {
	Count Optional[int]
}

func (q PaymentPlansGetScheduleQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "count", q.Count)
	return values
}

// GetSchedule: Show the coming payments of a plan
//
// A pending or suspended plan is shown as if you activated or resumed it now.
//
// Needs a secret key with the scope `payment_plans:read`.
//
// `GET /api/v1/payment_plans/{plan_id}/schedule`
func (s *PaymentPlansService) GetSchedule(ctx context.Context, planID string, query PaymentPlansGetScheduleQuery, options ...Option) (*ScheduledPaymentList, error) {
	return send[ScheduledPaymentList](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_plans/", planID, "/schedule"), query: query.values()}, options)
}

// PaymentLinksService: What you send to a payer: a URL behind which one or more payments are made,
// or a method is saved.
type PaymentLinksService struct{ t *transport }

// Create: Create a payment link
//
// Send its `url` to the payer. By default it takes one payment, however many tabs or people open
// it. With `customer_id` the payer is known. If that customer is on a test clock, so is the link.
// Sends `payment_link.created`. While the test clock of its customer is advancing:
// `test_clock_advancing`.
//
// Needs a secret key with the scope `payment_links:write`.
//
// `POST /api/v1/payment_links`
func (s *PaymentLinksService) Create(ctx context.Context, body PaymentLinkCreate, options ...Option) (*PaymentLink, error) {
	return send[PaymentLink](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_links"), body: body}, options)
}

// PaymentLinksListQuery is the query of the method.
type PaymentLinksListQuery struct {
	Limit          Optional[int]
	StartingAfter  Optional[string]
	CreatedFrom    Optional[string]
	CreatedTo      Optional[string]
	UpdatedFrom    Optional[string]
	UpdatedTo      Optional[string]
	Status         Optional[PaymentLinkStatus]
	CustomerID     Optional[string]
	PaymentPlanID  Optional[string]
	SubscriptionID Optional[string]
	Reference      Optional[string]
	TestClock      Optional[string]
}

func (q PaymentLinksListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "status", q.Status)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "payment_plan_id", q.PaymentPlanID)
	addOptional(values, "subscription_id", q.SubscriptionID)
	addOptional(values, "reference", q.Reference)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// List: List payment links, newest first
//
// Links of customers on a test clock are listed only with `test_clock`.
//
// Needs a secret key with the scope `payment_links:read`.
//
// `GET /api/v1/payment_links`
func (s *PaymentLinksService) List(ctx context.Context, query PaymentLinksListQuery, options ...Option) *Listing[PaymentLinkList, PaymentLink] {
	return &Listing[PaymentLinkList, PaymentLink]{
		fetch: func(after string) (*PaymentLinkList, error) {
			return send[PaymentLinkList](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_links"), query: query.values()}.after(after), options)
		},
		read: func(page *PaymentLinkList) ([]PaymentLink, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *PaymentLink) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a payment link
//
// Needs a secret key with the scope `payment_links:read`.
//
// `GET /api/v1/payment_links/{payment_link_id}`
func (s *PaymentLinksService) Get(ctx context.Context, paymentLinkID string, options ...Option) (*PaymentLink, error) {
	return send[PaymentLink](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_links/", paymentLinkID)}, options)
}

// Update: Change an open payment link
//
// Null clears a field. A session that has started keeps the terms that its payer has seen. While
// the test clock of its customer is advancing: `test_clock_advancing`.
//
// Needs a secret key with the scope `payment_links:write`.
//
// `PUT /api/v1/payment_links/{payment_link_id}`
func (s *PaymentLinksService) Update(ctx context.Context, paymentLinkID string, body PaymentLinkUpdate, options ...Option) (*PaymentLink, error) {
	return send[PaymentLink](ctx, s.t, request{method: "PUT", path: path("/api/v1/payment_links/", paymentLinkID), body: body}, options)
}

// PaymentLinksListPaymentsQuery is the query of the method.
type PaymentLinksListPaymentsQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q PaymentLinksListPaymentsQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// ListPayments: List the payments of a payment link, newest first
//
// Every payment intent on which an attempt was made, whatever its result.
//
// Needs a secret key with the scope `payment_links:read`.
//
// `GET /api/v1/payment_links/{payment_link_id}/payments`
func (s *PaymentLinksService) ListPayments(ctx context.Context, paymentLinkID string, query PaymentLinksListPaymentsQuery, options ...Option) *Listing[PaymentIntentList, PaymentIntent] {
	return &Listing[PaymentIntentList, PaymentIntent]{
		fetch: func(after string) (*PaymentIntentList, error) {
			return send[PaymentIntentList](ctx, s.t, request{method: "GET", path: path("/api/v1/payment_links/", paymentLinkID, "/payments"), query: query.values()}.after(after), options)
		},
		read: func(page *PaymentIntentList) ([]PaymentIntent, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *PaymentIntent) string {
			return cursorOf(item.ID)
		},
	}
}

// GetQr: Fetch the QR code of a payment link
//
// The `url` of the link as an image, to print or to show on a screen.
//
// Needs a secret key with the scope `payment_links:write`.
//
// `GET /api/v1/payment_links/{payment_link_id}/qr.svg`
func (s *PaymentLinksService) GetQr(ctx context.Context, paymentLinkID string, options ...Option) (string, error) {
	return s.t.sendText(ctx, request{method: "GET", path: path("/api/v1/payment_links/", paymentLinkID, "/qr.svg"), accept: "image/svg+xml"}, options)
}

// Deactivate: Deactivate an open payment link
//
// Its open sessions end. After the response no attempt is opened. One that is under way continues,
// and is counted and reported if it succeeds. Sends `payment_link.deactivated`. While the test
// clock of its customer is advancing: `test_clock_advancing`.
//
// Needs a secret key with the scope `payment_links:write`.
//
// `POST /api/v1/payment_links/{payment_link_id}/deactivate`
func (s *PaymentLinksService) Deactivate(ctx context.Context, paymentLinkID string, options ...Option) (*PaymentLink, error) {
	return send[PaymentLink](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_links/", paymentLinkID, "/deactivate")}, options)
}

// Renew: Open an expired or deactivated payment link again
//
// The URL stays the same. Sends `payment_link.renewed`. While the test clock of its customer is
// advancing: `test_clock_advancing`.
//
// Needs a secret key with the scope `payment_links:write`.
//
// `POST /api/v1/payment_links/{payment_link_id}/renew`
func (s *PaymentLinksService) Renew(ctx context.Context, paymentLinkID string, body PaymentLinkRenew, options ...Option) (*PaymentLink, error) {
	return send[PaymentLink](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_links/", paymentLinkID, "/renew"), body: body}, options)
}

// RotateURL: Give a payment link another URL
//
// In any state. The old URL no longer works; sessions that were started continue. While the test
// clock of its customer is advancing: `test_clock_advancing`.
//
// Needs a secret key with the scope `payment_links:write`.
//
// `POST /api/v1/payment_links/{payment_link_id}/rotate_url`
func (s *PaymentLinksService) RotateURL(ctx context.Context, paymentLinkID string, options ...Option) (*PaymentLink, error) {
	return send[PaymentLink](ctx, s.t, request{method: "POST", path: path("/api/v1/payment_links/", paymentLinkID, "/rotate_url")}, options)
}

// CheckoutSessionsService: A hosted page on which one payer pays, or saves a payment method. A
// payment link creates one for each payer.
type CheckoutSessionsService struct{ t *transport }

// Create: Create a checkout session
//
// A hosted page without a payment link. Send your payer to its `url`: to pay, to pay a
// `payment_intent_id` of yours, or in `setup` mode to save a method, whose `payment_method_id` your
// server then confirms with. With `subscription_id` the payer pays what a subscription has failed
// to collect: the page says what is taken, and for which dates. A payment intent has at most one
// open session.
//
// Needs a secret key with the scope `payment_links:write`.
//
// `POST /api/v1/checkout_sessions`
func (s *CheckoutSessionsService) Create(ctx context.Context, body CheckoutSessionCreate, options ...Option) (*CheckoutSession, error) {
	return send[CheckoutSession](ctx, s.t, request{method: "POST", path: path("/api/v1/checkout_sessions"), body: body}, options)
}

// CheckoutSessionsListQuery is the query of the method.
type CheckoutSessionsListQuery struct {
	Limit          Optional[int]
	StartingAfter  Optional[string]
	CreatedFrom    Optional[string]
	CreatedTo      Optional[string]
	UpdatedFrom    Optional[string]
	UpdatedTo      Optional[string]
	Status         Optional[CheckoutSessionStatus]
	PaymentLinkID  Optional[string]
	CustomerID     Optional[string]
	PaymentPlanID  Optional[string]
	SubscriptionID Optional[string]
	TestClock      Optional[string]
}

func (q CheckoutSessionsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "status", q.Status)
	addOptional(values, "payment_link_id", q.PaymentLinkID)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "payment_plan_id", q.PaymentPlanID)
	addOptional(values, "subscription_id", q.SubscriptionID)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// List: List checkout sessions, newest first
//
// Sessions of customers on a test clock are listed only with `test_clock`.
//
// Needs a secret key with the scope `payment_links:read`.
//
// `GET /api/v1/checkout_sessions`
func (s *CheckoutSessionsService) List(ctx context.Context, query CheckoutSessionsListQuery, options ...Option) *Listing[CheckoutSessionList, CheckoutSession] {
	return &Listing[CheckoutSessionList, CheckoutSession]{
		fetch: func(after string) (*CheckoutSessionList, error) {
			return send[CheckoutSessionList](ctx, s.t, request{method: "GET", path: path("/api/v1/checkout_sessions"), query: query.values()}.after(after), options)
		},
		read: func(page *CheckoutSessionList) ([]CheckoutSession, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *CheckoutSession) string {
			return cursorOf(item.ID)
		},
	}
}

// CheckoutSessionsGetQuery is the query of the method.
type CheckoutSessionsGetQuery struct {
	ClientSecret Optional[string]
}

func (q CheckoutSessionsGetQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "client_secret", q.ClientSecret)
	return values
}

// Get: Fetch a checkout session
//
// A publishable key needs the client_secret of this session. It gets what a payer needs
// (`CheckoutSessionForPayer`). A secret key gets the whole `CheckoutSession`.
//
// A secret key needs the scope `payment_links:read`; a publishable key may call this too.
//
// `GET /api/v1/checkout_sessions/{checkout_session_id}`
func (s *CheckoutSessionsService) Get(ctx context.Context, checkoutSessionID string, query CheckoutSessionsGetQuery, options ...Option) (*CheckoutSession, error) {
	return send[CheckoutSession](ctx, s.t, request{method: "GET", path: path("/api/v1/checkout_sessions/", checkoutSessionID), query: query.values()}, options)
}

// Expire: End an open checkout session
//
// After the response no attempt is opened. Sends `checkout_session.expired`.
//
// Needs a secret key with the scope `payment_links:write`.
//
// `POST /api/v1/checkout_sessions/{checkout_session_id}/expire`
func (s *CheckoutSessionsService) Expire(ctx context.Context, checkoutSessionID string, options ...Option) (*CheckoutSession, error) {
	return send[CheckoutSession](ctx, s.t, request{method: "POST", path: path("/api/v1/checkout_sessions/", checkoutSessionID, "/expire")}, options)
}

// SubscriptionsService: A service that is sold in periods, each paid when it begins. `in_effect`
// says whether the customer may use it now.
type SubscriptionsService struct{ t *transport }

// Create: Create a subscription
//
// A new subscription is `pending`: nothing is owed until you start it. To see its periods before
// that, use `GET …/schedule`.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions`
func (s *SubscriptionsService) Create(ctx context.Context, body SubscriptionCreate, options ...Option) (*Subscription, error) {
	return send[Subscription](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions"), body: body}, options)
}

// SubscriptionsListQuery is the query of the method.
type SubscriptionsListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
	CreatedFrom   Optional[string]
	CreatedTo     Optional[string]
	UpdatedFrom   Optional[string]
	UpdatedTo     Optional[string]
	CustomerID    Optional[string]
	State         Optional[SubscriptionState]
	InEffect      Optional[string]
	TestClock     Optional[string]
}

func (q SubscriptionsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "updated_from", q.UpdatedFrom)
	addOptional(values, "updated_to", q.UpdatedTo)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "state", q.State)
	addOptional(values, "in_effect", q.InEffect)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// List: List subscriptions, newest first
//
// Needs a secret key with the scope `subscriptions:read`.
//
// `GET /api/v1/subscriptions`
func (s *SubscriptionsService) List(ctx context.Context, query SubscriptionsListQuery, options ...Option) *Listing[SubscriptionList, Subscription] {
	return &Listing[SubscriptionList, Subscription]{
		fetch: func(after string) (*SubscriptionList, error) {
			return send[SubscriptionList](ctx, s.t, request{method: "GET", path: path("/api/v1/subscriptions"), query: query.values()}.after(after), options)
		},
		read: func(page *SubscriptionList) ([]Subscription, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *Subscription) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a subscription
//
// Needs a secret key with the scope `subscriptions:read`.
//
// `GET /api/v1/subscriptions/{subscription_id}`
func (s *SubscriptionsService) Get(ctx context.Context, subscriptionID string, options ...Option) (*Subscription, error) {
	return send[Subscription](ctx, s.t, request{method: "GET", path: path("/api/v1/subscriptions/", subscriptionID)}, options)
}

// Update: Change a subscription
//
// Until it is canceled, you can change name, payment_instrument_id, failure_behaviour,
// unpaid_behaviour, grace_days and metadata. Before its start, you can change everything except
// customer_id.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `PUT /api/v1/subscriptions/{subscription_id}`
func (s *SubscriptionsService) Update(ctx context.Context, subscriptionID string, body SubscriptionUpdate, options ...Option) (*Subscription, error) {
	return send[Subscription](ctx, s.t, request{method: "PUT", path: path("/api/v1/subscriptions/", subscriptionID), body: body}, options)
}

// Start: Start a subscription: charge its first period, or begin its trial
//
// Returns `active` if the first period was paid, or `trialing`. A decline is not an error: the
// subscription stays `pending` with `last_payment_error`, nothing is owed, and you can start it
// again. While a challenge or a bank debit is under way, it is `pending` with
// `current_period.status: processing`; `latest_payment_intent_id` names the payment intent. With a
// start date to come, it starts automatically on that day.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions/{subscription_id}/start`
func (s *SubscriptionsService) Start(ctx context.Context, subscriptionID string, options ...Option) (*Subscription, error) {
	return send[Subscription](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions/", subscriptionID, "/start")}, options)
}

// Pause: Pause a subscription at the end of its period, or of a later one
//
// Until `pauses_at` it continues as before. Then no period begins and nothing is charged until you
// resume it, or until `resumes_at`. Paused time is never billed. To withdraw the pause before then,
// resume the subscription. If `from` is no end of a period to come, the error names the two that
// are nearest.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions/{subscription_id}/pause`
func (s *SubscriptionsService) Pause(ctx context.Context, subscriptionID string, body SubscriptionPause, options ...Option) (*Subscription, error) {
	return send[Subscription](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions/", subscriptionID, "/pause"), body: body}, options)
}

// Cancel: Cancel a subscription at the end of its period or of a later one, or now
//
// After this response no period begins that it excludes. At the end of the period, the service that
// is paid for continues until `ends_at`, and retries end. With a later date it continues as before
// until then, with renewals and retries; if that is no end of a period to come, the error names the
// two that are nearest. A subscription that is pending or paused is canceled at once, and not at a
// date. Nothing is refunded; with `at: now` and `unused: credit` the days that are left become
// credit, which you can refund.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions/{subscription_id}/cancel`
func (s *SubscriptionsService) Cancel(ctx context.Context, subscriptionID string, body SubscriptionCancel, options ...Option) (*CanceledSubscription, error) {
	return send[CanceledSubscription](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions/", subscriptionID, "/cancel"), body: body}, options)
}

// SubscriptionsListPeriodsQuery is the query of the method.
type SubscriptionsListPeriodsQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q SubscriptionsListPeriodsQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// ListPeriods: List the periods of a subscription that have begun, newest first
//
// Needs a secret key with the scope `subscriptions:read`.
//
// `GET /api/v1/subscriptions/{subscription_id}/periods`
func (s *SubscriptionsService) ListPeriods(ctx context.Context, subscriptionID string, query SubscriptionsListPeriodsQuery, options ...Option) *Listing[SubscriptionPeriodList, SubscriptionPeriod] {
	return &Listing[SubscriptionPeriodList, SubscriptionPeriod]{
		fetch: func(after string) (*SubscriptionPeriodList, error) {
			return send[SubscriptionPeriodList](ctx, s.t, request{method: "GET", path: path("/api/v1/subscriptions/", subscriptionID, "/periods"), query: query.values()}.after(after), options)
		},
		read: func(page *SubscriptionPeriodList) ([]SubscriptionPeriod, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *SubscriptionPeriod) string {
			return cursorOf(item.Number)
		},
	}
}

// SubscriptionsGetScheduleQuery is the query of the method.
type SubscriptionsGetScheduleQuery struct {
	Count Optional[int]
}

func (q SubscriptionsGetScheduleQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "count", q.Count)
	return values
}

// GetSchedule: Show the coming periods of a subscription
//
// A subscription that is pending or paused is shown as if you started or resumed it now.
//
// Needs a secret key with the scope `subscriptions:read`.
//
// `GET /api/v1/subscriptions/{subscription_id}/schedule`
func (s *SubscriptionsService) GetSchedule(ctx context.Context, subscriptionID string, query SubscriptionsGetScheduleQuery, options ...Option) (*ComingPeriodList, error) {
	return send[ComingPeriodList](ctx, s.t, request{method: "GET", path: path("/api/v1/subscriptions/", subscriptionID, "/schedule"), query: query.values()}, options)
}

// Resume: Resume a subscription: begin a new period today, and charge it
//
// A new period begins today. Returns `active` if it was paid. A decline is not an error: the
// subscription is `past_due` with `last_payment_error`, or what `unpaid_behaviour` says, and
// retries continue. While a challenge is under way, it is `active` and not yet in effect, with
// `current_period.status: processing`; a bank debit that is under way is enough. Later periods are
// counted from today, or begin on `anchor_day`. A period that was unpaid becomes `void`. A pause
// that has not begun is taken back.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions/{subscription_id}/resume`
func (s *SubscriptionsService) Resume(ctx context.Context, subscriptionID string, body SubscriptionResume, options ...Option) (*Subscription, error) {
	return send[Subscription](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions/", subscriptionID, "/resume"), body: body}, options)
}

// Uncancel: Withdraw the end of a subscription
//
// Withdraws a cancellation that has not taken effect: `ends_at` is what it was, and the retries and
// pause that it ended continue. Without a cancellation it removes `ends_at`.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions/{subscription_id}/uncancel`
func (s *SubscriptionsService) Uncancel(ctx context.Context, subscriptionID string, options ...Option) (*Subscription, error) {
	return send[Subscription](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions/", subscriptionID, "/uncancel")}, options)
}

// Retry: Charge the unpaid period of a subscription now
//
// Allowed while it is `past_due`, or `paused` because a payment failed. Returns `active` if the
// attempt has succeeded. A decline is not an error: the retries continue, or end. The attempt
// counts as the next one of its series.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions/{subscription_id}/retry_now`
func (s *SubscriptionsService) Retry(ctx context.Context, subscriptionID string, options ...Option) (*Subscription, error) {
	return send[Subscription](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions/", subscriptionID, "/retry_now")}, options)
}

// RetryNow is the same as Retry, by the name of its path.
func (s *SubscriptionsService) RetryNow(ctx context.Context, subscriptionID string, options ...Option) (*Subscription, error) {
	return s.Retry(ctx, subscriptionID, options...)
}

// Change: Change what a subscription sells, or ask what that costs
//
// Allowed while it is `trialing` or `active`, and for the next period while it is `paused`. A
// change now costs the days that are left; if that is negative, it goes to `credit_balance_cents`,
// which later periods use before money is taken. With `collect: now` it is charged at once, and
// made when that has succeeded: a decline is not an error, `last_payment_error` says why, and
// nothing has changed. While a challenge or a bank debit is under way, `change_payment_intent_id`
// names the payment intent. With `dry_run` nothing changes: the response says what would be
// charged.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions/{subscription_id}/change`
func (s *SubscriptionsService) Change(ctx context.Context, subscriptionID string, body SubscriptionChange, options ...Option) (*SubscriptionChangeResult, error) {
	return send[SubscriptionChangeResult](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions/", subscriptionID, "/change"), body: body}, options)
}

// SubscriptionsListChangesQuery is the query of the method.
type SubscriptionsListChangesQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q SubscriptionsListChangesQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// ListChanges: List the changes of a subscription that were requested with `when: now`, newest
// first
//
// Needs a secret key with the scope `subscriptions:read`.
//
// `GET /api/v1/subscriptions/{subscription_id}/changes`
func (s *SubscriptionsService) ListChanges(ctx context.Context, subscriptionID string, query SubscriptionsListChangesQuery, options ...Option) *Listing[SubscriptionMadeChangeList, SubscriptionMadeChange] {
	return &Listing[SubscriptionMadeChangeList, SubscriptionMadeChange]{
		fetch: func(after string) (*SubscriptionMadeChangeList, error) {
			return send[SubscriptionMadeChangeList](ctx, s.t, request{method: "GET", path: path("/api/v1/subscriptions/", subscriptionID, "/changes"), query: query.values()}.after(after), options)
		},
		read: func(page *SubscriptionMadeChangeList) ([]SubscriptionMadeChange, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *SubscriptionMadeChange) string {
			return cursorOf(item.Number)
		},
	}
}

// RefundCredit: Pay out the credit of a subscription
//
// Refunds the payments of the subscription that succeeded, the newest first, each by at most what
// remains of it. The response is the refund of the newest; `refunds` are all. The credit is taken
// at once, and the part of a refund that fails comes back. Allowed in every state, also after it
// was canceled.
//
// Needs a secret key with the scope `subscriptions:write`.
//
// `POST /api/v1/subscriptions/{subscription_id}/refund_credit`
func (s *SubscriptionsService) RefundCredit(ctx context.Context, subscriptionID string, body SubscriptionCreditRefund, options ...Option) (*SubscriptionCreditRefunds, error) {
	return send[SubscriptionCreditRefunds](ctx, s.t, request{method: "POST", path: path("/api/v1/subscriptions/", subscriptionID, "/refund_credit"), body: body}, options)
}

// TestClocksService: Sandbox only: simulated time for chosen customers. Renewals, retries and
// expiry happen when you ask for them.
type TestClocksService struct{ t *transport }

// Create: Create a test clock
//
// A clock stands still until you advance it. To put customers on it, create them with its id as
// their `test_clock`: at most 3 per clock, and 9 on all clocks of the account. An account has at
// most 3 clocks that are neither deleted nor failed. Each clock is deleted after 30 days. Sends
// `test_clock.created`.
//
// Needs a secret key with the scope `test_clocks:write`. Sandbox only.
//
// `POST /api/v1/test_helpers/test_clocks`
func (s *TestClocksService) Create(ctx context.Context, body TestClockCreate, options ...Option) (*TestClock, error) {
	return send[TestClock](ctx, s.t, request{method: "POST", path: path("/api/v1/test_helpers/test_clocks"), body: body}, options)
}

// TestClocksListQuery is the query of the method.
type TestClocksListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q TestClocksListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// List: List test clocks, newest first
//
// Needs a secret key with the scope `test_clocks:read`. Sandbox only.
//
// `GET /api/v1/test_helpers/test_clocks`
func (s *TestClocksService) List(ctx context.Context, query TestClocksListQuery, options ...Option) *Listing[TestClockList, TestClock] {
	return &Listing[TestClockList, TestClock]{
		fetch: func(after string) (*TestClockList, error) {
			return send[TestClockList](ctx, s.t, request{method: "GET", path: path("/api/v1/test_helpers/test_clocks"), query: query.values()}.after(after), options)
		},
		read: func(page *TestClockList) ([]TestClock, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *TestClock) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a test clock
//
// With `Prefer: wait=N` the response comes as soon as the clock is no longer advancing, or after N
// seconds (at most 60). Check `status`, and fetch again while it is `advancing`. In each API
// process at most 100 requests of a key wait at a time. A further request returns at once, without
// `Preference-Applied`. Pause before you fetch again.
//
// Needs a secret key with the scope `test_clocks:read`. Sandbox only.
//
// `GET /api/v1/test_helpers/test_clocks/{id}`
func (s *TestClocksService) Get(ctx context.Context, id string, options ...Option) (*TestClock, error) {
	return send[TestClock](ctx, s.t, request{method: "GET", path: path("/api/v1/test_helpers/test_clocks/", id)}, options)
}

// Delete: Delete a test clock with all its customers and their objects
//
// Allowed in any state. It cannot be undone. Sends `test_clock.deleted`. Events stay readable.
// Nothing on the clock is charged afterwards.
//
// Needs a secret key with the scope `test_clocks:write`. Sandbox only.
//
// `DELETE /api/v1/test_helpers/test_clocks/{id}`
func (s *TestClocksService) Delete(ctx context.Context, id string, options ...Option) (*DeletedTestClock, error) {
	return send[DeletedTestClock](ctx, s.t, request{method: "DELETE", path: path("/api/v1/test_helpers/test_clocks/", id)}, options)
}

// advance: Advance a test clock
//
// Allowed from `created` and `ready`, forward only. Returns at once, with the old frozen_time, and
// sends `test_clock.advancing`. Everything that is due on the way happens at its own instant, in
// order. When every effect is committed, the clock is `ready` and `test_clock.ready` is sent. To
// wait for that, fetch the clock with `Prefer: wait=60`. One advance covers at most two billing
// intervals. The clock’s max_frozen_time is the latest target, and the error for a longer advance
// has it too. With `dry_run` nothing changes, and the response shows what the advance would do.
//
// Needs a secret key with the scope `test_clocks:write`. Sandbox only.
//
// `POST /api/v1/test_helpers/test_clocks/{id}/advance`
func (s *TestClocksService) advance(ctx context.Context, id string, body TestClockAdvance, options ...Option) (*json.RawMessage, error) {
	return send[json.RawMessage](ctx, s.t, request{method: "POST", path: path("/api/v1/test_helpers/test_clocks/", id, "/advance"), body: body}, options)
}

// TestClocksListEffectsQuery is the query of the method.
type TestClocksListEffectsQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
	AdvanceID     Optional[string]
}

func (q TestClocksListEffectsQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "advance_id", q.AdvanceID)
	return values
}

// ListEffects: List the effects of the advances of a test clock
//
// Oldest first, in the order of the clock’s time. `starting_after` takes the event_id of the last
// effect on the previous page. The effects of a running advance appear as they are committed.
//
// Needs a secret key with the scope `test_clocks:read`. Sandbox only.
//
// `GET /api/v1/test_helpers/test_clocks/{id}/effects`
func (s *TestClocksService) ListEffects(ctx context.Context, id string, query TestClocksListEffectsQuery, options ...Option) *Listing[ClockEffectList, ClockEffect] {
	return &Listing[ClockEffectList, ClockEffect]{
		fetch: func(after string) (*ClockEffectList, error) {
			return send[ClockEffectList](ctx, s.t, request{method: "GET", path: path("/api/v1/test_helpers/test_clocks/", id, "/effects"), query: query.values()}.after(after), options)
		},
		read: func(page *ClockEffectList) ([]ClockEffect, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *ClockEffect) string {
			return cursorOf(item.EventID)
		},
	}
}

// BalanceService: The books of your account: what was taken, what it cost, what came back, what was
// paid out. Rows are posted from events, within a second as a rule; `complete_up_to` says how far.
// Lists and balances leave out what is on test clocks, unless `test_clock` names one.
type BalanceService struct{ t *transport }

// BalanceGetQuery is the query of the method.
type BalanceGetQuery struct {
	TestClock Optional[string]
}

func (q BalanceGetQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// Get: Fetch your balance in each currency
//
// With `test_clock`, the balance of that clock at its time.
//
// Needs a secret key with the scope `balance:read`.
//
// `GET /api/v1/balance`
func (s *BalanceService) Get(ctx context.Context, query BalanceGetQuery, options ...Option) (*Balance, error) {
	return send[Balance](ctx, s.t, request{method: "GET", path: path("/api/v1/balance"), query: query.values()}, options)
}

// BalanceTransactionsService: The books of your account: what was taken, what it cost, what came
// back, what was paid out. Rows are posted from events, within a second as a rule; `complete_up_to`
// says how far. Lists and balances leave out what is on test clocks, unless `test_clock` names one.
type BalanceTransactionsService struct{ t *transport }

// BalanceTransactionsListQuery is the query of the method.
type BalanceTransactionsListQuery struct {
	Limit           Optional[int]
	StartingAfter   Optional[string]
	Type            Optional[BalanceTransactionType]
	Currency        Optional[Currency]
	Source          Optional[string]
	PaymentIntentID Optional[string]
	CustomerID      Optional[string]
	PayoutID        Optional[string]
	TestClock       Optional[string]
	From            Optional[string]
	To              Optional[string]
}

func (q BalanceTransactionsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "type", q.Type)
	addOptional(values, "currency", q.Currency)
	addOptional(values, "source", q.Source)
	addOptional(values, "payment_intent_id", q.PaymentIntentID)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "payout_id", q.PayoutID)
	addOptional(values, "test_clock", q.TestClock)
	addOptional(values, "from", q.From)
	addOptional(values, "to", q.To)
	return values
}

// List: List what has moved money, newest first
//
// One row for each movement. What is on a test clock appears only if `test_clock` names the clock.
// A bank debit has no row before it settles.
//
// Needs a secret key with the scope `balance:read`.
//
// `GET /api/v1/balance_transactions`
func (s *BalanceTransactionsService) List(ctx context.Context, query BalanceTransactionsListQuery, options ...Option) *Listing[BalanceTransactionList, BalanceTransaction] {
	return &Listing[BalanceTransactionList, BalanceTransaction]{
		fetch: func(after string) (*BalanceTransactionList, error) {
			return send[BalanceTransactionList](ctx, s.t, request{method: "GET", path: path("/api/v1/balance_transactions"), query: query.values()}.after(after), options)
		},
		read: func(page *BalanceTransactionList) ([]BalanceTransaction, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *BalanceTransaction) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a row of your books
//
// Needs a secret key with the scope `balance:read`.
//
// `GET /api/v1/balance_transactions/{balance_transaction_id}`
func (s *BalanceTransactionsService) Get(ctx context.Context, balanceTransactionID string, options ...Option) (*BalanceTransaction, error) {
	return send[BalanceTransaction](ctx, s.t, request{method: "GET", path: path("/api/v1/balance_transactions/", balanceTransactionID)}, options)
}

// PayoutsService: What was paid to your bank account. The sandbox pays out at 00:00 of each
// business day, in your time zone: all that is available in a currency, if that is more than 0.
// `metadata._sandbox_payout` of a payment chooses what becomes of the payouts that it is in: a list
// of `paid` and `fail`. In live mode the processor pays out, if it says so: Stripe does.
type PayoutsService struct{ t *transport }

// PayoutsListQuery is the query of the method.
type PayoutsListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
	Status        Optional[PayoutStatus]
	Currency      Optional[Currency]
	TestClock     Optional[string]
}

func (q PayoutsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "status", q.Status)
	addOptional(values, "currency", q.Currency)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// List: List payouts, newest first
//
// What is on a test clock appears only if `test_clock` names the clock.
//
// Needs a secret key with the scope `balance:read`.
//
// `GET /api/v1/payouts`
func (s *PayoutsService) List(ctx context.Context, query PayoutsListQuery, options ...Option) *Listing[PayoutList, Payout] {
	return &Listing[PayoutList, Payout]{
		fetch: func(after string) (*PayoutList, error) {
			return send[PayoutList](ctx, s.t, request{method: "GET", path: path("/api/v1/payouts"), query: query.values()}.after(after), options)
		},
		read: func(page *PayoutList) ([]Payout, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *Payout) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a payout
//
// Needs a secret key with the scope `balance:read`.
//
// `GET /api/v1/payouts/{payout_id}`
func (s *PayoutsService) Get(ctx context.Context, payoutID string, options ...Option) (*Payout, error) {
	return send[Payout](ctx, s.t, request{method: "GET", path: path("/api/v1/payouts/", payoutID)}, options)
}

// PayoutsListItemsQuery is the query of the method.
type PayoutsListItemsQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q PayoutsListItemsQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// ListItems: List the rows of your books that a payout pays, newest first
//
// Their `net` adds up to the payout. A payout that has failed still shows what it was to pay.
//
// Needs a secret key with the scope `balance:read`.
//
// `GET /api/v1/payouts/{payout_id}/items`
func (s *PayoutsService) ListItems(ctx context.Context, payoutID string, query PayoutsListItemsQuery, options ...Option) *Listing[BalanceTransactionList, BalanceTransaction] {
	return &Listing[BalanceTransactionList, BalanceTransaction]{
		fetch: func(after string) (*BalanceTransactionList, error) {
			return send[BalanceTransactionList](ctx, s.t, request{method: "GET", path: path("/api/v1/payouts/", payoutID, "/items"), query: query.values()}.after(after), options)
		},
		read: func(page *BalanceTransactionList) ([]BalanceTransaction, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *BalanceTransaction) string {
			return cursorOf(item.ID)
		},
	}
}

// DisputesService: Payments that a payer has disputed with the bank. What is disputed is held until
// the dispute is won or lost, and cannot be refunded meanwhile. The sandbox opens disputes on
// request. Live mode has none yet.
type DisputesService struct{ t *transport }

// DisputesListQuery is the query of the method.
type DisputesListQuery struct {
	Limit           Optional[int]
	StartingAfter   Optional[string]
	Status          Optional[DisputeStatus]
	Currency        Optional[Currency]
	PaymentIntentID Optional[string]
	CustomerID      Optional[string]
	TestClock       Optional[string]
}

func (q DisputesListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "status", q.Status)
	addOptional(values, "currency", q.Currency)
	addOptional(values, "payment_intent_id", q.PaymentIntentID)
	addOptional(values, "customer_id", q.CustomerID)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// List: List disputes, newest first
//
// What is on a test clock appears only if `test_clock` names the clock.
//
// Needs a secret key with the scope `balance:read`.
//
// `GET /api/v1/disputes`
func (s *DisputesService) List(ctx context.Context, query DisputesListQuery, options ...Option) *Listing[DisputeList, Dispute] {
	return &Listing[DisputeList, Dispute]{
		fetch: func(after string) (*DisputeList, error) {
			return send[DisputeList](ctx, s.t, request{method: "GET", path: path("/api/v1/disputes"), query: query.values()}.after(after), options)
		},
		read: func(page *DisputeList) ([]Dispute, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *Dispute) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a dispute
//
// Needs a secret key with the scope `balance:read`.
//
// `GET /api/v1/disputes/{dispute_id}`
func (s *DisputesService) Get(ctx context.Context, disputeID string, options ...Option) (*Dispute, error) {
	return send[Dispute](ctx, s.t, request{method: "GET", path: path("/api/v1/disputes/", disputeID)}, options)
}

// ReportsService: What finance reads, as JSON or as CSV, with the same columns in both. Amounts are
// minor units, instants are UTC. Reports leave out what is on test clocks, unless `test_clock`
// names one.
type ReportsService struct{ t *transport }

// ReportsGetBalanceTransactionsQuery is the query of the method.
type ReportsGetBalanceTransactionsQuery struct {
	From      string
	To        string
	Timezone  Optional[string]
	Columns   Optional[string]
	TestClock Optional[string]
}

func (q ReportsGetBalanceTransactionsQuery) values() url.Values {
	values := url.Values{}
	addRequired(values, "from", q.From)
	addRequired(values, "to", q.To)
	addOptional(values, "timezone", q.Timezone)
	addOptional(values, "columns", q.Columns)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// GetBalanceTransactions: Report what has moved money
//
// The rows of your books with this `created_at`, oldest first, each with its customer and its plan.
// Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two
// reports of an account are read at a time.
//
// Needs a secret key with the scope `reports:read`.
//
// `GET /api/v1/reports/balance_transactions`
func (s *ReportsService) GetBalanceTransactions(ctx context.Context, query ReportsGetBalanceTransactionsQuery, options ...Option) (*BalanceTransactionsReport, error) {
	return send[BalanceTransactionsReport](ctx, s.t, request{method: "GET", path: path("/api/v1/reports/balance_transactions"), query: query.values()}, options)
}

// ReportsGetPayoutsQuery is the query of the method.
type ReportsGetPayoutsQuery struct {
	From      string
	To        string
	Timezone  Optional[string]
	Columns   Optional[string]
	TestClock Optional[string]
}

func (q ReportsGetPayoutsQuery) values() url.Values {
	values := url.Values{}
	addRequired(values, "from", q.From)
	addRequired(values, "to", q.To)
	addOptional(values, "timezone", q.Timezone)
	addOptional(values, "columns", q.Columns)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// GetPayouts: Report your payouts, each with what it is made of
//
// One row for each payout with this `created_at`, oldest first: what was paid, refunded and taken
// back, and the fees, which add up to it. `GET /balance_transactions?payout_id=` has its items.
// Streamed as JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two
// reports of an account are read at a time.
//
// Needs a secret key with the scope `reports:read`.
//
// `GET /api/v1/reports/payouts`
func (s *ReportsService) GetPayouts(ctx context.Context, query ReportsGetPayoutsQuery, options ...Option) (*PayoutsReport, error) {
	return send[PayoutsReport](ctx, s.t, request{method: "GET", path: path("/api/v1/reports/payouts"), query: query.values()}, options)
}

// ReportsGetPlansQuery is the query of the method.
type ReportsGetPlansQuery struct {
	From      string
	To        string
	Timezone  Optional[string]
	Columns   Optional[string]
	TestClock Optional[string]
}

func (q ReportsGetPlansQuery) values() url.Values {
	values := url.Values{}
	addRequired(values, "from", q.From)
	addRequired(values, "to", q.To)
	addOptional(values, "timezone", q.Timezone)
	addOptional(values, "columns", q.Columns)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// GetPlans: Report what plans and subscriptions charged and collected
//
// One row for each plan and each subscription, by customer: what moved in the range, and what was
// owed at its end. One that had ended, and neither moved nor owed anything, is left out. Streamed
// as JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of
// an account are read at a time.
//
// Needs a secret key with the scope `reports:read`.
//
// `GET /api/v1/reports/plans`
func (s *ReportsService) GetPlans(ctx context.Context, query ReportsGetPlansQuery, options ...Option) (*PlansReport, error) {
	return send[PlansReport](ctx, s.t, request{method: "GET", path: path("/api/v1/reports/plans"), query: query.values()}, options)
}

// ReportsGetAgingQuery is the query of the method.
type ReportsGetAgingQuery struct {
	From      Optional[string]
	To        Optional[string]
	Timezone  Optional[string]
	Columns   Optional[string]
	TestClock Optional[string]
}

func (q ReportsGetAgingQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "from", q.From)
	addOptional(values, "to", q.To)
	addOptional(values, "timezone", q.Timezone)
	addOptional(values, "columns", q.Columns)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// GetAging: Report what is owed, by how many days it is late
//
// One row for each plan, subscription and payment by itself of which something is owed now, by
// customer. `from` and `to` narrow by the date since which it is late. Streamed as JSON, or as CSV
// if `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an account are read
// at a time.
//
// Needs a secret key with the scope `reports:read`.
//
// `GET /api/v1/reports/aging`
func (s *ReportsService) GetAging(ctx context.Context, query ReportsGetAgingQuery, options ...Option) (*AgingReport, error) {
	return send[AgingReport](ctx, s.t, request{method: "GET", path: path("/api/v1/reports/aging"), query: query.values()}, options)
}

// ReportsGetFailedPaymentsQuery is the query of the method.
type ReportsGetFailedPaymentsQuery struct {
	From      string
	To        string
	Timezone  Optional[string]
	Columns   Optional[string]
	TestClock Optional[string]
}

func (q ReportsGetFailedPaymentsQuery) values() url.Values {
	values := url.Values{}
	addRequired(values, "from", q.From)
	addRequired(values, "to", q.To)
	addOptional(values, "timezone", q.Timezone)
	addOptional(values, "columns", q.Columns)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// GetFailedPayments: Report the payments that failed or came back
//
// One row for each attempt that failed and each debit that came back, oldest first: why, when it
// was to be tried again, and what has become of the payment. Streamed as JSON, or as CSV if
// `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an account are read at
// a time.
//
// Needs a secret key with the scope `reports:read`.
//
// `GET /api/v1/reports/failed_payments`
func (s *ReportsService) GetFailedPayments(ctx context.Context, query ReportsGetFailedPaymentsQuery, options ...Option) (*FailedPaymentsReport, error) {
	return send[FailedPaymentsReport](ctx, s.t, request{method: "GET", path: path("/api/v1/reports/failed_payments"), query: query.values()}, options)
}

// ReportsGetMandatesQuery is the query of the method.
type ReportsGetMandatesQuery struct {
	From      Optional[string]
	To        Optional[string]
	Timezone  Optional[string]
	Columns   Optional[string]
	TestClock Optional[string]
}

func (q ReportsGetMandatesQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "from", q.From)
	addOptional(values, "to", q.To)
	addOptional(values, "timezone", q.Timezone)
	addOptional(values, "columns", q.Columns)
	addOptional(values, "test_clock", q.TestClock)
	return values
}

// GetMandates: Report your mandates
//
// Each mandate as it is now, oldest first. `from` and `to` narrow by `created_at`. Streamed as
// JSON, or as CSV if `Accept` is `text/csv` or the path ends in `.csv`. At most two reports of an
// account are read at a time.
//
// Needs a secret key with the scope `reports:read`.
//
// `GET /api/v1/reports/mandates`
func (s *ReportsService) GetMandates(ctx context.Context, query ReportsGetMandatesQuery, options ...Option) (*MandatesReport, error) {
	return send[MandatesReport](ctx, s.t, request{method: "GET", path: path("/api/v1/reports/mandates"), query: query.values()}, options)
}

// EventsService: Everything that happened, numbered and stored, whether or not a webhook was sent.
type EventsService struct{ t *transport }

// EventsListQuery is the query of the method.
type EventsListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
	Order         Optional[EventOrder]
	CreatedFrom   Optional[string]
	CreatedTo     Optional[string]
	EventType     Optional[string]
	TestClock     Optional[string]
	ObjectID      Optional[string]
	CustomerID    Optional[string]
}

func (q EventsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "order", q.Order)
	addOptional(values, "created_from", q.CreatedFrom)
	addOptional(values, "created_to", q.CreatedTo)
	addOptional(values, "event_type", q.EventType)
	addOptional(values, "test_clock", q.TestClock)
	addOptional(values, "object_id", q.ObjectID)
	addOptional(values, "customer_id", q.CustomerID)
	return values
}

// List: List events
//
// Lists all events, newest first, whether or not an endpoint subscribes to them. With `order=asc`
// and the last id that you have as `starting_after` you get what was recorded since, oldest first.
// No event is missed, whatever is written meanwhile: the order is that of the commits.
//
// Needs a secret key with the scope `events:read`.
//
// `GET /api/v1/events`
func (s *EventsService) List(ctx context.Context, query EventsListQuery, options ...Option) *Listing[EventList, Event] {
	return &Listing[EventList, Event]{
		fetch: func(after string) (*EventList, error) {
			return send[EventList](ctx, s.t, request{method: "GET", path: path("/api/v1/events"), query: query.values()}.after(after), options)
		},
		read: func(page *EventList) ([]Event, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *Event) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch an event
//
// Needs a secret key with the scope `events:read`.
//
// `GET /api/v1/events/{event_id}`
func (s *EventsService) Get(ctx context.Context, eventID string, options ...Option) (*Event, error) {
	return send[Event](ctx, s.t, request{method: "GET", path: path("/api/v1/events/", eventID)}, options)
}

// WebhookEndpointsService: The endpoints that events are posted to, and the result of each
// delivery.
type WebhookEndpointsService struct{ t *transport }

// Create: Register a webhook endpoint
//
// Events are posted as JSON and signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`,
// `webhook-signature`). The signing `secret` is in this response and is not shown again.
// `webhook-id` is the event’s id on every attempt. Only a 2xx response within 15 seconds is
// success. Redirects are not followed.
//
// After a failure, the next attempts come 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h
// later, each give or take a tenth. `Retry-After` can make a wait longer, to at most 24 h. A 410
// response, or five days of nothing but failure, disables the endpoint. Each mode has at most 16
// endpoints.
//
// The key must also be able to read the events of the endpoint: `events:read` reads every event,
// `payment_intents:read` reads `payment_intent.*`, `payment_intents:read` reads `refund.*`,
// `mandates:read` reads `mandate.*`, `payment_plans:read` reads `payment_plan.*`,
// `payment_links:read` reads `payment_link.*`, `payment_links:read` reads `checkout_session.*`,
// `balance:read` reads `dispute.*`, `balance:read` reads `payout.*`, `subscriptions:read` reads
// `subscription.*`, `test_clocks:read` reads `test_clock.*`, `webhooks:read` reads
// `webhook_endpoint.*`. `*`, the default, needs `events:read`.
//
// Needs a secret key with the scope `webhooks:write`.
//
// `POST /api/v1/webhook_endpoints`
func (s *WebhookEndpointsService) Create(ctx context.Context, body WebhookEndpointCreate, options ...Option) (*WebhookEndpoint, error) {
	return send[WebhookEndpoint](ctx, s.t, request{method: "POST", path: path("/api/v1/webhook_endpoints"), body: body}, options)
}

// WebhookEndpointsListQuery is the query of the method.
type WebhookEndpointsListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q WebhookEndpointsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// List: List webhook endpoints, newest first
//
// Needs a secret key with the scope `webhooks:read`.
//
// `GET /api/v1/webhook_endpoints`
func (s *WebhookEndpointsService) List(ctx context.Context, query WebhookEndpointsListQuery, options ...Option) *Listing[WebhookEndpointList, WebhookEndpoint] {
	return &Listing[WebhookEndpointList, WebhookEndpoint]{
		fetch: func(after string) (*WebhookEndpointList, error) {
			return send[WebhookEndpointList](ctx, s.t, request{method: "GET", path: path("/api/v1/webhook_endpoints"), query: query.values()}.after(after), options)
		},
		read: func(page *WebhookEndpointList) ([]WebhookEndpoint, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *WebhookEndpoint) string {
			return cursorOf(item.ID)
		},
	}
}

// Get: Fetch a webhook endpoint
//
// Needs a secret key with the scope `webhooks:read`.
//
// `GET /api/v1/webhook_endpoints/{webhook_endpoint_id}`
func (s *WebhookEndpointsService) Get(ctx context.Context, webhookEndpointID string, options ...Option) (*WebhookEndpoint, error) {
	return send[WebhookEndpoint](ctx, s.t, request{method: "GET", path: path("/api/v1/webhook_endpoints/", webhookEndpointID)}, options)
}

// Update: Change, enable or disable a webhook endpoint
//
// Enabling an endpoint does not send what it missed. Use replay for that.
//
// The key must also be able to read the events of the endpoint to change `url` or `event_types` or
// to enable it: see *Register a webhook endpoint*.
//
// Needs a secret key with the scope `webhooks:write`.
//
// `PUT /api/v1/webhook_endpoints/{webhook_endpoint_id}`
func (s *WebhookEndpointsService) Update(ctx context.Context, webhookEndpointID string, body WebhookEndpointUpdate, options ...Option) (*WebhookEndpoint, error) {
	return send[WebhookEndpoint](ctx, s.t, request{method: "PUT", path: path("/api/v1/webhook_endpoints/", webhookEndpointID), body: body}, options)
}

// Delete: Delete a webhook endpoint
//
// Its pending deliveries become `failed`. Its deliveries stay readable.
//
// Needs a secret key with the scope `webhooks:write`.
//
// `DELETE /api/v1/webhook_endpoints/{webhook_endpoint_id}`
func (s *WebhookEndpointsService) Delete(ctx context.Context, webhookEndpointID string, options ...Option) (*DeletedWebhookEndpoint, error) {
	return send[DeletedWebhookEndpoint](ctx, s.t, request{method: "DELETE", path: path("/api/v1/webhook_endpoints/", webhookEndpointID)}, options)
}

// RotateSecret: Replace the signing secret
//
// While the old secret is valid, `webhook-signature` has a signature by each secret, separated by a
// space.
//
// Needs a secret key with the scope `webhooks:write`.
//
// `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret`
func (s *WebhookEndpointsService) RotateSecret(ctx context.Context, webhookEndpointID string, body SecretRotation, options ...Option) (*WebhookEndpoint, error) {
	return send[WebhookEndpoint](ctx, s.t, request{method: "POST", path: path("/api/v1/webhook_endpoints/", webhookEndpointID, "/rotate_secret"), body: body}, options)
}

// Ping: Send a test event
//
// Sends a `webhook_endpoint.ping` to this endpoint alone, whatever it subscribes to. Returns the
// delivery. Fetch it again to see the result. Each attempt has a `challenge` in its `data`. To
// verify the endpoint (`verified_at`), the receiver returns the challenge, as `{"challenge": …}` or
// as the bare text, within the first 2 KiB of a 2xx response.
//
// Needs a secret key with the scope `webhooks:write`.
//
// `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/ping`
func (s *WebhookEndpointsService) Ping(ctx context.Context, webhookEndpointID string, options ...Option) (*WebhookDelivery, error) {
	return send[WebhookDelivery](ctx, s.t, request{method: "POST", path: path("/api/v1/webhook_endpoints/", webhookEndpointID, "/ping")}, options)
}

// WebhookEndpointsListDeliveriesQuery is the query of the method.
type WebhookEndpointsListDeliveriesQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
	Status        Optional[WebhookDeliveryStatus]
}

func (q WebhookEndpointsListDeliveriesQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	addOptional(values, "status", q.Status)
	return values
}

// ListDeliveries: List the deliveries to an endpoint, newest first
//
// Needs a secret key with the scope `webhooks:read`.
//
// `GET /api/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries`
func (s *WebhookEndpointsService) ListDeliveries(ctx context.Context, webhookEndpointID string, query WebhookEndpointsListDeliveriesQuery, options ...Option) *Listing[WebhookDeliveryList, WebhookDelivery] {
	return &Listing[WebhookDeliveryList, WebhookDelivery]{
		fetch: func(after string) (*WebhookDeliveryList, error) {
			return send[WebhookDeliveryList](ctx, s.t, request{method: "GET", path: path("/api/v1/webhook_endpoints/", webhookEndpointID, "/deliveries"), query: query.values()}.after(after), options)
		},
		read: func(page *WebhookDeliveryList) ([]WebhookDelivery, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *WebhookDelivery) string {
			return cursorOf(item.ID)
		},
	}
}

// ReplayDeliveries: Deliver the events of a time range again
//
// Delivers events that the endpoint subscribes to and has not received, also from while it was
// disabled. With `all`, also those that it has received. Events keep their ids, so a receiver can
// recognise a repeated one.
//
// A live endpoint must be verified first: ping it. The sandbox needs no verification.
//
// The key must also be able to read the events of the endpoint: see *Register a webhook endpoint*.
//
// Needs a secret key with the scope `webhooks:write`.
//
// `POST /api/v1/webhook_endpoints/{webhook_endpoint_id}/replay`
func (s *WebhookEndpointsService) ReplayDeliveries(ctx context.Context, webhookEndpointID string, body WebhookReplay, options ...Option) (*ReplayResult, error) {
	return send[ReplayResult](ctx, s.t, request{method: "POST", path: path("/api/v1/webhook_endpoints/", webhookEndpointID, "/replay"), body: body}, options)
}

// Replay is the same as ReplayDeliveries, by the name of its path.
func (s *WebhookEndpointsService) Replay(ctx context.Context, webhookEndpointID string, body WebhookReplay, options ...Option) (*ReplayResult, error) {
	return s.ReplayDeliveries(ctx, webhookEndpointID, body, options...)
}

// WebhookDeliveriesService: The endpoints that events are posted to, and the result of each
// delivery.
type WebhookDeliveriesService struct{ t *transport }

// Get: Fetch a delivery with every attempt
//
// Needs a secret key with the scope `webhooks:read`.
//
// `GET /api/v1/webhook_deliveries/{webhook_delivery_id}`
func (s *WebhookDeliveriesService) Get(ctx context.Context, webhookDeliveryID string, options ...Option) (*WebhookDelivery, error) {
	return send[WebhookDelivery](ctx, s.t, request{method: "GET", path: path("/api/v1/webhook_deliveries/", webhookDeliveryID)}, options)
}

// Retry: Deliver again, now
//
// A pending delivery is attempted now, without waiting for its next attempt. A delivered or failed
// one starts the schedule again. The endpoint must be enabled.
//
// The key must also be able to read the event: see *Register a webhook endpoint*.
//
// Needs a secret key with the scope `webhooks:write`.
//
// `POST /api/v1/webhook_deliveries/{webhook_delivery_id}/retry`
func (s *WebhookDeliveriesService) Retry(ctx context.Context, webhookDeliveryID string, options ...Option) (*WebhookDelivery, error) {
	return send[WebhookDelivery](ctx, s.t, request{method: "POST", path: path("/api/v1/webhook_deliveries/", webhookDeliveryID, "/retry")}, options)
}

// DashboardSessionsService: How your own people get into the dashboard, which shows customers,
// payments and what becomes of them. Your back office makes a session after its own sign-on, and
// sends the person to its URL.
type DashboardSessionsService struct{ t *transport }

// Create: Let a person into the dashboard
//
// Send the person to its `url`, or open it: it works once, within five minutes. The session ends at
// `expires_at`, when you end it, or with the key that has made it. A role needs the scopes for what
// it sees and does.
//
// Needs a secret key with the scope `dashboard:write`.
//
// `POST /api/v1/dashboard_sessions`
func (s *DashboardSessionsService) Create(ctx context.Context, body DashboardSessionCreate, options ...Option) (*NewDashboardSession, error) {
	return send[NewDashboardSession](ctx, s.t, request{method: "POST", path: path("/api/v1/dashboard_sessions"), body: body}, options)
}

// DashboardSessionsListQuery is the query of the method.
type DashboardSessionsListQuery struct {
	Limit         Optional[int]
	StartingAfter Optional[string]
}

func (q DashboardSessionsListQuery) values() url.Values {
	values := url.Values{}
	addOptional(values, "limit", q.Limit)
	addOptional(values, "starting_after", q.StartingAfter)
	return values
}

// List: List dashboard sessions, newest first
//
// Sessions that have ended are listed for 30 days.
//
// Needs a secret key with the scope `dashboard:write`.
//
// `GET /api/v1/dashboard_sessions`
func (s *DashboardSessionsService) List(ctx context.Context, query DashboardSessionsListQuery, options ...Option) *Listing[DashboardSessionList, DashboardSession] {
	return &Listing[DashboardSessionList, DashboardSession]{
		fetch: func(after string) (*DashboardSessionList, error) {
			return send[DashboardSessionList](ctx, s.t, request{method: "GET", path: path("/api/v1/dashboard_sessions"), query: query.values()}.after(after), options)
		},
		read: func(page *DashboardSessionList) ([]DashboardSession, bool) {
			return page.Data, page.HasMore
		},
		cursor: func(item *DashboardSession) string {
			return cursorOf(item.ID)
		},
	}
}

// End: End a dashboard session at once
//
// Its `expires_at` is then the present. Ending it again changes nothing.
//
// Needs a secret key with the scope `dashboard:write`.
//
// `POST /api/v1/dashboard_sessions/{dashboard_session_id}/end`
func (s *DashboardSessionsService) End(ctx context.Context, dashboardSessionID string, options ...Option) (*DashboardSession, error) {
	return send[DashboardSession](ctx, s.t, request{method: "POST", path: path("/api/v1/dashboard_sessions/", dashboardSessionID, "/end")}, options)
}

// AccountService: How your account presents itself to payers, on the pages that the service shows
// them, and where it is.
type AccountService struct{ t *transport }

// Get: Fetch your account as payers see it
//
// What the pages for payers show about you, your time zone, your country and your tax. An operator
// changes it (`npm run billers -- update`). It is the same in both modes.
//
// Needs a secret key with the scope `payment_intents:read`.
//
// `GET /api/v1/account`
func (s *AccountService) Get(ctx context.Context, options ...Option) (*Account, error) {
	return send[Account](ctx, s.t, request{method: "GET", path: path("/api/v1/account")}, options)
}

// ListSurchargeRules: List the surcharge rules that apply to your account
//
// Which surcharges the service adds to your payments today, by your country and by your stated cost
// of acceptance. An operator sets both (`npm run billers -- update`). If two rules apply to one
// payment, the stricter one counts. A payment on a test clock follows the rules of its clock’s
// date.
//
// Needs a secret key with the scope `payment_intents:read`.
//
// `GET /api/v1/surcharge_rules`
func (s *AccountService) ListSurchargeRules(ctx context.Context, options ...Option) (*SurchargeRules, error) {
	return send[SurchargeRules](ctx, s.t, request{method: "GET", path: path("/api/v1/surcharge_rules")}, options)
}

// HealthService: For operators of the service.
type HealthService struct{ t *transport }

// Get: Check that the process is running
//
// No key is needed.
//
// `GET /healthz`
func (s *HealthService) Get(ctx context.Context, options ...Option) (*Healthy, error) {
	return send[Healthy](ctx, s.t, request{method: "GET", path: path("/healthz")}, options)
}

// GetReadiness: Check that the service can handle requests
//
// No key is needed.
//
// `GET /readyz`
func (s *HealthService) GetReadiness(ctx context.Context, options ...Option) (*Healthy, error) {
	return send[Healthy](ctx, s.t, request{method: "GET", path: path("/readyz")}, options)
}

// ReferenceService: This documentation.
type ReferenceService struct{ t *transport }

// GetOpenAPIDocument: Fetch this document
//
// No key is needed.
//
// `GET /openapi.json`
func (s *ReferenceService) GetOpenAPIDocument(ctx context.Context, options ...Option) (*map[string]any, error) {
	return send[map[string]any](ctx, s.t, request{method: "GET", path: path("/openapi.json")}, options)
}

// GetPage: Read this document as a page
//
// No key is needed.
//
// `GET /docs`
func (s *ReferenceService) GetPage(ctx context.Context, options ...Option) (string, error) {
	return s.t.sendText(ctx, request{method: "GET", path: path("/docs"), accept: "text/html"}, options)
}
