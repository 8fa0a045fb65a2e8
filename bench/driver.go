package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/progress"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/soaks"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A driver plays one run, and is the Sink of its strategy. It reads only package time, so the same
// code serves both clocks.
type driver struct {
	scenario Scenario
	workload workloads.Workload
	// a method value allocates
	work     func(ctx context.Context, seq uint64) error
	target   targets.Target
	counted  targets.Counted
	clocks   bool // the work behind the target is timed
	labels   *machine.ProfileLabels
	flight   *machine.Recorder
	strategy strategies.Strategy
	partition
	sorted sorter // attributes of the tasks

	base   time.Time
	epoch  int64       // virtual clock: base, in nanoseconds since 1970. 0: none
	alarm  *pace.Alarm // nil under the virtual clock
	idle   jobList
	logs   []record.Log
	belt   *soaks.Belt         // for a soak, instead of logs
	second *soaks.Continuation // for a soak that resumes
	stop   atomic.Bool
	cancel context.CancelCauseFunc

	planned int               // bound on the tasks in the system
	tracker *progress.Tracker // for observers of the run
	meter   *machine.Meter    // nil: no observer

	issued atomic.Uint64 // closed arrivals: tasks that clients have issued

	inFlight, peak       atomic.Int64
	limits               limitLog     // of a strategy that learns its limit
	weight, peakOfWeight atomic.Int64 // of the tasks in flight, if they have weights
	// time inside Run as counted by the attempts, independent of the records
	service atomic.Int64
	overran overruns
	violations
}

// Under the virtual clock newDriver is called inside the bubble, and alarm is nil.
func newDriver(ctx context.Context, s Scenario, alarm *pace.Alarm) (*driver, error) {
	w, err := s.Workload.Spec.Build(s.Seed, s.Workload.Values)
	if err != nil {
		return nil, err
	}
	if waits, ok := w.(workloads.Waiting); ok && alarm != nil {
		waits.SleepBy(alarm.Sleep)
	}
	t, err := s.Target.Spec.Build(s.Seed, s.Target.Values)
	if err != nil {
		return nil, errors.Join(err, closeWorkload(w))
	}
	d := &driver{scenario: s, alarm: alarm, workload: w, work: w.Do, target: t,
		partition: newPartition(s, w), sorted: newSorter(s.described(), w),
		tracker: progress.FromContext(ctx), meter: machine.MeterFromContext(ctx)}
	d.counted, _ = t.(targets.Counted)
	if of, ok := t.(targets.Tenanted); ok && d.sorted.tenanted != nil {
		d.target = tenantTarget{of, d.sorted.tenanted}
	}
	if served, err := serve(w, t); err != nil {
		return nil, errors.Join(err, closeWorkload(w))
	} else if served {
		d.target = direct{}
		return d, nil
	}
	d.clocks = s.Target.Spec.Name != noTarget
	return d, nil
}

func (d *driver) open(ctx context.Context) error {
	s := d.scenario
	params := s.params()
	params.Queue = s.Strategy.Spec.QueueSlots(s.Queue, s.Limit, max(d.planned, 1))
	params.OnFault = func(e *strategies.StoreError) { d.cancel(e) }
	d.labels.Strategy()
	defer d.labels.Harness()
	var err error
	if d.strategy, err = s.Strategy.Spec.Start(ctx, params, d); err != nil {
		return fmt.Errorf("%s: %w", s.Strategy, err)
	}
	if d.strategy == nil {
		return &StrategyError{Strategy: s.Strategy.String(),
			Did: "New returned nil instead of an instance"}
	}
	return nil
}

// Without clients, planned counts tasks up to record.MaxTasks + 1.
func (s Scenario) planned(mean time.Duration) (tasks int, err error) {
	a := s.Load.Arrival
	if a.IsClosed() {
		clients, err := a.Spec.Closed(a.Values)
		return clients.Count, err
	}
	if s.Stop.Tasks > 0 {
		return s.Stop.Tasks, nil
	}
	if rate := s.described().Rate(mean); rate*s.Stop.Duration.Seconds() > 2*record.MaxTasks {
		return record.MaxTasks + 1, nil
	}
	return a.Planned(s.described().Rate(mean), s.Seed, s.Stop.Duration, record.MaxTasks+1)
}

