package observe

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/rundir"
)

type lateTask struct {
	i   int
	lag int64
	rec record.Record
}

func lateLast(a, b lateTask) int {
	return cmp.Or(cmp.Compare(a.rec.Response(), b.rec.Response()), cmp.Compare(b.i, a.i))
}

// A Slowest keeps the slowest tasks, the fastest of them first. Tasks must be added in the order of
// their due times. A task that is not kept costs one comparison.
type Slowest struct{ tasks []lateTask }

func (s *Slowest) Add(i int, r *record.Record, lag int64) {
	full := len(s.tasks) == rundir.MaxSlowest
	if full && r.Response() <= s.tasks[0].rec.Response() {
		return
	}
	t := lateTask{i, lag, *r}
	at, _ := slices.BinarySearchFunc(s.tasks, t, lateLast)
	if !full {
		s.tasks = slices.Insert(s.tasks, at, t)
		return
	}
	copy(s.tasks, s.tasks[1:at])
	s.tasks[at-1] = t
}

// Ended returns the slowest first. InFlight and Waiting are rundir.Unknown.
func (s *Slowest) Ended() (all []result.SlowTask) {
	for _, t := range slices.Backward(s.tasks) {
		r, p := &t.rec, t.rec.Parts(t.lag)
		all = append(all, result.SlowTask{Task: t.i,
			Due: time.Duration(r.Due), Issue: time.Duration(r.Issue),
			Accepted: time.Duration(r.Left), Start: time.Duration(r.Start),
			End: time.Duration(r.End), Lag: time.Duration(p.Lag), Blocked: time.Duration(p.Blocked),
			Queued: time.Duration(p.Queued), Between: time.Duration(p.Between),
			Service: time.Duration(p.Service), Target: time.Duration(p.Target),
			Outcome: machine.Names[r.Outcome], Class: r.Class.String(), Attempts: int(r.Attempts),
			InFlight: rundir.Unknown, Waiting: rundir.Unknown})
	}
	return all
}

// countStates examines only tasks that were due within the longest response before a slow task.
func (o *Run) countStates(slow []result.SlowTask, longest int64) {
	order := make([]*result.SlowTask, len(slow))
	for i := range slow {
		order[i] = &slow[i]
	}
	slices.SortFunc(order, func(a, b *result.SlowTask) int { return cmp.Compare(a.Task, b.Task) })
	at := make([]int64, len(order))
	for i, t := range order {
		at[i] = int64(t.Due)
	}
	inFlight, waiting := make([]int, len(order)+1), make([]int, len(order)+1)
	next := 0
	for i := 0; i < o.Trace.Len(); i++ {
		for next < len(order) && order[next].Task <= i {
			next++
		}
		if next == len(order) {
			break
		}
		r := o.Trace.At(i)
		if since := at[next] - longest; r.Due < since {
			i += sort.Search(o.Trace.Len()-i, func(k int) bool {
				return o.Trace.At(i+k).Due >= since
			}) - 1
			continue
		}
		started, ended := len(order), len(order)
		if r.Outcome != record.Unsettled {
			if r.End <= at[next] {
				continue
			}
			ended = next + sort.Search(len(at)-next, func(k int) bool {
				return at[next+k] >= r.End
			})
		}
		if r.Attempts > 0 {
			started = next + sort.Search(len(at)-next, func(k int) bool {
				return at[next+k] >= r.Start
			})
		}
		started = min(started, ended)
		waiting[next]++
		waiting[started]--
		inFlight[started]++
		inFlight[ended]--
	}
	here, ahead := 0, 0
	for i, t := range order {
		here, ahead = here+inFlight[i], ahead+waiting[i]
		t.InFlight, t.Waiting = here, ahead
	}
}

const neverEnds = math.MaxInt64 / 2

// If the parts ran together, the state of the whole system is unknown.
func MergeSlowest(parts []*result.Result, together bool) (all []result.SlowTask) {
	for _, p := range parts {
		all = append(all, p.Slowest...)
	}
	if len(parts) > 1 && together {
		for i := range all {
			all[i].InFlight, all[i].Waiting = rundir.Unknown, rundir.Unknown
		}
	}
	slices.SortStableFunc(all, func(a, b result.SlowTask) int {
		return cmp.Compare(b.Response(), a.Response())
	})
	return all[:min(len(all), rundir.MaxSlowest)]
}
