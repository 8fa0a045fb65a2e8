package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/results"
)

var dataElement = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

func dataOf(t testing.TB, html string) (d front.Data, size int) {
	t.Helper()
	found := dataElement.FindStringSubmatch(html)
	if found == nil {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(found[1]), &d); err != nil {
		t.Fatal(err)
	}
	return d, len(found[1])
}

// The page must contain each value of each run exactly, and no other value.
func TestDataEqualsResults(t *testing.T) {
	dir := smallRun(t)
	d, _ := dataOf(t, page(t, dir))
	all, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, got := make(map[string]int), make(map[string]int)
	known := make(map[string]bool) // for any workload
	for _, r := range all.Runs {
		for unit, v := range r.Values {
			v = rounded(v, valueDigits)
			want[fmt.Sprintln(r.Key("workload"), r.Key("strategy"), r.Key("load"), r.Key("limit"),
				r.Repetition, unit, v)]++
			known[fmt.Sprintln(r.Key("strategy"), r.Repetition, unit, v)] = true
		}
	}
	variances := 0
	for _, s := range d.Scenarios {
		for _, c := range s.Cells {
			for rep, run := range c.Runs {
				if s.Axes[0].Key == "C²" { // the same runs along another axis
					for i, m := range d.Shapes[int(d.Runs[run][0])] {
						variances++
						if key := fmt.Sprintln(d.Strategies[s.Series[c.Series].Strategy], rep,
							d.Metrics[m].Unit, d.Runs[run][1+i]); !known[key] {
							t.Fatalf("over C² there is %s", key)
						}
					}
					continue
				}
				at := map[string]float64{}
				for i, a := range s.Axes {
					at[a.Key] = a.At[c.At[i]]
				}
				for i, m := range d.Shapes[int(d.Runs[run][0])] {
					got[fmt.Sprintln(s.Title, d.Strategies[s.Series[c.Series].Strategy],
						at["load"], at["limit"], rep, d.Metrics[m].Unit, d.Runs[run][1+i])]++
				}
			}
		}
	}
	if variances < 100 {
		t.Errorf("%d values along C²", variances)
	}
	if len(got) < 1000 || !maps.Equal(got, want) {
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if got[key] != want[key] {
				t.Fatalf("%d of %d values; %d times, want %d: %s", len(got), len(want), got[key],
					want[key], key)
			}
		}
		t.Fatalf("the page has %d values, the results %d", len(got), len(want))
	}
}

// Three strategies of the sample are identical.
func TestEqualDataIsStoredOnce(t *testing.T) {
	d, _ := dataOf(t, page(t, smallRun(t)))
	alike := make(map[string][]front.Cell)
	for _, s := range d.Scenarios {
		for _, c := range s.Cells {
			switch name := d.Strategies[s.Series[c.Series].Strategy]; name {
			case "errgroup_limit", "semaphore", "worker_pool":
				key := fmt.Sprint(s.Title, c.At)
				alike[key] = append(alike[key], c)
			}
		}
	}
	for key, cells := range alike {
		for _, c := range cells {
			if len(cells) != 3 || !slices.Equal(c.Runs, cells[0].Runs) ||
				c.Curve != cells[0].Curve || c.Course != cells[0].Course || c.Curve < 0 ||
				c.Course < 0 {
				t.Errorf("%s: %+v", key, cells)
			}
		}
	}
}

// A curve ends at the highest quantile with enough tasks. p50 and p99 must equal those of the runs
// within the precision of a three-digit histogram.
func TestCurves(t *testing.T) {
	d, _ := dataOf(t, page(t, smallRun(t)))
	for _, c := range d.Curves {
		if n := len(c.Sec); c.Nines <= 2 || c.Nines > 3 || n != int(c.Nines/curveStep)+2 ||
			!slices.IsSorted(c.Sec) {
			t.Errorf("%d values up to %v nines: %v", n, c.Nines, c.Sec)
		}
	}
}

func TestHostileData(t *testing.T) {
	hostile := "x<script>alert(1)<!--'`&amp;" + strings.Repeat("A", 10_000)
	lines := "cpu: </script><script>alert(1)</script>\n"
	for _, load := range []string{"0.5", "0.8"} {
		lines += "BenchmarkRun/strategy=" + hostile + "/workload=" + hostile + "/load=" + load +
			" 100 7 ns/op\n"
	}
	dir := resultstest.Files(t, map[string][]byte{rundir.ResultsFile: []byte(lines)})
	html := page(t, dir)
	if strings.Contains(html, "<script>alert(1)") {
		t.Error("a name became a script")
	}
	d, _ := dataOf(t, html)
	if len(d.Strategies) != 1 || d.Strategies[0] != hostile {
		t.Errorf("%.200q", d.Strategies)
	}
}
