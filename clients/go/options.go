package payments

import (
	"encoding/json"
	"time"
)

// Option is an option of a single request.
type Option func(*requestOptions)

type requestOptions struct {
	idempotencyKey string
	idempotencyTTL time.Duration
	wait           time.Duration
	waitTimeout    time.Duration
	maxRetries     *int
	timeout        time.Duration
}

// WithIdempotencyKey sets your name for this request. The same request with the same key has no second effect and
// returns the first response, also from another process or after a restart. By default the client creates a random key,
// which covers its own retries.
func WithIdempotencyKey(key string) Option {
	return func(o *requestOptions) { o.idempotencyKey = key }
}

// WithIdempotencyTTL sets how long the service keeps the key: one second to 30 days, by default a day. With a
// publishable key at most a day.
func WithIdempotencyTTL(ttl time.Duration) Option {
	return func(o *requestOptions) { o.idempotencyTTL = ttl }
}

// WithWait sets how long the service may wait for a result, in whole seconds, at most 60. The timeout begins after that.
func WithWait(wait time.Duration) Option {
	return func(o *requestOptions) { o.wait = wait }
}

// WithWaitTimeout sets the total time that AdvanceAndWait and WaitUntilReady wait; by default five minutes.
func WithWaitTimeout(timeout time.Duration) Option {
	return func(o *requestOptions) { o.waitTimeout = timeout }
}

// WithMaxRetries sets the maximum number of retries of this request.
func WithMaxRetries(retries int) Option {
	return func(o *requestOptions) { o.maxRetries = &retries }
}

// WithTimeout sets how long one try of this request waits for its response.
func WithTimeout(timeout time.Duration) Option {
	return func(o *requestOptions) { o.timeout = timeout }
}

// Optional is a member of a request that may be left out: the zero value leaves it out.
type Optional[T any] struct {
	value *T
	isSet bool
}

// Set sends a value.
func Set[T any](value T) Optional[T] { return Optional[T]{&value, true} }

// Null sends null, which clears a field.
func Null[T any]() Optional[T] { return Optional[T]{nil, true} }

// IsZero returns whether the member is left out.
func (o Optional[T]) IsZero() bool { return !o.isSet }

// MarshalJSON writes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// UnmarshalJSON reads a value, or null.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.isSet = true
	return json.Unmarshal(data, &o.value)
}

// Ptr returns a pointer to a value, for members that may be null.
func Ptr[T any](value T) *T { return &value }

// marshalWith writes a value whose member `name` is `text`.
func marshalWith(value any, name, text string) ([]byte, error) {
	written, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(written, &members); err != nil {
		return nil, err
	}
	members[name], _ = json.Marshal(text)
	return json.Marshal(members)
}
