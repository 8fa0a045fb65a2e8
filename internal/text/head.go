package text

// A Head opens every JSON document of the command. A reader should check both fields. Fields may be
// added without a new version, a change of meaning needs one.
type Head struct {
	// "poolbench " and the kind: run, plan, list, version, or compare and gate for reports
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// NewHead returns the head of the first version of a document.
func NewHead(kind string) Head { return Head{Format: "poolbench " + kind, Version: 1} }
