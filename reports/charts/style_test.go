package charts

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// vision simulates colour blindness in linear RGB. The matrices are for complete protanopia,
// deuteranopia and tritanopia: Machado, Oliveira and Fernandes, "A Physiologically-based Model for
// Simulation of Color Vision Deficiency" (2009), table 1, severity 1.0.
var vision = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}},
}

func linearRGB(hex string) (l [3]float64) {
	for i, c := range parseHex(hex) {
		v := float64(c) / 255
		if v <= 0.04045 {
			l[i] = v / 12.92
		} else {
			l[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return l
}

func simulateVision(l [3]float64, m [3][3]float64) (out [3]float64) {
	for i := range out {
		out[i] = min(max(m[i][0]*l[0]+m[i][1]*l[1]+m[i][2]*l[2], 0), 1)
	}
	return out
}

// oklab is the perceptual colour space of Björn Ottosson (2020).
func oklab(l [3]float64) [3]float64 {
	a := math.Cbrt(0.4122214708*l[0] + 0.5363325363*l[1] + 0.0514459929*l[2])
	b := math.Cbrt(0.2119034982*l[0] + 0.6806995451*l[1] + 0.1073969566*l[2])
	c := math.Cbrt(0.0883024619*l[0] + 0.2817188376*l[1] + 0.6299787005*l[2])
	return [3]float64{0.2104542553*a + 0.7936177850*b - 0.0040720468*c,
		1.9779984951*a - 2.4285922050*b + 0.4505937099*c, 0.0259040371*a +
			0.7827717662*b - 0.8086757660*c}
}

func contrast(a, b string) float64 {
	luminance := func(hex string) float64 {
		l := linearRGB(hex)
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
	}
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func shades() map[string]func(role) string {
	return map[string]func(role) string{"light": func(t role) string { return t.light },
		"dark": func(t role) string { return t.dark }}
}

func TestColoursContrastWithPaper(t *testing.T) {
	for mode, of := range shades() {
		for _, c := range palette {
			if got := contrast(of(c), of(paper)); got < 2.99 { // WCAG 2.2, 1.4.11: graphics
				t.Errorf("%s: %s has a contrast of %.2f with the paper, want 3", mode, of(c), got)
			}
		}
		for _, c := range []role{ink, muted} {
			if got := contrast(of(c), of(paper)); got < 4.5 { // 1.4.3: text
				t.Errorf("%s: text of %s has a contrast of %.2f with the paper, want 4.5",
					mode, of(c), got)
			}
		}
	}
}

func TestColoursDifferForColourBlindReaders(t *testing.T) {
	for mode, of := range shades() {
		for eye, m := range vision {
			least := 10.0
			if eye == "normal" {
				least = 19
			}
			for i := range palette {
				for j := range i {
					a, b := oklab(simulateVision(linearRGB(of(palette[i])), m)),
						oklab(simulateVision(linearRGB(of(palette[j])), m))
					d := 100 * math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
					if d < least {
						t.Errorf("%s, %s: %s and %s are %.1f apart, want %v", mode, eye,
							of(palette[i]), of(palette[j]), d, least)
					}
				}
			}
		}
	}
}

func TestHeatColoursAreOrdered(t *testing.T) {
	for mode, of := range shades() {
		before := of(paper)
		for i, c := range heatTints {
			if got := contrast(of(c), of(paper)); i == 0 && got < 2.6 ||
				got < 1.25*contrast(before, of(paper)) {
				t.Errorf("%s: %s has a contrast of %.2f with the paper, %s before it %.2f", mode,
					of(c), got, before, contrast(before, of(paper)))
			}
			for eye, m := range vision {
				a, b := oklab(simulateVision(linearRGB(of(c)), m)), oklab(simulateVision(linearRGB(before), m))
				if d := 100 * math.Abs(a[0]-b[0]); d < 5 {
					t.Errorf("%s, %s: the lightness of %s and %s is %.1f apart", mode, eye, of(c),
						before, d)
				}
			}
			before = of(c)
		}
	}
}

func TestLooksDiffer(t *testing.T) {
	seen := make(map[string]int)
	for i := range len(palette) * len(dashes) {
		l := lookOf(i)
		key := fmt.Sprint(l.tint, l.marker, l.dash)
		if j, taken := seen[key]; taken {
			t.Errorf("styles %d and %d look the same", j, i)
		}
		seen[key] = i
	}
	// Without colour, markers distinguish the first eight styles, and dashes the next eight.
	for i := range len(palette) {
		for j := range i {
			if lookOf(i).marker == lookOf(j).marker {
				t.Errorf("styles %d and %d have one marker", j, i)
			}
		}
	}
}

func TestStyleNamesEveryTint(t *testing.T) {
	css := Style()
	for _, tint := range tints() {
		name := strings.TrimPrefix(tint.class, "pb-")
		for _, rule := range []string{".s-" + name + "{stroke:" + tint.light + "}",
			".f-" + name + "{fill:" + tint.light + "}",
			"." + tint.class + "[stroke],.s-" + name + "{stroke:" + tint.dark + "}",
			"." + tint.class + "[fill],.f-" + name + "{fill:" + tint.dark + "}"} {
			if !strings.Contains(css, rule) {
				t.Errorf("the style sheet lacks %s", rule)
			}
		}
	}
}
