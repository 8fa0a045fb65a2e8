package bench_test

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
)

// Lag must not include the lateness of another generator of the same plan.
func TestLagsOfGenerators(t *testing.T) {
	var shares [2]record.Log
	for k := range shares {
		for i := range int64(1000) {
			due := (2*i + int64(k)) * 1e6
			r := shares[k].Add(due)
			issue := due
			if k == 1 { // generator 1 overslept by 5 ms and has been blocked since then
				issue += 5e6
				r.Blocked = i > 0
			}
			r.Issue = issue
			r.Attempt(issue, 1e5)
			r.Settle(record.Completed, issue+1e5)
		}
	}
	lag := func(records ...record.Log) float64 {
		t.Helper()
		rec := bench.Recording{Name: "Attack/x=y", Arrival: arrivals.MustParse("constant"),
			Rate: 1000, Records: records}
		for _, l := range records {
			for i := range uint64(l.Len()) {
				rec.Busy += l.At(i).Busy
			}
		}
		r, err := rec.Result()
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Broken) > 0 {
			t.Errorf("broken laws: %q", r.Broken)
		}
		v, _ := r.Metric("p99-lag-sec")
		return v
	}
	if on, late, both := lag(shares[0]), lag(shares[1]), lag(shares[:]...); on != 0 ||
		late != 0.005 || both != 0.005 {
		t.Errorf("p99 of the lag: %v and %v, together %v; want 0, 0.005 and 0.005", on, late, both)
	}
}
