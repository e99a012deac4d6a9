package blueprint

import (
	"bytes"
	"encoding/json"
	"strconv"
)

const makeOnErrors = "A refused record is not sent again: it is kept, with the reason, among the scenario's " +
	"incomplete executions. A record that was sent too fast, or while Quayside was unavailable, is sent again " +
	"every five minutes, up to five times."

// A Make scenario blueprint. It has no account bindings, such as the webhook: people attach
// their own after the import.
type (
	scenario struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Flow        []module `json:"flow"`
		Metadata    struct {
			Version  int            `json:"version"`
			Instant  bool           `json:"instant"` // starts by a webhook, not by a schedule
			Scenario map[string]any `json:"scenario"`
			Designer map[string]any `json:"designer"`
		} `json:"metadata"`
	}
	module struct {
		ID         int            `json:"id"`
		Module     string         `json:"module"`
		Version    int            `json:"version"`
		Parameters map[string]any `json:"parameters"`
		Mapper     any            `json:"mapper"`
		Filter     *filter        `json:"filter,omitempty"`
		Routes     []route        `json:"routes,omitempty"`
		OnError    []module       `json:"onerror,omitempty"`
		Metadata   placed         `json:"metadata"`
	}
	route struct {
		Flow []module `json:"flow"`
	}
	filter struct {
		Name       string        `json:"name"`
		Conditions [][]condition `json:"conditions"`
	}
	condition struct {
		A string `json:"a"`
		O string `json:"o"`
		B string `json:"b"`
	}
	placed struct {
		Designer designer `json:"designer"`
	}
	designer struct {
		X    int    `json:"x"`
		Y    int    `json:"y"`
		Name string `json:"name"`
	}
)

// columns is the record in Make's mapping, in the order of the registry. TransformToJSON gets
// the whole record and escapes every value. A text inserted into a body without it would break
// the JSON at its first quotation mark.
type columns []field

// MarshalJSON keeps the order of the columns, which a map would lose.
func (c columns) MarshalJSON() ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	buffer.WriteByte('{')
	for i, f := range c {
		if i > 0 {
			buffer.WriteByte(',')
		}
		if err := encoder.Encode(f.column); err != nil {
			return nil, err
		}
		buffer.WriteByte(':')
		if err := encoder.Encode("{{" + f.value.inMake() + "}}"); err != nil {
			return nil, err
		}
	}
	buffer.WriteByte('}')
	return buffer.Bytes(), nil
}

// scenario returns the modules: webhook, iterator if a message holds several records, record,
// request.
func (f *flow) scenario() scenario {
	var s scenario
	add := func(m module, name string) int {
		m.ID = len(s.Flow) + 1
		m.Metadata.Designer = designer{X: len(s.Flow) * 300, Name: name}
		s.Flow = append(s.Flow, m)
		return m.ID
	}
	// Values rely on these numbers: a message is module 1, an element module 2.
	add(module{Module: "gateway:CustomWebHook", Version: 1, Parameters: map[string]any{}, Mapper: map[string]any{}},
		f.source.name)
	if f.source.list != "" {
		add(module{
			Module: "builtin:BasicFeeder", Version: 1, Parameters: map[string]any{},
			Mapper: map[string]any{"array": "{{" + of(f.source.list).inMake() + "}}"},
		}, "Each "+f.source.each)
	}
	record := add(module{
		Module: "json:TransformToJSON", Version: 1, Parameters: map[string]any{"space": ""},
		Mapper: map[string]any{"object": columns(f.fields)},
	}, "Record for "+f.table.Slug)
	request := f.makeRequest("{{" + strconv.Itoa(record) + ".json}}")
	sent := add(request, "Send to Quayside: put the key where "+Placeholder+" is")
	s.Flow[sent-1].OnError = makeHandler(sent, s.Flow[sent-1].Metadata.Designer.X)

	s.Name = f.title()
	s.Description = "Sends records to " + f.endpoint + ". In the module Send to Quayside, replace " + Placeholder + " by " + f.paste() + ". " + makeOnErrors
	s.Metadata.Version = 1
	s.Metadata.Instant = true
	s.Metadata.Designer = map[string]any{"orphans": []any{}}
	s.Metadata.Scenario = map[string]any{
		"roundtrips": 1, "maxErrors": 3, "autoCommit": true, "autoCommitTriggerLast": true, "sequential": false,
		"confidential": false, "dataloss": false, "freshVariables": false,
		"dlq": true, // keeps incomplete executions, which Break needs
	}
	return s
}

func (f *flow) makeRequest(body string) module {
	headers := []map[string]string{{"name": "Authorization", "value": "Bearer " + Placeholder}}
	if f.source.clock != "" { // an execution that is tried again later must not overwrite what came since
		headers = append(headers, map[string]string{"name": sequenceHeader, "value": "{{" + of(f.source.clock).inMake() + "}}"})
	}
	return module{
		Module: "http:MakeRequest", Version: 4, Parameters: map[string]any{"authenticationType": "noAuth"},
		Mapper: map[string]any{
			"url": f.endpoint, "method": "post", "queryParameters": []any{},
			"headers": headers, "contentType": "json", "inputMethod": "jsonString", "jsonStringBodyContent": body,
			"parseResponse": true, "stopOnHttpError": true, "allowRedirects": false, "shareCookies": false,
			"requestCompressedContent": true, "timeout": 30,
		},
	}
}

// later matches the kind and message of a temporary error: 429, 5xx, no connection, or a
// timeout. It looks for the status only at the start of the message, because the rest quotes
// the record.
const later = `^(RateLimitError|ConnectionError|ModuleTimeoutError)\b|^\w* ?\[?(429|5\d\d)\b`

// makeHandler handles the errors of the request by kind. Without a handler, the first 4xx would
// stop a scenario that a webhook starts. Break waits whole minutes, longer than any Retry-After
// of ours.
func makeHandler(request, x int) []module {
	id := strconv.Itoa(request)
	happened := "{{" + id + ".error.type}} {{" + id + ".error.message}}"
	end := func(number, y int, name, operator string, mapper map[string]any) route {
		return route{[]module{{
			ID: number, Module: "builtin:Break", Version: 1, Parameters: map[string]any{}, Mapper: mapper,
			Filter:   &filter{name, [][]condition{{{happened, operator, later}}}},
			Metadata: placed{designer{X: x + 600, Y: y, Name: name}},
		}}}
	}
	return []module{{
		ID: request + 1, Module: "builtin:BasicRouter", Version: 1, Parameters: map[string]any{},
		Metadata: placed{designer{X: x + 300, Y: 300, Name: "Why not?"}},
		Routes: []route{
			end(request+2, 300, "Not now: again in 5 minutes", "text:pattern",
				map[string]any{"retry": true, "count": "5", "interval": "5"}),
			end(request+3, 600, "Refused: change the record or the key", "text:notpattern", map[string]any{"retry": false}),
		},
	}}
}

func (f *flow) makeSteps() []string {
	return []string{
		"In Make, create a scenario, open the menu beside the controls at the bottom, choose Import blueprint and choose the file.",
		"Open the first module, add a webhook and copy its address.",
		sentence("then " + f.source.tell),
		"Open the module Send to Quayside and, in the header Authorization, replace " + Placeholder + " by " + f.paste() + ".",
		"Choose Run once and let one message come in; then save the scenario and switch it on.",
	}
}
