package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/reports/flame"
	"github.com/poolbench/poolbench/reports/flight"
	"github.com/poolbench/poolbench/reports/page/internal/grid"
	"github.com/poolbench/poolbench/reports/page/shell"
)

type profiledGroup struct {
	Title    string
	Facts    []string
	Pictures []flamePicture
}

type flamePicture struct {
	flame.Picture
	Drawn shell.HTML // its SVG, whose words flame has escaped
}

// profiles draws those of the strategy of a group that is slowest at the p99, and holds them
// against those of the fastest in the same place, if there is another one.
func (in *reportInput) profiles(g *grid.Group) (out profiledGroup, found bool, err error) {
	if g.Study >= 0 || in.dir == "" {
		return out, false, nil
	}
	var worst, best *grid.Cell
	for _, c := range g.Cells {
		if rundir.ProfilesOf(c.Name) != nil && (worst == nil || isSlower(c, worst)) {
			worst = c
		}
	}
	if worst == nil {
		return out, false, nil
	}
	for _, c := range g.Cells {
		if samePlace(c.Name, worst.Name) && (best == nil || isSlower(best, c)) {
			best = c
		}
	}
	var base *flame.Side
	if best != nil && best != worst {
		base = &flame.Side{Name: label(best), Runs: best.Cell}
	}
	pictures, err := flame.Pictures(in.dir, flame.Side{Name: label(worst), Runs: worst.Cell}, base)
	out = profiledGroup{Title: title(g), Facts: subjects(g)}
	for _, p := range pictures {
		out.Pictures = append(out.Pictures, flamePicture{p, shell.HTML(p.SVG)})
	}
	return out, len(pictures) > 0, err
}

// label names the cell in a sentence.
func label(c *grid.Cell) string { return cmp.Or(c.Strategy, c.Name) }

// samePlace reports whether two runs differ in their strategy alone.
func samePlace(a, b string) bool {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && (!strings.HasPrefix(x[i], "strategy=") ||
			!strings.HasPrefix(y[i], "strategy=")) {
			return false
		}
	}
	return true
}

// addFlights adds what traces of slow tasks show. One that cannot be read is a note.
func (r *Report) addFlights(in *reportInput) {
	if in.dir == "" {
		return
	}
	var err error
	if r.page.Flights, err = flight.Of(in.dir, in.results.Runs); err != nil {
		r.page.Notes = append(r.page.Notes, fmt.Sprintf("traces are left out: %v", err))
	}
}

// addProfiles adds what the profiles of a group show. One that cannot be read is a note.
func (r *Report) addProfiles(in *reportInput, g *grid.Group) {
	p, found, err := in.profiles(g)
	if err != nil {
		r.page.Notes = append(r.page.Notes, fmt.Sprintf("profiles are left out: %v", err))
	} else if found {
		r.page.Profiles = append(r.page.Profiles, p)
	}
}
