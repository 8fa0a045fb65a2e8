package trend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

// history returns results with five runs each. Each level is the mean of one result, with 3 % of
// noise.
func history(
	t *testing.T, head func(at int) string, benchmark string, unit string, levels ...float64,
) []results.Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 1))
	var inputs []results.Input
	for i, level := range levels {
		text := "Unit ops/s better=higher\npkg: a\n" + head(i)
		for range 5 {
			text += fmt.Sprintf("Benchmark%s 1 %v %s\n", benchmark,
				level*math.Exp(0.03*rng.NormFloat64()), unit)
		}
		label := fmt.Sprintf("r%02d", i+1)
		inputs = append(inputs,
			results.Input{Label: label, Results: resultstest.Read(t, label, text)})
	}
	return inputs
}

func plainHead(int) string { return "" }

func stepped(n, m int, level float64) []float64 {
	return append(slices.Repeat([]float64{1}, n), slices.Repeat([]float64{level}, m)...)
}

func mustTrend(t *testing.T, inputs []results.Input, opts Options) *Trend {
	t.Helper()
	trend, err := Find(inputs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return trend
}

func TestTrendFindsAStep(t *testing.T) {
	for _, c := range []struct {
		unit  string
		level float64
		word  string
	}{
		{"ns/op", 1.1, "worse"}, {"ns/op", 0.9, "better"}, {"ops/s", 1.1, "better"},
		{"ops/s", 0.9, "worse"}, {"marbles", 1.1, "differs"},
	} {
		trend := mustTrend(t, history(t, plainHead, "X", c.unit, stepped(9, 8, c.level)...),
			Options{Margin: 0.02})
		if len(trend.Series) != 1 || len(trend.Series[0].Changes) != 1 {
			t.Fatalf("%s: %+v", c.unit, trend.Series)
		}
		s, found := trend.Series[0], trend.Series[0].Changes[0]
		if s.Benchmark != "a.X" || found.At != 9 || found.Word != c.word ||
			math.Abs(float64(found.Ratio)/c.level-1) > 0.03 ||
			trend.Worse() != (c.word == "worse") {
			t.Errorf("%s to %v: %+v", c.unit, c.level, found)
		}
	}
}

func TestTrendWithoutChange(t *testing.T) {
	for _, levels := range [][]float64{stepped(20, 0, 0), stepped(4, 4, 2), stepped(18, 2, 2),
		stepped(2, 0, 0)} {
		trend := mustTrend(t, history(t, plainHead, "X", "ns/op", levels...), Options{Alpha: 0.01})
		if len(trend.Series) != 1 || len(trend.Series[0].Changes) != 0 || trend.Worse() {
			t.Errorf("%d results: %+v", len(levels), trend.Series)
		}
		if short := strings.Contains(strings.Join(trend.Notes(), "\n"),
			"1 series of 1 too short"); short != (len(levels) < 10) {
			t.Errorf("%d results: notes %q", len(levels), trend.Notes())
		}
	}
}

func TestTrendUndecided(t *testing.T) {
	for _, c := range []struct {
		levels []float64
		want   string // beginning of the summary
	}{
		{stepped(2, 0, 0), "Nothing is tested: 2 results, but a test needs 10 results or more"},
		{stepped(9, 0, 0), "Nothing is tested: 9 results, but"},
		{stepped(10, 0, 0), "10 results, 1 varying series: 0 changes"},
		{stepped(20, 0, 0), "20 results, 1 varying series: 0 changes"},
	} {
		trend := mustTrend(t, history(t, plainHead, "X", "ns/op", c.levels...), Options{})
		var doc bytes.Buffer
		if err := WriteJSON(&doc, trend); err != nil {
			t.Fatal(err)
		}
		undecided := len(c.levels) < 10
		if !strings.HasPrefix(trend.Summary(), c.want) || trend.Undecided != undecided ||
			!strings.Contains(doc.String(), fmt.Sprintf(`"undecided": %v`, undecided)) {
			t.Errorf("%s: undecided %v, want %s", trend.Summary(), trend.Undecided, c.want)
		}
	}
	two := append(history(t, plainHead, "X", "ns/op", stepped(9, 0, 0)...),
		history(t, plainHead, "Y", "ns/op", stepped(9, 0, 0)...)...)
	if said := mustTrend(t, two, Options{}).Summary(); !strings.HasPrefix(said,
		"Nothing is tested: 18 results, of a benchmark at most 9, but") {
		t.Error(said)
	}
	constant := slices.Repeat([]results.Input{{Label: "a",
		Results: resultstest.Read(t, "a", "BenchmarkX 1 7 allocs/op\n")}}, 12)
	if trend := mustTrend(t, constant, Options{}); trend.Undecided {
		t.Errorf("twelve equal results decide: %s", trend.Summary())
	}
	invalid := slices.Repeat([]results.Input{{Label: "a",
		Results: resultstest.Read(t, "a", "BenchmarkX 1 7 allocs/op 2 verdict\n")}}, 12)
	if trend := mustTrend(t, invalid, Options{}); !trend.Undecided {
		t.Errorf("twelve INVALID results decide: %s", trend.Summary())
	}
}

// A slow oscillation looks like a change. Text and JSON must name the series in which this is
// possible.
func TestTrendDoubts(t *testing.T) {
	var swing []float64
	for i := range 40 {
		swing = append(swing, 1+0.3*math.Sin(float64(i)/4))
	}
	inputs := history(t, plainHead, "Swing", "ns/op", swing...)
	for i, more := range history(t, plainHead, "Step", "ns/op", stepped(20, 20, 2)...) {
		inputs[i].Results.Runs = append(inputs[i].Results.Runs, more.Results.Runs...)
	}
	trend := mustTrend(t, inputs, Options{})
	var doc bytes.Buffer
	if err := WriteJSON(&doc, trend); err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(trend.Notes(), "\n")
	if !strings.HasPrefix(notes, "1 series may be autocorrelated (each result resembles the "+
		"previous one); false alarms in such a series are more frequent than 5%: a.Swing sec/op "+
		"(rho about 0.") ||
		strings.Contains(notes, "a.Step") || strings.Count(doc.String(), `"doubtful": true`) != 1 ||
		strings.Count(doc.String(), `"doubtful": false`) != 1 {
		t.Errorf("notes %q\n%s", notes, &doc)
	}
}

// Without changes, the probability of any alarm in all series is at most Alpha. The bound is the
// mean plus four standard deviations.
func TestTrendFalseAlarms(t *testing.T) {
	const trends, alpha = 150, 0.05
	rng := rand.New(rand.NewPCG(5, 1))
	alarms := 0
	for n := range trends {
		var inputs []results.Input
		for i := range 18 {
			label := fmt.Sprint(i)
			var text strings.Builder
			for b := range 10 {
				fmt.Fprintf(&text, "BenchmarkX%d 1 %v ns/op %d B/op 7 allocs/op\n", b,
					math.Exp(rng.NormFloat64()), rng.IntN(3))
			}
			inputs = append(inputs,
				results.Input{Label: label, Results: resultstest.Read(t, label, text.String())})
		}
		trend := mustTrend(t, inputs, Options{Alpha: alpha, Seed: uint64(n)})
		if trend.Tested != 20 {
			t.Fatalf("%d series tested", trend.Tested)
		}
		if slices.ContainsFunc(trend.Series, func(s Series) bool { return len(s.Changes) > 0 }) {
			alarms++
		}
	}
	if most := trends*alpha + 4*math.Sqrt(trends*alpha*(1-alpha)); float64(alarms) > most {
		t.Errorf("%d alarms in %d trends, want at most %.0f", alarms, trends, most)
	}
}

func TestTrendUnlisted(t *testing.T) {
	inputs := history(t, plainHead, "X", "ns/op", stepped(15, 15, 1.1)...)
	for _, c := range []struct {
		opts     Options
		listed   int
		unlisted string
	}{
		{Options{Margin: 0.05}, 1, ""},
		{Options{Margin: 0.2}, 0, "1 change not listed: smaller than the margin of 20%"},
		{Options{Last: 15}, 1, ""},
		{Options{Last: 14}, 0, "1 change not listed: before the last 14 results"},
	} {
		trend := mustTrend(t, inputs, c.opts)
		if notes := strings.Join(trend.Notes(), "\n"); len(trend.Series[0].Changes) != c.listed ||
			notes != c.unlisted {
			t.Errorf("%+v: %+v, notes %q", c.opts, trend.Series[0].Changes, notes)
		}
	}
}

// Results without a benchmark must not shift its changes. INVALID runs do not count.
func TestTrendGaps(t *testing.T) {
	inputs := history(t, plainHead, "X", "ns/op", stepped(10, 10, 2)...)
	inputs[3] = results.Input{Label: "r04",
		Results: resultstest.Read(t, "r04", "pkg: a\nBenchmarkY 1 5 ns/op\n")}
	inputs[10] = results.Input{Label: "r11",
		Results: resultstest.Read(t, "r11", "pkg: a\nBenchmarkX 1 99 ns/op 2 verdict\n")}
	trend := mustTrend(t, inputs, Options{Metrics: []string{"ns/op"}})
	x := trend.Series[0]
	if len(x.Values) != 18 || slices.Contains(x.At, 3) || slices.Contains(x.At, 10) ||
		len(x.Changes) != 1 || x.Changes[0].At != 11 {
		t.Errorf("at %v, changes %+v", x.At, x.Changes)
	}
	want := []string{"1 series of 2 too short: with so many series, a change needs 10 results or " +
		"more, at least 3 of them after the change",
		"INVALID (one of its runs broke an invariant): every run of r11",
		"a benchmark with an INVALID run is omitted from that result",
		"2 of 2 benchmarks are not in all 20 results (each name is a separate series): a.X in 19 " +
			"and a.Y in 1"}
	if diff := cmp.Diff(want, trend.Notes()); diff != "" {
		t.Error(diff)
	}
}

// Changes from or to a SUSPECT result, and uncertain values, are marked in all formats.
func TestTrendSuspect(t *testing.T) {
	inputs := history(t, plainHead, "X", "ns/op", stepped(10, 10, 2)...)
	for at, mark := range map[int]string{3: "# suspect: too short: few tasks\n",
		5: "# suspect: too short: fewer\n# uncertain: ns/op 0.3\n# uncertain: sec/op 0.3\n"} {
		inputs[at] = results.Input{Label: inputs[at].Label, Results: resultstest.Read(t,
			inputs[at].Label, "# poolbench results 1\npkg: a\n"+mark+
				"BenchmarkX 1 1.01 ns/op 1 verdict\n# complete 1 runs\n")}
	}
	trend := mustTrend(t, inputs, Options{Metrics: []string{"ns/op"}})
	s := trend.Series[0]
	if !slices.Equal(s.Suspect, []int{3, 5}) || !slices.Equal(s.Uncertain, []int{5}) ||
		len(s.Changes) != 1 || s.Changes[0].Doubt != "SUSPECT" {
		t.Fatalf("%+v", s)
	}
	var text, doc, page bytes.Buffer
	if err := errors.Join(WriteText(&text, trend, 0), WriteJSON(&doc, trend),
		WritePage(&page, trend)); err != nil {
		t.Fatal(err)
	}
	reason := "SUSPECT (too short): every run of r04 and r06: few tasks"
	for name, c := range map[string]struct {
		out  *bytes.Buffer
		want []string
	}{"text": {&text, []string{"≈1.01 ns  2.01 ns", "worse, SUSPECT", reason}},
		"JSON": {&doc, []string{`"doubt": "SUSPECT"`, reason, "\"errors\": [\n        0.3\n      ]"}},
		"page": {&page, []string{"<td class=\"right\">≈1.01 ns", ">worse, SUSPECT", "SUSPECT: since",
			"1 of them SUSPECT", reason}}} {
		for _, want := range c.want {
			if strings.Count(c.out.String(), want) != 1 {
				t.Errorf("%s: %q is not there once in\n%.4000s", name, want, c.out)
			}
		}
	}
	inputs[3] = inputs[2]
	inputs[5] = results.Input{Label: inputs[5].Label, Results: resultstest.Read(t, inputs[5].Label,
		"# poolbench results 1\npkg: a\n# uncertain: sec/op 0.3\nBenchmarkX 1 1.01 ns/op 0 verdict\n"+
			"# complete 1 runs\n")}
	chart, err := Chart(mustTrend(t, inputs, Options{Metrics: []string{"ns/op"}}), "sec/op")
	if err != nil {
		t.Fatal(err)
	}
	var svg strings.Builder
	if err := chart.InlineSVG(&svg, charts.Compact); err != nil {
		t.Fatal(err)
	}
	_, points, _ := strings.Cut(svg.String(), `class="pb-pt"`)
	points, _, _ = strings.Cut(points, "<text")
	if filled, hollow := strings.Count(points, `class="f-s0 s-s0"`),
		strings.Count(points, `class="f-paper s-s0"`); filled != 19 || hollow != 1 {
		t.Errorf("of 20 points, one of which is uncertain, %d are filled and %d hollow", filled, hollow)
	}
	trend = mustTrend(t, history(t, plainHead, "X", "ns/op", stepped(10, 10, 2)...), Options{})
	if c := trend.Series[0].Changes[0]; c.Doubt != "" || len(trend.Doubts) > 0 {
		t.Errorf("without doubts: %+v, %v", c, trend.Doubts)
	}
}

func TestTrendOfZero(t *testing.T) {
	var inputs []results.Input
	for i := range 14 {
		label := fmt.Sprint(i)
		inputs = append(inputs,
			results.Input{Label: label,
				Results: resultstest.Read(t, label,
					fmt.Sprintf("Unit shed/op better=lower\nBenchmarkX 1 %d shed/op\n", i/7))})
	}
	trend := mustTrend(t, inputs, Options{Margin: 0.02})
	found := trend.Series[0].Changes
	if len(found) != 1 || found[0].At != 7 || found[0].Word != "worse" ||
		!math.IsInf(float64(found[0].Ratio), 1) {
		t.Fatalf("%+v", found)
	}
	var text, doc bytes.Buffer
	if err := errors.Join(WriteText(&text, trend, 0), WriteJSON(&doc, trend)); err != nil ||
		!strings.Contains(text.String(), "from 0  worse") || !json.Valid(doc.Bytes()) {
		t.Errorf("%v\n%s%s", err, &text, &doc)
	}
	if _, err := Chart(trend, "shed/op"); err != nil {
		t.Error(err)
	}
}

func TestTrendSurroundings(t *testing.T) {
	head := func(at int) string { return fmt.Sprintf("go: go1.2%d\ncpu: A\n", 5+at/6) }
	trend := mustTrend(t, history(t, head, "X", "ns/op", stepped(12, 0, 0)...), Options{})
	if diff := cmp.Diff([]string{"go is go1.26 from result 7 on, and was go1.25 before: this may " +
		"be the cause of a change there"}, trend.Notes()); diff != "" {
		t.Error(diff)
	}
}

func TestTrendText(t *testing.T) {
	inputs := history(t, plainHead, "Run/strategy=x/load=0.8", "ns/op", stepped(10, 10, 2)...)
	more := history(t, plainHead, "Run/strategy=y/load=0.8", "ns/op", stepped(15, 5, 0.5)...)
	for i := range inputs {
		inputs[i].Results.Runs = append(inputs[i].Results.Runs, more[i].Results.Runs...)
	}
	var text bytes.Buffer
	if err := WriteText(&text, mustTrend(t, inputs, Options{Seed: 1}), 0); err != nil {
		t.Fatal(err)
	}
	const want = `Since result 11 (r11) the time per operation of x is 100 % higher
20 results, 2 varying series: 2 changes (chance of any false alarm: 5%)

all benchmarks: load=0.8
benchmark         metric  from result on   before     after   change  verdict      p
a.Run/strategy=x  sec/op  11 r11          1.00 ns   2.01 ns    ×2.00  worse    0.001
a.Run/strategy=y  sec/op  16 r16          1.01 ns  0.505 ns  −49.7 %  better   0.006
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &text, want)
	}
}

func TestTrendRefuses(t *testing.T) {
	two := history(t, plainHead, "X", "ns/op", 1, 1)
	for _, c := range []struct {
		inputs []results.Input
		opts   Options
		want   string
	}{
		{two[:1], Options{}, "a trend needs two results or more"},
		{two, Options{Metrics: []string{"cats"}}, "no metric cats in r01 or r02"},
		{two, Options{Alpha: 1e-7}, "alpha 1e-07: want a share from 1e-06 below 1, for 0 series"},
		{[]results.Input{{Label: "a",
			Results: resultstest.Read(t, "a", "Unit n better=lower\nBenchmarkX 1 1 n\n")},
			{Label: "b", Results: resultstest.Read(t, "b",
				"Unit n better=higher\nBenchmarkX 1 1 n\n")}}, Options{}, "but a has lower"},
	} {
		if _, err := Find(c.inputs, c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestOrderBy(t *testing.T) {
	in := func(name, line string) results.Input {
		return results.Input{Label: name,
			Results: resultstest.Read(t, name, line+"BenchmarkX 1 1 n\n")}
	}
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"10", "9", "1e3"}, "9 10 1e3"},
		{[]string{"2026-01-02T00:30:00+02:00", "2026-01-01T23:00:00Z"},
			"2026-01-02T00:30:00+02:00 2026-01-01T23:00:00Z"},
		{[]string{"2026-01-02", "2025-12-31", "2026-01-01"}, "2025-12-31 2026-01-01 2026-01-02"},
		{[]string{"2026-01-02 10:00:00 +0100", "2026-01-02 09:30:00 +0000",
			"2026-01-02 10:00:00 +0130"},
			"2026-01-02 10:00:00 +0130 2026-01-02 10:00:00 +0100 2026-01-02 09:30:00 +0000"},
		{[]string{"v9", "v10", "10"}, "10 v10 v9"},
	} {
		var inputs []results.Input
		for i, v := range c.values {
			inputs = append(inputs, in(fmt.Sprint(i), "k: "+v+"\n"))
		}
		sorted, err := OrderBy(inputs, "k")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range sorted {
			got = append(got, s.Results.Runs[0].ConfigValue("k"))
		}
		if strings.Join(got, " ") != c.want || sorted[0].Label != got[0]+" ("+
			sorted[0].Results.Path+")" {
			t.Errorf("%q, labelled %s; want %q", got, sorted[0].Label, c.want)
		}
	}
	for want, inputs := range map[string][]results.Input{
		"b:1: the run has no line \"k: …\" above it to sort by": {in("a", "k: 1\n"),
			in("b", "")},
		"b:4: k is 2 here and 1 before: a result needs a single place in the order": {in("a", "k: 1\n"),
			in("b", "k: 1\nBenchmarkX 1 1 n\nk: 2\n")},
	} {
		if _, err := OrderBy(inputs, "k"); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestTrendCharts(t *testing.T) {
	inputs := history(t, plainHead, "X", "ns/op 3 B/op 4 b-op", stepped(8, 8, 1.5)...)
	for n := range 10 {
		more := history(t, plainHead, fmt.Sprintf("Y%d", n), "ns/op", stepped(8, 8, 1)...)
		for i := range inputs {
			inputs[i].Results.Runs = append(inputs[i].Results.Runs, more[i].Results.Runs...)
		}
	}
	trend := mustTrend(t, inputs, Options{Margin: 0.02})
	chart, err := Chart(trend, "sec/op")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(chart.Subtitle, "the 8 of 11 benchmarks that changed most") {
		t.Errorf("subtitle %q", chart.Subtitle)
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	paths, err := WriteCharts(dir, trend)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	want := []string{"trend-sec-op.svg", "trend-sec-op.png", "trend-b-op.svg", "trend-b-op.png",
		"trend-b-op-2.svg", "trend-b-op-2.png"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	svg, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	change := text.Change(float64(trend.Series[0].Changes[0].Ratio))
	if s := string(svg); !strings.Contains(s, change) || !strings.Contains(s, "a.X") {
		t.Error("the chart does not say by how much, or of what")
	}
	if _, err := WriteCharts(filepath.Join(paths[0], "x"), trend); err == nil ||
		strings.Contains(err.Error(), "mkdir") {
		t.Errorf("below a file: %v", err)
	}
}

func TestTooManySamples(t *testing.T) {
	var b strings.Builder
	for i := range results.MaxSamples/4 + 1 {
		fmt.Fprintf(&b, "BenchmarkX%d 1 1 ns/op 2 B/op\n", i)
	}
	var inputs []results.Input
	for _, label := range []string{"a", "b"} {
		read, err := results.Read(strings.NewReader(b.String()), label)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, results.Input{Label: label, Results: read})
	}
	if _, err := Find(inputs, Options{}); !errors.Is(err, results.ErrSamples) {
		t.Errorf("two metrics: %v", err)
	}
	if _, err := Find(inputs, Options{Metrics: []string{"B/op"}}); err != nil {
		t.Errorf("one metric: %v", err)
	}
}
