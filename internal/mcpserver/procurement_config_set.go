package mcpserver

import (
	"context"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type (
	procurementConfigSetIn struct {
		Values  object `json:"values" jsonschema:"By key, such as {\"cover_days\": 45}. null sets the default. Only keys marked planning."`
		Version int64  `json:"version" jsonschema:"The newest_version of procurement_config_get."`
		Note    string `json:"note,omitzero" jsonschema:"Why."`
		Run     string `json:"run_id,omitzero" jsonschema:"The run of this call."`
	}
	procurementConfigSetOut struct {
		Run     string          `json:"run_id"`
		Version int64           `json:"version"`
		Values  playbook.Values `json:"values"` // all, as they are in force now
	}
)

func procurementConfigSet(s *Server) tool {
	return define(about{
		name: "procurement_config_set", title: "Change planning figures", needs: auth.PlanPurchasing, changes: true,
		replaces:    true,
		description: "Changes planning figures of the purchasing config, for all articles and at once. Do it only if the person asked for it.",
	}, func(ctx context.Context, by auth.Principal, in procurementConfigSetIn) (out procurementConfigSetOut, err error) {
		values, err := in.Values.values("values")
		if err != nil {
			return out, err
		}
		after, err := s.Playbook.SetConfig(ctx, by,
			playbook.ConfigChange{Values: values, Note: in.Note, Version: in.Version})
		return procurementConfigSetOut{by.Run, after.Version, after.Config.Values()}, err
	})
}

// values reads an object as values of config keys.
func (o object) values(argument string) (values playbook.Values, err error) {
	if o.Value == nil {
		return nil, nil
	}
	if json.Unmarshal(o.Value, &values) != nil {
		return nil, wrong(argument, "cannot be read")
	}
	return values, nil
}
