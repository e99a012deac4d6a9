package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/playbook"
)

type (
	// PlaybookMeta says which version something is.
	PlaybookMeta struct {
		Version   int64          `json:"version"`
		Author    playbookByJSON `json:"author"`
		Note      string         `json:"note" doc:"Why, in the author's words."`
		CreatedAt time.Time      `json:"created_at"`
	}
	playbookByJSON struct {
		Type string `json:"type" enum:"user,agent,operator,system" doc:"system made the first version from older settings."`
		ID   string `json:"id,omitempty"`
	}
	playbookConfigJSON struct {
		Version        int64           `json:"version" doc:"The newest version, which may take effect later. 0 if nothing was ever set. The ETag is this number in quotes."`
		InForceVersion int64           `json:"in_force_version" doc:"The version whose values these are. 0: the defaults."`
		Keys           []configKeyJSON `json:"keys"`
	}
	configKeyJSON struct {
		Name     string     `json:"name" example:"cover_days"`
		Type     string     `json:"type" enum:"integer,number,boolean,amount" doc:"An amount is in the workspace's currency, and may be null."`
		Value    scalarJSON `json:"value"`
		Default  scalarJSON `json:"default"`
		Minimum  *float64   `json:"minimum,omitempty"`
		Maximum  *float64   `json:"maximum,omitempty"`
		Planning bool       `json:"planning" doc:"Whether strategies may override it."`
		Meaning  string     `json:"meaning"`
		Raising  string     `json:"raising" doc:"What a higher value does; for a boolean, what true does."`
		Origin   string     `json:"origin" enum:"default,config" doc:"Where the value comes from."`
	}
	configVersionJSON struct {
		PlaybookMeta
		Values        configValuesJSON `json:"values" doc:"All values."`
		EffectiveFrom string           `json:"effective_from,omitempty" format:"date" doc:"The day from which it is in force. Absent: from its creation on."`
	}
	// ConfigFields are the fields of a change of the config.
	ConfigFields struct {
		Values        configValuesJSON `json:"values" doc:"Absent keys keep their value. null sets the default." example:"{\"cover_days\":45}"`
		EffectiveFrom string           `json:"effective_from,omitempty" maxLength:"10" doc:"A date from today on. Absent or empty means at once."`
		Note          string           `json:"note,omitempty" maxLength:"500" example:"Longer cover before the holidays"`
	}
	// scalarJSON is a number, a boolean or null.
	scalarJSON struct{ json.RawMessage }
	// configValuesJSON holds values of config keys.
	configValuesJSON map[string]jsontext.Value
	// parametersJSON holds values of the config keys that a strategy may set.
	parametersJSON map[string]jsontext.Value
	// InVersions is an operation that lists versions.
	InVersions struct {
		Cursor string `query:"cursor" doc:"The next_cursor of the previous page. Empty for the first page."`
	}
)

// Schema implements huma's SchemaProvider.
func (scalarJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// Schema implements huma's SchemaProvider: a property for each key.
func (configValuesJSON) Schema(huma.Registry) *huma.Schema {
	return keysSchema(func(playbook.Key) bool { return true })
}

// Schema implements huma's SchemaProvider: a property for each key for planning.
func (parametersJSON) Schema(huma.Registry) *huma.Schema {
	return keysSchema(func(key playbook.Key) bool { return key.Planning })
}

// keysSchema describes values of keys. Types and bounds are in the descriptions only: the domain
// checks them, and says what is wrong in plain words.
func keysSchema(shown func(playbook.Key) bool) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: true}
	for _, key := range playbook.Keys() {
		if !shown(key) {
			continue
		}
		about := fmt.Sprintf("%s %s. %s", key.Type, key.Default, key.Meaning)
		if key.Type != playbook.Boolean {
			about = fmt.Sprintf("%s from %v to %v, %s by default. %s", key.Type, key.Min, key.Max, key.Default, key.Meaning)
		}
		schema.Properties[key.Name] = &huma.Schema{Description: about}
	}
	return schema
}

