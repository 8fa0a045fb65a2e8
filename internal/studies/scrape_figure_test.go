package studies

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

// sampleScrape returns runs in which the site refuses calls only at the given limits, and bans
// unbounded.
func sampleScrape(limits ...int) func(sc bench.Scenario, _ int) map[string]float64 {
	return func(sc bench.Scenario, _ int) map[string]float64 {
		of := map[string]float64{"shed/op": 0, "throttled/op": 0, "failed/op": 0, "abandoned/op": 0,
			"makespan-sec": 500, "bans": 0, "refused-calls": 0}
		switch name := sc.Strategy.String(); {
		case slices.Contains(poolsAlone, name) && slices.Contains(limits, sc.Limit):
			of["refused-calls"], of["throttled/op"] = 10, 0.002
		case name == "unbounded":
			of["bans"], of["throttled/op"], of["makespan-sec"] = 1, 0.99, 1
		case name == "serial":
			of["makespan-sec"] = 1000
		}
		return of
	}
}

func TestScrapeVerdicts(t *testing.T) {
	cells := scrapeCells(scrapers()...)
	for name, c := range map[string]struct {
		refused []int
		want    decide.ClaimVerdict
		says    string
	}{
		"nowhere": {nil, decide.Holds,
			"the site refuses no call of a pool, so at most 25.9 % of such runs have another " +
				"result (95 % confidence)"},
		"at one": {scrapeLimits[1:], decide.Depends,
			"on the limit: it holds for limit 4, not for limit 64"},
		"at both": {scrapeLimits, decide.DoesNotHold,
			"the site refuses calls of each of worker_pool, semaphore, " +
				"errgroup_limit, weighted_semaphore and singleton_pool at each limit"},
	} {
		f := judgeAndDraw(t, synthetic(cells, 1, sampleScrape(c.refused...)), judgeScrape, drawScrape)
		expect(t, "refused "+name, f, c.want, c.says)
		for _, line := range f.Lines {
			if len([]rune(line)) > 250 {
				t.Errorf("refused %s: a line of %d characters: %s", name, len([]rune(line)), line)
			}
		}
	}
	if f := judgeScrape(synthetic(cells[:4], 1, sampleScrape())); f.Verdict != decide.ClaimUndecided {
		t.Errorf("%v of four scenarios", f.Verdict)
	}
}

func TestScrapeRows(t *testing.T) {
	m := synthetic(scrapeCells(scrapers()...), 1, sampleScrape(scrapeLimits[1]))
	all := scrapedAll(m)
	if all[0].outcome() != fetchedInTime || all[len(all)-1].outcome() != fetchedBanned {
		t.Errorf("first is %+v, last %+v", all[0], all[len(all)-1])
	}
	rows := scrapeTable(all).Rows
	shown, pools := len(rows), ""
	for _, row := range rows {
		alike, err := strconv.Atoi(row[6])
		if shown += alike; err != nil {
			t.Error(err)
		}
		if row[2] == "10" {
			pools += strings.Join(row, " ") + "\n"
		}
	}
	if shown != len(all) {
		t.Errorf("the table has %d of %d results", shown, len(all))
	}
	if want := "errgroup_limit 64 10 0 10 500 s 4\n"; pools != want {
		t.Errorf("the refused pools are %q, want %q", pools, want)
	}
	if last := rows[len(rows)-1][0]; last != "unbounded" {
		t.Errorf("last is %s", last)
	}
}
