package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/crash"
)

// TestKillsThatNeverCame: of few tasks not every kill that is asked for finds one that is not over.
func TestKillsThatNeverCame(t *testing.T) {
	d := crashDocument{Strategy: "serial", Kills: 30,
		Report: crash.Report{Accepted: 10, Once: 10, ServerRestarts: 3, InService: 1}}
	shown := d.page()
	if got := shown.Finding(); !strings.HasSuffix(got, "in 3 kills of its server of the 30 asked "+
		"for: its tasks were over before the other 27") {
		t.Error(got)
	}
}

// TestCrashCommand: the command on the page asks for what was asked for.
func TestCrashCommand(t *testing.T) {
	o := crashOptions{kills: 30, kill: killServer, patience: patience, settings: []string{"a=b c"},
		Order: crash.Order{Strategy: "serial", Workload: "constant", Tasks: 50, Limit: 2, Seed: 3}}
	p, _, _, err := o.plan()
	if err != nil {
		t.Fatal(err)
	}
	p.Tasks, p.Rate = 50, 2.5
	const want = "poolbench crash serial --tasks 50 --kills 30 --kill server --limit 2 " +
		"--workload constant --seed 3"
	if got := o.command(p); got != want+" --rate 2.5 --setting 'a=b c'" {
		t.Error(got)
	}
	p.Rate, p.Patience, o.settings = 0, 2*time.Minute, nil
	if got := o.command(p); got != want+" --patience 2m0s" {
		t.Error(got)
	}
}
