package shell

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/a-h/templ"

	"github.com/poolbench/poolbench/reports/charts"
)

// A Page is an HTML page.
type Page struct {
	Title    string // of the window, and the first words above the headline
	Subtitle string // the subject of the runs
	Command  string // reproduces the results, or ""

	Answer
	Trust  []Badge
	Alerts []Alert
	Basis  string
	Figure *Figure // of the first screen, or nil

	Up       string // address of its index, or ""
	Sections []Section
	Source   HTML   // origin for the footer. "": the command of the title
	CSS, JS  string // added to those of all pages

	bad error // first error of a section
}

// A Badge states the reliability of the numbers.
type Badge struct {
	Kind string // ok, warn, bad, or "" for a plain one
	Text string
}

// An Alert is a warning shown before any number.
type Alert struct {
	Lead, Text string
	Items      []Item // the first few are unfolded
}

// An Item is a run and a statement about it.
type Item struct{ Key, Value string }

// A Figure is a chart, or a table, with its text.
type Figure struct {
	ID, Title, Subtitle, Caption string
	More                         string // folded part of the caption
	Kind                         string // compact, rows, or panels: several
	SVG                          HTML
	Table                        *Table               // instead of a chart
	Key                          []charts.LegendEntry // for kinds compact and panels
	// its styles have another meaning than in other figures
	Own bool
}

// A Section is a part of the page below the first screen.
type Section struct {
	ID      string
	Title   string // in the navigation, or ""
	Body    HTML   // with its heading of level 2
	CSS, JS string
}

//go:embed page.css
var pageCSS string

// Style returns the CSS of pages, for pages that are not reports.
func Style() string { return pageCSS }

// fewItems is the number of unfolded items of an alert. A headline of more than longHeadline bytes
// has a smaller font.
const (
	fewItems     = 5
	longHeadline = 150
)

// HTML is trusted HTML, written unchanged. Only constants, and output of components and charts, may
// be converted to it.
type HTML string

// Render implements templ.Component.
func (h HTML) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, string(h))
	return err
}

// Text renders a component.
func Text(c templ.Component) (HTML, error) {
	var b strings.Builder
	err := c.Render(context.Background(), &b)
	return HTML(b.String()), err
}

// Add renders a component as a section if shown is set. Write returns its error.
func (p *Page) Add(shown bool, id, title string, c templ.Component) {
	if shown {
		body, err := Text(c)
		p.bad = errors.Join(p.bad, err)
		p.Sections = append(p.Sections, Section{ID: id, Title: title, Body: body})
	}
}

// Render implements templ.Component.
func (f Figure) Render(ctx context.Context, w io.Writer) error {
	return figure(f, h3(f)).Render(ctx, w)
}

func (p *Page) hasFacts() bool { return len(p.Facts) > 0 || p.Next != "" }

// Lines joins a text and the line below it.
func Lines(text, below string) string {
	if below != "" {
		text += "\n" + below
	}
	return text
}

// Drawn returns a drawn chart as a figure with its own styles, or nil if nothing was drawn.
func Drawn(id, caption string, c *charts.Chart, err error) (*Figure, error) {
	if _, empty := errors.AsType[*charts.EmptyError](err); empty {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	f, err := Chart(c)
	f.ID, f.Own, f.Caption = id, true, caption
	return &f, err
}

// Chart draws a chart for a page. Its panels form a row or, on a phone, a column.
func Chart(c *charts.Chart) (f Figure, err error) {
	var svg strings.Builder
	layouts, parts := c.InPage(), c.Parts()
	for _, part := range parts {
		for _, layout := range layouts {
			svg.WriteString(`<div class="chart">`)
			if err := part.InlineSVG(&svg, layout); err != nil {
				return f, err
			}
			svg.WriteString("</div>")
		}
	}
	switch {
	case len(parts) > 1:
		f.Kind, f.Key = "panels", c.Key()
	case len(layouts) > 1:
		f.Kind = "rows"
	default:
		f.Kind, f.Key = "compact", c.Key()
	}
	f.Title, f.Subtitle, f.SVG = c.Title, c.Subtitle, HTML(svg.String())
	return f, nil
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	if p.bad != nil {
		return p.bad
	}
	if p.Source == "" {
		p.Source = HTML("Written by <code>poolbench " + html.EscapeString(p.Title) + "</code>.")
	}
	css, js := pageCSS+charts.Style()+p.CSS, p.JS
	for _, s := range p.Sections {
		css, js = css+s.CSS, js+s.JS
	}
	css = "\n" + css + "\n"
	if js != "" {
		js = "\n" + js + "\n"
	}
	return p.whole(policy(css, js), element("style", css), element("script", js)).
		Render(context.Background(), w)
}

// The policy contains the hash of the text, so the text must not change afterwards.
func element(name, text string) HTML {
	if text == "" {
		return ""
	}
	return HTML("<" + name + ">" + text + "</" + name + ">")
}

func policy(css, js string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	p := fmt.Sprintf("default-src 'none'; style-src %s; img-src data: blob:; base-uri 'none'; "+
		"form-action 'none'", hash(css))
	if js != "" {
		p += "; script-src " + hash(js)
	}
	return p
}
