package page

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/tab"
)

// Times that are not fully recorded must not be drawn. The caption gives the reason.
func TestGapInCourse(t *testing.T) {
	dir := writeSample(t, []sampleScenario{
		{"exponential:mean=10ms", "poisson", 1, 4, 0.8, "virtual", 1500, 1}})
	path := filepath.Join(dir, rundir.ResultsFile)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const marked = "Shaded: the run was interrupted"
	if html := page(t, dir); strings.Contains(html, marked) {
		t.Error("a gap where there is none")
	}
	gap := rundir.Gap{Tasks: 9, From: 2 * time.Second, To: 2100 * time.Millisecond}
	reason := rundir.Suspect.Line(fmt.Sprintf("%s: missing are %v", rundir.CheckGap, gap))
	content = bytes.ReplaceAll(content, []byte(" broken-laws"),
		[]byte(" broken-laws 0.001 quantile-error"))
	before, after, _ := strings.Cut(string(content), "BenchmarkRun/strategy=bounded_queue_shed")
	content = []byte(before + reason + "\nBenchmarkRun/strategy=bounded_queue_shed" + after)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	html := page(t, dir)
	mustContain(t, html, marked, ">not recorded<")
	d, _ := dataOf(t, html)
	for _, c := range d.Scenarios[0].Cells {
		var want []int // intervals with a gap
		course := d.Courses[c.Course]
		if n := len(course.Flight); n != 59 { // the soak ends within the last of 60 intervals
			t.Errorf("%d intervals", n)
		}
		for i := range course.Flight {
			from := course.Start + float64(i)*course.Step
			if from < gap.To.Seconds() && from+course.Step > gap.From.Seconds() {
				want = append(want, i)
			}
		}
		if d.Strategies[d.Scenarios[0].Series[c.Series].Strategy] != "bounded_queue_shed" {
			want = nil
		}
		if !slices.Equal(course.Missing, want) || len(want) > 5 {
			t.Errorf("%d: missing are %v, want %v of %d", c.Series, course.Missing, want,
				len(course.Flight))
		}
	}
	b := tab.New(t)
	b.Size(1100, 900)
	b.Open(reportFile(t, dir), "")
	parts := tab.Eval[[]int](b, `["in flight", "queued", "completed a second"].map((name) =>
		document.querySelector('path[data-series="' + name + '"]').getAttribute("d").
		split("M").length - 1)`)
	if !slices.Equal(parts, []int{2, 2, 2}) {
		t.Errorf("the lines are in %v parts", parts)
	}
}
