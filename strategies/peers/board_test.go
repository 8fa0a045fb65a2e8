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

var update = flag.Bool("update", false, "write the tables of docs that this package measures")

const (
	boardText = "../../docs/measured/board.md"
	boardHTML = "../../docs/measured/board.html"
	poolGuide = "../../docs/test-your-pool.md"
)

// TestBoard compares documents with the results of this package's tests. With -update (make
// generate) it writes them.
func TestBoard(t *testing.T) {
	found := newBoard(t)
	text, err := os.ReadFile(boardText)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	made := map[string]string{"faults": found.faultsText(), "adds": found.addsTable(),
		"usual": usualTables(found.usual), "errors": groupTable(found.errors)}
	for _, g := range found.groups {
		made[g.id] = found.table(g)
	}
	for mark, made := range made {
		want = replaceMark(t, want, mark, made)
	}
	guide, err := os.ReadFile(poolGuide)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := found.writePage(&page); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{boardText: want, boardHTML: page.String(),
		poolGuide: replaceMark(t, string(guide), "errors", made["errors"])} {
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(name)
		if diff := gocmp.Diff(want, string(text)); diff != "" || err != nil {
			t.Errorf("%s is behind the sources: make generate\n%v%s", name, err, diff)
		}
	}
}

// replaceMark replaces the text between a start and an end mark.
func replaceMark(t *testing.T, text, mark, made string) string {
	t.Helper()
	between := regexp.MustCompile(`(?s)(<!-- ` + mark +
		`: made by make generate -->\n).*?(<!-- end -->\n)`)
	if n := len(between.FindAllString(text, -1)); n != 1 {
		t.Fatalf("%d marks of %s", n, mark)
	}
	return between.ReplaceAllStringFunc(text, func(found string) string {
		marks := between.FindStringSubmatch(found)
		return marks[1] + made + marks[2]
	})
}

// A board is a table of all strategies and libraries by contract clause.
type board struct {
	usual   []usualRow
	errors  []groupResult
	clauses []string
	groups  []boardGroup
	faults  []boardFault
	adds    []boardAddition
}

// A boardAddition is a feature that a library lacks and its adapter adds.
type boardAddition struct {
	Name string // of the strategy
	strategies.Addition
}

type boardGroup struct {
	id, title string
	libraries bool
	rows      []boardRow
}

type boardRow struct {
	name, version  string // of the library; "": it is built in
	cells          []boardCell
	waits, submits string // the smallest limits, in words
	cost           string
}

type boardCell struct {
	state cellState
	fault string
}

type cellState int

const (
	holds cellState = iota
	fails
	notClaimed
)

type boardFault struct {
	fault
	source string
}

// library returns the module path without the host.
func (f fault) library() string { return f.module[strings.Index(f.module, "/")+1:] }

// link returns the address of the upstream issue, or "".
func (f fault) link() string {
	if f.upstream == "" || strings.HasPrefix(f.upstream, "https://") {
		return f.upstream
	}
	return "https://" + strings.TrimSuffix(f.module, "/v2") + "/" + f.upstream
}

