package ci

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/gate/measure"
)

// The message must name --resume only if the directory contains a plan, even if its name contains
// glob characters.
func TestInterruptedGate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		plan bool
	}{{"gate", true}, {"gate[1]", true}, {"none", false}} {
		out := filepath.Join(t.TempDir(), c.name)
		if err := os.Mkdir(out, 0o777); err != nil {
			t.Fatal(err)
		}
		if c.plan {
			if err := os.WriteFile(filepath.Join(out, measure.PlanFile), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var stderr bytes.Buffer
		a := &app{Printer: terminal.New(&bytes.Buffer{}, &stderr)}
		err := a.gateFailure(ctx, measure.Options{Out: out}, context.Cause(ctx))
		if !errors.Is(err, terminal.Interrupted) ||
			strings.Contains(stderr.String(), "--resume") != c.plan {
			t.Errorf("%s: %v, %q", c.name, err, &stderr)
		}
	}
}
