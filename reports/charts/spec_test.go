package charts

import (
	"regexp"
	"testing"
)

func TestSpecification(t *testing.T) {
	spec := Specification()
	for style := range 3 * len(spec.Looks) {
		look, got := lookOf(style), spec.Looks[style%len(spec.Looks)]
		if spec.Palette[got[0]].Class != look.tint.class || got[1] != int(look.marker) ||
			len(spec.Dashes[got[2]]) != len(look.dash) {
			t.Fatalf("style %d: %v, want %+v", style, got, look)
		}
	}
	path := regexp.MustCompile(`^M[-0-9., MLlHVACQZ]+$`)
	if len(spec.Markers) != int(markers) {
		t.Errorf("%d markers, want %d", len(spec.Markers), markers)
	}
	for i, m := range spec.Markers {
		if !path.MatchString(m.Path) {
			t.Errorf("marker %d is %q", i, m.Path)
		}
	}
}
