package cli

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/durability/crash"
)

// TestKillsThatNeverCame: of few tasks not every kill that is asked for finds one that is not over;
// the command on the page asks for all of them, of what was killed.
func TestKillsThatNeverCame(t *testing.T) {
	d := crashDocument{Strategy: "serial", Kills: 30, kill: killServer,
		Report: crash.Report{Accepted: 10, Once: 10, ServerRestarts: 3}}
	shown := d.page()
	if got := shown.Finding(); !strings.HasSuffix(got, "in 3 kills of its server of the 30 asked "+
		"for: its tasks were over before the other 27") {
		t.Error(got)
	}
	if !strings.Contains(shown.Command, " --kills 30 --kill server ") {
		t.Error(shown.Command)
	}
}
