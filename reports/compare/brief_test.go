package compare

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

// seededRuns returns five runs with different seeds for each strategy. The times depend on the seed
// and on the strategy's factor. The third strategy sheds tasks.
func seededRuns(t *testing.T, name string, first int, factors ...float64) *results.Results {
	t.Helper()
	var text strings.Builder
	text.WriteString("# poolbench results 1\nUnit ops/s better=higher\n")
	for _, unit := range []string{"mean-response-sec", "p50-response-sec", "p99-response-sec",
		"mean-wait-sec", "shed/op", "failed/op", "blocked/op", "verdict"} {
		fmt.Fprintf(&text, "Unit %s better=lower\n", unit)
	}
	for seed := first; seed < first+5; seed++ {
		work := 1 + float64(seed*7%5)/10
		for i, factor := range factors {
			noise := 1 + float64(seed*3%7)/1000*(factor-1)
			shed := 0.0
			if i == 2 {
				shed = 0.01 * (factor - 1) * work
			}
			fmt.Fprintf(&text, "# seed %d\nBenchmarkRun/strategy=s%d/load=0.8/clock=virtual 1000 "+
				"100 ops/s %v mean-response-sec %v p50-response-sec %v p99-response-sec "+
				"%v mean-wait-sec %v shed/op 0 failed/op %v blocked/op 0 verdict "+
				"7 theory-mean-wait-sec\n", seed, i, 0.01*work*factor*noise, 0.005*work,
				0.04*work*factor, 0.002*work*factor*noise, shed, factor)
		}
	}
	fmt.Fprintf(&text, "# complete %d runs\n", 5*len(factors))
	return resultstest.Read(t, name, text.String())
}

func TestBriefGoldens(t *testing.T) {
	old := seededRuns(t, "old", 1, 1, 1, 1)
	rows := mustCompare(t, old, seededRuns(t, "new", 1, 1, 1.02, 1.5), Options{Brief: true})
	resultstest.Golden(t, "brief.text", func(w io.Writer) error {
		return WriteText(w, rows, 80)
	})
	resultstest.Golden(t, "brief.md", func(w io.Writer) error { return WriteMarkdown(w, rows) })
	resultstest.Golden(t, "brief.csv", func(w io.Writer) error { return WriteCSV(w, rows) })
	resultstest.Golden(t, "brief.json", func(w io.Writer) error { return WriteJSON(w, rows) })
	columns, err := All([]results.Input{{Label: "x", Results: seededRuns(t, "x", 1, 1, 1, 1.5, 0.8,
		0.8, 2, 2.5, 3, 3.5, 4)}}, Options{Brief: true, Col: "/strategy"})
	if err != nil {
		t.Fatal(err)
	}
	resultstest.Golden(t, "columns.text", func(w io.Writer) error {
		return WriteText(w, columns, 80)
	})
}

// Brief compares only the deciding metrics of poolbench results, and all metrics of other
// benchmarks.
func TestBriefMetrics(t *testing.T) {
	old, new := seededRuns(t, "old", 1, 1), seededRuns(t, "new", 1, 1.02)
	for brief, want := range map[bool]int{true: 7, false: 10} {
		c := mustCompare(t, old, new, Options{Brief: brief})
		if len(c.Tables) != want {
			t.Errorf("brief %v: %d metrics, want %d", brief, len(c.Tables), want)
		}
	}
	other := resultstest.Read(t, "other", resultstest.Repeat("X", "ns/op", "1", "2", "3", "4"))
	var texts [2]strings.Builder
	for i, brief := range []bool{false, true} {
		if err := WriteText(&texts[i], mustCompare(t, other, other,
			Options{Brief: brief}), 0); err != nil {
			t.Fatal(err)
		}
	}
	if texts[0].String() != texts[1].String() || !strings.Contains(texts[1].String(), "vs base") {
		t.Errorf("other benchmarks in brief:\n%s", texts[1].String())
	}
}

func TestNoEndlessInterval(t *testing.T) {
	old, new := seededRuns(t, "old", 1, 1, 1, 1), seededRuns(t, "new", 30, 1, 1, 4)
	for _, brief := range []bool{true, false} {
		c := mustCompare(t, old, new, Options{Brief: brief})
		var page, text strings.Builder
		if err := WritePage(&page, c); err != nil {
			t.Fatal(err)
		}
		if err := WriteText(&text, c, 0); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(text.String(), "\n")
		for _, words := range []string{page.String(), first} {
			if strings.Contains(words, "∞") {
				t.Errorf("brief %v: an endless interval in\n%s", brief, words)
			}
		}
		if brief && strings.Contains(text.String(), "∞") {
			t.Errorf("an endless interval in\n%s", text.String())
		}
	}
}

// A difference below the displayed digits must not be called worse, even if each pair has it.
func TestInvisibleDifference(t *testing.T) {
	for factor, worse := range map[float64]bool{1.00001: false, 1.001: true} {
		c := mustCompare(t, seededRuns(t, "old", 1, 1), seededRuns(t, "new", 1, factor),
			Options{Brief: true})
		var text strings.Builder
		if err := WriteText(&text, c, 0); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "  worse") != worse ||
			strings.Contains(text.String(), "below 0.01 %") == worse {
			t.Errorf("factor %v:\n%s", factor, text.String())
		}
	}
}

// The values are medians of the runs, but the change is computed from pairs.
func TestPairs(t *testing.T) {
	of := func(name string, values ...float64) *results.Results {
		text := "# poolbench results 1\nUnit mean-response-sec better=lower\n"
		for i, v := range values {
			text += fmt.Sprintf("# seed %d\nBenchmarkRun/strategy=a/clock=virtual 1 %v mean-response-sec\n",
				i, v)
		}
		return resultstest.Read(t, name, text)
	}
	c := mustCompare(t, of("old", 1, 10, 100), of("new", 20, 30, 110),
		Options{Brief: true, Alpha: 0.5})
	var text strings.Builder
	if err := WriteText(&text, c, 0); err != nil {
		t.Fatal(err)
	}
	said := strings.ReplaceAll(text.String(), "\u00a0", " ")
	for _, want := range []string{"a is 4.04 times as high over the pairs: 30.0 s, before " +
		"10.0 s", "3 pairs; values are medians, changes geometric means of pairs"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// Inputs without a common benchmark are compared across the keys that distinguish them. Higher
// throughput at a higher rate is not better.
func TestBriefWithoutCommonBenchmark(t *testing.T) {
	at := func(name, load string, factor float64) results.Input {
		text := "# poolbench results 1\nUnit ops/s better=higher\n" +
			"Unit mean-response-sec better=lower\n"
		for i := range 6 {
			noise := 1 + float64(i)/1000
			text += fmt.Sprintf("# seed %d\nBenchmarkRun/strategy=a/load=%s/clock=virtual 1 "+
				"%v ops/s %v mean-response-sec\n", i, load, 100*factor*noise, factor*noise)
		}
		return results.Input{Label: name, Results: resultstest.Read(t, name, text)}
	}
	c, err := All([]results.Input{at("x", "0.5", 1), at("y", "0.6", 1.2), at("z", "0.7", 1.4)},
		Options{Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := WriteText(&text, c, 0); err != nil {
		t.Fatal(err)
	}
	said := strings.ReplaceAll(text.String(), "\u00a0", " ")
	for _, want := range []string{"The mean response of a in z is 40 % higher over the pairs: 1.40 s, in x 1.00 s",
		"of 4 comparisons 2 worse, 2 different", "0.5 in x; 0.6 in y; 0.7 in z"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}
