package builtin

import (
	"cmp"
	"context"
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// A tenants queue limits the tasks of each tenant (Task.Tenant) that run at once. A slot may idle
// while such a tenant waits.
//
// The parameter waiting adds room to the inner capacity, so that one tenant does not fill all of
// it. If the inner strategy sheds, there is no such queue, and one tenant can cause tasks of others
// to be shed.
type tenants struct {
	each   int
	active map[int32]*tenantLane
	ready  engine.FIFO   // tasks whose tenant is below its limit
	unused []*tenantLane // at most as many as were active at once
}

type tenantLane struct {
	engine.FIFO     // tasks that wait for their tenant's limit
	atWork      int // tasks that are ready, or forwarded and not done
}

var limitPerTenantPart = strategies.RegisterPart(strategies.Part{
	Name:    "limit_per_tenant",
	Summary: "a limit for the tasks of each tenant, in addition to the limit of the inner strategy",
	Changes: strategies.Admission,
	Holds:   true,
	Keys: []param.Key{
		{Name: "each", Kind: param.Int, Default: "8", Doc: "largest number of tasks of a tenant " +
			"that run at once"},
		{Name: "waiting", Kind: param.Int, Default: "256",
			Doc: "additional tasks to accept, so tasks that wait for their tenant do not block " +
				"others; none if the inner strategy sheds"},
	},
	Check: func(p strategies.Params) error {
		return cmp.Or(p.Values.CheckRange("each", 1, strategies.MaxLimit),
			p.Values.CheckRange("waiting", 0, strategies.MaxSlots))
	},
	Refuses: func(v param.Values, inner strategies.Spec) error {
		switch {
		case inner.Sheds && v.Given("waiting"):
			return fmt.Errorf("waiting=%d is a queue before the queue from which %s sheds", v.Int("waiting"), inner.Name)
		case inner.Splits:
			return fmt.Errorf("%s starts sub-tasks in parallel, which an outer part cannot count",
				inner.Base)
		}
		return cmp.Or(engine.NotHedged(inner), engine.TurnsMissed(inner))
	},
	Alter: func(s *strategies.Spec, inner strategies.Spec, l strategies.Layer) {
		s.FIFO, s.WorkConserving, s.Starts = false, false, nil
		engine.Roomier(s, inner, l, tenantsWaiting)
	},
	Start: func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		s := engine.HoldOf(inner, in, tenantsWaiting(own, inner), inner.Sheds)
		s.Picks = &tenants{each: own.Int("each"), active: make(map[int32]*tenantLane)}
		return s.Start(ctx, inner, in, sink)
	},
})

var _ = strategies.RegisterBuiltin(strategies.PartStrategy(limitPerTenantPart, workerPoolSpec,
	strategies.Spec{
		Summary: "a worker pool with a limit on the running tasks of each tenant",
		UseIf:   "tenants share a pool, and no tenant may occupy all of it",
		Source:  "bulkheads by tenant, as in API gateways (Nygard, Release It!, 2007)",
		Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Tenants},
		OnPanic: "contained; the worker is replaced",
	}))

func tenantsWaiting(own param.Values, inner strategies.Spec) int {
	if inner.Sheds {
		return 0
	}
	return own.Int("waiting")
}

func (q *tenants) Push(w engine.Waiting) {
	t := q.active[w.Task.Tenant]
	if t == nil {
		if n := len(q.unused); n > 0 {
			t, q.unused = q.unused[n-1], q.unused[:n-1]
		} else {
			t = new(tenantLane)
		}
		q.active[w.Task.Tenant] = t
	}
	if t.atWork == q.each {
		t.Push(w, 0)
		return
	}
	t.atWork++
	q.ready.Push(w, 0)
}

func (q *tenants) Pop() (engine.Waiting, bool) { return q.ready.Pop(0) }

func (q *tenants) Ended(task *strategies.Task) {
	t := q.active[task.Tenant]
	if w, waits := t.Pop(0); waits {
		q.ready.Push(w, 0)
		return
	}
	if t.atWork--; t.atWork == 0 {
		delete(q.active, task.Tenant)
		q.unused = append(q.unused, t)
	}
}

func (q *tenants) Empty() []*strategies.Task {
	tasks := q.ready.Empty()
	for _, task := range tasks {
		q.active[task.Tenant].atWork--
	}
	for _, t := range q.active {
		tasks = append(tasks, t.Empty()...)
	}
	return tasks
}
