package app

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/vault"
)

// probers test the connections to the systems that can be connected.
var probers = map[connection.System]connection.Prober{connection.Katana: katanaProbe{}}

// katanaProbe asks for a location, which every token may read.
type katanaProbe struct{}

// Probe implements connection.Prober.
func (katanaProbe) Probe(ctx context.Context, client *outbound.Client, address string, token vault.Secret) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/locations?limit=1", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token.Reveal())
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.New(fault.Invalid, "token_refused", "the other system refuses the token (%d)", resp.StatusCode)
	case http.StatusTooManyRequests:
		return fault.New(fault.RateLimited, "busy", "the other system has had too many calls; try again in a minute")
	}
	return fault.New(fault.Invalid, "unexpected_answer",
		"the address does not answer as this system does (%d); is it complete, with the version at its end?", resp.StatusCode)
}