func closeWorkload(w workloads.Workload) error {
	if c, ok := w.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// direct is the target for a workload that calls the real target in its own server.
type direct struct{}

func (direct) Call(
	ctx context.Context, seq uint64, work func(ctx context.Context, seq uint64) error,
) error {
	return work(ctx, seq)
}

type tenantTarget struct {
	targets.Tenanted
	tasks workloads.Tenanted
}

func (t tenantTarget) Call(
	ctx context.Context, seq uint64, work func(ctx context.Context, seq uint64) error,
) error {
	return t.CallOf(ctx, t.tasks.Tenant(seq), seq, work)
}

// A call of now costs 24 ns, time.Now 45 ns. A bubble has no monotonic time.
func (d *driver) now() int64 {
	if d.epoch != 0 {
		return time.Now().UnixNano() - d.epoch
	}
	return int64(time.Since(d.base))
}

func (d *driver) enter(j *job) {
	raise(&d.peak, d.inFlight.Add(1))
	if j.weight != 0 {
		raise(&d.peakOfWeight, d.weight.Add(j.weight))
	}
}

func (d *driver) leave(j *job) {
	d.inFlight.Add(-1)
	if j.weight != 0 {
		d.weight.Add(-j.weight)
	}
}

func raise(peak *atomic.Int64, n int64) {
	for was := peak.Load(); n > was && !peak.CompareAndSwap(was, n); was = peak.Load() {
	}
}

func (d *driver) prepare() (play func(ctx context.Context), err error) {
	s := d.scenario
	if d.planned, err = s.planned(d.workload.Mean()); err != nil {
		return nil, err
	}
	if s.Load.Arrival.IsClosed() {
		clients, err := s.Load.Arrival.Spec.Closed(s.Load.Arrival.Values)
		d.logs = make([]record.Log, clients.Count)
		for c := range d.logs {
			d.logs[c].Reserve(s.Stop.Tasks / clients.Count)
		}
		return func(ctx context.Context) { d.playClosed(ctx, clients) }, err
	}
	next, err := s.Load.Arrival.Spec.Open(s.described().Rate(d.workload.Mean()), s.Seed,
		s.Load.Arrival.Values)
	if err != nil {
		return nil, err
	}
	if s.Soak || (d.planned > record.MaxTasks && !s.Load.Arrival.Spec.AllAtOnce) {
		d.belt = soaks.NewBelt(soaks.MaxHeld)
		if d.second = soaks.NewContinuation(s.Before); d.second != nil {
			next = d.second.Skip(next, s.Stop.Tasks, s.Stop.Duration, func() {
				d.tracker.Settled()
			})
		}
	} else {
		d.logs = make([]record.Log, 1)
		d.logs[0].Reserve(d.planned)
	}
	return func(ctx context.Context) { d.playOpen(ctx, next) }, nil
}

func (d *driver) playOpen(ctx context.Context, next arrivals.Next) {
	sleep, wakeUp := d.generatorSleep(ctx)
	defer wakeUp()
	stop, returned, patience := d.scenario.Stop, d.now(), d.scenario.newPatience()
	seq := uint64(0)
	if d.second != nil {
		seq = uint64(d.second.Skipped)
	}
	for ; stop.Tasks == 0 || seq < uint64(stop.Tasks); seq++ {
		due := int64(next())
		if (stop.Tasks == 0 && due > int64(stop.Duration)) || d.stop.Load() {
			return
		}
		issue := returned
		if issue < due {
			if issue = sleep(due, returned); issue < due {
				return
			}
		}
		j := d.idle.pop()
		if j == nil {
			j = d.newJob()
		}
		rec := d.nextRecord(j, due)
		if rec == nil {
			d.cancel(d.belt.ErrHeld())
			return
		}
		d.assign(j, seq, rec)
		j.setGone(patience, due)
		rec.Issue, rec.Blocked = issue, returned >= due
		if !d.submit(ctx, j) {
			d.idle.putBack(j)
		}
		returned = d.now()
		rec.Left = returned
	}
}

func (d *driver) nextRecord(j *job, due int64) (rec *record.Record) {
	if d.belt == nil {
		return d.logs[0].Add(due)
	}
	rec = d.belt.Next(due)
	j.chunk = d.belt.Last
	return rec
}

func (d *driver) submit(ctx context.Context, j *job) (accepted bool) {
	rec := j.rec
	j.state.Store(offered)
	d.labels.Strategy()
	ctx, release := d.submitContext(ctx, j)
	err := d.strategy.Submit(ctx, &j.task)
	ended := ctx.Err() != nil
	release()
	d.labels.Harness()
	d.tracker.Submitted()
	if err == nil {
		return true
	}
	if !d.mayRefuse(ended, j, err) {
		return true // its end is recorded, or will be
	}
	d.settle(j, err)
	d.meter.Settle(j.seq, machine.Outcome(rec.Outcome), 0, time.Duration(rec.Response()))
	if j.chunk != nil {
		d.belt.Settle(j.chunk, 1)
	}
	return false
}

// A free client takes the next task, because with fixed shares some clients would finish early and
// reduce the load.
func (d *driver) playClosed(ctx context.Context, clients arrivals.Clients) {
	var wg sync.WaitGroup
	d.issued.Store(uint64(clients.Count))
	for c := range clients.Count {
		wg.Go(func() { d.guard.call(func() { d.playClient(ctx, c, clients) }, d.fail) })
	}
	wg.Wait()
}

func (d *driver) playClient(ctx context.Context, c int, clients arrivals.Clients) {
	stop := d.scenario.Stop
	j := d.newJob()
	j.done = make(chan struct{}, 1)
	think := newThinker(d.scenario.Seed, thinkStream, clients.Think)
	patience, sleep := d.scenario.newPatience(), d.clientSleep(ctx)
	var free int64
	for seq := uint64(c); stop.Tasks == 0 || seq < uint64(stop.Tasks); seq = d.issued.Add(1) - 1 {
		due := free + think.time(seq)
		if (stop.Tasks == 0 && due >= int64(stop.Duration)) || d.stop.Load() {
			return
		}
		issue := d.now()
		if issue < due {
			if issue = sleep(due, issue); issue < due {
				return
			}
		}
		if d.sorted.labels() {
			d.assign(j, seq, d.logs[c].AddNumbered(due, seq))
		} else {
			d.assign(j, seq, d.logs[c].Add(due))
		}
		j.rec.Issue = issue
		j.setGone(patience, due)
		accepted := d.submit(ctx, j)
		j.rec.Left = d.now()
		if !accepted {
			free = j.rec.End
			continue
		}
		left, ok := d.await(ctx, j)
		switch {
		case !ok:
			return
		case left: // the strategy keeps the task, and the job with it
			free = j.gone
			j = d.newJob()
			j.done = make(chan struct{}, 1)
		default:
			free = j.rec.End
		}
	}
}

// left means that the client gave up on its task. ok is false when the run is interrupted.
func (d *driver) await(ctx context.Context, j *job) (left, ok bool) {
	var gone <-chan time.Time
	stop := func() bool { return false }
	if j.gone != 0 {
		timer := time.NewTimer(time.Duration(max(j.gone-d.now(), 1)))
		gone, stop = timer.C, timer.Stop
	}
	select {
	case <-j.done:
		stop()
		return false, true
	case <-gone:
		return true, true
	case <-ctx.Done():
		return false, false
	}
}

func (d *driver) assign(j *job, seq uint64, rec *record.Record) {
	j.seq, j.rec, j.progress = seq, rec, 0
	rec.Class, j.size = d.sorted.classOf(seq), d.sorted.sizeOf(seq)
	j.task.Class, j.task.Size = rec.Class, j.size
	if d.sorted.weights != nil {
		j.weight = d.sorted.weights.Weight(seq)
		j.task.Weight = j.weight
	}
	if d.sorted.labels() {
		j.label = d.sorted.labelOf(seq, rec.Due)
	}
	j.task.Priority, j.task.Tenant, j.task.Deadline = j.label.priority, j.label.tenant,
		j.label.deadline
}

func (d *driver) newJob() *job {
	j := &job{driver: d, label: label{tenant: d.sorted.noTenant}}
	j.task.Run, j.task.Arg = attempt, j
	if d.clocks {
		j.timed = j.clocked
	}
	d.addJob(j)
	return j
}

// Tasks abandoned at the scenario's own deadline are a result, unless some still run.
func (d *driver) drain(ctx context.Context) error {
	d.labels.Strategy()
	defer d.labels.Harness()
	if d.scenario.Drain == 0 {
		return d.strategy.Drain(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, d.scenario.Drain)
	defer cancel()
	err := d.strategy.Drain(limited)
	if left, ok := errors.AsType[*strategies.DrainError](err); ok && left.Running == 0 &&
		ctx.Err() == nil {
		return nil
	}
	return err
}

func (d *driver) show() (end func()) {
	if d.meter != nil {
		tasks, span := d.scenario.expected()
		d.meter.Begin(machine.Run{Name: d.scenario.Name(), Limit: d.scenario.Limit, Plan: span,
			Rate: tasks / span.Seconds(), Settled: d.tracker.Settles,
			InFlight: d.inFlight.Load})
	}
	return d.meter.End
}

func drive(ctx context.Context, s Scenario, g *guard) (run measurement, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var alarm *pace.Alarm
	if s.Clock == Real {
		alarm = pace.NewAlarm()
		defer alarm.Close()
	}
	d, err := newDriver(ctx, s, alarm)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, closeWorkload(d.workload)) }()
	d.guard, d.cancel, d.labels = g, cancel, s.labels(g.mark)
	d.labels.Harness()
	play, err := d.prepare()
	if err != nil {
		return run, err
	}
	g.driver.Store(d)
	g.stage.Store(playing)
	// an error here must leave no strategy to be ended
	endProfile, err := beginProfile(s.Profile)
	if err != nil {
		return run, err
	}
	defer func() { _, _ = endProfile() }()
	if s.Flight > 0 {
		if d.flight, err = machine.StartRecorder(s.Flight,
			cmp.Or(s.FlightBound, s.Deadline)); err != nil {
			return run, err
		}
		defer func() { _, _ = d.flight.End() }()
	}
	pools := s.described().Pools()
	if err := d.open(ctx); err != nil {
		return run, err
	}
	defer context.AfterFunc(ctx, func() { d.stop.Store(true) })()
	o := &observe.Run{Name: s.Name(), Plan: s.described(), Pools: pools, Workload: d.workload,
		Mean: d.workload.Mean()}
	run.Run = o
	stopWatching := func(time.Time) {}
	if s.Clock == Real {
		runtime.GC() // a run must not pay for the garbage of the previous run
		stopWatching = o.Watch()
	}
	if d.belt != nil {
		_, span := s.expected()
		d.belt.Start(soaks.NewFold(o, span, d.second), d.tracker.Asked(), &d.peak)
		defer d.belt.Close()
	}
	if d.belt == nil {
		d.limits.watch(d.strategy, d.now)
	}
	d.base = time.Now()
	if d.second != nil {
		d.base = d.base.Add(-time.Duration(d.second.From))
	}
	if s.Clock == Virtual {
		d.epoch = d.base.UnixNano()
	}
	defer d.show()()
	play(ctx)
	err = d.drain(ctx)
	d.tracker.Settled() // from here on the strategy is not involved
	stopWatching(d.base)
	g.stage.Store(counting)
	var profileErr error
	o.Profiles, profileErr = endProfile()
	trace, flightErr := d.flight.End()
	if profileErr = errors.Join(profileErr, flightErr); len(trace) > 0 {
		o.Profiles = append(o.Profiles, result.Profile{Kind: rundir.FlightKind, Data: trace})
	}
	if _, failed := errors.AsType[*strategies.StoreError](err); failed {
		return run, fmt.Errorf("%s: %w", s.Strategy, err)
	}
	if ctx.Err() != nil {
		return run, context.Cause(ctx)
	}
	if err = errors.Join(err, profileErr); err != nil {
		return run, fmt.Errorf("%s: %w", s.Strategy, err)
	}
	if d.belt != nil {
		run.fold = d.belt.End()
	} else {
		o.Trace = record.NewTrace(d.logs)
	}
	if d.counted != nil {
		o.Counts = d.counted.Counts()
	}
	for _, c := range strategies.CountsOf(d.strategy) {
		o.Counts = append(o.Counts, targets.Count(c))
	}
	o.Limits = d.limits.end()
	if staged := strategies.StagedOf(d.strategy); staged != nil && d.second == nil {
		o.StageBusy = staged.Busy()
	}
	o.Peak, o.Service = d.peak.Load(), d.service.Load()
	o.Overruns, o.PeakWeight = d.overrunsSeen(), d.peakOfWeight.Load()
	o.SettledTwice, o.Misdeeds = d.settledTwice.Load(), d.misdeeds()
	return run, nil
}
