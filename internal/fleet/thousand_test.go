package fleet

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
)

// Many agents must give exactly the same result as one agent.
func TestThousandAgents(t *testing.T) {
	agents := 1000
	if testing.Short() {
		agents = 100
	}
	const each = 50 // requests per agent
	results := map[int]*attack.Report{}
	for _, n := range []int{1, agents} {
		inBubble(t, func(n2 *network) { results[n] = n2.many(n, agents*each) })
	}
	want, got := results[1], results[agents]
	if got.Tasks != agents*each || len(got.Broken) > 0 || len(got.Agents) != agents {
		t.Fatalf("%d requests of %d agents, broken laws %q", got.Tasks, len(got.Agents), got.Broken)
	}
	if got.Verdict == result.Invalid {
		t.Errorf("%v", got.Reasons)
	}
	for _, unit := range []string{"p50-response-sec", "p90-response-sec", "p99-response-sec",
		"p99.9-response-sec", "max-response-sec", "mean-response-sec", "goodput-ops/s",
		"offered-ops/s"} {
		a, known := want.Metric(unit)
		b, also := got.Metric(unit)
		if !known || !also || a != b {
			t.Errorf("%s: %v of %d agents (%v), %v of one (%v)", unit, b, agents, also, a, known)
		}
	}
	if diff := cmp.Diff(want.Statuses, got.Statuses); diff != "" {
		t.Error(diff)
	}
}

func (n *network) many(agents, requests int) *attack.Report {
	n.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for k := range agents {
		n.agent(fmt.Sprint(k))
	}
	l := n.attack(agents)
	l.Attack.Tasks, l.Attack.Rate = requests, float64(requests)/10
	l.Timing.Wait = 10 * time.Minute
	peak := uint64(0)
	l.Watch = func(attack.Progress) {
		runtime.ReadMemStats(&after)
		peak = max(peak, after.HeapAlloc)
	}
	begun := time.Now()
	r, err := l.Run(context.Background())
	if err != nil {
		n.Fatal(err)
	}
	l.Watch(attack.Progress{})
	stats := l.Conn.Stats()
	messages := float64(stats.InMsgs+stats.OutMsgs) / float64(agents)
	n.Logf("%d agents: %.0f messages and %.0f bytes each, in %v; heap %d KiB each at its largest",
		agents, messages, float64(stats.InBytes+stats.OutBytes)/float64(agents), time.Since(begun),
		(peak-min(peak, before.HeapAlloc))>>10/uint64(agents))
	// 64 messages to measure clocks, an offer, a start, a share, and heartbeats
	if beats := time.Since(begun).Seconds() + 1; agents > 1 && messages > 80+4*beats {
		n.Errorf("%.0f messages of an agent in %.0f s", messages, beats)
	}
	return r
}
