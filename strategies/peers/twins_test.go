package peers_test

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// twinWork is load, below and above saturation, under which twins must behave identically.
var twinWork = []bench.Encoded{
	{Workload: "exponential", Load: 0.8},
	{Workload: "bimodal:p=0.1,short=1ms,long=30ms", Load: 1.3},
	{Workload: "lognormal", Arrival: "batch"},
}

// causedWork contains loads for each cause. Twins must differ in at least one of these loads.
var causedWork = map[strategies.Cause][]bench.Encoded{
	strategies.Priorities: {{Workload: "priorities", Load: 0.9}, {Workload: "priorities", Load: 1.3}},
	strategies.Deadlines:  {{Workload: "deadlines", Load: 0.9}},
	strategies.Tenants:    {{Workload: "tenants:n=8,skew=noisy(0.7)", Load: 1.1}},
	strategies.Weights:    {{Workload: "exponential:weights=uniform(1,4)", Load: 0.3}},
	strategies.Calls: {{Target: "flaky:errors=0.7", Load: 0.7}, {Target: "freeze", Rate: 200},
		{Target: "token_bucket:rate=100,burst=20", Rate: 150},
		{Target: "brownout", Load: 0.9, Limit: 32}},
}

var behaviour = []string{"p50-response-sec", "p99-response-sec", "mean-response-sec", "ops/s",
	"shed/op", "failed/op", "throttled/op", "abandoned/op", "makespan-sec"}

func twinRun(t *testing.T, name string, w bench.Encoded) (values []float64) {
	t.Helper()
	w.Strategy, w.Clock, w.Tasks, w.Limit = name, "virtual", 1500, max(w.Limit, 4)
	for field, otherwise := range map[*string]string{&w.Workload: "exponential",
		&w.Target: "none", &w.Arrival: "poisson"} {
		if *field == "" {
			*field = otherwise
		}
	}
	s, err := w.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	r, err := bench.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range behaviour {
		v, ok := r.Metric(unit)
		if !ok {
			v = -1
		}
		values = append(values, v)
	}
	return values
}

func sameRun(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// A strategy and its twin must have exactly the same results, except if the cause in Twin.Unless is
// present.
func TestTwins(t *testing.T) {
	for i, s := range strategies.All() {
		if s.Twin.Of == "" {
			if s.Twin.Unless != strategies.NoCause {
				t.Errorf("%s differs from no twin", s.Name)
			}
			continue
		}
		of, err := strategies.Lookup(s.Twin.Of)
		if err != nil || of.Twin.Of != "" {
			t.Errorf("the twin of %s is %s: %v", s.Name, s.Twin, err)
			continue
		}
		for j, w := range twinWork {
			if testing.Short() && j != i%len(twinWork) {
				continue
			}
			if a, b := twinRun(t, s.Name, w), twinRun(t, of.Name, w); !sameRun(a, b) {
				t.Errorf("%s is the twin of %s, and with %+v its run is\n%v, not\n%v", s.Name, of.Name,
					w, a, b)
			}
		}
		if s.Twin.Unless == strategies.NoCause {
			continue
		}
		differ := false
		for _, w := range causedWork[s.Twin.Unless] {
			differ = differ || !sameRun(twinRun(t, s.Name, w), twinRun(t, of.Name, w))
		}
		if !differ {
			t.Errorf("%s has the runs of %s, also where %v", s.Name, of.Name, s.Twin.Unless)
		}
	}
}

func TestDistinct(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	runs := map[string][][]float64{}
	work := append(twinWork, bench.Encoded{Workload: "two_class:r=20", Load: 0.9},
		bench.Encoded{Target: "token_bucket:rate=100,burst=20", Rate: 150},
		bench.Encoded{Target: "brownout", Load: 0.9})
	all := strategies.Distinct()
	for _, s := range all {
		for _, w := range work {
			runs[s.Name] = append(runs[s.Name], twinRun(t, s.Name, w))
		}
	}
	for i, a := range all {
		for _, b := range all[:i] {
			same := true
			for k := range work {
				same = same && sameRun(runs[a.Name][k], runs[b.Name][k])
			}
			if same {
				t.Errorf("%s and %s have the same runs, and neither names the other as its twin",
					a.Name, b.Name)
			}
		}
	}
	if n := len(all); n > 20 {
		t.Errorf("%d strategies are no twins: more than a table shows at a glance", n)
	}
}
