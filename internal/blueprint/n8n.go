package blueprint

import (
	"encoding/json"

	"github.com/google/uuid"
)

const n8nOnErrors = "A refused record is not sent again: the execution fails and shows the reason. A record that was " +
	"sent too fast, or while Quayside was unavailable, is sent again after Retry-After, with growing pauses, up to " +
	"five times."

// n8nElement is the field in which the split node puts an element of a list. It needs a fixed
// name, because n8n would name the field after the list, with a dot if the list is inside the
// body.
const n8nElement = "element"

// An n8n workflow. Connections are keyed by node names. Credentials are only names: n8n keeps
// secrets outside of workflows.
type (
	workflow struct {
		ID          string                 `json:"id"`
		Name        string                 `json:"name"`
		Active      bool                   `json:"active"`
		Nodes       []node                 `json:"nodes"`
		Connections map[string]connections `json:"connections"`
		Settings    map[string]any         `json:"settings"`
		PinData     map[string]any         `json:"pinData"`
	}
	node struct {
		ID               string         `json:"id"`
		Name             string         `json:"name"`
		Type             string         `json:"type"`
		TypeVersion      json.Number    `json:"typeVersion"`
		Position         [2]int         `json:"position"`
		Parameters       map[string]any `json:"parameters"`
		RetryOnFail      bool           `json:"retryOnFail,omitempty"`
		MaxTries         int            `json:"maxTries,omitempty"`
		WaitBetweenTries int            `json:"waitBetweenTries,omitempty"` // milliseconds
		Credentials      map[string]any `json:"credentials,omitempty"`
		WebhookID        string         `json:"webhookId,omitempty"`
	}
	connections struct {
		Main [][]target `json:"main"` // by output
	}
	target struct {
		Node  string `json:"node"`
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
)

// The names of nodes, which connections and expressions use.
const (
	nodeWebhook = "Webhook"
	nodeByHand  = "Try it by hand"
	nodeSample  = "Sample"
	nodeSplit   = "Split"
	nodeRecord  = "Record"
	nodeSend    = "Send to Quayside"
	nodeStored  = "Stored?"
	nodeDone    = "Stored"
	nodeLater   = "Worth another try?"
	nodeWait    = "Wait"
	nodeRefused = "Not stored"
	nodeNote    = "Read me"
)

// workflow returns the nodes: webhook, split if a message holds several records, record,
// request, and the handling of its answer. A manual trigger with a sample is a second entry.
func (f *flow) workflow() (*workflow, error) {
	sample, err := f.sample()
	if err != nil {
		return nil, err
	}
	w := &workflow{
		ID: f.stableID("workflow").String(), Name: f.title(), Connections: map[string]connections{},
		Settings: map[string]any{"executionOrder": "v1"}, PinData: map[string]any{},
	}
	f.intake(w, sample)
	f.delivery(w)
	for i := range w.Nodes {
		w.Nodes[i].ID = f.stableID(w.Nodes[i].Name).String()
	}
	return w, nil
}

// stableID returns an id that depends on the table and the service only, so that importing a
// newer template replaces the older one.
func (f *flow) stableID(name string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(f.endpoint+"#"+name))
}

// connect connects the outputs of a node to other nodes, in the order of the outputs.
func (w *workflow) connect(from string, to ...string) {
	var main [][]target
	for _, name := range to {
		main = append(main, []target{{Node: name, Type: "main"}})
	}
	w.Connections[from] = connections{main}
}

// intake adds the nodes before the request.
func (f *flow) intake(w *workflow, sample string) {
	var assignments []map[string]string
	for _, one := range f.fields {
		// All values are sent as text: the endpoint coerces them without loss. A value that n8n
		// could not convert would fail here, and no failed import would be kept.
		assignments = append(assignments, map[string]string{
			"id": f.stableID("column " + one.column).String(), "name": one.column, "type": "string",
			"value": "={{ " + one.value.inN8N() + " }}",
		})
	}
	w.Nodes = append(w.Nodes,
		node{
			Name: nodeWebhook, Type: "n8n-nodes-base.webhook", TypeVersion: "2", Position: [2]int{0, 0},
			WebhookID: f.stableID("webhook").String(),
			Parameters: map[string]any{"httpMethod": "POST", "path": "quayside-" + f.table.Slug, "responseMode": "onReceived",
				"options": map[string]any{}},
		},
		node{Name: nodeByHand, Type: "n8n-nodes-base.manualTrigger", TypeVersion: "1", Position: [2]int{0, 220},
			Parameters: map[string]any{}},
		node{
			Name: nodeSample, Type: "n8n-nodes-base.set", TypeVersion: "3.4", Position: [2]int{220, 220},
			Parameters: map[string]any{"mode": "raw", "jsonOutput": sample, "options": map[string]any{}},
		},
		node{
			Name: nodeRecord, Type: "n8n-nodes-base.set", TypeVersion: "3.4", Position: [2]int{660, 0},
			Parameters: map[string]any{
				"mode": "manual", "assignments": map[string]any{"assignments": assignments}, "includeOtherFields": false,
				"options": map[string]any{},
			},
		},
	)
	next := nodeRecord
	if f.source.list != "" {
		w.Nodes = append(w.Nodes, node{
			Name: nodeSplit, Type: "n8n-nodes-base.splitOut", TypeVersion: "1", Position: [2]int{440, 0},
			Parameters: map[string]any{
				"fieldToSplitOut": "body." + f.source.list, "include": "allOtherFields",
				"options": map[string]any{"destinationFieldName": n8nElement},
			},
		})
		next = nodeSplit
		w.connect(nodeSplit, nodeRecord)
	}
	w.connect(nodeWebhook, next)
	w.connect(nodeByHand, nodeSample)
	w.connect(nodeSample, next)
	w.connect(nodeRecord, nodeSend)
}

// sample returns a message as the webhook node outputs it.
func (f *flow) sample() (string, error) {
	body := json.RawMessage(f.source.sample)
	if f.source.sample == "" {
		example, err := json.Marshal(f.table.Describe(f.endpoint, nil).Example)
		if err != nil {
			return "", err
		}
		body = example
	}
	text, err := json.MarshalIndent(map[string]any{"body": body}, "", "  ")
	return string(text), err
}

func (f *flow) n8nSteps() []string {
	return []string{
		"In n8n, create a workflow, open the menu at the top right, choose Import from file and choose the file.",
		"Open the node Send to Quayside and create a Header Auth credential: its name is Authorization, its value Bearer " + Placeholder + ", with " + f.paste() + " in place of " + Placeholder + ".",
		"Choose Execute workflow: a sample is sent as a dry run, of which nothing is kept.",
		"Publish the workflow (older versions: activate it) and copy the production address of the node Webhook.",
		sentence("then " + f.source.tell),
	}
}
