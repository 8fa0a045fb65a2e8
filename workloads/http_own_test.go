package workloads

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

func ownServer(t *testing.T, args ...param.Arg) *httpOwn {
	t.Helper()
	v, err := Resolve(param.Call{Name: "http_get", Args: args})
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	own := w.(*httpOwn)
	t.Cleanup(func() {
		if err := own.Close(); err != nil {
			t.Error(err)
		}
	})
	return own
}

// numbered numbers calls like a target's handler, but with a number that no task uses.
func numbered(work func(ctx context.Context, seq uint64) error) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if err := work(r.Context(), 1_000_000); err != nil {
			rw.Header().Set("Retry-After", "3")
			rw.WriteHeader(http.StatusTooManyRequests)
		}
	})
}

// The server must do the work of the task's number, on at most conns connections.
func TestOwnServerDoesTheTasksWork(t *testing.T) {
	const tasks = 200
	w := ownServer(t, param.Arg{Key: "conns", Value: "2"}, param.Arg{Key: "service", Value: "0s"})
	var mu sync.Mutex
	var inside, peak int
	done := map[uint64]int{}
	w.service = func(_ context.Context, seq uint64) error {
		mu.Lock()
		defer mu.Unlock()
		if inside++; inside > peak {
			peak = inside
		}
		mu.Unlock()
		time.Sleep(100 * time.Microsecond)
		mu.Lock()
		inside--
		done[seq]++
		return nil
	}
	if err := w.Serve(numbered); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range uint64(8) {
		wg.Go(func() {
			for seq := g; seq < tasks; seq += 8 {
				if err := w.Do(context.Background(), seq); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for seq := range uint64(tasks) {
		if done[seq] != 1 {
			t.Errorf("the work of task %d was done %d times", seq, done[seq])
		}
	}
	if len(done) != tasks || peak > 2 {
		t.Errorf("%d tasks, %d at once", len(done), peak)
	}
}

// All tasks must share one connection.
func TestOwnServerOverHTTP2(t *testing.T) {
	w := ownServer(t, param.Arg{Key: "protocol", Value: "h2c"},
		param.Arg{Key: "service", Value: "0s"})
	var mu sync.Mutex
	done, protocols, peers := map[uint64]int{}, map[string]int{}, map[string]int{}
	w.service = func(_ context.Context, seq uint64) error {
		mu.Lock()
		defer mu.Unlock()
		done[seq]++
		return nil
	}
	err := w.Serve(func(work func(context.Context, uint64) error) http.Handler {
		h := numbered(work)
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			protocols[r.Proto]++
			peers[r.RemoteAddr]++
			mu.Unlock()
			h.ServeHTTP(rw, r)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for seq := range uint64(50) {
		wg.Go(func() {
			if err := w.Do(context.Background(), seq); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(done) != 50 || protocols["HTTP/2.0"] != 50 || len(peers) != 1 {
		t.Errorf("%v, %v over %v", done, protocols, peers)
	}
}

func TestOwnServerRefuses(t *testing.T) {
	w := ownServer(t)
	w.service = func(context.Context, uint64) error { return errors.New("no") }
	if err := w.Do(context.Background(), 1); err != errNoServer {
		t.Errorf("before Serve: %v", err)
	}
	if err := w.Serve(numbered); err != nil {
		t.Fatal(err)
	}
	var status *StatusError
	if err := w.Do(context.Background(), 1); !errors.As(err, &status) ||
		*status != (StatusError{429, 3 * time.Second}) {
		t.Errorf("%v", err)
	}
	if err := w.Serve(numbered); err == nil {
		t.Error("a second Serve")
	}
}

// Other clients, such as wrk, send no Poolbench-Seq header. The handler's number applies.
func TestOwnServerServesOthers(t *testing.T) {
	w := ownServer(t)
	var got uint64
	w.service = func(_ context.Context, seq uint64) error { got = seq; return nil }
	if err := w.Serve(numbered); err != nil {
		t.Fatal(err)
	}
	answer, err := w.client.Get(*w.url.Load())
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got != 1_000_000 || answer.StatusCode != http.StatusOK {
		t.Errorf("status %d for task %d", answer.StatusCode, got)
	}
}

// Close must cancel the requests in service and wait for their goroutines.
func TestOwnServerCloses(t *testing.T) {
	w := ownServer(t)
	began := make(chan struct{}, 3)
	var ended int
	var mu sync.Mutex
	w.service = func(ctx context.Context, _ uint64) error {
		began <- struct{}{}
		<-ctx.Done()
		mu.Lock()
		defer mu.Unlock()
		ended++
		return ctx.Err()
	}
	if err := w.Serve(numbered); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	for seq := range uint64(3) {
		go func() { failed <- w.Do(context.Background(), seq) }()
	}
	for range 3 {
		<-began
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if ended != 3 { // without mu: the goroutines have been waited for
		t.Errorf("%d of 3 requests ended", ended)
	}
	for range 3 {
		if err := <-failed; err == nil {
			t.Error("a task was done by a closed server")
		}
	}
	if err := w.Do(context.Background(), 1); err != errNoServer {
		t.Errorf("after Close: %v", err)
	}
}

// A panic must fail only its task, without output on the command's standard error.
func TestOwnServerPanics(t *testing.T) {
	w := ownServer(t)
	w.service = func(context.Context, uint64) error { panic("in the target") }
	if err := w.Serve(numbered); err != nil {
		t.Fatal(err)
	}
	if err := w.Do(context.Background(), 1); err == nil {
		t.Error("the task did not fail")
	}
}

func TestOwnServerMoments(t *testing.T) {
	w := ownServer(t, param.Arg{Key: "service", Value: "lognormal(1ms,4)"})
	if w.Mean() <= time.Millisecond || w.Mean() > 100*time.Millisecond {
		t.Errorf("mean %v, want the service's and a round trip", w.Mean())
	}
	share := 1e6 / float64(w.Mean())
	if want := 4 * share * share; w.C2() < want*(1-1e-12) || w.C2() > want*(1+1e-12) {
		t.Errorf("C² %v, want %v", w.C2(), want)
	}
	if !strings.HasPrefix(errNoServer.Error(), "there is no server") || w.url.Load() != nil {
		t.Error("calibration left its server's address behind")
	}
}
