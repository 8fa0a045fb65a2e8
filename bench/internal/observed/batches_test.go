package observed_test

import (
	"testing"

	"github.com/poolbench/poolbench/bench/internal/observed"
	"github.com/poolbench/poolbench/bench/records"
)

// TestBatchMeans: each batch has as many of the tasks that count, in their order, and each of them
// is asked once: the values of a claim are counted by what they are asked.
func TestBatchMeans(t *testing.T) {
	for _, tasks := range []int{399, 1000, 5003} {
		log := records.New(tasks)
		for i := range tasks {
			log.Add(int64(i))
		}
		o := &observed.Run{Trace: records.NewTrace([]records.Log{log})}
		first, asked := tasks/10, 0
		means, n, ok := o.BatchMeans(first, func(i int, _ *records.Record) (float64, bool) {
			asked++
			return float64(i), i%2 == 0
		})
		even := (tasks+1)/2 - (first+1)/2
		if n != even || asked != tasks-first || ok != (even >= 10*observed.Batches) {
			t.Errorf("%d tasks: %d count of %d, %v", tasks, n, asked, ok)
		}
		at := first + first%2
		for b, mean := range means {
			size := ((b+1)*n+observed.Batches-1)/observed.Batches -
				(b*n+observed.Batches-1)/observed.Batches
			if want := float64(at + size - 1); mean != want { // of at, at+2, …
				t.Errorf("%d tasks: batch %d has the mean %v, want %v", tasks, b, mean, want)
			}
			at += 2 * size
		}
	}
}
