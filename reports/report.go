package reports

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolbench/poolbench/reports/charts"
)

// Names in the directory of a run, beside ResultsFile.
const (
	DistributionsFile = "distributions.hlog" // read: one tagged histogram a run and reading
	TimelineFile      = "timeline.csv"       // read: counts a run and interval
	ReportFile        = "report.html"        // written
	ChartsDir         = "charts"             // written: each chart of the report as NAME.svg and NAME.png
)

// Report is a run made ready to be shown.
type Report struct {
	page   *reportPage
	charts []NamedChart
}

// NamedChart is a chart of a report with the name of its files, which is made of what the chart shows and stays the
// same while that does.
type NamedChart struct {
	Name string // without extension: letters, digits and dashes
	*charts.Chart
}

// WriteReport reads the run in a directory and writes report.html and charts/ into it. Files of an earlier report are
// replaced, each at once: whoever looks finds the old one or the new one whole. SVG and PNG files in charts/ that are
// not of this report are removed.
//
// Without results.txt, or with one that does not read, there is an error and nothing is written; so with a
// distributions.hlog or a timeline.csv that is damaged other than by a cut at its end. Where one of these two is
// missing, its charts are, and the report says so.
//
// The figures of draw come first, those of a study in its section. Of the two files only what a chart shows is read.
func WriteReport(dir string, draw ...Drawer) error {
	r, err := LoadReport(dir, draw...)
	if err != nil {
		return err
	}
	if err := r.writeCharts(filepath.Join(dir, ChartsDir)); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, ReportFile), r.WriteHTML)
}

// LoadReport reads the run in a directory and draws its charts, without writing anything.
func LoadReport(dir string, draw ...Drawer) (*Report, error) {
	results, err := ReadDir(dir)
	if err != nil {
		return nil, err
	}
	runs, searches := splitSearches(results)
	in := reportInput{results: runs, searches: searches, dir: dir, draw: draw}
	if info, err := os.Stat(results.Path); err == nil {
		in.written = info.ModTime()
	}
	if err := in.drawFigures(); err != nil {
		return nil, err
	}
	groups := groupRuns(runs)
	charted := slices.DeleteFunc(slices.Clone(groups), func(g *reportGroup) bool { return !in.needsCharts(g) })
	if len(charted) > 0 || len(in.figures) == 0 {
		if err := in.readDistributions(filepath.Join(dir, DistributionsFile), charted); err != nil {
			return nil, err
		}
		if err := in.readTimeline(filepath.Join(dir, TimelineFile), charted); err != nil {
			return nil, err
		}
	}
	return newReport(&in, groups)
}

// Charts returns the charts in the order of the page.
func (r *Report) Charts() []NamedChart { return slices.Clone(r.charts) }

// WriteHTML writes the page: one file that needs no other and no network.
func (r *Report) WriteHTML(w io.Writer) error { return reportTemplate.Execute(w, r.page) }

func (r *Report) writeCharts(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return pathError(dir, err)
	}
	ours := make(map[string]bool)
	for _, c := range r.charts {
		for ext, render := range map[string]func(io.Writer) error{
			".svg": func(w io.Writer) error { return c.SVG(w, charts.Wide) },
			".png": c.PNG,
		} {
			name := c.Name + ext
			ours[name] = true
			if err := writeFile(filepath.Join(dir, name), render); err != nil {
				return err
			}
		}
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		return pathError(dir, err)
	}
	for _, f := range found {
		ext := filepath.Ext(f.Name())
		if ours[f.Name()] || f.IsDir() || ext != ".svg" && ext != ".png" {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return pathError(dir, err)
		}
	}
	return nil
}

// writeFile writes a file under another name and puts it in its place when it is whole.
func writeFile(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return pathError(filepath.Dir(path), err)
	}
	_, err = f.Write(content.Bytes())
	if chmod := f.Chmod(0o644); err == nil { // CreateTemp made it private
		err = chmod
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%w%s", pathError(path, err), removed(f.Name()))
	}
	return nil
}

// removed removes a file that an error left behind, and says so where even that fails.
func removed(path string) string {
	if err := os.Remove(path); err != nil {
		return fmt.Sprintf(" (and %s stays behind: %v)", path, err)
	}
	return ""
}
