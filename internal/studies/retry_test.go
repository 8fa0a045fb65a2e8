package studies

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

// sampleRetry returns runs with the given calls per task: jittered for exponential backoff with
// jitter, others for the other retries.
func sampleRetry(jittered func(dest retryTarget) float64, others, lost float64) *evidence.Measured {
	return synthetic(studyCells("retry"), 2, func(sc bench.Scenario, _ int) map[string]float64 {
		metrics := map[string]float64{"attempts/op": others, "throttled/op": lost,
			"makespan-sec": 25, "mean-service-sec": 0.1}
		for _, dest := range retryTargets {
			for _, way := range retryWays(dest) {
				if way.jittered() && retryCell(dest, way.strategy).Name() == sc.Name() {
					metrics["attempts/op"], metrics["throttled/op"] = jittered(dest), 0
				}
			}
		}
		return metrics
	})
}

func TestRetryVerdicts(t *testing.T) {
	always := func(calls float64) func(retryTarget) float64 {
		return func(retryTarget) float64 { return calls }
	}
	for _, c := range []struct {
		name    string
		m       *evidence.Measured
		want    decide.ClaimVerdict
		because string
	}{
		{"fewest everywhere", sampleRetry(always(2), 3, 0), decide.Holds,
			"exponential backoff with jitter needs the fewest calls at every " +
				"target, ÷ the best other policy's (×0.667)"},
		{"as few", sampleRetry(always(2), 2, 0), decide.Holds,
			"exponential backoff with jitter needs the fewest calls at every " +
				"target, ÷ the best other policy's (×1)"},
		{"the only one that loses nothing", sampleRetry(always(9), 1, 0.1), decide.Holds,
			"exponential backoff with jitter needs the fewest calls at every " +
				"target, ÷ the best other policy's"},
		{"nowhere fewest", sampleRetry(always(4), 3, 0), decide.DoesNotHold,
			"exponential backoff with jitter needs the fewest calls at no target, " +
				"÷ the best other policy's (×1.33)"},
		{"here and there", sampleRetry(
			func(d retryTarget) float64 { return 2 + float64(d.burst) }, 3,
			0), decide.Depends,
			"on the target: it holds for concurrency_cap (×0.667), not for " +
				"token_bucket (×4), fixed_window (×17.3) and sec_ban (×17.3)"},
		{"nobody is done", synthetic(studyCells("retry"), 1,
			func(bench.Scenario, int) map[string]float64 {
				return map[string]float64{"attempts/op": 1, "throttled/op": 0.5, "makespan-sec": 1,
					"mean-service-sec": 0.1}
			}), decide.ClaimUndecided,
			"no policy completes the batch at token_bucket:rate=50,burst=10"},
	} {
		expect(t, c.name, judgeRetry(c.m), c.want, c.because)
	}
}

func TestRetryFewest(t *testing.T) {
	outcomes := []retryOutcome{
		{retryWay{kind: "lossy"}, 0.01, 1, 1, 1}, {retryWay{kind: "slow"}, 0, 2, 20, 1},
		{retryWay{kind: "fast"}, 0, 2.01, 10, 1}, {retryWay{kind: "many"}, 0, 3, 5, 1},
	}
	for range 2 { // in either order
		best, ok := retryFewest(outcomes, func(retryWay) bool { return true })
		if !ok || best.way.kind != "fast" {
			t.Errorf("the fewest are those of %q", best.way.kind)
		}
		slices.Reverse(outcomes)
	}
}

func retryRuns(
	t *testing.T, dest retryTarget, place string, kinds ...string,
) (outcomes []retryOutcome) {
	t.Helper()
	for _, kind := range kinds {
		i := slices.IndexFunc(retryWays(dest), func(w retryWay) bool {
			return w.kind == kind && (w.place == place || w.place == "")
		})
		way := retryWays(dest)[i]
		r := runOnce(t, retryCell(dest, way.strategy))
		outcomes = append(outcomes, retryOf(evidence.FromResults([]*bench.Result{r}), dest, way))
	}
	return outcomes
}

