package text

import "testing"

func TestProse(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for got, want := range map[string]string{
		Count(1, "run"): "1 run", Count(0, "run"): "0 runs", Count(2, "strategy"): "2 strategies",
		Count(1, "strategy"): "1 strategy", Count(3, "varying series"): "3 varying series",
		List(nil): "", List(names[:1]): "a", List(names[:2]): "a and b",
		List(names[:3]):          "a, b and c",
		List(Truncate(names, 2)): "a, b and 2 more", List(Truncate(names, 3)): "a, b, c and d",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDiscreet(t *testing.T) {
	for in, want := range map[string]string{
		"no":                          "no",
		"a\n\tb":                      "a b",
		"at p@ss w:rd, p%40ss+w%3Ard": "at …, …",
		"at p@ss%20w:rd":              "at …",
	} {
		if got := Discreet(in, "", "p@ss w:rd"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
