package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// many is the number of equal changes that count for more than the largest changes.
const many = 3

// mostLines bounds the lines of a brief text.
const mostLines = 60

// A brief is the text for a reader who decides: the finding, its evidence, and the differences in
// units. A few comparisons get a table each, more get a line each, and of too many only the largest
// changes are shown.
type brief struct {
	*Comparison
	short  map[string]string // names of rows
	all    []*contrast       // merged
	most   int               // characters per line, 0: unlimited
	before []string          // lines before the tables
}

func (c *Comparison) briefText(most int) string {
	b := brief{Comparison: c, most: most}
	short, shared := c.shortNames()
	b.short = short
	contrasts := c.contrasts()
	b.all = c.merged(contrasts, b.name)
	changes, at := c.changes()
	b.before = []string{c.found(changes, at).Headline, ""}
	if c.rows == 1 && len(contrasts) > 0 {
		b.before = append(b.before, place(contrasts[0].row))
	} else if shared != "" {
		b.before = append(b.before, place("Run/"+strings.ReplaceAll(shared, " ", "/")))
	}
	if len(b.all) > 0 && !several(b.all) && b.long(b.all[0]) {
		b.before = append(b.before, fmt.Sprintf("base: %s, here: %s", b.Columns[b.all[0].base()],
			b.Columns[b.all[0].column()]))
	}
	b.before = append(b.before, pairingLines(contrasts)...)
	if len(contrasts) > 0 && c.lossless(contrasts) {
		b.before = append(b.before, "no task is lost on either side")
	}
	head := text.Lines(b.before, most)
	notes := text.Lines(results.Shorten(b.briefNotes(), short), most)
	if notes != "" {
		notes = "\n" + notes
	}
	room := mostLines - strings.Count(head, "\n") - strings.Count(notes, "\n") - 1
	body := b.metricByMetric()
	for lines := room; strings.Count(body, "\n") > room && lines > 0; lines-- {
		body = b.lineByLine(b.fitting(lines))
	}
	return head + "\n" + body + notes
}

