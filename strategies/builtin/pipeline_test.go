package builtin_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func TestPipelineHolds(t *testing.T) {
	for text, want := range map[string]int{"pipeline": 2 + 3 + 8 + 1, "pipeline:buffer=0": 2 + 3 +
		0 + 1, "pipeline:buffer=4,filters=3": 2 + 3 + 4 + 1} {
		synctest.Test(t, func(t *testing.T) {
			log := newLog(100)
			s := startVariant(t, text, 2, 3, log)
			tasks := sleeps(want+1, time.Second)
			for i := range tasks {
				at := submitAt(t, s, log, 0, &tasks[i])
				if blocked := at > 0; blocked != (i == want) {
					t.Errorf("%s: task %d was accepted at %v", text, i, at)
				}
			}
			drained(t, s, log)
		})
	}
}

// The filter must report failures at once, while the collector takes 10 ms per result.
func TestPipelineFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		boom := errors.New("boom")
		log := newLog(5)
		s := startVariant(t, "pipeline", 5, 5,
			strategies.SinkFunc(func(t *strategies.Task, r strategies.Result) {
				if r.Err == nil {
					time.Sleep(10 * ms)
				}
				log.Done(t, r)
			}))
		tasks := sleeps(5, ms)
		tasks[3].Run = func(context.Context, *strategies.Task) strategies.Result {
			time.Sleep(ms)
			return strategies.Result{Err: boom}
		}
		for i := range tasks {
			submitAt(t, s, log, 0, &tasks[i])
		}
		time.Sleep(time.Second)
		if e := <-log.done; e != (entry{&tasks[3], ms, boom}) {
			t.Errorf("first came %v", e)
		}
		for at := 11 * ms; at <= 41*ms; at += 10 * ms {
			if e := <-log.done; e.at != at || e.err != nil {
				t.Errorf("at %v came %v", at, e)
			}
		}
		drained(t, s, log)
	})
}

// If a stage takes 10 ms and the buffers are full, Submit must block that long.
func TestPipelineBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(50)
		s := startVariant(t, "pipeline:buffer=1", 3, 0,
			strategies.SinkFunc(func(t *strategies.Task, r strategies.Result) {
				time.Sleep(10 * ms)
				log.Done(t, r)
			}))
		tasks := sleeps(50, ms)
		var accepted []time.Duration
		for i := range tasks {
			accepted = append(accepted, submitAt(t, s, log, 0, &tasks[i]))
		}
		for i := 20; i < len(accepted); i++ {
			if got := accepted[i] - accepted[i-1]; got != 10*ms {
				t.Errorf("task %d was accepted %v after the one before it", i, got)
			}
		}
		drained(t, s, log)
		if got := time.Since(log.start); got != 501*ms {
			t.Errorf("took %v", got)
		}
	})
}

func TestPipelineUnbuffered(t *testing.T) {
	spec, err := strategies.Lookup("pipeline")
	if err != nil {
		t.Fatal(err)
	}
	spec.Keys = slices.Clone(spec.Keys)
	spec.Keys[1].Default = "0"
	strategytest.Run(t, spec)
}

func TestPipelineParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"pipeline:buffer=0,filters=2": "",
		"pipeline:buffer=-1":          "strategy pipeline: buffer must be from 0 to 16777216",
		"pipeline:buffer=99999999":    "strategy pipeline: buffer must be from 0 to 16777216",
		"pipeline:filters=0":          "strategy pipeline: filters must be from 1 to 1048576",
	})
}
