package gate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

func textOf(w io.Writer, r *verdict.Report) error { return WriteText(w, r, 0) }

func mustJudge(t *testing.T, old, new *results.Results, opts verdict.Options) *verdict.Report {
	t.Helper()
	r, err := Judge(old, new, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGateGoldens(t *testing.T) {
	r := mustJudge(t, resultstest.Sample(t, "old.txt"), resultstest.Sample(t, "new.txt"),
		DefaultOptions())
	resultstest.Golden(t, "gate.text", func(w io.Writer) error { return textOf(w, r) })
	resultstest.Golden(t, "gate.md", func(w io.Writer) error { return WriteMarkdown(w, r) })
	resultstest.Golden(t, "gate.json", func(w io.Writer) error { return WriteJSON(w, r) })
}

func around(center float64, n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint(center * (0.9975 + 0.005*float64(i)/float64(n)))
	}
	return values
}

// wide returns n values. The largest is about 80 times the smallest.
func wide(center float64, n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint(center * math.Exp(4.4*(float64(i)/float64(n-1)-0.5)))
	}
	return values
}

func gateOne(
	t *testing.T,
	head, unit string,
	old, new []string,
	opts verdict.Options,
) *verdict.Report {
	t.Helper()
	return mustJudge(t, resultstest.Read(t, "old", head+resultstest.Repeat("X", unit, old...)),
		resultstest.Read(t, "new", head+resultstest.Repeat("X", unit, new...)), opts)
}

