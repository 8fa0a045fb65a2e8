package charts

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/poolbench/poolbench/internal/text"
)

// The enclosing element has the attributes that most elements share.
const (
	base      = `fill="none" stroke-width="1.25" font-size="12"`
	baseWidth = 1.25
	baseSize  = 12
)

// An svgPath is a pending path. An outline joins the element of its area, and strokes with the same
// look share an element.
type svgPath struct {
	data         string
	fill, stroke svgPaint
	line         string // attributes of the stroke except its paint
}

type svgPaint struct {
	role
	alpha string // "" means opaque
}

func paintOf(c color.Color) svgPaint {
	t, ok := c.(role)
	if !ok {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		t = role{light: fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B), alpha: float64(n.A) / 255}
	}
	out := svgPaint{role: t}
	if t.alpha < 1 {
		out.alpha = decimal(t.alpha)
	}
	return out
}

func newInline(w, h vg.Length) *svgCanvas {
	s := newSVG(w, h)
	s.inline = true
	return s
}

func (s *svgCanvas) Stroke(p vg.Path) {
	t := s.top()
	data := s.data(p)
	if t.width <= 0 || !strings.ContainsAny(data, "LlHVACQ") { // invisible
		return
	}
	path := svgPath{data: data, stroke: paintOf(t.color), line: t.line()}
	switch before := &s.pending; {
	case before.data == data && before.stroke == svgPaint{}:
		before.stroke, before.line = path.stroke, path.line
	case before.data != "" && before.fill == svgPaint{} && before.stroke == path.stroke &&
		before.line == path.line:
		before.data += data
	default:
		s.content()
		s.pending = path
	}
}

func (s *svgCanvas) Fill(p vg.Path) {
	if len(p) > 0 {
		s.content()
		s.pending = svgPath{data: s.data(p), fill: paintOf(s.top().color)}
	}
}

// line returns the attributes of a stroke except its paint.
func (t *svgState) line() string {
	var b strings.Builder
	if t.width != baseWidth {
		fmt.Fprintf(&b, ` stroke-width="%s"`, decimal(float64(t.width)))
	}
	if len(t.dash) > 0 {
		parts := text.Texts(t.dash, func(d vg.Length) string { return decimal(float64(d)) })
		fmt.Fprintf(&b, ` stroke-dasharray="%s"`, strings.Join(parts, " "))
		if t.offset != 0 {
			fmt.Fprintf(&b, ` stroke-dashoffset="%s"`, decimal(float64(t.offset)))
		}
	}
	return b.String()
}

func (s *svgCanvas) content() *bytes.Buffer {
	if p := s.pending; p.data != "" {
		fmt.Fprintf(&s.body, "<path d=\"%s\"%s%s/>\n", p.data, s.paints(p.fill, p.stroke), p.line)
		s.pending = svgPath{}
	}
	return &s.body
}

// Standalone files have colours as attributes, in addition to the classes for a style sheet.
func (s *svgCanvas) paints(fill, stroke svgPaint) string {
	var classes, attributes []string
	for _, of := range []struct {
		attr string
		svgPaint
	}{{"fill", fill}, {"stroke", stroke}} {
		if of.light == "" {
			continue
		}
		if of.class != "" {
			classes = append(classes, of.classFor(of.attr))
		}
		if !s.inline || of.class == "" {
			attributes = append(attributes, fmt.Sprintf(` %s="%s"`, of.attr, of.light))
		}
		if of.svgPaint.alpha != "" {
			attributes = append(attributes,
				fmt.Sprintf(` %s-opacity="%s"`, of.attr, of.svgPaint.alpha))
		}
	}
	out := strings.Join(attributes, "")
	if len(classes) > 0 {
		out = fmt.Sprintf(` class="%s"`, strings.Join(classes, " ")) + out
	}
	return out
}
