package payments

import (
	"fmt"
	"time"
)

// APIError means that the service refused a request. Use Code; the text is for people and may change.
type APIError struct {
	// Status is the HTTP status.
	Status int
	Type   string
	// Code is empty if the response did not come from the service, but for example from a proxy.
	Code    string
	Message string
	// Details has every field error of the request, with `validation_failed`.
	Details []ErrorDetail
	// RequestID is what to quote when you contact us about the request.
	RequestID string
	Method    string
	Path      string
	// MaxFrozenTime is the latest possible target of one advance, with `advance_bound_exceeded`.
	MaxFrozenTime *time.Time
	// MandateID is the mandate of the bank account that has not ended, with `mandate_exists`.
	MandateID string
	// RetryAfter is how long to wait before the next request; nil if the response does not say.
	RetryAfter *time.Duration
}

func (e *APIError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("The response has the status %d and does not come from the service.", e.Status)
	}
	return e.Message
}

// ConnectionError means that no complete response came in time. Whether the request took effect is unknown.
type ConnectionError struct{ message string }

func (e *ConnectionError) Error() string { return e.message }

// WebhookVerificationError means that a request is not a webhook of the service, was changed on the way, or is too old.
type WebhookVerificationError struct{ message string }

func (e *WebhookVerificationError) Error() string { return e.message }

// TestClockError means that a test clock did not become ready: it failed, or was still `advancing` when the time was up.
type TestClockError struct {
	message string
	// Clock is the clock as last fetched.
	Clock *TestClock
}

func (e *TestClockError) Error() string { return e.message }
