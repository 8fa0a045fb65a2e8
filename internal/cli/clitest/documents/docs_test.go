package documents

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/reports/why"
	"github.com/poolbench/poolbench/strategies"
)

var update = flag.Bool("update", false, "write the generated parts of the documents anew")

const checkout = "../../../.."

// generated contains the tables by page and by the mark before each table.
var generated = map[string]map[string]func() string{
	"docs/reference/strategies.md": {"choice": choiceTable, "strategies": strategyTable},
	"docs/reference/studies.md":    {"studies": studyTable},
	"docs/reference/metrics.md":    {"metrics": metricTable},
	"docs/durable-queues.md":       {"adds": addsTable},
	"docs/reading-results.md":      {"exit codes": exitCodeTable, "causes": causeTable},
}

func causeTable() string {
	var b strings.Builder
	b.WriteString("| cause | meaning | remedy |\n|---|---|---|\n")
	for _, row := range why.Table() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row[0], row[1], row[2])
	}
	return b.String()
}

func addsTable() string {
	var b strings.Builder
	b.WriteString("| strategy | added by poolbench | the bare library |\n|---|---|---|\n")
	for _, s := range strategies.All() {
		for _, a := range s.Adds {
			if s.Durability != nil {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, a.What, a.Bare)
			}
		}
	}
	return b.String()
}

func choiceTable() string {
	var b strings.Builder
	b.WriteString("| strategy | what it is | use it if |\n|---|---|---|\n")
	for _, s := range strategies.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, s.Summary, s.UseIf)
	}
	return b.String()
}

func strategyTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n%s|\n", strings.Join(options.StrategyColumns, " | "),
		strings.Repeat("|---", len(options.StrategyColumns)))
	for _, s := range strategies.All() {
		row := options.StrategyRow(s)
		row[0] = "`" + row[0] + "`"
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	return b.String()
}

func studyTable() string {
	var b strings.Builder
	b.WriteString("| study | the question | the claim |\n|---|---|---|\n")
	for _, s := range studies.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, s.Question, s.Claim)
	}
	return b.String()
}

// Metrics that differ only in a number share a line.
func metricTable() string {
	var b strings.Builder
	b.WriteString("| metric | better | what it is |\n|---|---|---|\n")
	numbered := regexp.MustCompile(`^((?:theory-)?(?:found|priority|tenant|pipeline)-)\d+(-)`)
	seen := map[string]bool{}
	for _, m := range observe.Metrics() {
		unit := numbered.ReplaceAllString(m.Unit, "${1}N$2")
		if seen[unit] {
			continue
		}
		seen[unit] = true
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", unit, m.Better,
			strings.Replace(m.Doc, "find 0 slots", "find N slots", 1))
	}
	for _, m := range observe.StageMetrics(0) {
		fmt.Fprintf(&b, "| `%s` | %s | for stage N: %s |\n",
			strings.Replace(m.Unit, "stage0", "stageN", 1), m.Better, m.Doc)
	}
	for _, m := range observe.SessionMetrics() {
		fmt.Fprintf(&b, "| `%s` | %s | for sessions: %s |\n", m.Unit, m.Better, m.Doc)
	}
	for _, m := range observe.StepMetrics(0, "NAME") {
		fmt.Fprintf(&b, "| `%s` | %s | for step N of sessions: %s |\n",
			strings.Replace(m.Unit, "step0", "stepN", 1), m.Better, m.Doc)
	}
	for _, m := range observe.URLMetrics("NAME") {
		fmt.Fprintf(&b, "| `%s` | %s | if an attack has several URLs, for the requests to one URL: "+
			"%s |\n", m.Unit, m.Better, m.Doc)
	}
	for _, m := range observe.PartMetrics(metric.OfStatus("NAME")) {
		fmt.Fprintf(&b, "| `%s` | %s | for an attack: %s |\n", m.Unit, m.Better, m.Doc)
	}
	return b.String()
}

func exitCodeTable() string {
	var b strings.Builder
	b.WriteString("| exit code | meaning |\n|---|---|\n")
	for _, line := range regexp.MustCompile(
		`(?m)^ +(\d+)  (.*)$`).FindAllStringSubmatch(clitest.Root().Long, -1) {
		fmt.Fprintf(&b, "| %s | %s |\n", line[1], line[2])
	}
	return b.String()
}

// -update (make generate) writes the tables.
func TestGenerated(t *testing.T) {
	for page, tables := range generated {
		path := filepath.Join(checkout, page)
		text := clitest.Read(t, path)
		want := text
		for mark, table := range tables {
			between := regexp.MustCompile(`(?s)(<!-- ` + mark +
				`: made by make generate -->\n).*?(<!-- end -->\n)`)
			if len(between.FindAllString(text, -1)) != 1 {
				t.Fatalf("%s has no place for the table of %s, or several", page, mark)
			}
			want = between.ReplaceAllStringFunc(want, func(found string) string {
				marks := between.FindStringSubmatch(found)
				return marks[1] + table() + marks[2]
			})
		}
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(want, text); diff != "" {
			t.Errorf("%s is behind the sources: make generate\n%s", page, diff)
		}
	}
}
