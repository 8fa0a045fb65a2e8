package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/metric"
)

// A Label is a class, priority or tenant of tasks.
type Label string

func (l Label) String() string { return strings.Replace(string(l), "-", " ", 1) }

// Tasks names the tasks with the label: "short tasks", "tasks of priority 1".
func (l Label) Tasks() string {
	if strings.Contains(string(l), "-") {
		return "tasks of " + l.String()
	}
	return l.String() + " tasks"
}

// P99 returns the unit of the tasks' p99 response.
func (l Label) P99() string { return metric.OfKind(string(l), metric.P99Response) }

// Mean returns the unit of the tasks' mean response.
func (l Label) Mean() string { return metric.OfKind(string(l), metric.MeanResponse) }

// IsTenant reports whether it is a tenant's.
func (l Label) IsTenant() bool { return strings.HasPrefix(string(l), metric.Tenant+"-") }

// Throughput returns the unit of a tenant's throughput.
func (l Label) Throughput() string { return metric.OfKind(string(l), metric.Throughput) }

// Share returns the unit of a tenant's share of the time in slots.
func (l Label) Share() string { return metric.OfKind(string(l), metric.Share) }

var (
	// in the order of tables
	kinds = []string{metric.ClassShort, metric.ClassLong, metric.ClassCPU, metric.ClassIO,
		metric.Priority, metric.Tenant}
	labelled = lazyregexp.New(fmt.Sprintf(`^((?:%s)(?:-\d+)?)-(?:%s|%s)$`,
		strings.Join(kinds, "|"), metric.MeanResponse, metric.P99Response))
)

// Labels returns the labels of the cells: classes, then priorities from the most urgent, then
// tenants.
func Labels(cells []Cell) (labels []Label) {
	for _, c := range cells {
		for _, r := range c {
			for unit := range r.Values {
				found := labelled.FindStringSubmatch(unit)
				if found != nil && !slices.Contains(labels, Label(found[1])) {
					labels = append(labels, Label(found[1]))
				}
			}
		}
	}
	slices.SortFunc(labels, func(a, b Label) int { return slices.Compare(a.order(), b.order()) })
	return labels
}

func (l Label) order() []int {
	kind, number, _ := strings.Cut(string(l), "-")
	n, _ := strconv.Atoi(number) // a class has no number
	at := slices.Index(kinds, kind)
	if kind == metric.Priority {
		n = -n
	}
	return []int{at, n}
}
