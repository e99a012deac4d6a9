package mcpserver

import (
	"context"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type (
	// The answer is published as any object: all tools together have few words, and the meanings are
	// in the answer.
	procurementConfig struct {
		Version int64                `json:"version"`
		Keys    map[string]configKey `json:"keys"`
	}
	configKey struct {
		Value   any    `json:"value"`
		Meaning string `json:"meaning"`
	}
)

func procurementConfigGet(s *Server) tool {
	return define(about{
		name: "procurement_config_get", title: "Purchasing config", needs: auth.Read,
		description: "Shows the figures and rules of purchasing. Only people change them.",
	}, func(ctx context.Context, by auth.Principal, _ struct{}) (out object, err error) {
		settings, err := s.Playbook.Settings(ctx, by)
		if err != nil {
			return out, err
		}
		shown, values := procurementConfig{settings.InForce, map[string]configKey{}}, settings.Config.Values()
		for _, key := range playbook.Keys() {
			shown.Keys[key.Name] = configKey{values[key.Name], key.Meaning}
		}
		out.Value, err = json.Marshal(shown, json.Deterministic(true))
		return out, err
	})
}
