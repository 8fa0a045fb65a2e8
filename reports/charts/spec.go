package charts

import "gonum.org/v1/plot/vg"

// A Spec contains the appearance of the charts for other renderers, such as the explorer in the
// browser.
type Spec struct {
	// paper, ink, muted text, grid and rules. Style makes them dark
	Parts   map[string]Tint `json:"parts"`
	Palette []Tint          `json:"palette"`
	Markers []Outline       `json:"markers"`
	Dashes  [][]float64     `json:"dashes"` // in points. The first line is solid
	// indices of palette, marker and dash by style, modulo their number
	Looks        [][3]int    `json:"looks"`
	Levels       [][]float64 `json:"levels"`
	LineWidth    float64     `json:"lineWidth"`
	MarkerRadius float64     `json:"markerRadius"`
	Fonts        string      `json:"fonts"` // a CSS font-family
}

// A Tint is a colour and its CSS class.
type Tint struct {
	Class string `json:"class"`
	Light string `json:"light"` // #rrggbb
}

// An Outline is the SVG path of a marker with radius 10 around the origin. An open outline is
// stroked and not filled.
type Outline struct {
	Path string `json:"path"`
	Open bool   `json:"open"`
}

const outlineRadius = 10

// Specification returns this package's Spec.
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
	// The number of dashes divides the number of markers, so this is the period of all looks.
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
