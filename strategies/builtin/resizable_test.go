package builtin_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Each number counts the tasks that start in that second.
func TestResizeSchedule(t *testing.T) {
	for text, want := range map[string][]int{
		"resizable":                                    {6, 6, 6, 6, 6, 6},
		"resizable:initial=2":                          {2, 2, 2, 2, 2, 2},
		"resizable:schedule=3@0s":                      {3, 3, 3, 3, 3, 3},
		"resizable:schedule=1@2500ms":                  {6, 6, 6, 1, 1, 1},
		"resizable:initial=1,schedule=4@2s":            {1, 1, 4, 4, 4, 4},
		"resizable:schedule=2@500ms;5@2500ms;1@3900ms": {6, 2, 5, 5, 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			start, mu, starts := time.Now(), sync.Mutex{}, make([]int, 6)
			s := startVariant(t, text, 6, 100, strategies.SinkFunc(
				func(*strategies.Task, strategies.Result) {}))
			for range 40 {
				err := s.Submit(t.Context(), &strategies.Task{
					Run: func(context.Context, *strategies.Task) strategies.Result {
						mu.Lock()
						// also counts starts after an increase of the limit in the middle of a
						// second
						if at := int(time.Since(start) / time.Second); at < len(starts) {
							starts[at]++
						}
						mu.Unlock()
						time.Sleep(time.Second)
						return strategies.Result{}
					}})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			if !slices.Equal(starts, want) {
				t.Errorf("%s: %v tasks started in each second, want %v", text, starts, want)
			}
		})
	}
}

func TestResizeEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := startVariant(t, "resizable:schedule=1@1h;2@2h", 2, 0, strategies.SinkFunc(
			func(*strategies.Task, strategies.Result) {}))
		if err := s.Submit(t.Context(), &strategies.Task{Run: nothing}); err != nil {
			t.Fatal(err)
		}
		if err := s.Drain(t.Context()); err != nil || time.Since(start) != 0 {
			t.Errorf("drained after %v, %v", time.Since(start), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		v := strategies.MustParse("resizable:schedule=1@1h;2@2h")
		s = v.Spec.New(ctx, strategies.Params{Limit: 2, Values: v.Values}, strategies.SinkFunc(
			func(*strategies.Task, strategies.Result) {}))
		cancel()
		if err := s.Drain(t.Context()); err != nil || time.Since(start) != 0 {
			t.Errorf("drained after %v, %v", time.Since(start), err)
		}
	})
}

func TestResizeLimit(t *testing.T) {
	s := startVariant(t, "resizable:initial=3", 8, 0, strategies.SinkFunc(
		func(*strategies.Task, strategies.Result) {}))
	shows := s.(interface{ Limit() int })
	if n := shows.Limit(); n != 3 {
		t.Errorf("the limit is %d", n)
	}
	if err := s.(strategies.Resizer).Resize(7); err != nil || shows.Limit() != 7 {
		t.Errorf("resized to 7, it is %d, %v", shows.Limit(), err)
	}
	if err := s.(strategies.Resizer).Resize(9); err == nil || shows.Limit() != 7 {
		t.Errorf("resized to 9, it is %d, %v", shows.Limit(), err)
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestResizeParameters(t *testing.T) {
	const steps = "strategy resizable: schedule: want steps as in 4@10s;8@20s with limits of 1 to 1, "
	refusedValues(t, map[string]string{
		"resizable:initial=1,schedule=1@1s;1@2s": "",
		"resizable:initial=2": "strategy resizable: initial must be 0, or at least 1 and at most " +
			"the limit 1",
		"resizable:schedule=2@1s": steps + `got "2@1s"`,
		"resizable:schedule=0s":   steps + `got "0s"`,
		"resizable:schedule=1": "strategy resizable: schedule: want increasing times, as in " +
			"4@10s;8@20s, got \"1\"",
		"resizable:schedule=1@2s;1@2s": "strategy resizable: schedule: want increasing times, as " +
			"in 4@10s;8@20s, got \"1@2s\"",
	})
}
