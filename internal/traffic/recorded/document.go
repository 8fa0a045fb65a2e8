package recorded

import "github.com/poolbench/poolbench/internal/traffic"

// A Document is what there is to say of a file.
type Document struct {
	File string `json:"file"`
	traffic.Description
	Resembles *traffic.Likeness `json:"resembles"` // null where there are too few tasks
	Notes     []string          `json:"notes"`     // what is odd in the file
	// that play it; "" where there are no durations, or the file has an impossible name
	Arrival  string `json:"arrival,omitempty"`
	Workload string `json:"workload,omitempty"`

	Unread []string `json:"-"` // columns beside the times, where no durations are read
}
