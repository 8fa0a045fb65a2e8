package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/internal/tab"
)

func onlyStrategy(t *testing.T, dir, strategy string) string {
	t.Helper()
	for _, name := range []string{rundir.ResultsFile, rundir.TimelineFile, rundir.DistributionsFile} {
		resultstest.Edit(t, dir, name, func(s string) string {
			var kept strings.Builder
			for line := range strings.Lines(s) {
				if !strings.Contains(line, "strategy=") || strings.Contains(line, "strategy="+strategy+"/") {
					kept.WriteString(line)
				}
			}
			return regexp.MustCompile(`(?m)^# complete.*\n`).ReplaceAllString(kept.String(), "")
		})
	}
	return dir
}

func TestSingleStrategy(t *testing.T) {
	dir := onlyStrategy(t, resultstest.Files(t, sampleFiles([]sampleScenario{
		{"exponential:mean=10ms", "poisson", 1, 4, 0.5, "virtual", 1500, 2},
		{"exponential:mean=10ms", "poisson", 1, 4, 0.8, "virtual", 1500, 2}})), "worker_pool")
	path := reportFile(t, dir)
	b := tab.New(t)
	b.Open(path, "")
	text := tab.Eval[string](b, `document.body.innerText`)
	for _, not := range []string{"Ties", "ties with", "coincide", "baseline", "strategies with",
		"only", "Significance", "a difference is"} {
		if strings.Contains(text, not) {
			t.Errorf("the page of one strategy says %q", not)
		}
	}
	for _, want := range []string{"Explore", "Grey bands and discs", "Load is"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for selector, want := range map[string]int{".bars": 0, ".chip": 0, "#explore figure.main": 1,
		"#explore .panels figure": 2} {
		if got := tab.Eval[int](b, `document.querySelectorAll("`+selector+`").length`); got != want {
			t.Errorf("%d of %s, want %d", got, selector, want)
		}
	}
}

func TestOnePoint(t *testing.T) {
	dir := onlyStrategy(t, resultstest.Files(t, sampleFiles([]sampleScenario{
		{"exponential:mean=10ms", "poisson", 1, 4, 0.5, "virtual", 1500, 2}})), "worker_pool")
	if html := page(t, dir); strings.Contains(html, `id="explore"`) ||
		!strings.Contains(html, "<figure") {
		t.Error("one point is explored, or has no figure")
	}
}

// The explorer first shows a scenario with several points and a metric that most points have.
func TestFirstOfTheExplorer(t *testing.T) {
	run := func(strategy, rest string) string {
		return "BenchmarkRun/strategy=" + strategy + "/workload=" + rest + "\n"
	}
	text := run("a", "one/load=0.5 100 1 ops/s 0.1 p99-response-sec") +
		run("b", "one/load=0.5 100 2 ops/s 0.2 p99-response-sec")
	for _, load := range []string{"0.5", "0.8"} {
		text += run("a", "two/load="+load+" 100 1 ops/s") + run("b", "two/load="+load+" 100 2 ops/s") +
			run("c", "two/load="+load+" 100 3 ops/s 0.3 p99-response-sec")
	}
	b := tab.New(t)
	b.Open(reportFile(t, resultstest.Files(t, map[string][]byte{rundir.ResultsFile: []byte(text)})), "")
	got := tab.Eval[[]string](b, `[document.querySelector("#explore-scenario").selectedOptions[0].text,
		document.querySelector("#explore-metric").value,
		String(document.querySelectorAll("#explore .panels figure").length),
		String(document.querySelectorAll("#explore .main .pb-dot").length)]`)
	for i, want := range []string{"two", "ops/s", "0", "6"} {
		if got[i] != want {
			t.Errorf("the explorer begins with %q, want %q in place %d", got, want, i)
		}
	}
}

func TestDropEmpty(t *testing.T) {
	table := &Table{Heads: []Head{{Text: "kept"}, {Text: "empty"}, {Text: "some"}, {Text: "uncertain"}},
		Bodies: []Body{{Rows: []Row{{Cells: []Value{absent, absent, {Text: "1"}, {"–", "±122 %"}}},
			{Cells: []Value{absent, absent, absent, absent}}}}}}
	table.dropEmpty(1)
	if len(table.Heads) != 3 || table.Heads[1].Text != "some" || len(table.Bodies[0].Rows[0].Cells) != 3 ||
		table.Bodies[0].Rows[0].Cells[1].Text != "1" {
		t.Errorf("left are %v: %v", table.Heads, table.Bodies)
	}
}
