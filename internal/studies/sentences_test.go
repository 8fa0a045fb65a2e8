package studies

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
)

func expect(t *testing.T, what string, f decide.Finding, want decide.ClaimVerdict, because string) {
	t.Helper()
	if f.Verdict != want || f.Because != because {
		t.Errorf("%s: %v\n%s\nwant %v\n%s", what, f.Verdict, f.Because, want, because)
	}
	checkSentences(t, f)
}

func checkSentences(t *testing.T, f decide.Finding) {
	t.Helper()
	if f.Table != nil {
		for _, row := range f.Table.Rows {
			if len(row) != len(f.Table.Heads) {
				t.Errorf("row %q below %q", row, f.Table.Heads)
			}
		}
		var b strings.Builder
		if err := text.WriteTable(&b, f.Table.Lines(), 0); err != nil {
			t.Error(err)
		}
		if width := utf8.RuneCountInString(b.String()[:strings.Index(b.String(), "\n")]); width > 125 {
			t.Errorf("a table of %d columns:\n%s", width, b.String())
		}
	}
	for _, line := range append([]string{f.Advice, f.Because}, printed(f)...) {
		for what, wrong := range sentenceFaults {
			if wrong.MatchString(line) {
				t.Errorf("%s: %s", what, line)
			}
		}
		for _, in := range ranges.FindAllStringSubmatch(line, -1) {
			if in[1] == in[2] {
				t.Errorf("an interval of no width: %s", line)
			}
		}
	}
}

func printed(f decide.Finding) (lines []string) {
	if f.Table != nil {
		for _, row := range f.Table.Lines() {
			lines = append(lines, strings.Join(row, " | "))
		}
	}
	return append(lines, f.Lines...)
}

// ranges matches intervals such as (10 % to 14 %).
var ranges = regexp.MustCompile(`([^ (]+(?: %)?) to ([^ ),;]+(?: %)?)`)

var sentenceFaults = map[string]*regexp.Regexp{
	"a number that is none":     regexp.MustCompile(`NaN|Inf|%!`),
	"a minus that breaks lines": regexp.MustCompile(`(^|[( ])-[0-9]`),
	"a unit glued to a number":  regexp.MustCompile(`(^| )[0-9.]+(ns|us|µs|ms|s)\b`),
	"a blank too many":          regexp.MustCompile(`  | [,;:.]`),
}

func TestPoints(t *testing.T) {
	for n, want := range map[int][2]string{
		1: {"Points: one repetition.", "Points: one repetition."},
		3: {"Points: medians of 3 repetitions. Bars: smallest to largest.",
			"Points: means of 3 repetitions. Bars: their 95 % intervals (Student's t)."},
		6: {"Points: medians of 6 repetitions. Bars: their 95 % intervals.",
			"Points: means of 6 repetitions. Bars: their 95 % intervals (Student's t)."},
	} {
		cells := loadSweep(Quick, pooled)
		m := synthetic(cells, n, func(bench.Scenario, int) map[string]float64 { return nil })
		if got := [2]string{m.Medians(cells), m.Means(cells)}; got != want {
			t.Errorf("%d repetitions: %q, want %q", n, got, want)
		}
	}
}