// Pacing needs one call per task. Immediate retries need ten times as many calls as retries with
// jitter, and from a queue they exhaust their attempts. Simultaneous retries take ten times as
// long.
func TestRetryRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	outcomes := retryRuns(t, retryTargets[0], "retry_in_place", retryPaced, retryAtOnce, retryBare,
		retryFull, retryDecorrelated, retryHinted, retryBoth)
	paced, atOnce, hinted := outcomes[0], outcomes[1], outcomes[5]
	if paced.calls != 1 || paced.lost != 0 {
		t.Errorf("pacing: %+v", paced)
	}
	for _, o := range outcomes {
		if o.lost == 0 && o.seconds < o.floor {
			t.Errorf("%+v is sooner done than the target allows", o)
		}
		if o.way.jittered() &&
			!(o.lost == 0 && o.calls < atOnce.calls/10 && o.calls < hinted.calls/5) {
			t.Errorf("%+v, where no backoff is %+v, and Retry-After alone %+v", o, atOnce, hinted)
		}
	}
	outcomes = retryRuns(t, retryTargets[0], "retry_queue", retryAtOnce, retryBare, retryFull)
	atOnce, bare, full := outcomes[0], outcomes[1], outcomes[2]
	if !(atOnce.lost > 0.5) || bare.lost+full.lost > 0 || !(bare.seconds > 5*full.seconds) {
		t.Errorf("queued: %+v", outcomes)
	}
}

func TestRetryBounded(t *testing.T) {
	r := runOnce(t, retryCell(retryTargets[0], retryBounded("retry_in_place", 3)))
	if lost, _ := r.Metric("throttled/op"); !(lost > 0.1) {
		t.Errorf("three attempts lose %v", lost)
	}
}

// Poison tasks use all their attempts. They delay other tasks only if they are retried in place.
func TestPoisonRuns(t *testing.T) {
	var results []*bench.Result
	for _, place := range retryPlaces {
		for _, n := range poisonBounds {
			r := runOnce(t, poisonCell(place, n))
			results = append(results, r)
		}
	}
	m := evidence.FromResults(results)
	for _, place := range retryPlaces {
		for _, n := range poisonBounds {
			o, share := poisonOf(m, place, n), m.Mean(poisonCell(place, n), "throttled/op").Mid
			if want := 1 + float64(n)*share/(1-share); math.Abs(o.calls-want) > 1e-6*want {
				t.Errorf("%s, at most %d attempts: %v calls for each good task, want %v", place,
					n, o.calls, want)
			}
		}
	}
	if few, many := poisonOf(m, "retry_queue", 3),
		poisonOf(m, "retry_queue", 1000); few.seconds != many.seconds ||
		few.seconds < poisonFloor(m) {
		t.Errorf("queued, the last good task is done after %v s, and with a thousand attempts "+
			"after %v; %v is the least", few.seconds, many.seconds, poisonFloor(m))
	}
	if few, many := poisonOf(m, "retry_in_place", 3),
		poisonOf(m, "retry_in_place", 1000); !(many.seconds > 100*few.seconds) {
		t.Errorf("in place, the last good task is done after %v s, and with a thousand attempts "+
			"after %v", few.seconds, many.seconds)
	}
	var f decide.Finding
	answerPoison(m, &f)
	checkSentences(t, f)
}

func studyCells(name string) []bench.Scenario {
	s, err := all.Lookup(name)
	if err != nil {
		panic(err)
	}
	return s.Cells(Quick)
}

func TestRetrySentences(t *testing.T) {
	m := synthetic(studyCells("retry"), 1, func(sc bench.Scenario, _ int) map[string]float64 {
		switch sc.Name() {
		case poisonCell("retry_queue", 30).Name(): // a twentieth of the tasks takes 30 calls each
			return map[string]float64{"attempts/op": 0.95 + 30*0.05, "throttled/op": 0.05,
				"max-response-sec": 6, "mean-service-sec": 0.1}
		case faultCell(retryTries).Name():
			return map[string]float64{"attempts/op": 1}
		case retryCell(retryTargets[0], retryBounded("retry_queue", 3)).Name():
			return map[string]float64{"throttled/op": 0.25, "attempts/op": 3, "makespan-sec": 1}
		}
		return nil
	})
	var f decide.Finding
	answerBounds(m, &f)
	answerPoison(m, &f)
	said := strings.Join(f.Lines, "\n")
	for _, want := range []string{
		"retries queued, with 5 % of the tasks refused for good: the last good task ends after 6 " +
			"s with at most 30 attempts (61.2 % of the calls wasted)",
		"a task that fails without a refusal needs 1 call, although 200 attempts are allowed",
		"a bound on attempts makes retry_queue lose good tasks at token_bucket: 25 % with 3",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it is not said that %q:\n%s", want, said)
		}
	}
	if d := (retryTarget{burst: 10}).floor(math.NaN()); d != 19.8 {
		t.Errorf("a rate of 50 with bursts of 10 serves 1000 in %v s, want 19.8", d)
	}
}
