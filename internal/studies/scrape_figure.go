package studies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

func drawScrape(m *evidence.Measured) (f page.Figure, err error) {
	all := scrapedAll(m)
	if len(all) == 0 {
		return f, &charts.EmptyError{Chart: "scrape"}
	}
	rows, alike := scrapedRows(all)
	took := charts.RowPanel{
		Title: "time to finish",
		X: charts.Axis{Label: "first due to last end (log scale)", Log: true, Format: words.Seconds,
			Marks: []float64{600, 3600, 36_000, 360_000}, Reach: []float64{3600}},
		Levels: []charts.Level{{Name: fmt.Sprintf("(N − burst)/rate = %.0f s", scrapeFloor),
			Y: scrapeFloor}},
	}
	lost := charts.RowPanel{Title: "records lost",
		X: charts.Axis{Label: fmt.Sprintf("of %d (log scale)", tickers), Log: true, Zero: true,
			Marks: []float64{0, 100, 1000, tickers}, Reach: []float64{0, 100, tickers}}}
	for i, limit := range scrapeLimits {
		for j, fate := range []string{"", ", banned"} {
			style := i + j*len(scrapeLimits)
			a := charts.RowSeries{Name: fmt.Sprintf("limit %d%s", limit, fate), Style: style,
				Values: make([]charts.RowValue, len(rows))}
			b := charts.RowSeries{Name: a.Name, Style: style,
				Values: make([]charts.RowValue, len(rows))}
			for r := range rows {
				a.Values[r], b.Values[r] = evidence.OfMean(nil).Row(), evidence.OfMean(nil).Row()
			}
			for _, s := range all {
				if s.limit != limit || (s.outcome() == scrapedBanned) != (j == 1) {
					continue
				}
				r := slices.Index(rows, s.name)
				if r < 0 {
					continue // as another, whose row it shares
				}
				if b.Values[r] = evidence.Alone(s.lost).Row(); s.lost < tickers/2 {
					a.Values[r] = evidence.Alone(s.seconds).Row()
				}
			}
			took.Series, lost.Series = append(took.Series, a), append(lost.Series, b)
		}
	}
	shared := ""
	for i, name := range rows {
		if others := alike[name]; len(others) > 0 {
			rows[i] = fmt.Sprintf("%s and %d more", name, len(others))
			shared += fmt.Sprintf("As %s, at each limit: %s. ", name, strings.Join(others, ", "))
		}
	}
	return evidence.Figure{
		Name:  "scrape",
		Title: "What becomes of a scrape of a site that bans",
		Subtitle: fmt.Sprintf("%d calls of a site that serves %d a second, refuses more, and "+
			"bans who does not heed that", tickers, scrapeRate),
		Caption: []string{
			"From the best to the worst, at the better limit. A limit on calls in flight is no " +
				"limit on calls per second.",
			"The time is shown where at least half of the records were fetched. No order of " +
				"calls takes less than (N − burst)/rate.",
			shared + fmt.Sprintf("One run each; limits of %d and %d.", scrapeLimits[0],
				scrapeLimits[1]),
		},
	}.Rows(rows, lost, took)
}

// scrapedRows are the strategies from the best to the worst, at the better of the limits, of those
// that come to the same at each limit the first; and who the others are.
func scrapedRows(all []scraped) (rows []string, alike map[string][]string) {
	fate := func(name string) (fate string) {
		for _, limit := range scrapeLimits {
			for _, s := range all {
				if s.name == name && s.limit == limit {
					took := 0.0
					if s.lost < tickers/2 {
						took = s.seconds
					}
					fate += fmt.Sprint(limit, s.outcome(), s.lost, took, ";")
				}
			}
		}
		return fate
	}
	// the best known strategy stands for what does as it does
	first, seen := map[string]string{fate(pooled): pooled}, map[string]bool{}
	alike = map[string][]string{}
	for _, s := range all {
		if seen[s.name] {
			continue
		}
		seen[s.name] = true
		of := fate(s.name)
		if first[of] == "" {
			first[of] = s.name
		}
		if stands := first[of]; !slices.Contains(rows, stands) {
			rows = append(rows, stands)
		}
		if s.name != first[of] {
			alike[first[of]] = append(alike[first[of]], s.name)
		}
	}
	return rows, alike
}
