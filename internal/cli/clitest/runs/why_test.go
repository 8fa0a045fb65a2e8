package runs

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/reports/why"
)

func whyOf(t *testing.T, args ...string) why.Line {
	t.Helper()
	clitest.Succeed(t, append([]string{"run", "--clock", "virtual", "--n", "4000", "--quiet", "--out",
		"why", "--force"}, args...)...)
	return whyIn(t, "why")
}

func whyIn(t *testing.T, dir string) why.Line {
	t.Helper()
	var doc struct{ Runs []why.Line }
	o := clitest.Succeed(t, "why", dir, "--format", "json")
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Runs) == 0 {
		t.Fatalf("%v: %s", err, o.Stdout)
	}
	return doc.Runs[0]
}

func TestWhyPlanted(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	for cause, c := range map[string][2]string{
		"queueing": {"--strategy worker_pool --workload constant:mean=9ms --load 0.97",
			"--strategy worker_pool --workload constant:mean=9ms --load 0.2"},
		"head_of_line": {"--strategy semaphore --workload two_class:mean=9ms,r=60 --load 0.8",
			"--strategy semaphore --workload exponential:mean=9ms --load 0.8"},
		"target": {"--target conn_pool:conns=3 --workload constant:mean=9ms --rate 310 " +
			"--limit 12 --strategy worker_pool", "--target conn_pool:conns=12 --limit 12 " +
			"--workload constant:mean=9ms --rate 310 --strategy worker_pool"},
		"throttling": {"--strategy retry_in_place --workload constant:mean=9ms --rate 110 " +
			"--target token_bucket:rate=100,burst=5", "--strategy retry_in_place --rate 110 " +
			"--workload constant:mean=9ms --target token_bucket:rate=400,burst=50"},
		"work": {"--strategy unbounded --workload lognormal:mean=9ms --load 0.5",
			"--strategy worker_pool --workload constant:mean=9ms --load 0.99"},
	} {
		planted, control := whyOf(t, strings.Fields(c[0])...), whyOf(t, strings.Fields(c[1])...)
		if len(planted.Why) == 0 || planted.Why[0].Cause != cause || planted.Why[0].Share < 0.5 {
			t.Errorf("%s is planted: %+v", cause, planted)
		}
		for _, named := range control.Why {
			if named.Cause == cause {
				t.Errorf("%s is named where it is not: %+v", cause, control)
			}
		}
	}
	limited := whyOf(t, strings.Fields("--strategy token_bucket:rate=100,burst=1 --rate 90 "+
		"--workload constant:mean=2ms")...)
	if len(limited.Why) == 0 || limited.Why[0].Cause != "throttling" {
		t.Errorf("a limit on the rate of the strategy's own: %+v", limited)
	}
}

var ofParts = regexp.MustCompile(`[0-9.e+-]+ (` +
	`mean-(lag|blocked|queued|between|target)-sec|tail-\S+|(next-slot|even|no-target)-\S+)\s*`)

// For older results, why must print which data is missing.
func TestWhy(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Succeed(t, "run", "--clock", "virtual", "--strategy", "worker_pool,partitioned,segregated",
		"--workload", "two_class:mean=10ms,r=50", "--load", "0.5,0.9", "--n", "2000", "--count", "2",
		"--quiet", "--out", "slow")
	said := clitest.Succeed(t, "why", "slow").Stdout
	for line := range strings.Lines(said) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("more than 80 columns: %s", line)
		}
	}
	if n := strings.Count(said, "because"); n != 6 {
		t.Errorf("%d of 6 scenarios are explained:\n%s", n, said)
	}
	if !strings.Contains(said, "head_of_line: ") || !strings.Contains(said, "worker_pool: p99 is") {
		t.Errorf("nothing is behind long tasks:\n%s", said)
	}
	if most := regexp.MustCompile(`(?m)(^ +>?\d+ % .*\n(        .*\n)*){4}`); most.MatchString(said) {
		t.Errorf("more than three causes:\n%s", said)
	}
	clitest.Write(t, "slow/results.txt", ofParts.ReplaceAllString(clitest.Read(t, "slow/results.txt"), ""))
	old := whyIn(t, "slow")
	if old.Metric != "mean-response-sec" || !strings.Contains(old.Cannot, "format") ||
		len(old.Why) == 0 {
		t.Errorf("of results of before: %+v", old)
	}
	clitest.Write(t, "slow/results.txt", "BenchmarkA 1 5 ns/op\n")
	if o := clitest.Command(t, "why", "slow"); o.Code != clitest.Unusable || o.Stdout != "" {
		t.Errorf("of no responses: %+v", o)
	}
}
