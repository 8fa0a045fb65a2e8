package verdict

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

// An Allowance is the accepted growth of an allocation metric: an amount or a share of the base.
type Allowance struct {
	Benchmark string // includes its sub-benchmarks; "" for all
	Metric    string // allocs/op or B/op
	Amount    float64
	Share     float64
}

var allowance = lazyregexp.New(`^(?:(.+):)?([^:=]+)=([^=]+)$`)

// ParseAllowance parses texts such as allocs/op=1, B/op=5% and Parse/size=10:allocs/op=1. Names of
// benchmarks may contain : and =.
func ParseAllowance(text string) (a Allowance, err error) {
	parts := allowance.FindStringSubmatch(text)
	if parts == nil {
		return a, fmt.Errorf("want METRIC=AMOUNT or BENCHMARK:METRIC=AMOUNT, got %q", text)
	}
	a.Benchmark, a.Metric = strings.TrimPrefix(parts[1], "Benchmark"), parts[2]
	if !IsAllocation(a.Metric) {
		return a, fmt.Errorf("%s is neither allocs/op nor B/op: --margin is for other metrics",
			a.Metric)
	}
	number, percent := strings.CutSuffix(parts[3], "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v >= 0 && v <= 1e15) {
		return a, fmt.Errorf("want a number such as 1, or a share such as 5%%, got %q", parts[3])
	}
	if a.Amount = v; percent {
		a.Amount, a.Share = 0, v/100
	}
	return a, nil
}

func (a Allowance) String() string {
	amount := strconv.FormatFloat(a.Amount, 'g', -1, 64)
	if a.Share > 0 {
		amount = strconv.FormatFloat(100*a.Share, 'g', 6, 64) + "%"
	}
	if a.Benchmark == "" {
		return a.Metric + "=" + amount
	}
	return a.Benchmark + ":" + a.Metric + "=" + amount
}

var processors = lazyregexp.New(`-\d+$`)

func (a Allowance) covers(benchmark, metric string) bool {
	for _, name := range []string{benchmark, processors.ReplaceAllString(benchmark, "")} {
		if a.Metric == metric && (a.Benchmark == "" || name == a.Benchmark ||
			strings.HasPrefix(name, a.Benchmark+"/")) {
			return true
		}
	}
	return false
}

func (o Options) Allowed(benchmark, metric string) (amount, share float64) {
	for _, a := range o.Allow {
		if a.covers(benchmark, metric) {
			amount, share = max(amount, a.Amount), max(share, a.Share)
		}
	}
	return amount, share
}

// An allowance may apply to no row because the benchmark was renamed.
func (r *Report) WarnOfAllowances() {
	for _, a := range r.Options.Allow {
		used := false
		for _, row := range r.Rows {
			used = used || a.covers(row.Benchmark, row.Metric)
		}
		if !used {
			r.Warnings = append(r.Warnings, fmt.Sprintf("--allow %v matches no metric with a "+
				"verdict",
				a))
		}
	}
}
