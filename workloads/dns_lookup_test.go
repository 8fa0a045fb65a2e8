package workloads

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

func buildLookups(t *testing.T, args ...param.Arg) *lookups {
	t.Helper()
	v, err := Resolve(param.Call{Name: "dns_lookup", Args: args})
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.(*lookups).Close(); err != nil {
			t.Error(err)
		}
	})
	return w.(*lookups)
}

func TestLookups(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[uint64]int{}
	w, err := lookUpAt(func(_ context.Context, seq uint64) error {
		mu.Lock()
		defer mu.Unlock()
		asked[seq]++
		return nil
	}, 0, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var all sync.WaitGroup
	const tasks = 300
	for seq := range uint64(tasks) {
		all.Go(func() {
			if err := w.Do(t.Context(), seq); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != tasks {
		t.Errorf("%d names of %d tasks were asked for", len(asked), tasks)
	}
	if w := buildLookups(t, param.Arg{Key: "answer", Value: "0s"}); w.Mean() <= 0 || w.C2() != 0 {
		t.Errorf("mean %v, C² %v, where an answer takes no time", w.Mean(), w.C2())
	}
}

func TestLookupsEnd(t *testing.T) {
	t.Parallel()
	w := buildLookups(t, param.Arg{Key: "answer", Value: "1h"}, param.Arg{Key: "timeout", Value: "1h"})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := w.Do(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := w.Do(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	w = buildLookups(t, param.Arg{Key: "lost", Value: "1"})
	w.timeout = 50 * time.Millisecond
	err := w.Do(t.Context(), 7)
	if err == nil || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(),
		"looking up 7.poolbench.invalid.") {
		t.Errorf("with no answer in its timeout: %v", err)
	}
	if w.server.loses(7) {
		t.Error("the second question is lost, too")
	}
}

func TestLookupsClosed(t *testing.T) {
	t.Parallel()
	v, err := Resolve(param.Call{Name: "dns_lookup"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.(*lookups).Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Do(t.Context(), 1); err == nil {
		t.Error("a lookup after the end has no error")
	}
}

func TestLookupsParameters(t *testing.T) {
	for args, want := range map[string]string{
		"lost=1.5":   "lost: must be from 0 to 1, got 1.5",
		"timeout=2h": "timeout: must be positive and at most 1h, got 2h",
		"timeout=0s": "timeout: must be positive and at most 1h, got 0s",
	} {
		_, err := Parse("dns_lookup:" + args)
		if err == nil {
			v, _ := Parse("dns_lookup:" + args)
			_, err = v.Spec.Build(1, v.Values)
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
