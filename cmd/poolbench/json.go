package main

import "encoding/json"

// A head opens every JSON document that the command prints. A reader checks both fields before it trusts the rest; fields may
// be added under the same schema version, and a change of meaning makes a new one.
type head struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"` // what the document is: run, plan, list, version
}

func newHead(kind string) head { return head{Schema: 1, Kind: kind} }

// json prints one document.
func (a *app) json(document any) error {
	out := json.NewEncoder(a.stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(document)
}
