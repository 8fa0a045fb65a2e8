package requests_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/attack/requests"
)

func TestData(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "\ufeffuser, plan \r\nann,free\r\n\"b\r\nc\",\"say \"\"hi\"\"\"\n\nŁ,\n",
			`[user plan] [[{ann false} {free false}] [{b` + "\n" + `c false} {say "hi" false}] ` +
				`[{Ł false} { false}]] [2 3 6]`},
		{"a.csv", "\n\"u;v;w\",plan\n1;2,3\n", "[u;v;w plan] [[{1;2 false} {3 false}]] [3]"},
		{"a.csv", "user;plan;x,y\na;\"b;c\";d\n",
			"[user plan x,y] [[{a false} {b;c false} {d false}]] [2]"},
		{"a.csv", "user\tplan\nann\ta;b,c\n", "[user plan] [[{ann false} {a;b,c false}]] [2]"},
		{"a.tsv", "user,plan;a;b\nann\n", "[user,plan;a;b] [[{ann false}]] [2]"},
		{"a.NDJSON", "\n{\"a\": \"x\\u0141\", \"b\": [1, {\"c\":null}]}\n\n{\"b\": 1e3, \"a\": null}\n",
			`[a b] [[{xŁ false} {[1, {"c":null}] true}] [{null true} {1e3 true}]] [2 4]`},
	} {
		d, err := requests.ReadData(c.name, []byte(c.text), requests.FormatOf(c.name))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(d.Columns, d.Rows, d.Lines); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}
}

func FuzzData(f *testing.F) {
	f.Add("a,b\n1,2\n", true)
	f.Add("a,b\r\n\"1\r\n\",2\n\n3", true)
	f.Add("{\"a\":1,\"b\":\"x\"}\n{\"b\":{},\"a\":[]}", false)
	f.Add("{\"a\":\"\\ud800\"}", false)
	f.Fuzz(func(t *testing.T, text string, table bool) {
		format := requests.Lines
		if table {
			format = requests.CSV
		}
		d, err := requests.ReadData("d", []byte(text), format)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "d:") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		last, lines := 0, 1+strings.Count(text, "\n")
		for i, row := range d.Rows {
			if len(row) != len(d.Columns) || d.Lines[i] <= last || d.Lines[i] > lines {
				t.Fatalf("%q: row %d of line %d: %v", text, i, d.Lines[i], row)
			}
			last = d.Lines[i]
		}
	})
}
