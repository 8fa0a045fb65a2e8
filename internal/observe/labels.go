package observe

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/workloads"
)

// A Group is a set of tasks with its own metrics: the index of a priority, MaxLabels plus the
// index of a tenant, or Others, the tasks of all tenants except the noisy one.
type Group int

const Others Group = 2 * workloads.MaxLabels

// String returns the prefix of the group's metrics.
func (g Group) String() string {
	switch {
	case g == Others:
		return metric.OfKind(metric.Others, "")
	case g >= workloads.MaxLabels:
		return metric.OfTenant(int(g-workloads.MaxLabels), "")
	}
	return metric.OfPriority(int(g), "")
}

func GroupOfTenant(tenant int32) (g Group, ok bool) {
	return workloads.MaxLabels + Group(tenant), hasResults(tenant)
}

func hasResults(label int32) bool { return label >= 0 && label < workloads.MaxLabels }

// Labels computes sums for each priority, for each tenant, and for deadlines. Records must be added
// in the order of their due times. Throughput and time in slots include warm-up tasks that use the
// measured window.
type Labels struct {
	// start of the measured window. Set it before adding the first measured task
	From int64
	// called for every measured completed task of a group, with ns; may be nil
	Each func(g Group, response int64)
	// the maximum number of tenants and priorities. With more, the metrics that need all of them
	// are omitted
	Most int

	ranked   workloads.Prioritised
	tenanted workloads.Tenanted
	due      workloads.Dated

	groups     [Others]labelSum
	priorities map[int32]bool
	tenants    map[int32]*tenantSum
	weight     func(tenant int32) int // the strategy's weights. nil: all equal
	measuring  bool                   // the last task added was measured, so From is set
	running    []slotUse              // tasks that may end after the last due time
	kept       int

	dated, missed, completed int // numbers of tasks with a deadline
	worst                    int64
}

type labelSum struct {
	n              int
	response, wait float64
}

type tenantSum struct {
	tasks, completed int
	response         float64
	ran              int
	busy             float64 // time in slots of the measured tasks that ran, in nanoseconds
	slotSums
}

type slotSums struct {
	ended int     // tasks completed in the window
	held  float64 // time in slots in the window, in nanoseconds
}

type slotUse struct {
	start, end, busy int64
	tenant           int32
	completed        bool
}

// The service time of a task that left its slot in between is distributed evenly from start to end.
func (u slotUse) addTo(s *slotSums, from, until int64) {
	if u.completed && u.end > from && u.end <= until {
		s.ended++
	}
	if overlap := min(u.end, until) - max(u.start, from); overlap > 0 {
		s.held += float64(u.busy) * float64(overlap) / float64(u.end-u.start)
	}
}

func (o *Run) NewLabels() (l Labels) {
	l.ranked, _ = o.Workload.(workloads.Prioritised)
	l.tenanted, _ = o.Workload.(workloads.Tenanted)
	l.due, _ = o.Workload.(workloads.Dated)
	l.priorities, l.tenants = map[int32]bool{}, map[int32]*tenantSum{}
	if of := o.Plan.Strategy.TenantWeights; of != nil {
		l.weight = of(o.Plan.Params)
	}
	return l
}

func (l *Labels) Any() bool { return l.ranked != nil || l.tenanted != nil || l.due != nil }

func (l *Labels) AllDated(n int) bool { return l.dated == n }

// The tasks of the warm-up, which are not measured, come first.
func (l *Labels) Add(seq uint64, r *record.Record, measured bool) {
	l.measuring = measured
	if l.tenanted != nil && l.tenants != nil {
		l.addSlot(l.tenanted.Tenant(seq), r)
	}
	if !measured {
		return
	}
	if l.ranked != nil {
		priority := l.ranked.Priority(seq)
		if hasResults(priority) {
			l.addTo(Group(priority), r)
		}
		if l.priorities != nil {
			if l.priorities[priority] = true; l.Most > 0 && len(l.priorities) > l.Most {
				l.priorities = nil
			}
		}
	}
	if l.tenanted != nil {
		tenant := l.tenanted.Tenant(seq)
		if g, ok := GroupOfTenant(tenant); ok {
			l.addTo(g, r)
		}
		l.addTenant(tenant, r)
	}
	if l.due != nil {
		l.addDeadline(int64(l.due.Allowance(seq)), r)
	}
}

func (l *Labels) addTo(g Group, r *record.Record) {
	if r.Outcome != record.Completed {
		return
	}
	s := &l.groups[g]
	s.n++
	s.response += float64(r.Response())
	s.wait += float64(r.Wait())
	if l.Each != nil {
		l.Each(g, r.Response())
	}
}

