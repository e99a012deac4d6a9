package blueprint

// delivery adds the request and the nodes for its answer: stored, retry later, or refused.
//
// No status fails the request node, because n8n's own retry would also repeat refused records.
// The node fails only if there is no answer, and only then does its retry apply.
func (f *flow) delivery(w *workflow) {
	w.Nodes = append(w.Nodes,
		f.sendNode(),
		ifNode(nodeStored, 1100, map[string]any{
			"leftValue": "={{ $json.statusCode }}", "rightValue": 300,
			"operator": map[string]any{"type": "number", "operation": "lt"},
		}),
		node{Name: nodeDone, Type: "n8n-nodes-base.noOp", TypeVersion: "1", Position: [2]int{1320, -110},
			Parameters: map[string]any{}},
		ifNode(nodeLater, 1320, map[string]any{
			"leftValue":  "={{ ($json.statusCode === 429 || $json.statusCode >= 500) && $runIndex < 5 }}",
			"rightValue": "", "operator": map[string]any{"type": "boolean", "operation": "true", "singleValue": true},
		}),
		node{
			Name: nodeWait, Type: "n8n-nodes-base.wait", TypeVersion: "1.1", Position: [2]int{1540, 0},
			WebhookID: f.stableID("wait").String(),
			Parameters: map[string]any{
				"resume": "timeInterval", "unit": "seconds",
				"amount": "={{ Math.max(2 ** $runIndex, ...$input.all().map((item) => Number(item.json.headers?.['retry-after']) || 0)) }}",
			},
		},
		node{
			Name: nodeRefused, Type: "n8n-nodes-base.stopAndError", TypeVersion: "1", Position: [2]int{1540, 220},
			Parameters: map[string]any{
				"errorType":    "errorMessage",
				"errorMessage": "=Quayside did not store {{ $input.all().length }} record(s): {{ $input.all().map((item) => item.json.statusCode + ' ' + (item.json.body?.error ?? '')).join('; ') }}",
			},
		},
		node{
			Name: nodeNote, Type: "n8n-nodes-base.stickyNote", TypeVersion: "1", Position: [2]int{820, -420},
			Parameters: map[string]any{"width": 460, "height": 300, "content": f.note()},
		},
	)
	w.connect(nodeSend, nodeStored)
	w.connect(nodeStored, nodeDone, nodeLater)
	w.connect(nodeLater, nodeWait, nodeRefused)
	w.connect(nodeWait, nodeSend)
}

func (f *flow) sendNode() node {
	// Not the current item: on a retry that is the last answer, not the record.
	body := "={{ JSON.stringify($('" + nodeRecord + "').item.json) }}"
	if f.source.sparse {
		body = "={{ JSON.stringify($('" + nodeRecord + "').item.json, (key, value) => value ?? undefined) }}"
	}
	send := node{
		Name: nodeSend, Type: "n8n-nodes-base.httpRequest", TypeVersion: "4.2", Position: [2]int{880, 0},
		RetryOnFail: true, MaxTries: 5, WaitBetweenTries: 5000,
		Credentials: map[string]any{"httpHeaderAuth": map[string]any{"name": "Quayside API key for " + f.table.Slug}},
		Parameters: map[string]any{
			"method": "POST", "url": f.endpoint, "authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth",
			"sendQuery": true, "queryParameters": map[string]any{"parameters": []map[string]string{
				{"name": "dry_run", "value": "={{ $('" + nodeByHand + "').isExecuted }}"}, // the sample must not be stored
			}},
			"sendBody": true, "contentType": "json", "specifyBody": "json", "jsonBody": body,
			"options": map[string]any{
				"timeout":  30000,
				"redirect": map[string]any{"redirect": map[string]any{"followRedirects": false}},
				"response": map[string]any{"response": map[string]any{"fullResponse": true, "neverError": true}},
			},
		},
	}
	if f.source.clock != "" {
		// The record has only the table's columns, so the time comes from the message. A sample has no webhook.
		send.Parameters["sendHeaders"] = true
		send.Parameters["headerParameters"] = map[string]any{"parameters": []map[string]string{{
			"name": sequenceHeader, "value": "={{ $('" + nodeByHand + "').isExecuted ? '' : $('" + nodeWebhook + "').item.json.body." +
				f.source.clock + " }}",
		}}}
	}
	return send
}

// ifNode returns a node with one condition. Its first output is true, its second false.
func ifNode(name string, x int, question map[string]any) node {
	question["id"] = "question"
	return node{
		Name: name, Type: "n8n-nodes-base.if", TypeVersion: "2.2", Position: [2]int{x, 0},
		Parameters: map[string]any{
			"conditions": map[string]any{
				"options":    map[string]any{"caseSensitive": true, "leftValue": "", "typeValidation": "strict", "version": 2},
				"conditions": []any{question}, "combinator": "and",
			},
			"options": map[string]any{},
		},
	}
}

func (f *flow) note() string {
	return "## " + f.title() + "\n" +
		"**The key:** open *" + nodeSend + "* and create a Header Auth credential with the name `Authorization` and the value `Bearer " + Placeholder + "`, with " +
		f.paste() + " in place of `" + Placeholder + "`.\n\n" +
		"**Try it:** *" + nodeByHand + "* sends a sample as a dry run; nothing of it is kept.\n\n" +
		"**Errors:** " + n8nOnErrors
}
