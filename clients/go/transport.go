package payments

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	defaultMaxRetries = 2
	defaultTimeout    = 30 * time.Second
	mediaTypeJSON     = "application/json"
)

// transport sends requests to one service, with one key.
type transport struct {
	base       *url.URL
	apiKey     string
	maxRetries int
	timeout    time.Duration
	http       *http.Client
}

func newTransport(config Config) (*transport, error) {
	if config.APIKey == "" {
		return nil, errors.New("APIKey is missing")
	}
	if strings.ContainsFunc(config.APIKey, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
		return nil, errors.New("APIKey has characters that are not allowed in a key")
	}
	base, err := url.Parse(config.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errors.New("BaseURL must be an address such as https://payments.example.com")
	}
	if base.User != nil {
		return nil, errors.New("BaseURL must not contain credentials")
	}
	if base.Scheme == "http" && !config.AllowPlainHTTP && !isThisMachine(base.Hostname()) {
		return nil, errors.New("BaseURL must begin with https://, because the key is sent to it. " +
			"With AllowPlainHTTP, http:// is accepted too")
	}
	t := &transport{base, config.APIKey, defaultMaxRetries, config.Timeout, config.HTTPClient}
	if config.MaxRetries != nil {
		t.maxRetries = *config.MaxRetries
	}
	if t.timeout == 0 {
		t.timeout = defaultTimeout
	}
	if t.http == nil {
		t.http = &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return t, nil
}

func isThisMachine(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || (err == nil && address.IsLoopback())
}

// request is a request as the generated methods pass it.
type request struct {
	method string
	path   target
	query  url.Values
	body   any
	// accept is the media type of the response, if it is not JSON.
	accept string
}

// target is a path, or what is wrong with one of its ids.
type target struct {
	path string
	err  error
}

// path joins parts of a path and the ids between them, in turn. An id must not change the path: an empty one names the
// list, `..` leads out of it.
func path(parts ...string) target {
	joined := ""
	for index, part := range parts {
		if index%2 == 0 {
			joined += part
			continue
		}
		if part == "" || part == "." || part == ".." {
			return target{err: fmt.Errorf("this is not an id: %q", part)}
		}
		joined += url.PathEscape(part)
	}
	return target{path: joined}
}

// after returns the request for the page after this item.
func (r request) after(item string) request {
	if item != "" {
		r.query.Set("starting_after", item)
	}
	return r
}

func addRequired(values url.Values, name string, value any) { values.Set(name, fmt.Sprint(value)) }

func addOptional[T any](values url.Values, name string, value Optional[T]) {
	if value.value != nil {
		values.Set(name, fmt.Sprint(*value.value))
	}
}

// send returns the response's body.
func send[T any](ctx context.Context, t *transport, r request, options []Option) (*T, error) {
	content, err := t.send(ctx, r, options)
	if err != nil {
		return nil, err
	}
	result := new(T)
	if err := json.Unmarshal(content, result); err != nil {
		return nil, fmt.Errorf("the response to %s %s is not of its type: %w", r.method, r.path.path, err)
	}
	return result, nil
}

func (t *transport) sendText(ctx context.Context, r request, options []Option) (string, error) {
	content, err := t.send(ctx, r, options)
	return string(content), err
}

func (t *transport) send(ctx context.Context, r request, given []Option) ([]byte, error) {
	if r.path.err != nil {
		return nil, r.path.err
	}
	options := requestOptions{maxRetries: &t.maxRetries, timeout: t.timeout}
	for _, option := range given {
		option(&options)
	}
	var body []byte
	if r.body != nil {
		written, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = written
	}
	// All tries send the same headers: the same Idempotency-Key prevents a second effect.
	header := t.header(r, options)
	for retries := 0; ; retries++ {
		content, err := t.sendOnce(ctx, r, body, header, options.timeout+options.wait)
		if err == nil {
			return content, nil
		}
		delay, isRepeated := delayBeforeRetry(err, retries)
		if !isRepeated || retries >= *options.maxRetries {
			return nil, err
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (t *transport) header(r request, options requestOptions) http.Header {
	header := http.Header{}
	header.Set("Accept", r.mediaType())
	header.Set("Authorization", "Bearer "+t.apiKey)
	header.Set("User-Agent", "payments-client-go/"+APIVersion)
	if r.body != nil {
		header.Set("Content-Type", mediaTypeJSON)
	}
	if r.method == http.MethodPost {
		if options.idempotencyKey == "" {
			options.idempotencyKey = randomKey()
		}
		header.Set("Idempotency-Key", options.idempotencyKey)
	}
	if options.idempotencyTTL > 0 {
		header.Set("Idempotency-TTL", strconv.Itoa(int(options.idempotencyTTL.Seconds())))
	}
	if options.wait > 0 {
		header.Set("Prefer", "wait="+strconv.Itoa(int(options.wait.Seconds())))
	}
	return header
}

// sendOnce sends one try. `timeout` is for all of it.
func (t *transport) sendOnce(ctx context.Context, r request, body []byte, header http.Header, timeout time.Duration) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address := t.base.Scheme + "://" + t.base.Host + strings.TrimSuffix(t.base.EscapedPath(), "/") + r.path.path
	query := r.query.Encode()
	full := address
	if query != "" {
		full += "?" + query
	}
	asked, err := http.NewRequestWithContext(limited, r.method, full, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the request cannot be made: " + redact(err.Error(), query))
	}
	asked.Header = header.Clone()
	asked.GetBody = nil // net/http would repeat a POST on its own
	response, err := t.http.Do(asked)
	var content []byte
	if err == nil {
		content, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		reason := fmt.Sprintf("%g s have passed", timeout.Seconds())
		if !errors.Is(err, context.DeadlineExceeded) {
			reason = reasonOf(err)
		}
		return nil, &ConnectionError{r.method + " " + address + " got no response: " + redact(reason, query)}
	}
	isExpected := strings.HasPrefix(response.Header.Get("Content-Type"), r.mediaType())
	if response.StatusCode/100 == 2 && isExpected && (r.accept != "" || json.Valid(content)) {
		return content, nil
	}
	return nil, refusalOf(r, response, content, query)
}

func refusalOf(r request, response *http.Response, content []byte, query string) *APIError {
	refusal := &APIError{
		Status:     response.StatusCode,
		Type:       string(ErrorBodyTypeAPIError),
		RequestID:  response.Header.Get("Request-Id"),
		Method:     r.method,
		Path:       r.path.path,
		RetryAfter: readRetryAfter(response.Header.Get("Retry-After")),
	}
	var envelope struct {
		Error *ErrorBody `json:"error"`
	}
	if json.Unmarshal(content, &envelope) != nil || envelope.Error == nil {
		return refusal
	}
	body := envelope.Error
	refusal.Message = redact(body.Message, query)
	if body.Type != "" {
		refusal.Type = string(body.Type)
	}
	if body.Code != nil {
		refusal.Code = string(*body.Code)
	}
	refusal.Details = body.Details
	for index := range refusal.Details {
		refusal.Details[index].Message = redact(refusal.Details[index].Message, query)
	}
	if body.RequestID != "" {
		refusal.RequestID = body.RequestID
	}
	refusal.MaxFrozenTime = body.MaxFrozenTime
	if body.MandateID != nil {
		refusal.MandateID = *body.MandateID
	}
	return refusal
}

func (r request) mediaType() string {
	if r.accept == "" {
		return mediaTypeJSON
	}
	return r.accept
}

// reasonOf leaves out the address, which an error of net/http quotes.
func reasonOf(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err.Error()
}

// randomKey returns a random UUID.
func randomKey() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