func (l *Labels) tenant(number int32) *tenantSum {
	s := l.tenants[number]
	if s == nil {
		if l.Most > 0 && len(l.tenants) >= l.Most {
			l.tenants, l.running = nil, nil
		}
		if l.tenants == nil {
			return nil
		}
		s = new(tenantSum)
		l.tenants[number] = s
	}
	return s
}

func (l *Labels) addTenant(number int32, r *record.Record) {
	s := l.tenant(number)
	if s == nil {
		return
	}
	s.tasks++
	if r.Outcome == record.Completed {
		s.completed++
		s.response += float64(r.Response())
	}
	if r.Attempts > 0 {
		s.ran++
		s.busy += float64(r.Busy)
	}
}

func (l *Labels) addSlot(number int32, r *record.Record) {
	if r.Attempts == 0 || r.Outcome == record.Unsettled {
		return
	}
	l.running = append(l.running, slotUse{r.Start, r.End, r.Busy, number,
		r.Outcome == record.Completed})
	if len(l.running) <= max(2*l.kept, 1024) {
		return
	}
	l.running = slices.DeleteFunc(l.running, func(u slotUse) bool {
		if u.end > r.Due {
			return false
		}
		if l.measuring && u.end > l.From {
			if s := l.tenant(u.tenant); s != nil {
				u.addTo(&s.slotSums, l.From, r.Due)
			}
		}
		return true
	})
	l.kept = len(l.running)
}

func (l *Labels) addDeadline(allowance int64, r *record.Record) {
	if allowance == 0 {
		return
	}
	l.dated++
	if r.Outcome != record.Completed {
		l.missed++
		return
	}
	late := r.Response() - allowance
	if late > 0 {
		l.missed++
	}
	if l.completed++; l.completed == 1 || late > l.worst {
		l.worst = late
	}
}

// until is the end of the measured window, in ns. noisy is the tenant that Others excludes.
func (l *Labels) Report(
	r *result.Result, until int64, p99 func(g Group, noisy int32) (ns int64, ok bool),
) {
	report := func(g Group, s labelSum, noisy int32) {
		if s.n == 0 {
			return
		}
		if g < workloads.MaxLabels {
			r.Add(g.String()+metric.MeanWait, s.wait/float64(s.n)/Second)
		}
		r.Add(g.String()+metric.MeanResponse, s.response/float64(s.n)/Second)
		if statistics.Resolvable(0.99, s.n) {
			if ns, ok := p99(g, noisy); ok {
				r.Add(g.String()+metric.P99Response, float64(ns)/Second)
			}
		}
	}
	if n := len(l.priorities); n > 0 {
		r.Add(metric.Priorities, float64(n))
	}
	for g := range Group(workloads.MaxLabels) {
		g = workloads.MaxLabels - 1 - g
		report(g, l.groups[g], 0)
	}
	if n := len(l.tenants); n > 0 {
		r.Add(metric.Tenants, float64(n))
	}
	w := l.window(until)
	for g := Group(workloads.MaxLabels); g < Others; g++ {
		report(g, l.groups[g], 0)
		if len(l.tenants) > 0 && l.groups[g].n > 0 {
			w.report(r, g, w.of[int32(g-workloads.MaxLabels)])
		}
	}
	if l.tenanted != nil && len(l.tenants) > 0 {
		noisy := l.noisy()
		report(Others, l.others(noisy), noisy)
		w.report(r, Others, w.all.less(w.of[noisy]))
		if fairness, ok := l.fairness(w); ok {
			r.Add(metric.Fairness, fairness)
		}
		if w.all.held > 0 {
			r.Add(metric.NoisyShare, w.of[noisy].held/w.all.held)
		}
	}
	if l.dated > 0 {
		r.Add(metric.Missed, float64(l.missed)/float64(l.dated))
	}
	if l.completed > 0 {
		r.Add(metric.MaxLateness, float64(l.worst)/Second)
	}
}

func (l *Labels) noisy() (noisy int32) {
	most := -1
	for _, number := range slices.Sorted(maps.Keys(l.tenants)) {
		if s := l.tenants[number]; s.tasks > most {
			noisy, most = number, s.tasks
		}
	}
	return noisy
}

func (l *Labels) others(noisy int32) (others labelSum) {
	for _, number := range slices.Sorted(maps.Keys(l.tenants)) {
		if s := l.tenants[number]; number != noisy {
			others.n += s.completed
			others.response += s.response
		}
	}
	return others
}

