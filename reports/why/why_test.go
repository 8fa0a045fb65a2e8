package why

import (
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/targets"
)

func run(strategy, workload string, values map[string]float64) results.Cell {
	return results.Cell{{Name: "Run", Iters: 10000,
		Keys: []results.Pair{{Key: "strategy", Value: strategy}, {Key: "workload", Value: workload},
			{Key: "limit", Value: "4"}},
		Config: []results.Pair{{Key: "gomaxprocs", Value: "2"}}, Values: values}}
}

// quiet returns the metrics of a run without an anomaly: 400 tasks per second of 5 ms each.
func quiet(more map[string]float64) map[string]float64 {
	m := map[string]float64{"p99-response-sec": 0.02, "mean-response-sec": 0.006,
		"mean-wait-sec": 0.001, "mean-service-sec": 0.005, "mean-queued-sec": 0.001, "ops/s": 400,
		"service-c2": 0.01, "workload-c2": 0, "tail-service-sec": 0.005, "tail-lag/op": 0,
		"tail-blocked/op": 0, "tail-queued/op": 0.75, "tail-between/op": 0,
		"tail-service/op": 0.25, "tail-target/op": 0, "tail-turn/op": 0.75,
		"tail-even-turn/op":    0.75,
		"oracle-mean-wait-sec": 0.001, "offered-utilisation": 0.5, "utilisation": 0.5,
		"next-slot-p99-response-sec": 0.015, "even-mean-response-sec": 0.006,
		"attempts/op": 1, "cpu-sec/op": 0.0002, "runqueue-sec/op": 0.00002,
		"sched-sec/op": 0.00002, "mean-runnable-goroutines": 0.01, "mutex-wait-sec/op": 0,
		"gc-cpu": 0, "gc-cycles": 0, "gc-assist-sec/op": 0, "gc-pause-sec": 0, "cpu-others": 0.01,
		"cpu-steal": 0, "cpu-pressure": 0.01, "p99-hiccup-sec": 0.0001}
	maps.Copy(m, more)
	return m
}

func TestCauses(t *testing.T) {
	for cause, c := range map[string]struct {
		strategy, workload string
		more               map[string]float64
		says, remedy       string
	}{
		"queueing": {more: map[string]float64{"tail-queued/op": 0.8, "tail-turn/op": 0.8,
			"tail-even-turn/op": 0.75, "tail-service/op": 0.2},
			says: "all 4 slots are taken", remedy: "from 20.0 ms to 15.0 ms"},
		"work": {more: map[string]float64{"tail-queued/op": 0, "tail-turn/op": 0,
			"tail-even-turn/op": 0, "tail-service/op": 1, "p99-response-sec": 0.005},
			says: "5.00 ms"},
		"head_of_line": {more: map[string]float64{"workload-c2": 10, "service-c2": 10,
			"tail-even-turn/op": 0.05, "even-mean-response-sec": 0.0052}, says: "C²"},
		"target": {more: map[string]float64{"mean-target-sec": 0.004, "tail-target/op": 0.4},
			says: "4.00 ms, of a service time of 5.00 ms"},
		"lock": {more: map[string]float64{"mutex-wait-sec/op": 0.004}, says: "4.00 ms for locks"},
		"scheduler": {more: map[string]float64{"sched-sec/op": 0.004, "cpu-sec/op": 0.0045,
			"mean-runnable-goroutines": 3}, says: "GOMAXPROCS 2"},
		"gc": {more: map[string]float64{"gc-cpu": 0.4, "gc-cycles": 500, "sched-sec/op": 0.002,
			"cpu-sec/op": 0.001, "gc-assist-sec/op": 0.001, "B/op": 1e6},
			says: "40 % of the CPU time, in 500 cycles"},
		"throttling": {strategy: "retry_in_place", more: map[string]float64{"attempts/op": 1.4,
			"refused-calls": 4000, "mean-between-sec": 0.02, "tail-between/op": 0.5,
			"tail-queued/op": 0.3, "tail-turn/op": 0.3, "tail-service/op": 0.2},
			says: "refuses calls, 4000", remedy: "releases its slot"},
		"generator": {more: map[string]float64{"tail-lag/op": 0.6, "mean-lag-sec": 0.003,
			"p99-lag-sec": 0.1, "tail-queued/op": 0.2, "tail-turn/op": 0.2, "tail-service/op": 0.2},
			says: "late by 3.00 ms"},
		"machine": {more: map[string]float64{"runqueue-sec/op": 0.004, "cpu-others": 0.7,
			"tail-lag/op": 0.2, "tail-queued/op": 0.3, "mean-lag-sec": 0.001,
			"p99-hiccup-sec": 0.01}, says: "other programs use 70 %"},
		"unknown": {more: map[string]float64{"tail-queued/op": 0.9, "tail-turn/op": 0.1,
			"tail-even-turn/op": 0.1, "tail-service/op": 0.1, "mean-wait-sec": 0.1}},
	} {
		strategy, workload := c.strategy, c.workload
		if strategy == "" {
			strategy = "worker_pool"
		}
		a, ok := Explain(run(strategy, workload, quiet(c.more)))
		if !ok || len(a.Causes) == 0 || a.Causes[0].Cause != cause ||
			!strings.Contains(a.Causes[0].Evidence, c.says) ||
			!strings.Contains(a.Causes[0].Remedy, c.remedy) {
			t.Errorf("%s: %+v", cause, a)
		}
		a, _ = Explain(run("worker_pool", "", quiet(nil)))
		if slices.ContainsFunc(a.Causes, func(named Cause) bool { return named.Cause == cause }) &&
			cause != "queueing" && cause != "work" {
			t.Errorf("%s is named of a run that has nothing odd: %+v", cause, a)
		}
	}
}

