package studies

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/durable"
)

// sampleDurability returns runs with eight clients. The strategies in slow complete 400 tasks per
// second, other durable strategies 8000. scatter is the relative difference between repetitions,
// waited the share of time without a processor.
func sampleDurability(slow []string, scatter, waited float64, names ...string) *evidence.Measured {
	cells := []bench.Scenario{diskCell(Quick)}
	for _, v := range strategy(names...) {
		cells = append(cells, durableCells(Standard, v)...)
	}
	return synthetic(cells, 3, func(sc bench.Scenario, i int) map[string]float64 {
		if sc.Name() == diskCell(Quick).Name() {
			return map[string]float64{"p50-service-sec": 200e-6}
		}
		done := 8000.0
		switch name := sc.Strategy.String(); {
		case slices.Contains(slow, name):
			done = 400
		case name == pooled:
			done = 400_000
		}
		values := map[string]float64{"p50-wait-sec": 2 / done, "p50-response-sec": 3 / done,
			"p99-response-sec": 9 / done, "cpu-sec/op": 1 / done, "cpu-wait": waited, "written-B/op": 1e6 / done}
		if rate := sc.Load.PerSecond; rate > 0 {
			if rate == durableRate && sc.Strategy.String() == "dispatcher" {
				return map[string]float64{"verdict": float64(result.Invalid)}
			}
			values["offered-ops/s"], values["ops/s"] = rate, min(rate, done)
			return values
		}
		values["ops/s"] = done * (1 + scatter*float64(i-1))
		return values
	})
}

func TestDurabilityVerdicts(t *testing.T) {
	durable := embedded[3:]
	judged := mustLookup(t, "durability")
	for _, c := range []struct {
		name            string
		slow            []string
		scatter, waited float64
		want            decide.ClaimVerdict
		says, advice    string
	}{
		{"all fast", nil, 0.01, 0, decide.DoesNotHold,
			"each durable strategy completes at least 1000 tasks a second (8000)",
			"durability costs 130 µs per task here: too slow above 8000 tasks a second, and fast " +
				"enough below"},
		{"all fast, crowded", nil, 0.01, 0.9, decide.DoesNotHold,
			"each durable strategy completes at least 1000 tasks a second (8000)",
			"durability costs 130 µs per task here: too slow above 8000 tasks a second, and fast " +
				"enough below"}, // other programs can only reduce the throughput
		{"all slow", durable, 0.01, 0, decide.Holds,
			"each durable strategy completes fewer than 1000 tasks a second (400)",
			"durability costs 2.5 ms per task here: too slow above 400 tasks a second, and fast " +
				"enough below"},
		{"with the disk slow", durable[2:], 0.01, 0, decide.Depends,
			"on the strategy: it holds for jetstream:sync=always (400) and " +
				"sqlite_queue (400), not for jetstream (8000) and " +
				"sqlite_queue:sync=normal (8000)",
			"durability costs 130 µs to 2.5 ms per task here: too slow above 400 to 8000 tasks a " +
				"second, and fast enough below"},
		{"with the disk slow, crowded", durable[2:], 0.01, 0.9, decide.ClaimUndecided,
			"the repetitions vary too much to decide whether a durable strategy " +
				"completes 1000 tasks a second: jetstream:sync=always (400) and " +
				"sqlite_queue (400)", ""},
		{"scattered", durable, 0.9, 0, decide.ClaimUndecided,
			"the repetitions vary too much to decide whether a durable strategy " +
				"completes 1000 tasks a second: jetstream (230), " +
				"sqlite_queue:sync=normal (230), jetstream:sync=always (230) and " +
				"sqlite_queue (230)", ""},
	} {
		m := sampleDurability(c.slow, c.scatter, c.waited, embedded...)
		f := judgeAndDraw(t, m, judged.Judge, judged.Draw...)
		expect(t, c.name, f, c.want, c.says)
		said := strings.Contains(strings.Join(f.Lines, "\n"), "for up to 90 % of the time")
		if said != (c.waited > crowded) {
			t.Errorf("%s: says that the machine was busy: %v", c.name, said)
		}
		if f.Advice != c.advice || len(f.Advice) > 160 {
			t.Errorf("%s: advice %q, want %q", c.name, f.Advice, c.advice)
		}
	}
	m := sampleDurability(nil, 0, 0, embedded[:6]...)
	expect(t, "one missing", judged.Judge(m), decide.ClaimUndecided,
		"the repetitions vary too much to decide whether a durable strategy "+
			"completes 1000 tasks a second: sqlite_queue")
	m = sampleDurability([]string{"sqlite_queue"}, 0.01, 0, embedded[:5]...)
	expect(t, "two missing, the rest fast", judged.Judge(m), decide.ClaimUndecided,
		"the repetitions vary too much to decide whether a durable strategy "+
			"completes 1000 tasks a second: jetstream:sync=always and sqlite_queue")
}

func TestDurabilityLines(t *testing.T) {
	m := sampleDurability([]string{"sqlite_queue", "redis_stream"}, 0.01, 0,
		append(slices.Clone(embedded), "redis_stream")...)
	f := judgeDurability(m)
	checkSentences(t, f)
	said := strings.Join(printed(f), "\n")
	for _, want := range []string{
		"waiting for the disk (fsync) needs 200 µs",
		"worker_pool | nothing | 2.5 µs | 5 µs | 2.5 | 399987 (390172 to 410048) | –",
		"jetstream | SIGKILL | 130 µs | ",
		"redis_stream | SIGKILL | 2.5 ms | ",
		"jetstream:sync=always | power loss | ",
		"not measured: asynq:poll=100ms (needs Redis), postgres_queue (needs PostgreSQL), " +
			"postgres_queue:sync=off (needs PostgreSQL), rabbitmq (needs RabbitMQ), ",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no line has %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "redis_stream (needs") {
		t.Errorf("what was measured is said not to be:\n%s", said)
	}
}

func TestDurabilityRows(t *testing.T) {
	in, texts := map[string]bool{}, map[string]bool{}
	for _, v := range durableVariants() {
		if texts[v.String()] {
			t.Errorf("%s is there twice", v)
		}
		in[v.Spec.Name], texts[v.String()] = true, true
	}
	for _, spec := range strategies.All() {
		if spec.Durability != nil && !in[spec.Name] {
			t.Errorf("%s is omitted", spec.Name)
		}
	}
	for size := Quick; size <= Full; size++ {
		for _, rate := range durableRates[size] {
			if durableSpans[size].at[rate] == 0 {
				t.Errorf("size %d has no length for %v tasks a second", size, rate)
			}
		}
		if slices.ContainsFunc(durableRates[size], math.IsNaN) ||
			slices.Contains(durableRates[size], durableRate) != (size > Quick) {
			t.Errorf("size %d is run at %v tasks a second", size, durableRates[size])
		}
	}
	s := mustLookup(t, "durability")
	if s.Takes(strategy("concurrency_limits")[0]) == nil || s.Takes(strategy("ants")[0]) != nil {
		t.Error("Takes is not that of strategies that do all tasks")
	}
}
