package page

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/internal/tab"
)

// sweepOf returns a sweep over five loads, with three repetitions. Strategies beyond the sample are
// copies of it. Their numbers of tasks are changed, because equal strategies would be merged.
func sweepOf(t testing.TB, strategies int) (dir string) {
	t.Helper()
	files := map[string][]byte{}
	more := (strategies + len(sampleStrategies) - 1) / len(sampleStrategies)
	for k := range more {
		for name, content := range sweepFiles(k) {
			files[name] = append(files[name], renamed(name, content, k, strategies)...)
		}
	}
	return resultstest.Files(t, files)
}

var sweepCache = map[int]map[string][]byte{}

func sweepFiles(k int) map[string][]byte {
	if sweepCache[k] == nil {
		var scenarios []sampleScenario
		for _, load := range []float64{0.3, 0.5, 0.7, 0.9, 1.1} {
			scenarios = append(scenarios, sampleScenario{"exponential:mean=10ms", "poisson", 1, 4,
				load, "virtual", 4000 + 10*k, 3})
		}
		sweepCache[k] = sampleFiles(scenarios)
	}
	return sweepCache[k]
}

// renamed renames the strategies of copy k. Only copy 0 keeps its names, and the lines that are not
// runs.
func renamed(file string, content []byte, k, most int) []byte {
	if file == rundir.ResultsFile {
		content = regexp.MustCompile(`(?m)^# complete.*\n`).ReplaceAll(content, nil)
	}
	if k == 0 {
		return content
	}
	var out []byte
	for line := range bytes.Lines(content) {
		for i, name := range sampleStrategies {
			key := []byte("strategy=" + name + "/")
			if k*len(sampleStrategies)+i < most && bytes.Contains(line, key) {
				out = append(out, bytes.ReplaceAll(line, key,
					fmt.Appendf(nil, "strategy=%s_%d/", name, k))...)
			}
		}
	}
	return out
}

func TestFirstScreen(t *testing.T) {
	path := reportFile(t, sweepOf(t, 7))
	b := tab.New(t)
	for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
		b.Size(size[0], size[1])
		b.Open(path, "")
		for _, selector := range []string{"h1", "#answer .badges", "#answer figure :is(h2, h3)"} {
			bottom := tab.Eval[float64](b, fmt.Sprintf(
				`document.querySelector(%q)?.getBoundingClientRect().bottom ?? 1e9`, selector))
			if bottom > float64(size[1]) {
				t.Errorf("at %v the lower end of %s is at %v", size, selector, bottom)
			}
		}
		h1 := tab.Eval[string](b, `document.querySelector("h1").textContent`)
		if !regexp.MustCompile(`\d`).MatchString(h1) ||
			!slices.ContainsFunc(sampleStrategies, func(name string) bool {
				return strings.Contains(h1, name)
			}) {
			t.Errorf("the finding is %q", h1)
		}
	}
}

func TestOneStrategyFillsTheChart(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	b := tab.New(t)
	b.Size(1440, 900)
	b.Open(reportFile(t, sweepOf(t, 7)), "#explore?m=p99&v=1")
	for _, name := range []string{"worker_pool_1", "serial", "bounded_queue_shed"} {
		found := tab.Eval[int](b, fmt.Sprintf(`document.querySelectorAll('[data-chip="%s"]').length`,
			name))
		if found == 0 { // the line coincides with an earlier strategy's
			continue
		}
		b.Click(fmt.Sprintf(`.chip:has([data-chip="%s"]) .only`, name))
		series := tab.Eval[[]string](b, `[...new Set([...document.querySelectorAll(
			".explore .main [data-series]")].map(e => e.dataset.series.split(":")[0]))]`)
		text := tab.Eval[string](b, `document.querySelector(".explore .main").textContent`)
		if !slices.Equal(series, []string{name}) {
			t.Errorf("alone, %s is drawn with %q", name, series)
		}
		for _, other := range sampleStrategies {
			if other != name && strings.Contains(strings.ReplaceAll(text, name, ""), other) {
				t.Errorf("alone, %s stands beside %s: %s", name, other, text)
			}
		}
		// share of the height between the outer grid lines
		share := tab.Eval[float64](b, `(() => {
			const boxes = [...document.querySelectorAll(".explore .main path[data-series][d^=M]")]
				.filter(p => p.getAttribute("stroke-width") == 1.7).map(p => p.getBBox());
			const top = Math.min(...boxes.map(b => b.y));
			const bottom = Math.max(...boxes.map(b => b.y + b.height));
			return (bottom - top) / 350;
		})()`)
		if share < 0.85 {
			t.Errorf("alone, %s takes %v of the height", name, share)
		}
	}
}

