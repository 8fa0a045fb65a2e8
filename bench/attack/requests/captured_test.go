package requests_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack/requests"
)

// A captured value must be escaped, or refused, like the same value in a data file.
func FuzzCaptured(f *testing.F) {
	for _, v := range []string{"ann", "a\r\nX-Evil: 1\r\n\r\n", `","admin":true,"b":"`, "../../etc", "..",
		".", "a b/c%2f", "\x00\x7f", `\"`, "{{seq}}", "1e5", "[]", "%2e%2e"} {
		f.Add(v, "1")
	}
	step := requests.Step{Of: 3, Captured: []string{"v", "w"}}
	f.Fuzz(func(t *testing.T, value, other string) {
		d := &requests.Data{Name: "d.csv", Columns: []string{"v", "w"},
			Rows: [][]requests.Value{{{Text: value}, {Text: other}}}, Lines: []int{2}}
		for _, url := range []string{"http://h/a/{{v}}/b?q={{v}}&r={{w}}", "http://h/{{raw v}}?{{w}}",
			`http://h/{{if w}}{{printf "%s" v}}{{end}}`} {
			for kind, body := range map[string]string{"application/json": `{"v":"{{v}}","x":{{v}}}`,
				"application/x-www-form-urlencoded": "q={{v}}&r={{w}}", "text/plain": "{{v}}"} {
				r := vegeta.Target{Method: "POST", URL: url, Body: []byte(body),
					Header: http.Header{"X-V": {"<{{w}}>"}, "Content-Type": {kind}}}
				captured, err := requests.ParseStep(r, nil, step)
				if err != nil {
					t.Fatal(err)
				}
				if err := captured.Check(); err != nil {
					t.Fatal(err)
				}
				byData, err := requests.Parse(r, d)
				if err != nil {
					t.Fatal(err)
				}
				got, err := captured.Fill(1, 4, d.Rows[0]...)
				if refused := byData.Check(); refused != nil || err != nil {
					if refused == nil || err == nil ||
						"d.csv:2: "+err.Error() != refused.Error() {
						t.Fatalf("%q in %s is refused with %v, and a row of data with %v", value, url,
							err, refused)
					}
					continue
				}
				want, err := byData.Fill(1, 4)
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Fatal(err, diff)
				}
			}
		}
	})
}
