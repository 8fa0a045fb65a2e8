package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

// How one cell differs from all others, and which captions must mention it.
const (
	slower     = "slower"      // longer p99
	behind     = "behind"      // completes half of the offered tasks
	untold     = "untold"      // unknown p99
	absentLast = "absent"      // no run at the highest load
	offTheory  = "off theory"  // p99 differs from theory
	queueing   = "queueing"    // longer queue
	noTimeline = "no timeline" // no timeline
)

// randomSweep returns a sweep of random size in which only one cell differs.
func randomSweep(
	t *testing.T, r *rand.Rand, kind string,
) (s Sweep, in *reportInput, outlier string) {
	strategies, places := 3+r.IntN(8), 2+r.IntN(4)
	odd, at := r.IntN(strategies), r.IntN(places)
	if kind != behind && kind != offTheory { // no caption mentions these kinds
		at = places - 1
	}
	outlier = fmt.Sprintf("strategy_%d", odd)
	var lines []string
	for place := range places {
		for i := range strategies {
			p99, done, exact := 0.05*float64(place+1), 100.0, 0.0502*float64(place+1)
			known := true
			if i == odd && place == at {
				switch kind {
				case slower:
					p99 *= 1 + r.ExpFloat64()
					exact = p99
				case behind:
					done = 50
				case untold:
					known = false
				case absentLast:
					continue
				case offTheory:
					exact *= 1.2 + r.ExpFloat64()
				}
			}
			metrics := fmt.Sprintf("%v ops/s 100 offered-ops/s %v goodput-ops/s 0 shed/op 3 "+
				"peak-inflight 0.03 p50-response-sec", done, done)
			if known {
				metrics += fmt.Sprintf(" %v p99-response-sec %v p99-response-low-sec %v "+
					"p99-response-high-sec %v theory-p99-response-sec", p99,
					0.97*p99, 1.04*p99, exact)
			}
			lines = append(lines,
				runLine(fmt.Sprintf("strategy_%d", i),
					fmt.Sprintf("workload=w/arrival=poisson/limit=4/load=%v", float64(place+1)/10),
					metrics))
		}
	}
	all := readRuns(t, lines...)
	s = Groups(all)[0].Sweeps()[0]
	in = &reportInput{results: all, timelines: map[*results.Run][]interval{}}
	for _, c := range s.CellsAt(s.At[len(s.At)-1]) {
		queued := 7.0
		switch {
		case c.Strategy != outlier:
		case kind == queueing:
			queued = 90
		case kind == noTimeline:
			continue
		}
		in.timelines[c.Cell[0]] = []interval{{end: 1, inFlight: 3},
			{end: 2, inFlight: 4, queued: queued}}
	}
	return s, in, outlier
}

var quantified = regexp.MustCompile(
	`(?i)\b(every|each|all|no strategy|the others|at most|runs from)\b`)

func TestCaptionsNameTheOutlier(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		kind := []string{slower, behind, untold, absentLast, offTheory, queueing,
			noTimeline}[seed%7]
		s, in, outlier := randomSweep(t, r, kind)
		captions := map[string]string{}
		for _, k := range in.kinds(&Group{Cells: s.Cells}) {
			if k.name == "distribution" {
				continue
			}
			if chart, err := k.draw(s); err != nil {
				t.Fatal(err)
			} else if chart != nil {
				captions[k.name] = k.caption(s, chart)
			}
		}
		concerned := map[string][]string{slower: {"response"}, behind: {"throughput", "response"},
			untold: {"response"}, absentLast: {"throughput"},
			offTheory: {"response"}, queueing: {"timeline"}, noTimeline: {"timeline"}}[kind]
		for _, name := range concerned {
			caption, ok := captions[name]
			said := strings.Contains(caption, outlier)
			for _, sentence := range strings.SplitAfter(caption, ". ") {
				about := quantified.MatchString(sentence) &&
					!strings.Contains(sentence, "Tasks in flight have") &&
					!strings.Contains(sentence, "Each point is")
				if kind == untold && strings.Contains(sentence, "where theory is exact") {
					continue // captions that count the exceptions
				}
				if about && !said && !strings.Contains(sentence, " of strategy_") {
					t.Errorf("seed %d: %s is %s, and %q says %q", seed, outlier,
						kind, name, sentence)
				}
			}
			if ok && !said && kind != untold && kind != noTimeline && kind != absentLast {
				t.Errorf("seed %d: %s is %s, and the caption of %s is silent: %q", seed, outlier,
					kind, name, caption)
			}
		}
	}
}

