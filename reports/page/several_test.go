package page

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/internal/tab"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

func severalPage(t testing.TB, labels []string, dirs ...string) (path string) {
	t.Helper()
	var inputs []results.Input
	for i, dir := range dirs {
		r, err := results.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, results.Input{Label: labels[i], Results: r})
	}
	section, err := Explorer(inputs)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := shell.Page{Title: "several", Sections: []shell.Section{section}}
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
	return path
}

func slowerSerial(t testing.TB) (dir string) {
	t.Helper()
	dir = smallRun(t)
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		s = regexp.MustCompile(`(?m)^commit: .*$`).ReplaceAllString(s, "commit: other")
		lines := regexp.MustCompile(`(?m)^BenchmarkRun/strategy=serial/.*$`)
		p99 := regexp.MustCompile(`([0-9.e+-]+) p99-response-sec`)
		return lines.ReplaceAllStringFunc(s, func(line string) string {
			v, err := strconv.ParseFloat(p99.FindStringSubmatch(line)[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return p99.ReplaceAllString(line, fmt.Sprint(2*v)+" p99-response-sec")
		})
	})
	return dir
}

// The reference of each strategy is the same strategy in the first directory. Coinciding series are
// one line.
func TestSeveral(t *testing.T) {
	b := tab.New(t)
	b.Size(1440, 900)
	b.Open(severalPage(t, []string{"old", "n<i>w"}, smallRun(t), slowerSerial(t)), "#explore?m=p99&v=1")
	table := tab.Eval[[][]string](b, `[...document.querySelectorAll(".explore table tr")].map(r =>
		[...r.children].map(c => c.innerText.trim()))`)
	at := slices.IndexFunc(table[0], func(head string) bool {
		return strings.HasPrefix(head, "against old, ") // followed by the ratio
	})
	if at < 0 {
		t.Fatalf("the table has no column for the first directory: %q", table[0])
	}
	got := make(map[string]string)
	for _, row := range table[1:] {
		got[row[0]] = row[at]
	}
	if got["serial in old"] != "baseline" || !strings.Contains(got["serial in n<i>w"], "2.00 × (") {
		t.Errorf("serial is twice as slow: %q", got)
	}
	same := 0
	for name, against := range got {
		if strings.HasSuffix(name, " in old and n<i>w") {
			if same++; against != "the same" {
				t.Errorf("%s is %s", name, against)
			}
		}
	}
	if same == 0 || len(got) != same+2 {
		t.Errorf("the others are the same in both: %q", got)
	}
	b.Open(severalPage(t, []string{"a", "b", "c"}, smallRun(t), slowerSerial(t), smallRun(t)),
		"#explore?m=p99&s=serial in b&v=1")
	if chips := tab.Eval[string](b, `document.querySelector(".chips").innerText`); !strings.Contains(
		chips, "serial in b") || !strings.Contains(chips, "serial in a and c") {
		t.Errorf("chips: %q", chips)
	}
}

func TestSeveralOfOneLabel(t *testing.T) {
	b := tab.New(t)
	b.Open(severalPage(t, []string{"a", "a"}, smallRun(t), smallRun(t)), "#explore?m=p99&v=1")
	data := tab.Eval[[]float64](b, `(d => [d.scenarios.length, "sources" in d ? 1 : 0,
		...new Set(d.scenarios[0].cells.map(c => c.runs.length))])(JSON.parse(
			document.getElementById("data").textContent))`)
	one := []float64{4, 0, 4} // three workloads, and the scenario along their variance
	if !slices.Equal(data, one) {
		t.Errorf("scenarios, sources, repetitions: %v, want %v", data, one)
	}
}
