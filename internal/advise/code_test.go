package advise

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

func TestCode(t *testing.T) {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"context\"\n\n" +
		"\t\"golang.org/x/sync/errgroup\"\n\t\"golang.org/x/time/rate\"\n\n" +
		"\t\"github.com/poolbench/poolbench/strategies\"\n)\n\nfunc main() {}\n")
	names := []string{"token_bucket:rate=50,burst=10", "token_bucket:rate=target",
		"retry:attempts=5+token_bucket:rate=target,burst=1+worker_pool"}
	for _, s := range strategies.All() {
		names = append(names, s.Name)
	}
	for i, name := range names {
		o := Option{Strategy: strategies.MustParse(name), Limit: 5, Queue: bench.NoQueue,
			Rate: 9.5}
		if i%2 == 0 {
			o.Queue = 7
		}
		fmt.Fprintf(&b, "\nfunc f%d(ctx context.Context, sink strategies.Sink, "+
			"group *errgroup.Group, task func() error) any {\n\t%s\n", i, strings.ReplaceAll(o.Code(), "\n", "\n\t"))
		made, _, isVariable := strings.Cut(o.Code(), " := ")
		switch {
		case made == "v":
			b.WriteString("\t_ = err\n\treturn pool\n}\n")
		case isVariable:
			fmt.Fprintf(&b, "\treturn %s\n}\n", made)
		default:
			b.WriteString("\treturn nil\n}\n")
		}
	}
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull,
		path).CombinedOutput(); err != nil {
		t.Errorf("%s\n%s", out, b.String())
	}
}

// The generated code has no target, so it must contain the rate as a number.
func TestPacedByTarget(t *testing.T) {
	v := strategies.MustParse("retry+token_bucket:rate=target,burst=1+worker_pool")
	sc := bench.Scenario{Strategy: v, Target: targets.MustParse("sec_ban:limit=7")}
	all, left := Question{Strategies: []strategies.Variant{v}}.candidates(sc)
	if len(all) != 1 || all[0].paced != 7 {
		t.Fatalf("%+v, and not %q", all, left)
	}
	o := Option{Strategy: v, Limit: 5, Rate: all[0].paced}
	if want := `v.Values.Settle("target", 7)`; !strings.Contains(o.Code(), want) {
		t.Errorf("the code has no %s:\n%s", want, o.Code())
	}
	p := strategies.Params{Limit: 5, Values: v.Values.Settle("target", 7)}
	if err := v.Spec.Validate(p); err != nil {
		t.Error(err)
	}
}
