package payments

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	firstDelay   = 500 * time.Millisecond
	longestDelay = 8 * time.Second
	// If `Retry-After` is longer, the error is returned at once, so that no call takes an hour.
	longestRetryAfter = time.Minute
)

// delayBeforeRetry returns how long to wait before the next try of a request that failed, and whether another try may
// help. `retries` is the number of retries so far.
//
// Every request can be repeated without a second effect: GET, PUT and DELETE by their nature, a POST by its
// Idempotency-Key. The waits grow exponentially, with full jitter, so that clients that failed together return at
// different times. A wait is at least `Retry-After`.
func delayBeforeRetry(err error, retries int) (time.Duration, bool) {
	if !mayPass(err) {
		return 0, false
	}
	longest := longestDelay
	if retries < 4 {
		longest = firstDelay << retries
	}
	delay := time.Duration(rand.Float64() * float64(longest))
	var refusal *APIError
	if errors.As(err, &refusal) && refusal.RetryAfter != nil {
		if *refusal.RetryAfter > longestRetryAfter {
			return 0, false
		}
		delay += *refusal.RetryAfter
	}
	return delay, true
}

// mayPass returns whether the same request may succeed later.
func mayPass(err error) bool {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return true
	}
	var refusal *APIError
	if !errors.As(err, &refusal) {
		return false
	}
	switch refusal.Status {
	case 503:
		// The service sends Retry-After with a temporary 503. Others, such as `processor_not_configured`, stay.
		return refusal.Code == "" || refusal.RetryAfter != nil
	case 408, 429, 500, 502, 504:
		return true
	}
	return refusal.Code == string(ErrorBodyCodeIdempotencyKeyInUse)
}

// readRetryAfter reads a `Retry-After` header, which has seconds or a date.
func readRetryAfter(header string) *time.Duration {
	if seconds, err := strconv.Atoi(strings.TrimSpace(header)); err == nil && seconds >= 0 {
		return Ptr(time.Duration(seconds) * time.Second)
	}
	if at, err := http.ParseTime(header); err == nil {
		return Ptr(max(0, time.Until(at)))
	}
	return nil
}