func newBoard(t *testing.T) *board {
	b := &board{groups: []boardGroup{{id: "libraries", title: "Libraries", libraries: true},
		{id: "strategies", title: "Built in"}}}
	b.usual, b.errors = usualChoices(t), measureGroups(t)
	clauses := strategytest.Clauses()
	for _, c := range clauses {
		b.clauses = append(b.clauses, c.Name)
	}
	costs, versions := boardCosts(t), boardVersions(t)
	for _, s := range strategies.All() {
		if s.RealClock {
			continue
		}
		g := &b.groups[1]
		r := boardRow{name: s.Name, cost: cmp.Or(costs[s.Name], "–")}
		if peers.Has(s.Name) {
			g = &b.groups[0]
			for module, version := range versions {
				if strings.HasPrefix(s.Source+"/", module+"/") {
					r.version = version
				}
			}
			if r.version == "" {
				t.Errorf("%s: go.mod has no %s", s.Name, s.Source)
			}
			for _, a := range s.Adds {
				b.adds = append(b.adds, boardAddition{s.Name, a})
			}
		}
		for _, c := range clauses {
			r.cells = append(r.cells, newBoardCell(s, c))
		}
		for tree, said := range map[strategytest.Tree]*string{boardWaits: &r.waits,
			boardSubmits: &r.submits} {
			n, err := strategytest.SmallestLimit(s, tree)
			if err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
			if *said = n.String(); n.Refuses {
				*said += " (refuses)"
			}
		}
		g.rows = append(g.rows, r)
	}
	shows := reproductions(t)
	for _, f := range known {
		if shows[f.name] == "" {
			t.Errorf("%s: there is nothing that shows it", f.name)
		}
		b.faults = append(b.faults, boardFault{f, shows[f.name]})
	}
	return b
}

func newBoardCell(s strategies.Spec, c strategytest.Clause) boardCell {
	for _, f := range known {
		if f.clause == s.Name+": "+c.Name {
			return boardCell{fails, f.name}
		}
	}
	if !c.Asks(s) {
		return boardCell{state: notClaimed}
	}
	return boardCell{state: holds}
}

// The board shows the smallest limits at which these trees of nested tasks complete.
var (
	boardWaits   = strategytest.Tree{Roots: 1, Width: 3, Levels: 2, Waits: true}
	boardSubmits = strategytest.Tree{Roots: 1, Width: 3, Levels: 2}
)

func (b *board) table(g boardGroup) string {
	heads, rule := "| strategy |", "|---|"
	if g.libraries {
		heads, rule = heads+" version |", rule+"---|"
	}
	out := heads + " " + strings.Join(b.clauses, " | ") + " | waits | submits | ns |\n" + rule +
		strings.Repeat(":-:|", len(b.clauses)) + "--:|--:|--:|\n"
	for _, r := range g.rows {
		out += "| " + r.name + " |"
		if g.libraries {
			out += " " + r.version + " |"
		}
		for _, c := range r.cells {
			switch c.state {
			case holds:
				out += " ✓ |"
			case fails:
				out += fmt.Sprintf(" [**fails**](#%s) |", c.fault)
			case notClaimed:
				out += " – |"
			}
		}
		out += fmt.Sprintf(" %s | %s | %s |\n", r.waits, r.submits, r.cost)
	}
	return out
}

func (b *board) addsTable() string {
	var out strings.Builder
	out.WriteString("| strategy | added by poolbench | the bare library |\n|---|---|---|\n")
	for _, a := range b.adds {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", a.Name, a.What, a.Bare)
	}
	return out.String()
}

func (b *board) faultsText() string {
	var out strings.Builder
	for _, f := range b.faults {
		fmt.Fprintf(&out, "### %s\n\n%s %s: %s.\n", f.name, f.library(), f.version, f.finding)
		if f.clause != "" {
			fmt.Fprintf(&out, "It breaks %s.\n", f.clause)
		} else {
			out.WriteString("The adapter protects its users from this fault.\n")
		}
		if link := f.link(); link != "" {
			fmt.Fprintf(&out, "Upstream: <%s>.\n", link)
		}
		fmt.Fprintf(&out, "\n```text\n%s\n```\n\n```go\n%s\n```\n\n", f.want, f.source)
	}
	return out.String()
}

func boardVersions(t *testing.T) map[string]string {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`).FindAllStringSubmatch(string(mod),
		-1) {
		versions[m[1]] = m[2]
	}
	return versions
}

// boardCosts returns the ns per task for limit 8, one producer and GOMAXPROCS 2.
func boardCosts(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../docs/measured/dispatch.md")
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
		t.Fatalf("docs/measured/dispatch.md has the costs of %d strategies", len(costs))
	}
	return costs
}

// reproductions returns the source of each fault's reproduction.
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
