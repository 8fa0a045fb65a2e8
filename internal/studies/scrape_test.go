package studies_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/studies"
)

// A strategy that limits only concurrency is banned. A rate limit alone stays within the site's
// limit while slots are free. Few workers that obey Retry-After get all records, and so does a
// retry around a rate limit.
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
	answer := finding.Lines
	for i, want := range []string{
		"no ban and no loss: retry:attempts=5+token_bucket:rate=target,burst=1+worker_pool " +
			"(limit 64), token_bucket:rate=10,burst=1 (limit 64), ticker_limited:rate=10 " +
			"(limit 64), retry:attempts=5+token_bucket:rate=target,burst=1+worker_pool " +
			"(limit 4), token_bucket:rate=10,burst=1 (limit 4) and " +
			"retry_in_place:attempts=100 (limit 4)",
		"limit 4: all fetched, but later: " +
			"retry:attempts=5+token_bucket:rate=target,burst=1+worker_pool (510.2 s), " +
			"token_bucket:rate=10,burst=1 (510.2 s) and retry_in",
		"limit 4: not banned, but records lost: ticker_limited:rate=10 (64 lost)",
		"limit 4: banned: ",
		"limit 64: all 5000 fetched in the least time, (N − burst)/rate = 499 s, within 2 %: " +
			"retry:attempts=5+token_bucket:rate=target,burst=1+worker_pool (501.",
		"limit 64: banned: retry_in_place:attempts=100 (",
	} {
		if i >= len(answer) || !strings.HasPrefix(answer[i], want) {
			t.Errorf("line %d of the answer is not %q:\n%s", i, want, strings.Join(answer, "\n"))
		}
	}
}
