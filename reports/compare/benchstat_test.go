package compare

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/reports/results"
)

var benchstat = sync.OnceValues(func() (path string, err error) {
	out, err := exec.Command("go", "tool", "-n", "golang.org/x/perf/cmd/benchstat").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
})

func benchstatCSV(t *testing.T, old, new string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "old.txt"), old)
	write(t, filepath.Join(dir, "new.txt"), new)
	stdout, _ := runBenchstat(t, dir, append(args, "-format", "csv", "old.txt", "new.txt")...)
	return stdout
}

func runBenchstat(t *testing.T, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	path, err := benchstat()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("benchstat: %v\n%s", err, errors.String())
	}
	return out.String(), errors.String()
}

func ourCSV(t *testing.T, old, new string) string {
	t.Helper()
	var inputs []*results.Results
	for i, text := range []string{old, new} {
		r, err := results.Read(strings.NewReader(text), []string{"old.txt", "new.txt"}[i])
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, r)
	}
	var out bytes.Buffer
	if err := WriteCSV(&out, mustCompare(t, inputs[0], inputs[1], Options{})); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// tablesOnly removes the configuration lines, because benchstat prints more of them.
func tablesOnly(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, ",") && strings.Contains(line, ": ") {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// splitNotes splits a file of x/perf at "note: before" and "note: after". Both halves get the Unit
// lines.
func splitNotes(t *testing.T, text string) (old, new string) {
	t.Helper()
	head, rest, ok1 := strings.Cut(text, "note: before\n")
	old, new, ok2 := strings.Cut(rest, "note: after\n")
	if !ok1 || !ok2 {
		t.Fatal("no notes to split at")
	}
	return head + old, head + new
}

func TestEqualToBenchstat(t *testing.T) {
	perf := func(name string) string { return read(t, filepath.Join("testdata", "xperf", name)) }
	both := func(name string) [2]string {
		old, new := splitNotes(t, perf(name))
		return [2]string{old, new}
	}
	for _, test := range []struct {
		name   string
		inputs [2]string
		args   []string
		// number of compared table rows, so an empty comparison fails
		cells int
	}{
		{"encode", [2]string{perf("old.txt"), perf("new.txt")}, nil, 2},
		{"crc", [2]string{perf("crc-old.txt"), perf("crc-new.txt")},
			[]string{"-ignore", "note"}, 72},
		{"units", both("units.txt"), nil, 2},
		{"zero", both("zero.txt"), nil, 10},
		{"smallSample", both("smallSample.txt"), nil, 1},
		{"issue19565", both("issue19565.txt"), nil, 1},
		{"issue19634", both("issue19634.txt"), nil, 1},
		{"poolbench", [2]string{read(t, "../testdata/old.txt"), read(t, "../testdata/new.txt")},
			[]string{"-ignore", "commit"}, 40},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := benchstatCSV(t, test.inputs[0], test.inputs[1], test.args...)
			got := ourCSV(t, test.inputs[0], test.inputs[1])
			if len(test.args) > 0 {
				want, got = tablesOnly(want), tablesOnly(got)
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("(-benchstat +ours)\n%s", diff)
			}
			if n := comparedCells(t, tablesOnly(got)); n != test.cells {
				t.Errorf("%d cells compared, want %d", n, test.cells)
			}
		})
	}
}

func comparedCells(t *testing.T, text string) int {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, record := range records {
		if strings.Contains(record[len(record)-1], "n=") {
			n++
		}
	}
	return n
}

// The random samples have equal sizes with various ties and variances, up to the size at which
// benchmath changes its method, or unequal sizes without ties.
func TestEqualToBenchstatAtRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	values := func(kind, n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			switch kind {
			case 0:
				v[i] = math.Exp(rng.NormFloat64())
			case 1:
				v[i] = float64(rng.IntN(4))
			case 2:
				v[i] = 100 + float64(rng.IntN(10))
			case 3:
				v[i] = 7
			}
		}
		return v
	}
	for range 6 {
		var sides [2]strings.Builder
		for b := range 12 {
			kind := b % 4
			n := [2]int{1 + rng.IntN(12), 0}
			n[1] = n[0]
			switch {
			case b == 5:
				n = [2]int{30, 30}
			case b == 8:
				n = [2]int{50, 1 + rng.IntN(50)}
			case b == 4:
				n = [2]int{51, 1 + rng.IntN(51)}
			case kind == 0:
				n[1] = 1 + rng.IntN(12)
			}
			for side := range sides {
				times, counts := values(0, n[side]), values(kind, n[side])
				for i := range times {
					fmt.Fprintf(&sides[side],
						"BenchmarkX/b=%d-8 100 %v ns/op %v p99-response-sec %v shed/op %v MB/s\n",
						b, times[i]*1e6, times[i]*3, counts[i], 1/times[i])
				}
			}
		}
		old, new := sides[0].String(), sides[1].String()
		if diff := cmp.Diff(strings.Split(benchstatCSV(t, old, new), "\n"),
			strings.Split(ourCSV(t, old, new), "\n")); diff != "" {
			t.Fatalf("(-benchstat +ours)\n%s\nold:\n%s\nnew:\n%s", diff, old, new)
		}
	}
}

// These differences from benchstat are deliberate.
func TestUnlikeBenchstat(t *testing.T) {
	t.Run("a value of 0 ns", func(t *testing.T) {
		old, new := "BenchmarkX 1 5 p99-ns\nBenchmarkX 1 0 p99-ns\n",
			"BenchmarkX 1 4 p99-ns\nBenchmarkX 1 0 p99-ns\n"
		if got := strings.Count(benchstatCSV(t, old, new), "vs base"); got != 2 {
			t.Errorf("benchstat has %d tables, where it used to split the zeros off", got)
		}
		if got := ourCSV(t, old, new); strings.Count(got, "vs base") != 1 ||
			!strings.Contains(got, "n=2") {
			t.Errorf("ours:\n%s", got)
		}
	})
	t.Run("a log line", func(t *testing.T) {
		line := strings.Repeat("BenchmarkX 1 5 ns/op\n", 6)
		old, new := line, "warning: slow disk\n"+line
		if got := benchstatCSV(t, old, new); strings.Contains(got, "vs base") {
			t.Errorf("benchstat compares across a log line now:\n%s", got)
		}
		if got := ourCSV(t, old, new); !strings.Contains(got, "p=1.000 n=6") {
			t.Errorf("ours:\n%s", got)
		}
	})
	t.Run("ties and unequal sizes", func(t *testing.T) {
		var old, new strings.Builder
		for _, v := range []int{0, 0, 0, 0, 0, 0, 1} {
			fmt.Fprintf(&old, "BenchmarkX 1 %d shed/op\n", v)
		}
		for _, v := range []int{0, 1, 1} {
			fmt.Fprintf(&new, "BenchmarkX 1 %d shed/op\n", v)
		}
		for _, swapped := range []bool{false, true} {
			a, b := old.String(), new.String()
			if swapped {
				a, b = b, a
			}
			if got := ourCSV(t, a, b); !strings.Contains(got, "p=0.367") {
				t.Errorf("swapped %v, want p=0.367:\n%s", swapped, got)
			}
		}
	})
}
