// Command web-ui serves Temporal's Web UI to the people at this machine, and to nobody else.
//
// It is the stock server of github.com/temporalio/ui-server behind one more check. The stock server believes any Host
// header, so a web page whose name is made to point at 127.0.0.1 (DNS rebinding) could read every workflow and press every
// button. It offers no place for such a check, so its parts are put together here, in the order of its server.NewServer:
// compare the two when its version changes. Left out: its log of requests, a public path, TLS and assets of one's own.
package main

import (
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/plugins/fs_config_provider"
	"github.com/temporalio/ui-server/v2/server/api"
	"github.com/temporalio/ui-server/v2/server/auth"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/cors"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/headers"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
)

const readHeaderTimeout = 15 * time.Second

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: web-ui FOLDER (its service.yaml is the configuration)")
		os.Exit(2)
	}
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(folder string) error {
	provider, err := config.NewConfigProviderWithRefresh(fs_config_provider.NewFSConfigProvider(folder, "service"))
	if err != nil {
		return err
	}
	cfg, err := provider.GetConfig()
	if err != nil {
		return err
	}
	webUI, err := newWebUI(provider)
	if err != nil {
		return err
	}
	guarded, err := forThisMachine(webUI, cfg.CORS.AllowOrigins)
	if err != nil {
		return err
	}
	server := &http.Server{
		Addr:              net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port)),
		Handler:           guarded,
		ReadHeaderTimeout: readHeaderTimeout,
	}
	return server.ListenAndServe()
}

// newWebUI puts the stock server together.
func newWebUI(provider *config.ConfigProviderWithRefresh) (http.Handler, error) {
	allowedHeaders := []string{
		echo.HeaderOrigin, echo.HeaderContentType, echo.HeaderAccept, echo.HeaderXCSRFToken,
		echo.HeaderAuthorization, auth.AuthorizationExtrasHeader, "Caller-Type",
	}
	e := echo.New()
	e.Use(middleware.Recover(), middleware.Gzip())
	e.Use(cors.CORSMiddleware(cors.CORSConfig{
		AllowHeaders: allowedHeaders, AllowCredentials: true, ConfigProvider: provider,
	}))
	e.Use(middleware.Secure())
	// Browsers take cookies marked secure from loopback without TLS.
	e.Use(csrf.EnsureTokenCookie(true), middleware.CSRFWithConfig(csrf.MiddlewareConfig(provider, true)))

	route.SetHealthRoute(e)
	forwarded := headers.WithForwardHeaders([]string{auth.AuthorizationExtrasHeader, "Caller-Type"})
	if err := route.SetAPIRoutes(e, provider, []api.Middleware{forwarded}); err != nil {
		return nil, err
	}
	route.SetAuthRoutes(e, provider)
	assets, err := ui.Assets()
	if err != nil {
		return nil, err
	}
	local, err := fs.Sub(assets, "local")
	if err != nil {
		return nil, err
	}
	if err := route.SetUIRoutes(e, "", local); err != nil {
		return nil, err
	}
	route.SetRenderRoute(e, "")
	return e, nil
}

// forThisMachine refuses requests that ask for another host than this machine or that of one of the origins, and requests
// that change something and come from a page of another origin.
func forThisMachine(next http.Handler, origins []string) (http.Handler, error) {
	hosts := map[string]bool{}
	foreign := http.NewCrossOriginProtection() // looks at Sec-Fetch-Site and Origin
	for _, origin := range origins {
		if err := foreign.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
		parsed, err := url.Parse(origin)
		if err != nil {
			return nil, err
		}
		hosts[strings.ToLower(parsed.Host)] = true
	}
	guarded := foreign.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.Host) && !hosts[strings.ToLower(r.Host)] {
			text := "This Web UI serves this machine alone. Open it as http://localhost, or set TEMPORAL_UI_URL to its address."
			http.Error(w, text, http.StatusMisdirectedRequest)
			return
		}
		guarded.ServeHTTP(w, r)
	}), nil
}

// isLoopback tells whether a Host header names this machine, on any port. No name server can give these names away.
func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	address, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || (err == nil && address.IsLoopback())
}
