package page

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// A Report is a run prepared for display.
type Report struct {
	// omit PNG charts, which take most of the time
	Vectors bool

	page   *reportPage
	pages  []drawnSubpage // subpages if this is an index, or nil
	in     *reportInput
	all    []*Group
	charts []namedChart    // of all pages
	taken  map[string]bool // used names of files, and of places on the page
}

type namedChart struct {
	Name string // without extension: letters, digits and dashes
	*charts.Chart
}

// Write reads the run in a directory and writes report.html, charts/ and, with several subpages,
// report/ into it. It replaces files atomically, and removes other SVG and PNG files in charts/ and
// other pages in report/.
//
// Write writes nothing and returns an error if results.txt cannot be read, or if distributions.hlog
// or timeline.csv is damaged before its end. If one of the latter is missing, a note replaces its
// charts.
//
// The figures of draw come first, or in the section of their study.
func Write(dir string, draw ...FigureFunc) error {
	r, err := Load(dir, draw...)
	if err != nil {
		return err
	}
	return r.Write(dir)
}

// Write writes the report into the directory, like the function Write.
func (r *Report) Write(dir string) error {
	if err := r.writeCharts(filepath.Join(dir, rundir.ChartsDir)); err != nil {
		return err
	}
	pages := filepath.Join(dir, rundir.PagesDir)
	if err := r.writePages(pages); err != nil {
		return err
	}
	// The index comes last, so its links lead to pages of this report.
	if err := rundir.Replace(filepath.Join(dir, rundir.ReportFile), r.writePage); err != nil {
		return err
	}
	return r.removePages(pages)
}

// Load draws the charts of the run in a directory, without writing anything.
func Load(dir string, draw ...FigureFunc) (*Report, error) {
	all, err := results.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	runs, searches := splitSearches(all)
	in := reportInput{results: runs, searches: searches, dir: dir, draw: draw}
	if info, err := os.Stat(all.Path); err == nil {
		in.written = info.ModTime()
	}
	if err := in.drawFigures(); err != nil {
		return nil, err
	}
	groups := Groups(runs)
	charted := onlyGroups(groups, in.needsCharts)
	timed := onlyGroups(groups, in.needsTimeline)
	in.detailed = in.detailedCells(groups)
	if len(timed) > 0 || len(in.detailed) > 0 || len(in.figures) == 0 {
		if err := in.readDistributions(filepath.Join(dir, rundir.DistributionsFile),
			charted); err != nil {
			return nil, err
		}
		if err := in.readTimeline(filepath.Join(dir, rundir.TimelineFile), timed); err != nil {
			return nil, err
		}
		if err := in.readFailures(filepath.Join(dir, rundir.FailuresFile)); err != nil {
			return nil, err
		}
		if err := in.readSlowest(filepath.Join(dir, rundir.SlowestFile), charted); err != nil {
			return nil, err
		}
	}
	return in.report(groups)
}

func onlyGroups(groups []*Group, of func(*Group) bool) []*Group {
	return slices.DeleteFunc(slices.Clone(groups), func(g *Group) bool { return !of(g) })
}

func (in *reportInput) report(groups []*Group) (*Report, error) {
	if all := in.subpages(groups); len(all) > 1 {
		return in.drawSubpages(groups, all)
	}
	r, err := newReport(in, groups, make(map[string]bool))
	if err != nil || len(groups) < 2 || len(in.searches) > 0 || len(r.page.Studies) > 0 {
		return r, err
	}
	if size, err := r.size(); err != nil || size <= maxBytes {
		return r, err
	}
	return in.drawSubpages(groups, in.subpages(groups))
}

// Finding returns the first screen as text: the headline, or "" if no rule applies, and the
// reliability of the numbers.
func (r *Report) Finding() (headline string, trust []string) {
	if headline = r.page.First.Headline; headline == r.page.Summary {
		headline = ""
	}
	return headline, text.Texts(r.page.First.Trust, func(b shell.Badge) string { return b.Text })
}

// Several reports whether the report is an index of several pages.
func (r *Report) Several() bool { return len(r.pages) > 0 }

// WriteHTML writes the report as one file, without subpages.
func (r *Report) WriteHTML(w io.Writer) error {
	if len(r.pages) == 0 {
		return r.writePage(w)
	}
	whole, err := newReport(r.in, r.all, make(map[string]bool))
	if err != nil {
		return err
	}
	return whole.writePage(w)
}

func (r *Report) writePage(w io.Writer) error { return r.page.assemble().Write(w) }

func (r *Report) writeCharts(dir string) error {
	if err := files.MakeDir(dir); err != nil {
		return err
	}
	written, failed := make([][]string, len(r.charts)), make([]error, len(r.charts))
	paths := (*charts.Chart).Files
	if r.Vectors {
		paths = (*charts.Chart).SVGFile
	}
	var drawing sync.WaitGroup // bitmaps take most of the time, so use all processors
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, c := range r.charts {
		free <- struct{}{}
		drawing.Go(func() {
			written[i], failed[i] = paths(c.Chart, dir, c.Name)
			<-free
		})
	}
	drawing.Wait()
	if err := cmp.Or(failed...); err != nil { // on a full disk all errors are equal
		return err
	}
	ours := make(map[string]bool)
	for _, path := range slices.Concat(written...) {
		ours[filepath.Base(path)] = true
	}
	return removeOthers(dir, ours, ".svg", ".png")
}
