package builtin_test

import (
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

func anySink() strategies.Sink {
	return strategies.SinkFunc(func(*strategies.Task, strategies.Result) {})
}

func submit(t *testing.T, s strategies.Strategy, tasks []strategies.Task) {
	t.Helper()
	for i := range tasks {
		if err := s.Submit(t.Context(), &tasks[i]); err != nil {
			t.Fatalf("task %d: %v", i, err)
		}
	}
}
