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
)

// TestCode: the Go to write compiles, for each strategy there is.
func TestCode(t *testing.T) {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"context\"\n\n" +
		"\t\"golang.org/x/sync/errgroup\"\n\n" +
		"\t\"github.com/poolbench/poolbench/strategies\"\n)\n\nfunc main() {}\n")
	names := []string{"token_bucket:rate=50,burst=10"}
	for _, s := range strategies.All() {
		names = append(names, s.Name)
	}
	for i, name := range names {
		o := Option{Strategy: strategies.MustParse(name), Limit: 5, Queue: bench.NoQueue}
		if i%2 == 0 {
			o.Queue = 7
		}
		fmt.Fprintf(&b, "\nfunc f%d(ctx context.Context, sink strategies.Sink, "+
			"group *errgroup.Group) any {\n\t%s\n", i, strings.ReplaceAll(o.Code(), "\n", "\n\t"))
		switch code := o.Code(); {
		case strings.HasPrefix(code, "v :="):
			b.WriteString("\t_ = err\n\treturn pool\n}\n")
		case strings.HasPrefix(code, "slots :="):
			b.WriteString("\treturn slots\n}\n")
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
