package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

const (
	scrapeRate = 10
	tickers    = 5000
)

// With 64, no call waits for a slot at this rate.
var scrapeLimits = []int{limit, 64}

// The claim is about strategies that limit only the number of calls in progress. It holds if none
// of them is refused a call at any limit, does not hold if each is refused calls in each run at
// each limit, and depends on the limit otherwise.
var _ = register(Study{
	Name:     "scrape",
	Question: "which strategies scrape a site that bans clients, without a ban and without a loss?",
	Claim: "a bounded pool alone prevents refusals and bans by a site that limits the calls per " +
		"second",
	Count:   [3]int{1, 1, 1},
	Budget:  4 * time.Second,
	Cells:   func(Size) []bench.Scenario { return scrapeCells(scrapers()...) },
	With:    func(_ Size, of ...string) []bench.Scenario { return scrapeCells(strategy(of...)...) },
	Decides: []string{metric.RefusedCalls, metric.Bans},
	Advice: evidence.Sentences{
		Holds: "limit the workers: this alone keeps within the site's limit",
		DoesNotHold: "limit the rate: a limit on workers alone does not keep within the site's " +
			"limit",
		Depends: "limit the rate: a limit on workers keeps within the site's limit only for some " +
			"values",
	},
	Judge: judgeScrape,
	Draw:  []drawing{drawScrape},
})

func scrapeCells(of ...strategies.Variant) []bench.Scenario {
	return lossy(bench.Matrix{
		Strategies: of,
		Workloads:  workload("lognormal:mean=200ms"),
		Targets:    target(fmt.Sprintf("sec_ban:limit=%d", scrapeRate)),
		Arrivals:   arrival("batch"),
		Limits:     scrapeLimits,
		Stop:       bench.Stop{Tasks: tickers},
		Clock:      bench.Virtual,
	})
}

// The rate limit is inside the retry, so retries wait for a token, too. Otherwise the site would
// ban the client.
const scrapeWhole = "retry:attempts=5+token_bucket:rate=target,burst=1+worker_pool"

func scrapers() []strategies.Variant {
	all := acceptedStrategies(func(spec strategies.Spec) bool { return !isPeer(spec) },
		map[string]string{"rate": fmt.Sprint(scrapeRate), "burst": "1", "attempts": "100"})
	return append(all, strategy(scrapeWhole)...)
}

const scrapeFloor = float64(tickers-scrapeRate) / scrapeRate

type scraped struct {
	name          string
	limit         int
	lost          float64
	seconds       float64
	bans, refused float64 // calls, in the run with the fewest
	runs          int
}

const (
	fetchedInTime = iota
	fetchedLate
	fetchedLossy
	fetchedBanned
)

func (s scraped) outcome() int {
	switch {
	case s.bans > 0:
		return fetchedBanned
	case s.lost > 0:
		return fetchedLossy
	case s.seconds >= 1.02*scrapeFloor:
		return fetchedLate
	}
	return fetchedInTime
}

func scrapedAll(m *evidence.Measured) (all []scraped) {
	for _, name := range m.Styles {
		for _, limit := range scrapeLimits {
			sc, ok := scrapeCell(name, limit)
			if !ok || !m.Known(sc) {
				continue
			}
			value := func(unit string) float64 { return m.Mean(sc, unit).Mid }
			all = append(all, scraped{name, limit, math.Round(m.LostShare(sc).Mid * tickers),
				value(metric.Makespan), value(metric.Bans), m.Lowest(sc, metric.RefusedCalls),
				len(m.Runs(sc))})
		}
	}
	slices.SortStableFunc(all, func(a, b scraped) int {
		return cmp.Or(a.outcome()-b.outcome(), cmp.Compare(a.lost, b.lost),
			cmp.Compare(math.Round(10*a.seconds), math.Round(10*b.seconds)), // as shown
			cmp.Compare(a.name, b.name))
	})
	return all
}

