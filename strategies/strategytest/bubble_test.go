package strategytest

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = 30 * time.Second

// A failure may mean that testing/synctest no longer works with a zero T, which is undocumented.
func TestInBubble(t *testing.T) {
	own := errors.New("own")
	for _, test := range []struct {
		name  string
		limit time.Duration
		check func(s *scene) error
		want  string // part of the error message; "" means no error
	}{
		{"no error", patience, func(s *scene) error { s.rest(horizon); return nil }, ""},
		{"its own", patience, func(*scene) error { return own }, "own"},
		{"panic", patience, func(*scene) error { panic("at the disco") }, "at the disco"},
		{"panic beside it", patience, func(s *scene) error {
			s.spawn(func() { panic("at the disco") })
			s.rest(1)
			return nil
		}, "at the disco"},
		{"Goexit", patience, func(*scene) error { runtime.Goexit(); return nil }, "Goexit"},
		{"deadlock", patience,
			func(s *scene) error { s.step("hoping"); <-make(chan int); return nil },
			"while hoping"},
		{"leak after the verdict", patience,
			func(*scene) error { go func() { <-make(chan int) }(); return nil }, ""},
		{"stopped clock", 20 * time.Millisecond, func(s *scene) error {
			s.step("sleeping with a mutex")
			var mu sync.Mutex
			slow := func() {
				mu.Lock()
				defer mu.Unlock()
				time.Sleep(time.Second)
			}
			s.spawn(slow)
			slow()
			return nil
		}, "real time while sleeping with a mutex: a goroutine spins or waits for a mutex"},
	} {
		t.Run(test.name, func(t *testing.T) {
			switch err := inBubble(test.limit, test.check); {
			case test.want == "" && err != nil:
				t.Errorf("got %v, want no error", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestGoroutines(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	go func() { <-stop }() // outside the bubble

	err := inBubble(patience, func(s *scene) error {
		if n := len(s.goroutines()); n != 0 {
			return errors.New("a bubble with nothing but the check is not empty")
		}
		block := make(chan struct{})
		go func() { <-block }()
		go func() { time.Sleep(time.Second) }()
		if n := len(s.goroutines()); n != 2 {
			return errors.New("two goroutines are not two")
		}
		if err := s.leftover(); err == nil || !strings.Contains(err.Error(), "TestGoroutines") {
			return errors.New("what is left over is not shown")
		}
		close(block)
		s.rest(time.Second)
		return s.leftover()
	})
	if err != nil {
		t.Error(err)
	}
}
