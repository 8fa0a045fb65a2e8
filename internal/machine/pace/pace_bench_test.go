//go:build unix

package pace

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkPacer measures lateness at a rate, and CPU time as a share of a processor. With
// handed=goroutine, another goroutine receives each task, which includes the Go scheduler. ns/op
// only reflects the rate. On a shared machine, SCHED_RR keeps other programs away:
//
//	go test -c ./internal/machine/pace && chrt -r 1 ./pace.test -test.run ^$ -test.bench Pacer -test.benchtime 500ms
func BenchmarkPacer(b *testing.B) {
	for _, way := range timers {
		for _, rate := range []int{1_000, 10_000, 100_000, 1_000_000} {
			for _, handed := range []string{"nobody", "goroutine"} {
				b.Run(fmt.Sprintf("timer=%s/rate=%d/handed=%s", way.name, rate, handed),
					func(b *testing.B) {
						benchmarkPacer(b, pacerBy(b, way.new), rate, handed == "goroutine")
					})
			}
		}
	}
}

func benchmarkPacer(b *testing.B, p *Pacer, rate int, hand bool) {
	late, started := newRecord(), newRecord()
	tasks, taken := make(chan time.Duration, 1024), make(chan struct{})
	go func() {
		defer close(taken)
		for due := range tasks {
			started.add(p.now() - int64(due))
		}
	}()
	until := p.Until
	if hand {
		until = p.Next
	}
	b.ReportAllocs()
	start, computed := time.Since(p.base), cpu()
	for i := 0; b.Loop(); i++ {
		due := start + time.Duration(int64(i)*int64(time.Second)/int64(rate))
		late.add(int64(until(due) - due))
		if hand {
			tasks <- due
		}
	}
	share := 100 * float64(cpu()-computed) / float64(time.Since(p.base)-start)
	close(tasks)
	<-taken
	report(b, "lag", late.all)
	report(b, "start", started.all)
	b.ReportMetric(share, "cpu-%")
}

// BenchmarkSleep compares the lateness of concurrent sleepers with an Alarm and with runtime
// timers.
func BenchmarkSleep(b *testing.B) {
	for _, d := range []time.Duration{20 * time.Microsecond, 200 * time.Microsecond,
		2 * time.Millisecond} {
		for _, sleepers := range []int{1, 4, 64, 1024} {
			b.Run(fmt.Sprintf("by=runtime/sleep=%v/sleepers=%d", d, sleepers), func(b *testing.B) {
				benchmarkSleep(b, Sleep, d, sleepers)
			})
			b.Run(fmt.Sprintf("by=alarm/sleep=%v/sleepers=%d", d, sleepers), func(b *testing.B) {
				a := NewAlarm()
				defer a.Close()
				benchmarkSleep(b, a.Sleep, d, sleepers)
			})
		}
	}
}

func benchmarkSleep(
	b *testing.B, sleep func(context.Context, time.Duration) error, d time.Duration, sleepers int,
) {
	late := make([][]int64, sleepers)
	var sleeping sync.WaitGroup
	for i := range late {
		late[i] = make([]int64, 0, b.N/sleepers+1)
		sleeping.Go(func() {
			for range b.N/sleepers + 1 {
				began := time.Now()
				if err := sleep(b.Context(), d); err != nil {
					b.Error(err)
				}
				late[i] = append(late[i], int64(time.Since(began)-d))
				runtime.Gosched()
			}
		})
	}
	sleeping.Wait()
	report(b, "lag", slices.Concat(late...))
}

// record is preallocated, because growing would delay the next values.
type record struct{ all []int64 }

func newRecord() *record {
	r := &record{make([]int64, 1<<22)}
	for i := range r.all {
		r.all[i] = -1 // touches the page before the measurement
	}
	r.all = r.all[:0]
	return r
}

func (r *record) add(ns int64) {
	if len(r.all) < cap(r.all) {
		r.all = append(r.all, ns)
	}
}

func report(b *testing.B, of string, late []int64) {
	slices.Sort(late)
	for _, q := range []struct {
		name  string
		share float64
	}{{"p50", 0.5}, {"p99", 0.99}, {"max", 1}} {
		if len(late) > 0 {
			b.ReportMetric(float64(late[int(q.share*float64(len(late)-1))]), q.name+"-"+of+"-ns")
		}
	}
}