func judgeScrape(m *evidence.Measured) decide.Finding {
	var r evidence.Ruling
	var clean []string
	runs := 0
	all := scrapedAll(m)
	for _, s := range all {
		if slices.Contains(poolsAlone, s.name) {
			runs += s.runs
			r.Certain(fmt.Sprintf("limit %d", s.limit), evidence.Point(s.refused), s.refused == 0,
				s.refused > 0)
		}
		if s.outcome() < fetchedLossy {
			clean = append(clean, fmt.Sprintf("%s at limit %d", s.name, s.limit))
		}
	}
	if judged, want := len(r.All()), len(poolsAlone)*len(scrapeLimits); judged < want {
		return evidence.Missing("%d of %d scenarios of %s were not measured", want-judged, want,
			evidence.Series(poolsAlone))
	}
	f := r.Find(evidence.Sentences{
		Holds: "the site refuses no call of a pool, " + evidence.ButFor(runs),
		DoesNotHold: fmt.Sprintf("the site refuses calls of each of %s at each limit",
			evidence.Series(poolsAlone)),
		Depends: "on the limit",
	}, "")
	f.Table = scrapeTable(slices.DeleteFunc(all, func(s scraped) bool {
		return s.outcome() >= fetchedLossy && !slices.Contains(append(poolsAlone, free), s.name)
	}))
	f.AddLines(evidence.IfAny(evidence.Few(clean, 5), "no ban and no loss"))
	f.Add("any order of calls needs at least (N − burst)/rate = %.0f s", scrapeFloor)
	return f
}

func scrapeTable(all []scraped) *decide.Table {
	table := decide.Table{Heads: []string{"strategy", "limit", fmt.Sprintf("refused of %d", tickers),
		"bans", "lost", "time", "others alike"}}
	for i := 0; i < len(all); {
		next := i + 1
		for next < len(all) && all[i].alike(all[next]) {
			next++
		}
		table.Add(slices.Concat([]string{withoutArgs(all[i].name)}, all[i].cells(),
			[]string{fmt.Sprint(next - i - 1)})...)
		i = next
	}
	return &table
}

// alike is more precise than the cells: strategies whose times differ by 0.1 s are not alike.
func (s scraped) alike(o scraped) bool {
	return slices.Equal(s.cells(), o.cells()) &&
		math.Round(10*s.seconds) == math.Round(10*o.seconds)
}

func (s scraped) cells() []string {
	return []string{fmt.Sprint(s.limit), fmt.Sprintf("%.0f", s.refused), fmt.Sprintf("%.0f", s.bans),
		fmt.Sprintf("%.0f", s.lost), text.Seconds(s.seconds)}
}

func drawScrape(m *evidence.Measured) evidence.Figure {
	all := scrapedAll(m)
	if len(all) == 0 {
		return evidence.Figure{}
	}
	return evidence.Figure{
		Name:  "scrape",
		Title: "Scraping a site that bans clients",
		Subtitle: fmt.Sprintf("%d calls of a site that serves %d calls a second, refuses further "+
			"calls, and bans clients that ignore refusals", tickers, scrapeRate),
		Caption: []string{
			"From the best to the worst. A limit on calls in flight is no limit on calls per second.",
			"Any order of calls needs at least (N − burst)/rate.",
			fmt.Sprintf("One run each; limits of %d and %d.", scrapeLimits[0], scrapeLimits[1]),
		},
	}.Finding(decide.Finding{Table: scrapeTable(all)})
}

func withoutArgs(name string) string {
	if !strings.Contains(name, "+") {
		return name
	}
	var parts []string
	for part := range strings.SplitSeq(name, "+") {
		part, _, _ = strings.Cut(part, ":")
		parts = append(parts, part)
	}
	return strings.Join(parts, "+")
}

var poolsAlone = []string{"worker_pool", "semaphore", "errgroup_limit", "weighted_semaphore",
	"singleton_pool"}

func scrapeCell(name string, limit int) (bench.Scenario, bool) {
	v, err := strategies.Parse(name)
	if err != nil {
		return bench.Scenario{}, false
	}
	cells := scrapeCells(v)
	return cells[slices.Index(scrapeLimits, limit)], true
}
