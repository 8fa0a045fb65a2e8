package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

type partition struct {
	quantum time.Duration
	parts   workloads.Partitioned
	splits  bool // all steps are submitted at once, as sub-tasks
	timed   workloads.Timed
}

func newPartition(s Scenario, w workloads.Workload) (p partition) {
	spec := s.Strategy.Spec
	parts, can := w.(workloads.Partitioned)
	timed, known := w.(workloads.Timed)
	if spec.Quantum == nil || !can || (spec.Splits && !known) {
		return partition{}
	}
	return partition{spec.Quantum(s.params()), parts, spec.Splits, timed}
}

func (d *driver) step(ctx context.Context, j *job) (r strategies.Result) {
	from := j.progress
	j.progress += d.quantum
	part := func(ctx context.Context, seq uint64) (err error) {
		if j.timed != nil {
			start := d.now()
			defer func() { j.worked += d.now() - start }()
		}
		r.More, err = d.parts.DoPart(ctx, seq, from, d.quantum)
		return err
	}
	var err error
	if from == 0 {
		err = d.target.Call(ctx, j.seq, part)
	} else {
		err = part(ctx, j.seq)
	}
	if err != nil {
		return d.resultOf(err)
	}
	return r
}

type piece struct {
	task strategies.Task
	job  *job
	from time.Duration
}

func (j *job) split(d *driver) (tasks []*strategies.Task) {
	n := max(1, int((d.timed.Time(j.seq)+d.quantum-1)/d.quantum))
	for len(j.pieces) < n {
		p := &piece{job: j}
		p.task.Run, p.task.Arg = attemptPiece, p
		j.pieces = append(j.pieces, p)
	}
	tasks = j.tasks[:0]
	for i, p := range j.pieces[:n] {
		p.from = time.Duration(i) * d.quantum
		p.task.Class, p.task.Size = j.task.Class, d.quantum
		p.task.Priority, p.task.Tenant, p.task.Deadline = j.label.priority, j.label.tenant,
			j.label.deadline
		tasks = append(tasks, &p.task)
	}
	j.tasks = tasks
	return tasks
}

// attemptPiece is the Run of every piece. Pieces of one task run concurrently, so they update its
// record atomically.
func attemptPiece(ctx context.Context, t *strategies.Task) (r strategies.Result) {
	p := t.Arg.(*piece)
	d := p.job.driver
	d.enter(p.job)
	start := d.now()
	defer func() {
		busy := d.now() - start
		atomic.AddInt64(&p.job.rec.Busy, busy)
		d.service.Add(busy)
		d.leave(p.job)
		r = d.checkTimeout(r, busy)
	}()
	if d.scenario.Timeout > 0 || p.job.gone != 0 {
		limited, cancel := d.limit(ctx, p.job)
		defer cancel()
		ctx = limited
	}
	_, err := d.parts.DoPart(ctx, p.job.seq, p.from, d.quantum)
	return d.resultOf(err)
}

type sorter struct {
	classed workloads.Classed
	either  workloads.Computing
	timed   workloads.Timed
	kind    strategies.Class // class of all tasks if the workload has no classes

	ranked   workloads.Prioritised
	tenanted workloads.Tenanted
	dated    workloads.Dated
	weights  *workloads.WeightLaw
	noTenant int32 // tenant of all tasks if the workload has no tenants
}

func (o *sorter) labels() bool { return o.ranked != nil || o.tenanted != nil || o.dated != nil }

type label struct {
	priority, tenant int32
	deadline         time.Duration // since the start of the run
}

func (o *sorter) labelOf(seq uint64, due int64) (l label) {
	l.tenant = o.noTenant
	if o.ranked != nil {
		l.priority = o.ranked.Priority(seq)
	}
	if o.tenanted != nil {
		l.tenant = o.tenanted.Tenant(seq)
	}
	if o.dated != nil {
		if allowance := o.dated.Allowance(seq); allowance > 0 {
			l.deadline = time.Duration(due) + min(allowance, math.MaxInt64-time.Duration(due))
		}
	}
	return l
}

// newSorter uses task times only if the strategy does, because a draw costs 15 ns.
func newSorter(p observe.Plan, w workloads.Workload) (o sorter) {
	o.kind = strategies.IO
	if p.Kind == workloads.CPU {
		o.kind = strategies.CPU
	}
	o.classed, _ = w.(workloads.Classed)
	o.either, _ = w.(workloads.Computing)
	if p.Strategy.UsesSize {
		o.timed, _ = w.(workloads.Timed)
	}
	o.ranked, _ = w.(workloads.Prioritised)
	o.tenanted, _ = w.(workloads.Tenanted)
	o.dated, _ = w.(workloads.Dated)
	o.weights = p.Weights
	if keepsKeyOrder(p.Strategy) {
		o.noTenant = -1
	}
	return o
}

// In a composition the innermost strategy decides.
func keepsKeyOrder(spec strategies.Spec) bool {
	if spec.Base == "" {
		return spec.KeyOrder
	}
	base, err := strategies.Lookup(spec.Base)
	return err == nil && base.KeyOrder
}

func (o *sorter) classOf(seq uint64) strategies.Class {
	if o.either == nil && o.classed == nil {
		return o.kind
	}
	return o.declaredClass(seq)
}

func (o *sorter) declaredClass(seq uint64) strategies.Class {
	switch {
	case o.either != nil && o.either.Computes(seq):
		return strategies.CPU
	case o.either != nil:
		return strategies.IO
	case o.classed.Long(seq):
		return strategies.Long
	}
	return strategies.Short
}

func (o *sorter) sizeOf(seq uint64) time.Duration {
	if o.timed == nil {
		return 0
	}
	return o.timed.Time(seq)
}

// These streams separate think times and patience from arrivals and task times.
const (
	thinkStream    = 0x7468696e_6b000000
	patienceStream = 0x70617469_656e6365
)

// A thinker draws a think time, or a caller's patience, from the seed and the task's number alone.
type thinker struct {
	seed uint64
	dist dist.Dist
	pcg  *rand.PCG
	rand *rand.Rand
}

func newThinker(seed, stream uint64, d dist.Dist) *thinker {
	pcg := rand.NewPCG(0, 0)
	return &thinker{seed: seed + stream, dist: d, pcg: pcg, rand: rand.New(pcg)}
}

func (t *thinker) time(seq uint64) int64 {
	t.pcg.Seed(t.seed, seq)
	return int64(t.dist.Sample(t.rand))
}
