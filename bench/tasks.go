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

// A partition makes tasks come in steps, for strategies that declare a quantum and workloads that
// can be done in parts. Others are driven whole: the zero partition.
type partition struct {
	quantum time.Duration
	parts   workloads.Partitioned
	splits  bool // all steps are handed over at once, as sub-tasks
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

// step is the work of one step of the job. Its target is asked once, by the first.
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

// A piece is one of the sub-tasks that a task is split into.
type piece struct {
	task strategies.Task
	job  *job
	from time.Duration
}

// split hands over all steps of the job at once. The pieces are the job's, and used again.
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

// attemptPiece is the Run of every piece. Pieces of one task run side by side, so they add to its
// record atomically.
func attemptPiece(ctx context.Context, t *strategies.Task) strategies.Result {
	p := t.Arg.(*piece)
	d := p.job.driver
	d.enter()
	start := d.now()
	defer func() {
		busy := d.now() - start
		atomic.AddInt64(&p.job.rec.Busy, busy)
		d.service.Add(busy)
		d.inFlight.Add(-1)
	}()
	if p.job.gone != 0 {
		limited, cancel := d.limit(ctx, p.job)
		defer cancel()
		ctx = limited
	}
	_, err := d.parts.DoPart(ctx, p.job.seq, p.from, d.quantum)
	return d.resultOf(err)
}

// A sorter fills in what a task says of itself, for the strategies that look at it: its class, and
// how long it will take.
type sorter struct {
	classed workloads.Classed
	either  workloads.Computing
	timed   workloads.Timed
	kind    strategies.Class // of all tasks, where the workload has no classes

	ranked   workloads.Prioritised
	tenanted workloads.Tenanted
	dated    workloads.Dated
}

// labels reports whether tasks differ in their labels.
func (o *sorter) labels() bool { return o.ranked != nil || o.tenanted != nil || o.dated != nil }

// A label is what a strategy may choose a task by.
type label struct {
	priority, tenant int32
	deadline         time.Duration // since the start of the run
}

// labelOf is that of task seq, which is due at that instant.
func (o *sorter) labelOf(seq uint64, due int64) (l label) {
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

// newSorter asks for a task's time only where the strategy wants to know it: drawing one costs 15
// ns.
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
	return o
}

// classOf is the class of task seq; it is inlined.
func (o *sorter) classOf(seq uint64) strategies.Class {
	if o.either == nil && o.classed == nil {
		return o.kind
	}
	return o.told(seq)
}

// told is the class that the workload tells.
func (o *sorter) told(seq uint64) strategies.Class {
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

// These streams keep the random numbers of think times and of patience apart from those of the
// arrivals and the task times.
const (
	thinkStream    = 0x7468696e_6b000000
	patienceStream = 0x70617469_656e6365
)

// A thinker draws a time for each task, its think time or the patience of its caller: that of task
// seq is a function of the seed and seq alone.
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
