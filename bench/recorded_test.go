package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

func TestRecordedTraffic(t *testing.T) {
	const n = 500
	r := rand.New(rand.NewPCG(1, 2))
	at, took := make([]int64, n), make([]int64, n)
	lines := make([]string, n)
	for i := range n {
		if i > 0 {
			at[i] = at[i-1] + 1 + r.Int64N(3e6)
		}
		took[i] = 1_000_000*int64(i) + r.Int64N(1_000_000) // unique, to identify the task
		lines[i] = fmt.Sprintf("%d.%09d,%v\n", 1_777_626_000+at[i]/1e9, at[i]%1e9,
			time.Duration(took[i]))
	}
	r.Shuffle(n-1, func(i, j int) { // line 0 stays first because it defines the start
		lines[i+1], lines[j+1] = lines[j+1], lines[i+1]
	})
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"", ",scale=0.5", ",scale=1.75"} {
		s := Scenario{Strategy: strategies.MustParse("semaphore"), Limit: n, Clock: Virtual,
			Workload: workloads.MustParse("trace:column=2,time=1,file=" + file + part),
			Load:     Load{Arrival: arrivals.MustParse("trace:file=" + file + part)}, Seed: 7,
		}.withDefaults()
		o, err := s.observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if o.Trace.Len() != s.Load.Arrival.Tasks() {
			t.Errorf("%s: %d tasks, want %d", part, o.Trace.Len(), s.Load.Arrival.Tasks())
		}
		r, err := o.result()
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != result.Suspect || !slices.ContainsFunc(r.Reasons, func(r result.Reason) bool {
			return r.Check == rundir.CheckPlan && strings.HasSuffix(r.Text, ": sorted")
		}) {
			t.Errorf("%s: %v for %v, want a doubt about the order of the lines", part, r.Verdict,
				r.Reasons)
		}
		for i := range o.Trace.Len() {
			rec := o.Trace.At(i)
			line := int(rec.Busy / 1_000_000)
			if rec.Issue != rec.Due || rec.Busy != took[line] || rec.Due < at[line] ||
				part != ",scale=1.75" && rec.Due != at[line] || part == "" && line != i {
				t.Fatalf("%s: task %d is due at %d, submitted at %d and takes %d; line %d: %d, %d",
					part, i, rec.Due, rec.Issue, rec.Busy, line, at[line], took[line])
			}
		}
	}
}
