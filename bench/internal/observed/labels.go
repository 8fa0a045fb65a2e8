package observed

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/statistics/samples"
	"github.com/poolbench/poolbench/workloads"
)

// A Group is those tasks of which there are results beside those of all: the index of a priority,
// MostLabels and that of a tenant, or Others, the tasks of all tenants but the noisy one.
type Group int

// Others comes after the groups that a label alone makes.
const Others Group = 2 * workloads.MostLabels

// String is what the names of the group's metrics begin with.
func (g Group) String() string {
	switch {
	case g == Others:
		return "others-"
	case g >= workloads.MostLabels:
		return fmt.Sprintf("tenant-%d-", g-workloads.MostLabels)
	}
	return fmt.Sprintf("priority-%d-", g)
}

// GroupOfTenant is that of the tenant; false where it has no results of its own.
func GroupOfTenant(tenant int32) (g Group, ok bool) {
	return workloads.MostLabels + Group(tenant), hasResults(tenant)
}

// hasResults reports whether a label has results of its own.
func hasResults(label int32) bool { return label >= 0 && label < workloads.MostLabels }

// Labels sums up results by the labels of tasks: for each priority, for each tenant, and for
// deadlines. It is given the records in the order of their due times.
type Labels struct {
	// Each is told the response of every measured task that completed and is of a group; nil:
	// nobody wants to know.
	Each func(g Group, response int64)
	// Most is of how many tenants it keeps sums, and how many priorities it counts: with more, what
	// takes all of them is left out. 0: of any number.
	Most int

	ranked   workloads.Prioritised
	tenanted workloads.Tenanted
	due      workloads.Dated

	groups     [Others]labelSum
	priorities map[int32]bool       // that tasks have; nil: there are too many
	tenants    map[int32]*tenantSum // likewise
	waiting    []waitingStart       // of tasks that may have started after the last was due
	pruned     int                  // of them that were left when they were looked through last

	dated, missed, completed int // of tasks with a deadline
	worst                    int64
}

type labelSum struct {
	n              int
	response, wait float64
}

type tenantSum struct {
	tasks          int
	completed      int
	response, busy float64
}

// A waitingStart is time in a slot that counts only if the run was not over by then.
type waitingStart struct {
	start, busy int64
	tenant      int32
}

// NewLabels is for the workload of the run.
func (o *Run) NewLabels() (l Labels) {
	l.ranked, _ = o.Workload.(workloads.Prioritised)
	l.tenanted, _ = o.Workload.(workloads.Tenanted)
	l.due, _ = o.Workload.(workloads.Dated)
	l.priorities, l.tenants = map[int32]bool{}, map[int32]*tenantSum{}
	return l
}

// Any reports whether the tasks say anything of themselves.
func (l *Labels) Any() bool { return l.ranked != nil || l.tenanted != nil || l.due != nil }

// AllDated reports whether each of n tasks had a deadline.
func (l *Labels) AllDated(n int) bool { return l.dated == n }

