package results_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/results"
)

func TestChooseMetrics(t *testing.T) {
	inputs := []results.Input{{Results: &results.Results{Path: "a", Metrics: []string{"ops/s",
		"p50-response-sec", "p99-response-sec", "p99-wait-sec", "failed/op", "failed"}}}}
	for asked, want := range map[string]string{
		"p99":              "p99-response-sec",
		"p50,throughput":   "ops/s p50-response-sec",
		"p99-wait":         "p99-wait-sec",
		"p99-response-sec": "p99-response-sec",
		"failed":           "failed", // an exact name is not a short one
		"p99-*":            "p99-response-sec p99-wait-sec",
	} {
		got, err := results.ChooseMetrics([]string{asked}, inputs)
		slices.Sort(got)
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%s: %q, %v; want %s", asked, got, err, want)
		}
	}
	for _, asked := range []string{"p95", "wait", "p99-resp"} {
		if got, err := results.ChooseMetrics([]string{asked}, inputs); err == nil {
			t.Errorf("%s is %q", asked, got)
		}
	}
}
