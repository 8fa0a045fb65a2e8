package why

import (
	"math"

	"github.com/poolbench/poolbench/internal/metric"
)

// costs are shares of the mean time for which a task holds its slot. They add up to 1.
type costs struct {
	target, backoff, work float64
	waiting               float64 // of a runnable task
	// by cause, as shares of waiting. The sum is 1 or 0
	waits map[string]float64
	// share of unusual services that these waits explain
	explained float64
	// share of tasks' lateness that these waits explain
	lateness float64
}

// In seconds per task.
type processorTime struct {
	cpu       float64 // CPU time of the process
	queued    float64 // threads waited for a processor
	scheduled float64 // goroutines waited to run
	gc        float64 // the collector's share of cpu
	stopped   float64 // the collector stopped the program, times the processors
	rate      float64 // tasks per second
	others    float64 // share of the processors' time used by other programs and the host
}

func (v *view) processorTime() processorTime {
	p := processorTime{cpu: v.valueOrZero(metric.CPUPerOp),
		queued:    v.valueOrZero(metric.RunqueuePerOp),
		scheduled: v.valueOrZero(metric.SchedPerOp), gc: min(v.valueOrZero(metric.GCCPU), 1),
		rate:   v.valueOrZero(metric.Throughput),
		others: v.valueOrZero(metric.CPUOthers) + v.valueOrZero(metric.CPUSteal)}
	if n := v.cell[0].Iters; n > 0 {
		p.stopped = v.processors() * v.valueOrZero(metric.GCPause) / float64(n)
	}
	return p
}

// A wait is the mean time per task, in seconds, for which it was ready and did not run, by the
// users of the processors.
type wait struct{ own, gc, machine float64 }

func (w wait) sum() float64 { return w.own + w.gc + w.machine }

// A delay d affects all arrivals in d, by d/2 on average.
func (v *view) tasksPerDelay() float64 {
	return 1 + v.valueOrZero(metric.Throughput)*v.valueOrZero(metric.P99Hiccup)/2
}

// Threads waited for the users of the processors in proportion to their CPU time. The program's own
// computing makes goroutines wait as in M/M/c, by Sakasegawa's formula, or up to burst times as
// long. The excess is due to the collector and other programs, in proportion to their time on
// processors. Each second of these delays at most all existing tasks: computing, in service, and
// arriving meanwhile.
func (v *view) waits() (w wait) {
	const burst = 2
	p, processors := v.processorTime(), max(v.processors(), 1)
	foreign := 0.0
	if used := p.others + p.rate*p.cpu/processors; used > 0 {
		foreign = p.queued * p.others / used
	}
	ready := p.scheduled + p.queued - foreign
	own, computed := ready, p.cpu*(1-p.gc)
	if load := p.rate * computed / processors; load < 1 {
		queue := math.Pow(load, math.Sqrt(2*(processors+1))-1) / (processors * (1 - load))
		own = min(own, burst*computed*queue)
	}
	collected := p.gc*p.cpu + p.stopped
	if taken := collected + foreign; taken > 0 {
		kept := processors + p.rate*v.valueOrZero(metric.MeanService) + v.tasksPerDelay()
		beyond := min(ready-own, taken*kept)
		w.gc, w.machine = beyond*collected/taken, beyond*foreign/taken
	}
	w.own = ready - w.gc - w.machine
	w.machine += foreign
	return w
}

