package text_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/text"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "",
		"p99 = 4 µs\t±2 %\n": "p99 = 4 µs\t±2 %\n",
		"no\u00a0break, 漢字, עברית, 🚀": "no\u00a0break, 漢字, עברית, 🚀",
		"\x1b[31mred\x1b[0m":          `\u001b[31mred\u001b[0m`,
		"a\rb\x00\x07\x7f":            `a\u000db\u0000\u0007\u007f`,
		"\u0085\u009b31m":             `\u0085\u009b31m`,
		"\u202egpj.exe\u2066\u2069":   `\u202egpj.exe\u2066\u2069`,
		"\u200e\u200f\u061c":          `\u200e\u200f\u061c`,
		"\u2028\u2029\ufeff\u200b":    `\u2028\u2029\ufeff\u200b`,
		"\U000e0041":                  `\udb40\udc41`,
		"\xff\x9b31m\xe2\x80":         `\xff\x9b31m\xe2\x80`,
		"really \uFFFD":               "really \uFFFD",
	} {
		if got := text.Plain(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

// The output must not depend on the sizes of writes. JSON must keep its meaning.
func FuzzWriter(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b]0;owned\a", "\u202e\u2066", "\xe2\x80",
		"\xff\xfe", "漢字🚀\U000e0041"} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		var out strings.Builder
		w := text.NewPlainWriter(&out)
		for rest := s; rest != ""; {
			n := 1 + (cut&0xff)%len(rest)
			if written, err := w.Write([]byte(rest[:n])); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil || out.String() != text.Plain(s) {
			t.Fatalf("%q in parts of %d: %q, want %q (%v)", s, cut, out.String(),
				text.Plain(s), err)
		}
		for _, r := range out.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) ||
				r == '\u2028' || r == '\u2029' {
				t.Fatalf("%q holds %U", out.String(), r)
			}
		}
		if !utf8.ValidString(out.String()) {
			t.Fatalf("%q is not UTF-8", out.String())
		}
		doc, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back, want string
		if err := json.Unmarshal([]byte(text.Plain(string(doc))), &back); err != nil {
			t.Fatalf("%s: %v", text.Plain(string(doc)), err)
		}
		if err := json.Unmarshal(doc, &want); err != nil || back != want {
			t.Fatalf("%s is %q, not %q (%v)", text.Plain(string(doc)), back, want, err)
		}
	})
}
