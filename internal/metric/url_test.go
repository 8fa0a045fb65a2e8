package metric

import (
	"strings"
	"testing"
)

func TestURLs(t *testing.T) {
	for _, name := range []string{"GET /", "GET /a-b/]-p99-response", "POST h:80/é/{{seq}} x", "50%",
		"other"} {
		unit := OfURL(name) + P95Response
		got, rest, ok := CutURL(unit)
		if !ok || got != name || rest != P95Response || strings.ContainsAny(unit, " \t\n") {
			t.Errorf("%q: %q is of %q, %q, %v", name, unit, got, rest, ok)
		}
	}
	for _, unit := range []string{P95Response, "url[GET", "url[%zz]-count"} {
		if name, _, ok := CutURL(unit); ok {
			t.Errorf("%s is of %q", unit, name)
		}
	}
	if status, ok := StatusOf(OfStatus("200")); !ok || status != "200" {
		t.Errorf("%q, %v", status, ok)
	}
	if _, ok := StatusOf(Shed); ok {
		t.Error("the share of what was shed is that of a status")
	}
}