// alikeLines lists the names that a label only counts.
func (b *brief) alikeLines(shown []*contrast) (lines []string) {
	const most = 2
	for _, k := range shown {
		line := "alike in every run: " + strings.Join(k.alike, ", ")
		if strings.HasSuffix(b.label(k), "alike") && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines[:min(most, len(lines))]
}

func (b *brief) name(row string) string { return place(cmp.Or(b.short[row], row)) }

// label returns the name of a contrast: with its column if columns are not inputs.
func (b *brief) label(k *contrast) string {
	name := k.alike[0]
	switch n, both := len(k.alike), strings.Join(k.alike, " and "); {
	case n == 2 && len(both) <= 26:
		return both
	case n > 1:
		name += fmt.Sprintf(" +%d alike", n-1)
	}
	return name
}

// lossless reports whether losses are compared and no task is lost.
func (c *Comparison) lossless(all []*contrast) bool {
	known := false
	for _, k := range all {
		for _, f := range k.facets {
			if slices.Contains(losses, f.table.Unit) {
				known = true
				if !f.none() {
					return false
				}
			}
		}
	}
	return known
}

func (f facet) none() bool {
	return f.equal() && f.cell().Sample.Values[0] == 0 && f.base().Sample.Values[0] == 0
}

// shown returns the facets without losses of 0.
func (k *contrast) shown() []facet {
	return slices.DeleteFunc(slices.Clone(k.facets), func(f facet) bool {
		return slices.Contains(losses, f.table.Unit) && f.none()
	})
}

func (b *brief) metricByMetric() string {
	var parts []string
	for _, k := range b.all {
		var title []string
		base, here := b.Columns[k.base()], b.Columns[k.column()]
		columns, rows, long := several(b.all), b.rows > 1, b.long(k)
		switch {
		case columns && rows:
			title = []string{b.label(k) + " against " + base + ", " + b.name(k.row)}
		case columns:
			title = []string{b.label(k) + " against " + base}
		case rows:
			title = []string{b.label(k)}
		}
		if long {
			base, here = "base", "here"
		}
		s := text.Lines(title, b.most)
		if k.same() && k.facets[0].judged() {
			line := "  " + k.facets[0].marked("the same in every metric")
			if k.tasks != nil {
				line += "; " + k.tasks.String()
			}
			parts = append(parts, s+text.Lines([]string{line}, b.most))
			continue
		}
		var a text.Cell
		a.Row()
		for i, head := range []string{"", base, here, "change",
			fmt.Sprintf("%.4g %% interval", 100*b.Confidence)} {
			if i < 4 || k.intervals() {
				a.Cell(i, 1, text.Right, "  ", head)
			}
		}
		for _, f := range k.shown() {
			before, now := f.values()
			a.Row()
			a.Cell(0, 1, text.Left, "  ", f.metric())
			for i, cell := range []string{before, now, f.change(), f.interval()} {
				if i < 3 || k.intervals() {
					a.Cell(1+i, 1, text.Right, "  ", cell)
				}
			}
			a.Cell(5, 1, text.Left, "  ", f.marked(f.verdict()))
		}
		s += a.Folded(1, b.most)
		if k.tasks != nil {
			s += text.Lines([]string{"  " + k.tasks.String()}, b.most)
		}
		if k.parts != nil && k.parts.String() != "" {
			s += text.Lines([]string{"  " + k.parts.String()}, b.most)
		}
		parts = append(parts, s)
	}
	if alike := b.alikeLines(b.all); len(alike) > 0 {
		parts = append(parts, text.Lines(alike, b.most))
	}
	return strings.Join(parts, "\n")
}

func (k *contrast) same() bool {
	return !slices.ContainsFunc(k.facets, func(f facet) bool { return !f.equal() })
}

func (k *contrast) intervals() bool {
	return slices.ContainsFunc(k.facets, func(f facet) bool { return f.interval() != "" })
}

// long reports whether the names of columns, such as paths, are too long for heads, or are in the
// title.
func (b *brief) long(k *contrast) bool {
	const most = 10
	return several(b.all) || utf8.RuneCountInString(b.Columns[k.base()]) > most ||
		utf8.RuneCountInString(b.Columns[k.column()]) > most
}

func heading(column string) string {
	const most = 20
	if runes := []rune(column); len(runes) > most {
		return "…" + string(runes[len(runes)-most+1:])
	}
	return column
}

func (b *brief) lineByLine(shown []*contrast) string {
	s, wide := b.table(shown, true)
	if wide {
		s, _ = b.table(shown, false)
	}
	said := []string{"mean, p50 and p99 are response times; losses are in percentage points; ~ " +
		"is not significant"}
	if !wide && len(b.Tasks) > 0 {
		said[0] += "; later is the share of the same tasks that end later"
	}
	if left := len(b.all) - len(shown); left > 0 {
		said = append(said, fmt.Sprintf("%s more with smaller changes: --filter and --metric "+
			"choose, --all has all", text.Count(left, "line")))
	}
	said = append(said, b.partLines(shown)...)
	return s + text.Lines(append(said, b.alikeLines(shown)...), b.most)
}

func (b *brief) partLines(shown []*contrast) (lines []string) {
	const most = 2
	for _, k := range slices.SortedStableFunc(slices.Values(shown), byRank) {
		word, _ := k.rank()
		if k.parts == nil || word > 0 || len(lines) == most {
			continue
		}
		if text := k.parts.String(); text != "" {
			lines = append(lines, b.label(k)+": "+text)
		}
	}
	return lines
}

// table returns the table of lineByLine, with the share of tasks that are later if wanted and
// known, and whether it is too wide.
func (b *brief) table(shown []*contrast, later bool) (s string, wide bool) {
	var units, heads []string
	for _, k := range b.all {
		for _, f := range k.shown() {
			if !slices.Contains(units, f.table.Unit) {
				units, heads = append(units, f.table.Unit), append(heads, f.metric())
			}
		}
	}
	later = later && len(b.Tasks) > 0
	columns, rows := several(b.all), b.rows > 1
	var a text.Cell
	a.Row()
	for i, head := range heads {
		a.Cell(1+i, 1, text.Right, "  ", strings.NewReplacer(" response", "", "mean wait", "wait",
			"throughput", "done", "goodput", "in time").Replace(head))
	}
	if later {
		a.Cell(1+len(units), 1, text.Right, "  ", "later")
	}
	before := ""
	for _, k := range shown {
		if at := k.group(columns); at != before {
			before = at
			a.Row()
			if columns && rows {
				a.Cell(0, 1+len(units), text.Left, "", b.name(k.row))
				a.Row()
			}
			head := b.label(k)
			if columns {
				head = heading(b.Columns[k.base()])
			}
			if mark := k.facets[0].base().doubted.Mark(); mark != "" {
				head += " (" + mark + ")"
			}
			a.Cell(0, 1, text.Left, "", head)
			for i, unit := range units {
				if f, ok := k.of(unit); ok {
					base, _ := f.values()
					a.Cell(1+i, 1, text.Right, "  ", base)
				}
			}
		}
		a.Row()
		name := "  " + heading(b.Columns[k.column()])
		if !columns && b.long(k) {
			name = "  here"
		}
		if columns {
			name = "  " + b.label(k)
		}
		if mark := k.facets[0].cell().doubted.Mark(); mark != "" {
			name += " (" + mark + ")"
		}
		a.Cell(0, 1, text.Left, "", name)
		for i, unit := range units {
			if f, ok := k.of(unit); ok {
				a.Cell(1+i, 1, text.Right, "  ", f.brief())
			}
		}
		if later && k.tasks != nil {
			a.Cell(1+len(units), 1, text.Right, "  ", text.WholeShare(k.tasks.Later))
		}
	}
	return a.Folded(1, b.most), b.most > 0 && a.Width() > b.most
}

// fitting returns the contrasts with the largest changes that fit the lines, in their order.
func (b *brief) fitting(lines int) []*contrast {
	columns := several(b.all)
	head := 1 // lines before the first contrast of a group
	if columns && b.rows > 1 {
		head = 2
	}
	chosen, groups := map[*contrast]bool{}, map[string]bool{}
	order := slices.SortedStableFunc(slices.Values(b.all), byRank)
	slices.SortStableFunc(order, func(x, y *contrast) int { // contrasts that represent many come first
		return cmp.Compare(min(len(y.alike)/many, 1), min(len(x.alike)/many, 1))
	})
	for _, k := range order {
		need := 1
		if !groups[k.group(columns)] {
			need += head
		}
		if need > lines {
			continue
		}
		lines -= need
		chosen[k], groups[k.group(columns)] = true, true
	}
	shown := slices.DeleteFunc(slices.Clone(b.all), func(k *contrast) bool { return !chosen[k] })
	return slices.Concat(results.Gather(shown, func(k *contrast) string {
		return k.group(columns)
	})...)
}

// group returns the common key of contrasts below one line of their base.
func (k *contrast) group(columns bool) string {
	if columns {
		return fmt.Sprint(k.table, k.row, k.base())
	}
	return fmt.Sprint(k.table, k.row, k.base(), k.column())
}

func (k *contrast) of(unit string) (facet, bool) {
	i := slices.IndexFunc(k.facets, func(f facet) bool { return f.table.Unit == unit })
	if i < 0 {
		return facet{}, false
	}
	return k.facets[i], true
}

func pairingLines(all []*contrast) (lines []string) {
	type kind struct {
		text         string
		n, low, high int
	}
	var kinds []*kind
	left := 0
	for _, k := range all {
		f := k.facets[0]
		p, s, n := f.cell().pairing, "", 0
		switch {
		case f.cell().paired == nil && p.Why != "":
			s = "unpaired: " + p.Why
		case f.cell().paired == nil:
			s = "unpaired (--unpaired)"
		case p.Numbered:
			s, n = "paired by number", len(p.Old)
		default:
			s, n = "paired by seed", len(p.Old)
		}
		if n > 0 {
			left += p.Left
		}
		i := slices.IndexFunc(kinds, func(k *kind) bool { return k.text == s })
		if i < 0 {
			i, kinds = len(kinds), append(kinds, &kind{text: s, low: n})
		}
		kinds[i].n++
		kinds[i].low, kinds[i].high = min(kinds[i].low, n), max(kinds[i].high, n)
	}
	for _, k := range kinds {
		s := k.text
		switch {
		case k.high > k.low:
			s += fmt.Sprintf(", %d to %d pairs", k.low, k.high)
		case k.high > 0:
			s += ", " + text.Count(k.high, "pair")
		}
		if k.high > 1 {
			s += "; values are medians, changes geometric means of pairs"
		}
		if len(kinds) > 1 {
			s += fmt.Sprintf(" (%d of %d)", k.n, len(all))
		}
		lines = append(lines, s)
	}
	if left > 0 {
		lines = append(lines, text.Count(left, "run")+" without the other half of the pair: "+
			"left out")
	}
	return lines
}

// briefNotes returns Notes, with missing rows only if they are few, in words.
func (b *brief) briefNotes() (notes []string) {
	const most = 4
	whole := *b.Comparison
	whole.Missing = nil
	for _, of := range results.Gather(b.Missing, func(m Missing) [2]string {
		return [2]string{m.Column, m.Unit}
	}) {
		note, rows := of[0].Column+" has no "+b.name(of[0].Benchmark), b.rows
		if of[0].Unit != "" {
			note = fmt.Sprintf("%s has no %s", of[0].Column, shell.Metric(of[0].Unit))
			if len(of) < rows {
				note += " of " + b.name(of[0].Benchmark)
			}
		}
		if n := len(of) - 1; n > 0 && n < rows-1 {
			note += fmt.Sprintf(", and %d more", n)
		}
		notes = append(notes, note)
	}
	if len(notes) > most {
		notes = []string{"some rows are not in every column: --all lists the missing ones"}
	}
	return append(notes, whole.Notes()...)
}
