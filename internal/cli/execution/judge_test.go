package execution

import (
	"testing"

	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/cli/exit"
)

// TestExpectedCode: any verdict will do where none is expected, and one that could not be had is
// never the expected one.
func TestExpectedCode(t *testing.T) {
	for _, c := range []struct {
		want, got finding.Verdict
		code      exit.Code
	}{
		{"", finding.Undecided, exit.Fine},
		{"", finding.DoesNotHold, exit.Fine},
		{finding.Holds, finding.Holds, exit.Fine},
		{finding.Holds, finding.Depends, exit.Regression},
		{finding.DoesNotHold, finding.Holds, exit.Regression},
		{finding.Depends, finding.Undecided, exit.Undecided},
	} {
		if code := expectedCode(c.want, c.got); code != c.code {
			t.Errorf("expected %v, got %v: exit code %d, want %d", c.want, c.got, code, c.code)
		}
	}
}
