package studies

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/strategies"
)

// What the scraped site allows: so many calls in a second, and so many tickers to fetch.
const (
	scrapeRate = 10
	tickers    = 5000
)

// scrapeLimits are one below the calls that the site puts up with, and one that never keeps a call waiting at this rate.
var scrapeLimits = []int{limit, 64}

// scrape fetches the reports of 5000 companies from a site that serves ten calls a second, refuses more, and bans who does not heed
// that: the nightly job that worker pools are often built for. No order of calls takes less than (N − burst)/rate.
var _ = register(Study{
	Name:     "scrape",
	Question: "which strategies scrape a site that bans without being banned, and lose nothing?",
	Count:    1,
	Apart:    true,
	Matrix: func() bench.Matrix {
		return bench.Matrix{
			Strategies: everyStrategy(scrapeRate),
			Workloads:  workload("lognormal:mean=200ms"),
			Targets:    target(fmt.Sprintf("sec_ban:limit=%d", scrapeRate)),
			Arrivals:   arrival("batch"),
			Limits:     scrapeLimits,
			Stop:       bench.Stop{Tasks: tickers},
			Seed:       1,
			Clock:      bench.Virtual,
		}
	},
	Answer: answerScrape,
})

// everyStrategy is all of them by default; those that take a rate at this one, evenly and without a burst, and those that try again
// as often as it takes.
func everyStrategy(rate float64) (all []strategies.Variant) {
	own := map[string]string{"rate": fmt.Sprint(rate), "burst": "1", "attempts": "100"}
	for _, spec := range strategies.All() {
		var args []param.Arg
		for _, k := range spec.Keys {
			if value, ok := own[k.Name]; ok {
				args = append(args, param.Arg{Key: k.Name, Value: value})
			}
		}
		v, err := spec.Variant(args)
		if err != nil {
			panic("studies: " + err.Error())
		}
		all = append(all, v)
	}
	return all
}

// answerScrape sorts the strategies, at each limit, by what became of them.
func answerScrape(results []*bench.Result) (lines []string) {
	floor := float64(tickers-scrapeRate) / scrapeRate
	for _, limit := range scrapeLimits {
		var onTime, slow, lossy, banned []string
		for _, r := range results {
			if part(r, "limit") != strconv.Itoa(limit) {
				continue
			}
			name := part(r, "strategy")
			lost := math.Round(float64(r.Tasks) * (sum(r, "shed/op", "throttled/op", "failed/op", "abandoned/op")))
			seconds := sum(r, "makespan-sec")
			switch withLoss := fmt.Sprintf("%s (%.0f lost)", name, lost); {
			case sum(r, "bans") > 0:
				banned = append(banned, withLoss)
			case lost > 0:
				lossy = append(lossy, withLoss)
			case seconds < 1.02*floor:
				onTime = append(onTime, fmt.Sprintf("%s (%.1f s)", name, seconds))
			default:
				slow = append(slow, fmt.Sprintf("%s (%.1f s)", name, seconds))
			}
		}
		lines = append(lines,
			said(onTime, "limit %d: all %d in (N − burst)/rate = %.0f s, within 2 %%", limit, tickers, floor),
			said(slow, "limit %d: all, but slower", limit),
			said(lossy, "limit %d: not banned, but records were lost", limit),
			said(banned, "limit %d: banned", limit))
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// said puts what holds before the names that it holds of; nothing where there are none.
func said(names []string, format string, args ...any) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(format, args...) + ": " + strings.Join(names, ", ")
}

// part is the value of a key in the name of a result.
func part(r *bench.Result, key string) string {
	_, rest, _ := strings.Cut(r.Name, "/"+key+"=")
	value, _, _ := strings.Cut(rest, "/")
	return value
}

// sum adds up the metrics that the result has.
func sum(r *bench.Result, units ...string) (total float64) {
	for _, unit := range units {
		v, _ := r.Metric(unit)
		total += v
	}
	return total
}
