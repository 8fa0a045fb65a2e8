package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
)

// The page compares the profiles of the slowest and the fastest strategy of a scenario. The mean
// decides if there are too few tasks for a p99.
func TestPageShowsProfiles(t *testing.T) {
	for _, unit := range []string{"p99-response-sec", "mean-response-sec"} {
		t.Run(unit, func(t *testing.T) { showsProfiles(t, unit) })
	}
}

func showsProfiles(t *testing.T, unit string) {
	dir := t.TempDir()
	name := func(strategy, load string) string {
		return "Run/strategy=" + strategy + "/workload=cpu_json/limit=4/load=" + load +
			"/profile=cpu+heap/flight=2s/clock=real"
	}
	file := func(strategy, load, kind string) string {
		return rundir.ProfileFile(name(strategy, load), 1, kind)
	}
	text := "# poolbench results 1\n"
	for _, r := range []struct {
		strategy, load string
		response       float64
	}{{"middling", "0.8", 2}, {"slow", "0.8", 3}, {"fast", "0.8", 1}, {"alone", "0.3", 0.1}} {
		text += fmt.Sprintf("# seed 1\nBenchmark%s 1000 5 ns/op %v %s\n",
			name(r.strategy, r.load), r.response, unit)
		touch(t, dir, file(r.strategy, r.load, "cpu"))
	}
	touch(t, dir, file("middling", "0.8", rundir.FlightKind))
	text += "# complete 4 runs\n"
	if err := os.WriteFile(filepath.Join(dir, rundir.ResultsFile), []byte(text),
		0o600); err != nil {
		t.Fatal(err)
	}
	html := page(t, dir)
	for _, want := range []string{"Profiles and traces",
		"<dt>slow against fast, cpu</dt><dd><code>go tool pprof -http=localhost: -diff_base " +
			file("fast", "0.8", "cpu") + " " + file("slow", "0.8", "cpu") + "<",
		"<dt>alone, cpu</dt><dd><code>go tool pprof -http=localhost: " +
			file("alone", "0.3", "cpu") + "<",
		"<dt>middling, seed 1</dt><dd><code>go tool trace " +
			file("middling", "0.8", rundir.FlightKind) + "<"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(html, file("middling", "0.8", "cpu")) || strings.Contains(html, ", heap<") {
		t.Error("the page shows another strategy, or a profile that is not there")
	}
	if err := os.RemoveAll(filepath.Join(dir, rundir.ProfilesDir)); err != nil {
		t.Fatal(err)
	}
	if html := page(t, dir); strings.Contains(html, "Profiles and traces") {
		t.Error("a page without profiles has a section of them")
	}
}

func touch(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
