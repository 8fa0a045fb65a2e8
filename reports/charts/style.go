package charts

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// A role is a colour with a part to play in a chart. Raster images take it as the colour for light
// paper; the SVG writer also writes the part as a class, so that a style sheet can give it another
// colour in the dark.
type role struct {
	class       string
	light, dark string // #rrggbb
	alpha       float64
}

func (t role) RGBA() (r, g, b, a uint32) {
	c := parseHex(t.light)
	return color.NRGBA{R: c[0], G: c[1], B: c[2], A: uint8(t.alpha*255 + 0.5)}.RGBA()
}

func (t role) fade(alpha float64) role {
	t.alpha = alpha
	return t
}

func parseHex(s string) [3]uint8 {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 24)
	if err != nil || len(s) != 7 {
		panic(fmt.Sprintf("charts: %q is no colour", s))
	}
	return [3]uint8{uint8(v >> 16), uint8(v >> 8), uint8(v)}
}

// The parts of a chart that are no series.
var (
	paper = role{"pb-paper", "#ffffff", "#15171b", 1}
	ink   = role{"pb-ink", "#1f2328", "#e6e8eb", 1}
	muted = role{"pb-muted", "#5c636b", "#a2a9b1", 1}
	grid  = role{"pb-grid", "#e4e7ea", "#2c3036", 1}
	rule  = role{"pb-rule", "#9aa1a9", "#6b727a", 1}
)

// palette holds the colours of the first eight series. They began as those of Okabe and Ito ("Color
// universal design", 2008) and were moved by a search, in OKLCH, until three things held that the
// originals do not give on a page: a contrast of at least 3:1 with the paper (WCAG 2.2, 1.4.11;
// Okabe and Ito's yellow has 1.3:1 on white), in the light and in the dark; and a larger smallest
// distance between any two, both in normal vision (OKLab × 100: 19 where theirs have 15.6) and for
// protanopia, deuteranopia and tritanopia as simulated by Machado, Oliveira and Fernandes (2009):
// 10 where theirs have 7.6. style_test.go holds them to it. From light to dark a series keeps its
// hue, so that a name like "the orange line" goes on working.
var palette = [...]role{
	{"pb-s0", "#0b4d8e", "#3181ac", 1}, // blue
	{"pb-s1", "#c92c00", "#c8604a", 1}, // vermilion
	{"pb-s2", "#018673", "#52c037", 1}, // green
	{"pb-s3", "#7b1b4e", "#ff99af", 1}, // wine, pink in the dark
	{"pb-s4", "#c08c07", "#ffda24", 1}, // amber
	{"pb-s5", "#3b99f0", "#04d6ff", 1}, // sky
	{"pb-s6", "#2b2210", "#f0f4f7", 1}, // black, white in the dark
	{"pb-s7", "#854bd3", "#b27dff", 1}, // violet
}

// heatTints are those of counts, from few to many: of matplotlib's inferno (Smith and van der Walt,
// 2015), whose lightness tells them apart to every eye, the part whose contrast with the paper is
// 3:1 or more, so that a single request is seen. On light paper many are dark, on dark paper
// light: style_test.go holds them to it.
var heatTints = [...]role{
	{"pb-h0", "#f37819", "#bc3754", 1},
	{"pb-h1", "#dd513a", "#dd513a", 1},
	{"pb-h2", "#bc3754", "#f37819", 1},
	{"pb-h3", "#8a226a", "#fca50a", 1},
	{"pb-h4", "#57106e", "#f6d746", 1},
	{"pb-h5", "#1b0c41", "#fcffa4", 1},
}

// A look is how one series is drawn. Colour and marker both differ among the first eight; the next
// eight repeat the colours with other markers and a dash, and so on: 32 before the first
// repetition.
type look struct {
	tint   role
	marker marker
	dash   []vg.Length
}

var dashes = [...][]vg.Length{nil, {7, 3}, {2, 2.5}, {9, 3, 2, 3}}

func lookOf(style int) look {
	if style < 0 {
		panic(fmt.Sprintf("charts: style %d is negative", style))
	}
	n := len(palette)
	cycle := style / n
	return look{
		tint:   palette[style%n],
		marker: marker((style + 3*cycle) % int(markers)),
		dash:   dashes[cycle%len(dashes)],
	}
}

// Style returns the CSS that colours the charts' SVG, dark where the reader prefers it: for the
// style element of a page that holds them. A chart written on its own carries it already, and has
// the colours for light paper as attributes, too, for programs without CSS. Drawings of others have
// these attributes and the class of a Tint.
func Style() string {
	var b strings.Builder
	for _, t := range tints() {
		fmt.Fprintf(&b, ".%s{stroke:%s}.%s{fill:%[2]s}\n", t.under("stroke"), t.light,
			t.under("fill"))
	}
	b.WriteString("@media screen and (prefers-color-scheme:dark){\n")
	for _, t := range tints() {
		fmt.Fprintf(&b, ".%[1]s[stroke],.%[2]s{stroke:%[4]s}.%[1]s[fill],.%[3]s{fill:%[4]s}\n",
			t.class, t.under("stroke"), t.under("fill"), t.dark)
	}
	b.WriteString("}\n")
	return b.String()
}

// under is the class of what has the colour as its stroke or fill: an element may have one of each.
func (t role) under(attr string) string {
	return attr[:1] + strings.TrimPrefix(t.class, "pb")
}

func tints() []role {
	return slices.Concat([]role{paper, ink, muted, grid, rule}, palette[:], heatTints[:])
}
