package rundir

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Parts, responses and due times must be exact to the nanosecond. With many tasks, due times are
// ranges.
func TestTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 100, maxDues, maxDues + 1,
			3*maxDues - 1}).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		// last: all parts except the service
		zero := rapid.IntRange(0, last).Draw(t, "the part that is 0")
		packer := NewTaskPacker(n)
		dues, want, completed := make([]int64, n), make([]Parts, n), make([]bool, n)
		at := int64(0)
		for i := range n {
			next := func(most uint64) int64 {
				seed = seed*6364136223846793005 + 1442695040888963407
				return int64((seed >> 33) % most)
			}
			at += next(1e9)
			dues[i], completed[i] = at, next(4) > 0
			for part := range want[i] {
				if part != zero && completed[i] && next(3) > 0 {
					want[i][part] = next(1e8)
				}
			}
			packer.Add(at, completed[i], &want[i])
		}
		packed, err := packer.Pack()
		if err != nil {
			t.Fatal(err)
		}
		got, err := UnpackTasks(n, packed)
		if err != nil {
			t.Fatal(err)
		}
		for i, response := range got.Responses {
			sum := int64(NoResponse)
			if completed[i] {
				sum = 0
				for _, v := range want[i] {
					sum += v
				}
			}
			if response != sum || got.Parts[i] != want[i] {
				t.Fatalf("task %d took %d, %v; want %d, %v", i, response, got.Parts[i], sum, want[i])
			}
			from, until := got.Due(i)
			if from > dues[i] || n <= maxDues && from != dues[i] ||
				until < dues[i] && i < n-got.stride {
				t.Fatalf("task %d is due from %d to %d; want %d", i, from, until, dues[i])
			}
		}
		again, err := UnpackTasks(n, packed)
		if err != nil || !got.SamePlan(&again) {
			t.Fatalf("the same plan is another (%v)", err)
		}
	})
}

// Responses must be readable without parts. Impossible parts must not be written.
func TestTasksOfBefore(t *testing.T) {
	packer := NewTaskPacker(1)
	packer.Add(0, true, &Parts{0, -1, 0, 0, 5})
	packed, err := packer.Pack()
	if err != nil || strings.Contains(packed, ",") {
		t.Fatalf("%q, %v", packed, err)
	}
	got, err := UnpackTasks(1, packed)
	if err != nil || got.Responses[0] != 4 || got.Parts != nil || got.SamePlan(&got) {
		t.Fatalf("%+v, %v", got, err)
	}
}