// Tab reaches the points, arrows move between them, and a screen reader announces each point. Enter
// selects a point, and Esc clears the selection.
func TestKeyboard(t *testing.T) {
	b := tab.New(t)
	b.Size(1200, 900)
	b.Open(reportFile(t, smallRun(t)), "#explore?m=p99&v=1")
	const focused = `(e => e?.classList.contains("pb-dot") ? e.dataset.series + " " + e.dataset.x : "")(
		document.activeElement)`
	for n := 0; tab.Eval[string](b, focused) == ""; n++ {
		if n > 100 {
			t.Fatal("a hundred times Tab reach no point")
		}
		b.Key(kb.Tab)
	}
	seen := map[string]bool{}
	ways := []string{kb.ArrowRight, kb.ArrowUp, kb.ArrowLeft, kb.ArrowUp, kb.ArrowDown}
	r := rand.New(rand.NewPCG(1, 1))
	want := tab.Eval[[]string](b, `[...document.querySelectorAll(".pb-dot")].map(
		e => e.dataset.series + " " + e.dataset.x)`)
	for range 40 * len(want) {
		seen[tab.Eval[string](b, focused)] = true
		if len(seen) == len(want) {
			break
		}
		tab.Run(b, chromedp.KeyEvent(ways[r.IntN(len(ways))]))
	}
	for _, point := range want {
		if !seen[point] {
			t.Errorf("of %d points arrows do not reach %s", len(want), point)
		}
	}
	spoken := tab.Eval[[]string](b, `[document.querySelector(".live").textContent,
		document.activeElement.getAttribute("aria-label")]`)
	words := regexp.MustCompile(`load 0\.\d: p99 response \d`)
	if spoken[0] != spoken[1] || !words.MatchString(spoken[0]) {
		t.Errorf("spoken: %q", spoken)
	}
	b.Key(kb.Enter)
	if at := tab.Eval[string](b, "location.hash"); !strings.Contains(at, "&p=") {
		t.Errorf("Enter leads to %s", at)
	}
	b.Key(kb.Escape)
	if at := tab.Eval[string](b, "location.hash"); strings.Contains(at, "&p=") {
		t.Errorf("Esc leaves %s", at)
	}
}

// With one SUSPECT run, the badge and the caption must not make a statement about all runs.
func TestCaptionsOfTheExplorer(t *testing.T) {
	b := tab.New(t)
	value := regexp.MustCompile(`[-0-9.e]+ (p\d+|mean)\S*-response-sec`)
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := smallRun(t)
		nth := 0
		resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
			return regexp.MustCompile(`(?m)^BenchmarkRun/.*$`).ReplaceAllStringFunc(s,
				func(line string) string {
					line = value.ReplaceAllStringFunc(line, func(pair string) string {
						_, unit, _ := strings.Cut(pair, " ")
						return fmt.Sprintf("%v %s", r.ExpFloat64(), unit)
					})
					if nth++; nth == 3 {
						return "# suspect: too short: it ends too soon\n" + line + " 1 verdict"
					}
					return line + " 0 verdict"
				})
		})
		b.Open(reportFile(t, dir), "#explore?m=p99&v=1")
		texts := tab.Eval[[]string](b, `[...document.querySelectorAll(
			".explore figcaption, .explore h3, .explore .chips")].map(e => e.innerText)`)
		for _, text := range texts {
			if m := regexp.MustCompile(`(?i)\b(every|all)\b`).FindString(text); m != "" {
				t.Errorf("%q says %q", text, m)
			}
		}
		if !strings.Contains(texts[1]+texts[2], "(3 points of ") {
			t.Errorf("one point is SUSPECT, and two fall behind: %q", texts)
		}
		badge := tab.Eval[string](b, `document.querySelector(".badges").innerText`)
		if !strings.Contains(badge, "1 SUSPECT") && !strings.Contains(badge, "SUSPECT 1") {
			t.Errorf("the badge says %q", badge)
		}
	}
}

func TestLossesOfTheExplorer(t *testing.T) {
	b, r := tab.New(t), rand.New(rand.NewPCG(7, 1))
	dir := resultstest.Files(t, sampleFiles([]sampleScenario{
		{"exponential:mean=10ms", "poisson", 1, 4, 0.8, "virtual", 200, 5}}))
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return regexp.MustCompile(`[-0-9.e]+ shed/op`).ReplaceAllStringFunc(s, func(string) string {
			return fmt.Sprintf("%v shed/op", r.Float64())
		})
	})
	b.Open(reportFile(t, dir), "#explore?m=p99&v=1")
	title := tab.Eval[string](b, `document.querySelector(".explore h3").innerText`)
	shed := regexp.MustCompile(`\(([0-9.]+) % of tasks shed\)`).FindAllStringSubmatch(title, -1)
	if shed == nil {
		t.Fatalf("the title names no losses: %q", title)
	}
	table := tab.Eval[string](b, `document.querySelector(".explore table").innerText`)
	for _, share := range shed {
		if !strings.Contains(table, share[1]+" %") {
			t.Errorf("%s %% in the title, and in the table:\n%s", share[1], table)
		}
	}
}
