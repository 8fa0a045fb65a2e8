//go:build !js

package workloads

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// labelKeys is in reading order.
var labelKeys = [traces.MaxLabels]string{"tenant", "priority", "deadline"}

type traceLabel[T any] struct {
	of     []uint16 // by task
	values []T
}

func (l traceLabel[T]) at(seq uint64) T { return l.values[l.of[seq%uint64(len(l.of))]] }

type (
	traceTenants    struct{ tenants traceLabel[int32] }
	tracePriorities struct{ priorities traceLabel[int32] }
	traceDeadlines  struct{ deadlines traceLabel[time.Duration] }
)

func (w traceTenants) Tenant(seq uint64) int32 { return w.tenants.at(seq) }

func (w tracePriorities) Priority(seq uint64) int32 { return w.priorities.at(seq) }

// PriorityShares is nil, because theory needs random priorities.
func (w tracePriorities) PriorityShares() []float64 { return nil }

func (w traceDeadlines) Allowance(seq uint64) time.Duration { return w.deadlines.at(seq) }

// Labels are declared by a workload's interfaces, so each choice of columns has its own type.
func labelledTrace(
	w *trace, file string, labels [traces.MaxLabels]traces.Labels,
) (_ Workload, err error) {
	t := traceTenants{traceLabel[int32]{labels[0].Of, ranked(labels[0])}}
	p := tracePriorities{}
	p.priorities, err = readLabels(labelKeys[1], file, labels[1], func(text string) (int32, error) {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			err = fmt.Errorf("want a whole number, got %.40q", text)
		}
		return int32(n), err
	})
	if err != nil {
		return nil, err
	}
	d := traceDeadlines{}
	if d.deadlines, err = readLabels(labelKeys[2], file, labels[2],
		func(text string) (time.Duration, error) {
			return traces.Duration([]byte(text), time.Second)
		}); err != nil {
		return nil, err
	}
	switch [...]bool{t.tenants.of != nil, p.priorities.of != nil, d.deadlines.of != nil} {
	case [...]bool{true, false, false}:
		return struct {
			*trace
			traceTenants
		}{w, t}, nil
	case [...]bool{false, true, false}:
		return struct {
			*trace
			tracePriorities
		}{w, p}, nil
	case [...]bool{false, false, true}:
		return struct {
			*trace
			traceDeadlines
		}{w, d}, nil
	case [...]bool{true, true, false}:
		return struct {
			*trace
			traceTenants
			tracePriorities
		}{w, t, p}, nil
	case [...]bool{true, false, true}:
		return struct {
			*trace
			traceTenants
			traceDeadlines
		}{w, t, d}, nil
	case [...]bool{false, true, true}:
		return struct {
			*trace
			tracePriorities
			traceDeadlines
		}{w, p, d}, nil
	case [...]bool{true, true, true}:
		return struct {
			*trace
			traceTenants
			tracePriorities
			traceDeadlines
		}{w, t, p, d}, nil
	}
	return w, nil
}

func readLabels[T any](
	key, file string, labels traces.Labels, read func(text string) (T, error),
) (l traceLabel[T], err error) {
	l = traceLabel[T]{labels.Of, make([]T, len(labels.Texts))}
	for i, text := range labels.Texts {
		if l.values[i], err = read(text); err != nil {
			return l, fmt.Errorf("%s: %s: %s: %w", key, file, labels.Where[i], err)
		}
	}
	return l, nil
}

// ranked gives the number 0 to the text with the most tasks.
func ranked(labels traces.Labels) []int32 {
	tasks, order := make([]int, len(labels.Texts)), make([]int, len(labels.Texts))
	for _, text := range labels.Of {
		tasks[text]++
	}
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tasks[b], tasks[a]) })
	rank := make([]int32, len(order))
	for i, text := range order {
		rank[text] = int32(i)
	}
	return rank
}
