package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

func sixRuns(t *testing.T, name string, a, b float64) *results.Results {
	var text strings.Builder
	text.WriteString("Unit p99-response-sec better=lower\n")
	for i := range 6 {
		for s, times := range map[string]float64{"a": a, "b<i>": b} {
			fmt.Fprintf(&text, "BenchmarkRun/strategy=%s/load=0.9 1 %v p99-response-sec\n", s,
				times*(1+float64(i)/100))
		}
	}
	return resultstest.Read(t, name, text.String())
}

func TestPageWithFewSamples(t *testing.T) {
	few := func(name string, times float64) *results.Results {
		text := "Unit sec/op better=lower\n"
		for i := range 3 {
			text += fmt.Sprintf("BenchmarkA 1 %v sec/op\nBenchmarkB 1 %v sec/op\n",
				times+float64(i)/10, times*2+float64(i)/10)
		}
		return resultstest.Read(t, name, text)
	}
	var page strings.Builder
	if err := WritePage(&page, mustCompare(t, few("old", 1), few("new", 9),
		Options{})); err != nil {
		t.Fatal(err)
	}
	if want := ">Too few repetitions to test a difference: 2 comparisons with fewer than 4 " +
		"samples each</h1>"; !strings.Contains(strings.ReplaceAll(page.String(), "\u00a0", " "), want) {
		t.Errorf("no %q", want)
	}
}

func TestPageOfChance(t *testing.T) {
	many := func(name string, first float64) *results.Results {
		text := "Unit sec/op better=lower\n"
		for i := range 6 {
			for b := range 40 {
				value := 1 + float64(i)/100
				if b < 2 {
					value *= first
				}
				text += fmt.Sprintf("BenchmarkB%d 1 %v sec/op\n", b, value)
			}
		}
		return resultstest.Read(t, name, text)
	}
	var text strings.Builder
	if err := WriteText(&text, mustCompare(t, many("old", 1), many("new", 2),
		Options{}), 0); err != nil {
		t.Fatal(err)
	}
	if want := "2 differences of 40 tested with p ≤ 0.05, but about 2 are expected by chance: no " +
		"reliable difference\n"; !strings.HasPrefix(strings.ReplaceAll(text.String(),
		"\u00a0", " "), want) {
		t.Errorf("no %q", want)
	}
	var page strings.Builder
	if err := WritePage(&page, mustCompare(t, many("old", 1), many("new", 2),
		Options{})); err != nil {
		t.Fatal(err)
	}
	if want := "<li class=\"badge \">2 worse, as expected by chance</li>"; !strings.Contains(page.String(),
		want) {
		t.Errorf("no %q", want)
	}
}

// The headline contains the largest change. Rows without a significant difference are collapsed.
func TestPage(t *testing.T) {
	for name, c := range map[string]struct {
		a, b float64
		want []string
	}{
		"worse": {1.5, 1, []string{
			`>The p99 response of a is 50 % higher: 1.54 s, before 1.02 s; of 2 ` +
				`comparisons 1 worse</h1>`,
			`1 without a significant difference`, `<tr class="worse"><td class="left name">a`,
			"about 0.1 differ by chance", "old · new · load=0.9", `<figure id="changes"`}},
		"both": {0.8, 2, []string{
			`>The p99 response of b&lt;i&gt; is 2.00 times as high: 2.05 s, before 1.02 s; of 2 ` +
				`comparisons 1 worse, ` +
				`1 better</h1>`, `p99 response of a: 20 % lower: 820 ms, before 1.02 s.`}},
		"nothing": {1, 1, []string{
			`>No significant difference in 2 comparisons (p ≤ 0.05)</h1>`,
			`2 without a significant difference`}},
	} {
		var page strings.Builder
		if err := WritePage(&page, mustCompare(t, sixRuns(t, "old", 1, 1),
			sixRuns(t, "new", c.a, c.b), Options{})); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(page.String(), "\u00a0", " ")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		if strings.Contains(got, "<i>") {
			t.Errorf("%s: a name became an element", name)
		}
		if drawn := strings.Contains(got, "<figure"); drawn == (name == "nothing") {
			t.Errorf("%s: a figure is drawn: %v", name, drawn)
		}
	}
}
