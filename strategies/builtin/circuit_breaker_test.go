package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Each letter is a call, one per second: g(ood), f(ailed), s(low, 2 s), p(anicked), c(ancelled),
// r(etry requested without an error), h(angs) or l(ate, 5.5 s), - (refused). With open=10s, the
// tenth call after the circuit opens is the first trial.
func TestBreakerStates(t *testing.T) {
	const defaults = "window=4,failures=0.5,after=1s,slow=0.75,open=10s,trials=2"
	for _, c := range []struct {
		what, with string
		calls      string
		let        string // like calls, with - for a refused call
		opened     int64
	}{
		{"nothing is decided before the window is full", "", "fff", "fff", 0},
		{"half of the window failed", "", "gfgfg", "gfgf-", 1},
		{"a quarter did, wherever it stands", "", "gggfgggfgggfggg", "gggfgggfgggfggg", 0},
		{"the window moves on", "", "fggggggffg", "fggggggff-", 1},
		{"the first of a full window is forgotten", "", "gfggggfgggg", "gfggggfgggg", 0},
		{"attempts that want another have failed", "", "grgrg", "grgr-", 1},
		{"panics and what is cancelled are no calls", "", "gfppccgggg", "gfppccgggg", 0},
		{"it is open for ten seconds", "", "ffffggggggggggg", "ffff---------gg", 1},
		{"both trials are good: it closes", "", "ffffgggggggggggfffgg",
			"ffff---------ggfffg-", 2},
		{"one of two trials fails: it opens again", "", "ffffgggggggggfggggggggggg",
			"ffff---------fg---------g", 2},
		{"both do", "", "ffffgggggggggffgggggggggggg", "ffff---------ff---------ggg", 2},
		{"of three trials two may fail at failures=0.7", "trials=3,failures=0.7",
			"ffffgggggggggffgf", "ffff---------ffgf", 1},
		{"and not three", "trials=3,failures=0.7", "ffffgggggggggfffg", "ffff---------fff-", 2},
		{"a trial that panics does not count", "", "ffffgggggggggppppfgg",
			"ffff---------ppppfg-", 2},
		{"three quarters of the window were slow", "open=1h", "gsssg", "gsss-", 1},
		{"half of it was", "open=1h", "gsgsgsgs", "gsgsgsgs", 0},
		{"slow trials", "open=2s", "ffffgssg", "ffff-ss-", 2},
		{"nothing is slow unless it is asked for", "after=0s", "ssssssss", "ssssssss", 0},
		{"every call has to fail", "failures=1", "fffgfffgfffffg", "fffgfffgffff--", 1},
		{"a window of one", "window=1,trials=1,open=2s", "gfggfggg", "gf-gf-gg", 2},

		{"a period: nothing is decided before there are four", "period=10s", "fffggg", "fffg--", 1},
		{"half of the last ten seconds failed", "period=10s", "gggggfffffg", "gggggfffff-", 1},
		{"three of ten did", "period=10s,failures=0.3", "ggggggggffgggggggfg",
			"ggggggggffgggggggf-", 1},
		{"a second later it is two of ten", "period=10s,failures=0.3", "ggggggggffggggggggfg",
			"ggggggggffggggggggfg", 0},
		{"slow calls of a period", "period=10s,open=1h", "gsssg", "gsss-", 1},
		{"a short period never has enough of them", "period=3s", "ffffffff", "ffffffff", 0},
		{"closed again, it begins anew", "period=10s,open=2s", "ffffgggfffgg", "ffff-ggfffg-", 2},

		{"a trial hangs, and the circuit stays half-open", "", "ffffggggggggghggggg",
			"ffff---------hg----", 1},
		{"with a wait it opens again, and tries again after that", "wait=3s",
			"ffffggggggggghggggggggggggggg", "ffff---------hg------------gg", 2},
		{"the wait is from the last trial on", "wait=3s,open=2s,trials=3", "ffffgghggggggggg",
			"ffff-ghg----gggg", 2},
		{"it is not for trials to come", "wait=1s,open=2s,trials=4", "ffffggggggg", "ffff-gggggg", 1},
		{"a late answer is none", "wait=3s,open=4s,trials=1", "ffffggglggggggg", "ffff---l------g", 2},
	} {
		values := merged(defaults, c.with)
		synctest.Test(t, func(t *testing.T) {
			hang := make(chan struct{})
			s := startVariant(t, "circuit_breaker:"+values+"+semaphore", len(c.calls), 0,
				strategies.SinkFunc(func(t *strategies.Task, r strategies.Result) {
					t.Arg.(chan error) <- r.Err
				}))
			var let strings.Builder
			for _, kind := range c.calls {
				ran, done := '-', make(chan error, 1)
				err := s.Submit(t.Context(), &strategies.Task{Arg: done,
					Run: func(context.Context, *strategies.Task) strategies.Result {
						if ran = kind; kind == 'h' {
							<-hang
						}
						return breakerResult(kind)
					}})
				synctest.Wait()
				if err == nil && ran != 'h' && ran != 'l' {
					err = <-done
				}
				if refused := ran == '-'; refused != errors.Is(err, strategies.ErrShed) {
					t.Errorf("%s: a call that ran: %v, was done with %v", c.what, !refused, err)
				}
				let.WriteRune(ran)
				time.Sleep(time.Second)
			}
			if let.String() != c.let {
				t.Errorf("%s (%s): of %s it let through\n%s, want\n%s", c.what, values, c.calls,
					let.String(), c.let)
			}
			want := fmt.Sprint([]strategies.Count{{Name: "circuit-opened", Value: c.opened}})
			if got := fmt.Sprint(strategies.CountsOf(s)); got != want {
				t.Errorf("%s: counted %s, want %s", c.what, got, want)
			}
			close(hang)
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func merged(defaults, with string) string {
	var all []string
	for _, kv := range strings.Split(defaults, ",") {
		key, _, _ := strings.Cut(kv, "=")
		if !strings.Contains(","+with, ","+key+"=") {
			all = append(all, kv)
		}
	}
	if with != "" {
		all = append(all, with)
	}
	return strings.Join(all, ",")
}

func breakerResult(kind rune) (r strategies.Result) {
	switch kind {
	case 'f':
		r.Err = errors.New("failed")
	case 's':
		time.Sleep(2 * time.Second)
	case 'l':
		time.Sleep(5500 * time.Millisecond)
	case 'p':
		panic("a fault of the program")
	case 'c':
		r.Err = context.Canceled
	case 'r':
		r.Retry = true
	}
	return r
}

// A half-open breaker must shed all tasks but the trials, including those queued when it opened.
func TestHalfOpenAdmitsTrials(t *testing.T) {
	for _, trials := range []int{1, 3, 7} {
		synctest.Test(t, func(t *testing.T) {
			ran, shed, end := 0, 0, make(chan error, 500)
			s := startVariant(t, fmt.Sprintf("circuit_breaker:window=9,open=1m,trials=%d+"+
				"worker_pool", trials), 4, 200, strategies.SinkFunc(
				func(_ *strategies.Task, r strategies.Result) { end <- r.Err }))
			submit := func(n int, fails bool) (accepted int) {
				for range n {
					task := &strategies.Task{
						Run: func(context.Context, *strategies.Task) strategies.Result {
							time.Sleep(time.Second)
							if fails {
								return strategies.Result{Err: errors.New("failed")}
							}
							return strategies.Result{}
						}}
					if s.Submit(t.Context(), task) == nil {
						accepted++
					}
				}
				return accepted
			}
			collect := func(n int) {
				ran, shed = 0, 0
				for range n {
					if errors.Is(<-end, strategies.ErrShed) {
						shed++
					} else {
						ran++
					}
				}
			}
			// Four run at once. The ninth failure opens the circuit while three others run.
			collect(submit(100, true))
			if ran != 12 || shed != 88 {
				t.Errorf("%d ran and %d were shed of 100 that failed, want 12 and 88", ran, shed)
			}
			if n := submit(100, false); n != 0 {
				t.Errorf("the open circuit accepted %d", n)
			}
			time.Sleep(time.Minute)
			n := submit(100, false)
			collect(n)
			if ran != trials || n < trials {
				t.Errorf("half-open with %d trials, and of %d accepted %d ran", trials, n, ran)
			}
			if n := submit(5, false); n != 5 {
				t.Errorf("all trials were good, and it accepted %d of 5", n)
			}
			collect(5)
			if err := s.Drain(t.Context()); err != nil || ran != 5 {
				t.Errorf("closed again, %d of 5 ran; %v", ran, err)
			}
		})
	}
}

func TestBreakerPositions(t *testing.T) {
	for text, want := range map[string]int{
		"circuit_breaker:window=4+retry:attempts=3,base=0s+worker_pool": 12,
		"retry:attempts=3,base=0s+circuit_breaker:window=4+worker_pool": 4,
	} {
		synctest.Test(t, func(t *testing.T) {
			attempts, done := 0, make(chan struct{}, 10)
			s := startVariant(t, text, 1, 0, strategies.SinkFunc(
				func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
			for range 10 {
				task := &strategies.Task{
					Run: func(context.Context, *strategies.Task) strategies.Result {
						attempts++
						return strategies.Result{Err: errors.New("failed"), Retry: true}
					}}
				if s.Submit(t.Context(), task) == nil {
					<-done
				}
			}
			if err := s.Drain(t.Context()); err != nil || attempts != want {
				t.Errorf("%s: %d attempts, want %d; %v", text, attempts, want, err)
			}
		})
	}
}

func TestBreakerParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"circuit_breaker:window=1048576,failures=1,slow=0.01": "",
		"circuit_breaker:window=0":                            "strategy circuit_breaker: window 0: want 1 to 1048576",
		"circuit_breaker:trials=0":                            "strategy circuit_breaker: trials 0: want 1 to 1048576",
		"circuit_breaker:failures=0": "strategy circuit_breaker: failures 0: want a share above " +
			"0 and at most 1",
		"circuit_breaker:slow=1.1": "strategy circuit_breaker: slow 1.1: want a share above 0 " +
			"and at most 1",
		"circuit_breaker:open=0s": "strategy circuit_breaker: open must be above 0",
	})
}
