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

// A fault is a defect of a library, reproduced in that version. The table in doc.go says the same
// for people.
type fault struct {
	name    string
	module  string // as in go.mod
	version string
	finding string // as in doc.go
	// "peer: Clause" that the peer breaks for it; "": the adapter keeps it from its users
	clause   string
	upstream string // where its repository knows of it; "": none is known

	// show does what brings the fault out, in a process of its own: it crashes, or calls shown. If
	// it returns, the fault is gone.
	show func(t *testing.T)
	want string // what is to be read of it: in the crash, or what show says
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

// known are the faults, in the order of the table.
var known = slices.Concat(antsFaults, pondFaults, concFaults, workerpoolFaults, tunnyFaults,
	gopoolFaults, failsafeFaults, limitsFaults, rateFaults)

// broken says whether it is known that the peer breaks the clause.
func broken(peer, clause string) bool {
	return slices.ContainsFunc(known, func(f fault) bool { return f.clause == peer+": "+clause })
}

// shown ends the process, because what is left in it is not fit for anything else.
func shown(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(0)
}

// goroutinesOf counts those that the module has started.
func goroutinesOf(module string) int {
	dump := make([]byte, 1<<20)
	return strings.Count(string(dump[:runtime.Stack(dump, true)]), "created by "+module)
}

// showing is the variable of the environment that makes this test binary show the fault of that
// name.
const showing = "POOLBENCH_SHOW"

// TestKnown fails when a fault is gone: then the table, the adapter and its doc are to be gone
// through. Each is shown by a copy of this process, because it may crash, hang, or leave something
// behind in the package's variables.
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

// TestKnownVersions fails when go.mod has another version than the one that the faults were looked
// for in.
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

// TestKnownAreDocumented compares the table in doc.go with known.
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

// A crowd is a thing with a limit of 1 for several to enter at the same instant.
type crowd struct {
	enter func()
	both  func() bool // whether two are in
	clear func()
}

// meet has goroutines enter one thing after the other until two are in, which takes some thousand
// tries.
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

// breaks runs one clause of the contract for a peer and shows its error.
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
