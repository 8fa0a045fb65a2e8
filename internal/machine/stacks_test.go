package machine_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
)

func spin(stop <-chan struct{}) {
	for len(stop) == 0 {
		runtime.Gosched()
	}
}

func lockTwice(mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
	mu.Lock()
}

func receive(c <-chan struct{}) { <-c }

// The stacks of marked goroutines must be found in any state, also in a bubble.
func TestStacks(t *testing.T) {
	mark, other := machine.NewMark(), machine.NewMark()
	stop, halt := make(chan struct{}), make(chan struct{}, 1)
	var mu sync.Mutex
	var all, started sync.WaitGroup
	play := func() {
		waits := func() { receive(stop) }
		for _, f := range []func(){func() { spin(halt) }, func() { lockTwice(&mu) }, waits, waits} {
			started.Add(1)
			all.Go(func() { started.Done(); f() })
		}
	}
	all.Go(func() { mark.Set(context.Background()); play() })
	all.Go(func() { other.Set(context.Background()); receive(stop) })
	go receive(stop)

	for {
		got := mark.Stacks()
		if got.Contains("machine_test.spin") && got.Contains("machine_test.lockTwice") &&
			got.Contains("machine_test.receive") && got.Goroutines() == 4 &&
			strings.Contains(got.Foreign().String(), "2 goroutines:") { // both are in receive
			break
		}
		if t.Context().Err() != nil {
			t.Fatalf("seen are %v", got)
		}
		time.Sleep(time.Millisecond)
	}
	text := mark.Stacks().Foreign().First("machine_test.lockTwice").String()
	for _, want := range []string{"1 goroutine:\n    sync.(*Mutex).Lock (mutex.go:",
		"\n    machine_test.lockTwice (stacks_test.go:",
		"2 goroutines:\n    machine_test.receive (stacks_test.go:"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.HasPrefix(text, "1 goroutine:\n    sync.(*Mutex).Lock") ||
		strings.Contains(text, "runtime") {
		t.Errorf("not the lock first, or with calls of the runtime:\n%s", text)
	}
	close(stop)
	halt <- struct{}{}
	mu.Unlock()
	all.Wait()
	var left machine.Stacks
	for range 10_000 { // a goroutine may still run after calling Done
		if left = mark.Stacks(); left == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("after the end: %v", left)
}

// Stacks must be found even if the bubble is deadlocked.
func TestStacksOfBubble(t *testing.T) {
	mark := machine.NewMark()
	ended := make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		mark.Set(context.Background())
		synctest.Test(new(testing.T), func(*testing.T) { receive(make(chan struct{})) })
	}()
	if e := <-ended; e == nil {
		t.Fatal("no deadlock")
	}
	if got := mark.Stacks().Foreign(); got.Goroutines() != 1 ||
		!strings.Contains(got.Brief(), "machine_test.receive (stacks_test.go:") {
		t.Errorf("seen are %v", got)
	}
}

func TestHere(t *testing.T) {
	for what, f := range map[string]func(){
		"a panic":      func() { panic("at the disco") },
		"nil":          func() { *(*int)(nil)++ },
		"an end":       runtime.Goexit,
		"out of reach": func() { _ = []int{}[len(what())] },
	} {
		var got machine.Stacks
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				got = machine.StacksHere().Foreign()
				_ = recover()
			}()
			called(f)
		}()
		<-done
		if !got.Contains("machine_test.called") || got.Contains("machine_test.TestHere.func5.2") {
			t.Errorf("%s: %v", what, got)
		}
	}
	if got := machine.StacksHere().Foreign(); !strings.HasPrefix(got.Brief(),
		"machine_test.TestHere (stacks_test.go:") {
		t.Errorf("here is %v", got)
	}
}

func what() string { return "nothing" }

//go:noinline
func called(f func()) { f() }

func TestShort(t *testing.T) {
	var deep machine.Stack
	for range 20 {
		deep.Frames = append(deep.Frames, machine.Frame{Func: "example.com/mine.(*Pool).dig",
			At: "/home/me/mine/pool.go:7"})
	}
	deep.Count = 3
	text := machine.Stacks{deep, deep, deep, deep, deep, deep, deep, deep}.String()
	if want := "3 goroutines:\n    mine.(*Pool).dig (pool.go:7)\n"; !strings.HasPrefix(text, want) {
		t.Errorf("want %q first in\n%s", want, text)
	}
	if !strings.HasSuffix(text, "    … 12 more calls\n6 more goroutines") ||
		strings.Count(text, "\n") > 70 {
		t.Errorf("what is left out is not counted:\n%s", text)
	}
	if got, want := (machine.Stacks{deep}).Brief(), "mine.(*Pool).dig (pool.go:7) ← "+
		"mine.(*Pool).dig (pool.go:7) ← mine.(*Pool).dig (pool.go:7)"; got != want {
		t.Errorf("in short %q, want %q", got, want)
	}
}
