package shell

import (
	"cmp"
	"io"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// WriteCard writes the first screen as a PNG of 1200 × 630 pixels for sharing.
func (p *Page) WriteCard(w io.Writer) error {
	trust := text.Texts(p.Trust, func(b Badge) string {
		return strings.TrimLeft(b.Text, "✓✗! ") // the font of pictures lacks these
	})
	c := charts.Card{Source: strings.Trim("poolbench · "+p.Title+" · "+p.Subtitle, " ·"),
		Headline: p.Headline, Trust: strings.Join(trust, " · "), Basis: p.Basis,
		Command: cmp.Or(p.Command, p.Next)}
	for _, f := range p.Facts {
		if len(f.Bars) == 0 {
			continue
		}
		c.Over = f.Title
		for _, b := range f.Bars {
			c.Bars = append(c.Bars, charts.CardBar{Label: b.Label, Value: b.Value, Style: b.Style,
				Share: b.Share})
		}
		break
	}
	return c.PNG(w)
}
