package execute

import (
	"testing"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/decide"
)

// Without an expectation any verdict passes. An undecided claim never meets an expectation.
func TestExpectedCode(t *testing.T) {
	for _, c := range []struct {
		want, got decide.ClaimVerdict
		code      terminal.ExitCode
	}{
		{"", decide.ClaimUndecided, terminal.Fine},
		{"", decide.DoesNotHold, terminal.Fine},
		{decide.Holds, decide.Holds, terminal.Fine},
		{decide.Holds, decide.Depends, terminal.Regression},
		{decide.DoesNotHold, decide.Holds, terminal.Regression},
		{decide.Depends, decide.ClaimUndecided, terminal.Undecided},
	} {
		if code := expectedCode(c.want, c.got); code != c.code {
			t.Errorf("expected %v, got %v: exit code %d, want %d", c.want, c.got, code, c.code)
		}
	}
}
