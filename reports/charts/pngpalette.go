package charts

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
)

const (
	maxColours = 256
	// largest change of a colour channel, of 255
	maxMoved = 40
)

// paletted reduces a picture to 256 colours, unless colours would change too much. Encoding then
// takes a third of the time. Rare shades of antialiasing become the nearest frequent shade.
func paletted(img *image.RGBA) image.Image {
	counts := make(map[color.RGBA]int)
	eachRun(img, func(c color.RGBA, _, n int) { counts[c] += n })
	order := make([]color.RGBA, 0, len(counts)) // by falling frequency
	for c := range counts {
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(number(a), number(b)))
	})
	index := make(map[color.RGBA]uint8, len(order))
	var colours []color.RGBA
	for _, c := range order {
		at, moved := nearest(colours, c)
		if len(order) <= maxColours || moved > maxMoved/4 && len(colours) < maxColours {
			at, colours = len(colours), append(colours, c)
		} else if moved > maxMoved {
			return img
		}
		index[c] = uint8(at)
	}
	palette := make(color.Palette, len(colours))
	for i, c := range colours {
		palette[i] = c
	}
	out := image.NewPaletted(img.Rect, palette)
	eachRun(img, func(c color.RGBA, at, n int) {
		number := index[c]
		for i := at; i < at+n; i++ {
			out.Pix[i] = number
		}
	})
	return out
}

func nearest(colours []color.RGBA, c color.RGBA) (at, moved int) {
	moved = math.MaxInt
	for i, k := range colours {
		d := max(between(k.R, c.R), between(k.G, c.G), between(k.B, c.B), between(k.A, c.A))
		if d < moved {
			at, moved = i, d
		}
	}
	return at, moved
}

func between(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func eachRun(img *image.RGBA, f func(c color.RGBA, at, n int)) {
	pix := img.Pix
	for from := 0; from < len(pix); {
		c, to := pix[from:from+4:from+4], from+4
		for to < len(pix) && pix[to] == c[0] && pix[to+1] == c[1] && pix[to+2] == c[2] &&
			pix[to+3] == c[3] {
			to += 4
		}
		f(color.RGBA{c[0], c[1], c[2], c[3]}, from/4, (to-from)/4)
		from = to
	}
}

func number(c color.RGBA) uint32 {
	return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A)
}
