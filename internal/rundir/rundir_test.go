package rundir

import (
	"github.com/poolbench/poolbench/internal/decide"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMarks(t *testing.T) {
	for _, want := range marks {
		if m, rest, ok := ParseMark(want.Line("a b: c")); !ok || m != want || rest != "a b: c" {
			t.Errorf("%s: %q %q %v", want, m, rest, ok)
		}
	}
	for _, line := range []string{"", "#", "# ", "# seeds 3", "# unknown 3",
		"seed 3", "goos: linux"} {
		if m, rest, ok := ParseMark(line); ok || m != "" || rest != "" {
			t.Errorf("%q is %q with %q", line, m, rest)
		}
	}
}

func TestFailure(t *testing.T) {
	f := Failure{"Run/a=1", 7, "Run/a=1: panic: no luck\nat once"}
	want := "# failed Run/a=1 seed 7: panic: no luck | at once"
	if f.Line() != want {
		t.Errorf("got %q, want %q", f.Line(), want)
	}
	_, rest, _ := ParseMark(f.Line())
	got, err := ParseFailure(rest)
	if f.Reason = "panic: no luck | at once"; err != nil || got != f {
		t.Errorf("%+v, %v", got, err)
	}
	f.Reason = strings.Repeat("ä", 4000)
	if line := f.Line(); len(line) > 4100 || !strings.HasSuffix(line, "ä…") {
		t.Errorf("a long reason takes %d bytes", len(line))
	}
	if _, err := ParseFailure("no seed"); err == nil {
		t.Error("no error without a seed")
	}
}

func TestEnd(t *testing.T) {
	for line, want := range map[string]End{
		"# complete 3 runs":                    {Runs: 3},
		"# partial 2 of 9 runs: interrupted":   {2, true, 9, "interrupted"},
		"# partial 0 of 1 runs: a: b of c run": {0, true, 1, "a: b of c run"},
	} {
		m, rest, _ := ParseMark(line)
		got, ok := ParseEnd(m, rest)
		if !ok || got != want || got.Line() != line {
			t.Errorf("%s: %+v, %v, %s", line, got, ok, got.Line())
		}
	}
	for m, rest := range map[Mark]string{Complete: "soon", Partial: "3 runs", Seed: "3 runs"} {
		if e, ok := ParseEnd(m, rest); ok {
			t.Errorf("%s %s is %+v", m, rest, e)
		}
	}
}

func TestTimelineRow(t *testing.T) {
	want := TimelineRow{"Run/a", 2, 0.25, 1e-9, [9]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, 10}
	none := want
	none.Limit = 0
	for row, last := range map[TimelineRow]string{want: "10", none: ""} {
		fields := row.Fields()
		if len(fields) != len(TimelineColumns) || fields[len(fields)-1] != last {
			t.Errorf("%q for %d columns", fields, len(TimelineColumns))
		}
		if got, err := ParseTimelineRow(fields); err != nil || got != row {
			t.Errorf("%+v, %v", got, err)
		}
	}
	fields := none.Fields()
	if got, err := ParseTimelineRow(fields[:len(fields)-1]); err != nil || got != none {
		t.Errorf("a row of an older version: %+v, %v", got, err)
	}
	if _, err := ParseTimelineRow(fields[2:]); err == nil {
		t.Error("no error for a column that is missing")
	}
	if !IsTimelineHead(TimelineColumns) || IsTimelineHead(fields) {
		t.Error("the head is not told from a row")
	}
}

func TestHistogram(t *testing.T) {
	var log strings.Builder
	if err := WriteHistogramHead(&log); err != nil {
		t.Fatal(err)
	}
	want := Histogram{Tag("Run/a=1,b=2", 3, "wait"), 3 * time.Second, time.Second >> 6,
		1_234_567, "HISTFAAA"}
	WriteHistogram(&log, want)
	lines := slices.Collect(strings.Lines(log.String()))
	for i, line := range lines {
		h, ok, err := ParseHistogram(strings.TrimSuffix(line, "\n"))
		if last := i == len(lines)-1; err != nil || ok != last || last && h != want {
			t.Errorf("%q: %v, %v, %+v", line, ok, err, h)
		}
		name, n, reading, tagged := ParseTag(h.Tag)
		if tagged != ok || ok && (name != TagName("Run/a=1,b=2") || n != 3 || reading != "wait") {
			t.Errorf("%s: %s, %d, %s, %v", h.Tag, name, n, reading, tagged)
		}
	}
	for _, line := range []string{"Tag=x,1", "Tag=x,-1,0,0,H", "Tag=x,0,NaN,0,H", "Tag=x,1e99,0,0,H"} {
		if _, ok, err := ParseHistogram(line); !ok || err == nil {
			t.Errorf("no error for %s", line)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, op := range decide.Operators {
		b := decide.Bound{Unit: "p99-response-sec", Op: op, Value: 0.06}
		rest, marked := strings.CutPrefix(BoundLine(b), "# objective ")
		if got, err := ParseBound(rest); !marked || err != nil || got != b {
			t.Errorf("%q: %v, %v", BoundLine(b), got, err)
		}
		at := strings.Contains(op, "=")
		if below := op[0] == '<'; b.Meets(0.06) != at || b.Meets(0.05) != below ||
			b.Meets(0.07) == below || b.Meets(math.NaN()) {
			t.Errorf("%s: wrong", op)
		}
	}
	for _, rest := range []string{"", "x", "x 5", "x = 5", "x < y", "x < 5 6"} {
		if b, err := ParseBound(rest); err == nil {
			t.Errorf("%q is %v", rest, b)
		}
	}
}