// before reads the cursor: the version before which the page begins.
func (v InVersions) before() (int64, error) {
	if v.Cursor == "" {
		return 0, nil
	}
	before, err := strconv.ParseInt(v.Cursor, 10, 64)
	if err != nil || before <= 0 {
		return 0, fault.New(fault.BadRequest, "cursor", "this cursor was not made here; begin with the first page")
	}
	return before, nil
}

// versionPage answers with one page of versions.
func versionPage[T any](items []T, more bool, version func(T) int64) *body[list[T]] {
	page := list[T]{Items: append([]T{}, items...)}
	if more {
		page.NextCursor = strconv.FormatInt(version(items[len(items)-1]), 10)
	}
	return &body[list[T]]{page}
}

const playbookTag = "Playbook"

// configOperations are about the purchasing config.
func (s *Server) configOperations(a *appAPI) {
	const path = "workspaces/{workspace}/playbook/config"
	register(a, operation{
		id: "getPlaybookConfig", method: http.MethodGet, path: path, tag: playbookTag, needs: auth.Read,
		summary: "Get the purchasing config",
		about:   "The values that are in force today, and what each of them means.",
	}, func(ctx context.Context, _ *InWorkspace) (*versioned[playbookConfigJSON], error) {
		settings, err := s.Playbook.Settings(ctx, by(ctx).Principal)
		return toConfig(settings), err
	})
	register(a, operation{
		id: "setPlaybookConfig", method: http.MethodPut, path: path, tag: playbookTag, needs: auth.ManagePurchasing,
		summary: "Change the purchasing config",
		about:   "Adds a version. It replaces a version that has not taken effect yet.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Conditional
		Body struct{ ConfigFields }
	}) (*versioned[playbookConfigJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		settings, err := s.Playbook.SetConfig(ctx, by(ctx).Principal, in.Body.change(version))
		return toConfig(settings), err
	})
	register(a, operation{
		id: "listPlaybookConfigVersions", method: http.MethodGet, path: path + "/versions", tag: playbookTag, needs: auth.Read,
		summary: "List versions of the purchasing config", about: "The newest first.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		InVersions
	}) (*body[list[configVersionJSON]], error) {
		before, err := in.before()
		if err != nil {
			return nil, err
		}
		versions, more, err := s.Playbook.ConfigVersions(ctx, by(ctx).Principal, before)
		var items []configVersionJSON
		for _, one := range versions {
			items = append(items,
				configVersionJSON{toMeta(one.Meta), configValuesJSON(one.Config.Values()), one.EffectiveFrom})
		}
		return versionPage(items, more, func(one configVersionJSON) int64 { return one.Version }), err
	})
}

func (f ConfigFields) change(version int64) playbook.ConfigChange {
	return playbook.ConfigChange{Values: playbook.Values(f.Values), EffectiveFrom: f.EffectiveFrom, Note: f.Note,
		Version: version}
}

func toConfig(settings playbook.Settings) *versioned[playbookConfigJSON] {
	shown := playbookConfigJSON{Version: settings.Version, InForceVersion: settings.InForce}
	values := settings.Config.Values()
	for _, key := range playbook.Keys() {
		one := configKeyJSON{
			Name: key.Name, Type: string(key.Type), Value: scalarJSON{json.RawMessage(values[key.Name])},
			Default: scalarJSON{json.RawMessage(key.Default)}, Planning: key.Planning, Meaning: key.Meaning,
			Raising: key.Raising, Origin: string(playbook.FromDefault),
		}
		if key.Type != playbook.Boolean {
			one.Minimum, one.Maximum = &key.Min, &key.Max
		}
		if string(values[key.Name]) != string(key.Default) {
			one.Origin = string(playbook.FromConfig)
		}
		shown.Keys = append(shown.Keys, one)
	}
	return &versioned[playbookConfigJSON]{etag(settings.Version), shown}
}

func toMeta(m playbook.Meta) PlaybookMeta {
	return PlaybookMeta{m.Version, playbookByJSON{string(m.Author.Type), m.Author.ID}, m.Note, m.CreatedAt.UTC()}
}
