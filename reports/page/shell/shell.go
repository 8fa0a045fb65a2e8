package shell

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/answer"
	"github.com/poolbench/poolbench/reports/charts"
)

// A Page is a page for a browser.
type Page struct {
	Title    string // of the window, and the first words above the headline
	Subtitle string // what was run
	Command  string // that makes such results; "" where it is not known

	answer.Answer
	Trust  []Badge
	Alerts []Alert
	Basis  string  // on what differences rest
	Figure *Figure // of the first screen; nil: none

	Sections []Section
	Source   template.HTML // what the footer says of the origin
	CSS, JS  string        // beside those of all pages

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
	SVG                          template.HTML
	Table                        *Table         // in the place of a chart
	Key                          []charts.Named // of a compact one, or of panels
	// what its styles stand for is its own affair, and not that of the other figures
	Own bool
}

// A Section is a part of the page below the first screen.
type Section struct {
	ID    string
	Title string        // in the navigation; "" keeps it out
	Body  template.HTML // with its heading, whose level is 2
	// that it needs beside those of the page: "" for most
	CSS, JS string
}

var (
	//go:embed shell.html.tmpl
	shellHTML string
	//go:embed page.css
	pageCSS string

	shell = template.Must(template.New("shell").Funcs(template.FuncMap{
		"bar": func(b answer.Bar) template.HTML {
			return template.HTML(charts.Bar(b.Style, b.Share))
		},
		"svg":   func(text string) template.HTML { return template.HTML(text) },
		"first": func(all []Item) []Item { return all[:min(len(all), fewItems)] },
		"rest":  func(all []Item) []Item { return all[min(len(all), fewItems):] },
		"whole": quantity.Together,
		"long":  func(text string) bool { return len(text) > 150 },
	}).Parse(shellHTML))
)

// fewItems is how many items of an alert are shown before the rest is folded.
const fewItems = 5

// Template parses the templates of a page, which may use those of the shell: "figure", "items".
func Template(name, text string) *template.Template {
	return template.Must(template.Must(shell.Clone()).New(name).Parse(text))
}

// Render executes one of the templates.
func Render(t *template.Template, name string, data any) (template.HTML, error) {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil
}

// Add renders one of the templates as a further section, unless there is nothing to show in it.
// What is wrong with it Write returns.
func (p *Page) Add(shown bool, id, title string, t *template.Template, name string, data any) {
	if shown {
		body, err := Render(t, name, data)
		p.bad = errors.Join(p.bad, err)
		p.Sections = append(p.Sections, Section{ID: id, Title: title, Body: body})
	}
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
	f.Title, f.Subtitle, f.SVG = c.Title, c.Subtitle, template.HTML(svg.String())
	return f, nil
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	if p.bad != nil {
		return p.bad
	}
	css, js := pageCSS+charts.Style()+p.CSS, p.JS
	for _, s := range p.Sections {
		css, js = css+s.CSS, js+s.JS
	}
	css = "\n" + css + "\n"
	if js != "" {
		js = "\n" + js + "\n"
	}
	return shell.ExecuteTemplate(w, "page", struct {
		*Page
		Policy string
		Style  template.HTML
		Script template.HTML
	}{p, policy(css, js), element("style", css), element("script", js)})
}

// element writes an element whose text the policy knows by its hash: no character of it may change
// on the way.
func element(name, text string) template.HTML {
	if text == "" {
		return ""
	}
	return template.HTML("<" + name + ">" + text + "</" + name + ">")
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