// Time in other stages of a pipeline counts as queueing. The remedy applies to the bottleneck,
// which is another stage or the stage of the run's own work.
func TestPipelineBottleneck(t *testing.T) {
	for utilisation, remedy := range map[float64]string{0.9: "more workers in stage 2, or less time " +
		"there", 0.5: "more slots or shorter tasks"} {
		m := quiet(map[string]float64{"tail-queued/op": 0.2, "tail-between/op": 0.6,
			"tail-service/op": 0.2, "bottleneck-stage": 2, "bottleneck-utilisation": utilisation})
		for _, unit := range []string{"tail-turn/op", "tail-even-turn/op", "oracle-mean-wait-sec",
			"even-mean-response-sec", "next-slot-p99-response-sec"} {
			delete(m, unit)
		}
		a, ok := Explain(run("pipeline:stages=1(1ms)+work+1(40ms)", "", m))
		if !ok || len(a.Causes) == 0 || a.Causes[0].Cause != "queueing" ||
			!strings.Contains(a.Causes[0].Evidence, "stage 2 of the pipeline is the bottleneck") ||
			a.Causes[0].Remedy != remedy {
			t.Errorf("utilisation %v: %+v", utilisation, a)
		}
	}
}

// If the slowest tasks are themselves long, separate pools do not make them faster.
func TestPoolsDoNotShortenLongTasks(t *testing.T) {
	m := quiet(map[string]float64{"workload-c2": 12, "service-c2": 12, "p99-response-sec": 0.256,
		"mean-service-sec": 0.0106, "mean-wait-sec": 0.0051, "mean-response-sec": 0.0157,
		"tail-service-sec": 0.255, "tail-queued/op": 0.04, "tail-service/op": 0.96,
		"tail-turn/op": 0.04, "tail-even-turn/op": 0, "even-mean-response-sec": 0.0107})
	unknown := maps.Clone(m)
	for _, unit := range []string{"tail-turn/op", "tail-even-turn/op", "oracle-mean-wait-sec",
		"even-mean-response-sec", "next-slot-p99-response-sec"} {
		delete(unknown, unit)
	}
	for strategy, m := range map[string]map[string]float64{
		"worker_pool": m, "codel_lifo": unknown} {
		a, _ := Explain(run(strategy, "two_class", m))
		if len(a.Causes) != 1 || a.Causes[0].Cause != "work" || a.Causes[0].Share < 0.95 {
			t.Errorf("%s: %+v", strategy, a)
		}
	}
}

