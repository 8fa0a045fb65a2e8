package workloads

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
)

func buildPipes(t *testing.T, bytes string) *pipes {
	t.Helper()
	v, err := Resolve(param.Call{Name: "pipe", Args: []param.Arg{{Key: "bytes", Value: bytes}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	p := w.(*pipes)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestPipesAreUsedAgain(t *testing.T) {
	for _, bytes := range []string{"1", "4KiB", "32KiB", "100KiB", "1MB"} {
		w := buildPipes(t, bytes)
		if w.Mean() <= 0 || w.C2() != 0 {
			t.Errorf("%s: mean %v, C² %v", bytes, w.Mean(), w.C2())
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for seq := range uint64(25) {
					if err := w.Do(context.Background(), seq); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if len(w.idle) != len(w.all) || len(w.all) > 4 {
			t.Errorf("%s: %d pipes, %d of them idle", bytes, len(w.all), len(w.idle))
		}
	}
}

// An interrupted task must leave no data for the next task.
func TestPipeOfAnEndedTask(t *testing.T) {
	w := buildPipes(t, "100KiB") // four chunks
	for looks := range 4 {
		before := len(w.all)
		if err := w.Do(&endsAfter{context.Background(), looks}, 1); !errors.Is(err,
			context.Canceled) {
			t.Errorf("ended at look %d: %v", looks, err)
		}
		if removed := before - len(w.all); removed != min(looks, 1) {
			t.Errorf("ended at look %d: %d pipes were removed", looks, removed)
		}
		if err := w.Do(&endsAfter{context.Background(), 4}, 1); err != nil {
			// an end after the last chunk has no effect
			t.Error(err)
		}
	}
}

func TestPipesClose(t *testing.T) {
	w := &pipes{bytes: 1 << 50, content: make([]byte, pipeChunk)} // the task never ends by itself
	failed := make(chan error)
	began := &signals{Context: context.Background(), began: make(chan struct{})}
	go func() { failed <- w.Do(began, 1) }()
	<-began.began
	for range 2 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-failed; err == nil {
		t.Error("the task in flight did not fail")
	}
	if err := w.Do(context.Background(), 1); err != errPipesClosed {
		t.Errorf("after Close: %v", err)
	}
}

// signals closes began at its second call of Err, when the task uses its pipe.
type signals struct {
	context.Context
	began chan struct{}
	looks int
}

func (s *signals) Err() error {
	if s.looks++; s.looks == 2 {
		close(s.began)
	}
	return nil
}

func TestPipeReadingFails(t *testing.T) {
	w := buildPipes(t, "10")
	p := w.idle[0]
	if err := p.from.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Do(context.Background(), 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("through a closed pipe: %v", err)
	}
	if len(w.all) != 0 {
		t.Error("the broken pipe is kept")
	}
}

func TestImpossiblePipe(t *testing.T) {
	for _, bytes := range []string{"0", "2GiB"} {
		_, err := Resolve(param.Call{Name: "pipe", Args: []param.Arg{{Key: "bytes", Value: bytes}}})
		n := map[string]string{"0": "0", "2GiB": "2147483648"}[bytes]
		if want := "workload pipe: bytes: must be between 1 byte and 1GiB, got " + n +
			" bytes"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
