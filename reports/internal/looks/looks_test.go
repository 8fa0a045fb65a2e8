package looks

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/gate"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/trend"
)

type openedPage struct{ name, path, hash string }

func allPages(t *testing.T) (all []openedPage) {
	t.Helper()
	add := func(name, hash string, write func(io.Writer) error) {
		path := filepath.Join(t.TempDir(), name+".html")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := write(f); err != nil {
			t.Fatal(err)
		}
		all = append(all, openedPage{name, path, hash})
	}
	var inputs []results.Input
	for i, label := range []string{"old", "a new one with a long name"} {
		var text strings.Builder
		for k := range 24 {
			slower := 1 + i*(k%2)
			fmt.Fprintf(&text, "BenchmarkRun/strategy=%s/load=%v 1000 %v p99-response-sec %d ops/s\n",
				[]string{"worker_pool", "bounded_queue_shed"}[k%2], 0.5+float64(k/2%2)/4,
				float64(slower)*(1+float64(k/4)/100), 100+k)
		}
		inputs = append(inputs, results.Input{Label: label,
			Results: resultstest.Read(t, label, text.String())})
	}
	add("compare", "#explore?m=p99&v=1", func(w io.Writer) error {
		c, err := compare.All(inputs, compare.Options{})
		if err != nil {
			return err
		}
		explorer, err := page.Explorer(inputs)
		if err != nil {
			return err
		}
		return compare.WritePage(w, c, explorer)
	})
	var series []results.Input
	for i := range 20 {
		text := fmt.Sprintf("BenchmarkX 1 %v ns/op\nBenchmarkY 1 %v ns/op\n", 100+i%3+30*(i/10),
			200+i%5)
		series = append(series, results.Input{Label: fmt.Sprint("r", i),
			Results: resultstest.Read(t, fmt.Sprint("r", i), text)})
	}
	add("trend", "", func(w io.Writer) error {
		found, err := trend.Find(series, trend.Options{Margin: 0.02})
		if err != nil {
			return err
		}
		return trend.WritePage(w, found)
	})
	add("gate", "", func(w io.Writer) error { return gate.WritePage(w, worseGate()) })
	add("calibrate", "", func(w io.Writer) error {
		known := []page.KnownValue{{Name: "A1", What: "M/M/4", Strategy: "worker_pool",
			Unit: "mean-wait-sec", Got: 0.011, Want: 0.01, Tolerance: 0.2}, {Name: "A3",
			What: "M/H2/4", Strategy: "semaphore", Unit: "p99-response-sec", Got: 0.5, Want: 0.3,
			Tolerance: 0.1}}
		return page.WriteCalibration(w, &page.Calibration{Dir: "out", Size: 0.1, Known: known,
			Control:  page.KnownValue{Name: "control", Unit: "mean-response-sec", Got: 1, Want: 2},
			Readings: []page.Reading{{What: "a sleep ends later by", Answer: "1 ms"}}})
	})
	add("crash", "", func(w io.Writer) error {
		return page.WriteCrash(w, &page.Crash{Strategy: "sqlite_queue", Survives: "kill -9",
			Accepted: 2000, Once: 1990, Twice: 8, Lost: 2, Broken: true, Kills: 4, InService: 9,
			First: 0.01, LongestFirst: 0.02,
			Command: "poolbench crash " + strings.Repeat("sqlite_queue,", 20)})
	})
	for _, verdict := range []string{"meets", "undecided", "nothing_meets"} {
		add("advise_"+verdict, "", func(w io.Writer) error {
			text, err := os.ReadFile("testdata/advice.json")
			if err != nil {
				return err
			}
			var d page.AdviceDocument
			if err := json.Unmarshal(text, &d); err != nil {
				return err
			}
			d.Verdict, d.Missing = verdict, []page.AdviceMissing{{What: "limit", Value: 7}}
			long := page.AdviceOption{Strategy: "retry+token_bucket:rate=50,burst=10+worker_pool"}
			d.RunnersUp = append(d.RunnersUp, long)
			d.NotLookedAt = append(d.NotLookedAt, strings.Repeat("a_long_name", 9)+": why")
			return d.WritePage(w)
		})
	}
	for _, kind := range []string{"run", "study", "capacity", "attack", "gateway"} {
		add(kind, "", func(w io.Writer) error {
			r, err := page.Load(directory(t, kind))
			if err != nil {
				return err
			}
			return r.WriteHTML(w)
		})
	}
	return all
}

// directory returns results from testdata. A study's verdict follows its runs.
func directory(t *testing.T, kind string) string {
	t.Helper()
	file, words := kind+".txt", ""
	if kind == "study" {
		file = "run.txt"
		words = "# study load: how do response time and throughput change near the capacity?\n# " +
			"claim a limit makes no difference\n# verdict does not hold: 4 of 4 do\n# advice use " +
			"the implementation that is easiest to read\n# answer the p99 is 45.7 ms\n"
	}
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Replace(string(text), "# complete", words+"# complete", 1)
	return resultstest.Files(t, map[string][]byte{rundir.ResultsFile: []byte(whole)})
}

func worseGate() *verdict.Report {
	r := &verdict.Report{Old: "main", New: "head", Options: gate.DefaultOptions()}
	for i, name := range []string{"BenchmarkWorse/with=a,long=name", "BenchmarkSame"} {
		p := verdict.Pairs{Screened: 6, Margin: 0.02, Row: verdict.Row{Benchmark: name,
			Metric: "sec/op", Better: -1, Verdict: verdict.Worse, Ratio: 1.1, Lo: 1.05, Hi: 1.2,
			Old: verdict.Side{N: 20, Median: 1},
			New: verdict.Side{N: 20, Median: 1.1}}}
		for k := range 26 {
			p.Old = append(p.Old, 1+float64(k%3))
			p.New = append(p.New, (1+float64(k%3))*(1.1-0.1*float64(i)+float64(k)/1000))
		}
		r.Pairs, r.Rows = append(r.Pairs, p), append(r.Rows, p.Row)
	}
	return r
}