// A queue grows if arrivals exceed the capacity, unless the excess is refused. A change that
// increases the mean response is no remedy.
func TestOverload(t *testing.T) {
	for shed, grows := range map[float64]bool{0: true, 0.1: false} {
		a, _ := Explain(run("bounded_queue_shed", "", quiet(map[string]float64{
			"offered-utilisation": 1.2, "shed/op": shed, "tail-queued/op": 0.9})))
		c := a.Causes[0]
		if said := strings.Contains(c.Evidence, "the queue grows"); c.Cause != "queueing" ||
			said != grows {
			t.Errorf("%g of the tasks are shed: %+v", shed, c)
		}
	}
	v := &view{cell: run("worker_pool", "", quiet(map[string]float64{
		"even-mean-response-sec": 2, "mean-response-sec": 1}))}
	if said := headOfLine.remedy(v); strings.Contains(said, "equally long") {
		t.Errorf("worse for it: %s", said)
	}
}

// If the rate changes, the load is a mean, and each stage of a run has its own load.
func TestLoads(t *testing.T) {
	for arrival, says := range map[string]string{"poisson": "at a load of 0.500",
		"sine:period=9s":          "at a mean load of 0.500",
		"stages:at=0.4x9s_1.5x1s": "0.400 and 1.50 in its"} {
		m := quiet(map[string]float64{"offered-ops/s": 400})
		if strings.HasPrefix(arrival, "stages") {
			m["stage1-offered-ops/s"], m["stage2-offered-ops/s"] = 320, 1200
		}
		c := run("worker_pool", "", m)
		c[0].Keys = append(c[0].Keys, results.Pair{Key: "arrival", Value: arrival})
		if said := queueing.evidence(&view{cell: c}); !strings.Contains(said, says) {
			t.Errorf("%s: %s", arrival, said)
		}
	}
}

// Further slots do not help if a target is randomly slow or pauses.
func TestSlotsDoNotHelpSlowTargets(t *testing.T) {
	for target, says := range map[string]string{"conn_pool": "more capacity in the target",
		"brownout:knee=2": "more capacity in the target", "flaky:spikes=0.1": "fewer slow calls; or,",
		"freeze": "shorter freezes"} {
		m := quiet(map[string]float64{"mean-target-sec": 0.004, "tail-target/op": 0.4})
		if target == "freeze" {
			m["no-target-p99-response-sec"] = 0.0457
			says += " of the target; no limit helps; " +
				"without the target the p99 would change from 20.0 ms to 45.7 ms"
		}
		c := run("worker_pool", "", m)
		c[0].Keys = append(c[0].Keys, results.Pair{Key: "target", Value: target})
		a, _ := Explain(c)
		i := slices.IndexFunc(a.Causes, func(c Cause) bool { return c.Cause == "target" })
		if i < 0 || !strings.HasPrefix(a.Causes[i].Remedy, says) ||
			strings.Contains(a.Causes[i].Remedy, "the p99 would change") != (target == "freeze") {
			t.Errorf("%s: %+v", target, a)
		}
	}
}

func TestRemedyOfTarget(t *testing.T) {
	own := 0
	for _, spec := range targets.All() {
		c := run("worker_pool", "", quiet(map[string]float64{"mean-target-sec": 0.004,
			"tail-target/op": 0.4}))
		c[0].Keys = append(c[0].Keys, results.Pair{Key: "target", Value: spec.Name})
		want := spec.Remedy
		if want == "" {
			want = "more capacity in the target, or a limit up to the number of calls that it " +
				"serves at once"
		} else {
			own++
		}
		if got := target.remedy(&view{cell: c, unit: "p99-response-sec"}); got != want {
			t.Errorf("%s: %q, want %q", spec.Name, got, want)
		}
	}
	if own < 2 {
		t.Errorf("%d targets have a remedy of their own, want flaky and freeze", own)
	}
}

