package advise

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

func TestSimplest(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, c := range []struct {
		workload, target, objective string
		rate                        float64
		strategies                  string
		takes, simplest, but        string
	}{
		{"bimodal:p=0.02,short=40ms,long=400ms", "token_bucket:rate=100", "p99-response<500ms", 60,
			"errgroup_limit ticker_limited:rate=100", "ticker_limited", "errgroup_limit",
			"requests are refused if the service gets 4 times faster"},
		{"bimodal:p=0.02,short=40ms,long=400ms", "token_bucket:rate=140", "p99-response<800ms", 80,
			"worker_pool token_bucket:rate=140,burst=10", "token_bucket", "worker_pool",
			"requests are refused if the service gets 4 times faster"},
		{"exponential:mean=10ms", "none", "p99-response<90ms", 190,
			"errgroup_limit worker_pool", "errgroup_limit", "", ""},
	} {
		q := asked(t, c.workload, c.rate, c.objective)
		q.Scenario.Target = targets.MustParse(c.target)
		for name := range strings.FieldsSeq(c.strategies) {
			q.Strategies = append(q.Strategies, strategies.MustParse(name))
		}
		a, err := q.Do(t.Context(), notRun)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Recommendation.Strategy.Spec.Name; got != c.takes || a.Verdict != Meets {
			t.Errorf("%s at %v: %s, takes %s", c.target, c.rate, a.Verdict, got)
			continue
		}
		switch s := a.Simplest; {
		case (s == nil) != (c.simplest == ""):
			t.Errorf("%s at %v: simplest is %+v", c.target, c.rate, s)
		case s != nil && (s.Strategy.Spec.Name != c.simplest || s.But != c.but):
			t.Errorf("%s at %v: simplest is %s, but %q", c.target, c.rate, s.Strategy, s.But)
		}
		if r := a.Recommendation; c.simplest != "" && (r.QueueWhy != "the longest queue of the "+
			"simulation; if it is full, the caller waits" ||
			!strings.Contains(r.Code(), "rate.NewLimiter(")) {
			t.Errorf("%s: queue of %d is %q\n%s", c.target, r.Queue, r.QueueWhy, r.Code())
		}
	}
}

func TestDrawback(t *testing.T) {
	best := Option{Limit: 4, Holds: 1.5, Promise: Figure{Mid: 1}}
	stressed := func(s Stress) Option {
		s.Verdict = objectives.Missed
		return Option{Limit: 4, Holds: 1.5, unproven: true, Stresses: []Stress{s}}
	}
	for want, o := range map[string]Option{
		"the limit is 5 instead of 4": {Limit: 5, Holds: 2},
		"it meets the objective only up to 1.2 times the load, and not up to 1.5 times": {Limit: 4,
			Holds: 1.2},
		"its promise differs by −5.00 %": {Limit: 4, Holds: 1.5, Promise: Figure{Mid: 0.95}},
		"requests fail if the service gets 4 times faster": stressed(Stress{Name: "service x0.25",
			Missed: "failed/op"}),
		"its queue grows without limit if the load is 1.25 times as high": stressed(Stress{
			Name: "load x1.25", Unstable: true}),
		"it misses the objective if the service takes 1.5 times as long": stressed(Stress{
			Name: "service x1.5"}),
	} {
		b := best
		for _, s := range o.Stresses {
			s.Verdict = objectives.Met
			b.Stresses = append(b.Stresses, s)
		}
		if got := o.drawback(b); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
