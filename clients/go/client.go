// Package payments is a typed client of the payments service.
package payments

import (
	"net/http"
	"time"
)

// Config says where the service is, and who calls it.
type Config struct {
	// BaseURL is where the service is, such as `https://payments.example.com`. Plain http is only for this machine.
	BaseURL string
	// AllowPlainHTTP accepts plain http on other machines too: anyone on the network path can read the key.
	AllowPlainHTTP bool
	// APIKey is a secret key or a publishable key. The types are those of a secret key; a publishable
	// key gets a payment intent as a PaymentIntentForPayer.
	APIKey string
	// MaxRetries is the maximum number of retries of a request that got no response or a temporary
	// error: 2 if it is nil.
	MaxRetries *int
	// Timeout is how long one try waits for its response: 30 seconds if it is zero.
	Timeout time.Duration
	// HTTPClient sends the requests, for proxies, tracing and tests. It must not follow redirects.
	HTTPClient *http.Client
}

// Client is a client of the payments service, with a member per resource and a method per operation. Goroutines may
// share it.
type Client struct {
	Resources
}

// NewClient returns an error if the key or the address is missing or malformed.
func NewClient(config Config) (*Client, error) {
	t, err := newTransport(config)
	if err != nil {
		return nil, err
	}
	return &Client{newResources(t)}, nil
}