// A missing metric must not be printed as 0. The causes must not exceed the response time.
func TestMissingMetric(t *testing.T) {
	zero := regexp.MustCompile(`(^|[ (])0( |$|s)`)
	for name, more := range map[string]map[string]float64{
		"throttling": {"refused-calls": 20, "throttled/op": 0.1, "attempts/op": 2,
			"mean-between-sec": 0.01, "tail-between/op": 0.5, "tail-queued/op": 0.3,
			"tail-turn/op": 0.3},
		"own rate": {"allowed-ops/s": 410, "utilisation": 0.5},
		"target":   {"mean-target-sec": 0.004, "tail-target/op": 0.4},
		"lock":     {"mutex-wait-sec/op": 0.004},
		"gc": {"gc-cpu": 0.3, "gc-cycles": 40, "gc-pause-sec": 1, "B/op": 90_000,
			"runqueue-sec/op": 0.002, "sched-sec/op": 0.004, "mean-runnable-goroutines": 3},
		"machine":      {"cpu-others": 0.5, "runqueue-sec/op": 0.004},
		"head_of_line": {"workload-c2": 10, "service-c2": 10, "tail-even-turn/op": 0.05},
		"work":         {"tail-queued/op": 0, "tail-turn/op": 0, "tail-service/op": 1},
		"generator":    {"tail-lag/op": 0.6, "mean-lag-sec": 0.003, "p99-lag-sec": 0.01},
	} {
		whole := quiet(more)
		if a, ok := Explain(run("worker_pool", "", whole)); !ok || len(a.Causes) == 0 {
			t.Errorf("%s: no cause", name)
		}
		for unit := range whole {
			m := maps.Clone(whole)
			delete(m, unit)
			a, _ := Explain(run("worker_pool", "", m))
			for _, c := range a.Causes {
				text := c.Evidence + "; " + c.Remedy
				if zero.MatchString(text) || c.Evidence == "" {
					t.Errorf("%s without %s: %s", name, unit, c)
				}
				if math.IsNaN(c.Share) || c.Share > 1 {
					t.Errorf("%s without %s: %s has a share of %v", name, unit, c.Cause, c.Share)
				}
			}
		}
	}
	m := quiet(map[string]float64{"allowed-ops/s": 410})
	delete(m, "utilisation")
	if a, _ := Explain(run("worker_pool", "", m)); slices.ContainsFunc(a.Causes, func(c Cause) bool {
		return c.Cause == "throttling"
	}) {
		t.Errorf("without the utilisation no slot is known to be idle: %+v", a.Causes)
	}
}

func TestWorkIsNotTargetTime(t *testing.T) {
	for tail, says := range map[float64]string{0.025: "the service time of a task is 6.00 ms on average",
		0.065: "the slowest tasks have long service times, 50.0 ms; the mean is 6.00 ms"} {
		c := run("worker_pool", "", quiet(map[string]float64{"mean-service-sec": 0.01,
			"mean-target-sec": 0.004, "tail-service-sec": tail, "tail-target-sec": 0.015}))
		if said := work.evidence(&view{cell: c}); said != says {
			t.Errorf("%g: %s", tail, said)
		}
	}
}

// Results with a p99 have enough tasks, even without components of the slowest tasks.
func TestWithoutTail(t *testing.T) {
	for p99, says := range map[float64]string{0: "too few", 0.02: "Merged"} {
		m := quiet(map[string]float64{"p99-response-sec": p99})
		maps.DeleteFunc(m, func(unit string, v float64) bool {
			return strings.HasPrefix(unit, "tail-") || unit == "p99-response-sec" && v == 0
		})
		if a, _ := Explain(run("worker_pool", "", m)); a.Unit != "mean-response-sec" ||
			!strings.Contains(a.Cannot, says) {
			t.Errorf("a p99 of %g: %+v", p99, a)
		}
	}
}

