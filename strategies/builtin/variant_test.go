package builtin_test

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

func startVariant(
	t testing.TB, text string, limit, queue int, sink strategies.Sink,
) strategies.Strategy {
	t.Helper()
	call, err := param.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := strategies.Resolve(call)
	if err != nil {
		t.Fatal(err)
	}
	return v.Spec.New(t.Context(), strategies.Params{Limit: limit, Queue: queue, Values: v.Values},
		sink)
}

// refusedValues compares the errors of Validate. "" means valid.
func refusedValues(t *testing.T, complaints map[string]string) {
	t.Helper()
	for text, want := range complaints {
		call, err := param.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := strategies.Resolve(call)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := v.Spec.Validate(strategies.Params{Limit: 1, Values: v.Values}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func submitAt(
	t testing.TB, s strategies.Strategy, log *log, at time.Duration, task *strategies.Task,
) time.Duration {
	t.Helper()
	time.Sleep(at - time.Since(log.start))
	if err := s.Submit(t.Context(), task); err != nil {
		t.Errorf("submitted at %v: %v", at, err)
	}
	return time.Since(log.start)
}

func drained(t testing.TB, s strategies.Strategy, log *log) map[*strategies.Task]entry {
	t.Helper()
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	close(log.done)
	got := make(map[*strategies.Task]entry)
	for e := range log.done {
		got[e.task] = e
	}
	return got
}
