package charts

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// With many colours, only rare colours may change. An image with more colours than any chart must
// not change.
func TestPaletted(t *testing.T) {
	picture := func(w, h int, of func(i int) color.RGBA) *image.RGBA {
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for i := range w * h {
			img.SetRGBA(i%w, i/w, of(i))
		}
		return img
	}
	for name, img := range map[string]*image.RGBA{
		"few": picture(20, 20, func(i int) color.RGBA {
			return color.RGBA{uint8(i % 200), 1, 2, 255}
		}),
		"shades": picture(40, 40, func(i int) color.RGBA {
			return color.RGBA{uint8(i % 256), uint8(i / 256), 2, 255}
		}),
		"many": picture(80, 80, func(i int) color.RGBA {
			return color.RGBA{uint8(i), uint8(i / 25), uint8(i * i >> 5), 255}
		}),
	} {
		out := paletted(img)
		_, few := out.(*image.Paletted)
		if few == (name == "many") {
			t.Errorf("%s: has a palette: %v", name, few)
		}
		worst := 0
		for i := range img.Pix {
			if few {
				n := i / 4
				r, g, b, a := out.At(n%img.Rect.Dx(), n/img.Rect.Dx()).RGBA()
				got := [4]uint32{r >> 8, g >> 8, b >> 8, a >> 8}[i%4]
				worst = max(worst, int(got)-int(img.Pix[i]), int(img.Pix[i])-int(got))
			}
		}
		if most := map[string]int{"few": 0, "shades": maxMoved}[name]; worst > most {
			t.Errorf("%s: a colour moved by %d, want at most %d", name, worst, most)
		}
	}
}

func TestPNGKeepsTheColoursOfSeries(t *testing.T) {
	c := sampleChart(t)
	var file bytes.Buffer
	if err := c.PNG(&file); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[color.RGBA]bool)
	for x := range img.Bounds().Dx() {
		for y := range img.Bounds().Dy() {
			found[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)] = true
		}
	}
	for _, style := range []int{1, 2, 3, 5} { // styles of the sample
		tint := color.RGBAModel.Convert(lookOf(style).tint).(color.RGBA)
		if !found[tint] {
			t.Errorf("no pixel has the colour of style %d, %v", style, tint)
		}
	}
}
