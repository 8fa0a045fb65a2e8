package measure

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func madeReading(name string, ns float64) reading {
	r, err := newReading(
		&benchfmt.Result{Name: benchfmt.Name(strings.TrimPrefix(name, "Benchmark")), Iters: 10,
			Values: []benchfmt.Value{{Value: ns / 1e9, Unit: "sec/op", OrigValue: ns,
				OrigUnit: "ns/op"}}}, map[string]string{"goos": "linux"})
	if err != nil {
		panic(err)
	}
	return r
}

// madeJournal returns a journal in which the base needs 100 ns, and the head needs head ns plus the
// values of jitter in turn.
func madeJournal(
	t *testing.T, dir string, b benchmark, pairs int, head float64, jitter ...float64,
) *journal {
	t.Helper()
	j, err := openJournal(dir, resultFiles, []benchmark{b}, benchfmt.UnitMetadataMap{},
		[2]string{"base: a", "head: b"})
	if err != nil {
		t.Fatal(err)
	}
	s := schedule{seed: 1, layouts: 2, screened: 6, names: []string{b.String()}}
	for pair := range pairs {
		was, is := 100.0, head
		if len(jitter) > 0 {
			is += jitter[pair%len(jitter)]
		}
		if err := j.append(b,
			record{s.round(pair, []int{0})[0],
				[2]reading{madeReading(b.Name, was), madeReading(b.Name, is)}}); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// After truncation at any byte, only pairs that are complete in both files may be read.
func TestJournalCut(t *testing.T) {
	b := benchmark{Package: "p", Name: "BenchmarkA", Iterations: 10}
	dir := t.TempDir()
	const pairs = 3
	steps := 5
	if testing.Short() {
		steps = 17
	}
	j := madeJournal(t, dir, b, pairs, 110)
	if err := j.close("complete 3 runs"); err != nil {
		t.Fatal(err)
	}
	var texts [2][]byte
	for s, name := range resultFiles {
		var err error
		if texts[s], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for s, name := range resultFiles {
		before := 0
		for cut := 0; cut <= len(texts[s]); cut += 1 + cut%steps {
			for i, other := range resultFiles {
				if err := os.WriteFile(filepath.Join(dir, other), texts[i], 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, name), texts[s][:cut], 0o666); err != nil {
				t.Fatal(err)
			}
			again, err := openJournal(dir, resultFiles, []benchmark{b}, benchfmt.UnitMetadataMap{},
				[2]string{"base: a", "head: b"})
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			kept := again.kept[b.String()]
			if whole := strings.Count(string(texts[s][:cut]), " ns/op\n"); len(kept) != whole ||
				whole < before {
				t.Errorf("cut at %d: %d pairs, want %d", cut, len(kept), whole)
			}
			before = len(kept)
			for pair, runs := range kept {
				if !reflect.DeepEqual(runs[head].tidy, j.kept[b.String()][pair][head].tidy) ||
					runs[base].iters != 10 {
					t.Errorf("cut at %d: pair %d is %+v", cut, pair, runs)
				}
			}
			if err := again.close(""); err != nil {
				t.Error(err)
			}
		}
		if before != pairs {
			t.Errorf("the whole of %s has %d pairs", name, before)
		}
	}
}

func TestPlanDiffers(t *testing.T) {
	o := Defaults()
	o.Metrics = []string{"sec/op"}
	p := func() *plan {
		return &plan{Version: planVersion, Base: revision{Tree: "a"}, Head: revision{Tree: "b"},
			Settings: o.Settings("go1.26"), Judge: o.Judge}
	}
	dir := t.TempDir()
	if err := p().write(dir); err != nil {
		t.Fatal(err)
	}
	was, err := readPlan(dir)
	if err != nil {
		t.Fatal(err)
	}
	if what := was.differs(p()); what != "" {
		t.Errorf("the same plan differs: %s", what)
	}
	for want, change := range map[string]func(*plan){
		"the base is a different one":      func(p *plan) { p.Base.Tree = "c" },
		"the head is a different one":      func(p *plan) { p.Head.Tree = "c" },
		"the directory is a different one": func(p *plan) { p.Directory = "c" },
		"seed was 1, and now is 2":         func(p *plan) { p.Settings.Seed = 2 },
		"go was go1.26, and now is go1.27": func(p *plan) { p.Settings.Go = "go1.27" },
		"packages was [./...], and now is [.]": func(p *plan) {
			p.Settings.Packages = []string{"."}
		},
		"metrics was [sec/op], and now is []": func(p *plan) { p.Settings.Metrics = nil },
		"margin was 0.02, and now is 0.03":    func(p *plan) { p.Judge.Margin = 0.03 },
	} {
		now := p()
		change(now)
		if what := was.differs(now); what != want {
			t.Errorf("%q, want %q", what, want)
		}
	}
}
