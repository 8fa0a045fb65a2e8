package pace

import (
	"math/rand/v2"
	"testing"
	"time"
)

func pacerBy(t testing.TB, timer func(base time.Time) timer) *Pacer {
	base := time.Now()
	p := &Pacer{newNap(base, timer(base), maxLead)}
	t.Cleanup(p.Close)
	return p
}

func TestNeverEarly(t *testing.T) {
	eachTimer(t, func(t *testing.T, timer func(base time.Time) timer) {
		p, random := pacerBy(t, timer), rand.New(rand.NewPCG(1, 1))
		due := time.Since(p.base)
		for range 200 {
			due += time.Duration(random.ExpFloat64() * float64(50*time.Microsecond))
			issued := p.Until(due)
			if after := time.Since(p.base); issued < due || issued > after {
				t.Fatalf("due %v, issued %v, and then it was %v", due, issued, after)
			}
		}
	})
}

func TestInterrupt(t *testing.T) {
	eachTimer(t, func(t *testing.T, timer func(base time.Time) timer) {
		for range 100 {
			p, issued := pacerBy(t, timer), make(chan time.Duration)
			go func() { issued <- p.Until(time.Hour) }()
			p.Interrupt()
			if at := <-issued; at >= time.Hour {
				t.Fatalf("it was not interrupted, but issued at %v", at)
			}
			p.Interrupt()
			if at := p.Until(time.Hour); at >= time.Hour {
				t.Fatalf("the wait after it was not interrupted, but over at %v", at)
			}
		}
		p, asleep, issued := pacerBy(t, timer), make(chan struct{}, 1), make(chan time.Duration)
		p.timer = signalsSleep{p.timer, asleep}
		go func() { issued <- p.Until(time.Hour) }()
		<-asleep
		// the pacer usually sleeps by then
		time.Sleep(time.Millisecond)
		p.Interrupt()
		if at := <-issued; at >= time.Hour {
			t.Fatalf("the sleep was not interrupted, but over at %v", at)
		}
	})
}

func TestPacerDoesNotAllocate(t *testing.T) {
	eachTimer(t, func(t *testing.T, timer func(base time.Time) timer) {
		p := pacerBy(t, timer)
		if n := testing.AllocsPerRun(20, func() {
			p.Until(time.Since(p.base) + 200*time.Microsecond)
			p.Until(time.Since(p.base) + time.Microsecond)
			p.Until(0)
		}); n != 0 {
			t.Errorf("%v allocations for three waits", n)
		}
	})
}

// If sleeping pays, the pacer may poll for at most a third of the gap between tasks. If gaps are
// shorter than a sleep, it must always poll.
func TestSpinsWhereItPays(t *testing.T) {
	for gap, want := range map[time.Duration]int64{
		time.Millisecond:      maxLead,
		99 * time.Microsecond: int64(33 * time.Microsecond),
		84 * time.Microsecond: int64(28 * time.Microsecond),
		45 * time.Microsecond: maxLead,
		time.Microsecond:      maxLead,
	} {
		const ago = time.Hour // already due, so Until does not wait
		p := &Pacer{newNap(time.Now().Add(-ago), nil, maxLead)}
		for i := range time.Duration(1000) {
			p.Until(i * gap)
		}
		if off := p.most - want; off > 0 || off < -int64(time.Microsecond) {
			t.Errorf("a task every %v: a lead of %v at most, want %v", gap, time.Duration(p.most),
				time.Duration(want))
		}
	}
}
