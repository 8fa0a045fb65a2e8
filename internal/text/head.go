package text

// A Head opens every JSON document that the command prints, those of package compare, gate and
// trend among them. A reader checks both fields before it trusts the rest; fields may be added
// under the same version, and a change of meaning makes a new one.
type Head struct {
	// "poolbench " and what it is: run, plan, list, version; from reports compare, gate
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// NewHead opens the first version of a document.
func NewHead(kind string) Head { return Head{Format: "poolbench " + kind, Version: 1} }
