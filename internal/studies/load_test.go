package studies

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

// sampleLoad returns runs in which all strategies keep up below the capacity. The p99 of one
// waiting strategy differs by a factor.
func sampleLoad(
	factor func(load float64) float64,
) func(sc bench.Scenario, i int) map[string]float64 {
	return func(sc bench.Scenario, i int) map[string]float64 {
		load := sc.Load.Relative
		of := map[string]float64{"p99-response-sec": 0.04 * (1 + load) * (1 + 0.1*float64(i)),
			"shed/op": 0, "throttled/op": 0, "failed/op": 0, "abandoned/op": 0,
			"offered-ops/s": 400 * load, "ops/s": 400 * min(load, 1)}
		switch sc.Strategy.String() {
		case "semaphore":
			of["p99-response-sec"] *= factor(load)
		case shedding:
			of["shed/op"] = 0.2
			of["ops/s"] *= 0.8
		}
		return of
	}
}

func TestLoadVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		factor func(load float64) float64
		want   decide.ClaimVerdict
		says   string
	}{
		"alike": {func(float64) float64 { return 1 }, decide.Holds,
			"worker_pool, semaphore and errgroup_limit have the same p99 to the nanosecond in " +
				"all 30 comparisons at loads below 1; so at most 9.5 % of such runs have another " +
				"result (95 % confidence)"},
		"apart at one": {func(load float64) float64 {
			return map[bool]float64{true: 1.1, false: 1}[load == 0.8]
		}, decide.Depends,
			"on the load: the p99s of worker_pool, semaphore and errgroup_limit differ in 3 of 30" +
				" comparisons at loads below 1, by up to 10 %"},
		"apart above one": {func(load float64) float64 {
			return map[bool]float64{true: 9, false: 1}[load > 1]
		}, decide.Holds,
			"worker_pool, semaphore and errgroup_limit have the same p99 to the nanosecond in " +
				"all 30 comparisons at loads below 1; so at most 9.5 % of such runs have another " +
				"result (95 % confidence)"},
	} {
		f := judgeAndDraw(t, synthetic(loadSweep(Quick, familiar...), 3,
			sampleLoad(c.factor)), judgeLoad, drawNearing)
		expect(t, name, f, c.want, c.says)
	}
	both := func(sc bench.Scenario, i int) map[string]float64 {
		of := sampleLoad(func(float64) float64 { return 1.1 })(sc, i)
		if sc.Strategy.String() == "errgroup_limit" {
			of["p99-response-sec"] *= 1.2
		}
		return of
	}
	if f := judgeAndDraw(t, synthetic(loadSweep(Quick, familiar...), 3, both), judgeLoad,
		drawNearing); f.Verdict != decide.DoesNotHold || !strings.Contains(f.Because, "20 %") {
		t.Errorf("all apart: %v (%s)", f.Verdict, f.Because)
	}
	if f := judgeLoad(synthetic(loadSweep(Quick, waiting[:2]...), 3,
		both)); f.Verdict != decide.ClaimUndecided {
		t.Errorf("%v without %s", f.Verdict, waiting[2])
	}
}

func TestLoadTableHasMedians(t *testing.T) {
	f := judgeLoad(synthetic(loadSweep(Quick, familiar...), 3,
		func(sc bench.Scenario, i int) map[string]float64 {
			of := sampleLoad(func(float64) float64 { return 1 })(sc, i)
			of["p99-response-sec"] = []float64{0.1, 0.116, 0.7}[i]
			return of
		}))
	if row := f.Table.Rows[4]; row[0] != "0.9" || row[1] != "116 ms" {
		t.Errorf("%q", row)
	}
}

func TestLoadBehind(t *testing.T) {
	m := synthetic(loadSweep(Quick, familiar...), 1,
		sampleLoad(func(float64) float64 { return 1 }))
	for _, sc := range loadSweep(Quick, familiar...) {
		want := sc.Load.Relative > 1 && sc.Strategy.String() != shedding
		if got := fallsBehind(m, sc); got != want {
			t.Errorf("%s: behind is %v", sc.Name(), got)
		}
	}
}

func TestLoad(t *testing.T) {
	at := func(name string) bench.Scenario {
		sc := loadSweep(Quick, name)[4]
		sc.Stop.Tasks = 5000
		return sc
	}
	m := measureCells(t, at(waiting[0]), at(waiting[1]), at(shedding))
	p99 := func(name string) float64 { return m.Mean(at(name), "p99-response-sec").Mid }
	if p99(waiting[0]) != p99(waiting[1]) {
		t.Errorf("%s has a p99 of %v, %s of %v", waiting[0], p99(waiting[0]),
			waiting[1], p99(waiting[1]))
	}
	if shed := m.Mean(at(shedding), "shed/op").Mid; p99(shedding) >= p99(waiting[0]) || shed < 0.2 {
		t.Errorf("%s has a p99 of %v and sheds %v; %s has %v", shedding, p99(shedding), shed,
			waiting[0], p99(waiting[0]))
	}
}
