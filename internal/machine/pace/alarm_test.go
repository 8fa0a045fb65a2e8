package pace

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/machine/race"
)

// virtualAlarm does not poll the clock, so it is exact in a bubble.
func virtualAlarm() *Alarm {
	base := time.Now()
	return newAlarm(base, newRuntimeTimer(base), 0)
}

func TestAlarmIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := virtualAlarm()
		defer a.Close()
		var sleeping sync.WaitGroup
		for g := range uint64(64) {
			sleeping.Go(func() {
				random := rand.New(rand.NewPCG(1, g))
				for range 50 {
					d := time.Duration(random.Int64N(int64(10 * time.Millisecond)))
					began := time.Now()
					if err := a.Sleep(t.Context(), d); err != nil || time.Since(began) != d {
						t.Errorf("a sleep of %v took %v and returned %v", d, time.Since(began), err)
					}
				}
			})
		}
		sleeping.Wait()
	})
}

func TestAlarmAndContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := virtualAlarm()
		defer a.Close()
		var sleeping sync.WaitGroup
		for i := range time.Duration(100) {
			sleeping.Go(func() {
				began, full, cut := time.Now(), (1+i*37%100)*time.Millisecond, 50*time.Millisecond+1
				ctx, cancel := context.WithTimeout(t.Context(), cut)
				defer cancel()
				err := a.Sleep(ctx, full)
				if took := time.Since(began); took != min(full, cut) ||
					(err != nil) != (full > cut) {
					t.Errorf("a sleep of %v with %v to live took %v and returned %v",
						full, cut, took, err)
				}
			})
		}
		sleeping.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, d := range []time.Duration{0, time.Second} {
			if err := a.Sleep(ctx, d); !errors.Is(err, context.Canceled) {
				t.Errorf("a sleep of %v with an ended context returned %v", d, err)
			}
		}
		if len(a.waiting) != 0 {
			t.Errorf("%d are still in the queue", len(a.waiting))
		}
	})
}

// Close must not shorten a Sleep.
func TestAlarmCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := virtualAlarm()
		var sleeping sync.WaitGroup
		for i := range time.Duration(10) {
			sleeping.Go(func() {
				began := time.Now()
				if err := a.Sleep(t.Context(), i*time.Second); err != nil ||
					time.Since(began) != i*time.Second {
					t.Errorf("a sleep of %v took %v and returned %v", i*time.Second,
						time.Since(began), err)
				}
			})
		}
		time.Sleep(4500 * time.Millisecond)
		a.Close()
		sleeping.Wait()
		began := time.Now()
		if err := a.Sleep(t.Context(), time.Second); err != nil ||
			time.Since(began) != time.Second {
			t.Errorf("a sleep of 1s after the end took %v and returned %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := a.Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an hour's sleep after the end, with 1s to live, returned %v", err)
		}
	})
}

func TestAlarmIsNeverEarly(t *testing.T) {
	eachTimer(t, func(t *testing.T, timer func(base time.Time) timer) {
		base := time.Now()
		a := newAlarm(base, timer(base), maxLead)
		defer a.Close()
		var sleeping sync.WaitGroup
		for g := range uint64(32) {
			sleeping.Go(func() {
				random := rand.New(rand.NewPCG(1, g))
				for range 50 {
					ctx, cancel := context.WithCancel(t.Context())
					d := time.Duration(random.Int64N(int64(300 * time.Microsecond)))
					if random.IntN(8) == 0 {
						time.AfterFunc(d/2, cancel)
					}
					began := time.Now()
					if err := a.Sleep(ctx, d); err == nil && time.Since(began) < d {
						t.Errorf("a sleep of %v took %v", d, time.Since(began))
					}
					cancel()
				}
			})
		}
		sleeping.Wait()
	})
}

func TestAlarmDoesNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool drops items under the race detector")
	}
	eachTimer(t, func(t *testing.T, timer func(base time.Time) timer) {
		base := time.Now()
		a := newAlarm(base, timer(base), maxLead)
		defer a.Close()
		if n := testing.AllocsPerRun(50, func() {
			if err := a.Sleep(t.Context(), 20*time.Microsecond); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations a sleep", n)
		}
	})
}

// A Sleep of no duration must not create a timer, but return a context's error.
func TestSleepOver(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	for _, d := range []time.Duration{0, -time.Hour} {
		if n := testing.AllocsPerRun(10, func() {
			if err := Sleep(ctx, d); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%v allocates %v times", d, n)
		}
	}
	cancel()
	for range 100 {
		if err := Sleep(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Fatalf("its context had ended: %v", err)
		}
	}
}