func (v *view) costs() (c costs) {
	service, backoff := v.valueOrZero(metric.MeanService), v.backoff()
	if service+backoff <= 0 {
		return costs{work: 1, lateness: 1}
	}
	inTarget := min(v.valueOrZero(metric.MeanTarget), service)
	own := service - inTarget
	p := v.processorTime()
	w, crowd := v.waits(), v.tasksPerDelay()
	late, waits := v.meanLate(), w.sum()
	c.lateness = 1
	if late > 0 {
		c.lateness = min(waits*crowd/late, 1-min(v.stopped()/late, 1))
	}
	// Delays of the start did not delay tasks in service.
	inside := 1.0
	if waits > 0 {
		inside = max(1-late/crowd/waits, minInside)
	}
	locked := min(v.valueOrZero(metric.MutexWaitPerOp), own)
	collector := w.gc*inside + v.valueOrZero(metric.GCAssistPerOp)
	sched, others := w.own*inside, w.machine*inside
	sum := locked + collector + sched + others
	whole := max(own, min(own, p.cpu*(1-p.gc))+sum)
	if whole > 0 {
		c.waiting = own / (service + backoff) * sum / whole
	}
	c.target, c.backoff = inTarget/(service+backoff), backoff/(service+backoff)
	c.work = max(1-c.target-c.backoff-c.waiting, 0)
	if sum > 0 {
		c.waits = map[string]float64{lock.name: locked / sum, gc.name: collector / sum,
			scheduler.name: sched / sum, machine.name: others / sum}
		// A mean wait of a tenth of the service may be most of the slowest 1 %.
		c.explained = min(10*sum/max(own, sum), 1)
	}
	return c
}

// minInside is the minimum share of processor waits that occur within services.
const minInside = 0.2

func (v *view) meanLate() float64 {
	late := v.valueOrZero(metric.MeanLag)
	if oracle, ok := v.known(metric.OracleMeanWait); ok {
		late = max(late, v.valueOrZero(metric.MeanWait)-v.valueOrZero(metric.MeanBetween)-oracle)
	}
	return late
}

func (v *view) shares() map[string]float64 {
	t, s := v.task, map[string]float64{}
	give := func(what float64, to map[string]float64) {
		for name, part := range to {
			s[name] += what * part
		}
	}
	if lateTo := v.latenessCauses(); lateTo != nil {
		give(v.late*t.lateness, lateTo)
		rest := v.late * (1 - t.lateness)
		s[generator.name] += min(rest, v.lag)
		s[unknown.name] += max(rest-v.lag, 0)
	} else {
		s[generator.name] += v.lag
		s[unknown.name] += v.late - v.lag
	}
	s[v.betweenCause()] += v.between
	s[target.name] += v.target
	// in the task: the mean service, and the excess
	v.assignService(s, give)
	turn := v.turn
	if own := v.rateLimited(); own > 0 {
		s[throttling.name] += turn * own
		turn *= 1 - own
	}
	s[target.name] += turn * t.target
	s[throttling.name] += turn * t.backoff
	give(turn*t.waiting, t.waits)
	rest, odd := turn*t.work, 0.0
	if v.turn > 0 {
		odd = rest * v.uneven / v.turn
	}
	if v.growthShare() > 0 {
		s[target.name] += rest * v.growthShare()
		rest, odd = rest*(1-v.growthShare()), odd*(1-v.growthShare())
	}
	disturbed := odd * (1 - v.ownVariance()) * t.explained
	give(disturbed, t.waits)
	long := 0.0
	if v.longTasks() {
		long = odd - disturbed
	}
	s[headOfLine.name] += long
	s[queueing.name] += rest - disturbed - long
	return s
}

func (v *view) assignService(s map[string]float64, give func(float64, map[string]float64)) {
	t := v.task
	if v.serverOnly() {
		s[target.name] += v.service
		return
	}
	usual, held := v.service, 1-t.target-t.backoff // held: share of the task itself
	if mean, ok := v.known(metric.MeanService); ok && v.unit == metric.P99Response {
		usual = min(usual, (mean-v.valueOrZero(metric.MeanTarget))/v.value)
	}
	odd, named := v.service-usual, 0.0
	if held > 0 {
		named = usual / held * t.waiting
		give(named, t.waits)
	}
	own := max(usual-named, 0)
	if g := v.growthShare(); g > 0 {
		s[target.name] += own * g
		own *= 1 - g
	}
	s[work.name] += own
	long := odd * v.ownVariance()
	disturbed := (odd - long) * t.explained
	give(disturbed, t.waits)
	s[work.name] += long // other tasks wait for it, it waits for none
	s[unknown.name] += odd - long - disturbed
}

func (v *view) latenessCauses() map[string]float64 {
	w := v.waits()
	sum := w.sum()
	if sum <= 0 {
		return nil
	}
	return map[string]float64{scheduler.name: w.own / sum, gc.name: w.gc / sum,
		machine.name: w.machine / sum}
}
