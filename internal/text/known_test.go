package text_test

import (
	"testing"

	"github.com/poolbench/poolbench/internal/text"
)

func TestKnown(t *testing.T) {
	known := []string{"run", "trace", "trend", "worker_pool"}
	all := "known: run, trace, trend, worker_pool)"
	for name, want := range map[string]string{
		"rum":         "(did you mean run? " + all,
		"rnu":         "(did you mean run? " + all,
		"tren":        "(did you mean trend? " + all,
		"worker-pol":  "(did you mean worker_pool? " + all,
		"workerpools": "(did you mean worker_pool? " + all,
		"Worker-Pool": "(did you mean worker_pool? " + all,
		"running":     "(" + all,
		"pool":        "(" + all,
		"tracing":     "(" + all,
		"semaphore":   "(" + all,
		"":            "(" + all,
		"xyz":         "(" + all,
	} {
		if got := text.Known(name, known); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"strategy": "strategies", "metric": "metrics",
		"study": "studies", "target": "targets"} {
		if got := text.Similar(name, []string{"strategies", "studies", "targets",
			"metrics"}); got != want {
			t.Errorf("%q is similar to %q, want %q", name, got, want)
		}
	}
	many := append(known, "a", "b", "c", "d", "e", "f", "g", "h", "i")
	if got := text.Known("rum", many); got != "(did you mean run?)" {
		t.Error(got)
	}
}