type tenantWindow struct {
	seconds float64
	of      map[int32]slotSums
	all     slotSums
}

func (l *Labels) window(until int64) tenantWindow {
	w := tenantWindow{seconds: float64(until-l.From) / Second, of: map[int32]slotSums{}}
	if until <= l.From {
		return w
	}
	for number, s := range l.tenants {
		w.of[number] = s.slotSums
	}
	for _, u := range l.running {
		s := w.of[u.tenant]
		u.addTo(&s, l.From, until)
		w.of[u.tenant] = s
	}
	for _, number := range slices.Sorted(maps.Keys(w.of)) {
		w.all.ended += w.of[number].ended
		w.all.held += w.of[number].held
	}
	return w
}

func (s slotSums) less(of slotSums) slotSums {
	return slotSums{s.ended - of.ended, s.held - of.held}
}

func (w tenantWindow) report(r *result.Result, g Group, of slotSums) {
	if w.seconds > 0 {
		r.Add(g.String()+metric.Throughput, float64(of.ended)/w.seconds)
	}
	if w.all.held > 0 {
		r.Add(g.String()+metric.Share, of.held/w.all.held)
	}
}

// fairness returns Jain's index of each tenant's time in slots, relative to its weighted max–min
// fair share. A tenant that needs less than its share gets the time that its measured tasks need.
func (l *Labels) fairness(w tenantWindow) (index float64, ok bool) {
	type demand struct{ received, wanted, weight float64 }
	var demands []demand
	numbers := slices.Sorted(maps.Keys(l.tenants))
	ran, busy, weights := 0, 0.0, 0.0
	for _, number := range numbers {
		ran, busy = ran+l.tenants[number].ran, busy+l.tenants[number].busy
	}
	for _, number := range numbers {
		s, d := l.tenants[number], demand{received: w.of[number].held, weight: 1}
		if l.weight != nil {
			d.weight = float64(l.weight(number))
		}
		switch never := float64(s.tasks - s.ran); {
		case s.ran > 0:
			d.wanted = s.busy + never*s.busy/float64(s.ran)
		case ran > 0:
			d.wanted = never * busy / float64(ran)
		}
		if d.wanted > 0 {
			demands, weights = append(demands, d), weights+d.weight
		}
	}
	slices.SortStableFunc(demands, func(a, b demand) int {
		return cmp.Compare(a.wanted/a.weight, b.wanted/b.weight)
	})
	left, sum, squares := w.all.held, 0.0, 0.0
	for _, d := range demands {
		fair := min(d.wanted, left*d.weight/weights)
		left, weights = left-fair, weights-d.weight
		if fair > 0 {
			part := d.received / fair
			sum, squares = sum+part, squares+part*part
		}
	}
	if squares == 0 {
		return 0, false
	}
	return sum * sum / (float64(len(demands)) * squares), true
}

func IsOfLabels(unit string) bool {
	return slices.ContainsFunc([]string{"priorit", "tenant", Others.String(), metric.Fairness,
		"noisy-"}, func(begin string) bool { return strings.HasPrefix(unit, begin) })
}

func (o *Run) reportLabels(r *result.Result, first int, m Totals, scratch []int64) {
	l := o.NewLabels()
	if !l.Any() {
		return
	}
	l.From = m.From
	for i, rec := range o.Trace.From(0) {
		l.Add(o.Trace.Seq(i), rec, i >= first)
	}
	var priorities, tenants []int32
	if l.ranked != nil {
		priorities = o.labelled(l.ranked.Priority)
	}
	if l.tenanted != nil {
		tenants = o.labelled(l.tenanted.Tenant)
	}
	l.Report(r, m.plan, func(g Group, noisy int32) (int64, bool) {
		of, label, is := priorities, int32(g), true
		switch {
		case g == Others:
			of, label, is = tenants, noisy, false
		case g >= workloads.MaxLabels:
			of, label = tenants, int32(g-workloads.MaxLabels)
		}
		values := scratch[:0]
		for i, rec := range o.Trace.From(first) {
			if rec.Outcome == record.Completed && (of[i] == label) == is {
				values = append(values, rec.Response())
			}
		}
		return statistics.NearestRanks(nil, values, 0.99)[0], true
	})
}

func (o *Run) labelled(label func(seq uint64) int32) []int32 {
	of := make([]int32, o.Trace.Len())
	for i := range of {
		of[i] = label(o.Trace.Seq(i))
	}
	return of
}
