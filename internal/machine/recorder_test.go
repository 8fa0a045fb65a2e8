package machine

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestTail(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand) int64{
		"exponential": func(r *rand.Rand) int64 { return int64(1e7 * r.ExpFloat64()) },
		"constant":    func(*rand.Rand) int64 { return 1_000_000 },
		"two":         func(r *rand.Rand) int64 { return []int64{1e3, 1e9}[min(1, r.IntN(50)/49)] },
		"none":        func(*rand.Rand) int64 { return 0 },
	} {
		var all []int64
		var tail tail
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 20_000 {
			v := draw(r)
			bound := tail.add(v)
			if n < tasksToLearn && bound != 0 {
				t.Fatalf("%s: a bound of %d after %d", name, bound, n)
			}
			all = append(all, v)
		}
		slices.Sort(all)
		exact := 3 * float64(max(all[len(all)*99/100], 8))
		if got := float64(tail.bound.Load()); got < 0.85*exact || got > 1.2*exact {
			t.Errorf("%s: bound %v, three times the p99 is %v", name, got, exact)
		}
	}
}

func TestRecorder(t *testing.T) {
	r, err := StartRecorder(time.Second, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := StartRecorder(time.Second, 0); err == nil {
		t.Error("two at once")
	}
	var ending sync.WaitGroup
	for i := range 4 {
		ending.Go(func() {
			for range 100 {
				r.Done(7, 999_999, 5)
			}
			if i == 2 {
				r.Done(42, 5_000_000, 4_000_000)
			}
		})
	}
	ending.Wait()
	data, err := r.End()
	if err != nil || !bytes.HasPrefix(data, []byte("go 1.")) ||
		bytes.Count(data, []byte("task 42 response 5000000 since start 4000000")) != 1 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if again, err := r.End(); again != nil || err != nil {
		t.Errorf("ended twice: %d bytes, %v", len(again), err)
	}
	if r, err = StartRecorder(time.Second, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	r.Done(1, 500_000, 1)
	if data, err := r.End(); len(data) > 0 || err != nil {
		t.Errorf("no task is slow: %d bytes, %v", len(data), err)
	}
	var none *Recorder
	none.Done(1, 1, 1)
	if data, err := none.End(); data != nil || err != nil {
		t.Error("none does something")
	}
}
