package compare

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/internal/table"
	"github.com/poolbench/poolbench/reports/results"
)

const maxLines = 60

// A brief is a text with the headline, its evidence, and the differences in units. A few
// comparisons have a table each. More share a table with a line for each.
type brief struct {
	*Comparison
	all     []*contrast // merged, in the order of the results
	columns bool        // whether contrasts have different columns or bases
	most    int         // characters per line, 0: unlimited
}

func (c *Comparison) briefText(most int) string {
	contrasts := c.contrasts()
	b := brief{c, c.merged(contrasts), several(contrasts), most}
	head := text.Lines(append(b.heading(contrasts), ""), most)
	notes := text.Lines(results.Shorten(c.notes(true), c.short), most)
	if notes != "" {
		notes = "\n" + notes
	}
	room := maxLines - strings.Count(head+notes, "\n")
	body := b.tables()
	if strings.Count(body, "\n") > room {
		body = b.lines(room)
	}
	return head + body + notes
}

func (b *brief) heading(contrasts []*contrast) []string {
	lines := []string{b.ranked().headline(), ""}
	if b.rows == 1 && len(contrasts) > 0 {
		lines = append(lines, describe(contrasts[0].row))
	} else if b.shared != "" {
		lines = append(lines, describe("Run/"+strings.ReplaceAll(b.shared, " ", "/")))
	}
	if len(b.all) > 0 && !b.columns && b.abbreviates(b.all[0]) {
		lines = append(lines, fmt.Sprintf("base: %s, this result: %s", b.Columns[b.all[0].base()],
			b.Columns[b.all[0].column()]))
	}
	lines = append(lines, pairingLines(contrasts)...)
	if lossless(contrasts) {
		lines = append(lines, "no task is lost on either side")
	}
	return lines
}

// Long names of columns, such as paths, are abbreviated as base and here.
func (b *brief) abbreviates(k *contrast) bool {
	const most = 10
	return b.columns || utf8.RuneCountInString(b.Columns[k.base()]) > most ||
		utf8.RuneCountInString(b.Columns[k.column()]) > most
}

func lossless(all []*contrast) bool {
	known := false
	for _, k := range all {
		known = known || len(k.shown()) < len(k.facets)
		if slices.ContainsFunc(k.shown(), facet.loss) {
			return false
		}
	}
	return known
}

// label adds the number of contrasts with equal values.
func (k *contrast) label() string {
	both := strings.Join(k.alike, " and ")
	switch n := len(k.alike); {
	case n == 1 || n == 2 && len(both) <= 26:
		return both
	default:
		return fmt.Sprintf("%s +%d alike", k.alike[0], n-1)
	}
}

func (b *brief) tables() string {
	var parts []string
	for _, k := range b.all {
		title := k.label()
		if b.columns {
			title += " against " + b.Columns[k.base()]
			if b.rows > 1 {
				title += ", " + b.name(k.row)
			}
		}
		s := ""
		if b.columns || b.rows > 1 {
			s = text.Lines([]string{title}, b.most)
		}
		if k.equal() && k.facets[0].judged() {
			line := "  " + k.facets[0].marked("the same in every metric")
			if k.tasks != nil {
				line += "; " + k.tasks.String()
			}
			parts = append(parts, s+text.Lines([]string{line}, b.most))
			continue
		}
		var below []string
		if k.tasks != nil {
			below = append(below, "  "+k.tasks.String())
		}
		if k.parts != nil && k.parts.String() != "" {
			below = append(below, "  "+k.parts.String())
		}
		parts = append(parts, s+b.metrics(k).Text(b.most)+text.Lines(below, b.most))
	}
	if lines := alikeLines(b.all); len(lines) > 0 {
		parts = append(parts, text.Lines(lines, b.most))
	}
	return strings.Join(parts, "\n")
}

func (b *brief) metrics(k *contrast) *table.Table {
	base, here := b.Columns[k.base()], b.Columns[k.column()]
	if b.abbreviates(k) {
		base, here = "base", "here"
	}
	t := &table.Table{Names: 1, Indent: "  ", Columns: []table.Column{{},
		{Title: base, Align: text.Right}, {Title: here, Align: text.Right},
		{Title: "change", Align: text.Right}, {Align: text.Right}, {}}}
	for _, f := range k.shown() {
		before, now := f.values()
		if f.interval() != "" {
			t.Columns[4].Title = fmt.Sprintf("%.4g %% interval", 100*b.Confidence)
		}
		t.Rows = append(t.Rows, table.Row{Cells: []string{f.metric(), before, now, f.change(),
			f.interval(), f.marked(f.verdict())}})
	}
	return t
}

