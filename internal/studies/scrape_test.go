package studies_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/studies"
)

// A concurrency limit alone leads to a ban. A rate limit alone stays within the site's limit while
// slots are free. A few workers that obey Retry-After get all records. Retries around a rate limit
// do, too.
func TestScrape(t *testing.T) {
	study, err := studies.Lookup("scrape")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := study.Suite(studies.Standard, 1)
	if err != nil {
		t.Fatal(err)
	}
	chosen := []string{"worker_pool", "semaphore", "errgroup_limit", "weighted_semaphore",
		"singleton_pool", "token_bucket:rate=10,burst=1", "ticker_limited:rate=10",
		"retry_in_place:attempts=100",
		"retry:attempts=5+token_bucket:rate=target,burst=1+worker_pool"}
	var results []*bench.Result
	for _, s := range suite.Scenarios {
		if !slices.Contains(chosen, s.Strategy.String()) {
			continue
		}
		r, err := bench.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Broken) > 0 {
			t.Errorf("%s breaks %q", r.Name, r.Broken)
		}
		results = append(results, r)
	}
	finding := study.Find(results)
	answer := ""
	for _, row := range finding.Table.Rows {
		answer += strings.Join(row, " | ") + "\n"
	}
	answer += strings.Join(finding.Lines, "\n")
	for _, want := range []string{
		"retry+token_bucket+worker_pool | 64 | 0 | 0 | 0 | 501 s | 1\n",
		"ticker_limited:rate=10 | 64 | 0 | 0 | 0 | 501 s | 0\n",
		"retry_in_place:attempts=100 | 4 | 4476 | 0 | 0 | 541 s | 0\n",
		// The order of simultaneous calls determines how long a banned client continues, and so
		// which strategies are equal.
		"errgroup_limit | 64 | 4990 | 1 | 4990 | ",
		"errgroup_limit | 4 | 4990 | 1 | 4990 | ",
		"token_bucket:rate=10,burst=1 at limit 4 and retry_in_place:attempts=100 at limit 4\n",
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer has no %q:\n%s", want, answer)
		}
	}
}
