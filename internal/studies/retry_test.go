package studies

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

// sampleRetry has exponential jitter take so many calls a task at each target, and all other ways that get the batch done others.
func sampleRetry(exponential func(door retryDoor) float64, others, lost float64) *measured {
	return synthetic(studyCells("retry"), 2, func(sc bench.Scenario, _ int) map[string]float64 {
		metrics := map[string]float64{"attempts/op": others, "throttled/op": lost, "makespan-sec": 25, "mean-service-sec": 0.1}
		for _, door := range retryDoors {
			for _, way := range retryWays() {
				if way.kind == retryExponential && retryCell(door, way.strategy).Name() == sc.Name() {
					metrics["attempts/op"], metrics["throttled/op"] = exponential(door), 0
				}
			}
		}
		return metrics
	})
}

// TestRetryVerdicts drives the rule to each verdict.
func TestRetryVerdicts(t *testing.T) {
	always := func(calls float64) func(retryDoor) float64 { return func(retryDoor) float64 { return calls } }
	for _, c := range []struct {
		name    string
		m       *measured
		want    Verdict
		because string
	}{
		{"fewest everywhere", sampleRetry(always(2), 3, 0), Holds, "2 calls a task in 25 s"},
		{"as few", sampleRetry(always(2), 2, 0), Holds, ""},
		{"the only one that loses nothing", sampleRetry(always(9), 1, 0.1), Holds, "9 calls"},
		{"nowhere fewest", sampleRetry(always(4), 3, 0), DoesNotHold, "3 calls"},
		{"here and there", sampleRetry(func(d retryDoor) float64 { return 2 + float64(d.burst) }, 3, 0), Depends, "the fewest calls at concurrency_cap ("},
		{"nobody is done", synthetic(studyCells("retry"), 1, func(bench.Scenario, int) map[string]float64 {
			return map[string]float64{"attempts/op": 1, "throttled/op": 0.5, "makespan-sec": 1, "mean-service-sec": 0.1}
		}), Undecided, "nothing gets the batch done"},
	} {
		f := judgeRetry(c.m)
		if f.Verdict != c.want || !strings.Contains(f.Because, c.because) {
			t.Errorf("%s: %v, %q", c.name, f.Verdict, f.Because)
		}
		sound(t, f)
	}
}

// TestRetryFewest: what lost a task is not done, however few its calls; of two with as many calls the faster one is better.
func TestRetryFewest(t *testing.T) {
	outcomes := []retryOutcome{
		{retryWay{kind: "lossy"}, 0.01, 1, 1, 1}, {retryWay{kind: "slow"}, 0, 2, 20, 1}, {retryWay{kind: "fast"}, 0, 2.01, 10, 1}, {retryWay{kind: "many"}, 0, 3, 5, 1},
	}
	for range 2 { // whatever the order
		best, ok := retryFewest(outcomes, func(retryWay) bool { return true })
		if !ok || best.way.kind != "fast" {
			t.Errorf("the fewest are those of %q", best.way.kind)
		}
		slices.Reverse(outcomes)
	}
}

// TestRetryRuns runs, at the target that says when to come again, what the study says of it: pacing takes one call a task, jitter that
// doubles fewer than none, and three attempts give up good tasks.
func TestRetryRuns(t *testing.T) {
	door := retryDoors[0]
	chosen := []string{"token_bucket:rate=50,burst=1", "retry_in_place:attempts=200,base=0s", "retry_in_place:attempts=200", retryBounded("retry_in_place", 3)}
	var outcomes []retryOutcome
	var results []*bench.Result
	for _, name := range chosen {
		r, err := bench.Run(t.Context(), retryCell(door, name))
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	m := fromResults(results)
	for _, name := range chosen {
		outcomes = append(outcomes, retryOf(m, door, retryWay{strategy: name}))
	}
	paced, hinted, exponential, bounded := outcomes[0], outcomes[1], outcomes[2], outcomes[3]
	if paced.calls != 1 || paced.lost != 0 {
		t.Errorf("pacing: %+v", paced)
	}
	if !(exponential.calls < hinted.calls/2) || exponential.lost+hinted.lost != 0 {
		t.Errorf("exponential: %+v, without jitter: %+v", exponential, hinted)
	}
	if !(bounded.lost > 0.1) {
		t.Errorf("three attempts: %+v", bounded)
	}
	for _, o := range outcomes[:3] {
		if o.seconds < o.floor {
			t.Errorf("%+v is sooner done than the target allows", o)
		}
	}
}

// studyCells are a study's in its quick form.
func studyCells(name string) []bench.Scenario {
	s, err := all.Lookup(name)
	if err != nil {
		panic(err)
	}
	return s.Cells(Quick)
}

// sound: no number in a finding is none.
func sound(t *testing.T, f Finding) {
	t.Helper()
	for _, line := range append([]string{f.Because}, f.Lines...) {
		if strings.Contains(line, "NaN") || strings.Contains(line, "Inf") {
			t.Errorf("the finding says %q", line)
		}
	}
}

// TestRetryCounted holds what is written of bounds and faults against the metrics they come from.
func TestRetryCounted(t *testing.T) {
	m := synthetic(studyCells("retry"), 1, func(sc bench.Scenario, _ int) map[string]float64 {
		switch sc.Name() {
		case poisonCell(30).Name(): // one task stands in the door, the others are refused 30 times
			return map[string]float64{"attempts/op": (1 + 30*poisonTasks) / float64(poisonTasks+1), "throttled/op": 1}
		case faultCell(retryTries).Name():
			return map[string]float64{"attempts/op": 1}
		case retryCell(retryDoors[0], retryBounded("retry_queue", 3)).Name():
			return map[string]float64{"throttled/op": 0.25, "attempts/op": 3, "makespan-sec": 1}
		}
		return nil
	})
	said := strings.Join(retryBoundLines(m), "\n")
	for _, want := range []string{"costs 30 calls with at most 30 attempts:", "no refusal costs 1 call,", "make retry_queue give up good tasks of the batch at token_bucket: 25 % with 3"} {
		if !strings.Contains(said, want) {
			t.Errorf("it is not said that %q:\n%s", want, said)
		}
	}
	if d := (retryDoor{burst: 10}).floor(math.NaN()); d != 19.8 {
		t.Errorf("a rate of 50 with bursts of 10 serves 1000 in %v s, want 19.8", d)
	}
}
