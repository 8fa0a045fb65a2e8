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

func TestPipelineStagesContract(t *testing.T) {
	for i, stages := range []string{"2(0s)+work+3(0s)", "work+2(3ms)", "3(1ms)+work+1(exp(1ms))",
		"classic"} {
		for _, buffer := range []string{"0", "8"} {
			t.Run(stages+",buffer="+buffer, func(t *testing.T) {
				if testing.Short() && (buffer != "0" || i%2 != 0) {
					t.Skip("long: skipped with -short")
				}
				spec := strategies.MustParse("pipeline:stages=" + stages).Spec
				spec.Keys = slices.Clone(spec.Keys)
				spec.Keys[0].Default, spec.Keys[1].Default = stages, buffer
				strategytest.Run(t, spec)
			})
		}
	}
}

// The tasks leave the first stage at 10, 10, 20, 20 and 30 ms. They leave the last stage every 40
// ms from 55 ms on.
func TestPipelineStages(t *testing.T) {
	for _, buffer := range []string{"0", "8"} {
		synctest.Test(t, func(t *testing.T) {
			const ms = time.Millisecond
			log := newLog(5)
			s := startVariant(t, "pipeline:stages=2(10ms)+work+1(40ms),buffer="+buffer, 3, 0, log)
			tasks := sleeps(5, 5*ms)
			for i := range tasks {
				if at := submitAt(t, s, log, 0, &tasks[i]); at != 0 {
					t.Errorf("task %d was accepted at %v", i, at)
				}
			}
			for i := range tasks {
				e := <-log.done
				if want := time.Duration(55+40*i) * ms; e.at != want || e.err != nil {
					t.Errorf("buffer %s: task %d was done at %v with %v, want %v", buffer, i, e.at,
						e.err, want)
				}
			}
			want := []time.Duration{50 * ms, 0, 200 * ms}
			if got := strategies.StagedOf(s).Busy(); !slices.Equal(got, want) {
				t.Errorf("busy %v, want %v", got, want)
			}
			drained(t, s, log)
		})
	}
}

// Without buffers, a worker keeps its finished task until the next stage accepts it.
func TestPipelineBlocksBetweenStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(4)
		s := startVariant(t, "pipeline:stages=work+1(40ms),buffer=0", 2, 9, log)
		tasks := sleeps(4, 10*ms)
		starts := make(chan time.Duration, 4)
		for i := range tasks {
			run := tasks[i].Run
			tasks[i].Run = func(ctx context.Context, t *strategies.Task) strategies.Result {
				starts <- time.Since(log.start)
				return run(ctx, t)
			}
			submitAt(t, s, log, 0, &tasks[i])
		}
		for _, want := range []time.Duration{0, 0, 10 * ms, 50 * ms} {
			if at := <-starts; at != want {
				t.Errorf("a task started at %v, want %v", at, want)
			}
		}
		drained(t, s, log)
	})
}

func TestPipelineFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(100)
		s := startVariant(t, "pipeline:stages=3(1ms)+work+1(40ms),buffer=2", 4, 5, log)
		want := 5 + 1 + (2 + 3) + (2 + 4) + (2 + 1)
		tasks := sleeps(want+1, time.Millisecond)
		for i := range tasks {
			at := submitAt(t, s, log, 0, &tasks[i])
			if i < want && at != 0 || i == want && at != 42*time.Millisecond {
				t.Errorf("task %d of %d was accepted at %v", i, want, at)
			}
		}
		drained(t, s, log)
	})
}

func TestPipelineFailuresSkipStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		log := newLog(1)
		s := startVariant(t, "pipeline:stages=work+1(40ms)+1(40ms)", 1, 0, log)
		task := strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
			return strategies.Result{Err: boom}
		}}
		submitAt(t, s, log, 0, &task)
		if e := drained(t, s, log)[&task]; e.at != 0 || e.err != boom {
			t.Errorf("it was done at %v with %v", e.at, e.err)
		}
	})
}

