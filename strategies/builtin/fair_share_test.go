package builtin_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestFairShareParameters(t *testing.T) {
	want := `strategy fair_share: weights: want whole numbers from 1 to 1000000 such as 4:2:1, got `
	refusedValues(t, map[string]string{
		"fair_share":                   "",
		"fair_share:weights=3":         "",
		"fair_share:weights=1000000:1": "",
		"fair_share:weights=3:0":       want + `"3:0"`,
		"fair_share:weights=3:":        want + `"3:"`,
		"fair_share:weights=1.5":       want + `"1.5"`,
		"fair_share:weights=1000001":   want + `"1000001"`,
	})
}

// While all tenants wait, any run of starts whose length is a multiple of the sum of weights must
// be shared exactly by weight.
func TestWeightedShares(t *testing.T) {
	for variant, weights := range map[string][]int{
		"fair_share":                 {1, 1, 1, 1},
		"fair_share:weights=4:2:1":   {4, 2, 1, 1},
		"fair_share:weights=1:7:3:5": {1, 7, 3, 5},
	} {
		random := rand.New(rand.NewPCG(1, 10))
		tasks := sleeps(900, time.Millisecond)
		var sent [4]int
		for i := range tasks {
			tasks[i].Tenant = int32(random.IntN(4))
			sent[tasks[i].Tenant]++
		}
		order := startOrder(t, variant, tasks)
		var started [4]int
		round, busy := 0, 0 // starts until the first tenant has no more tasks
		for ; busy < len(order); busy++ {
			tenant := order[busy].Tenant
			if started[tenant]++; started[tenant] == sent[tenant] {
				break
			}
		}
		for _, weight := range weights {
			round += weight
		}
		if busy < 10*round {
			t.Fatalf("%s: only %d starts while all wait", variant, busy)
		}
		for from := range busy - round {
			for rounds := 1; from+rounds*round <= busy; rounds++ {
				var in [4]int
				for _, task := range order[from : from+rounds*round] {
					in[task.Tenant]++
				}
				for tenant, weight := range weights {
					if in[tenant] != rounds*weight {
						t.Fatalf("%s: of starts %d to %d tenant %d has %d, want %d", variant, from,
							from+rounds*round-1, tenant, in[tenant], rounds*weight)
					}
				}
			}
		}
	}
}

func TestDeficitRoundRobin(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 11))
	tasks := sleeps(300, time.Millisecond)
	for i := range tasks {
		tasks[i].Tenant = int32(random.IntN(5))
		tasks[i].Size = time.Duration(random.IntN(50)) * time.Millisecond // some are unknown
	}
	for variant, quantum := range map[string]time.Duration{
		"fair_share:weights=3:1:2,quantum=10us":  10 * time.Microsecond,
		"fair_share:weights=3:1:2,quantum=7ms":   7 * time.Millisecond,
		"fair_share:weights=3:1:2,quantum=200ms": 200 * time.Millisecond,
	} {
		got := startOrder(t, variant, tasks)
		for n, want := range turnByTurn(tasks, []int{3, 1, 2, 2, 2}, quantum) {
			if got[n] != want {
				t.Fatalf("%s: start %d is of tenant %d, want one of tenant %d", variant, n,
					got[n].Tenant, want.Tenant)
			}
		}
	}
	// With a quantum of 1 ns, a task of n ns takes n rounds.
	startOrder(t, "fair_share:quantum=1ns", tasks)
}

// turnByTurn is the published deficit round robin. All tasks are queued from the start.
func turnByTurn(
	tasks []strategies.Task, weights []int, quantum time.Duration,
) (order []*strategies.Task) {
	waiting := make(map[int32][]*strategies.Task)
	var round []int32 // tenants in the order in which they came
	for i := range tasks {
		tenant := tasks[i].Tenant
		if waiting[tenant] == nil {
			round = append(round, tenant)
		}
		waiting[tenant] = append(waiting[tenant], &tasks[i])
	}
	deficit := make(map[int32]time.Duration)
	for len(order) < len(tasks) {
		for _, tenant := range round {
			line := waiting[tenant]
			if len(line) == 0 {
				continue
			}
			deficit[tenant] += quantum * time.Duration(weights[tenant])
			for len(line) > 0 {
				size := line[0].Size
				if size == 0 {
					size = quantum
				}
				if size > deficit[tenant] {
					break
				}
				deficit[tenant] -= size
				order = append(order, line[0])
				line = line[1:]
			}
			waiting[tenant] = line
		}
	}
	return order
}
