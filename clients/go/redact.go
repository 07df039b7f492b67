package payments

import (
	"net/url"
	"regexp"
	"strings"
)

const cut = "[redacted]"

var (
	anyQuery  = regexp.MustCompile("\\?[^\\s\"'<>`]*=[^\\s\"'<>`]*")
	anySecret = regexp.MustCompile(`(\b[sp]k_(?:sandbox|live)_|_secret_)[0-9A-Za-z]{8,}`)
)

// redact removes from an error's text the query of the request, as sent and decoded, any other query, keys and client
// secrets. The query may have a `client_secret`, a name or an address, and a proxy may quote it.
func redact(text, query string) string {
	decoded, _ := url.QueryUnescape(query)
	for _, quoted := range []string{query, decoded} {
		if quoted != "" {
			text = strings.ReplaceAll(text, quoted, cut)
		}
	}
	return anySecret.ReplaceAllString(anyQuery.ReplaceAllString(text, cut), "${1}"+cut)
}
