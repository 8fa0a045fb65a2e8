package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// passed reports whether the goals are reached: no gate of unchanged code says worse, 19 of 20 regressions of a tenth are found and all of a fifth.
func (t *trial) passed() bool {
	ten, twenty := t.more[10], t.more[20]
	return t.unchanged.of()+t.beside.of() > 0 && t.failed == 0 && 20*ten.worse >= 19*ten.of() && twenty.worse == twenty.of() && t.untrusted == 0
}

// report is the outcome in Markdown.
func (t *trial) report(now time.Time) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("## %d benchmarks: %s", len(t.options.suite.names()), t.options.suite.about)
	say("")
	say("%s, by `go run ./internal/gatelive -suite %s -benchtime %v`: %s, %s/%s, %d processors of type %s; %d fresh pairs at most.",
		now.Format("2006-01-02"), t.options.suite.name, t.options.benchTime, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor(), t.pairs)
	say("")
	say("%d kinds of work in one module: %s. Where the head does more, it does a counted number of rounds more.",
		len(t.options.suite.families), strings.ToLower(strings.Join(t.options.suite.families, ", ")))
	say("")
	say("| what was measured | verdicts | worse | inconclusive | goal |")
	say("|---|--:|--:|--:|---|")
	say("| the same work, in %d gates | %d | %d | %d | no gate says worse: %d did |", t.options.unchanged, t.unchanged.of(), t.unchanged.worse, t.unchanged.inconclusive, t.failed)
	for _, goal := range []struct {
		percent int
		text    string
	}{{10, "at least 19 in 20"}, {20, "all"}} {
		of := t.more[goal.percent]
		say("| %d %% more work | %d | %d | %d | %s |", goal.percent, of.of(), of.worse, of.inconclusive, goal.text)
	}
	say("| the same work, beside regressions | %d | %d | %d | |", t.beside.of(), t.beside.worse, t.beside.inconclusive)
	say("")
	say("Gates of unchanged code that could not decide on every benchmark (exit code 3): %d of %d. Gates whose controls failed (exit code 2): %d of %d.", t.open, t.options.unchanged, t.untrusted, t.gates)
	for kind, of := range []string{"of unchanged code", "with regressions"} {
		if took := slices.Sorted(slices.Values(t.took[kind])); len(took) > 0 {
			say("A gate %s took %v in the median, builds included, and %v at most.", of, took[len(took)/2].Round(time.Second), took[len(took)-1].Round(time.Second))
		}
	}
	return b.String()
}

// processor is the model's name where the system tells.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
