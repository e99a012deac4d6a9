package app

import (
	"context"

	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/inventory/katana"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/vault"
)

// probers test the connections to the systems that can be connected.
var probers = map[connection.System]connection.Prober{connection.Katana: katanaProbe{}}

// systems are the inventory systems that orders are exchanged with.
var systems = map[connection.System]exchange.Dial{
	connection.Katana: func(address string, token vault.Secret, client *outbound.Client) inventory.System {
		return katana.New(address, token.Reveal(), client)
	},
}

// katanaProbe asks for the locations, which every token may read.
type katanaProbe struct{}

// Probe implements connection.Prober.
func (katanaProbe) Probe(ctx context.Context, client *outbound.Client, address string, token vault.Secret) error {
	_, err := katana.New(address, token.Reveal(), client).Locations(ctx)
	return err
}
