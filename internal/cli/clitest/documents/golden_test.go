package documents

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// golden covers every strategy, target and arrival process, and every workload that waits.
var golden = map[string][]string{
	"strategies": {"--strategy", "every", "--workload", "two_class:r=20", "--load", "0.85"},
	"flaky": {"--strategy", "retry_in_place,retry_queue", "--target", "flaky",
		"--load", "0.5"},
	"brownout": {"--strategy", "adaptive_gradient,codel_lifo", "--target", "brownout", "--load",
		"0.9", "--limit", "16"},
	"windows": {"--strategy", "ticker_limited", "--target", "sliding_window", "--rate", "50"},
	"retries": {"--strategy", "retry_in_place,retry_queue,token_bucket", "--target",
		"token_bucket:rate=100,burst=20", "--rate", "90"},
	"banned": {"--strategy", "semaphore,adaptive_aimd", "--target", "sec_ban", "--rate", "12"},
	"frozen": {"--strategy", "worker_pool", "--target", "freeze", "--rate", "200"},
	"pooled": {"--strategy", "bounded_queue", "--target", "conn_pool", "--rate", "100"},
	"bulk": {"--strategy", "dispatcher", "--arrival", "bulk:n=40,period=500ms",
		"--workload", "lognormal"},
	"clients": {"--strategy", "errgroup_limit", "--arrival", "closed:clients=8,think=exp(100ms)",
		"--workload", "hyperexp:c2=16"},
	"sine": {"--strategy", "bounded_queue_shed", "--arrival", "sine:amp=0.9,period=5s",
		"--workload", "bounded_pareto", "--queue", "4"},
	"ramp": {"--strategy", "shortest_first", "--arrival", "linear", "--workload", "bimodal",
		"--rate", "100"},
	"batch": {"--strategy", "segregated", "--arrival", "batch", "--workload", "two_class"},
}

// Virtual-clock runs must be reproducible byte for byte. -update records an intended change.
func TestGolden(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("elsewhere a product and a sum may be rounded once instead of twice")
	}
	for name, args := range golden {
		dir := filepath.Join(t.TempDir(), name)
		clitest.Succeed(t, append([]string{"run", "--clock", "virtual", "--n", "400", "--quiet", "--out",
			dir}, args...)...)
		var got []byte
		for line := range bytes.Lines(contents(t, filepath.Join(dir, "results.txt"))) {
			if bytes.HasPrefix(line, []byte("Benchmark")) {
				got = append(got, line...)
			}
		}
		for _, file := range []string{"timeline", "slowest"} {
			got = fmt.Appendf(got, "%s %x\n", file,
				sha256.Sum256(contents(t, filepath.Join(dir, file+".csv"))))
		}
		path := filepath.Join("testdata", "golden", name+".txt")
		if *update {
			if err := os.WriteFile(path, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(strings.Fields(string(contents(t, path))),
			strings.Fields(string(got))); diff != "" {
			t.Errorf("%s: results differ from %s:\n%s", name, path, diff)
		}
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
