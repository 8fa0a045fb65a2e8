package charts

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Unlike gonum's vgsvg, svgCanvas writes pictures that scale with their container, with elements
// grouped by series and colours from a style sheet. DrawImage panics, and there is no clipping.
type svgCanvas struct {
	w, h    vg.Length
	inline  bool // the page contains the style sheet, so classes suffice for colours
	body    bytes.Buffer
	pending svgPath // the next path may join it
	stack   []svgState
}

// textLength scales the text of any other font to the computed width.
const fonts = "Liberation Sans,Arial,Helvetica,sans-serif"

type svgState struct {
	width  vg.Length
	dash   []vg.Length
	offset vg.Length
	color  color.Color

	// current transformation: (x, y) → (a·x + c·y + e, b·x + d·y + f)
	a, b, c, d, e, f float64
}

func newSVG(w, h vg.Length) *svgCanvas {
	s := &svgCanvas{w: w, h: h, stack: []svgState{{a: 1, d: 1}}}
	vg.Initialize(s)
	return s
}

func (s *svgCanvas) top() *svgState { return &s.stack[len(s.stack)-1] }

func (s *svgCanvas) Size() (w, h vg.Length) { return s.w, s.h }

func (s *svgCanvas) SetLineWidth(w vg.Length) { s.top().width = w }

func (s *svgCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	s.top().dash, s.top().offset = pattern, offset
}

func (s *svgCanvas) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	s.top().color = c
}

func (s *svgCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	s.transform(cos, sin, -sin, cos, 0, 0)
}

func (s *svgCanvas) Translate(pt vg.Point) { s.transform(1, 0, 0, 1, float64(pt.X), float64(pt.Y)) }

func (s *svgCanvas) Scale(x, y float64) { s.transform(x, 0, 0, y, 0, 0) }

func (s *svgCanvas) transform(a, b, c, d, e, f float64) {
	t := s.top()
	t.a, t.b, t.c, t.d, t.e, t.f = t.a*a+t.c*b, t.b*a+t.d*b, t.a*c+t.c*d, t.b*c+t.d*d,
		t.a*e+t.c*f+t.e, t.b*e+t.d*f+t.f
}

func (s *svgCanvas) Push() { s.stack = append(s.stack, *s.top()) }

func (s *svgCanvas) Pop() { s.stack = s.stack[:len(s.stack)-1] }

func (s *svgCanvas) FillString(f font.Face, pt vg.Point, text string) {
	if f.Font.Size <= 0 || strings.TrimSpace(text) == "" {
		return
	}
	x, y := s.at(float64(pt.X), float64(pt.Y))
	var turn, weight string
	if t := s.top(); t.b != 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`,
			decimal(-math.Atan2(t.b, t.a)*180/math.Pi), decimal(x), decimal(y))
	}
	if f.Font.Weight >= xfont.WeightSemiBold {
		weight = ` font-weight="bold"`
	}
	if size := float64(f.Font.Size); size != baseSize {
		weight = fmt.Sprintf(` font-size="%s"`, decimal(size)) + weight
	}
	fmt.Fprintf(s.content(), "<text x=\"%s\" y=\"%s\" textLength=\"%s\" "+
		"lengthAdjust=\"spacingAndGlyphs\"%s%s%s>%s</text>\n", decimal(x), decimal(y),
		decimal(float64(f.Width(text))), weight, turn,
		s.paints(paintOf(s.top().color), svgPaint{}), escape(text))
}

func (s *svgCanvas) DrawImage(vg.Rectangle, image.Image) { panic("charts: no images in SVG") }

// Scripts read the style numbers of the series in a group, and browsers show its title as a
// tooltip.
func (s *svgCanvas) begin(styles []int, class, title string) {
	s.content().WriteString("<g")
	if class != "" {
		fmt.Fprintf(&s.body, ` class="%s"`, class)
	}
	if len(styles) > 0 {
		fmt.Fprintf(&s.body, ` data-s="%s"`, strings.Trim(fmt.Sprint(styles), "[]"))
	}
	s.body.WriteString(">")
	if title != "" {
		fmt.Fprintf(&s.body, "<title>%s</title>", strings.ReplaceAll(escape(title), "&#xA;", "\n"))
	}
	s.body.WriteString("\n")
}

func (s *svgCanvas) end() { s.content().WriteString("</g>\n") }

// The origin of SVG is at the upper left, vg's at the lower left.
func (s *svgCanvas) at(x, y float64) (float64, float64) {
	t := s.top()
	return t.a*x + t.c*y + t.e, float64(s.h) - (t.b*x + t.d*y + t.f)
}

// Characters that XML cannot represent become U+FFFD.
func escape(text string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a bytes.Buffer never fails
	}
	return b.String()
}

func decimal(v float64) string {
	digits := 1
	if math.Abs(v) < 10 {
		digits = 2
	}
	return trimmed(strconv.FormatFloat(v, 'f', digits, 64))
}

func trimmed(number string) string {
	out := strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
	if out == "" || out == "-" || out == "-0" {
		return "0"
	}
	return out
}

func (s *svgCanvas) writeTo(w io.Writer, label string, alone bool) error {
	var head bytes.Buffer
	fmt.Fprintf(&head,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-label="%s"`,
		decimal(float64(s.w)), decimal(float64(s.h)), escape(label))
	if alone {
		// Without a width the picture would fill the browser's window.
		fmt.Fprintf(&head, ` width="%s" style="max-width:100%%;height:auto"`, decimal(float64(s.w)))
	}
	fmt.Fprintf(&head, ` font-family="%s">`+"\n", fonts)
	if alone {
		fmt.Fprintf(&head, "<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\"%s/>\n",
			Style(), s.paints(paintOf(paper), svgPaint{}))
	}
	head.WriteString("<g " + base + ` stroke-linejoin="round">` + "\n")
	for _, part := range []string{head.String(), s.content().String(), "</g>\n</svg>\n"} {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}
