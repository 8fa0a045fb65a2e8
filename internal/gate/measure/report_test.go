package measure_test

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
)

// passed reports whether the trial meets its goals: no false alarm, 19 of 20 regressions of 10 %
// and all of 20 % found, within the time longest.
func (t *trial) passed() bool {
	ten, twenty := t.more[10], t.more[20]
	if limit, asked := t.longest(); asked && t.options.unchanged > 0 {
		if median, _ := t.times(0,
			func(s gateTime) float64 { return s.Measuring }); median > limit.Seconds() {
			return false
		}
	}
	return t.unchanged.of()+t.beside.of() > 0 && t.failed == 0 && 20*ten.worse >= 19*ten.of() &&
		twenty.worse == twenty.of() && t.untrusted == 0
}

func (t *trial) report(now time.Time) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("## %d benchmarks: %s", len(t.options.suite.names()), t.options.suite.about)
	say("")
	say("%s, by `go test ./internal/gate/measure -poolbench POOLBENCH -suite %s -unchanged %d "+
		"-changed %d -seed %d -runtime %v`: %s, %s/%s, %d processors of type %s; %d fresh pairs at most.",
		now.Format("2006-01-02"), t.options.suite.name, t.options.unchanged, t.options.changed,
		t.options.seed, t.options.runTime, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), cmp.Or(machine.CPUModel(), runtime.GOARCH), t.pairs)
	say("")
	say("%d kinds of work in one module: %s. Where the head does more, it does a counted number "+
		"of rounds more.",
		len(t.options.suite.families),
		strings.ToLower(strings.Join(t.options.suite.families, ", ")))
	say("")
	say("| what was measured | verdicts | worse | inconclusive | goal |")
	say("|---|--:|--:|--:|---|")
	say("| the same work, in %d gates | %d | %d | %d | no gate says worse: %d did |",
		t.options.unchanged, t.unchanged.of(), t.unchanged.worse,
		t.unchanged.inconclusive, t.failed)
	for _, goal := range []struct {
		percent int
		text    string
	}{{10, "at least 19 in 20"}, {20, "all"}} {
		of := t.more[goal.percent]
		say("| %d %% more work | %d | %d | %d | %s |", goal.percent, of.of(), of.worse,
			of.inconclusive, goal.text)
	}
	say("| the same work, beside regressions | %d | %d | %d | |", t.beside.of(), t.beside.worse,
		t.beside.inconclusive)
	say("")
	say("Gates of unchanged code that could not decide on every benchmark (exit code 3): %d of "+
		"%d. Gates whose controls failed (exit code 2): %d of %d.", t.open, t.options.unchanged,
		t.untrusted, t.gates)
	if limit, asked := t.longest(); asked {
		say("A gate of unchanged code should measure for %.0f s at most, in the median.",
			limit.Seconds())
	}
	for kind, of := range []string{"of unchanged code", "with regressions"} {
		if len(t.took[kind]) > 0 {
			measured, measuredMost := t.times(kind, func(s gateTime) float64 { return s.Measuring })
			took, most := t.times(kind, func(s gateTime) float64 { return s.Whole })
			say("A gate %s measured for %.0f s in the median and %.0f s at most; with its builds "+
				"it took %.0f s and %.0f s.", of, measured, measuredMost, took, most)
		}
	}
	return b.String()
}

// longest returns the maximum time of a gate of unchanged code: 18 runs per benchmark. Starting
// processes dominates runs shorter than 250 ms, so they have no limit.
func (t *trial) longest() (limit time.Duration, asked bool) {
	return time.Duration(18*len(t.options.suite.names())) * t.options.runTime,
		t.options.runTime >= 250*time.Millisecond
}

func (t *trial) times(kind int, of func(gateTime) float64) (median, most float64) {
	var all []float64
	for _, spent := range t.took[kind] {
		all = append(all, of(spent))
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)-1]
}
