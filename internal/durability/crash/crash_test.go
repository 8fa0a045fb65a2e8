package crash_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/durability/crash"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine/broker"
)

// variable has this process be the one that is killed.
const variable = "POOLBENCH_CRASH_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(variable) != "" {
		if err := crash.Work(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// plan has this binary killed.
func plan(t *testing.T, strategy string) crash.Plan {
	t.Helper()
	t.Setenv(variable, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return crash.Plan{Order: crash.Order{Strategy: strategy, Workload: "constant:mean=2ms",
		Limit: 4, Seed: 7, Queue: "crash_test", Tasks: 400},
		Command: []string{self}, Errors: new(bytes.Buffer), Kills: 6, Patience: 30 * time.Second}
}

// TestLoses: a strategy within the process loses what it held at each kill, and nothing else.
func TestLoses(t *testing.T) {
	p := plan(t, "worker_pool")
	p.Volatile = true
	r, err := crash.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Accepted != 400 || r.Restarts != 6 || r.Lost == 0 || r.Twice != 0 || r.Dead != 0 ||
		r.Once+r.Lost != r.Accepted || r.First <= 0 || r.LongestFirst < r.First {
		t.Errorf("%+v", r)
	}
}

// forgetful runs every task and, one in ten, does not: so a ledger that is right finds it.
var _ = strategies.Register(strategies.Spec{
	Name: "forgetful",
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		spec, err := strategies.Lookup("serial")
		if err != nil {
			panic(err)
		}
		return forgetful{spec.New(ctx, p, sink)}
	},
})

type forgetful struct{ strategies.Strategy }

func (s forgetful) Submit(ctx context.Context, t *strategies.Task) error {
	switch t.ID % 10 {
	case 3:
		return nil
	case 5: // done twice
		t.Run(ctx, t)
	}
	return s.Strategy.Submit(ctx, t)
}

// TestCounts: without a kill each task is found where it was left.
func TestCounts(t *testing.T) {
	p := plan(t, "forgetful")
	p.Kills, p.Patience = 0, time.Second
	r, err := crash.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := crash.Report{Accepted: 400, Lost: 40, Once: 320, Twice: 40, Seconds: r.Seconds}
	if r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
}

// TestFails: what the process cannot do is an error that says why.
func TestFails(t *testing.T) {
	for name, change := range map[string]func(*crash.Plan){
		`unknown strategy "nothing"`: func(p *crash.Plan) { p.Strategy = "nothing" },
		`the process says "PASS"`: func(p *crash.Plan) {
			p.Command = append(p.Command, "-test.run=^$")
			t.Setenv(variable, "")
		},
	} {
		p := plan(t, "worker_pool")
		change(&p)
		_, err := crash.Run(t.Context(), p)
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte(name)) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

// failing has a store that fails at its twentieth task.
var _ = strategies.Register(strategies.Spec{
	Name: "failing",
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return failing{forgetful{strategies.MustParse("serial").Spec.New(ctx, p, sink)}, p.OnFault}
	},
})

type failing struct {
	forgetful
	fail func(*strategies.StoreError)
}

func (s failing) Submit(ctx context.Context, t *strategies.Task) error {
	if t.ID == 20 {
		s.fail(&strategies.StoreError{Cause: errors.New("base/5: no such file")})
	}
	return s.forgetful.Submit(ctx, t)
}

// TestGoneLater: a store fails with the first of its files, before its directory is gone.
func TestGoneLater(t *testing.T) {
	p := plan(t, "failing")
	p.Kills = 0
	var looks int
	p.Watch = func() error {
		if looks++; looks == 1 {
			return nil
		}
		return os.ErrNotExist
	}
	_, err := crash.Run(t.Context(), p)
	if !errors.Is(err, broker.ErrGone) {
		t.Error(err)
	}
	p.Watch = func() error { return nil } // it fails with its files
	if _, err = crash.Run(t.Context(), p); err == nil || errors.Is(err, broker.ErrGone) {
		t.Error(err)
	}
}
