package katana

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/quayside/quayside/internal/fault"
)

// SignatureHeader carries the signature of a webhook.
const SignatureHeader = "X-Sha2-Signature"

// Hint reads a webhook and returns the id of the order that may have changed. It is empty if the webhook
// is about something else or only names a row; then the next poll finds the change. A webhook says
// nothing that is believed: the order is read again.
func Hint(body []byte, signature, secret string) (order string, err error) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	given, err := hex.DecodeString(signature)
	if err != nil || !hmac.Equal(given, mac.Sum(nil)) {
		return "", fault.New(fault.Unauthenticated, "signature", "the signature does not fit")
	}
	var told struct {
		Resource string `json:"resource_type"`
		Object   struct {
			ID json.RawMessage `json:"id"` // a text in the examples, and an object's id is a number
		} `json:"object"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return "", fault.New(fault.BadRequest, "webhook", "not a webhook of Katana")
	}
	id := strings.Trim(string(told.Object.ID), `"`)
	if told.Resource != "purchase_order" {
		return "", nil
	}
	if _, err := toID("order", id); err != nil {
		return "", fault.New(fault.BadRequest, "webhook", "not a webhook of Katana")
	}
	return id, nil
}
