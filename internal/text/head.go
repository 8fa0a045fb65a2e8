package text

// A Head begins every JSON document of the command. New fields do not change the version. A change
// of meaning does.
type Head struct {
	// "poolbench " and the kind: run, plan, list, version, or compare and gate for reports
	Format  string `json:"format"`
	Version int    `json:"version"`
}

func NewHead(kind string) Head { return Head{Format: "poolbench " + kind, Version: 1} }
