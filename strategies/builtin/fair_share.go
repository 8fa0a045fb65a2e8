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

// fairShare has a queue for each Tenant, and goes round those that have tasks: at its turn a tenant
// starts as many as its weight says.
//
// Use it where one of many tenants may send more than its share. It then waits in its own queue,
// and the others as if it had sent no more than they did. Over any span in which two tenants have
// tasks waiting, their starts divided by their weights differ by one turn at most. What a tenant
// does not use is the others'; none is owed anything for the time when it had nothing to do.
//
// It shares starts, so a tenant with longer tasks has the slots for longer. Where Size is known, a
// quantum makes a turn worth that much of it: what a tenant could not use, because its next task
// was longer, it keeps for its next turn (deficit round robin). A large quantum makes large turns,
// and one far below the sizes goes round without a start, which costs as many steps as there are
// tenants.
//
// The queue is one for all: while it is full, all Submits block, whoever filled it.
type fairShare struct {
	engine.Backlog
	engine.Plain
	weightOf func(tenant int32) int
	quantum  time.Duration // 0: tasks are counted
	tenants  map[int32]*tenant
	waiting  int     // tenants that have tasks waiting; they are a circle
	last     *tenant // its next has the turn; nil: none waits
	begun    bool    // the one that has the turn has been given what it is worth
	spare    *tenant // those without tasks, by next
}

// A tenant has tasks that wait.
type tenant struct {
	number int32
	worth  int64 // what a turn is worth: in tasks, or in nanoseconds of their sizes
	left   int64 // of its turns
	line   engine.FIFO
	next   *tenant
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "fair_share",
	Summary: "a queue for each Tenant, served in turn: shares by weight among those that wait",
	UseIf:   "many tenants share the slots, and one may send more than its share",
	Source:  "deficit round robin (Shreedhar and Varghese, 1995)",
	OnPanic: "contained; the worker is replaced",
	Keys: []param.Key{
		{Name: "weights", Kind: param.Text, Default: "1", Doc: "of tenants 0, 1, … as 4:2:1, in " +
			"tasks a turn; the last is that of all others"},
		{Name: "quantum", Kind: param.Duration, Default: "0s", Doc: "quantum of a turn, by the " +
			"Size of tasks, multiplied by the weight; 0: count tasks"},
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

// fairWeights returns the weights that the parameters give.
func fairWeights(p strategies.Params) func(tenant int32) int {
	weightOf, _ := weightsOf(p.Values.Text("weights"))
	return weightOf
}

// mostWeight bounds how many tasks one tenant starts in a turn.
const mostWeight = 1_000_000

// weightsOf reads weights such as 4:2:1.
func weightsOf(text string) (func(tenant int32) int, error) {
	var weights []int
	for field := range strings.SplitSeq(text, ":") {
		weight, err := strconv.Atoi(field)
		if err != nil || weight < 1 || weight > mostWeight {
			return nil, fmt.Errorf("weights: want whole numbers from 1 to %d such as 4:2:1, got %q",
				mostWeight, text)
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
		t = s.enter(number)
	}
	t.line.Push(w, now)
}

// enter gives a tenant the last turn of the round.
func (s *fairShare) enter(number int32) *tenant {
	t := s.spare
	if t == nil {
		t = new(tenant)
	} else {
		s.spare = t.next
	}
	t.number, t.left = number, 0
	t.worth = int64(s.weightOf(number)) * int64(max(s.quantum, 1))
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

// leave is for the tenant that has the turn, and no more tasks.
func (s *fairShare) leave(t *tenant) {
	delete(s.tenants, t.number)
	s.begun = false
	if s.waiting--; s.waiting == 0 {
		s.last = nil
	} else {
		s.last.next = t.next
	}
	t.next, s.spare = s.spare, t
}

// cost is what a tenant's next task takes of its turn.
func (s *fairShare) cost(t *tenant) int64 {
	if s.quantum == 0 {
		return 1
	}
	if size := t.line.Line.At(0).Task.Size; size > 0 {
		return int64(size)
	}
	return int64(s.quantum) // not known
}

func (s *fairShare) Pop(now time.Duration) (engine.Waiting, bool) {
	if s.last == nil {
		return engine.Waiting{}, false
	}
	for passed := 0; ; passed++ {
		if passed == s.waiting+1 {
			s.skip() // whole rounds without a start
		}
		t := s.last.next
		if !s.begun {
			t.left += t.worth
			s.begun = true
		}
		if cost := s.cost(t); cost <= t.left {
			t.left -= cost
			w, _ := t.line.Pop(now)
			if t.line.Line.Len == 0 {
				s.leave(t)
			}
			return w, true
		}
		s.last, s.begun = t, false
	}
}

// skip gives each tenant what it gets in the rounds before that of the next start.
func (s *fairShare) skip() {
	rounds := int64(-1)
	for t := s.last.next; ; t = t.next {
		if n := (s.cost(t) - t.left - 1) / t.worth; rounds < 0 || n < rounds {
			rounds = n
		}
		if t == s.last {
			break
		}
	}
	for t := s.last.next; ; t = t.next {
		t.left += rounds * t.worth
		if t == s.last {
			break
		}
	}
}

func (s *fairShare) Empty() (tasks []*strategies.Task) {
	for s.last != nil {
		t := s.last.next
		tasks = append(tasks, t.line.Empty()...)
		s.leave(t)
	}
	return tasks
}
