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

// A Page is a page for a browser.
type Page struct {
	Title    string // of the window, and the first words above the headline
	Subtitle string // what was run
	Command  string // that makes such results; "" where it is not known

	Answer
	Trust  []Badge
	Alerts []Alert
	Basis  string  // on what differences rest
	Figure *Figure // of the first screen; nil: none

	Sections []Section
	Source   HTML   // what the footer says of the origin; "": the command of the title
	CSS, JS  string // beside those of all pages

	bad error // of the sections
}

// A Badge is a short statement on whether the numbers can be believed.
type Badge struct {
	Kind string // ok, warn, bad, or "" for a plain one
	Text string
}

// An Alert is what a reader must know before any number.
type Alert struct {
	Lead, Text string
	Items      []Item // of which the first few are shown
}

// An Item is a run and what is said of it.
type Item struct{ Key, Value string }

// A Figure is a chart, or a table, with the words around it.
type Figure struct {
	ID, Title, Subtitle, Caption string
	More                         string // of the caption, folded
	Kind                         string // compact, rows, or panels: several
	SVG                          HTML
	Table                        *Table         // in the place of a chart
	Key                          []charts.Named // of a compact one, or of panels
	// what its styles stand for is its own affair, and not that of the other figures
	Own bool
}

// A Section is a part of the page below the first screen.
type Section struct {
	ID    string
	Title string // in the navigation; "" keeps it out
	Body  HTML   // with its heading, whose level is 2
	// that it needs beside those of the page: "" for most
	CSS, JS string
}

//go:embed page.css
var pageCSS string

// fewItems is how many items of an alert are shown before the rest is folded; a headline of more
// bytes than longHeadline is set smaller.
const (
	fewItems     = 5
	longHeadline = 150
)

// HTML is HTML already, and is written as it stands: text of our own, or what a component or a
// chart made, which have escaped the words in it.
type HTML string

// Render writes it: it is a component.
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

// Add renders a component as a further section, unless there is nothing to show in it. What is
// wrong with it Write returns.
func (p *Page) Add(shown bool, id, title string, c templ.Component) {
	if shown {
		body, err := Text(c)
		p.bad = errors.Join(p.bad, err)
		p.Sections = append(p.Sections, Section{ID: id, Title: title, Body: body})
	}
}

// Render writes the figure under a heading of level 3: it is a component.
func (f Figure) Render(ctx context.Context, w io.Writer) error {
	return figure(f, h3(f)).Render(ctx, w)
}

// Lines are a text and what stands below it, on a line of its own.
func Lines(text, below string) string {
	if below != "" {
		text += "\n" + below
	}
	return text
}

// Drawn is Chart of what a function that draws one returned, as a figure whose styles are its own
// affair; nil where there was nothing to draw.
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

// Chart draws a chart for a page, each of its panels as a picture of its own: they stand side by
// side where there is room, and below one another on a phone. One of rows is drawn for a window and
// for a phone.
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

// element writes an element whose text the policy knows by its hash: no character of it may change
// on the way.
func element(name, text string) HTML {
	if text == "" {
		return ""
	}
	return HTML("<" + name + ">" + text + "</" + name + ">")
}

// policy forbids the page everything but its own style and script, and the pictures that it makes
// of its charts.
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
