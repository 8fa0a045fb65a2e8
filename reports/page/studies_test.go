package page

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

func insertAfter(n int, text string) func(string) string {
	return func(s string) string {
		at := regexp.MustCompile(`(?m)^Benchmark.*\n`).FindAllStringIndex(s, n)[n-1][1]
		return s[:at] + text + s[at:]
	}
}

const evilClaim = `a bounded pool <b onclick="x()">is</b> & stays faster`

// The studies are the first 24 runs, and the next 12. The last 12 runs belong to no study.
func studied(t testing.TB) string {
	dir := smallRun(t)
	resultstest.Edit(t, dir, rundir.ResultsFile,
		insertAfter(36, "# study second: and what <i>else</i>?\n# claim none\n# verdict does not "+
			"hold: by 3 %\n"))
	resultstest.Edit(t, dir, rundir.ResultsFile,
		insertAfter(24, "# study first: what is faster?\n# claim "+evilClaim+
			"\n# verdict depends: on <the load>\n# answer at load 0.5 & below: no\n"))
	return dir
}

func drawsFirst(*results.Results) ([]Figure, error) {
	c, err := charts.Planes("Costs",
		[]charts.Plane{
			{Panel: charts.Panel{Series: []charts.Series{{Name: "a", X: []float64{1, 2},
				Y: []float64{1, 2}}}}}})
	return []Figure{{Study: "first", Name: "cost", Title: c.Title, Caption: "See there.",
		Chart: c}}, err
}

func pageOf(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sectionOf(t testing.TB, html, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(html, `<section id="`+id+`"`)
	if !found {
		t.Fatalf("no section %s", id)
	}
	out, _, _ := strings.Cut(rest, "</section>")
	return out
}

// A finding applies to the runs since the previous finding or header, also in appended sections.
// Runs of other commands, or of an interrupted study, belong to no study.
func TestRunsOfFindings(t *testing.T) {
	run := func(n int) string {
		return runLine("a", "n="+fmt.Sprint(n), "1 ops/s") + "\n"
	}
	text := "# poolbench results 1\n" + run(0) + run(1) +
		"# study x: why?\n# claim c\n# verdict holds: so\n# answer one\n" +
		run(2) + "# study y: why not?\n# study none: of nothing?\n" + run(3) +
		"# complete 4 runs\n" +
		"# poolbench results 1\n" + run(4) + "# complete 1 run\n" +
		"# poolbench results 1\n" + run(5) +
		"# study x: why?\n# claim c\n# verdict depends: now\n# advice do\n" + run(6) +
		"# partial 2 of 4 runs: interrupted\n"
	all, err := results.Read(strings.NewReader(text), "results.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := []decide.Finding{
		{Study: "y", Question: "why not?", Runs: []int{2}},
		{Study: "none", Question: "of nothing?"},
		{Study: "x", Question: "why?", Claim: "c", Verdict: "depends", Advice: "do", Because: "now",
			Runs: []int{0, 1, 5}},
	}
	if diff := cmp.Diff(want, all.Findings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{2, 2, 0, -1, -1, 2, -1}, all.StudyOf()); diff != "" {
		t.Error(diff)
	}
}

func TestRunsOfFindingsWithSearches(t *testing.T) {
	search := "BenchmarkCapacity/strategy=a/limit=4/load=0.1..1.2/objective=p99-response<1s 10 " +
		"0.5 capacity-met-load\n"
	all := readRuns(t, runLine("a", "n=1", "1 ops/s"), search+runLine("a", "n=2", "2 ops/s"),
		"# study x: why?", runLine("a", "n=3", "3 ops/s"), "# study y: why?")
	if diff := cmp.Diff([]int{0, 1, 2}, all.Findings[0].Runs); diff != "" {
		t.Error(diff)
	}
	rest, searches := splitSearches(all)
	if len(searches) != 1 || len(rest.Runs) != 3 {
		t.Fatalf("%d searches and %d runs", len(searches), len(rest.Runs))
	}
	if diff := cmp.Diff([][]int{{0, 1}, {2}},
		[][]int{rest.Findings[0].Runs, rest.Findings[1].Runs}); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 1, 2}, all.Findings[0].Runs); diff != "" {
		t.Errorf("the results themselves were changed: %s", diff)
	}
}

