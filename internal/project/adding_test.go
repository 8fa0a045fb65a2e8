package project_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// added contains a file for each kind of extension.
var added = map[string]string{
	"bench/attack/added/added.go": `package added

import (
	"context"
	"errors"
	"net/http"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/record"
)

func init() {
	attack.RegisterProtocol(attack.Protocol{
		Name: "added by a test",
		Schemes: map[string]string{"added": "1"},
		Check: func(attack.Attack, attack.Request) error { return nil },
		Open: func(context.Context, attack.OpenArgs) (attack.Sender, error) {
			return nil, errors.New("added by a test")
		},
		Outcome: func(int) record.Outcome { return record.Completed },
		Status: func(int) string { return "done" },
		Like: func(int) int { return http.StatusOK },
	})
}
`,
	"internal/validity/added_doubt.go": `package validity

import (
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
)

func checkAdded(r *result.Result) {
	if attempts, _ := r.Metric(metric.Attempts); attempts > 1e6 {
		r.Doubt(result.Suspect, "added", "added by a test")
	}
}
`,
	"reports/why/added_cause.go": `package why

var addedCause = rule{
	name: "added_cause",
	meaning: "added by a test",
	cure: "none",
	evidence: func(*view) string { return "" },
	remedy: func(*view) string { return "" },
}
`,
	"strategies/builtin/added_strategy.go": `package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name: "added_strategy",
	Summary: "added by a test",
	Bound: func(strategies.Params) int { return 1 },
	New: func(ctx context.Context, _ strategies.Params, sink strategies.Sink) strategies.Strategy {
		return new(engine.Workers).Start(ctx, sink, 1, 0)
	},
})
`,
	"workloads/added_workload.go": `package workloads

import (
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "added_workload",
	Summary: "added by a test",
	New: func(seed uint64, _ param.Values) (Workload, error) {
		return newWaits(seed, dist.Constant{Value: time.Millisecond}), nil
	},
})
`,
	"targets/added_target.go": `package targets

import "github.com/poolbench/poolbench/bench/param"

var _ = register(Spec{
	Name: "added_target",
	Summary: "added by a test",
	New: func(uint64, param.Values) (Target, error) { return none{}, nil },
})
`,
	"bench/arrivals/added_arrival.go": `package arrivals

import (
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "added_arrival",
	Summary: "added by a test",
	Open: func(rate float64, _ uint64, _ param.Values) (Next, error) {
		var due time.Duration
		return func() time.Duration {
			due += time.Duration(float64(time.Second) / rate)
			return due
		}, nil
	},
})
`,
	"internal/studies/added_study.go": `package studies

import (
	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

var _ = register(Study{
	Name: "added_study",
	Question: "added by a test?",
	Cells: func(Size) []bench.Scenario { return nil },
	Judge: func(*evidence.Measured) (f decide.Finding) { return f },
})
`,
	"reports/charts/added_chart.go": `package charts

func Added(panels []Panel) (*Chart, error) { return Variance("added by a test", panels) }
`,
	"internal/cli/added_command.go": `package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
)

func (a *app) addedCommand() *cobra.Command {
	return &cobra.Command{
		Use: "added",
		Short: "added by a test",
		Args: flags.Operands(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Stdout, "added_command runs")
			return err
		},
	}
}
`,
}

var changed = []struct{ file, before, line string }{
	{"internal/observe/metrics.go", `		{metric.Makespan,`,
		`		{"added-metric", "", "added by a test"},`},
	{"internal/observe/observe.go", `	r.Add(metric.Makespan,`,
		`	r.Add("added-metric", 42)`},
	{"internal/cli/root.go", `			a.reportCommand(),`, `			a.addedCommand(),`},
	{"internal/cli/app.go", `	_ "github.com/poolbench/poolbench/bench/attack/rpc"`,
		`	_ "github.com/poolbench/poolbench/bench/attack/added"`},
	{"reports/page/figures.go", `		{"throughput", throughputChart,`,
		`		{"added", throughputChart, throughputCaption},`},
	{"internal/validity/verdict.go", `	CheckSettling(o, r, first)`, `	checkAdded(r)`},
	{"reports/why/why.go", `var rules = []rule{machine,`,
		`func init() { rules = append(rules, addedCause) }`},
}

// A strategy, workload, target, arrival process or study needs one new file. A metric needs a line
// in two files. A chart, protocol, check, cause or subcommand needs a file and a line. A build
// overlay adds them all.
func TestAdding(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	readDirectories(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	put := func(name, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, name)] = file
	}
	for name, text := range added {
		put(name, text)
	}
	for _, c := range changed {
		text, err := os.ReadFile(filepath.Join(root, c.file))
		if err != nil || strings.Count(string(text), c.before) != 1 {
			t.Fatalf("%s has %q %d times, %v", c.file, c.before,
				strings.Count(string(text), c.before), err)
		}
		put(c.file, strings.Replace(string(text), c.before, c.line+"\n"+c.before, 1))
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	put("overlay.json", string(text))
	program := filepath.Join(dir, "poolbench.exe")
	call := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	call("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program,
		module+"/cmd/poolbench")
	call("go", "test", "-short", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"),
		module+"/workloads", module+"/targets", module+"/bench/arrivals", module+"/reports/why")
	// tests that iterate over all strategies, workloads, studies or charts
	call("go", "test", "-short", "-vet=off", "-ldflags", "-s -w", "-overlay",
		filepath.Join(dir, "overlay.json"), "-run",
		"^(TestCode|TestHelp|TestLoadBadInput|TestReportWritesCharts)$", module+"/internal/advise",
		module+"/internal/cli/clitest/documents", module+"/internal/cli/clitest/requests",
		module+"/reports/page")
	list := call(program, "list")
	for _, name := range []string{"added_strategy", "added_workload", "added_target",
		"added_arrival", "added_study", "added-metric"} {
		if !strings.Contains(list, name) {
			t.Errorf("list has no %s:\n%s", name, list)
		}
	}
	if got := call(program, "added"); got != "added_command runs\n" {
		t.Errorf("the subcommand prints %q", got)
	}
	out := filepath.Join(dir, "out")
	call(program, "run", "--strategy", "added_strategy", "--workload", "added_workload",
		"--target", "added_target", "--arrival", "added_arrival", "--rate", "100", "--n", "50",
		"--out", out, "--quiet")
	results, err := os.ReadFile(filepath.Join(out, "results.txt"))
	if err != nil || !strings.Contains(string(results), "42 added-metric") {
		t.Errorf("the results have no metric: %v\n%s", err, results)
	}
}
