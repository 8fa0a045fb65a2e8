package charts

import (
	"image/color"
	"io"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A Card is a picture of one finding for social media, readable at a third of its size. Long texts
// are wrapped, then shortened.
type Card struct {
	Source   string // above the headline: the subject
	Headline string
	Trust    string
	Over     string // above the bars: quantity and unit
	Bars     []CardBar
	Basis    string // origin of the numbers
	Command  string // reproduces the finding, or ""
}

// A CardBar is a bar with its formatted value.
type CardBar struct {
	Label, Value string
	Style        int
	Share        float64 // of the longest bar
}

// In pixels.
const (
	cardWidth, cardHeight = 1200, 630
	cardMargin            = 60
	cardInner             = cardWidth - 2*cardMargin
	maxCardBars           = 3
	maxCardText           = 400 // characters per text
)

type cardPen struct {
	draw.Canvas
	y vg.Length // distance from the lower edge
}

// PNG writes the card with 1200 × 630 pixels.
func (c *Card) PNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(cardWidth, cardHeight), vgimg.UseDPI(int(vg.Inch.Points())),
		vgimg.UseBackgroundColor(paper))
	pen := &cardPen{draw.New(canvas), cardHeight - 44}
	pen.lines(cardStyle("Sans", 24, xfont.WeightNormal, muted), 1, c.Source)
	pen.y -= 10
	bottom := c.drawFoot(pen)
	bars := c.Bars[:min(len(c.Bars), maxCardBars)]
	room := pen.y - bottom - 40 // leave space for trust and bars
	if len(bars) > 0 {
		room -= 46 + 52*vg.Length(len(bars))
	}
	pen.headline(c.Headline, room)
	pen.y -= 6
	pen.lines(cardStyle("Sans", 24, xfont.WeightNormal, muted), 1, c.Trust)
	if len(bars) > 0 {
		pen.y -= 10
		pen.lines(cardStyle("Sans", 24, xfont.WeightBold, ink), 1, c.Over)
		pen.y -= 6
		for _, b := range bars {
			pen.bar(b)
		}
	}
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

func (c *Card) drawFoot(pen *cardPen) (top vg.Length) {
	command := cardStyle("Mono", 20, xfont.WeightNormal, ink)
	basis := cardStyle("Sans", 22, xfont.WeightNormal, muted)
	text := cardLines(c.Command, cardInner-40, command, 2)
	about := cardLines(c.Basis, cardInner, basis, 2)
	top = 36
	if len(text) > 0 {
		height := 24 + 30*vg.Length(len(text))
		pen.fill(grid, cardMargin, top, cardInner, height)
		at := &cardPen{pen.Canvas, top + height - 12}
		at.writeAt(cardMargin+20, command, text)
		top += height + 12
	}
	top += 30 * vg.Length(len(about))
	(&cardPen{pen.Canvas, top}).writeAt(cardMargin, basis, about)
	return top
}

func (p *cardPen) headline(text string, room vg.Length) {
	for _, size := range []font.Length{60, 54, 48, 43, 38} {
		style := cardStyle("Sans", size, xfont.WeightBold, ink)
		most := int(room / (size * 1.25))
		lines := cardLines(text, cardInner, style, max(most, 1)+1)
		if len(lines) <= most || size == 38 {
			p.writeAt(cardMargin, style, cardLines(text, cardInner, style, max(most, 1)))
			return
		}
	}
}

func (p *cardPen) bar(b CardBar) {
	const high = 44
	tint := lookOf(b.Style).tint
	p.fill(tint.fade(0.3), cardMargin, p.y-high, max(4, cardInner*vg.Length(min(b.Share, 1))), high)
	p.fill(tint, cardMargin, p.y-high, 6, high)
	style := cardStyle("Sans", 26, xfont.WeightBold, ink)
	at := &cardPen{p.Canvas, p.y - 8}
	at.writeAt(cardMargin+22, style, cardLines(b.Label+"  "+b.Value, cardInner-40, style, 1))
	p.y -= high + 8
}

func (p *cardPen) fill(c color.Color, x, y, width, height vg.Length) {
	p.FillPolygon(c, box(x, y, x+width, y+height))
}

func (p *cardPen) lines(style draw.TextStyle, most int, text string) {
	p.writeAt(cardMargin, style, cardLines(text, cardInner, style, most))
}

func (p *cardPen) writeAt(x vg.Length, style draw.TextStyle, lines []string) {
	for _, line := range lines {
		p.FillText(style, vg.Point{X: x, Y: p.y}, line)
		p.y -= style.Font.Size * 1.25
	}
}

func cardStyle(variant font.Variant, size font.Length, weight xfont.Weight, t role) draw.TextStyle {
	s := textStyle(size, weight, t)
	s.Font.Variant = variant
	return s
}

func cardLines(text string, width vg.Length, style draw.TextStyle, most int) []string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)), " ")
	if runes := []rune(text); len(runes) > maxCardText {
		text = string(runes[:maxCardText]) + "…"
	}
	lines := wrap(text, width, style)
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = shortenToWidth(lines[most-1], width-style.Width("…"), style) + "…"
	}
	return lines
}
