package charts

import "gonum.org/v1/plot/vg"

// A Spec is what a drawing outside this package needs to look like its charts: the page's own, made
// by a browser, draws the same strategy in the same colour, dash and marker.
type Spec struct {
	// a style sheet turns them dark: see Style
	Parts   map[string]Tint `json:"parts"`   // of what is no series: paper, ink, muted, grid, rule
	Palette []Tint          `json:"palette"` // of series
	Markers []Outline       `json:"markers"`
	Dashes  [][]float64     `json:"dashes"` // in points; the first is a solid line
	// by style, modulo their number: indices of the palette, the markers, the dashes
	Looks [][3]int `json:"looks"`
	// patterns of the lines that values are compared with
	Levels       [][]float64 `json:"levels"`
	LineWidth    float64     `json:"lineWidth"`
	MarkerRadius float64     `json:"markerRadius"`
	Fonts        string      `json:"fonts"` // a CSS font-family
}

// A Tint is a colour on light paper, and the class by which a style sheet finds it.
type Tint struct {
	Class string `json:"class"`
	Light string `json:"light"` // #rrggbb
}

// An Outline is the path of a marker of radius 10 around the origin, as SVG has it. An open one is
// stroked and not filled.
type Outline struct {
	Path string `json:"path"`
	Open bool   `json:"open"`
}

// outlineRadius is that of the exported markers.
const outlineRadius = 10

// Specification returns the look of this package's charts.
func Specification() Spec {
	spec := Spec{Parts: make(map[string]Tint), LineWidth: float64(lineWidth),
		MarkerRadius: float64(markerRadius), Fonts: fonts}
	for name, r := range map[string]role{"paper": paper, "ink": ink, "muted": muted, "grid": grid,
		"rule": rule} {
		spec.Parts[name] = Tint{r.class, r.light}
	}
	for _, r := range palette {
		spec.Palette = append(spec.Palette, Tint{r.class, r.light})
	}
	for m := range markers {
		path, closed := m.path(vg.Point{}, outlineRadius)
		spec.Markers = append(spec.Markers, Outline{newSVG(0, 0).data(path), !closed})
	}
	for _, d := range dashes {
		spec.Dashes = append(spec.Dashes, points(d))
	}
	for i := range len(levelDashes) {
		spec.Levels = append(spec.Levels, points(levelDashes[i]))
	}
	// A marker and a dash return with a colour after so many: the dashes divide the markers.
	for style := range len(palette) * int(markers) {
		look := lookOf(style)
		spec.Looks = append(spec.Looks, [3]int{style % len(palette), int(look.marker),
			style / len(palette) % len(dashes)})
	}
	return spec
}

func points(lengths []vg.Length) []float64 {
	out := make([]float64, len(lengths))
	for i, l := range lengths {
		out[i] = float64(l)
	}
	return out
}
