package page

import (
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

const maxBytes = 400_000

const pageExt = ".html"

const freeName = "runs"

// A subpage is a study, or the groups outside of studies.
type subpage struct {
	name    string // of its page, without extension
	title   string
	finding int // index of its finding, or -1
	groups  []*Group
}

type drawnSubpage struct {
	subpage
	*Report
}

type subpageLink struct{ Title, Page, Headline string }

func (in *reportInput) subpages(groups []*Group) (all []subpage) {
	of := make(map[int][]*Group)
	for _, g := range groups {
		of[g.Study] = append(of[g.Study], g)
	}
	for i, f := range in.results.Findings {
		if f.Study != "" {
			all = append(all, subpage{name: f.Study, title: f.Study, finding: i, groups: of[i]})
		}
	}
	if free := of[-1]; len(free) > 0 {
		all = append(all, subpage{name: freeName, title: "Runs outside studies", finding: -1,
			groups: free})
	}
	return all
}

func eachGroup(groups []*Group) (all []subpage) {
	for i, own := range distinguishing(groups) {
		title := strings.Join(own, " · ")
		if title == "" {
			title = groups[i].Base
		}
		all = append(all, subpage{name: title, title: title, finding: -1,
			groups: groups[i : i+1]})
	}
	return all
}

func (in *reportInput) forSubpage(q subpage) *reportInput {
	part, rest := *in, *in.results
	part.results = &rest
	rest.Runs, rest.Findings, rest.Failures = nil, nil, nil
	of := in.results.StudyOf()
	wanted := func(i int) bool { return of[i] == q.finding }
	if q.finding < 0 { // another such subpage may have the other runs
		own := make(map[*results.Run]bool)
		for _, g := range q.groups {
			for _, c := range g.Cells {
				for _, run := range c.Cell {
					own[run] = true
				}
			}
		}
		wanted = func(i int) bool { return own[&in.results.Runs[i]] }
	} else {
		part.searches = nil
	}
	var runs []int
	for i := range in.results.Runs {
		if wanted(i) {
			runs = append(runs, len(rest.Runs))
			rest.Runs = append(rest.Runs, in.results.Runs[i])
		}
	}
	rest.Metrics = slices.DeleteFunc(slices.Clone(rest.Metrics), func(unit string) bool {
		return !slices.ContainsFunc(rest.Runs, func(r results.Run) bool {
			_, ok := r.Value(unit)
			return ok
		})
	})
	study := ""
	if q.finding >= 0 {
		f := in.results.Findings[q.finding]
		f.Runs, study = runs, f.Study
		rest.Findings = append(rest.Findings, f)
	}
	part.figures = slices.DeleteFunc(slices.Clone(in.figures), func(f Figure) bool {
		return q.finding < 0 || f.Study != study
	})
	return &part
}

func (in *reportInput) hasFinding(study string) bool {
	return study != "" && slices.ContainsFunc(in.results.Findings, func(f decide.Finding) bool {
		return f.Study == study
	})
}

// If the page of the groups outside of studies is too large, each group gets a page.
func (in *reportInput) drawSubpages(groups []*Group, all []subpage) (*Report, error) {
	index := emptyReport(in)
	index.all = groups
	named := &Report{taken: make(map[string]bool)}
	for len(all) > 0 {
		q := all[0]
		all = all[1:]
		own := slices.Clone(q.groups)
		for i, g := range own {
			copied := *g
			copied.Study = min(g.Study, 0)
			own[i] = &copied
		}
		taken := maps.Clone(index.taken)
		r, err := newReport(in.forSubpage(q), own, taken)
		if err != nil {
			return nil, err
		}
		if q.finding < 0 && len(own) > 1 && len(in.searches) == 0 {
			if size, err := r.size(); err != nil {
				return nil, err
			} else if size > maxBytes {
				if err := index.addVariance(&index.page.Variance, own); err != nil {
					return nil, err
				}
				all = append(eachGroup(q.groups), all...)
				continue
			}
		}
		index.taken = taken
		q.name = named.unique(charts.FileName(q.name))
		r.page.Up = true
		r.page.First.Title = q.title
		r.page.First.Subtitle = dirName(in.dir) + " · " + r.page.Summary
		index.pages = append(index.pages, drawnSubpage{q, r})
		index.charts = append(index.charts, r.charts...)
	}
	return index, index.describeIndex(in, groups)
}

func (r *Report) describeIndex(in *reportInput, groups []*Group) error {
	p := r.page
	studies, _ := r.namedStudies(in)
	p.Studies, p.Tally = studies, tally(studies)
	p.describe(in, groups)
	top := r.first(in, groups)
	for _, q := range r.pages {
		link := path.Join(rundir.PagesDir, q.name+pageExt)
		own := q.page
		if q.finding < 0 {
			p.Pages = append(p.Pages, subpageLink{q.title, link, own.First.Headline})
			if top != nil && slices.ContainsFunc(q.groups, func(g *Group) bool { return g == top }) {
				p.First.Figure = own.First.Figure
			}
			continue
		}
		i := slices.IndexFunc(p.Studies, func(s reportStudy) bool { return s.Study == q.title })
		s := &p.Studies[i]
		s.Page, s.Spark = link, own.Studies[0].Spark
		if s.Study == p.First.Study {
			p.First.Figure = own.First.Figure
		}
	}
	cut := *in // figures of studies that were cut off
	cut.figures = slices.DeleteFunc(slices.Clone(in.figures), func(f Figure) bool {
		return in.hasFinding(f.Study)
	})
	return r.addFigures(&cut, nil)
}

func (r *Report) writePages(dir string) error {
	if len(r.pages) == 0 {
		return nil
	}
	if err := files.MakeDir(dir); err != nil {
		return err
	}
	for _, q := range r.pages {
		if err := rundir.Replace(filepath.Join(dir, q.name+pageExt), q.writePage); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) removePages(dir string) error {
	ours := make(map[string]bool)
	for _, q := range r.pages {
		ours[q.name+pageExt] = true
	}
	return removeOthers(dir, ours, pageExt)
}

func removeOthers(dir string, ours map[string]bool, extensions ...string) error {
	found, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	} else if err != nil {
		return rundir.PathError(dir, err)
	}
	for _, f := range found {
		if ours[f.Name()] || !f.Type().IsRegular() ||
			!slices.Contains(extensions, filepath.Ext(f.Name())) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return rundir.PathError(dir, err)
		}
	}
	return nil
}

func (s *reportStudy) Link() string {
	if s.Page != "" {
		return s.Page
	}
	return "#" + s.ID
}

func (r *Report) size() (int, error) {
	var b bytes.Buffer
	err := r.writePage(&b)
	return b.Len(), err
}
