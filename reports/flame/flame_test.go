package flame

import (
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/reports/results"
)

// stacks is a profile by its stacks, the outermost function first, each behind its part.
func stacks(t *testing.T, dir string, r *results.Run, kind, of string, all map[string]int64) {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"},
		{Type: of, Unit: "nanoseconds"}}, PeriodType: &profile.ValueType{}}
	functions := map[string]*profile.Location{}
	for stack, v := range all {
		part, calls, _ := strings.Cut(stack, ":")
		s := &profile.Sample{Value: []int64{1, v}, Label: map[string][]string{}}
		if part != "" {
			s.Label["part"] = []string{part}
		}
		for name := range strings.SplitSeq(calls, ";") {
			l := functions[name]
			if l == nil {
				f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
				p.Function = append(p.Function, f)
				l = &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
				p.Location = append(p.Location, l)
				functions[name] = l
			}
			s.Location = append([]*profile.Location{l}, s.Location...)
		}
		p.Sample = append(p.Sample, s)
	}
	path := filepath.Join(dir, rundir.ProfileFile(r.Name, 1, kind))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
}

func runOf(strategy string, tasks int) *results.Run {
	return &results.Run{Name: "Run/strategy=" + strategy + "/profile=cpu/clock=real", Seed: "1",
		Iters: tasks}
}

// TestPictures: what functions took is per task, added up from their callees; the difference names
// the function that makes it, and the runtime's share is its caller's.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	of, base := runOf("mine", 1000), runOf("theirs", 500)
	stacks(t, dir, of, "cpu", "cpu", map[string]int64{
		"task:a/b.(*Workers).loop;" + own + "bench.attempt;a/b.Work;a/b.Parse": 4e6,
		"task:a/b.Work;a/b.Parse;runtime.mallocgc":                             3e6,
		"strategy:a/b.Pool[go.shape.int];a/b.(*Queue).Pop":                     1e6,
		":runtime.gcBgMarkWorker":                                              2e6,
		"harness:" + watchers[0] + "witness.Start":                             9e9,
	})
	stacks(t, dir, base, "cpu", "cpu", map[string]int64{
		"task:a/b.Work;a/b.Parse":                          2e6,
		"strategy:a/b.Pool[go.shape.int];a/b.(*Queue).Pop": 5e5,
		":runtime.gcBgMarkWorker":                          1e6,
	})
	alone, err := Pictures(dir, Side{"mine", []*results.Run{of}}, nil)
	if err != nil || len(alone) != 1 {
		t.Fatalf("%d, %v", len(alone), err)
	}
	if want := "10.0 µs of CPU time per task with mine"; alone[0].Title != want {
		t.Errorf("title %q, want %q", alone[0].Title, want)
	}
	for title, width := range map[string]float64{
		"all: 10.0 µs per task, 100 % of all":                   1200,
		"task: 7.00 µs per task, 70.0 % of all":                 840,
		"b.Work: 7.00 µs per task, 70.0 % of all":               840,
		"b.Parse: 7.00 µs per task, 70.0 % of all":              840,
		"runtime.mallocgc: 3.00 µs per task, 30.0 % of all":     360,
		"b.Pool[go.shape.int]: 1.00 µs per task, 10.0 % of all": 120,
		"b.(*Queue).Pop: 1.00 µs per task, 10.0 % of all":       120,
		"runtime and others: 2.00 µs per task, 20.0 % of all":   240,
	} {
		if got := widths(t, alone[0].SVG)[title]; math.Abs(got-width) > 1 {
			t.Errorf("%s is %v wide, want %v: %v", title, got, width, widths(t, alone[0].SVG))
		}
	}
	both, err := Pictures(dir, Side{"mine", []*results.Run{of}},
		&Side{"theirs", []*results.Run{base}})
	if err != nil || len(both) != 1 {
		t.Fatalf("%d, %v", len(both), err)
	}
	if want := "10.0 µs of CPU time per task with mine, 7.00 µs with theirs; most of the " +
		"difference: +3.00 µs in b.Parse"; both[0].Title != want {
		t.Errorf("title %q, want %q", both[0].Title, want)
	}
	parse := "b.Parse: 7.00 µs per task with mine, 4.00 µs with theirs"
	if got := widths(t, both[0].SVG)[parse]; math.Abs(got-1200*11/17.) > 1 {
		t.Errorf("b.Parse is %v wide: %v", got, widths(t, both[0].SVG))
	}
	if strings.Contains(both[0].SVG, "witness") {
		t.Error("who watches is drawn")
	}
}

// TestHostileNames: names of functions are whatever a file says.
func TestHostileNames(t *testing.T) {
	dir, r := t.TempDir(), runOf("x", 10)
	stacks(t, dir, r, "cpu", "cpu", map[string]int64{
		`task:"><script>alert(1)</script>;a&b</text>`: 5e6, "task:" + strings.Repeat("é", 900): 1e6})
	all, err := Pictures(dir, Side{`<b>"`, []*results.Run{r}}, nil)
	if err != nil || len(all) != 1 {
		t.Fatal(err)
	}
	widths(t, all[0].SVG)
	if strings.Contains(all[0].SVG, "<script") {
		t.Error(all[0].SVG)
	}
	path := filepath.Join(dir, rundir.ProfileFile(r.Name, 1, "cpu"))
	if err := os.WriteFile(path, []byte("no profile"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Pictures(dir, Side{"x", []*results.Run{r}}, nil); err == nil ||
		!strings.Contains(err.Error(), filepath.Base(path)) {
		t.Errorf("a file that is no profile: %v", err)
	}
	none, err := Pictures(t.TempDir(), Side{"x", []*results.Run{r}}, nil)
	if err != nil || none != nil {
		t.Errorf("without files: %v, %v", none, err)
	}
}

var widthOf = regexp.MustCompile(`<title>([^<]*)</title><rect [^>]*width="([0-9.]+)"`)

// widths are those of the boxes of a picture, by what they say, once it is well-formed.
func widths(t *testing.T, svg string) map[string]float64 {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v: %s", err, svg)
		}
	}
	out := map[string]float64{}
	for _, m := range widthOf.FindAllStringSubmatch(svg, -1) {
		out[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	return out
}