func TestGateVerdict(t *testing.T) {
	lower, higher := "Unit m better=lower\n", "Unit m better=higher\n"
	exact := "Unit m better=lower assume=exact\n"
	margin := func(m, promise float64) verdict.Options {
		o := DefaultOptions()
		o.Margin, o.Promise = m, promise
		return o
	}
	for _, test := range []struct {
		name, head, unit string
		old, new         []string
		opts             verdict.Options
		verdict          verdict.Verdict
		exit             int
		reason           string
	}{
		{"the same", lower, "m", around(100, 10), around(100, 10), margin(.02, .1),
			verdict.NoWorse, 0, ""},
		{"longer", lower, "m", around(100, 10), around(120, 10), margin(.02, .1),
			verdict.Worse, 1, ""},
		{"shorter", lower, "m", around(100, 10), around(80, 10), margin(.02, .1),
			verdict.Better, 0, ""},
		{"less throughput", higher, "m", around(100, 10), around(80, 10),
			margin(.02, .1), verdict.Worse, 1, ""},
		{"more throughput", higher, "m", around(100, 10), around(120, 10),
			margin(.02, .1), verdict.Better, 0, ""},
		{"the direction of ns/op is known", "", "ns/op", around(100, 10), around(120, 10),
			margin(.02, .1), verdict.Worse, 1, ""},
		{"and of MB/s", "", "MB/s", around(100, 10), around(120, 10),
			margin(.02, .1), verdict.Better, 0, ""},

		{"within the margin", lower, "m", around(100, 10), around(101, 10),
			margin(.02, .1), verdict.NoWorse, 0, ""},
		{"no margin", lower, "m", around(100, 10), around(101, 10), margin(0, .1),
			verdict.Worse, 1, ""},
		{"within the margin, shorter", lower, "m", around(100, 10), around(99, 10),
			margin(.02, .1), verdict.NoWorse, 0, ""},
		{"no margin, shorter", lower, "m", around(100, 10), around(99, 10),
			margin(0, .1), verdict.Better, 0, ""},
		{"within the margin, less throughput", higher, "m", around(100, 10), around(99, 10),
			margin(.02, .1), verdict.NoWorse, 0, ""},
		{"no margin, less throughput", higher, "m", around(100, 10), around(99, 10),
			margin(0, .1), verdict.Worse, 1, ""},
		{"above the margin, below the promise", lower, "m", around(100, 10), around(105, 10),
			margin(.02, .1), verdict.Worse, 1, ""},
		{"a wider margin", lower, "m", around(100, 10), around(105, 10),
			margin(.06, .1), verdict.NoWorse, 0, ""},
		{"a promise as narrow as the margin", lower, "m", around(100, 10), around(105, 10),
			margin(.05, .05), verdict.Inconclusive, 3,
			"a regression of 5 % is not excluded"},

		{"too much noise", lower, "m", wide(100, 10), wide(100, 10), margin(.02, .1),
			verdict.Inconclusive,
			3,
			"a regression of 10 % is not excluded"},
		{"too much noise, higher is better", higher, "m", wide(100, 10), wide(100, 10),
			margin(.02, .1), verdict.Inconclusive, 3,
			"a regression of 10 % is not excluded"},
		{"too much noise even for a longer mean", lower, "m", wide(100, 10), wide(120, 10),
			margin(.02, .1), verdict.Inconclusive, 3,
			"a regression of 10 % is not excluded"},
		{"a large change shows through noise", lower, "m", wide(100, 10), wide(1000, 10),
			margin(.02, .1), verdict.Worse, 1, ""},

		{"four samples do", lower, "m", around(100, 4), around(100, 4),
			margin(.02, .1), verdict.NoWorse, 0, ""},
		{"four samples do, longer", lower, "m", around(100, 4), around(120, 4),
			margin(.02, .1), verdict.Worse, 1, ""},
		{"three do not", lower, "m", around(100, 3), around(100, 3), margin(.02, .1),
			verdict.Inconclusive,
			3,
			"too few samples: 3 and 3, need 4 each"},
		{"nor do they tell what is worse", lower, "m", around(100, 3), around(900, 3),
			margin(.02, .1), verdict.Inconclusive, 3,
			"too few samples: 3 and 3, need 4 each"},
		{"one against many", lower, "m", around(100, 1), around(100, 30),
			margin(.02, .1), verdict.Inconclusive, 3,
			"too few samples: 1 and 30, need 4 each"},
		{"two against many", lower, "m", around(100, 2), around(100, 30),
			margin(.02, .1), verdict.Inconclusive, 3,
			"too few samples: 2 and 30, need 4 each"},
		{"four against many", lower, "m", around(100, 4), around(100, 30),
			margin(.02, .1), verdict.NoWorse, 0, ""},
		{"one and one", lower, "m", around(100, 1), around(100, 1), margin(.02, .1),
			verdict.Inconclusive,
			3,
			"too few samples: 1 and 1, need 4 each"},

		{"zero to zero", lower, "m", resultstest.Same("0", 10), resultstest.Same("0", 10),
			margin(.02, .1), verdict.NoWorse, 0, ""},
		{"zero to zero, higher is better", higher, "m", resultstest.Same("0", 10),
			resultstest.Same("0", 10), margin(.02, .1), verdict.NoWorse, 0, ""},
		{"zero to zero, once", lower, "m", resultstest.Same("0", 1), resultstest.Same("0", 1),
			margin(.02, .1), verdict.NoWorse, 0, ""},
		{"from zero", lower, "m", resultstest.Same("0", 10), around(1e-6, 10),
			margin(.02, .1), verdict.Worse, 1, ""},
		{"from zero, mostly", lower, "m", resultstest.Same("0", 10),
			append(resultstest.Same("0", 3), around(1e-6, 7)...), margin(.02, .1),
			verdict.Worse, 1, ""},
		{"from zero, once", lower, "m", resultstest.Same("0", 10),
			append(resultstest.Same("0", 9), "1"), margin(.02, .1), verdict.Inconclusive, 3,
			"0 in every run of the base, above 0 in the head"},
		{"from zero, too few", lower, "m", resultstest.Same("0", 3), around(1, 3),
			margin(.02, .1), verdict.Inconclusive, 3,
			"too few samples: 3 and 3, need 4 each"},
		{"to zero", lower, "m", around(1, 10), resultstest.Same("0", 10),
			margin(.02, .1), verdict.Better, 0, ""},
		{"from zero, higher is better", higher, "m", resultstest.Same("0", 10), around(1, 10),
			margin(.02, .1), verdict.Better, 0, ""},
		{"to zero, higher is better", higher, "m", around(1, 10), resultstest.Same("0", 10),
			margin(.02, .1), verdict.Worse, 1, ""},

		{"exact, the same", exact, "m", resultstest.Same("7", 1), resultstest.Same("7", 1),
			margin(.02, .1), verdict.NoWorse, 0, ""},
		{"exact, more", exact, "m", resultstest.Same("7", 1), resultstest.Same("8", 1),
			margin(.02, .1), verdict.Worse, 1, ""},
		{"exact, less", exact, "m", resultstest.Same("7", 1), resultstest.Same("6", 1),
			margin(.02, .1), verdict.Better, 0, ""},
		{"exact, within the margin", exact, "m", resultstest.Same("700", 1),
			resultstest.Same("701", 1), margin(.02, .1), verdict.NoWorse, 0, ""},
		{"exact, from zero", exact, "m", resultstest.Same("0", 1), resultstest.Same("1", 1),
			margin(.02, .1), verdict.Worse, 1, ""},
		{"exact, higher is better", "Unit m better=higher assume=exact\n", "m",
			resultstest.Same("7", 1), resultstest.Same("6", 1), margin(.02, .1),
			verdict.Worse, 1, ""},
		{"called exact, but varies", exact, "m", resultstest.Same("7", 3), []string{"7", "7", "8"},
			margin(.02, .1), verdict.Inconclusive, 3,
			"too few samples: 3 and 3, need 4 each"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := gateOne(t, test.head, test.unit, test.old, test.new, test.opts)
			if len(r.Rows) != 1 {
				t.Fatalf("%d rows, not gated %+v", len(r.Rows), r.NotGated)
			}
			row := r.Rows[0]
			if row.Verdict != test.verdict || row.Reason != test.reason ||
				r.ExitCode() != test.exit {
				t.Errorf("%s (%s), exit code %d; want %s (%s), %d\n%+v",
					row.Verdict, row.Reason, r.ExitCode(), test.verdict,
					test.reason, test.exit, row)
			}
			if row.Old.N != len(test.old) || row.New.N != len(test.new) {
				t.Errorf("n is %d and %d", row.Old.N, row.New.N)
			}
		})
	}
}

