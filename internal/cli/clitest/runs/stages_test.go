package runs

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestStagesFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	const stages = "load=0.6 for 20s, load=1.4 for 10s, load=0.60 for 60s"
	plan := func(args ...string) string {
		name, _, _ := strings.Cut(clitest.Succeed(t, append([]string{"run", "--strategy",
			"worker_pool",
			"--clock", "virtual", "--dry-run"}, args...)...).Stdout, "\n")
		return name
	}
	const name = "Run/strategy=worker_pool/workload=exponential/target=none/arrival=stages:at=0.6x20s_1.4x10s_0.6x1m/limit=4/duration=1m30s/clock=virtual"
	clitest.Write(t, "s.yaml", "- stages: "+stages+"\n")
	clitest.Write(t, "l.yaml", "- load: 0.8\n  n: 100\n")
	fromFile := func(args ...string) string { // after a line that names the element
		return strings.Split(clitest.Succeed(t, append([]string{"run", "--strategy", "worker_pool",
			"--clock", "virtual", "--dry-run"}, args...)...).Stdout, "\n")[1]
	}
	for of, got := range map[string]string{
		"flag":       plan("--stages", stages),
		"YAML":       fromFile("--file", "s.yaml"),
		"over YAML":  fromFile("--file", "l.yaml", "--stages", stages),
		"arrival":    plan("--arrival", "stages:at=0.6x20s_1.4x10s_0.6x1m", "--duration", "90s"),
		"of poisson": plan("--stages", stages, "--arrival", "poisson"),
	} {
		if got != name {
			t.Errorf("%s: %s, want %s", of, got, name)
		}
	}
	if got := plan("--stages", "rate=5 for 1m, rate=9 for 1m", "--arrival", "bulk:n=10"); !strings.
		Contains(got, "/arrival=stages:at=5x1m_9x1m,unit=rate,of=bulk(n=10)/limit=4/duration=2m0s/") {
		t.Error(got)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--load", "0.5"}, "--stages: stages define loads and durations, so load cannot be given in addition"},
		{[]string{"--rate", "5"}, "--stages: stages define loads and durations, so rate cannot be given in addition"},
		{[]string{"--n", "5"}, "--stages: stages define loads and durations, so n cannot be given in addition"},
		{[]string{"--duration", "5s"}, "--stages: stages define loads and durations, so duration cannot be given in addition"},
		{[]string{"--arrival", "closed"}, "--stages: arrival closed: it accepts no rate, so it cannot have stages"},
		{[]string{"--arrival", "batch"}, "--stages: arrival batch: it accepts no rate, so it cannot have stages"},
		{[]string{"--soak"}, "--soak: soak: results by stage need records of single tasks, and a " +
			"soak keeps none"},
		{[]string{"--target", "token_bucket:rate=50"}, "arrival stages: give a rate (target token_bucket limits a rate)"},
	} {
		o := clitest.Command(t, append([]string{"run", "--strategy", "worker_pool", "--clock", "virtual",
			"--stages", stages}, c.args...)...)
		if o.Code != clitest.Unusable || o.Stderr != "poolbench: "+c.want+"\n" {
			t.Errorf("%q: exit code %d, %s", c.args, o.Code, o.Stderr)
		}
	}
}

func TestStagesTable(t *testing.T) {
	t.Chdir(t.TempDir())
	out := clitest.Succeed(t, "run", "--clock", "virtual", "--strategy", "worker_pool", "--stages",
		"load=0.6 for 10s, load=1.4 for 5s, load=0.6 for 20s", "--quiet").Stdout
	for _, want := range []string{
		"strategy              stage  offered  goodput  mean response      p99  backlog at its end  recovered after\n",
		"worker_pool  1: 0.6 for 10s   247 /s   247 /s        10.9 ms  45.4 ms                   5                –\n",
		"worker_pool   2: 1.4 for 5s   564 /s   564 /s         944 ms   1.94 s                 767                –\n",
		"worker_pool  3: 0.6 for 20s   239 /s   239 /s         263 ms   1.85 s                   5           5.11 s\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no line %q in\n%s", want, out)
		}
	}
}
