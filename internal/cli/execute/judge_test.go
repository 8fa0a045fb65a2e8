package execute

import (
	"testing"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/decide"
)

// TestExpectedCode: any verdict will do where none is expected, and one that could not be had is
// never the expected one.
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