func TestGateReport(t *testing.T) {
	fine := resultstest.Repeat("X", "ns/op", around(100, 10)...)
	slow := resultstest.Repeat("X", "ns/op", around(120, 10)...)
	noisy := resultstest.Repeat("N", "ns/op", wide(100, 10)...)
	open := func(key string) string {
		return "Unit ops/s better=higher\nUnit p99-response-sec better=lower\n" + strings.Repeat(
			"BenchmarkRun/strategy=a/arrival=poisson/"+key+
				"/clock=real 9 101.3 ns/op 7.321 ops/s 3.456 p99-response-sec\n", 10)
	}
	lawful := "Unit broken-laws better=lower\n" +
		strings.ReplaceAll(fine, "ns/op", "ns/op 0 broken-laws")
	judged := "Unit verdict better=lower\nUnit p99-hiccup-sec better=lower\n" +
		strings.ReplaceAll(fine, "ns/op", "ns/op 0 verdict 4.123 p99-hiccup-sec")
	aside := "Unit p99-lag-sec better=lower\nUnit max-wait-sec better=lower\n" +
		strings.ReplaceAll(fine, "ns/op", "ns/op 3.123 p99-lag-sec 4.321 max-wait-sec")
	const largest = "the maximum of a sample varies too much (select it by name)"
	const belief = "it describes the measurement, not the measured code"
	const echo = "below saturation it only shows the planned arrivals"
	ofX := func(reason string) []string { return []string{reason} }

	for _, test := range []struct {
		name, old, new string
		metrics        []string
		exit           int
		rows           int
		notGated       []string // metric: reason
		failOnRemoved  bool
		added, removed []string
		faults         []string
		unclear        []string
		warnings       []string
	}{
		{name: "fine", old: fine, new: fine, rows: 1},
		{name: "a regression", old: fine, new: slow, exit: 1, rows: 1},
		{name: "a regression beside doubt", old: fine + noisy, new: slow + noisy, exit: 1, rows: 2},
		{name: "doubt beside what is fine", old: fine + noisy, new: fine + noisy, exit: 3, rows: 2},

		{name: "a benchmark is gone", old: fine + noisy, new: fine, rows: 1,
			removed: []string{"N"}},
		{name: "a benchmark is gone, and must not be", old: fine + noisy, new: fine, rows: 1,
			failOnRemoved: true, exit: 1, removed: []string{"N"}},
		{name: "none is gone, and must not be", old: fine, new: fine + noisy, rows: 1,
			failOnRemoved: true, added: []string{"N"}},
		{name: "a benchmark is new", old: fine, new: fine + noisy, rows: 1, added: []string{"N"}},
		{name: "a benchmark is renamed beside a regression", old: fine + noisy,
			new: slow + strings.ReplaceAll(noisy, "kN", "kM"), exit: 1, rows: 1,
			added: []string{"M"}, removed: []string{"N"}},
		{name: "a new package, in another order", old: "pkg: b\n" + fine,
			new: "pkg: a\n" + fine + "pkg: b\n" + slow, exit: 1, rows: 1, added: []string{"a.X"}},
		{name: "fewer runs than its siblings", old: fine + strings.ReplaceAll(fine, "kX", "kY"),
			new: fine + strings.Join(
				strings.SplitAfter(strings.ReplaceAll(fine, "kX", "kY"), "\n")[:4], ""),
			exit: 2, rows: 2, faults: []string{"new: Y has 4 of 10 runs: did the run end early?"}},
		{name: "fewer runs than its siblings on both sides",
			old: fine + resultstest.Repeat("Y", "ns/op", around(1, 8)...),
			new: fine + resultstest.Repeat("Y", "ns/op", around(1, 8)...), rows: 2},
		{name: "a run that failed", old: fine, new: fine + "FAIL\ta [build failed]\n", exit: 2,
			rows: 1, faults: []string{"new is incomplete: go test failed, line 11: " +
				"FAIL a [build failed]"}},
		{name: "a benchmark without direction is gone",
			old: fine + resultstest.Repeat("Y", "frobs", "1"), new: fine, rows: 1,
			removed: []string{"Y"}},
		{name: "a package is gone", old: "pkg: a\n" + fine + "pkg: b\n" + fine, new: "pkg: a\n" +
			fine, rows: 1, removed: []string{"b.X"}},

		{name: "without direction", old: fine + resultstest.Repeat("X", "frobs", around(1, 10)...),
			new: fine + resultstest.Repeat("X", "frobs", around(1, 10)...), rows: 1,
			notGated: []string{"frobs: direction not known"},
			warnings: []string{"old has sec/op of X in only 10 of 20 runs",
				"old has frobs of X in only 10 of 20 runs",
				"new has sec/op of X in only 10 of 20 runs",
				"new has frobs of X in only 10 of 20 runs"}},
		{name: "without direction, and it differs",
			old: strings.ReplaceAll(fine, "ns/op", "ns/op 5 frobs"),
			new: strings.ReplaceAll(fine, "ns/op", "ns/op 9 frobs"), exit: 3, rows: 1,
			notGated: []string{"frobs: direction not known"},
			unclear: []string{"frobs of X has no verdict: it differs, and its better direction " +
				"is unknown: give --better frobs=lower or =higher"}},
		{name: "evident directions",
			old: strings.ReplaceAll(fine, "ns/op", "ns/op 5123 p99-ns 7125 req/s"),
			new: strings.ReplaceAll(fine, "ns/op", "ns/op 5123 p99-ns 7125 req/s"), rows: 3},
		{name: "nothing has a direction", old: resultstest.Repeat("X", "frobs", around(1, 10)...),
			new: resultstest.Repeat("X", "frobs", around(1, 10)...), exit: 2,
			notGated: []string{"frobs: direction not known"},
			faults:   ofX("no metric left to compare")},
		{name: "asked for a metric without direction",
			old:     strings.ReplaceAll(fine, "ns/op", "ns/op 5 frobs"),
			new:     strings.ReplaceAll(fine, "ns/op", "ns/op 5 frobs"),
			metrics: []string{"ns/op", "frobs"}, exit: 2, rows: 1,
			notGated: []string{"frobs: direction not known"},
			faults: []string{"frobs of X has no verdict: no Unit line states whether higher or " +
				"lower is better"}},
		{name: "asked for another", old: strings.ReplaceAll(fine, "ns/op", "ns/op 5 B/op"),
			new:     strings.ReplaceAll(slow, "ns/op", "ns/op 5 B/op"),
			metrics: []string{"B/op"}, rows: 1},

		{name: "a metric is lost", old: strings.ReplaceAll(fine, "ns/op", "ns/op 5 B/op"),
			new: fine, exit: 3, rows: 1,
			notGated: []string{"B/op: missing in new"},
			unclear:  []string{"B/op of X has no verdict: missing in new"}},
		{name: "a metric is gained", old: fine,
			new: strings.ReplaceAll(fine, "ns/op", "ns/op 5 B/op"), rows: 1,
			notGated: []string{"B/op: missing in old"}},
		{name: "a metric asked for is lost", old: strings.ReplaceAll(fine, "ns/op", "ns/op 5 B/op"),
			new: fine, metrics: []string{"B/op", "ns/op"}, exit: 2, rows: 1,
			notGated: []string{"B/op: missing in new"},
			faults:   []string{"B/op of X has no verdict: missing in new"}},
		{name: "a metric asked for is gained", old: fine,
			new:     strings.ReplaceAll(fine, "ns/op", "ns/op 5 B/op"),
			metrics: []string{"B/op", "ns/op"}, exit: 2, rows: 1,
			notGated: []string{"B/op: missing in old"},
			faults:   []string{"B/op of X has no verdict: missing in old"}},
		{name: "a metric without direction is lost",
			old: strings.ReplaceAll(fine, "ns/op", "ns/op 5 frobs"), new: fine, rows: 1,
			notGated: []string{"frobs: direction not known"}},
		{name: "a metric is lost in some runs", old: fine,
			new: strings.Replace(fine, "ns/op", "B/op", 1), rows: 1,
			notGated: []string{"B/op: missing in old"},
			warnings: []string{"new has sec/op of X in only 9 of 10 runs",
				"new has B/op of X in only 1 of 10 runs"}},

		{name: "negative", old: "Unit d better=lower\n" +
			resultstest.Repeat("X", "d", around(-1, 10)...) + noisy,
			new: resultstest.Repeat("X", "d", around(1, 10)...) + noisy, exit: 3, rows: 1,
			notGated: []string{"d: it has negative values, which have no ratio"},
			unclear: []string{"d of X has no verdict: it has negative values, which have no " +
				"ratio"}},
		{name: "negative, asked for", old: "Unit d better=lower\n" +
			resultstest.Repeat("X", "d", around(1, 10)...),
			new: resultstest.Repeat("X", "d", around(-1, 10)...), metrics: []string{"d"}, exit: 2,
			notGated: []string{"d: it has negative values, which have no ratio"},
			faults: []string{"d of X has no verdict: it has negative values, which have no " +
				"ratio", "no metric left to compare"}},

		{name: "open loop", old: open("load=0.8"), new: open("load=0.8"), rows: 1,
			notGated: []string{"sec/op: " + echo, "ops/s: " + echo}},
		{name: "open loop, asked for", old: open("load=0.8"), new: open("load=0.8"),
			metrics: []string{"ops/s"}, rows: 1},
		{name: "open loop, saturated", old: open("load=1"), new: open("load=1"), rows: 3},
		{name: "open loop by rate", old: open("rate=200"), new: open("rate=200"), rows: 3},
		{name: "closed loop", old: strings.ReplaceAll(open("load=0.8"), "poisson",
			"closed:clients=4"), new: strings.ReplaceAll(open("load=0.8"), "poisson",
			"closed:clients=4"), rows: 3},
		{name: "batch", old: strings.ReplaceAll(open("load=0.8"), "poisson", "batch"),
			new: strings.ReplaceAll(open("load=0.8"), "poisson", "batch"), rows: 3},
		{name: "bulk", old: strings.ReplaceAll(open("load=0.8"), "poisson", "bulk:n=4"),
			new: strings.ReplaceAll(open("load=0.8"), "poisson", "bulk:n=4"), rows: 1,
			notGated: []string{"sec/op: " + echo, "ops/s: " + echo}},

		{name: "partial", old: fine, new: "# poolbench results 1\n" + fine, exit: 3, rows: 1,
			unclear: []string{"new is incomplete: cut off after line 11: the run was killed, or " +
				"is still running"}},
		{name: "partial old", old: "# poolbench results 1\n" + fine +
			"# partial 10 of 99 runs: interrupted\n", new: fine, exit: 3, rows: 1,
			unclear: []string{"old is incomplete: 10 of 99 runs: interrupted"}},
		{name: "partial and worse", old: fine, new: "# poolbench results 1\n" + slow,
			exit: 1, rows: 1,
			unclear: []string{"new is incomplete: cut off after line 11: the run was killed, or " +
				"is still running"}},

		{name: "laws are kept", old: lawful, new: lawful, rows: 1,
			notGated: []string{"broken-laws: " + belief}},
		{name: "laws are broken", old: lawful,
			new: strings.Replace(lawful, " 0 broken-laws", " 2 broken-laws", 1), exit: 3, rows: 1,
			notGated: []string{"broken-laws: " + belief},
			unclear: []string{"new: 1 of 10 runs break invariants (first " +
				"in line 2)"}},
		{name: "laws are broken on both sides", old: strings.ReplaceAll(lawful, " 0 ", " 1 "),
			new: strings.ReplaceAll(lawful, " 0 ", " 1 "), exit: 3, rows: 1,
			notGated: []string{"broken-laws: " + belief},
			unclear: []string{"old: 10 of 10 runs break invariants (first " +
				"in line 2)",
				"new: 10 of 10 runs break invariants (first in line 2)"}},

		{name: "suspect runs", old: judged,
			new: strings.ReplaceAll(judged, " 0 verdict", " 1 verdict"), rows: 1,
			notGated: []string{"verdict: " + belief, "p99-hiccup-sec: " + belief}},
		{name: "invalid runs", old: judged, new: strings.Replace(judged, " 0 verdict", " 2 verdict",
			2), exit: 3, rows: 1,
			notGated: []string{"verdict: " + belief, "p99-hiccup-sec: " + belief},
			unclear: []string{"new: 2 of 10 runs are INVALID (first in " +
				"line 3)"}},

		{name: "what is set aside", old: aside, new: aside, rows: 1,
			notGated: []string{"p99-lag-sec: " + belief, "max-wait-sec: " + largest}},
		{name: "what is set aside, asked for", old: aside, new: aside,
			metrics: []string{"p99-lag-sec", "max-wait-ns"}, rows: 2},

		{name: "other cpu", old: "cpu: A\n" + fine, new: "cpu: B\n" + fine, exit: 2, rows: 1,
			faults: []string{"benchmarks vary in cpu: A in old; B in new"}},
		{name: "no cpu", old: "cpu: A\n" + fine, new: fine, exit: 2, rows: 1,
			faults: []string{"benchmarks vary in cpu: A in old; none in new"}},
		{name: "a mix of cpus", old: "cpu: A\n" + fine + "cpu: B\n" + fine, new: "cpu: A\n" + fine +
			"cpu: B\n" + fine, exit: 2, rows: 1,
			faults: []string{"benchmarks vary in cpu: A, B in old; A, B in new"}},
		{name: "other system", old: "goos: linux\n" + fine, new: "goos: darwin\n" + fine, exit: 2,
			rows: 1, faults: []string{"benchmarks vary in goos: linux in old; darwin in new"}},
		{name: "other architecture", old: "goarch: amd64\n" + fine, new: "goarch: arm64\n" + fine,
			exit: 2, rows: 1,
			faults: []string{"benchmarks vary in goarch: amd64 in old; arm64 in new"}},
		{name: "other Go", old: "go: go1.25\n" + fine, new: "go: go1.26\n" + fine, exit: 2, rows: 1,
			faults: []string{"benchmarks vary in go: go1.25 in old; go1.26 in new"}},
		{name: "other GOMAXPROCS", old: "gomaxprocs: 2\n" + fine, new: "gomaxprocs: 4\n" + fine,
			exit: 2, rows: 1,
			faults: []string{"benchmarks vary in gomaxprocs: 2 in old; 4 in new"}},
		{name: "another commit", old: "commit: a\n" + fine, new: "commit: b\n" + fine, rows: 1,
			warnings: []string{"benchmarks vary in commit: a in old; b in new"}},
		{name: "a log line", old: fine, new: "error: gone\n" + fine, rows: 1,
			warnings: []string{"benchmarks vary in error: none in old; gone in new"}},
		{name: "warnings of the reader", old: fine, new: fine + "Benchmark log 5 ns/op\n", rows: 1,
			warnings: []string{"new:11: not a result line, omitted: parsing iteration count: " +
				"invalid syntax"}},
		{name: "exact, but varies", old: "Unit d better=lower assume=exact\n" +
			resultstest.Repeat("X", "d", around(1, 10)...),
			new: resultstest.Repeat("X", "d", around(1, 10)...), rows: 1,
			warnings: []string{"d of X varies although its Unit line has assume=exact, so it is " +
				"tested like other metrics"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := DefaultOptions()
			opts.Metrics, opts.FailOnRemoved = test.metrics, test.failOnRemoved
			r := mustJudge(t, resultstest.Read(t, "old", test.old),
				resultstest.Read(t, "new", test.new), opts)
			if got := r.ExitCode(); got != test.exit {
				t.Errorf("exit code %d, want %d", got, test.exit)
			}
			if len(r.Rows) != test.rows {
				t.Errorf("%d rows, want %d", len(r.Rows), test.rows)
			}
			var notGated []string
			for _, g := range r.NotGated {
				notGated = append(notGated, g.Metric+": "+g.Reason)
			}
			sameLines(t, "not gated", notGated, test.notGated)
			sameLines(t, "added", r.Added, test.added)
			sameLines(t, "removed", r.Removed, test.removed)
			sameLines(t, "faults", r.Faults, test.faults)
			sameLines(t, "unclear", r.Unclear, test.unclear)
			sameLines(t, "warnings", r.Warnings, test.warnings)
			for _, render := range []func(io.Writer, *verdict.Report) error{textOf,
				WriteMarkdown, WriteJSON} {
				var out strings.Builder
				if err := render(&out, r); err != nil {
					t.Fatal(err)
				}
				text := strings.NewReplacer(`\_`, "_", `\[`, "[").Replace(out.String())
				for _, line := range slices.Concat(r.Faults, r.Unclear, r.Warnings, r.Added,
					r.Removed) {
					if !strings.Contains(text, line) {
						t.Errorf("%q is not in\n%s", line, text)
					}
				}
				for _, g := range r.NotGated {
					if !strings.Contains(text, g.Metric) || !strings.Contains(text, g.Reason) {
						t.Errorf("%+v is not in\n%s", g, text)
					}
				}
			}
		})
	}
}

func sameLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestGateAllows(t *testing.T) {
	fine := resultstest.Repeat("X", "ns/op", around(100, 10)...)
	old, new := resultstest.Read(t, "old", "cpu: A\n"+fine),
		resultstest.Read(t, "new", "# poolbench results 1\ncpu: B\n"+fine)
	opts := DefaultOptions()
	opts.AllowPartial = true
	if r := mustJudge(t, old, new, opts); r.ExitCode() != 2 || len(r.Unclear) != 0 {
		t.Errorf("AllowPartial: %+v", r)
	}
	opts.AllowPartial, opts.AllowEnvironment = false, true
	if r := mustJudge(t, old, new, opts); r.ExitCode() != 3 || len(r.Faults) != 0 {
		t.Errorf("AllowEnvironment: %+v", r)
	}
	opts.AllowPartial = true
	r := mustJudge(t, old, new, opts)
	if r.ExitCode() != 0 {
		t.Errorf("both: %+v", r)
	}
	sameLines(t, "warnings", r.Warnings, []string{
		"benchmarks vary in cpu: A in old; B in new",
		"new is incomplete: cut off after line 12: the run was killed, or is still running",
	})
}

func TestGateRefuses(t *testing.T) {
	x := resultstest.Read(t, "x", resultstest.Repeat("X", "ns/op", "1"))
	for _, test := range []struct {
		change func(*verdict.Options)
		want   string
	}{
		{func(o *verdict.Options) { o.Margin = -0.1 }, "a margin of -0.1 is not between 0 and 1"},
		{func(o *verdict.Options) { o.Margin = math.NaN() },
			"a margin of NaN is not between 0 and 1"},
		{func(o *verdict.Options) { o.Margin = 2 }, "a margin of 2 is not between 0 and 1"},
		{func(o *verdict.Options) { o.Promise = 0 },
			"a promise of 0 is not between the margin of 0.02 and 1"},
		{func(o *verdict.Options) { o.Promise = 0.01 },
			"a promise of 0.01 is not between the margin of 0.02 and 1"},
		{func(o *verdict.Options) { o.Alpha = 0 }, "an alpha of 0 is not between 0 and 0.5"},
		{func(o *verdict.Options) { o.Alpha = 0.5 }, "an alpha of 0.5 is not between 0 and 0.5"},
		{func(o *verdict.Options) { o.Metrics = []string{"frobs"} },
			"no metric frobs in x or x (there are sec/op)"},
	} {
		opts := DefaultOptions()
		test.change(&opts)
		if _, err := Judge(x, x, opts); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestGateMarkdownEscapes(t *testing.T) {
	r := gateOne(t, "Unit lock|<s>/op better=lower\n", "lock|<s>/op", around(100, 10),
		around(120, 10), DefaultOptions())
	var text strings.Builder
	if err := WriteMarkdown(&text, r); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, "<s>") || strings.HasPrefix(line, "| worse") &&
			strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != len(rowsTable(r.Rows, nil).Columns)+1 {
			t.Errorf("%s", line)
		}
	}
}

