package measure

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	const printed = "init: says\ngoos: linux\ngoarch: amd64\ncpu: made up\nBenchmarkA\nprogress: " +
		"5\nUnit x/op better=higher\n" +
		"half a lineBenchmarkA-2         \t     100\t        12.5 ns/op\t       3.000 x/op\n" +
		"BenchmarkA 5 were made\n    BenchmarkB: log\nBenchmarkB/n=1-2 \t 7\t 0 ns/op\ncpu: " +
		"another\nPASS\n"
	found, units, err := read([]byte(printed))
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	a, b := found[0], found[1]
	if a.name != "BenchmarkA-2" || a.iters != 100 || a.values[0].OrigValue != 12.5 ||
		a.tidy["sec/op"] != a.values[0].Value || a.tidy["x/op"] != 3 || len(a.tidy) != 2 {
		t.Errorf("%+v", a)
	}
	if v, ok := b.tidy["sec/op"]; b.name != "BenchmarkB/n=1-2" || v != 0 || !ok {
		t.Errorf("%+v", b)
	}
	if a.machine["goos"] != "linux" || a.machine["cpu"] != "made up" || len(a.machine) != 3 {
		t.Errorf("%v", a.machine)
	}
	if units.GetBetter("x/op") != 1 || units.GetBetter("sec/op") != -1 {
		t.Errorf("%v", units)
	}
	if got, _, err := readingOf([]byte(printed), "BenchmarkB/n=1-2"); err != nil || got.iters != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, _, err := readingOf([]byte(printed), "BenchmarkB/n=1"); err == nil ||
		!strings.Contains(err.Error(), "it printed no result\n    init: says") {
		t.Error(err)
	}
	for _, bad := range []string{"BenchmarkA \t 1\t NaN ns/op\n", "BenchmarkA \t 1\t +Inf x\n",
		"BenchmarkA \t 1\t x ns/op\n"} {
		if _, _, err := read([]byte(bad)); err == nil {
			t.Errorf("%q is a result", bad)
		}
	}
}

func TestOutcomes(t *testing.T) {
	const printed = "    a_test.go:5: no\n--- SKIP: BenchmarkS\n--- FAIL: BenchmarkF/x\n    " +
		"a_test.go:6: why\n--- FAIL: BenchmarkF\n--- FAIL: BenchmarkG-2\n"
	if got := outcomes([]byte(printed), "FAIL"); !slices.Equal(got,
		[]string{"BenchmarkF/x", "BenchmarkG-2"}) {
		t.Errorf("%q", got)
	}
	if got := failureLog([]byte(printed), "BenchmarkS"); got != ": a_test.go:5: no" {
		t.Errorf("%q", got)
	}
	if got := failureLog([]byte(printed), "BenchmarkF/x"); got != ": a_test.go:6: why" {
		t.Errorf("%q", got)
	}
}

func TestSilent(t *testing.T) {
	const printed = "BenchmarkA\nBenchmarkA-2 \t 1\t 5 " +
		"ns/op\nBenchmarkB\nBenchmarkB/x\nBenchmarkB/x-2 \t 1\t 5 ns/op\nBenchmarkS\n--- SKIP: " +
		"BenchmarkS\n" +
		"BenchmarkF\nBenchmarkF/y\n--- FAIL: BenchmarkF/y\n--- FAIL: " +
		"BenchmarkF\nBenchmarkP\nBenchmarkP-2   \t       1\nPASS\n"
	found, _, err := read([]byte(printed))
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	if got := silent([]byte(printed), found, 2); !slices.Equal(got, []string{"BenchmarkP"}) {
		t.Errorf("%q", got)
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name  string
		procs int
		want  string
	}{{"BenchmarkA-2", 2, "BenchmarkA"}, {"BenchmarkA-2", 1, "BenchmarkA-2"},
		{"BenchmarkA/n-2-2", 2, "BenchmarkA/n-2"}, {"BenchmarkA-12", 2, "BenchmarkA-12"}} {
		if got := plain(c.name, c.procs); got != c.want {
			t.Errorf("%s at %d: %s", c.name, c.procs, got)
		}
	}
}

func TestBenchTime(t *testing.T) {
	for _, text := range []string{"250ms", "100x", "1.5s"} {
		if b, err := ParseBenchTime(text); err != nil || b.String() != text {
			t.Errorf("%s is read as %v, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "0x", "-3x", "x", "0s", "-1s", "5", "1e3x"} {
		if b, err := ParseBenchTime(text); err == nil {
			t.Errorf("%q is read as %v", text, b)
		}
	}
	quarter := BenchTime{Time: 250 * time.Millisecond}
	for _, c := range []struct {
		of    BenchTime
		warm  int
		perOp float64
		want  int
	}{
		{quarter, 1000, 50e-6, 5000},
		{quarter, 1, 1, 1}, // an iteration takes longer than the run
		{quarter, 1, 0.1, 3},
		{quarter, 1000, 0, 5000},
		{quarter, 1000, 1e-12, 5000},
		{BenchTime{Iterations: 7}, 1000, 1, 7},
	} {
		if got := c.of.iterations(c.warm, c.perOp); got != c.want {
			t.Errorf("%v, %d in the warm-up, %v s each: %d, want %d", c.of, c.warm,
				c.perOp, got, c.want)
		}
	}
}

func TestTailBuffer(t *testing.T) {
	var e tailBuffer
	for i := range 300_000 {
		fmt.Fprintf(&e, "line number %d\n", i)
	}
	if text := string(e.bytes()); len(text) > 3*maxOutput ||
		!strings.HasSuffix(text, "line number 299999\n") {
		t.Errorf("%d bytes", len(text))
	}
}
