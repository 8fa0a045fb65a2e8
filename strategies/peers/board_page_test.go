package peers_test

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/strategies"
)

var (
	//go:embed testdata/board.html.tmpl
	boardTemplateText string
	//go:embed testdata/board.css
	boardStyle string

	boardTemplate = template.Must(template.New("board").Parse(boardTemplateText))
)

func (b *board) writePage(w io.Writer) error {
	count, libraries := [notClaimed + 1]int{}, 0
	var breaks []string
	for _, g := range b.groups {
		for _, r := range g.rows {
			if g.libraries {
				libraries++
			}
			broken := false
			for _, c := range r.cells {
				count[c.state]++
				broken = broken || c.state == fails
			}
			if broken {
				breaks = append(breaks, r.name)
			}
		}
	}
	p := shell.Page{Title: "board", Subtitle: "every strategy and library, clause by clause",
		Command: "go test ./strategies/peers -run TestBoard -update",
		Answer: shell.Answer{
			Headline: fmt.Sprintf("Every clause holds in %d of %s, and not in %s",
				libraries-len(breaks), text.Count(libraries, "library strategy"),
				text.List(breaks)),
			Lead: "Libraries are tested through an adapter, which adds the features that the " +
				"contract requires: see Added by poolbench. Defects of the bare libraries are " +
				"listed under Faults of libraries.",
			Facts: []shell.Fact{
				{Title: "Cells", Text: "✓ holds: a test of the clause passes. ✗ fails: the link " +
					"leads to code that shows the fault, and a test runs this code. – no " +
					"claim: the clause does not apply to what the strategy declares."},
				{Title: "Waits and submits", Text: "The smallest limit at which tasks can " +
					"submit to their own pool. A task submits three tasks, and each of these " +
					"submits three more. Waits: each task waits for the tasks that it " +
					"submitted. Submits: no task waits. Never: at no limit. Refuses: below " +
					"the limit tasks are refused, but there is no deadlock."},
				{Title: "ns", Text: "Overhead per task in nanoseconds, at a limit of 8, with " +
					"one producer and two CPUs; – if it was not measured."},
			}},
		Trust: []shell.Badge{{Kind: "ok", Text: fmt.Sprintf("✓ %d hold", count[holds])},
			{Kind: "bad", Text: fmt.Sprintf("✗ %d fail", count[fails])},
			{Text: fmt.Sprintf("– %d no claim", count[notClaimed])}},
		CSS: boardStyle,
		Source: shell.HTML(`The same as text: <a href="board.md">board.md</a>. ` +
			`Durable strategies have clauses of their own: ` +
			`<a href="../durable-queues.md">durable-queues.md</a>.`)}
	for _, s := range []struct {
		id, title, template string
		of                  any
	}{{"usual", "The usual choices", "usual", pageUsual{usualCosts, b.usual}},
		{"errors", "Errors of a group", "errors", b.errors},
		{b.groups[0].id, b.groups[0].title, "table", b.onPage(b.groups[0])},
		{b.groups[1].id, b.groups[1].title, "table", b.onPage(b.groups[1])},
		{"adds", "Added by poolbench", "adds", b.adds},
		{"faults", "Faults of libraries", "faults", b.faultsOnPage()}} {
		var b strings.Builder
		if err := boardTemplate.ExecuteTemplate(&b, s.template, s.of); err != nil {
			return err
		}
		p.Add(true, s.id, s.title, shell.HTML(b.String()))
	}
	return p.Write(w)
}

type (
	pageTable struct {
		ID, Title string
		Clauses   []string
		Rows      []pageRow
	}
	pageRow struct {
		Name, Version        string
		Cells                []pageCell
		Waits, Submits, Cost string
	}
	pageCell struct{ Class, Sign, Word, Fault string }

	pageUsual struct {
		Costs []string
		Rows  []usualRow
	}

	pageFault struct{ Name, Library, Finding, Clause, Upstream, Shows, Source string }
)

// inWords matches where a clause name may wrap.
var inWords = regexp.MustCompile(`([a-z])([A-Z])`)

func (b *board) onPage(g boardGroup) pageTable {
	t := pageTable{ID: g.id, Title: g.title}
	for _, c := range b.clauses {
		t.Clauses = append(t.Clauses, inWords.ReplaceAllString(c, "$1\u200b$2"))
	}
	for _, r := range g.rows {
		row := pageRow{r.name, r.version, nil, r.waits, r.submits, r.cost}
		for _, c := range r.cells {
			row.Cells = append(row.Cells, [...]pageCell{holds: {"holds", "✓", "holds", ""},
				fails:      {"fails", "✗", "fails", c.fault},
				notClaimed: {"none", "–", "no claim", ""}}[c.state])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (b *board) faultsOnPage() (all []pageFault) {
	for _, f := range b.faults {
		all = append(all, pageFault{f.name, f.library() + " " + f.version, f.finding, f.clause,
			f.link(), f.want, f.source})
	}
	return all
}

// All texts must be escaped, and the page may not load anything or contain a script.
func TestBoardPage(t *testing.T) {
	const evil = `</code><script>alert("x")</script><img src="https://example.com/x.png">`
	b := &board{clauses: []string{"Bound", "Once", evil},
		groups: []boardGroup{{id: "libraries", title: "Libraries", libraries: true,
			rows: []boardRow{{"leaky", "v1.2.3" + evil, []boardCell{{state: holds},
				{fails, "leaky_once"}, {state: notClaimed}}, "5", "never", "614"}}},
			{id: "strategies", title: "Built in"}},
		adds: []boardAddition{{"leaky", strategies.Addition{What: evil, Bare: "leaks"}}},
		faults: []boardFault{{fault{name: "leaky_once", module: "github.com/leaky/leaky/v2",
			version: "v1.2.3", finding: evil, clause: "leaky: Once", upstream: "issues/7",
			want: evil}, evil}, {fault{name: "other", module: "github.com/leaky/leaky",
			finding: "harmless"}, "func() {}"}}}
	var out strings.Builder
	if err := b.writePage(&out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, banned := range []string{"<script", "<img", "<link", "src=", "@import", "url("} {
		if strings.Contains(strings.ReplaceAll(page, `src=&#34;`, ""), banned) {
			t.Errorf("the page has %q", banned)
		}
	}
	for _, want := range []string{"default-src &#39;none&#39;", "v1.2.3&lt;/code&gt;",
		`<td class="holds"><b aria-hidden="true">✓</b> holds</td>`,
		`<a href="#leaky_once" title="what shows it"><b aria-hidden="true">✗</b> fails</a>`,
		`<td class="none"><b aria-hidden="true">–</b> no claim</td>`,
		`<td>leaks</td>`, `<article class="fault" id="leaky_once"`, "✗ breaks leaky: Once",
		`<a href="https://github.com/leaky/leaky/issues/7">`, "No issue upstream is known",
		"Every clause holds in 0 of 1 library strategy, and not in leaky"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestBoardLinks(t *testing.T) {
	page, err := os.ReadFile(boardHTML)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(string(page), -1) {
		if slices.Contains(ids, m[1]) {
			t.Errorf("two elements are %s", m[1])
		}
		ids = append(ids, m[1])
	}
	links := regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(string(page), -1)
	for _, m := range links {
		if !slices.Contains(ids, m[1]) {
			t.Errorf("#%s leads nowhere", m[1])
		}
	}
	if len(links) < 10 {
		t.Errorf("%d links", len(links))
	}
}
