package page

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/poolbench/poolbench/internal/files/rundir"
)

// TestPageShowsProfiles: the slowest strategy is held against the fastest in the same place, by the
// mean where the tasks are too few for a p99; a page without profiles has no word of them, and one
// whose profiles are damaged says so.
func TestPageShowsProfiles(t *testing.T) {
	for _, unit := range []string{"p99-response-sec", "mean-response-sec"} {
		t.Run(unit, func(t *testing.T) { showsProfiles(t, unit) })
	}
}

func showsProfiles(t *testing.T, unit string) {
	dir := t.TempDir()
	name := func(strategy, load string) string {
		return "Run/strategy=" + strategy + "/workload=cpu_json/limit=4/load=" + load +
			"/profile=cpu/clock=real"
	}
	text := "# poolbench results 1\n"
	for _, r := range []struct {
		strategy, load string
		response       float64
	}{{"middling", "0.8", 2}, {"slow", "0.8", 3}, {"fast", "0.8", 1}, {"fast", "0.3", 0.1}} {
		text += fmt.Sprintf("# seed 1\nBenchmark%s 1000 5 ns/op %v %s\n",
			name(r.strategy, r.load), r.response, unit)
		writeProfile(t, dir, name(r.strategy, r.load), r.strategy)
	}
	text += "# complete 4 runs\n"
	file := filepath.Join(dir, rundir.ResultsFile)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	html := page(t, dir)
	for _, want := range []string{"Where the program spent it",
		"2.00 µs of CPU time per task with slow, 2.00 µs with fast",
		"−1.00 µs in main.fast and +1.00 µs in main.slow", `<svg class="flame"`, "fl-more"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(html, "main.middling") {
		t.Error("the page shows another strategy")
	}
	path := filepath.Join(dir,
		filepath.FromSlash(rundir.ProfileFile(name("slow", "0.8"), 1, "cpu")))
	if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if html := page(t, dir); !strings.Contains(html, "profiles are left out: ") {
		t.Error("nothing is said of a damaged profile")
	}
	if err := os.RemoveAll(filepath.Join(dir, rundir.ProfilesDir)); err != nil {
		t.Fatal(err)
	}
	if html := page(t, dir); strings.Contains(html, "Where the program spent it") ||
		strings.Contains(html, ".flame") {
		t.Error("a page without profiles has a section of them")
	}
}

// writeProfile writes one of a task that takes 1 ms with all strategies and 1 ms in a function of
// the strategy's name.
func writeProfile(t *testing.T, dir, run, strategy string) {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}}
	for i, name := range []string{"main.task", "main." + strategy} {
		f := &profile.Function{ID: uint64(i + 1), Name: name}
		l := &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{Value: []int64{1e6},
			Location: []*profile.Location{l}, Label: map[string][]string{"part": {"task"}}})
	}
	var data bytes.Buffer
	if err := p.Write(&data); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.FromSlash(rundir.ProfileFile(run, 1, "cpu")))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
