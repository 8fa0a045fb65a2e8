package execute

import (
	"errors"
	"testing"
)

// TestStuckEnds: a run that does not return ends the suite, since whatever followed would be
// measured beside it.
func TestStuckEnds(t *testing.T) {
	stuck := &StuckError{}
	if err := (&Execution{}).Take(Record{}, nil, stuck); !errors.Is(err, stuck) {
		t.Errorf("the suite goes on: %v", err)
	}
}