// Ready goroutines do not blame the scheduler if processors are idle. A machine without other
// programs, or a garbage collector with little work, is no cause.
func TestWeakEvidenceIsNoCause(t *testing.T) {
	for cause, more := range map[string]map[string]float64{
		"scheduler":    {"sched-sec/op": 0.004, "cpu-sec/op": 0.0045},
		"machine":      {"runqueue-sec/op": 0.004, "cpu-others": 0.04, "cpu-pressure": 0.04},
		"gc":           {"gc-cpu": 0.03, "sched-sec/op": 0.004, "cpu-sec/op": 0.001},
		"head_of_line": {"workload-c2": 1.5, "service-c2": 1.5, "tail-even-turn/op": 0.05},
	} {
		a, _ := Explain(run("worker_pool", "", quiet(more)))
		for _, named := range a.Causes {
			if named.Cause == cause {
				t.Errorf("%s is named: %+v", cause, named)
			}
		}
	}
}

// A client observes only the total time of a request.
func TestServerSeenFromOutside(t *testing.T) {
	c := run("semaphore", "", quiet(map[string]float64{"mutex-wait-sec/op": 0.004,
		"tail-queued/op": 0, "tail-turn/op": 0, "tail-even-turn/op": 0, "tail-service/op": 1}))
	c[0].Name = "Attack/target=x"
	a, _ := Explain(c)
	if len(a.Causes) != 1 || a.Causes[0].Cause != "target" ||
		!strings.Contains(a.Causes[0].Evidence, "cannot observe the cause") {
		t.Errorf("%+v", a)
	}
}

// Results without components of responses give fewer causes, and must name the missing data.
func TestOldFormat(t *testing.T) {
	a, ok := Explain(run("worker_pool", "", map[string]float64{"mean-response-sec": 0.1,
		"mean-wait-sec": 0.08, "mean-service-sec": 0.02, "p99-response-sec": 0.4,
		"offered-utilisation": 0.9, "ops/s": 100}))
	if !ok || a.Unit != "mean-response-sec" || a.Cannot == "" || len(a.Causes) != 2 ||
		a.Causes[0].Cause != "queueing" || math.Abs(a.Causes[0].Share-0.8) > 1e-9 ||
		a.Causes[1].Cause != "work" {
		t.Errorf("%+v", a)
	}
	if a, ok := Explain(run("x", "", map[string]float64{"ns/op": 4})); ok {
		t.Errorf("of no response: %+v", a)
	}
}

// For any metrics, the shares add up to at most 1 in descending order, and each cause has a text.
func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 7))
	strategies := []string{"worker_pool", "retry_in_place", "retry_queue", "token_bucket:rate=9",
		"retry:attempts=3+semaphore"}
	for range 20000 {
		m := quiet(nil)
		names := slices.Sorted(maps.Keys(m))
		for range r.IntN(12) {
			name := names[r.IntN(len(names))]
			if m[name] = math.Exp(8*r.NormFloat64() - 6); r.IntN(4) == 0 {
				delete(m, name)
			}
		}
		sum := 0.0
		for _, part := range []string{"lag", "blocked", "queued", "between", "service"} {
			m["tail-"+part+"/op"] = r.Float64()
			sum += m["tail-"+part+"/op"]
		}
		for _, part := range []string{"lag", "blocked", "queued", "between", "service"} {
			m["tail-"+part+"/op"] /= sum
		}
		m["tail-target/op"] = r.Float64() * m["tail-service/op"]
		a, ok := Explain(run(strategies[r.IntN(len(strategies))], "", m))
		if !ok {
			continue
		}
		whole, before := 0.0, 1.0
		for _, c := range a.Causes {
			whole += c.Share
			said := c.String()
			if !(c.Share >= minShare && c.Share <= before) || c.Evidence == "" ||
				c.Remedy == "" || strings.Contains(said, "NaN") || strings.Contains(said, "%!") {
				t.Fatalf("%+v of %v", a, m)
			}
			before = c.Share
		}
		if !(whole <= 1+1e-9) || len(a.Causes) > maxCauses {
			t.Fatalf("%v together: %+v of %v", whole, a, m)
		}
	}
}