// More repetitions reduce the tolerance for agreement with theory. Each disagreement is named with
// the reason.
func TestAgainstTheory(t *testing.T) {
	line := func(strategy string, p99, half float64) string {
		metrics := fmt.Sprintf("%v p99-response-sec 1 theory-p99-response-sec", p99)
		if half > 0 {
			metrics += fmt.Sprintf(" %v p99-response-low-sec %v p99-response-high-sec",
				p99/(1+half), p99*(1+half))
		}
		return runLine(strategy, "workload=w/limit=4/load=0.5", metrics)
	}
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{line("a", 1.04, 0.05)},
			"The p99 agrees with its exact value within its sampling error: +4.0 %."},
		{[]string{line("a", 1.04, 0.05), line("a", 1.04, 0.05), line("a", 1.04, 0.05)},
			"In 0 of 1 scenarios with an exact theory and long enough runs, the p99 agrees with " +
				"the theory within its sampling error (95 %). Outside it: a at limit 4, load 0.5 " +
				"is +4.0 % off (1.01 – 1.07 s)."},
		{[]string{line("a", 1.04, 0.05), line("b", 0.98, 0.03)}, "In all 2 scenarios with an " +
			"exact theory, the p99 agrees with the theory within its sampling error (95 %). The " +
			"largest difference is 4.0 %."},
		{[]string{line("a", 1.04, 0.05), line("b", 8.76, 0.03), line("c", 1, 0), line("d", 3, 0)},
			"In 2 of 3 scenarios with an exact theory and long enough runs, the p99 agrees with " +
				"the theory within its sampling error (95 %). Outside it: b at limit 4, load 0.5 " +
				"is +776 % off (8.50 – 9.02 s). In 1 more, the runs are too short."},
		{[]string{line("a", 1.1, 0.02), line("b", 1.1, 0.02), line("c", 1.2, 0)},
			"In 0 of 2 scenarios with an exact theory and long enough runs, the p99 agrees with " +
				"the theory within its sampling error (95 %). Outside it: a at limit 4, load 0.5 " +
				"is +10 % off (1.08 – 1.12 s); b at limit 4, load 0.5 is +10 % off (1.08 – 1.12 " +
				"s). Scenarios with the same arrivals and tasks have similar errors. In 1 more, " +
				"the runs are too short."},
		{[]string{line("a", 1.1, 0), line("b", 1.1, 0)}, "The runs are too short to check whether " +
			"the p99 agrees with its exact value, which 2 scenarios have."},
	} {
		if got := strings.Join(againstTheory(Groups(readRuns(t, c.lines...))[0].Cells,
			(*Cell).InGroup), ""); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
	if got := againstTheory(nil, nil); got != nil {
		t.Errorf("of nothing: %q", got)
	}
}

