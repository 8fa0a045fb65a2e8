package page

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/internal/tab"
)

func TestWithoutScripts(t *testing.T) {
	path := reportFile(t, smallRun(t))
	b := tab.New(t)
	tab.Call(b, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true})
	b.Open(path, "")
	counts := tab.Eval[map[string]float64](b, `({
		explorer: document.getElementById("explorer").childElementCount,
		note: document.querySelectorAll(".explore noscript p").length,
		h1: document.querySelector("h1").offsetHeight, svg: document.querySelectorAll("svg").length,
		cells: document.querySelectorAll("table td").length})`)
	if counts["explorer"] != 0 {
		t.Error("a script has run")
	}
	for _, what := range []string{"note", "h1", "svg"} {
		if counts[what] == 0 {
			t.Errorf("without scripts there is no %s", what)
		}
	}
	if counts["cells"] < 24*6 { // scenarios × columns
		t.Errorf("without scripts there are %v numbers", counts["cells"])
	}
}

func TestLargePage(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	if race.Enabled {
		t.Skip("the others have the same code, and fewer runs")
	}
	path := reportFile(t, sweepOf(t, 38))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 1_200_000 {
		t.Errorf("the page has %d bytes", info.Size())
	}
	b := tab.New(t)
	b.Open(path, "")
	// including collapsed elements
	if n := tab.Eval[int](b, `document.querySelectorAll("*").length`); n > 8000 {
		t.Errorf("the page has %d nodes", n)
	}
}

func BenchmarkPage(b *testing.B) {
	opened := tab.New(b)
	path := reportFile(b, sweepOf(b, 38))
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			opened.Open(path, "")
			opened.Settled()
		}
	})
	b.Run("toggle", func(b *testing.B) {
		for b.Loop() {
			tab.Eval[bool](opened, `document.querySelector("[data-chip]").click(), true`)
			opened.Settled()
		}
	})
}

func TestAccessible(t *testing.T) {
	axe := tab.Axe(t, "front")
	path := reportFile(t, sweepOf(t, 7))
	b := tab.New(t)
	for _, scheme := range []string{"light", "dark"} {
		b.Media(scheme)
		for _, width := range []int64{1440, 390} {
			if testing.Short() && (scheme == "light" || width == 390) {
				continue // package looks tests narrow pages
			}
			b.Size(width, 900)
			b.Open(path, "#explore?m=p99&x=0.9&p=serial&base=serial&v=1")
			b.Settled()
			for _, v := range b.Violations(axe) {
				t.Errorf("%s, %d px: %s", scheme, width, v)
			}
		}
	}
}

// At 320 px the page must not scroll sideways. Fallback fonts must not make chart text overflow.
func TestNarrow(t *testing.T) {
	path := reportFile(t, sweepOf(t, 7))
	b := tab.New(t)
	for i, width := range []int64{320, 390, 1024, 1440} {
		if testing.Short() && i%2 == 0 {
			continue
		}
		b.Size(width, 800)
		b.Open(path, "#explore?m=p99&base=serial&v=1")
		b.Settled()
		if wide := tab.Eval[int64](b, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("at %d px the page is %d px wide", width, wide)
		}
		for _, plot := range tab.Eval[[]string](b, `[...document.querySelectorAll("figure .plot")]
			.filter((p) => getComputedStyle(p).overflowX === "auto" || p.matches(".panels") &&
				[...p.querySelectorAll("svg")].some((s) => s.clientWidth < 0.7 * s.viewBox.baseVal.width))
			.map((p) => p.parentNode.id)`) {
			if width >= 390 {
				t.Errorf("at %d px the figure %s scrolls, or its letters are too small", width, plot)
			}
		}
		for _, text := range tab.Eval[[]string](b, smallTexts) {
			if width >= 390 {
				t.Errorf("at %d px there are letters below 12 px: %s", width, text)
			}
		}
		for _, font := range []string{"DejaVu Sans", "Liberation Sans", "Roboto"} {
			for _, text := range b.CutOff(".explore svg", font) {
				t.Errorf("in %s at %d px %q is cut off", font, width, text)
			}
		}
	}
}

const smallTexts = `(() => {
	document.querySelectorAll("details").forEach((d) => { d.open = true; });
	return [...document.querySelectorAll("body *:not(script, style, noscript, title)")].filter((e) => {
		if (e.getBoundingClientRect().width === 0 || e.closest(".live") ||
			![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) return false;
		const scaled = e.ownerSVGElement ? e.getScreenCTM() : { c: 0, d: 1 };
		return parseFloat(getComputedStyle(e).fontSize) * Math.hypot(scaled.c, scaled.d) < 11.95;
	}).map((e) => e.textContent.trim().slice(0, 40) + " in " + e.closest("[id]")?.id);
})()`

func TestHostilePage(t *testing.T) {
	hostile := `"><img/onerror=pwned=1>'` + "`${pwned=1}`" + strings.Repeat("W", 10_000)
	var lines strings.Builder
	lines.WriteString("cpu: <script>pwned=1</script>" + hostile + "\n")
	for i, load := range []float64{0.5, 0.8} {
		for _, name := range []string{"a", "b" + hostile} {
			fmt.Fprintf(&lines, "BenchmarkRun/strategy=%s/workload=w%s/load=%v 1000 %d p99-response-sec\n",
				strings.ReplaceAll(name, "/", ""), strings.ReplaceAll(hostile, "/", ""), load, i+1)
		}
	}
	dir := resultstest.Files(t, map[string][]byte{rundir.ResultsFile: []byte(lines.String())})
	path := reportFile(t, dir)
	b := tab.New(t)
	for _, width := range []int64{390, 1440} {
		b.Size(width, 800)
		b.Open(path, "")
		b.Settled()
		if tab.Eval[bool](b, `"pwned" in globalThis`) {
			t.Error("a name has run")
		}
		if wide := tab.Eval[int64](b, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("at %d px the page is %s px wide", width, strconv.FormatInt(wide, 10))
		}
	}
}
