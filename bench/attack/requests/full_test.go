package requests

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"text/template"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// long matches templates that may run long or write much.
var long = regexp.MustCompile(`\d{4}|range[^}]*'|range(?s:.*)range`)

// Templates must give the same text as Go's text/template. Only method calls are missing, because
// values have no methods.
func FuzzFull(f *testing.F) {
	for _, text := range []string{
		"{{$x := user}}{{$x}} {{$x = seq}}{{$x}}{{range $i := 3}}{{$i}}{{$x = $i}}{{end}}{{$x}}",
		`{{if and user (gt seq 0)}}a{{else if eq n 7 "7"}}b{{else}}c{{end}}{{not tags}} {{or "" user}}`,
		`{{with $u := user}}{{.}}{{$u}}{{else}}{{.}}{{end}}{{with ""}}{{else}}{{. | json}}{{end}}`,
		`{{range 3}}{{.}},{{else}}none{{end}}{{range 0}}{{else}}none{{end}}{{range .}}{{end}}`,
		`{{range $i, $x := 3}}{{end}}`, `{{range user}}{{end}}`,
		`{{range $i := seq}}{{random 1 9}}{{end}}`,
		`{{len user}} {{index user 1}} {{slice user 1 3}} {{slice tags 1}} {{printf "%T" (slice n 0 1)}}`,
		`{{index user 90}}`, `{{index user seq}}`, `{{slice user 2 1}}`, `{{len seq}}`,
		`{{index nil}}`,
		`{{eq seq 1 2}} {{ne user "b"}} {{lt -1 seq}} {{le 1.5 2.5}} {{gt "b" user}} {{ge seq seq}} {{eq . nil}}`,
		`{{lt user 1}}`, `{{lt true false}}`, `{{eq 1.0 1}}`, `{{eq 1}}`,
		`{{eq true true}} {{eq 'a' 97}}`,
		`{{print user 1 2 "x" nil}} {{println seq}} {{printf "%05d|%-8s|%q|%v" seq user n .}}`,
		`{{html user "<'>"}} {{js user}} {{urlquery user seq}} {{html}} {{print | len}}`,
		`{{user | printf "%s-%s" "a" | json | base64}} {{raw user}} {{json n}} {{json seq | len}}`,
		`{{random 1 (len user)}}`, `{{random 1 9 | random 0}}`,
		`{{random 'a' 0x7f}} {{1e3}} {{0x1p4}} {{-7}} {{1i}}`,
		`{{user 1}}`, `{{printf 1}}`, `{{nil}}`, `{{(seq)}} {{(print user).x}}`,
		`{{.x.y}} {{$.x}} {{user.x}}`,
		`{{call user}}`, `{{and false ($x := 1)}}{{$x}}`,
		`{{uuid}} {{uuid}} {{column "a b"}} {{column user}}`,
		`{{- user -}}  x {{/* no */}} {{column "none"}}`, `{{true}} {{"a\"b"}} {{not}}`,
	} {
		f.Add(text, "Łu\"<&b", "[1, \"x\"]")
	}
	f.Fuzz(func(t *testing.T, text, user, tags string) {
		if strings.Contains(text, "range") && long.MatchString(text) || len(text) > 500 {
			return
		}
		row := []Value{{Text: user}, {Text: "7", JSON: true}, {Text: tags, JSON: true}, {Text: "c"}}
		data := &Data{Columns: []string{"user", "n", "tags", "a b"}, Rows: [][]Value{row},
			Lines: []int{1}}
		r, err := Parse(vegeta.Target{URL: "http://h/"}, data)
		if err != nil {
			t.Fatal(err)
		}
		for p := inText; p <= inString; p++ {
			ours := func() (string, error) {
				of, err := r.parse("body", text, p)
				if err != nil {
					return "", err
				}
				with := r.filling(3, 1, nil)
				got, err := with.put(nil, of)
				return string(got), err
			}
			theirs := func() (string, error) {
				with := r.filling(3, 1, nil)
				with.begin(r.streams - 1)
				x := &executor{filling: &with}
				of, err := template.New("body").Funcs(r.functions(x)).Parse(text)
				if err == nil && len(of.Templates()) > 1 {
					err = errors.New("define")
				}
				if err == nil && of.Tree != nil {
					if _, err = escape(of.Root, p); err == nil {
						err = of.Execute(x, nil)
					}
				}
				return string(x.out), err
			}
			got, err := ours()
			want, wrong := theirs()
			if (err == nil) != (wrong == nil) || err == nil && got != want {
				t.Fatalf("%q in position %d: %q, %v; by text/template %q, %v", text, p, got, err,
					want, wrong)
			}
		}
	})
}
