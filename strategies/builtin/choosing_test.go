package builtin_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// startOrder submits the tasks while another task occupies the only slot, and returns them in the
// order of their ends.
func startOrder(t *testing.T, variant string, tasks []strategies.Task) (order []*strategies.Task) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(len(tasks) + 1)
		s := startVariant(t, variant, 1, len(tasks), log)
		first := sleeps(1, time.Second)
		submit(t, s, first)
		for i := range tasks {
			time.Sleep(time.Millisecond)
			submit(t, s, tasks[i:i+1])
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-log.done
		for range tasks {
			order = append(order, (<-log.done).task)
		}
	})
	return order
}

// sameOrder expects the tasks sorted by key and then by acceptance.
func sameOrder(
	t *testing.T, got []*strategies.Task, tasks []strategies.Task, key func(i int) int64,
) {
	t.Helper()
	index := make([]int, len(tasks))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	for n, i := range index {
		if got[n] != &tasks[i] {
			t.Fatalf("start %d is another task than number %d, of priority %d and deadline %v", n, i,
				tasks[i].Priority, tasks[i].Deadline)
		}
	}
}

func TestPriorityOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	tasks := sleeps(300, time.Millisecond)
	for i := range tasks {
		tasks[i].Priority = int32(random.IntN(9) - 4)
	}
	for variant, age := range map[string]int{"priority": 1000, "priority:age=1ms": 1,
		"priority:age=20ms": 20, "priority:age=1h": 1000} {
		sameOrder(t, startOrder(t, variant, tasks), tasks,
			func(i int) int64 { return int64(i) - int64(age)*int64(tasks[i].Priority) })
	}
	tasks = sleeps(3, time.Millisecond)
	for i, p := range []int32{-1 << 31, 0, 1<<31 - 1} {
		tasks[i].Priority = p
	}
	for _, variant := range []string{"priority", "priority:age=2000000h"} {
		sameOrder(t, startOrder(t, variant, tasks), tasks, func(i int) int64 { return -int64(i) })
	}
}

// Jackson's rule: the earliest due date first minimises the maximum lateness on one slot.
func TestJackson(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 8))
	late := 0
	for n := 1; n <= 8; n++ {
		for range 6 {
			tasks := make([]strategies.Task, n)
			for i := range tasks {
				takes := time.Duration(1+random.IntN(30)) * time.Millisecond
				tasks[i] = strategies.Task{Run: sleep, Arg: takes,
					Deadline: time.Duration(1+random.IntN(30*n)) * time.Millisecond}
			}
			got := lateness(startOrder(t, "earliest_deadline", tasks))
			all := make([]*strategies.Task, n)
			for i := range tasks {
				all[i] = &tasks[i]
			}
			best := time.Duration(1 << 62)
			permute(all, 0, func() { best = min(best, lateness(all)) })
			if got != best {
				t.Errorf("%d tasks: the maximum lateness is %v, and %v in another order", n, got, best)
			}
			if best > 0 {
				late++
			}
		}
	}
	if late < 10 {
		t.Errorf("only %d batches of 48 are late in any order: the test looks at little", late)
	}
}

// lateness returns the maximum lateness of a batch that starts at 0.
func lateness(order []*strategies.Task) time.Duration {
	worst, end := time.Duration(-1<<62), time.Duration(0)
	for _, t := range order {
		end += t.Arg.(time.Duration)
		worst = max(worst, end-t.Deadline)
	}
	return worst
}

func permute(all []*strategies.Task, from int, f func()) {
	if from == len(all) {
		f()
		return
	}
	for i := from; i < len(all); i++ {
		all[from], all[i] = all[i], all[from]
		permute(all, from+1, f)
		all[from], all[i] = all[i], all[from]
	}
}

func TestDeadlineOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	tasks := sleeps(300, time.Millisecond)
	for i := range tasks {
		switch i % 10 {
		case 0:
		case 1:
			tasks[i].Deadline = 1 << 62
		case 2:
			tasks[i].Deadline = -1 << 62
		default:
			tasks[i].Deadline = time.Duration(1 + random.IntN(40))
		}
	}
	sameOrder(t, startOrder(t, "earliest_deadline", tasks), tasks, func(i int) int64 {
		if tasks[i].Deadline == 0 {
			return 1<<62 + 1
		}
		return int64(tasks[i].Deadline)
	})
}
