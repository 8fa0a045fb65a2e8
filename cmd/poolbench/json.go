package main

import "encoding/json"

// A head opens every JSON document that the command prints, those of package reports among them. A reader checks both fields
// before it trusts the rest; fields may be added under the same version, and a change of meaning makes a new one.
type head struct {
	Format  string `json:"format"` // "poolbench " and what it is: run, plan, list, version; from reports compare, gate
	Version int    `json:"version"`
}

func newHead(kind string) head { return head{Format: "poolbench " + kind, Version: 1} }

// json prints one document.
func (a *app) json(document any) error {
	out := json.NewEncoder(a.stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(document)
}
