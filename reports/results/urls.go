package results

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/metric"
)

// A Part contains the requests to one URL of an attack, or of one step of its sessions.
type Part struct {
	Name   string
	Prefix string // of its metrics
	number int    // of a step
	count  float64
}

var stepCount = lazyregexp.New(`^(step(\d+)-([a-z0-9_]+)-)count$`)

// PartsOf returns the URLs by falling number of requests, or the steps in order.
func PartsOf(run *Run) (all []Part) {
	for unit, n := range run.Values {
		if found := stepCount.FindStringSubmatch(unit); found != nil {
			number, _ := strconv.Atoi(found[2]) // 0 if it exceeds an int
			all = append(all, Part{Name: found[3], Prefix: found[1], number: number})
		} else if name, rest, ok := metric.CutURL(unit); ok && rest == metric.Count {
			all = append(all, Part{Name: name, Prefix: strings.TrimSuffix(unit, rest), count: n})
		}
	}
	slices.SortFunc(all, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(b.count, a.count),
			cmp.Compare(a.Name, b.Name))
	})
	return all
}

// A StatusCount is the number of requests with a status.
type StatusCount struct {
	Status string
	Count  float64
}

// Statuses counts the requests by status, over all runs of the cell. prefix selects their metrics.
func Statuses(c Cell, prefix string) (all []StatusCount) {
	counts := map[string]float64{}
	for _, run := range c {
		n := float64(run.Iters)
		if prefix != "" {
			n, _ = run.Value(prefix + metric.Count)
		}
		for unit, share := range run.Values {
			rest, is := strings.CutPrefix(unit, prefix)
			if status, ok := metric.StatusOf(rest); ok && is {
				counts[status] += math.Round(share * n)
			}
		}
	}
	for status, n := range counts {
		all = append(all, StatusCount{status, n})
	}
	slices.SortFunc(all, func(a, b StatusCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Status, b.Status))
	})
	return all
}
