package builtin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// fairShare has a queue for each Tenant and serves the tenants with waiting tasks in rounds. In a
// turn, a tenant starts as many tasks as its weight. All tenants share the capacity: when it is
// full, all Submits block.
//
// With a quantum, a turn is an amount of Size instead, and the unused part is carried to the
// tenant's next turn (deficit round robin). A quantum far below the sizes causes rounds in which no
// task starts.
type fairShare struct {
	engine.Backlog
	engine.Plain
	weightOf func(tenant int32) int
	quantum  time.Duration // 0: turns count tasks
	tenants  map[int32]*tenant
	waiting  int     // number of tenants with waiting tasks; they form a ring
	last     *tenant // its next has the current turn; nil: no tenant waits
	credited bool    // the tenant with the current turn has received its credit
	unused   *tenant // unused tenants, linked by next
}

// A tenant has waiting tasks.
type tenant struct {
	number     int32
	turnCredit int64 // credit per turn: tasks, or nanoseconds of Size
	credit     int64 // unused credit
	queue      engine.FIFO
	next       *tenant
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name: "fair_share",
	Summary: "a queue for each Tenant, served in rotation: waiting tenants share the slots by " +
		"weight",
	UseIf:   "many tenants share the slots, and one may send more than its share",
	Source:  "deficit round robin (Shreedhar and Varghese, 1995)",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Tenants},
	OnPanic: "contained; the worker is replaced",
	Keys: []param.Key{
		{Name: "weights", Kind: param.Text, Default: "1", Doc: "weights of tenants 0, 1, … such " +
			"as 4:2:1, in tasks per turn; the last weight is for all other tenants"},
		{Name: "quantum", Kind: param.Duration, Default: "0s", Doc: "Size of tasks per turn, " +
			"multiplied by the weight; 0: count tasks"},
	},

	WorkConserving: true,
	UsesSize:       true,
	Weights: func(p strategies.Params) func(tenant int32) int {
		if p.Values.Duration("quantum") > 0 {
			return nil // starts are not what is shared
		}
		return fairWeights(p)
	},
	TenantWeights: fairWeights,

	Check: func(p strategies.Params) error {
		_, err := weightsOf(p.Values.Text("weights"))
		return err
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &fairShare{quantum: p.Values.Duration("quantum"), tenants: make(map[int32]*tenant)}
		s.weightOf, _ = weightsOf(p.Values.Text("weights"))
		s.Open(ctx, sink, s, p.Limit, p.Limit+p.Queue, false)
		return s
	},
}))

func fairWeights(p strategies.Params) func(tenant int32) int {
	weightOf, _ := weightsOf(p.Values.Text("weights"))
	return weightOf
}

const maxWeight = 1_000_000

func weightsOf(text string) (func(tenant int32) int, error) {
	var weights []int
	for field := range strings.SplitSeq(text, ":") {
		weight, err := strconv.Atoi(field)
		if err != nil || weight < 1 || weight > maxWeight {
			return nil, fmt.Errorf("weights: want whole numbers from 1 to %d such as 4:2:1, got %q",
				maxWeight, text)
		}
		weights = append(weights, weight)
	}
	return func(tenant int32) int {
		if tenant < 0 || int(tenant) >= len(weights) {
			return weights[len(weights)-1]
		}
		return weights[tenant]
	}, nil
}

func (s *fairShare) Push(w engine.Waiting, now time.Duration) {
	number := w.Task.Tenant
	t := s.tenants[number]
	if t == nil {
		t = s.addTenant(number)
	}
	t.queue.Push(w, now)
}

func (s *fairShare) addTenant(number int32) *tenant {
	t := s.unused
	if t == nil {
		t = new(tenant)
	} else {
		s.unused = t.next
	}
	t.number, t.credit = number, 0
	t.turnCredit = int64(s.weightOf(number)) * int64(max(s.quantum, 1))
	s.tenants[number] = t
	if s.last == nil {
		t.next = t
	} else {
		t.next = s.last.next
		s.last.next = t
	}
	s.last = t
	s.waiting++
	return t
}

func (s *fairShare) removeTenant(t *tenant) {
	delete(s.tenants, t.number)
	s.credited = false
	if s.waiting--; s.waiting == 0 {
		s.last = nil
	} else {
		s.last.next = t.next
	}
	t.next, s.unused = s.unused, t
}

func (s *fairShare) cost(t *tenant) int64 {
	if s.quantum == 0 {
		return 1
	}
	if size := t.queue.Line.At(0).Task.Size; size > 0 {
		return int64(size)
	}
	return int64(s.quantum) // unknown size
}

func (s *fairShare) Pop(now time.Duration) (engine.Waiting, bool) {
	if s.last == nil {
		return engine.Waiting{}, false
	}
	for passed := 0; ; passed++ {
		if passed == s.waiting+1 {
			s.skipRounds() // a whole round passed without a start
		}
		t := s.last.next
		if !s.credited {
			t.credit += t.turnCredit
			s.credited = true
		}
		if cost := s.cost(t); cost <= t.credit {
			t.credit -= cost
			w, _ := t.queue.Pop(now)
			if t.queue.Line.Len == 0 {
				s.removeTenant(t)
			}
			return w, true
		}
		s.last, s.credited = t, false
	}
}

// skipRounds credits each tenant with the rounds before the next start.
func (s *fairShare) skipRounds() {
	rounds := int64(-1)
	for t := s.last.next; ; t = t.next {
		if n := (s.cost(t) - t.credit - 1) / t.turnCredit; rounds < 0 || n < rounds {
			rounds = n
		}
		if t == s.last {
			break
		}
	}
	for t := s.last.next; ; t = t.next {
		t.credit += rounds * t.turnCredit
		if t == s.last {
			break
		}
	}
}

func (s *fairShare) Empty() (tasks []*strategies.Task) {
	for s.last != nil {
		t := s.last.next
		tasks = append(tasks, t.queue.Empty()...)
		s.removeTenant(t)
	}
	return tasks
}
