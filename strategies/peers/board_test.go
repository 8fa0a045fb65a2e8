package peers_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/peers"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

var update = flag.Bool("update", false, "write docs/board.md anew")

const boardPage = "../../docs/board.md"

// TestBoard: docs/board.md has what the tests of this package find: TestContract that a clause
// holds, TestKnown that a fault is still there. -update (make generate) writes it.
func TestBoard(t *testing.T) {
	text, err := os.ReadFile(boardPage)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for mark, made := range map[string]string{
		"strategies": boardTable(t, func(s strategies.Spec) bool { return !peers.Has(s.Name) }),
		"libraries":  boardTable(t, func(s strategies.Spec) bool { return peers.Has(s.Name) }),
		"faults":     boardFaults(t),
	} {
		between := regexp.MustCompile(`(?s)(<!-- ` + mark +
			`: made by make generate -->\n).*?(<!-- end -->\n)`)
		if n := len(between.FindAllString(want, -1)); n != 1 {
			t.Fatalf("%d marks of %s", n, mark)
		}
		want = between.ReplaceAllStringFunc(want, func(found string) string {
			marks := between.FindStringSubmatch(found)
			return marks[1] + made + marks[2]
		})
	}
	if *update {
		if err := os.WriteFile(boardPage, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := gocmp.Diff(want, string(text)); diff != "" {
		t.Errorf("docs/board.md is behind the sources: make generate\n%s", diff)
	}
}

// The trees that the board has the smallest limits of.
var (
	boardWaits   = strategytest.Tree{Roots: 1, Width: 3, Levels: 2, Waits: true}
	boardSubmits = strategytest.Tree{Roots: 1, Width: 3, Levels: 2}
)

// boardTable has a row for each of those strategies.
func boardTable(t *testing.T, is func(strategies.Spec) bool) string {
	var out strings.Builder
	out.WriteString("| strategy |")
	clauses := strategytest.Clauses()
	for _, c := range clauses {
		fmt.Fprintf(&out, " %s |", c.Name)
	}
	out.WriteString(" waits | submits | ns |\n|---|")
	out.WriteString(strings.Repeat(":-:|", len(clauses)) + "--:|--:|--:|\n")
	costs := boardCosts(t)
	for _, s := range strategies.All() {
		if s.RealClock || !is(s) {
			continue
		}
		fmt.Fprintf(&out, "| %s |", s.Name)
		for _, c := range clauses {
			fmt.Fprintf(&out, " %s |", boardCell(s, c))
		}
		for _, tree := range []strategytest.Tree{boardWaits, boardSubmits} {
			n, err := strategytest.SmallestLimit(s, tree)
			if err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
			limit := n.String()
			if n.Refuses {
				limit += " (refuses)"
			}
			fmt.Fprintf(&out, " %s |", limit)
		}
		fmt.Fprintf(&out, " %s |\n", cmp.Or(costs[s.Name], "–"))
	}
	return out.String()
}

// boardCell says whether the clause holds.
func boardCell(s strategies.Spec, c strategytest.Clause) string {
	for _, f := range known {
		if f.clause == s.Name+": "+c.Name {
			return fmt.Sprintf("[**fails**](#%s)", f.name)
		}
	}
	if !c.Asks(s) {
		return "–"
	}
	return "✓"
}

// boardCosts are the nanoseconds of a dispatch at a limit of 8, by one producer and two processors,
// from docs/dispatch.md.
func boardCosts(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../docs/dispatch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Submit, GOMAXPROCS=2 (ns per task)")
	table, _, _ = strings.Cut(table, "\n## ")
	costs := map[string]string{}
	row := regexp.MustCompile(`(?m)^\| (\w+) \| [^|]+ \| (\d+) / \d+ \|`)
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		costs[m[1]] = m[2]
	}
	if len(costs) < 20 {
		t.Fatalf("docs/dispatch.md has the costs of %d strategies", len(costs))
	}
	return costs
}

// boardFaults has a section for each fault, with what shows it.
func boardFaults(t *testing.T) string {
	shows := reproductions(t)
	var out strings.Builder
	for _, f := range known {
		module := f.module[strings.Index(f.module, "/")+1:]
		fmt.Fprintf(&out, "### %s\n\n%s %s: %s.\n", f.name, module, f.version, f.finding)
		if f.clause != "" {
			fmt.Fprintf(&out, "It breaks %s.\n", f.clause)
		} else {
			out.WriteString("The strategy keeps it from its users.\n")
		}
		if f.upstream != "" {
			fmt.Fprintf(&out, "Upstream: <https://github.com/%s/%s>.\n",
				strings.TrimSuffix(f.module[len("github.com/"):], "/v2"), f.upstream)
		}
		fmt.Fprintf(&out, "\n```text\n%s\n```\n\n", f.want)
		if shows[f.name] == "" {
			t.Errorf("%s: there is nothing that shows it", f.name)
		}
		fmt.Fprintf(&out, "```go\n%s\n```\n\n", shows[f.name])
	}
	return out.String()
}

// reproductions are the sources of what shows each fault.
func reproductions(t *testing.T) map[string]string {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shows, set := map[string]string{}, token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			fields := map[string]ast.Expr{}
			for _, e := range literal.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := pair.Key.(*ast.Ident); ok {
						fields[key.Name] = pair.Value
					}
				}
			}
			called, ok := fields["name"].(*ast.BasicLit)
			if !ok || fields["show"] == nil {
				return true
			}
			var source bytes.Buffer
			if err := format.Node(&source, set, fields["show"]); err != nil {
				t.Fatal(err)
			}
			shows[strings.Trim(called.Value, `"`)] = source.String()
			return true
		})
	}
	return shows
}
