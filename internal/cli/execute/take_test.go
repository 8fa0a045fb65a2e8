package execute

import (
	"errors"
	"testing"
)

// A run that does not return must end the suite, because it would distort the following
// measurements.
func TestStuckEnds(t *testing.T) {
	stuck := &StuckError{}
	if err := (&Execution{}).Take(Record{}, nil, stuck); !errors.Is(err, stuck) {
		t.Errorf("the suite goes on: %v", err)
	}
}
