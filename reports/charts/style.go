package charts

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Bitmaps use a role's light colour. In SVG a style sheet replaces it by its class in dark mode.
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

var (
	paper = role{"pb-paper", "#ffffff", "#15171b", 1}
	ink   = role{"pb-ink", "#1f2328", "#e6e8eb", 1}
	muted = role{"pb-muted", "#5c636b", "#a2a9b1", 1}
	grid  = role{"pb-grid", "#e4e7ea", "#2c3036", 1}
	rule  = role{"pb-rule", "#9aa1a9", "#6b727a", 1}
)

// The palette derives from Okabe and Ito ("Color universal design", 2008), optimised in OKLCH for a
// contrast of at least 3:1 with the paper (WCAG 2.2, 1.4.11) and a smallest distance of two colours
// (OKLab × 100) of 19 in normal vision, and 10 for colour blindness by Machado, Oliveira and
// Fernandes (2009).
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

// heatTints is the part of matplotlib's inferno (Smith and van der Walt, 2015) with a contrast to
// the paper of at least 3:1, so a single request is visible. Dark mode reverses the order of
// lightness.
var heatTints = [...]role{
	{"pb-h0", "#f37819", "#bc3754", 1},
	{"pb-h1", "#dd513a", "#dd513a", 1},
	{"pb-h2", "#bc3754", "#f37819", 1},
	{"pb-h3", "#8a226a", "#fca50a", 1},
	{"pb-h4", "#57106e", "#f6d746", 1},
	{"pb-h5", "#1b0c41", "#fcffa4", 1},
}

// The first eight series differ in colour and marker, the next eight have other markers and a dash,
// and so on: 32 looks in all.
type seriesStyle struct {
	tint   role
	marker marker
	dash   []vg.Length
}

var dashes = [...][]vg.Length{nil, {7, 3}, {2, 2.5}, {9, 3, 2, 3}}

func lookOf(style int) seriesStyle {
	if style < 0 {
		panic(fmt.Sprintf("charts: style %d is negative", style))
	}
	n := len(palette)
	cycle := style / n
	return seriesStyle{
		tint:   palette[style%n],
		marker: marker((style + 3*cycle) % int(markers)),
		dash:   dashes[cycle%len(dashes)],
	}
}

// Style returns the CSS of the charts' SVG for the style element of a page.
func Style() string {
	var b strings.Builder
	for _, t := range tints() {
		fmt.Fprintf(&b, ".%s{stroke:%s}.%s{fill:%[2]s}\n", t.classFor("stroke"), t.light,
			t.classFor("fill"))
	}
	b.WriteString("@media screen and (prefers-color-scheme:dark){\n")
	for _, t := range tints() {
		fmt.Fprintf(&b, ".%[1]s[stroke],.%[2]s{stroke:%[4]s}.%[1]s[fill],.%[3]s{fill:%[4]s}\n",
			t.class, t.classFor("stroke"), t.classFor("fill"), t.dark)
	}
	b.WriteString("}\n")
	return b.String()
}

// An element may have a class each for its stroke and its fill.
func (t role) classFor(attr string) string {
	return attr[:1] + strings.TrimPrefix(t.class, "pb")
}

func tints() []role {
	return slices.Concat([]role{paper, ink, muted, grid, rule}, palette[:], heatTints[:])
}
