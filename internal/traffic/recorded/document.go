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

	Played Played   `json:"-"` // the closest process
	Unread []string `json:"-"` // columns beside the times, where no durations are read
}

// Played is a process at the rate of the record, for the page: in as many parts as Course, and in
// the windows of Dispersion in which there were enough tasks.
type Played struct {
	Course     []int
	Dispersion []traffic.Dispersion
}
