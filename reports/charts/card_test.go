package charts

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	xfont "golang.org/x/image/font"
)

func countInk(img image.Image, r image.Rectangle) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r < 0xf000 || g < 0xf000 || b < 0xf000 {
				n++
			}
		}
	}
	return n
}

func TestCard(t *testing.T) {
	long := strings.Repeat("W", 10_000)
	bars := []CardBar{{"a", "1 s", 0, 1}, {"b", "2 s", 40, 2}, {long, long, 3, 0},
		{"d", "", 4, 0.5}}
	for name, c := range map[string]Card{
		"plain": {Source: "a", Headline: "A finding of 12 ms", Trust: "VALID 3", Over: "p99", Bars: bars,
			Basis: "Medians", Command: "poolbench run"},
		"long": {Source: long, Headline: long, Trust: long, Over: long, Bars: bars, Basis: long,
			Command: long},
		"words": {Headline: strings.Repeat("a finding of many words ", 100),
			Command: strings.Repeat("word ", 500)},
		"hostile": {Source: "\x00\n\r\t\x1b[31m",
			Headline: "<b>\u202e\"'\n\n$x^2$\xff\xfe 🙂", Trust: "✓"},
		"nothing": {},
	} {
		var b bytes.Buffer
		if err := c.PNG(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		img, err := png.Decode(&b)
		if err != nil || img.Bounds() != image.Rect(0, 0, cardWidth, cardHeight) {
			t.Fatalf("%s: %v, %v", name, img.Bounds(), err)
		}
		const edge = cardMargin - 12 // a letter may overhang a little
		for _, margin := range []image.Rectangle{image.Rect(0, 0, edge, cardHeight),
			image.Rect(cardWidth-edge, 0, cardWidth, cardHeight), image.Rect(0, 0, cardWidth, 30),
			image.Rect(0, cardHeight-30, cardWidth, cardHeight)} {
			if n := countInk(img, margin); n > 0 {
				t.Errorf("%s: %d pixels in the margin %v", name, n, margin)
			}
		}
		if n := countInk(img, image.Rect(0, 70, cardWidth, 315)); n < 1000 && c.Headline != "" {
			t.Errorf("%s: the headline has %d pixels", name, n)
		}
	}
}

func TestCardLines(t *testing.T) {
	style := cardStyle("Sans", 40, xfont.WeightBold, ink)
	text := "one two three four five six seven eight nine ten"
	if whole := cardLines(text, 400, style, 9); strings.Join(whole, " ") != text || len(whole) < 2 {
		t.Errorf("folded: %q", whole)
	}
	cut := cardLines(text, 400, style, 2)
	if len(cut) != 2 || !strings.HasPrefix(text, cut[0]) || !strings.HasSuffix(cut[1], "…") {
		t.Errorf("cut: %q", cut)
	}
	for _, line := range cut {
		if w := style.Width(line); w > 400 {
			t.Errorf("%q is %v wide", line, w)
		}
	}
}
