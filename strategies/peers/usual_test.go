package peers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

const usualLoad = 0.8

// A usualRow is a strategy with a Bare.
type usualRow struct {
	Name      string
	Mean, P99 string   // of its wait at usualLoad, in nanoseconds
	Costs     []string // reused and new: nanoseconds, allocations, bytes of a new one
	strategies.Bare
}

var usualCosts = []string{"ns, reused", "ns, new", "allocs, reused", "allocs, new", "bytes, new"}

func usualChoices(t *testing.T) (rows []usualRow) {
	t.Helper()
	text, err := os.ReadFile("../../docs/measured/dispatch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## The usual choices, with reused and with new tasks")
	for _, s := range strategies.All() {
		if s.Bare == (strategies.Bare{}) {
			continue
		}
		m := regexp.MustCompile(`(?m)^\| ` + s.Name + ` \| (.+) \|$`).FindStringSubmatch(table)
		if m == nil {
			t.Fatalf("docs/measured/dispatch.md has no costs of %s with new tasks", s.Name)
		}
		mean, p99 := usualWait(t, s.Name)
		row := usualRow{s.Name, mean, p99, strings.Split(m[1], " | "), s.Bare}
		if len(row.Costs) != len(usualCosts) {
			t.Fatalf("%s has %d costs in docs/measured/dispatch.md", s.Name, len(row.Costs))
		}
		rows = append(rows, row)
	}
	return rows
}

func usualWait(t *testing.T, name string) (mean, p99 string) {
	t.Helper()
	s, err := bench.Encoded{Strategy: name, Workload: "exponential", Target: "none",
		Arrival: "poisson", Limit: 8, Load: usualLoad, Tasks: 20_000, Warmup: 0.1, Seed: 1,
		Clock: "virtual"}.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	r, err := bench.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	ns := func(unit string) string {
		v, _ := r.Metric(unit)
		return fmt.Sprintf("%.0f", v*1e9)
	}
	return ns("mean-wait-sec"), ns("p99-wait-sec")
}

func usualTables(rows []usualRow) string {
	var out strings.Builder
	out.WriteString("| strategy | mean wait, ns | p99 wait, ns | " + strings.Join(usualCosts, " | ") +
		" |\n|---|--:|--:|" + strings.Repeat("--:|", len(usualCosts)) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", r.Name, r.Mean, r.P99,
			strings.Join(r.Costs, " | "))
	}
	out.WriteString("\n| in plain Go or the bare library | a panic | an error | cancelling a wait | " +
		"when full | the end | a new limit |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Name, r.Panic, r.Error,
			r.Cancel, r.Full, r.Drain, r.Resize)
	}
	return out.String()
}

// Below saturation, the waits of all usual choices must be equal to the nanosecond.
func TestUsualChoicesWaitAlike(t *testing.T) {
	rows := usualChoices(t)
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
		if r.Mean != rows[0].Mean || r.P99 != rows[0].P99 || r.Mean == "0" {
			t.Errorf("%s waits %s ns and %s waits %s ns", r.Name, r.Mean, rows[0].Name, rows[0].Mean)
		}
		for _, word := range []string{r.Panic, r.Error, r.Cancel, r.Full, r.Drain, r.Resize} {
			if word == "" || strings.ContainsAny(word, "|\n") {
				t.Errorf("%s: %q in %+v", r.Name, word, r.Bare)
			}
		}
	}
	if got := strings.Join(names, " "); got != "errgroup_limit semaphore worker_pool ants conc pond" {
		t.Errorf("the usual choices are %s", got)
	}
}

func panics(f func()) (with any) {
	defer func() { with = recover() }()
	f()
	return nil
}

func TestBare(t *testing.T) {
	boom := errors.New("boom")
	t.Run("errgroup_limit", func(t *testing.T) {
		g, ctx := errgroup.WithContext(t.Context())
		g.SetLimit(1)
		release := make(chan struct{})
		g.Go(func() error { <-release; return boom })
		if g.TryGo(func() error { return nil }) {
			t.Error("TryGo found a second slot of one")
		}
		if panics(func() { g.SetLimit(2) }) == nil {
			t.Error("SetLimit changed the limit while a task ran")
		}
		close(release)
		if err := g.Wait(); err != boom || ctx.Err() == nil {
			t.Errorf("Wait: %v, context: %v", err, ctx.Err())
		}
	})
	t.Run("ants", func(t *testing.T) {
		caught := make(chan any, 1)
		p, err := ants.NewPool(1, ants.WithNonblocking(true),
			ants.WithPanicHandler(func(v any) { caught <- v }))
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		if err := p.Submit(func() { <-release; panic(boom) }); err != nil {
			t.Fatal(err)
		}
		if err := p.Submit(func() {}); err != ants.ErrPoolOverload {
			t.Errorf("a submit to a full pool: %v", err)
		}
		p.Tune(2)
		if err := p.Submit(func() {}); err != nil {
			t.Errorf("a submit after Tune(2): %v", err)
		}
		close(release)
		if v := <-caught; v != any(boom) {
			t.Errorf("the handler got %v", v)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := p.ReleaseContext(ctx); err != nil {
			t.Errorf("ReleaseContext: %v", err)
		}
	})
	t.Run("pond", func(t *testing.T) {
		p := pond.NewPool(1, pond.WithQueueSize(1), pond.WithNonBlocking(true))
		release := make(chan struct{})
		failed := p.SubmitErr(func() error { <-release; return boom })
		waiting := p.Submit(func() { panic(boom) })
		if err := p.Go(func() {}); err != pond.ErrQueueFull {
			t.Errorf("a submit to a full queue: %v", err)
		}
		p.Resize(2)
		if n := p.MaxConcurrency(); n != 2 {
			t.Errorf("after Resize(2) the limit is %d", n)
		}
		close(release)
		if err := failed.Wait(); err != boom {
			t.Errorf("the future of an error: %v", err)
		}
		if err := waiting.Wait(); !errors.Is(err, pond.ErrPanic) {
			t.Errorf("the future of a panic: %v", err)
		}
		p.StopAndWait()
		if err := p.Go(func() {}); err == nil {
			t.Error("a submit after StopAndWait")
		}
	})
	t.Run("conc", func(t *testing.T) {
		p := pool.New().WithMaxGoroutines(1)
		p.Go(func() { panic(boom) })
		if panics(func() { p.WithMaxGoroutines(2) }) == nil {
			t.Error("WithMaxGoroutines changed the limit of a pool that runs")
		}
		if panics(p.Wait) == nil {
			t.Error("Wait did not raise the panic of a task")
		}
		e := pool.New().WithErrors()
		e.Go(func() error { return boom })
		if err := e.Wait(); !errors.Is(err, boom) {
			t.Errorf("Wait: %v", err)
		}
	})
}
