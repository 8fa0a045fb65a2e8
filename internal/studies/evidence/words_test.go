package evidence

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Roughly(1234e-9):                             "1.2 µs",
		Counted(1, "call"):                           "1 call",
		Counted(1.25, "call"):                        "1.25 calls",
		Series(nil):                                  "",
		Series([]string{"a"}):                        "a",
		Series([]string{"a", "b", "c"}):              "a, b and c",
		IfAny(nil, "none"):                           "",
		IfAny([]string{"a", "b"}, "at %d", 4):        "at 4: a and b",
		Series(Few([]string{"a", "b", "c", "d"}, 2)): "a, b and 2 more",
		Series(Few([]string{"a", "b", "c"}, 2)):      "a, b and c",
		Grouped("at", []string{"0", "0", "3"}, strings.Fields("4 8 16")): "0 at 4 and 8; 3 at 16",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
