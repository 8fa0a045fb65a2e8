package attack_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
)

// The syntax is curl's. The last entry for a host takes precedence over entries for all hosts.
func TestResolve(t *testing.T) {
	var a attack.Attack
	for _, text := range []string{"shop.example:443:10.0.0.1", "*:443:10.0.0.9",
		"shop.example:443:10.0.0.2,[::2]", "[::1]:80:::3", "*:81:127.0.0.1"} {
		r, err := attack.ParseResolve(text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := attack.ParseResolve(r.String())
		if err != nil || again.String() != r.String() {
			t.Errorf("%s: %s, %v", r, again, err)
		}
		a.Resolve = append(a.Resolve, r)
	}
	for address, want := range map[string]string{
		"SHOP.example:443": "10.0.0.2:443 [::2]:443",
		"inn.example:443":  "10.0.0.9:443",
		"[::1]:80":         "[::3]:80",
		"shop.example:80":  "shop.example:80",
		"shop.example:81":  "127.0.0.1:81",
	} {
		if got := a.Addresses(address); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", address, got, want)
		}
	}
	for _, text := range []string{"", "h", "h:443", "h:x:1.2.3.4", ":443:1.2.3.4", "h:0:1.2.3.4",
		"h:70000:1.2.3.4", "h:443:", "h:443:name", "h:*:1.2.3.4"} {
		if r, err := attack.ParseResolve(text); err == nil {
			t.Errorf("%s: %s", text, r)
		}
	}
}