// Tasks before the work must end without running, the task after the work with its own result.
func TestPipelineStagesCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		log := newLog(9)
		v := strategies.MustParse("pipeline:stages=1(1s)+work+1(1s)")
		s := v.Spec.New(ctx, strategies.Params{Limit: 1, Queue: 9, Values: v.Values}, log)
		tasks := sleeps(9, time.Millisecond)
		for i := range tasks {
			submitAt(t, s, log, 0, &tasks[i])
		}
		const end = 1500 * time.Millisecond
		time.Sleep(end)
		cancel()
		synctest.Wait()
		if n := len(log.done); n != len(tasks) {
			t.Errorf("%d tasks are done", n)
		}
		got := drained(t, s, log)
		for i := range tasks {
			e, want := got[&tasks[i]], context.Canceled
			if i == 0 {
				want = nil
			}
			if e.at != end || e.err != want {
				t.Errorf("task %d was done at %v with %v, want %v", i, e.at, e.err, want)
			}
		}
	})
}

func TestPipelineStagesParameters(t *testing.T) {
	const want = "strategy pipeline: stages: "
	refusedValues(t, map[string]string{
		"pipeline:stages=work":                           "",
		"pipeline:stages=classic":                        "",
		"pipeline:stages=3(lognormal(10ms,4))+work+1(0)": "",
		"pipeline:stages=3(10ms)+1(40ms)": want + "no stage of 3(10ms)+1(40ms) runs the tasks: " +
			"add work, the stage of limit workers that takes the time of the workload, as in " +
			"work+3(10ms)+1(40ms)",
		"pipeline:stages=work+work": want + "work+work has work 2 times, but a task runs once",
		"pipeline:stages=work+3": want + "stage 3 has no time: write 3(10ms), or work for the " +
			"stage of limit workers that runs the tasks",
		"pipeline:stages=work+": want + `want workers(time) such as 3(10ms) or 1(exp(40ms)), ` +
			`or work, got ""`,
		"pipeline:stages=work+x(1ms)": want + `want workers(time) such as 3(10ms) or ` +
			`1(exp(40ms)), or work, got "x(1ms)"`,
		"pipeline:stages=work+0(1ms)": want + "stage 0(1ms): want 1 to 1048576 workers",
		"pipeline:stages=work+1(exp(0s))": want + `stage 1(exp(0s)): exp: mean: must be positive, ` +
			`got "0s"`,
		"pipeline:stages=work+1(1ms)+1(1ms)+1(1ms)+1(1ms)+1(1ms)+1(1ms)+1(1ms)+1(1ms)+1(1ms)" +
			"+1(1ms)+1(1ms)+1(1ms)+1(1ms)+1(1ms)+1(1ms)+1(1ms)": want + "17 stages: want at most 16",
		"pipeline:stages=work+1048576(1ms)+9(1ms)": want + "1048586 workers are above 1048576",
		"pipeline:stages=work+1(1ms),buffer=16777216": "strategy pipeline: buffer 16777216 before " +
			"each of 2 stages is above 16777216 slots",
	})
}

func TestPipelineStagesFacts(t *testing.T) {
	for text, stages := range map[string]int{"pipeline": 0, "pipeline:stages=work": 0,
		"pipeline:stages=1(1ms)+work": 2, "pipeline:stages=classic": 3,
		"retry+pipeline:stages=1(1ms)+work": 2} {
		v := strategies.MustParse(text)
		n := 0
		if v.Spec.Stages != nil {
			n = len(v.Spec.Stages(strategies.Params{Limit: 4, Values: v.Values}))
		}
		if plain := stages == 0; n != stages || v.Spec.FIFO != plain ||
			v.Spec.WorkConserving != plain || (v.Spec.Twin.Of != "") != plain {
			t.Errorf("%s: %d stages, FIFO %v, work-conserving %v, twin %q", text, n, v.Spec.FIFO,
				v.Spec.WorkConserving, v.Spec.Twin.Of)
		}
	}
}
