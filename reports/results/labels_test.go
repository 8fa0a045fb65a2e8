package results

import (
	"fmt"
	"testing"
)

func TestLabels(t *testing.T) {
	r := &Run{Values: map[string]float64{}}
	for _, unit := range []string{"tenant-10-p99-response-sec", "tenant-2-mean-response-sec",
		"priority-0-p99-response-sec", "priority-12-p99-response-sec", "long-p99-response-sec",
		"short-mean-response-sec", "p99-response-sec", "others-p99-response-sec",
		"theory-short-p99-response-sec", "stage1-p99-response-sec", "step1-io-p99-response-sec",
		"priority-1-mean-wait-sec", "even-p99-response-sec", "session-p99-response-sec"} {
		r.Values[unit] = 1
	}
	got := fmt.Sprint(Labels([]Cell{{}, {r, r}, {{Values: map[string]float64{"x": 1}}}}))
	if want := "[short long priority 12 priority 0 tenant 2 tenant 10]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Label("tenant-3").Tasks() + ", " + Label("io").Tasks(); got !=
		"tasks of tenant 3, io tasks" {
		t.Error(got)
	}
}
