package app

import (
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/inventory/katana"
	"github.com/quayside/quayside/internal/vault"
)

// hints read the webhooks of the inventory systems.
var hints = map[connection.System]exchange.ReadHint{
	connection.Katana: func(message exchange.Message, secret vault.Secret) (order string, err error) {
		return katana.Hint(message.Body, message.Header(katana.SignatureHeader), secret.Reveal())
	},
}
