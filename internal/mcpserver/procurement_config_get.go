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
		Version int64                `json:"version"` // in force
		Newest  int64                `json:"newest_version"`
		Keys    map[string]configKey `json:"keys"`
	}
	configKey struct {
		Value    any    `json:"value"`
		Planning bool   `json:"planning,omitzero"`
		Meaning  string `json:"meaning"`
	}
)

func procurementConfigGet(s *Server) tool {
	return define(about{
		name: "procurement_config_get", title: "Purchasing config", needs: auth.Read,
		description: "Shows the figures and rules of purchasing. procurement_config_set changes those marked planning; only people change the others.",
	}, func(ctx context.Context, by auth.Principal, _ struct{}) (out object, err error) {
		settings, err := s.Playbook.Settings(ctx, by)
		if err != nil {
			return out, err
		}
		values := settings.Config.Values()
		shown := procurementConfig{settings.InForce, settings.Version, map[string]configKey{}}
		for _, key := range playbook.Keys() {
			shown.Keys[key.Name] = configKey{values[key.Name], key.Planning, key.Meaning}
		}
		out.Value, err = json.Marshal(shown, json.Deterministic(true))
		return out, err
	})
}