// The interval must contain the true serial fraction in 19 of 20 noisy cases. If service times do
// not grow, there is no result.
func TestSerialFraction(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 8))
	at := func(n, service float64, locked bool) results.Cell {
		m := quiet(map[string]float64{"mean-service-sec": service, "ops/s": n / service})
		if locked {
			m["mutex-wait-sec/op"] = service / 2
		}
		return run("worker_pool", "", m)
	}
	const sigma, alone, trials = 0.3, 0.004, 400
	held := 0
	for range trials {
		var cells []results.Cell
		for _, n := range []float64{1, 2, 4, 6, 8} {
			s := alone * (1 + sigma*(n-1)) * (1 + 0.02*r.NormFloat64())
			cells = append(cells, at(n, s, true))
		}
		v, _ := newView(cells[4], cells[:4])
		if v.growth == nil {
			t.Fatal("nothing grows")
		}
		if v.growth.low <= sigma && sigma <= v.growth.high {
			held++
		}
	}
	if held < 365 || held > 395 { // 380 ± 3.4 standard deviations
		t.Errorf("%d of %d intervals hold the serial fraction", held, trials)
	}
	exact := []results.Cell{at(1, 0.004, false), at(3, 0.0064, false), at(5, 0.0088, false)}
	a, _ := Explain(exact[2], exact[:2]...)
	if a.Causes[0].Cause != "target" || !strings.Contains(a.Causes[0].Evidence, "grow") {
		t.Errorf("services that grow: %+v", a)
	}
	flat := []results.Cell{at(1, 0.004, false), at(3, 0.004, false), at(5, 0.004, false)}
	if v, _ := newView(flat[2], flat[:2]); v.growth != nil {
		t.Errorf("services that are the same grow: %+v", v.growth)
	}
}

// Values that a table hides must not be shown. The effect of a change is then a ratio, because it
// refers to the same tasks.
func TestUncertainValues(t *testing.T) {
	for _, c := range []struct {
		share            float64
		opening, queuing string
	}{
		{0, "p99 is 20.0 ms because", "changes the p99 from 20.0 ms to 15.0 ms"},
		{0.48, "p99 is ≈20.0 ms because", "changes the p99 from ≈20.0 ms to ≈15.0 ms"},
		{1.21, "p99 is unknown (error above ±100 %); the slowest 1 % of these tasks are slow because",
			"changes the p99 by −25.0 %"},
	} {
		cell := run("worker_pool", "", quiet(map[string]float64{"tail-queued/op": 0.8,
			"tail-turn/op": 0.8, "tail-even-turn/op": 0.1, "tail-service/op": 0.2,
			"workload-c2": 10, "service-c2": 10, "even-mean-response-sec": 0.0052}))
		if c.share > 0 {
			cell[0].Uncertain = map[string]float64{"p99-response-sec": c.share,
				"mean-response-sec": c.share}
		}
		a, ok := Explain(cell)
		v, _ := newView(cell, nil)
		remedies := queueing.remedy(v) + "\n" + headOfLine.remedy(v)
		if !ok || a.Opening() != c.opening || !strings.Contains(remedies, c.queuing) {
			t.Errorf("±%v: %q, %q", c.share, a.Opening(), remedies)
		}
		for _, value := range []string{"20.0 ms", "6.00 ms"} {
			if shown := strings.Contains(a.Opening()+remedies, value); shown != (c.share <= 1) {
				t.Errorf("±%v: %q, %q: %s is shown: %v", c.share, a.Opening(), remedies, value,
					shown)
			}
		}
		if line := Lines([][]ScenarioCauses{{{cell, "pool", a}}})[0]; (line.Uncertain != nil) !=
			(c.share > 0) {
			t.Errorf("±%v: %+v", c.share, line)
		}
	}
}
