package bench

import (
	"context"
	"sync/atomic"
	"time"

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
		atomic.AddInt64(&p.job.rec.busy, busy)
		d.service.Add(busy)
		d.inFlight.Add(-1)
	}()
	if _, err := d.parts.DoPart(ctx, p.job.seq, p.from, d.quantum); err != nil {
		return d.resultOf(err)
	}
	return strategies.Result{}
}
