package workloads

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// A traceLabels has what the lines say of a task: by class of the file, which is that of the text
// in the column.
type traceLabels[T any] struct {
	*trace
	records []traces.Record
	of      []T
}

func (w traceLabels[T]) label(seq uint64) T {
	return w.of[w.records[seq%uint64(len(w.records))].Class()]
}

type (
	tenantTrace   struct{ traceLabels[int32] }
	priorityTrace struct{ traceLabels[int32] }
	deadlineTrace struct{ traceLabels[time.Duration] }
)

// Tenant implements Tenanted.
func (w tenantTrace) Tenant(seq uint64) int32 { return w.label(seq) }

// Priority implements Prioritised.
func (w priorityTrace) Priority(seq uint64) int32 { return w.label(seq) }

// PriorityShares implements Prioritised: no theory is about what is not drawn.
func (w priorityTrace) PriorityShares() []float64 { return nil }

// Allowance implements Dated.
func (w deadlineTrace) Allowance(seq uint64) time.Duration { return w.label(seq) }

// labelledTrace is w with tenants, priorities or deadlines. The error begins with the parameter.
func labelledTrace(w *trace, of string, texts []string, records []traces.Record) (Workload, error) {
	switch of {
	case "tenant":
		return tenantTrace{traceLabels[int32]{w, records, ranked(len(texts), records)}}, nil
	case "priority":
		numbers := make([]int32, len(texts))
		for i, text := range texts {
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("%s: want whole numbers, got %.40q", of, text)
			}
			numbers[i] = int32(n)
		}
		return priorityTrace{traceLabels[int32]{w, records, numbers}}, nil
	}
	allowances := make([]time.Duration, len(texts))
	for i, text := range texts {
		var err error
		if allowances[i], err = traceDuration(text); err != nil {
			return nil, fmt.Errorf("%s: %w", of, err)
		}
	}
	return deadlineTrace{traceLabels[time.Duration]{w, records, allowances}}, nil
}

// ranked numbers n classes, beginning with the one that has the most tasks.
func ranked(n int, records []traces.Record) []int32 {
	tasks, order := make([]int, n), make([]int, n)
	for _, r := range records {
		tasks[r.Class()]++
	}
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tasks[b], tasks[a]) })
	rank := make([]int32, n)
	for i, class := range order {
		rank[class] = int32(i)
	}
	return rank
}
