package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/crash"
)

func TestKillsThatNeverCame(t *testing.T) {
	d := crashDocument{Strategy: "serial", Kills: 30,
		Report: crash.Report{Accepted: 10, Once: 10, ServerRestarts: 3, InService: 1}}
	shown := d.page()
	if got := shown.Finding(); !strings.HasSuffix(got, "in 3 kills of its server of the 30 "+
		"planned: its tasks ended before the other 27") {
		t.Error(got)
	}
}

// Tasks that were still queued are not lost.
func TestNotWaitedFor(t *testing.T) {
	d := crashDocument{Strategy: "asynq", Kills: 3, Patience: 45,
		Report: crash.Report{Accepted: 100, Once: 92, Stored: 8, Stalled: true, Restarts: 2,
			InService: 8, Interrupted: 8}}
	const want = "asynq lost none of 100 accepted tasks in 2 kills of the 3 planned; 8 not waited " +
		"for: still in its queue after 45s without progress"
	shown := d.page()
	if got := shown.Finding(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	const none = "none of 8 interrupted tasks began again within 45s"
	if rows := shown.Recoveries(); len(rows) != 1 || rows[0][1] != "–" || rows[0][2] != none {
		t.Error(rows)
	}
	d.Recovered, d.Recovery, d.LongestRecovery = 5, 90, 100
	if rows := d.page().Recoveries(); len(rows) != 1 || rows[0][1] != "90.0 s" ||
		!strings.HasSuffix(rows[0][2], "longest 100 s; 5 of 8 began") {
		t.Error(rows)
	}
}

func TestCrashCommand(t *testing.T) {
	o := crashOptions{kills: 30, kill: killServer, patience: patience, settings: []string{"a=b c"},
		WorkerConfig: crash.WorkerConfig{Strategy: "serial", Workload: "constant", Tasks: 50, Limit: 2, Seed: 3}}
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
