// Calls the Go client as the tests ask: a JSON request per line in, a JSON response per line out. Names of the requests
// are those of Python, and their times are seconds.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	payments "payments-service.example/client"
)

type call struct {
	Resource  string
	Method    string
	Arguments []json.RawMessage
	Query     json.RawMessage
	Options   struct {
		IdempotencyKey string   `json:"idempotency_key"`
		TTL            float64  `json:"idempotency_ttl_seconds"`
		Wait           float64  `json:"wait_seconds"`
		WaitTimeout    *float64 `json:"wait_timeout"`
		MaxRetries     *int     `json:"max_retries"`
		Timeout        float64
	}
	Client struct {
		BaseURL    string `json:"base_url"`
		APIKey     string `json:"api_key"`
		Timeout    float64
		MaxRetries *int `json:"max_retries"`
		AllowPlain bool `json:"allow_plain_http"`
	}
	Iterate bool
	Limit   *int
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked call
		answer := map[string]any{}
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		if result, err := made(asked); err != nil {
			answer["error"] = described(err)
		} else {
			answer["result"] = result
		}
		written, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(written))
	}
}

func made(asked call) (any, error) {
	if asked.Resource == "webhooks" {
		return webhook(asked)
	}
	seconds := func(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }
	client, err := payments.NewClient(payments.Config{
		BaseURL: asked.Client.BaseURL, APIKey: asked.Client.APIKey, HTTPClient: http.DefaultClient,
		Timeout: seconds(asked.Client.Timeout), MaxRetries: asked.Client.MaxRetries,
		AllowPlainHTTP: asked.Client.AllowPlain,
	})
	if err != nil {
		return nil, err
	}
	options := []payments.Option{}
	given := asked.Options
	if given.IdempotencyKey != "" {
		options = append(options, payments.WithIdempotencyKey(given.IdempotencyKey))
	}
	if given.TTL > 0 {
		options = append(options, payments.WithIdempotencyTTL(seconds(given.TTL)))
	}
	if given.Wait > 0 {
		options = append(options, payments.WithWait(seconds(given.Wait)))
	}
	if given.WaitTimeout != nil {
		options = append(options, payments.WithWaitTimeout(seconds(*given.WaitTimeout)))
	}
	if given.MaxRetries != nil {
		options = append(options, payments.WithMaxRetries(*given.MaxRetries))
	}
	if given.Timeout > 0 {
		options = append(options, payments.WithTimeout(seconds(given.Timeout)))
	}
	resource := reflect.ValueOf(client).Elem().FieldByName(pascal(asked.Resource))
	method := resource.MethodByName(pascal(asked.Method))
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	rest := asked.Arguments
	for index := 1; index < method.Type().NumIn()-1; index++ {
		parameter := reflect.New(method.Type().In(index))
		if strings.HasSuffix(parameter.Elem().Type().Name(), "Query") {
			fill(parameter.Elem(), asked.Query)
		} else {
			if err := json.Unmarshal(rest[0], parameter.Interface()); err != nil {
				return nil, err
			}
			rest = rest[1:]
		}
		arguments = append(arguments, parameter.Elem())
	}
	for _, option := range options {
		arguments = append(arguments, reflect.ValueOf(option))
	}
	results := method.Call(arguments)
	if len(results) == 1 { // a list
		if !asked.Iterate {
			return value(results[0].MethodByName("Page").Call(nil))
		}
		limit := -1
		if asked.Limit != nil {
			limit = *asked.Limit
		}
		return value(results[0].MethodByName("Collect").Call([]reflect.Value{reflect.ValueOf(limit)}))
	}
	return value(results)
}

// fill sets the members of a query from JSON.
func fill(query reflect.Value, given json.RawMessage) {
	members := map[string]json.RawMessage{}
	if given != nil && json.Unmarshal(given, &members) != nil {
		panic("the query is no object")
	}
	for name, text := range members {
		field := query.FieldByName(pascal(name))
		if err := json.Unmarshal(text, field.Addr().Interface()); err != nil {
			panic(err)
		}
	}
}

func value(results []reflect.Value) (any, error) {
	err, _ := results[1].Interface().(error)
	return results[0].Interface(), err
}

func webhook(asked call) (any, error) {
	var body, secret string
	json.Unmarshal(asked.Arguments[0], &body)
	if asked.Method == "sign" {
		json.Unmarshal(asked.Arguments[1], &secret)
		header, err := payments.SignWebhook([]byte(body), secret)
		return lower(header), err
	}
	members := map[string]string{}
	json.Unmarshal(asked.Arguments[1], &members)
	header := http.Header{}
	for name, text := range members {
		header.Set(name, text)
	}
	secrets := []string{}
	if json.Unmarshal(asked.Arguments[2], &secrets) != nil {
		json.Unmarshal(asked.Arguments[2], &secret)
		secrets = []string{secret}
	}
	return payments.VerifyWebhook([]byte(body), header, secrets...)
}

func lower(header http.Header) map[string]string {
	members := map[string]string{}
	for name := range header {
		members[strings.ToLower(name)] = header.Get(name)
	}
	return members
}

func described(err error) map[string]any {
	members := map[string]any{"name": fmt.Sprintf("%T", err), "message": err.Error()}
	var refusal *payments.APIError
	var lost *payments.ConnectionError
	var clock *payments.TestClockError
	var wrong *payments.WebhookVerificationError
	switch {
	case errors.As(err, &refusal):
		members["name"], members["status"], members["code"] = "ApiError", refusal.Status, refusal.Code
		members["details"], members["request_id"] = refusal.Details, refusal.RequestID
		members["method"], members["path"] = refusal.Method, refusal.Path
		if refusal.RetryAfter != nil {
			members["retry_after_seconds"] = refusal.RetryAfter.Seconds()
		}
		if refusal.MaxFrozenTime != nil {
			members["max_frozen_time"] = refusal.MaxFrozenTime.Format("2006-01-02T15:04:05.000Z07:00")
		}
	case errors.As(err, &lost):
		members["name"] = "ApiConnectionError"
	case errors.As(err, &clock):
		members["name"], members["clock"] = "TestClockError", clock.Clock
		members["failure_reason"] = clock.Clock.FailureReason
	case errors.As(err, &wrong):
		members["name"] = "WebhookVerificationError"
	}
	return members
}

func pascal(name string) string {
	text := ""
	for _, word := range strings.Split(name, "_") {
		switch word {
		case "id", "url", "ip", "html", "api":
			text += strings.ToUpper(word)
		default:
			text += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return text
}
