package execute

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/options"
)

func virtually(t *testing.T, strategies string) []bench.Scenario {
	t.Helper()
	suite, err := options.Words{"strategy": {{Text: strategies}}, "clock": {{Text: "virtual"}},
		"n": {{Text: "200"}}}.Suite("")
	if err != nil {
		t.Fatal(err)
	}
	return suite.Scenarios
}

func ran(t *testing.T, all *children, s bench.Scenario) *bench.Result {
	t.Helper()
	r, err := all.run(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func alone(t *testing.T, s bench.Scenario) *bench.Result {
	t.Helper()
	var own children
	defer own.end()
	return ran(t, &own, s)
}

func TestChildren(t *testing.T) {
	var all children
	defer all.end()
	var one *child
	for _, s := range virtually(t, "every") {
		r := ran(t, &all, s)
		if len(all.idle) != 1 || one != nil && all.idle[0] != one {
			t.Fatalf("%s: another child than for the runs before, or several: %v",
				s.Name(), all.idle)
		}
		one = all.idle[0]
		if diff := cmp.Diff(alone(t, s), r); diff != "" {
			t.Errorf("%s in a child of its own, and in one that was used:\n%.2000s", s.Name(), diff)
		}
	}
}

// A fault in a reused child counts only if it also occurs in a fresh child. The strategy then
// always gets a fresh child.
func TestUsedChild(t *testing.T) {
	scenarios := virtually(t, "semaphore,serial")
	good, bad := scenarios[0], scenarios[1]
	want := alone(t, bad)
	for fault, complaint := range map[string]string{"worn": "", "exit": bad.Name() +
		": the run crashed its process (exit status 7)"} {
		t.Run(fault, func(t *testing.T) {
			t.Setenv(childFault, fault)
			var all children
			defer all.end()
			ran(t, &all, good)
			used := all.idle[0]
			for range 2 {
				r, err := all.run(t.Context(), bad, nil)
				switch {
				case complaint != "":
					if err == nil || err.Error() != complaint || len(all.idle) > 1 {
						t.Errorf("error %v, want %s; %d children wait", err,
							complaint, len(all.idle))
					}
				case err != nil:
					t.Error(err)
				case cmp.Diff(want, r) != "":
					t.Error(cmp.Diff(want, r))
				}
				if len(all.idle) > 0 && all.idle[0] == used {
					t.Error("the child in which a run failed takes another one")
				}
				if all.acquire(bad) != nil {
					t.Error("the strategy gets a child that others have used")
				}
			}
			ran(t, &all, good)
		})
	}
}

func TestChildrenEnd(t *testing.T) {
	h := NewHost(nil)
	r := New(h, 0)
	h.Drive = func(context.Context, bench.Scenario) (*bench.Result, error) {
		if n := len(r.children.idle); n > 0 {
			t.Errorf("%d children wait beside it", n)
		}
		return nil, nil
	}
	s := virtually(t, "semaphore")[0]
	for range 2 {
		if _, err := r.Run(t.Context(), s); err != nil || len(r.children.idle) != 1 {
			t.Errorf("%d children wait, error %v", len(r.children.idle), err)
		}
		one := r.children.idle[0]
		if _, err := r.Run(t.Context(), bench.Scenario{}); err != nil {
			t.Error(err)
		}
		<-one.ended
	}
	ran(t, &r.children, s)
	one := r.children.idle[0]
	r.Close()
	<-one.ended
}
