package terminal

import (
	"slices"
	"testing"
)

func TestSeverity(t *testing.T) {
	order := []ExitCode{Interrupted, Unusable, Regression, Undecided, Fine}
	for i := range order {
		for j := i; j < len(order); j++ {
			rest := slices.Clone(order[i:])
			slices.Reverse(rest)
			if got := Severest(rest...); got != order[i] {
				t.Errorf("of %v: %d", rest, got)
			}
		}
	}
	if Severest() != Fine {
		t.Error("nothing is not fine")
	}
}
