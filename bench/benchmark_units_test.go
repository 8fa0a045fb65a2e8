package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// Every metric of a result must be declared, but no metric of other scenarios.
func TestReportable(t *testing.T) {
	better := map[string]string{}
	for _, m := range observe.Metrics() {
		better[m.Unit] = m.Better
	}
	patience, err := dist.Parse("exp(50ms)")
	if err != nil {
		t.Fatal(err)
	}
	var all []Scenario
	for _, w := range workloads.All() {
		if v, err := workloads.Parse(w.Name); err == nil && w.Kind == workloads.Wait {
			one := Scenario{Workload: v}
			if w.Name == "evil" { // some of its tasks never end
				one.Timeout = time.Second
			}
			all = append(all, one)
		}
	}
	for _, strategy := range []string{"bounded_queue_shed", "hedged", "retry+worker_pool", "adaptive_aimd",
		"circuit_breaker", "fair_share", "partitioned"} {
		all = append(all, Scenario{Strategy: strategies.MustParse(strategy)})
	}
	for _, target := range []string{"token_bucket:rate=50", "sec_ban:limit=50", "flaky", "conn_pool"} {
		all = append(all, Scenario{Target: targets.MustParse(target), Load: Load{PerSecond: 100}})
	}
	all = append(all, Scenario{Patience: patience}, Scenario{Timeout: 20 * time.Millisecond},
		Scenario{Deadline: 20 * time.Millisecond},
		Scenario{Strategy: strategies.MustParse("weighted_semaphore"), Limit: 4,
			Workload: workloads.MustParse("exponential:weights=uniform(1,4)")})
	for _, s := range all {
		if s.Strategy.Spec.Name == "" {
			s.Strategy = strategies.MustParse("semaphore")
		}
		s.Clock, s.Stop, s.Seed = Virtual, Stop{Tasks: 3000}, 1
		r, err := Run(t.Context(), s)
		if err != nil {
			t.Errorf("%s: %v", s.Name(), err)
			continue
		}
		may := s.reportable()
		for _, m := range r.Metrics {
			if better[m.Unit] != "" && !may(m.Unit) {
				t.Errorf("%s reports %s", s.Name(), m.Unit)
			}
		}
	}
	var printed strings.Builder
	declared.Lock()
	before := declared.units
	declared.units = map[string]bool{}
	declared.Unlock()
	defer func() { declared.units = before }()
	plain := Scenario{Strategy: strategies.MustParse("semaphore")}
	declareUnits(&printed, plain)
	const maxLines = 45
	if n := strings.Count(printed.String(), "\n"); n == 0 || n > maxLines ||
		strings.Contains(printed.String(), "tenant") {
		t.Errorf("%d lines, want at most %d\n%s", n, maxLines, printed.String())
	}
	printed.Reset()
	declareUnits(&printed, plain)
	if printed.Len() > 0 {
		t.Errorf("declared again: %s", printed.String())
	}
}
