package recorded

import "github.com/poolbench/poolbench/internal/traffic"

type Document struct {
	File string `json:"file"`
	traffic.Description
	Resembles *traffic.Likeness `json:"resembles"` // null if there are too few tasks
	Notes     []string          `json:"notes"`     // irregularities of the file
	// to play it; "" if there are no durations, or the file name is impossible
	Arrival  string `json:"arrival,omitempty"`
	Workload string `json:"workload,omitempty"`

	Unread []string `json:"-"` // columns in addition to the times, if no durations are read
}
