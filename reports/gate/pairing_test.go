package gate

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

// seeded returns poolbench results with a run of X for each seed. Times differ by a factor of up to
// 4 between seeds.
func seeded(factor float64, seeds ...int) string {
	var b strings.Builder
	b.WriteString("# poolbench results 1\n")
	for _, seed := range seeds {
		work := 100 * math.Exp2(2*float64(seed*7%13)/13)
		fmt.Fprintf(&b, "# seed %d\nBenchmarkX 1 %v ns/op\n", seed,
			work*factor*(1+0.001*float64(seed%3)*(factor-1)))
	}
	fmt.Fprintf(&b, "# complete %d runs\n", len(seeds))
	return b.String()
}

// numbered returns the same times as seeded as output of go test. Configuration lines number the
// pairs.
func numbered(factor float64, pairs ...int) string {
	var b strings.Builder
	for _, pair := range pairs {
		fmt.Fprintf(&b, "pair: %d\norder: %d\nseed: 5\nlayout: %d\nBenchmarkX 1 %v ns/op\n", pair,
			pair%2, pair%6, 100*math.Exp2(2*float64(pair*7%13)/13)*factor)
	}
	return b.String()
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

func backwards(n int) []int {
	out := upTo(n)
	slices.Reverse(out)
	return out
}

// Times differ by a factor of 4 between seeds, and by 5 % between old and new. Only a paired test
// detects this change.
func TestGatePairs(t *testing.T) {
	twice := append(upTo(10), 10)
	for _, test := range []struct {
		name, old, new string
		verdict        verdict.Verdict
		by             verdict.Test
		n              int
		warnings       []string
	}{
		{"the same seeds", seeded(1, upTo(10)...), seeded(1.05, upTo(10)...), verdict.Worse,
			verdict.BySignedRank, 10, nil},
		{"in another order", seeded(1, upTo(10)...), seeded(1.05, backwards(10)...), verdict.Worse,
			verdict.BySignedRank, 10, nil},
		{"and no slower", seeded(1, upTo(10)...), seeded(1, backwards(10)...), verdict.NoWorse,
			"", 10, nil}, // equal in every pair: no test
		{"four equal pairs do", seeded(1, upTo(4)...), seeded(1, backwards(4)...), verdict.NoWorse,
			"", 4, nil},
		{"and faster", seeded(1, upTo(10)...), seeded(0.95, upTo(10)...), verdict.Better,
			verdict.BySignedRank, 10, nil},
		{"six pairs do", seeded(1, upTo(6)...), seeded(1.05, upTo(6)...), verdict.Worse,
			verdict.BySignedRank, 6, nil},
		{"four do without", seeded(1, upTo(4)...), seeded(1.05, upTo(4)...),
			verdict.Inconclusive, verdict.ByRank, 4,
			[]string{"1 metric judged as if they were not paired: in a family of 1 test a " +
				"verdict needs 6 pairs"}},
		{"a seed less on each side", seeded(1, upTo(10)...), seeded(1.05, upTo(11)[1:]...),
			verdict.Worse, verdict.BySignedRank, 9,
			[]string{"2 runs without the other half of the pair: omitted"}},
		{"other seeds", seeded(1, upTo(10)...), seeded(1.05, upTo(20)[10:]...),
			verdict.Inconclusive, verdict.ByRank, 10,
			[]string{"1 benchmark with other seeds in new than in old: the runs are not paired"}},
		{"more seeds", seeded(1, upTo(10)...), seeded(1.05, upTo(12)...), verdict.Worse,
			verdict.BySignedRank, 10,
			[]string{"2 runs without the other half of the pair: omitted"}},
		{"two seeds in common", seeded(1, upTo(10)...), seeded(1.05, upTo(18)[8:]...),
			verdict.Inconclusive, verdict.ByRank, 10,
			[]string{"1 benchmark with other seeds in new than in old: the runs are not paired"}},
		{"a seed twice", seeded(1, twice...), seeded(1.05, twice...), verdict.Inconclusive,
			verdict.ByRank, 11, nil},
		{"no seeds", strings.ReplaceAll(seeded(1, upTo(10)...), "# seed", "# need"),
			seeded(1.05, upTo(10)...), verdict.Inconclusive, verdict.ByRank, 10, nil},

		{"numbered pairs", numbered(1, upTo(10)...), numbered(1.05, backwards(10)...),
			verdict.Worse,
			verdict.BySignedRank, 10, nil},
		{"pairs without their other half", numbered(1, upTo(10)...),
			numbered(1.05, append(upTo(9), 12)...), verdict.Worse, verdict.BySignedRank, 9,
			[]string{"2 runs without the other half of the pair: omitted"}},
		{"a pair twice", numbered(1, twice...), numbered(1.05, twice...), verdict.Inconclusive,
			verdict.ByRank, 11, nil},
		{"numbered on one side", numbered(1, upTo(10)...), seeded(1.05, upTo(10)...),
			verdict.Inconclusive,
			verdict.ByRank, 10, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := mustJudge(t, resultstest.Read(t, "old", test.old),
				resultstest.Read(t, "new", test.new), DefaultOptions())
			row := r.Rows[0]
			if row.Verdict != test.verdict || row.Test != test.by || row.Old.N != test.n ||
				row.Paired != (test.by != verdict.ByRank) || row.Equal != (test.by == "") {
				t.Errorf("%s (%s) by %q of %d; want %s by %q of %d", row.Verdict, row.Reason,
					row.Test, row.Old.N, test.verdict, test.by, test.n)
			}
			sameLines(t, "warnings", r.Warnings, test.warnings)
			n, paired := fmt.Sprint(test.n), fmt.Sprintf(`"paired": %v`, row.Paired)
			switch {
			case row.Paired:
				n += " pairs"
			case row.Old.N != row.New.N:
				n = fmt.Sprintf("%d+%d", row.Old.N, row.New.N)
			}
			for want, render := range map[string]func(io.Writer,
				*verdict.Report) error{n: textOf,
				" " + n + " ": WriteMarkdown, paired: WriteJSON} {
				var out strings.Builder
				if err := render(&out, r); err != nil || !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s%v", want, out.String(), err)
				}
			}
		})
	}
}