func TestRankedPart(t *testing.T) {
	cells := func(n int) (out []*Cell) {
		for i := range n {
			out = append(out, &Cell{Strategy: fmt.Sprint("s", i), Limit: math.NaN(),
				Load: math.NaN(), Rate: math.NaN()})
		}
		return out
	}
	ranking := func(n int) []ranked {
		return rank(cells(n), func(*Cell) float64 { return 1 })
	}
	for want, got := range map[string]string{
		"":                             rankedPart(ranking(3), cells(3)),
		" of s0 and s1":                rankedPart(ranking(2), cells(7)),
		" of all but s5 and s6":        rankedPart(ranking(5), cells(7)),
		" of 20 of 30 strategies":      rankedPart(ranking(20), cells(30)),
		" of all but s8":               rankedPart(ranking(8), cells(9)),
		" of s0, s1, s2 and s3":        rankedPart(ranking(4), cells(40)),
		"is 1.00 s for every strategy": between(ranking(3), cells(3), "p99"),
		"is 1.00 s":                    between(ranking(2), cells(7), "p99"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A limit that all strategies share is drawn as a line. The caption explains why more tasks are in
// flight.
func TestTimelineDrawsTheLimit(t *testing.T) {
	s, in, _ := randomSweep(t, rand.New(rand.NewPCG(1, 1)), slower)
	for run, rows := range in.timelines {
		rows[0].inFlight = 260
		in.timelines[run] = rows
		break
	}
	chart, err := in.timelineChart(s)
	if err != nil {
		t.Fatal(err)
	}
	var svg strings.Builder
	if err := chart.SVG(&svg, charts.Wide); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg.String(), ">limit<") {
		t.Error("no limit in the picture")
	}
	if !regexp.MustCompile(
		`Of the 260 in flight with strategy_\d at most 3 were in flight at once\.`).MatchString(
		in.timelineCaption(s, chart)) {
		t.Errorf("260 in flight are not explained: %q", in.timelineCaption(s, chart))
	}
}

func TestLearntLimitsAreDrawn(t *testing.T) {
	s, in, _ := randomSweep(t, rand.New(rand.NewPCG(1, 1)), slower)
	if chart, err := in.limitChart(s); chart != nil || err != nil {
		t.Errorf("a chart of no limits: %v, %v", chart, err)
	}
	run := s.CellsAt(s.At[len(s.At)-1])[0].Cell[0]
	rows := in.timelines[run]
	for i := range rows {
		rows[i].limit = float64(7 + i)
	}
	chart, err := in.limitChart(s)
	if err != nil || chart == nil {
		t.Fatal(chart, err)
	}
	var svg strings.Builder
	if err := chart.SVG(&svg, charts.Wide); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg.String(), ">learnt limit<") {
		t.Error("no panel of the limit")
	}
	want := fmt.Sprintf("The limit ends at %d with ", 6+len(rows))
	if got := in.limitCaption(s, chart); !strings.Contains(got, want) {
		t.Errorf("caption: %q, want %q", got, want)
	}
}

func TestStudiesHaveLearntLimits(t *testing.T) {
	s, in, _ := randomSweep(t, rand.New(rand.NewPCG(1, 1)), slower)
	in.results = &results.Results{Findings: []decide.Finding{{Study: "adaptive"}}}
	g := &Group{Study: 0, Cells: s.Cells}
	for _, own := range []bool{false, true} {
		if in.figures = nil; own {
			in.figures = []Figure{{Study: "adaptive"}}
		}
		var names []string
		for _, k := range in.kinds(g) {
			names = append(names, k.name)
		}
		if !slices.Contains(names, "limit") || own != (len(names) == 1) {
			t.Errorf("own figures %v: charts %v", own, names)
		}
	}
}

func TestUncertainMarkersAreHollow(t *testing.T) {
	const p99 = "p99-response-sec"
	var cells []*Cell
	for i := range 3 {
		run := &results.Run{Name: "Run", Values: map[string]float64{p99: 0.1, "verdict": 0}}
		cells = append(cells, &Cell{Cell: results.Cell{run}, Strategy: fmt.Sprint(i)})
	}
	hollowOf := func() (all []bool) {
		for _, s := range seriesOf(cells, p99, "", true, func(*Cell) float64 { return 0.5 }) {
			all = append(all, s.Doubted...)
		}
		return all
	}
	if got := hollow(cells, p99); slices.Contains(hollowOf(), true) || got != nil {
		t.Errorf("valid: %v, %q", hollowOf(), got)
	}
	cells[0].Cell[0].Uncertain = map[string]float64{p99: 0.4}
	want := "Hollow markers: SUSPECT or INVALID, or a 95 % error above ±25 %; 1 of 3 scenarios."
	if got := hollow(cells, p99); !slices.Equal(hollowOf(), []bool{true, false, false}) ||
		len(got) != 1 || got[0] != want {
		t.Errorf("uncertain: %v, %q", hollowOf(), got)
	}
	cells[0].Cell[0].Uncertain = nil
	cells[2].Cell[0].Values["verdict"] = float64(results.Suspect)
	want = "Hollow markers: SUSPECT or INVALID; 1 of 3 scenarios."
	if got := hollow(cells, p99); !slices.Equal(hollowOf(), []bool{false, false, true}) ||
		len(got) != 1 || got[0] != want {
		t.Errorf("suspect: %v, %q", hollowOf(), got)
	}
}
