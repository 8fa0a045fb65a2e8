package charts

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestPathsShareElements(t *testing.T) {
	line := func(y vg.Length) (p vg.Path) {
		p.Move(vg.Point{Y: y})
		p.Line(vg.Point{X: 9, Y: y})
		return p
	}
	s := newInline(10, 10)
	s.SetLineWidth(baseWidth)
	s.SetColor(paper)
	s.Fill(line(1))
	s.SetColor(ink)
	s.Stroke(line(1))
	s.Stroke(line(2)) // not filled
	s.Stroke(line(3))
	s.SetColor(muted)
	s.Stroke(line(4))
	s.begin([]int{2}, "", "")
	s.Stroke(line(5))
	s.SetLineWidth(2)
	s.Stroke(line(6))
	s.end()
	want := `<path d="M0,9H9" class="f-paper s-ink"/>
<path d="M0,8H9M0,7H9" class="s-ink"/>
<path d="M0,6H9" class="s-muted"/>
<g data-s="2">
<path d="M0,5H9" class="s-muted"/>
<path d="M0,4H9" class="s-muted" stroke-width="2"/>
</g>
`
	if got := s.content().String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	alone := newSVG(10, 10)
	alone.SetLineWidth(baseWidth)
	alone.SetColor(ink.fade(0.5))
	alone.Stroke(line(1))
	if got := alone.content().String(); !strings.Contains(got,
		`class="s-ink" stroke="`+ink.light+`" stroke-opacity="0.5"`) {
		t.Errorf("a file of its own has %s", got)
	}
}