// If some runs lack a metric, only the pairs with values on both sides count.
func TestGatePairsOfSparseMetric(t *testing.T) {
	sparse := func(text string, n int) string {
		for i := range n {
			text = strings.Replace(text, " ns/op\n", fmt.Sprintf(" ns/op %d B/op\n", 50+i), 1)
		}
		return text
	}
	r := mustJudge(t, resultstest.Read(t, "old", sparse(seeded(1, upTo(10)...), 8)),
		resultstest.Read(t, "new", sparse(seeded(1, backwards(10)...), 9)), DefaultOptions())
	for _, row := range r.Rows {
		if want := map[string]int{"sec/op": 10, "B/op": 7}[row.Metric]; row.Old.N != want ||
			row.New.N != want || !row.Paired {
			t.Errorf("%s: %d and %d pairs, want %d", row.Metric, row.Old.N, row.New.N, want)
		}
	}
}

// With 60 tests, ten pairs cannot be significant, but two samples of ten values can. Only the
// number of values may decide whether the test is paired.
func TestGateUnpairsLargeFamilies(t *testing.T) {
	many := func(factor float64) string {
		text := seeded(factor, upTo(10)...)
		units := ""
		for i := range 59 {
			units += fmt.Sprintf("Unit m%d better=lower\n", i)
		}
		values := " ns/op"
		for i := range 59 {
			values += fmt.Sprintf(" %v m%d", 10*factor, i)
		}
		return units + strings.ReplaceAll(text, " ns/op", values)
	}
	r := mustJudge(t, resultstest.Read(t, "old", many(1)), resultstest.Read(t, "new", many(1.5)),
		DefaultOptions())
	if len(r.Rows) != 60 || r.Rows[0].Test != verdict.ByRank || r.Count(verdict.Worse) != 60 {
		t.Errorf("%d rows by %q, %d worse", len(r.Rows), r.Rows[0].Test, r.Count(verdict.Worse))
	}
	sameLines(t, "warnings", r.Warnings, []string{"60 metrics judged as if they were not paired: " +
		"in a family of 60 tests a verdict needs 11 pairs"})
}

