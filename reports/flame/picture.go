package flame

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/results"
)

// A Side is a strategy with the runs of it whose profiles are added up.
type Side struct {
	Name string
	Runs []*results.Run
}

// A Picture is what one kind of profile shows.
type Picture struct {
	Kind    string // of profile
	Title   string // what was found
	Caption string // how it is to be read
	SVG     string // for a page with Style in its style sheet
}

// Pictures are those of a strategy by itself, or of one against a base, of whatever kinds there are
// profiles in the directory: what each function took per task.
func Pictures(dir string, of Side, base *Side) (all []Picture, err error) {
	for _, m := range measures {
		root := &frame{name: "all"}
		there, err := m.read(root, dir, of.Runs, false)
		if err == nil && there && base != nil {
			there, err = m.read(root, dir, base.Runs, true)
		}
		if err != nil {
			return nil, err
		}
		if !there || root.of+root.base <= 0 {
			continue
		}
		root.sort()
		g := &graph{measure: m, root: root, of: of.Name}
		if base != nil {
			g.base = base.Name
		}
		all = append(all, g.picture())
	}
	return all, nil
}

// A graph is a tree with the names of those whose it is; base is "" where there is one alone.
type graph struct {
	measure
	root     *frame
	of, base string
}

func (g *graph) picture() Picture {
	p := Picture{Kind: g.kind, SVG: g.svg()}
	p.Title = fmt.Sprintf("%s %s per task with %s", g.text(g.root.of), g.what, g.of)
	p.Caption = "Each box is a function, as wide as its own time and that of the functions below " +
		"it, which it called."
	if g.base == "" {
		return p
	}
	p.Title += fmt.Sprintf(", %s with %s", g.text(g.root.base), g.base)
	if most := g.most(); len(most) > 0 {
		p.Title += "; most of the difference: " + prose.List(most)
	}
	p.Caption = fmt.Sprintf("Each box is a function, as wide as the mean with both of its own "+
		"time and that of the functions below it, which it called. Orange: more with %s; blue: "+
		"more with %s; the deeper, the more.", g.of, g.base)
	return p
}

// most names the functions whose own time, with the runtime's work for them, differs most: at most
// three, each with at least a tenth of the sum of all differences.
func (g *graph) most() (words []string) {
	own := map[string]float64{}
	var walk func(f *frame, caller string)
	walk = func(f *frame, caller string) {
		name := f.name
		if isRuntime(name) {
			name = caller
		}
		of, base := f.own()
		own[name] += of - base
		for _, c := range f.children {
			walk(c, name)
		}
	}
	walk(g.root, "the runtime")
	sum := 0.0
	var names []string
	for name, v := range own {
		sum += math.Abs(v)
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(math.Abs(own[b]), math.Abs(own[a])), cmp.Compare(a, b))
	})
	for _, name := range names[:min(len(names), 3)] {
		if v := own[name]; math.Abs(v) >= sum/10 && v != 0 {
			sign := "+"
			if v < 0 {
				sign = "−"
			}
			words = append(words, fmt.Sprintf("%s%s in %s", sign, g.text(math.Abs(v)), name))
		}
	}
	return words
}

// isRuntime reports whether a frame is a function of Go's runtime, or none at all: in assembly some
// functions have no package.
func isRuntime(function string) bool {
	pkg, _, has := strings.Cut(function, ".")
	return !has || pkg == "runtime"
}

func (g *graph) text(v float64) string {
	if g.bytes {
		return quantity.Metric(metric.BytesPerOp, v)
	}
	return quantity.Seconds(v / 1e9)
}

// The picture is so many units wide, a row so high, and a letter so wide at most; what is narrower
// than least is left out.
const (
	width   = 1200.0
	row     = 18
	letter  = 6.7
	least   = 1.5
	deepest = 48 // rows
)

// svg draws the tree from the top down.
func (g *graph) svg() string {
	var boxes strings.Builder
	rows := 0
	var draw func(f *frame, x, w float64, depth int)
	draw = func(f *frame, x, w float64, depth int) {
		if w < least || depth >= deepest {
			return
		}
		rows = max(rows, depth+1)
		g.box(&boxes, f, x, w, depth)
		for _, c := range f.children {
			share := (c.of + c.base) / (f.of + f.base) * w
			draw(c, x, share, depth+1)
			x += share
		}
	}
	draw(g.root, 0, width, 0)
	return fmt.Sprintf(`<svg class="flame" viewBox="0 0 %g %d" role="img" aria-label="%s">%s</svg>`,
		width, rows*row, html.EscapeString(g.kind+" profile of "+g.of), boxes.String())
}

func (g *graph) box(to *strings.Builder, f *frame, x, w float64, depth int) {
	said := fmt.Sprintf("%s: %s per task, %s of all", f.name, g.text(f.of),
		quantity.Share(f.of/max(g.root.of, math.SmallestNonzeroFloat64)))
	class, opacity := "fl-one", 0.25+0.12*float64(depth%2)
	if g.base != "" {
		said = fmt.Sprintf("%s: %s per task with %s, %s with %s", f.name, g.text(f.of), g.of,
			g.text(f.base), g.base)
		change := (f.of - f.base) / max(f.of, f.base) // from −1, in base alone, to 1
		class, opacity = "fl-more", 0.08+0.7*math.Abs(change)
		if change < 0 {
			class = "fl-less"
		}
	}
	fmt.Fprintf(to, `<g><title>%s</title><rect class="%s" fill-opacity="%.2f" x="%.1f" y="%d" `+
		`width="%.1f" height="%d"/>`, html.EscapeString(said), class, opacity, x, depth*row,
		max(w-0.5, 0.5), row-1)
	if room := int((w - 6) / letter); room >= 3 {
		name := []rune(f.name)
		if len(name) > room {
			name = append(name[:room-1], '…')
		}
		fmt.Fprintf(to, `<text x="%.1f" y="%d">%s</text>`, x+3, depth*row+13,
			html.EscapeString(string(name)))
	}
	to.WriteString("</g>")
}

// Style is what a page that holds pictures needs in its style sheet. Blue and orange are those of
// charts, which readers tell apart whatever colours they see.
const Style = `
.flames { overflow-x: auto; }
.flame { display: block; width: 100%; min-width: 46rem; height: auto; }
.flame text { font: 11px ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace; fill: var(--ink); pointer-events: none; }
.flame .fl-one, .flame .fl-more { fill: #d97a00; }
.flame .fl-less { fill: #2f86d6; }
.flame g:hover rect { stroke: var(--ink); }
.flame g.found rect { fill: #7b1b4e; fill-opacity: .55; }
`
