package payments

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const webhookTolerance = 5 * time.Minute

// VerifyWebhook returns the event of a webhook, if its signature is right (Standard Webhooks) and its timestamp at most
// five minutes off.
//
// `body` must be as received: JSON that was parsed and written again does not match the signature. While an endpoint's
// secret is being replaced, pass both; one valid signature is enough. The same event can arrive twice: recognise it by
// its ID. The error is a *WebhookVerificationError if the webhook is wrong: respond with 400. Any other error means that
// a secret is malformed.
func VerifyWebhook(body []byte, header http.Header, secrets ...string) (*Event, error) {
	if len(secrets) == 0 {
		return nil, errors.New("the secret is missing")
	}
	keys := make([][]byte, len(secrets))
	for index, secret := range secrets {
		key, err := keyOf(secret)
		if err != nil {
			return nil, err
		}
		keys[index] = key
	}
	id, timestamp, signatures := header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return nil, &WebhookVerificationError{"the headers of a webhook are missing"}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return nil, &WebhookVerificationError{"the timestamp is not a number"}
	}
	age := time.Since(time.Unix(seconds, 0))
	if age > webhookTolerance {
		return nil, &WebhookVerificationError{"the timestamp is too old"}
	}
	if age < -webhookTolerance {
		return nil, &WebhookVerificationError{"the timestamp is too new"}
	}
	if !isSigned(keys, strings.Split(signatures, " "), id, timestamp, body) {
		return nil, &WebhookVerificationError{"no signature is right"}
	}
	event := new(Event)
	return event, json.Unmarshal(body, event)
}

// SignWebhook signs a body as the service does, for tests of your receiver. It returns the headers.
func SignWebhook(body []byte, secret string) (http.Header, error) {
	key, err := keyOf(secret)
	if err != nil {
		return nil, err
	}
	id := "evt_" + strings.ReplaceAll(randomKey(), "-", "")
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", signatureOf(key, id, timestamp, body))
	return header, nil
}

// isSigned compares every pair, so that the time does not tell which one is right.
func isSigned(keys [][]byte, signatures []string, id, timestamp string, body []byte) bool {
	found := false
	for _, key := range keys {
		expected := []byte(signatureOf(key, id, timestamp, body))
		for _, signature := range signatures {
			if hmac.Equal(expected, []byte(signature)) {
				found = true
			}
		}
	}
	return found
}

func signatureOf(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func keyOf(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, errors.New("the secret is malformed")
	}
	return key, nil
}
