package observe_test

import (
	"testing"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/observe"
)

// Callers rely on one call of value per task, because they count in it.
func TestBatchMeans(t *testing.T) {
	for _, tasks := range []int{399, 1000, 5003} {
		log := record.New(tasks)
		for i := range tasks {
			log.Add(int64(i))
		}
		o := &observe.Run{Trace: record.NewTrace([]record.Log{log})}
		first, asked := tasks/10, 0
		means, n, ok := o.BatchMeans(first, func(i int, _ *record.Record) (float64, bool) {
			asked++
			return float64(i), i%2 == 0
		})
		even := (tasks+1)/2 - (first+1)/2
		if n != even || asked != tasks-first || ok != (even >= 10*observe.Batches) {
			t.Errorf("%d tasks: %d count of %d, %v", tasks, n, asked, ok)
		}
		at := first + first%2
		for b, mean := range means {
			size := ((b+1)*n+observe.Batches-1)/observe.Batches -
				(b*n+observe.Batches-1)/observe.Batches
			if want := float64(at + size - 1); mean != want {
				t.Errorf("%d tasks: batch %d has the mean %v, want %v", tasks, b, mean, want)
			}
			at += 2 * size
		}
	}
}
