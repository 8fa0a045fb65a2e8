package transport_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/transport"
)

func take(t *testing.T, d *transport.Dealer, n int) (all []int) {
	t.Helper()
	for range n {
		at, err := d.Acquire(t.Context(), time.Now().Add(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, at)
	}
	return all
}

// A fixed number of connections must share streams evenly. Otherwise, each connection must be
// filled before another is opened.
func TestDealer(t *testing.T) {
	for _, c := range []struct {
		connections, streams int
		want                 []int
	}{
		{3, 2, []int{0, 1, 2, 0, 1, 2}},
		{1, 4, []int{0, 0, 0, 0}},
		{0, 2, []int{0, 0, 1, 1, 2, 2}},
	} {
		d := transport.NewDealer(c.connections, c.streams)
		if got := take(t, d, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%d connections: %v, want %v", c.connections, got, c.want)
		}
	}
	d := transport.NewDealer(3, 2)
	for i := range 6 { // sequential calls use the connections in turn
		if got := take(t, d, 1); got[0] != i%3 {
			t.Errorf("call %d goes over %v", i, got)
		}
		d.Release(i % 3)
	}
	d = transport.NewDealer(0, 2)
	take(t, d, 4)
	d.Release(0)
	if got := take(t, d, 1); got[0] != 0 {
		t.Errorf("%v is not the one with room", got)
	}
}

// Waiting callers must get streams in FIFO order, and none may be lost.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := transport.NewDealer(2, 1)
		take(t, d, 2)
		var order []time.Duration
		var all sync.WaitGroup
		begun := time.Now()
		for range 3 {
			all.Go(func() {
				at, err := d.Acquire(t.Context(), begun.Add(time.Minute))
				if err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
				order = append(order, time.Since(begun)) // a second apart
				d.Release(at)
			})
			time.Sleep(time.Millisecond)
		}
		d.Release(1)
		all.Wait()
		if len(order) != 3 || order[2]-order[0] != 2*time.Second {
			t.Errorf("%v", order)
		}
		take(t, d, 1)
		if _, err := d.Acquire(t.Context(), time.Now().Add(time.Second)); !errors.Is(err,
			os.ErrDeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("over")
		cancel(why)
		if _, err := d.Acquire(ctx, time.Now().Add(time.Second)); !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
		d.Release(0)
		if got := take(t, d, 1); got[0] != 0 {
			t.Errorf("%v", got)
		}
	})
}

// Calls above the server's stream limit need another connection, which is assumed to have the same
// limit.
func TestLimit(t *testing.T) {
	d := transport.NewDealer(0, 10)
	soon := time.Now().Add(time.Minute)
	if got := take(t, d, 5); !slices.Equal(got, []int{0, 0, 0, 0, 0}) {
		t.Fatal(got)
	}
	d.Limit(0, 2)
	var now []int
	for range 5 {
		fits := d.Fits(0)
		at, err := d.Keep(t.Context(), soon, 0)
		if err != nil || fits != (at == 0) {
			t.Fatal(at, err)
		}
		now = append(now, at)
	}
	if !slices.Equal(now, []int{1, 1, 2, 0, 0}) {
		t.Errorf("the calls are on %v", now)
	}
	d.Limit(1, 0) // 0 means any number
	if got := take(t, d, 9); !slices.Equal(got, []int{1, 1, 1, 1, 1, 1, 1, 1, 2}) {
		t.Errorf("the next ones on %v", got)
	}
	d.Release(-1)

	// With one connection, a call above the limit must wait.
	synctest.Test(t, func(t *testing.T) {
		soon := time.Now().Add(time.Minute)
		d := transport.NewDealer(1, 10)
		take(t, d, 3)
		d.Limit(0, 2)
		kept := make(chan error, 2)
		go func() {
			_, err := d.Keep(t.Context(), soon, 0)
			kept <- err
		}()
		synctest.Wait()
		d.Limit(0, 1)
		d.Release(0) // one call is left, and the limit is 1
		synctest.Wait()
		if len(kept) != 0 {
			t.Error("more streams than the server allows")
		}
		d.Limit(0, 2)
		if err := <-kept; err != nil {
			t.Error(err)
		}
		if _, err := d.Acquire(t.Context(), soon); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	})
}
