package peers_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// A fault is a defect of a library version. doc.go lists the same faults.
type fault struct {
	name    string
	module  string // as in go.mod
	version string
	finding string // as in doc.go
	// the broken clause, as "peer: Clause", or "" if the adapter prevents the fault
	clause   string
	upstream string // the upstream issue, "" if none is known

	// show reproduces the fault in a child process: it crashes or calls shown. If it returns, the
	// fault is fixed.
	show func(t *testing.T)
	want string // expected text in the output
}

const (
	antsModule       = "github.com/panjf2000/ants/v2"
	pondModule       = "github.com/alitto/pond/v2"
	concModule       = "github.com/sourcegraph/conc"
	workerpoolModule = "github.com/gammazero/workerpool"
	tunnyModule      = "github.com/Jeffail/tunny"
	gopoolModule     = "github.com/bytedance/gopkg"
	failsafeModule   = "github.com/failsafe-go/failsafe-go"
	limitsModule     = "github.com/platinummonkey/go-concurrency-limits"
	rateModule       = "golang.org/x/time"
)

var known = slices.Concat(antsFaults, pondFaults, concFaults, workerpoolFaults, tunnyFaults,
	gopoolFaults, failsafeFaults, limitsFaults, rateFaults)

func broken(peer, clause string) bool {
	return slices.ContainsFunc(known, func(f fault) bool { return f.clause == peer+": "+clause })
}

// shown exits, because a reproduction leaves the process in an undefined state.
func shown(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(0)
}

func goroutinesOf(module string) int {
	dump := make([]byte, 1<<20)
	return strings.Count(string(dump[:runtime.Stack(dump, true)]), "created by "+module)
}

// showing contains the name of the fault that a child process reproduces.
const showing = "POOLBENCH_SHOW"

// If a fault is fixed, TestKnown fails: update the adapter and doc.go. Each reproduction runs in a
// child process, because it may crash, hang or modify package variables.
func TestKnown(t *testing.T) {
	if name := os.Getenv(showing); name != "" {
		i := slices.IndexFunc(known, func(f fault) bool { return f.name == name })
		known[i].show(t)
		shown("gone")
	}
	for _, f := range known {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKnown$")
			child.Env = append(os.Environ(), showing+"="+f.name, "GOMAXPROCS=4")
			out, err := child.CombinedOutput()
			if !strings.Contains(string(out), f.want) {
				t.Errorf("%s %s: %s: not seen any more? want %q in the output (%v):\n%s", f.module,
					f.version, f.finding, f.want, err, out)
			}
		})
	}
}

// After an upgrade of a library, its faults must be reproduced again.
func TestKnownVersions(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range known {
		if !strings.Contains(string(mod), "\t"+f.module+" "+f.version) {
			t.Errorf("go.mod does not have %s %s: is %q still true?", f.module,
				f.version, f.finding)
		}
	}
}

func TestKnownAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "# Known faults")
	var documented, want []string
	for _, m := range regexp.MustCompile(`(?m)^//   - .*(\n//     \S.*)*`).FindAllString(table,
		-1) {
		item := strings.NewReplacer("//   - ", "", "\n//     ", " ").Replace(m)
		documented = append(documented, item)
	}
	for _, f := range known {
		line := fmt.Sprintf("%s %s: %s", f.library(),
			f.version, f.finding)
		if f.clause != "" {
			line += " [breaks " + f.clause + "]"
		}
		want = append(want, line)
	}
	for i := range max(len(documented), len(want)) {
		var d, w string
		if i < len(documented) {
			d = documented[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if d != w {
			t.Errorf("doc.go has\n\t%s\nfor\n\t%s", d, w)
		}
	}
}

// A crowd is a resource with a limit of 1 that several goroutines try to enter.
type crowd struct {
	enter func()
	both  func() bool // whether two goroutines are in
	clear func()
}

// meet needs a few thousand resources until two goroutines enter the same one.
func meet(thing func() crowd) {
	var current atomic.Pointer[crowd]
	next := func() *crowd { c := thing(); return &c }
	current.Store(next())
	for range 4 {
		go func() {
			for {
				c := current.Load()
				c.enter()
				if c.both() {
					shown("two at once")
				}
				if current.CompareAndSwap(c, next()) {
					c.clear()
				}
			}
		}()
	}
	time.Sleep(2 * time.Minute)
}

func breaks(t *testing.T, peer, clause string) {
	spec, err := strategies.Lookup(peer)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range strategytest.Clauses() {
		if c.Name == clause {
			if err := c.Check(spec); err != nil {
				shown("%v", err)
			}
		}
	}
}
