package show

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/reports/results"
)

func TestLabelNotes(t *testing.T) {
	row := func(values map[string]float64) Row {
		return Row{Cell: results.Cell{{Values: values}}}
	}
	for _, c := range []struct {
		rows []Row
		want []string
	}{
		{nil, nil},
		{[]Row{{}, row(map[string]float64{"p99-response-sec": 1})}, nil},
		{[]Row{row(map[string]float64{"tenants": 2, "tenant-0-mean-response-sec": 1,
			"tenant-1-p99-response-sec": 1})}, nil},
		{[]Row{{}, row(map[string]float64{"tenants": 9, "tenant-3-mean-response-sec": 1,
			"priorities": 3, "priority-0-mean-response-sec": 1}),
			row(map[string]float64{"tenants": 8, "tenant-0-mean-response-sec": 1})},
			[]string{"9 tenants: results by tenant cover only 2, numbers 0 to 3",
				"3 priorities: results by priority cover only 1, numbers 0 to 3"}},
	} {
		if got := labelNotes(c.rows); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