// If the user selects a metric, the gate tests it even if the plan determines its value.
func TestGateRequestedMetric(t *testing.T) {
	const name = "Run/arrival=poisson/load=0.8"
	old, new := resultstest.Repeat(name, "ops/s", around(100, 10)...),
		resultstest.Repeat(name, "ops/s", around(50, 10)...)
	for asked, want := range map[string]int{"": verdict.ExitFault,
		"ops/s": verdict.ExitRegression} {
		o := DefaultOptions()
		if asked != "" {
			o.Metrics = []string{asked}
		}
		r := mustJudge(t, resultstest.Read(t, "old", "Unit ops/s better=higher\n"+old),
			resultstest.Read(t, "new", "Unit ops/s better=higher\n"+new), o)
		if r.ExitCode() != want {
			t.Errorf("asked for %q: exit code %d, %+v", asked, r.ExitCode(), r.NotGated)
		}
	}
}

func TestExitCodeOfEmptyReport(t *testing.T) {
	if got := new(verdict.Report).ExitCode(); got != verdict.ExitFault {
		t.Errorf("exit code %d", got)
	}
}

// More tests require more samples each. With too few samples there is no verdict.
func TestGateTooFewForTheFamily(t *testing.T) {
	gate := func(n int) *verdict.Report {
		var text strings.Builder
		for b := range 20 {
			text.WriteString(resultstest.Repeat(fmt.Sprintf("X/b=%d", b), "ns/op",
				around(100, n)...))
		}
		text.WriteString("Unit shed/op better=lower\n" + resultstest.Repeat("Z", "shed/op",
			resultstest.Same("0", n)...))
		in := resultstest.Read(t, "in", text.String())
		return mustJudge(t, in, in, DefaultOptions())
	}
	for n, want := range map[int]verdict.Verdict{4: verdict.Inconclusive, 5: verdict.Inconclusive,
		6: verdict.NoWorse} {
		r := gate(n)
		if r.Tests != 20 || r.Count(want) < 20 || r.Count(verdict.NoWorse) < 1 {
			t.Errorf("n = %d: %d tests, %d %s, %d no worse", n, r.Tests, r.Count(want), want,
				r.Count(verdict.NoWorse))
		}
		const reason = "too few samples: 5 and 5, need 6 each"
		if n == 5 && r.Rows[0].Reason != reason {
			t.Errorf("reason %q, want %q", r.Rows[0].Reason, reason)
		}
	}
}
