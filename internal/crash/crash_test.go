package crash_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/crash"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/builtin" // registers strategies
	"github.com/poolbench/poolbench/strategies/engine"
)

// variable makes the test binary run as the process to kill.
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

func plan(t *testing.T, strategy string) crash.Plan {
	t.Helper()
	t.Setenv(variable, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return crash.Plan{WorkerConfig: crash.WorkerConfig{Strategy: strategy, Workload: "constant:mean=2ms",
		Limit: 4, Seed: 7, Queue: "crash_test", Tasks: 400},
		Command: []string{self}, Errors: new(bytes.Buffer), Kills: 6, Patience: 30 * time.Second}
}

// Without a store, a kill loses all accepted tasks that are not done. Each process may have one
// more task in service, whose Submit has not returned.
func TestLoses(t *testing.T) {
	p := plan(t, "worker_pool")
	p.Volatile = true
	r, err := crash.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Accepted != 400 || r.Restarts != 6 || r.Lost == 0 || r.Twice != 0 || r.Dead != 0 ||
		r.Once+r.Lost != r.Accepted || r.LostBegun == 0 || r.InService < r.LostBegun ||
		r.InService > r.LostBegun+r.Restarts || r.First <= 0 || r.LongestFirst < r.First {
		t.Errorf("%+v", r)
	}
}

// forgetful loses 10 % of the tasks and runs 10 % twice.
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

func TestCounts(t *testing.T) {
	p := plan(t, "forgetful")
	p.Kills, p.Patience = 0, 3*time.Second
	r, err := crash.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := crash.Report{Accepted: 400, Lost: 40, Once: 320, Twice: 40, Repeated: 40, Stalled: true,
		Seconds: r.Seconds}
	if r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
}

// kept is forgetful with 15 messages in its store.
var _ = strategies.Register(strategies.Spec{
	Name: "kept",
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return kept{forgetful{strategies.MustParse("serial").Spec.New(ctx, p, sink)}}
	},
})

type kept struct{ forgetful }

func (kept) Stored(context.Context) (int, error) { return 15, nil }

// Tasks in the store must not count as lost.
func TestNotWaitedFor(t *testing.T) {
	p := plan(t, "kept")
	p.Kills, p.Patience = 0, time.Second // too short for a process to report the count
	r, err := crash.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := crash.Report{Accepted: 400, Lost: 25, Stored: 15, Once: 320, Twice: 40, Repeated: 40,
		Stalled: true, Seconds: r.Seconds}
	if r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
}

func TestFails(t *testing.T) {
	for name, change := range map[string]func(*crash.Plan){
		`unknown strategy "nothing"`: func(p *crash.Plan) { p.Strategy = "nothing" },
		`unexpected line of the process: "PASS"`: func(p *crash.Plan) {
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

var _ = strategies.Register(strategies.Spec{
	Name: "wild",
	Keys: []param.Key{
		{Name: "does", Kind: param.Text, Default: "nothing", Doc: "what it does"}},
	Durability: func(strategies.Params) strategies.Durability { return strategies.KillSafe },
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		does := p.Values.Text("does")
		switch does {
		case "exits":
			os.Exit(3)
		case "prints":
			fmt.Print("a 5\nand no end of the line")
		}
		p.Resume = nil
		return wild{strategies.MustParse("serial").Spec.New(ctx, p, sink), does}
	},
})

type wild struct {
	strategies.Strategy
	does string
}

func (s wild) Submit(ctx context.Context, t *strategies.Task) error {
	if s.does == "refuses" {
		return errors.New("not\ntoday")
	}
	return s.Strategy.Submit(ctx, t)
}

func (s wild) Drain(ctx context.Context) error {
	if s.does == "stays" {
		select {}
	}
	return s.Strategy.Drain(ctx)
}

// The report must contain that the strategy has ended or blocked its process.
func TestWild(t *testing.T) {
	for does, want := range map[string]string{
		"exits":   "the process has ended by itself: exit status 3",
		"refuses": "none of N tasks was accepted; the last was refused: not today",
		"stays":   "Drain has not returned after 1s; accepted tasks not done by then: 0",
		"prints":  "",
	} {
		p := plan(t, "wild:does="+does)
		p.Kills, p.Tasks = 0, 40
		switch does { // maximum wait for the process
		case "stays":
			p.Patience = time.Second
		case "refuses":
			p.Patience = 5 * time.Second
		}
		var said bytes.Buffer
		p.Errors = &said
		r, err := crash.Run(t.Context(), p)
		got := ""
		if err != nil {
			got = regexp.MustCompile(`of \d+ tasks`).ReplaceAllString(err.Error(), "of N tasks")
		}
		if !strings.HasSuffix(got, want) || (want == "") != (err == nil) {
			t.Errorf("%s: %q, want %q", does, got, want)
		}
		if does == "prints" && (r.Once != 40 || !strings.Contains(said.String(), "no end")) {
			t.Errorf("%+v, and it said %q", r, said.String())
		}
	}
}

// A task repeated because of a kill counts in Twice, but not in Repeated.
func TestTwice(t *testing.T) {
	p := plan(t, "forgetful")
	p.Volatile, p.Kills = true, 3
	r, err := crash.Run(t.Context(), p)
	if err != nil || r.Repeated == 0 || r.Repeated > r.Twice || r.Restarts != 3 {
		t.Errorf("%v: %+v", err, r)
	}
}

// failing has a store that fails at task 20.
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

// The store fails while its directory is being removed.
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
	if !errors.Is(err, engine.ErrGone) {
		t.Error(err)
	}
	p.Watch = func() error { return nil } // the store fails while its directory exists
	if _, err = crash.Run(t.Context(), p); err == nil || errors.Is(err, engine.ErrGone) {
		t.Error(err)
	}
}