// Responses are log-normal. The factor applies to the slowest 5 %.
func tailDir(
	t *testing.T, stream uint64, factor float64, tasks int, seeds ...int,
) *results.Results {
	t.Helper()
	var text strings.Builder
	var log bytes.Buffer
	hlog := hdrhistogram.NewHistogramLogWriter(&log)
	text.WriteString("# poolbench results 1\nUnit p99-response-sec better=lower\n")
	rng := rand.New(rand.NewPCG(1, stream))
	for repetition, seed := range seeds {
		values := make([]float64, tasks)
		for i := range values {
			values[i] = 1e7 * math.Exp(0.5*rng.NormFloat64())
		}
		slices.Sort(values)
		h := hdrhistogram.New(1, 3600e9, 3)
		for i, v := range values {
			if i >= tasks*95/100 {
				v *= factor
			}
			if err := h.RecordValue(int64(v)); err != nil {
				t.Fatal(err)
			}
		}
		h.SetTag(fmt.Sprintf("X/a=1;2#%d:response", repetition))
		if err := hlog.OutputIntervalHistogram(h); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "# seed %d\nBenchmarkX/a=1,2 1 %v p99-response-sec\n", seed,
			float64(h.ValueAtQuantile(99))/1e9)
	}
	fmt.Fprintf(&text, "# complete %d runs\n", len(seeds))
	in, err := results.ReadDir(resultstest.Files(t,
		map[string][]byte{rundir.ResultsFile: []byte(text.String()),
			rundir.DistributionsFile: log.Bytes()}))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestGateTails(t *testing.T) {
	old := tailDir(t, 1, 1, 2000, upTo(10)...)
	for _, test := range []struct {
		name    string
		new     *results.Results
		verdict verdict.Verdict
		by      verdict.Test
	}{
		{"the same", tailDir(t, 2, 1, 2000, upTo(10)...), verdict.NoWorse, verdict.BySwaps},
		{"a longer tail", tailDir(t, 3, 1.4, 2000, upTo(10)...), verdict.Worse, verdict.BySwaps},
		{"a shorter tail", tailDir(t, 4, 0.8, 2000, upTo(10)...), verdict.Better, verdict.BySwaps},
		{"other seeds", tailDir(t, 5, 1.4, 2000, upTo(20)[10:]...), verdict.Worse, verdict.ByRank},
		{"too few tasks", tailDir(t, 6, 1.4, 300, upTo(10)...), verdict.Worse,
			verdict.BySignedRank},
	} {
		t.Run(test.name, func(t *testing.T) {
			row := mustJudge(t, old, test.new, DefaultOptions()).Rows[0]
			if row.Verdict != test.verdict || row.Test != test.by || row.Old.N != 10 {
				t.Errorf("%s by %q of %d; want %s by %q\n%+v", row.Verdict, row.Test, row.Old.N,
					test.verdict, test.by, row)
			}
		})
	}
}

// Without a log, the gate uses the values in the results and warns. A damaged log is an error.
func TestGateTailsWithoutLog(t *testing.T) {
	old, new := tailDir(t, 1, 1, 2000, upTo(10)...), tailDir(t, 3, 1.4, 2000, upTo(10)...)
	resultstest.Edit(t, new.Dir, rundir.DistributionsFile, func(s string) string {
		return strings.Replace(s, "HISTFA", "HISTxx", 1)
	})
	_, err := Judge(old, new, DefaultOptions())
	if want := filepath.Join(new.Dir, rundir.DistributionsFile) + ":1: "; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("damaged: %v, want %s…", err, want)
	}
	new.Dir = t.TempDir()
	r := mustJudge(t, old, new, DefaultOptions())
	if r.Rows[0].Test != verdict.BySignedRank || r.Rows[0].Verdict != verdict.Worse {
		t.Errorf("missing: %+v", r.Rows[0])
	}
	sameLines(t, "warnings", r.Warnings, []string{"1 tail without histograms of enough tasks in " +
		"distributions.hlog: compared by the values of the runs"})
}

func TestTailOf(t *testing.T) {
	for unit, want := range map[string]string{
		"p99-response-sec": "0.99 response", "p99.9-wait-sec": "0.999 wait",
		"p99-service-sec":  "0.99 service",
		"p90-response-sec": "", "p50-wait-sec": "", "p99-lag-sec": "", "max-wait-sec": "",
		"p99-hiccup-sec": "", "p100-wait-sec": "", "theory-p99-wait-sec": "",
	} {
		q, reading, ok := tailOf(unit)
		got := ""
		if ok {
			got = fmt.Sprintf("%.4g %s", q, reading)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", unit, got, want)
		}
	}
}