func alikeLines(shown []*contrast) (lines []string) {
	const most = 2
	for _, k := range shown {
		line := "alike in every run: " + strings.Join(k.alike, "; ")
		if strings.HasSuffix(k.label(), "alike") && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines[:min(most, len(lines))]
}

// lines returns one table of all contrasts. If they need more than room lines, it has the largest
// changes.
func (b *brief) lines(room int) string {
	ranked := slices.SortedStableFunc(slices.Values(b.all), byRank)
	after := []string{"mean, p50 and p99 are response times; losses are in percentage points; ~ is " +
		"not significant"}
	after = append(after, partLines(ranked)...)
	t, shown, perRow := b.lineTable(b.all), b.all, 1
	if t.Wider(b.most) {
		perRow = 2 // names have lines of their own
	}
	alike := strings.Count(text.Lines(alikeLines(ranked), b.most), "\n")
	free := room - strings.Count(text.Lines(after, b.most), "\n") - alike
	if perRow*(len(t.Rows)+1) > free {
		shown = b.largest(ranked, free/perRow-2)
		t = b.lineTable(shown)
		after = slices.Insert(after, 0, fmt.Sprintf("%s more with smaller changes: select them "+
			"with --filter and --metric, or use --all", text.Count(len(b.all)-len(shown), "line")))
	}
	return t.Text(b.most) + text.Lines(append(after, alikeLines(shown)...), b.most)
}

// largest returns the contrasts that fit into that many lines in the order of the results.
func (b *brief) largest(ranked []*contrast, lines int) (shown []*contrast) {
	chosen, groups := map[*contrast]bool{}, map[string]bool{}
	for _, k := range ranked {
		need := 1
		if group := b.group(k); !groups[group] {
			need = 2
		}
		if need <= lines {
			lines -= need
			chosen[k], groups[b.group(k)] = true, true
		}
	}
	for _, k := range b.all {
		if chosen[k] {
			shown = append(shown, k)
		}
	}
	return slices.Concat(results.Gather(shown, b.group)...)
}

func (b *brief) group(k *contrast) string {
	if b.columns {
		return fmt.Sprint(k.table, k.row, k.base())
	}
	return fmt.Sprint(k.table, k.row, k.base(), k.column())
}

func partLines(ranked []*contrast) (lines []string) {
	const most = 2
	for _, k := range ranked {
		if word, _ := k.rank(); k.parts == nil || word > 0 || len(lines) == most {
			continue
		}
		if text := k.parts.String(); text != "" {
			lines = append(lines, k.label()+": "+text)
		}
	}
	return lines
}

func (b *brief) lineTable(shown []*contrast) *table.Table {
	t := &table.Table{Names: 1, Columns: []table.Column{{}}}
	var units []string
	for _, k := range b.all {
		for _, f := range k.shown() {
			if !slices.Contains(units, f.table.Unit) {
				units = append(units, f.table.Unit)
				t.Columns = append(t.Columns, table.Column{Align: text.Right,
					Title: strings.NewReplacer(" response", "", "mean wait", "wait", "throughput",
						"done", "goodput", "in time").Replace(f.metric())})
			}
		}
	}
	add := func(name string, cell *Cell, k *contrast, format func(facet) string) {
		if mark := cell.doubted.Mark(); mark != "" {
			name += " (" + mark + ")"
		}
		cells := []string{name}
		for _, unit := range units {
			i := slices.IndexFunc(k.facets, func(f facet) bool { return f.table.Unit == unit })
			if i < 0 {
				cells = append(cells, "")
			} else {
				cells = append(cells, format(k.facets[i]))
			}
		}
		t.Rows = append(t.Rows, table.Row{Cells: cells})
	}
	labels, group := b.textLabels(), ""
	for _, k := range shown {
		base, here := k.label(), labels[k.column()]
		if b.columns {
			base, here = labels[k.base()], k.label()
			if b.rows > 1 {
				base += ", " + b.name(k.row)
			}
		} else if b.abbreviates(k) {
			here = "here"
		}
		if at := b.group(k); at != group {
			group = at
			add(base, k.facets[0].base(), k, func(f facet) string {
				base, _ := f.values()
				return base
			})
		}
		add("  "+here, k.facets[0].cell(), k, facet.brief)
	}
	return t
}

func pairingLines(all []*contrast) (lines []string) {
	pairs := map[string][]int{} // numbers of pairs, by description
	var kinds []string
	left := 0
	for _, k := range all {
		cell := k.facets[0].cell()
		p, kind, n := cell.pairing, "paired by seed", 0
		switch {
		case cell.paired == nil && p.Why != "":
			kind = "unpaired: " + p.Why
		case cell.paired == nil:
			kind = "unpaired (--unpaired)"
		case p.Numbered:
			kind = "paired by number"
		}
		if cell.paired != nil {
			n, left = len(p.Old), left+p.Left
		}
		if pairs[kind] == nil {
			kinds = append(kinds, kind)
		}
		pairs[kind] = append(pairs[kind], n)
	}
	for _, kind := range kinds {
		line, low, high := kind, slices.Min(pairs[kind]), slices.Max(pairs[kind])
		switch {
		case high > low:
			line += fmt.Sprintf(", %d to %d pairs", low, high)
		case high > 0:
			line += ", " + text.Count(high, "pair")
		}
		if high > 1 {
			line += "; values are medians, changes geometric means of pairs"
		}
		if len(kinds) > 1 {
			line += fmt.Sprintf(" (%d of %d)", len(pairs[kind]), len(all))
		}
		lines = append(lines, line)
	}
	if left > 0 {
		lines = append(lines, text.Count(left, "run")+" without the other half of the pair: "+
			"omitted")
	}
	return lines
}
