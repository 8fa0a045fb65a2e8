package execute

import (
	"errors"
	"testing"
)

// A run that does not return would distort later measurements, so it must end the suite.
func TestStuckEnds(t *testing.T) {
	stuck := &StuckError{}
	if err := (&Execution{}).Add(Record{}, nil, stuck); !errors.Is(err, stuck) {
		t.Errorf("the suite goes on: %v", err)
	}
}