// Add takes note of the task of that number.
func (l *Labels) Add(seq uint64, r *records.Record) {
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

func (l *Labels) addTo(g Group, r *records.Record) {
	if r.Outcome != records.Completed {
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

func (l *Labels) addTenant(tenant int32, r *records.Record) {
	s := l.tenants[tenant]
	if s == nil {
		if l.Most > 0 && len(l.tenants) >= l.Most {
			l.tenants, l.waiting = nil, nil
		}
		if l.tenants == nil {
			return
		}
		s = new(tenantSum)
		l.tenants[tenant] = s
	}
	s.tasks++
	if r.Outcome == records.Completed {
		s.completed++
		s.response += float64(r.Response())
	}
	if r.Attempts == 0 {
		return
	}
	s.busy += float64(r.Busy)
	if r.Start > r.Due {
		l.waiting = append(l.waiting, waitingStart{r.Start, r.Busy, tenant})
		if len(l.waiting) > max(2*l.pruned, 1024) { // so that each is looked at a few times
			l.waiting = slices.DeleteFunc(l.waiting, func(w waitingStart) bool {
				return w.start <= r.Due
			})
			l.pruned = len(l.waiting)
		}
	}
}

func (l *Labels) addDeadline(allowance int64, r *records.Record) {
	if allowance == 0 {
		return
	}
	l.dated++
	if r.Outcome != records.Completed {
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

// Report adds the metrics of a run whose last task was due then. p99 is that of the response of a
// group, in nanoseconds, where the group has enough tasks; noisy is the tenant that is not among
// Others. It changes nothing.
func (l *Labels) Report(
	r *result.Result, last int64, p99 func(g Group, noisy int32) (ns int64, ok bool),
) {
	report := func(g Group, s labelSum, noisy int32) {
		if s.n == 0 {
			return
		}
		if g < workloads.MostLabels {
			r.Add(g.String()+"mean-wait-sec", s.wait/float64(s.n)/Second)
		}
		r.Add(g.String()+"mean-response-sec", s.response/float64(s.n)/Second)
		if samples.Resolvable(0.99, s.n) {
			if ns, ok := p99(g, noisy); ok {
				r.Add(g.String()+"p99-response-sec", float64(ns)/Second)
			}
		}
	}
	if n := len(l.priorities); n > 0 {
		r.Add("priorities", float64(n))
	}
	for g := range Group(workloads.MostLabels) {
		g = workloads.MostLabels - 1 - g // the most urgent first
		report(g, l.groups[g], 0)
	}
	if n := len(l.tenants); n > 0 {
		r.Add("tenants", float64(n))
	}
	for g := Group(workloads.MostLabels); g < Others; g++ {
		report(g, l.groups[g], 0)
	}
	if l.tenanted != nil && len(l.tenants) > 0 {
		others, noisy := l.reportTenants(r, last)
		report(Others, others, noisy)
	}
	if l.dated > 0 {
		r.Add("missed/op", float64(l.missed)/float64(l.dated))
	}
	if l.completed > 0 {
		r.Add("max-lateness-sec", float64(l.worst)/Second)
	}
}

// reportTenants says how much worse one tenant was served than another, and what the noisy one, the
// one with the most tasks, took from the others.
func (l *Labels) reportTenants(r *result.Result, last int64) (others labelSum, noisy int32) {
	sum, squares, busy := 0.0, 0.0, 0.0
	var most *tenantSum
	numbers := slices.Sorted(maps.Keys(l.tenants)) // sums of floats depend on the order
	for _, tenant := range numbers {
		s := l.tenants[tenant]
		if most == nil || s.tasks > most.tasks {
			noisy, most = tenant, s
		}
		if busy += s.busy; s.completed > 0 && s.response > 0 {
			speed := float64(s.completed) / s.response
			sum += speed
			squares += speed * speed
		}
	}
	for _, tenant := range numbers {
		if s := l.tenants[tenant]; tenant != noisy {
			others.n += s.completed
			others.response += s.response
		}
	}
	taken := most.busy
	for _, w := range l.waiting {
		if w.start > last {
			if busy -= float64(w.busy); w.tenant == noisy {
				taken -= float64(w.busy)
			}
		}
	}
	if squares > 0 {
		r.Add("fairness", sum*sum/(float64(len(l.tenants))*squares))
	}
	if busy > 0 {
		r.Add("noisy-share", taken/busy)
	}
	return others, noisy
}

// IsOfLabels reports whether a metric is of some of the tasks, by their priority or their tenant.
func IsOfLabels(unit string) bool {
	return slices.ContainsFunc([]string{"priorit", "tenant", Others.String(), "fairness",
		"noisy-"}, func(begin string) bool { return strings.HasPrefix(unit, begin) })
}

// reportLabels adds what Labels sums up, with exact quantiles.
func (o *Run) reportLabels(r *result.Result, first int, scratch []int64) {
	l := o.NewLabels()
	if !l.Any() {
		return
	}
	for i, rec := range o.Trace.From(first) {
		l.Add(o.Trace.Seq(i), rec)
	}
	var priorities, tenants []int32 // of all tasks: a label takes its time to draw
	if l.ranked != nil {
		priorities = o.labelled(l.ranked.Priority)
	}
	if l.tenanted != nil {
		tenants = o.labelled(l.tenanted.Tenant)
	}
	l.Report(r, o.Trace.At(o.Trace.Len()-1).Due, func(g Group, noisy int32) (int64, bool) {
		of, label, is := priorities, int32(g), true
		switch {
		case g == Others:
			of, label, is = tenants, noisy, false
		case g >= workloads.MostLabels:
			of, label = tenants, int32(g-workloads.MostLabels)
		}
		values := scratch[:0]
		for i, rec := range o.Trace.From(first) {
			if rec.Outcome == records.Completed && (of[i] == label) == is {
				values = append(values, rec.Response())
			}
		}
		return samples.NearestRanks(nil, values, 0.99)[0], true
	})
}

func (o *Run) labelled(label func(seq uint64) int32) []int32 {
	of := make([]int32, o.Trace.Len())
	for i := range of {
		of[i] = label(o.Trace.Seq(i))
	}
	return of
}
