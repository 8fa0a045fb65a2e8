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

// BenchmarkPacer: how late tasks are issued that are due at that many a second, each of which another goroutine takes. ns/op echoes the rate.
func BenchmarkPacer(b *testing.B) {
	for _, way := range timers {
		for _, rate := range []int{1_000, 10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("timer=%s/rate=%d", way.name, rate), func(b *testing.B) {
				p := pacerBy(way.new)
				late := make([]int64, 0, b.N)
				tasks, taken := make(chan int, 1024), make(chan struct{})
				go func() {
					defer close(taken)
					for range tasks {
					}
				}()
				b.ReportAllocs()
				start := time.Since(p.base)
				for i := 0; b.Loop(); i++ {
					due := start + time.Duration(int64(i)*int64(time.Second)/int64(rate))
					late = append(late, int64(p.Until(due)-due))
					tasks <- i
				}
				close(tasks)
				<-taken
				report(b, late)
			})
		}
	}
}

// BenchmarkSleep: how late sleepers wake who all sleep at once, by the alarm and by a timer of the runtime each.
func BenchmarkSleep(b *testing.B) {
	for _, d := range []time.Duration{20 * time.Microsecond, 200 * time.Microsecond, 2 * time.Millisecond} {
		for _, sleepers := range []int{1, 4, 64, 1024} {
			b.Run(fmt.Sprintf("by=runtime/sleep=%v/sleepers=%d", d, sleepers), func(b *testing.B) { benchmarkSleep(b, sleep, d, sleepers) })
			b.Run(fmt.Sprintf("by=alarm/sleep=%v/sleepers=%d", d, sleepers), func(b *testing.B) {
				a := NewAlarm()
				defer a.Close()
				benchmarkSleep(b, a.Sleep, d, sleepers)
			})
		}
	}
}

func benchmarkSleep(b *testing.B, sleep func(context.Context, time.Duration) error, d time.Duration, sleepers int) {
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
	report(b, slices.Concat(late...))
}

func report(b *testing.B, late []int64) {
	slices.Sort(late)
	for _, q := range []struct {
		name  string
		share float64
	}{{"p50-lag-ns", 0.5}, {"p99-lag-ns", 0.99}, {"max-lag-ns", 1}} {
		b.ReportMetric(float64(late[int(q.share*float64(len(late)-1))]), q.name)
	}
}
