package payments

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

const (
	defaultWaitTimeout = 5 * time.Minute
	// longestWait is the service's maximum for `Prefer: wait`.
	longestWait = 60 * time.Second
	// lookAgainAfter is the time between two requests. It limits their rate if a proxy does not let responses wait.
	lookAgainAfter = 100 * time.Millisecond
)

// Advance moves a clock forward, and returns while the work goes on. See AdvanceAndWait, and DryRun for a dry run.
func (s *TestClocksService) Advance(ctx context.Context, id string, body TestClockAdvance, options ...Option) (*AdvancingTestClock, error) {
	body.DryRun = Optional[bool]{}
	return advanced[AdvancingTestClock](s.advance(ctx, id, body, options...))
}

// DryRun returns what an advance would do, and changes nothing.
func (s *TestClocksService) DryRun(ctx context.Context, id string, body TestClockAdvance, options ...Option) (*TestClockDryRun, error) {
	body.DryRun = Set(true)
	return advanced[TestClockDryRun](s.advance(ctx, id, body, options...))
}

func advanced[T any](content *json.RawMessage, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	result := new(T)
	return result, json.Unmarshal(*content, result)
}

// AdvanceAndWait advances a clock and waits until every effect is committed. It returns the clock, which is `ready`. The
// error is a *TestClockError if the clock fails, or is not ready in time: see WithWaitTimeout.
func (s *TestClocksService) AdvanceAndWait(ctx context.Context, id string, body TestClockAdvance, options ...Option) (*TestClock, error) {
	if _, err := s.Advance(ctx, id, body, options...); err != nil {
		return nil, err
	}
	return s.WaitUntilReady(ctx, id, options...)
}

// WaitUntilReady waits while a clock is `advancing`, then returns it. The error is a *TestClockError if the clock has
// failed, or is still advancing when the time is up: see WithWaitTimeout.
func (s *TestClocksService) WaitUntilReady(ctx context.Context, id string, options ...Option) (*TestClock, error) {
	given := requestOptions{waitTimeout: defaultWaitTimeout}
	for _, option := range options {
		option(&given)
	}
	reading := func(o *requestOptions) {
		o.idempotencyKey, o.idempotencyTTL = "", 0
	}
	givesUpAt := time.Now().Add(given.waitTimeout)
	for {
		left := max(0, time.Until(givesUpAt))
		// The service counts whole seconds.
		wait := min(longestWait, (left + time.Second - 1).Truncate(time.Second))
		clock, err := s.Get(ctx, id, append(append([]Option{}, options...), reading, WithWait(wait))...)
		if err != nil {
			return nil, err
		}
		if clock.Status == TestClockStatusFailed {
			reason := ""
			if clock.FailureReason != nil {
				reason = *clock.FailureReason
			}
			return nil, &TestClockError{fmt.Sprintf("The test clock %s has failed: %s", id, reason), clock}
		}
		if clock.Status != TestClockStatusAdvancing {
			return clock, nil
		}
		if !time.Now().Before(givesUpAt) {
			after := given.waitTimeout.Seconds()
			return nil, &TestClockError{fmt.Sprintf("The test clock %s is still advancing after %g s.", id, after), clock}
		}
		select {
		case <-time.After(lookAgainAfter):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