func TestPageOfVerdicts(t *testing.T) {
	r, err := Load(studied(t), drawsFirst)
	if err != nil {
		t.Fatal(err)
	}
	html := pageOf(t, r)
	mustContain(t, html, "2 claims: 1 depends, 1 does not hold",
		`<h3>Does not hold</h3>`, `<span class="verdict v-does-not-hold">`+
			`<span aria-hidden="true">✗</span> does not hold</span> <a href="#study-second">`,
		`<h3>Depends</h3>`, `<span class="verdict v-depends"><span aria-hidden="true">◐</span> `+
			`depends</span> <a href="#study-first">first</a> <span class="rule">a bounded pool `+
			`&lt;b onclick=&#34;x()&#34;&gt;is&lt;/b&gt; &amp; stays faster</span>`,
		`>Of 2 claims 1 depends and 1 does not hold. Most surprising: second does not hold: `+
			"by 3\u00a0%</h1>", "<p class=\"because\">by 3\u00a0%</p>")
	if strings.Contains(html, "<b onclick") || strings.Contains(html, "<i>else") {
		t.Error("a finding's words became elements")
	}
	var order []int
	for _, part := range []string{`<section id="answer"`, `<section id="explore"`,
		`<section id="claims"`, `<section id="study-first"`, `<section id="study-second"`,
		`<section id="group-hyperexp`, `<section id="trust"`, `<section id="method"`,
		`<section id="tables"`} {
		order = append(order, strings.Index(html, part))
	}
	if !slices.IsSorted(order) || slices.Contains(order, -1) {
		t.Errorf("the parts of the page begin at %v", order)
	}

	first := sectionOf(t, html, "study-first")
	mustContain(t, first, "What is faster?"[1:], `<p class="because">on &lt;the load&gt;</p>`,
		"<li>at load 0.5 &amp; below: no</li>", `<figure id="cost" class="own">`,
		`<details class="numbers"><summary>All numbers: 24 runs of 12 scenarios</summary>`,
		"Values with their intervals", "Measured against exact values")
	if n := strings.Count(first, "<figure"); n != 1 {
		t.Errorf("the study with a figure of its own shows %d", n)
	}
	if strings.Contains(first, `<tr><th><svg`) {
		t.Error("its tables have pieces of lines that are in no chart")
	}
	second := sectionOf(t, html, "study-second")
	mustContain(t, second, "And what &lt;i&gt;else&lt;/i&gt;?"[1:],
		"All numbers: 12 runs of 6 scenarios", "Distribution of the response", "pb-swatch")
	for _, foreign := range []string{"exponential", "hyperexp", `<figure id="cost"`} {
		if strings.Contains(second, foreign) {
			t.Errorf("the second study's section has %q", foreign)
		}
	}
	var names []string
	for _, c := range r.charts {
		names = append(names, c.Name)
	}
	if diff := cmp.Diff([]string{"cost", "ranking-constant-mean-10ms-poisson-virtual",
		"distribution-constant-mean-10ms-poisson-virtual",
		"timeline-constant-mean-10ms-poisson-virtual",
		"ranking-hyperexp-mean-10ms-c2-4-poisson-virtual",
		"distribution-hyperexp-mean-10ms-c2-4-poisson-virtual",
		"timeline-hyperexp-mean-10ms-c2-4-poisson-virtual"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestStudiesDoNotMix(t *testing.T) {
	line := func(strategy string, ops int) string {
		return runLine(strategy, "limit=4/load=0.5", fmt.Sprintf("%d ops/s", ops))
	}
	all := readRuns(t, line("a", 1), line("a", 3), "# study x: why?", line("b", 7),
		line("serial", 8), "# study y: why?", line("a", 100), line("b", 100))
	var got []string
	for _, g := range Groups(all) {
		for _, c := range g.Cells {
			got = append(got, fmt.Sprintf("study %d: %s, style %d, %d runs, %v ops/s", g.Study,
				c.Strategy, c.Style, len(c.Cell), c.Value("ops/s")))
		}
	}
	want := []string{
		"study 0: a, style 0, 2 runs, 2 ops/s", "study 1: b, style 0, 1 runs, 7 ops/s",
		"study 1: serial, style 1, 1 runs, 8 ops/s",
		"study -1: a, style 0, 1 runs, 100 ops/s", "study -1: b, style 1, 1 runs, 100 ops/s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReportOfOlderAnswers(t *testing.T) {
	dir := smallRun(t)
	before := page(t, dir)
	resultstest.Edit(t, dir, rundir.ResultsFile, insertAfter(48, "# answer it is <so>\n"))
	after := page(t, dir)
	mustContain(t, after, "Findings", "<li>it is &lt;so&gt;</li>")
	for _, html := range []string{before, after} {
		if strings.Contains(html, `id="claims"`) ||
			strings.Contains(html, `class="group study"`) {
			t.Error("a page without studies speaks of some")
		}
	}
	if a, b := strings.Count(before, "<figure"), strings.Count(after, "<figure"); a != b {
		t.Errorf("%d figures without the lines, %d with them", a, b)
	}
}

func TestStudyOfNoRuns(t *testing.T) {
	dir := smallRun(t)
	resultstest.Edit(t, dir, rundir.ResultsFile, insertAfter(48, "# study all: of what?\n# study "+
		"empty: of what else?\n# claim c\n# verdict undecided: no runs\n# study odd: ?\n# claim "+
		"d\n# verdict \"><hr>: because\n"))
	html := page(t, dir)
	mustContain(t, html, "1 claim: 1 undecided", ">Undecided: no runs</h1>",
		`<a href="#study-all">all</a> <span class="rule">of what?</span>`,
		"All numbers: 48 runs of 24 scenarios", "All numbers: no runs",
		`<span class="verdict v-undecided">`,
		`<span class="verdict v-other">&#34;&gt;&lt;hr&gt;</span>`)
	if strings.Contains(html, "<hr>") {
		t.Error("a verdict became an element")
	}
	mustContain(t, sectionOf(t, html, "study-all"), "p99 response against load",
		"p99 response against C²")
	if strings.Contains(html, `<section id="tables"`) {
		t.Error("numbers of no study are announced, and there are none")
	}
}

func TestManyDoubts(t *testing.T) {
	dir := smallRun(t)
	nth := 0
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return regexp.MustCompile(`(?m)^BenchmarkRun/.*$`).ReplaceAllStringFunc(s,
			func(line string) string {
				switch nth++; {
				case nth <= 6 || nth > 12 && nth <= 18:
					return fmt.Sprintf("# suspect: busy machine: %d %%\n%s 1 verdict", nth, line)
				case nth == 19:
					return "# suspect: lag: late\n" + line + " 1 verdict"
				case nth > 24 && nth <= 36:
					return "# invalid: pause: stood still\n" + line + " 2 verdict"
				}
				return line + " 0 verdict"
			})
	})
	resultstest.Edit(t, dir, rundir.ResultsFile, insertAfter(48, "# study all: of what?\n"))
	html := page(t, dir)
	mustContain(t, html, "Why 19 of the scenarios are doubted", // the queue of serial grows
		"24 scenarios, 6 INVALID, 13 SUSPECT", "and 5 more with the same",
		"<li>worker_pool, load 0.8, constant:mean=10ms</li>",
		", repetitions 1 and 2</code>: pause: stood still</li>")
	if n := strings.Count(sectionOf(t, html, "study-all"), "busy machine: 1 %"); n == 0 {
		t.Error("the first reason is not given in full")
	}
	banner, _, _ := strings.Cut(html[strings.Index(html, `class="banner"`):], "</div>")
	if n := strings.Count(banner, "<li>"); n != 6 {
		t.Errorf("the banner names %d scenarios, want the 6", n)
	}
	why := []results.Doubt{{Invalid: false, Text: "lag: 1"}}
	lines := doubtLines([]doubtedCell{
		{Where: "a", Doubts: &results.Doubts{Verdict: results.Suspect, Why: why}},
		{Where: "b", Doubts: &results.Doubts{Verdict: results.Invalid, Why: why}}})
	if len(lines) != 2 || lines[0].Also != nil {
		t.Errorf("few doubts: %v", lines)
	}
}

func TestLongBanner(t *testing.T) {
	dir := smallRun(t)
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return strings.ReplaceAll(s, " 0 broken-laws", " 2 broken-laws")
	})
	html := page(t, dir)
	banner, _, _ := strings.Cut(html[strings.Index(html, `class="banner"`):], "</div>")
	open, folded, _ := strings.Cut(banner, "<details>")
	if a, b := strings.Count(open, "<li>"), strings.Count(folded, "<li>"); a != 5 || b != 19 {
		t.Errorf("%d scenarios are named and %d folded, want 5 and 19 of 24", a, b)
	}
	mustContain(t, banner, "<summary>and 19 more</summary>", "repetitions 1 and 2</code>: 2 broken")
}

// The deciding metrics of a study are the first columns of its tables, even if no other table has
// them.
func TestStudyTablesBeginWithDecidingMetrics(t *testing.T) {
	dir := studied(t)
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		s = strings.Replace(s, "# claim "+evilClaim, "# claim "+evilClaim+
			"\n# decides mean-wait-sec mean-slowdown", 1)
		return regexp.MustCompile(`(?m)^BenchmarkRun/.*$`).ReplaceAllString(s,
			"$0 2.5 mean-slowdown")
	})
	r, err := Load(dir, drawsFirst)
	if err != nil {
		t.Fatal(err)
	}
	heads := func(s reportSection) (heads []string) {
		for _, h := range s.Table.Heads {
			heads = append(heads, h.Text)
		}
		return heads
	}
	for i, q := range r.pages[:2] {
		got := heads(q.page.Studies[0].Groups[0])
		first := slices.Equal(got[:min(2, len(got))], []string{"mean wait", "mean slowdown"})
		if first != (i == 0) {
			t.Errorf("study %s: columns %q", q.title, got)
		}
	}
	if got := heads(r.pages[2].page.Groups[0]); got[0] == "mean wait" {
		t.Errorf("runs of no study: columns %q", got)
	}
}
