// Package resultstest contains sample results and golden files for tests of several packages.
package resultstest

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/reports/results"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func Golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"),
		strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

// Sample reads old.txt or new.txt of the samples next to the packages.
func Sample(t *testing.T, name string) *results.Results {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := results.Read(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func Read(t *testing.T, path, text string) *results.Results {
	t.Helper()
	r, err := results.Read(strings.NewReader(text), path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func Repeat(name, unit string, values ...string) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString("Benchmark" + name + " 1 " + v + " " + unit + "\n")
	}
	return b.String()
}

func Same(value string, n int) []string {
	return slices.Repeat([]string{value}, n)
}

func Files(t testing.TB, files map[string][]byte) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "2026-11-21-0900")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func Edit(t testing.TB, dir, name string, change func(string) string) {
	t.Helper()
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(change(string(b))), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each line of Seeded contains a seed, the clock and a value.
func Seeded(lines ...string) string {
	var b strings.Builder
	b.WriteString("# poolbench results 1\n# strategies semaphore\nUnit mean-response-sec " +
		"better=lower\n")
	for _, line := range lines {
		seed, rest, _ := strings.Cut(line, " ")
		clock, value, _ := strings.Cut(rest, " ")
		fmt.Fprintf(&b, "# seed %s\nBenchmarkRun/strategy=semaphore/load=0.5/clock=%s 100 %s "+
			"mean-response-sec\n", seed, clock, value)
	}
	fmt.Fprintf(&b, "# study load: q\n# verdict holds: b\n# complete %d runs\n", len(lines))
	return b.String()
}

const Ours = `# poolbench results 1
# strategies bounded_queue_shed semaphore worker_pool
Unit sec/op better=lower
Unit p99-response-sec better=lower
goos: linux
cpu: Some CPU
BenchmarkRun/strategy=worker_pool/workload=hyperexp:mean=20ms,c2=16/limit=4/load=0.8/clock=virtual 20000 2500 ns/op 0.00745 p99-response-sec
BenchmarkRun/strategy=semaphore/workload=exponential/limit=4/load=0.8/clock=virtual 20000 2500 ns/op 0.00745 p99-response-sec
BenchmarkRun/strategy=worker_pool/workload=hyperexp:mean=20ms,c2=16/limit=4/load=0.8/clock=virtual 20000 2501 ns/op 0 p99-response-ns 4 ops/s
# complete 3 runs
`
