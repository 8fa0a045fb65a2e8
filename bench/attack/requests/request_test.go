package requests_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack/requests"
)

func read(t testing.TB, name, text string) *requests.Data {
	t.Helper()
	d, err := requests.ReadData(name, []byte(text), requests.FormatOf(name))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func parse(t testing.TB, r vegeta.Target, d *requests.Data) *requests.Request {
	t.Helper()
	parsed, err := checked(r, d)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func checked(r vegeta.Target, d *requests.Data) (*requests.Request, error) {
	parsed, err := requests.Parse(r, d)
	if err != nil {
		return nil, err
	}
	return parsed, parsed.Check()
}

func encoded(t testing.TB, r vegeta.Target) []byte {
	t.Helper()
	req, err := r.Request()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := req.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// framed builds request number seq from its precomputed frame. It returns nil without a frame.
func framed(t testing.TB, r *requests.Request, seed, seq uint64) []byte {
	t.Helper()
	marked, ok := r.Marked()
	if !ok {
		return nil
	}
	f, err := r.Frame(encoded(t, marked))
	if err != nil {
		t.Fatal(err)
	}
	var scratch []byte
	b, _, err := f.Put(nil, &scratch, seed, seq)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFill(t *testing.T) {
	d := read(t, "pets.jsonl", `{"name":"A/b c?d","n":3,"tags":["x"],"none":null}
{"n":4.5,"name":"Łoś \"2\"","none":true,"tags":[]}`)
	for _, c := range []struct {
		r    vegeta.Target
		want [2]string // URL, header X and body
	}{
		{vegeta.Target{URL: "http://h:8/pets/{{name}}/{{n}}?of={{name}}#{{n}}"}, [2]string{
			"http://h:8/pets/A%2Fb%20c%3Fd/3?of=A%2Fb+c%3Fd#3 | | ",
			"http://h:8/pets/%C5%81o%C5%9B%20%222%22/4.5?of=%C5%81o%C5%9B+%222%22#4.5 | | "}},
		{vegeta.Target{URL: "http://h/{{seq}}{{/* none */}}", Header: http.Header{
			"X": {`{{printf "%03d" seq}}/{{n}}`}}},
			[2]string{"http://h/0 | 000/3 | ", "http://h/1 | 001/4.5 | "}},
		{vegeta.Target{URL: "http://h/", Body: []byte(
			`{"name":"{{name}}","n":{{n}},"tags":{{tags}},"as":{{name}},"none":{{none}}}`)},
			[2]string{
				`http://h/ | | {"name":"A/b c?d","n":3,"tags":["x"],"as":"A/b c?d","none":null}`,
				`http://h/ | | {"name":"Łoś \"2\"","n":4.5,"tags":[],"as":"Łoś \"2\"",` +
					`"none":true}`}},
		{vegeta.Target{URL: "http://h/", Header: http.Header{"Content-Type": {
			"application/x-www-form-urlencoded"}}, Body: []byte(`a={{name}}&b={{seq}}`)},
			[2]string{"http://h/ | | a=A%2Fb+c%3Fd&b=0", "http://h/ | | a=%C5%81o%C5%9B+%222%22&b=1"}},
		{vegeta.Target{URL: "http://h/", Body: []byte(`<n>{{html name}}</n>{{if eq seq 0}}first` +
			`{{else}}{{range $i, $c := slice name 0 1}}{{end}}later{{end}}`)}, [2]string{"", ""}},
		{vegeta.Target{URL: "http://h/{{raw name}}", Header: http.Header{"Content-Type": {"text/plain"}},
			Body: []byte(`{{base64 name}} {{json name}} {{column "n"}}`)}, [2]string{
			`http://h/A/b%20c?d | | QS9iIGM/ZA== "A/b c?d" 3`,
			`http://h/%C5%81o%C5%9B%20"2" | | xYFvxZsgIjIi "Łoś \"2\"" 4.5`}},
	} {
		if c.want[0] == "" {
			continue
		}
		r := parse(t, c.r, d)
		for seq, want := range c.want {
			got, err := r.Fill(1, uint64(seq))
			if err != nil {
				t.Errorf("%s: %v", c.r.URL, err)
			}
			text := strings.TrimSpace(fmt.Sprintf("%s | %s", got.URL, got.Header.Get("X")))
			text += " | " + string(got.Body)
			if text = strings.ReplaceAll(text, "|  |", "| |"); text != want &&
				strings.ReplaceAll(text, "| |", "| | |") != want {
				t.Errorf("%s, request %d:\n got %s\nwant %s", c.r.URL, seq, text, want)
			}
		}
	}
}

// A request must be reproducible and equal net/http's encoding.
func TestSame(t *testing.T) {
	d := read(t, "users.csv", "user,password\nann,a\nbob,b\ncy,c\n")
	r := parse(t, vegeta.Target{Method: "PUT",
		URL: "http://h/u/{{user}}/{{random 1 1000000000}}?id={{uuid}}",
		Header: http.Header{"X-Id": {"{{uuid}}", "{{seq}}-{{user}}"}, "Authorization": {
			"Basic {{password}}"}, "User-Agent": {"pool {{random -5 5}}"}},
		Body: []byte(`{"user":"{{user}}","id":{{uuid}},"again":"{{uuid}}"}`)}, d)
	seen := map[string]bool{}
	for seed := range uint64(3) {
		for seq := range uint64(50) {
			one, err := r.Fill(seed, seq)
			if err != nil {
				t.Fatal(err)
			}
			want := encoded(t, one)
			if got := framed(t, r, seed, seq); !bytes.Equal(got, want) {
				t.Fatalf("by its frame it is\n%s\nand by net/http\n%s", got, want)
			}
			if seen[string(want)] {
				t.Fatalf("request %d of seed %d has come before", seq, seed)
			}
			seen[string(want)] = true
			if user := []string{"ann", "bob", "cy"}[seq%3]; !strings.Contains(one.URL, user) {
				t.Errorf("request %d has %s, want the row of %s", seq, one.URL, user)
			}
			if !json.Valid(one.Body) {
				t.Errorf("%s is not JSON", one.Body)
			}
		}
	}
	// the length of one field must not change the random values of another
	short := parse(t, vegeta.Target{Method: "PUT", URL: "http://h/{{random 1 1000000000}}",
		Header: http.Header{"X-Id": {"{{uuid}}"}}}, d)
	long := parse(t, vegeta.Target{Method: "PUT", URL: "http://h/{{random 1 1000000000}}/{{uuid}}",
		Header: http.Header{"X-Id": {"{{uuid}}"}}}, d)
	a, _ := short.Fill(7, 9)
	b, _ := long.Fill(7, 9)
	if a.Header.Get("X-Id") != b.Header.Get("X-Id") || !strings.HasPrefix(b.URL, a.URL) {
		t.Errorf("%v and %v", a, b)
	}
}

// Random numbers must include both bounds.
func TestUUID(t *testing.T) {
	r := parse(t, vegeta.Target{URL: "http://h/{{uuid}}/{{random -2 3}}"}, nil)
	form := regexp.MustCompile(
		`^http://h/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/(-?[0-9])$`)
	counts := map[string]int{}
	for seq := range uint64(6000) {
		got, err := r.Fill(3, seq)
		if err != nil {
			t.Fatal(err)
		}
		m := form.FindStringSubmatch(got.URL)
		if m == nil {
			t.Fatalf("%s", got.URL)
		}
		counts[m[1]]++
	}
	for _, n := range []string{"-2", "-1", "0", "1", "2", "3"} {
		// Binomial(6000, 1/6) is 1000 ± 29, so 850 is 5 standard deviations off
		if counts[n] < 850 || counts[n] > 1150 || len(counts) != 6 {
			t.Errorf("random -2 3 came out as %v", counts)
		}
	}
}

func TestDataMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "", "a.csv: the file has no row of data"},
		{"a.csv", "user\n", "a.csv: the file has no row of data"},
		{"a.csv", "user,id\n1,2\n\"x\ny\",2\n3\n", "a.csv:5: the row has 1 fields, and the first row names 2"},
		{"a.csv", "user,id\n1,2,3\n", "a.csv:2: the row has 3 fields"},
		{"a.csv", "user,user\n1,2\n", `a.csv:1: two columns are named "user"`},
		{"a.csv", "user,\n1,2\n", "a.csv:1: column 2 has no name"},
		{"a.csv", "seq\n1\n", "a.csv:1: column seq has the name of a function"},
		{"a.csv", "user\na\"b\n", "a.csv:2: bare \""},
		{"a.csv", "user\n\"a\n", "a.csv:2: extraneous or missing \""},
		{"a.csv", "user\nok\n\xff\n", "a.csv:3: want UTF-8"},
		{"a.jsonl", "{\"a\":1}\n\n[1]\n", "a.jsonl:3: want an object"},
		{"a.jsonl", "{\"a\":1}\n{\"b\":1}\n", `a.jsonl:2: "a" of the first row is missing`},
		{"a.jsonl", "{\"a\":1}\n{\"a\":1,\"b\":2}\n", `a.jsonl:2: "b" is not in the first row`},
		{"a.jsonl", "{\"a\":1,\"a\":2}\n", `a.jsonl:1: "a" occurs twice`},
		{"a.jsonl", "{\"a\":1} {}\n", "a.jsonl:1: want one JSON object"},
		{"a.jsonl", "{\"a\":\n", "a.jsonl:1: the line is not valid JSON"},
		{"a.jsonl", "{}\n", "a.jsonl:1: the object is empty"},
		{"a.txt", "a\n1\n", "a.txt: want its format: csv or tsv or jsonl"},
	} {
		_, err := requests.ReadData(c.name, []byte(c.text), requests.FormatOf(c.name))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestTemplateMistakes(t *testing.T) {
	d := read(t, "users.csv", "user,first name\nann,Ann\n..,\"a\nb\"\n")
	header := func(name, value string) vegeta.Target {
		return vegeta.Target{URL: "http://h/", Header: http.Header{name: {value}}}
	}
	body := func(text string) vegeta.Target {
		return vegeta.Target{URL: "http://h/", Body: []byte(text)}
	}
	for _, c := range []struct {
		r    vegeta.Target
		want string
	}{
		{vegeta.Target{URL: "http://h/{{usr}}"}, `URL:1: function "usr" not defined (known: seq,`},
		{vegeta.Target{URL: "http://{{user}}/"}, "URL:1: scheme and host must be the same"},
		{vegeta.Target{URL: "http://h:{{seq}}"}, "URL:1: scheme and host must be the same"},
		{vegeta.Target{URL: "{{if true}}http://h/{{end}}"}, "branches end in different positions"},
		{vegeta.Target{URL: "http://h/{{user"}, "URL:1: unclosed action"},
		{vegeta.Target{URL: "http://h/{{random 2 1}}"}, "URL:1: random 2 1: want the lower one first"},
		{vegeta.Target{URL: "http://h/{{random 2}}"}, "wrong number of args for random"},
		{vegeta.Target{URL: "http://h/{{user}}/x"}, `users.csv:3: URL: a filled-in value makes ` +
			`".." a`},
		{vegeta.Target{URL: `http://h/{{printf "%.1s" user}}./x`},
			`users.csv:3: URL: a filled-in value makes ".." a segment of its path`},
		{vegeta.Target{URL: `http://h/{{column "name"}}`}, `column "name": users.csv has user, first name`},
		{header("X-A", `{{column "first name"}}`), "users.csv:3: header X-A: a filled-in value " +
			"has a line break"},
		{header("X-A", `{{printf "\r\nX-B: 1"}}`), "users.csv:2: header X-A: a filled-in value " +
			"has a line break"},
		{header("Host", `{{user}}`), "header Host: it must be the same for every request"},
		{header("Transfer-Encoding", `{{user}}`), "header Transfer-Encoding: it must be the same"},
		{body("\n\n{{range}}"), "body:3: missing value for range"},
		{body(`{"a":"\{{user}}"}`), "body:1: there is a backslash before"},
		{body(`{"a":{{if eq seq 1}}"{{end}}}`), "branches end in different positions"},
		{body(`{{define "x"}}{{end}}`), "define and block are not supported"},
		{body(`{{template "x"}}`), `{{template "x"}} is not supported`},
		{body(`{{range slice user 0 1}}{{break}}{{end}}`), "{{break}} is not supported"},
		{body(`{{index user 90}}`), "index out of range"},
	} {
		_, err := checked(c.r, d)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.r, err, c.want)
		}
	}
}

// Values of columns and headers with secret names must be masked in all output.
func TestSecrets(t *testing.T) {
	d := read(t, "users.csv", "user,api_token,pwd\nann,t0k/en&1,hunter 2\n")
	r := parse(t, vegeta.Target{URL: "http://h/{{user}}/{{api_token}}?p={{pwd}}", Header: http.Header{
		"Cookie":        {"sid=s3ss10n; theme=dark"},
		"Authorization": {`Basic {{base64 (printf "%s:%s" user pwd)}}`},
	}}, d)
	if got := r.Shown(1, 5); got != "http://h/ann/MASKED?p=MASKED" {
		t.Errorf("the URL is shown as %s", got)
	}
	sent, err := r.Fill(1, 5)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s %v %q hunter%%202 ann", sent.URL, sent.Header, "hunter 2")
	masked := requests.Mask(text+` {"access_token": "fresh","id":7} session_id=abc`,
		r.Secrets(1, 5, nil))
	for _, secret := range []string{"t0k", "en&1", "hunter", "s3ss10n", "YW5uOmh", "fresh", "abc"} {
		if strings.Contains(masked, secret) {
			t.Errorf("%q is in %s", secret, masked)
		}
	}
	if !strings.Contains(masked, "ann") || !strings.Contains(masked, `"id":7`) {
		t.Errorf("too much is masked: %s", masked)
	}
}

// No value may leave its field or split the request.
func FuzzHostile(f *testing.F) {
	for _, v := range []string{"ann", "a\r\nX-Evil: 1\r\n\r\nGET / HTTP/1.1", `a","admin":true,"b":"`,
		"a&admin=1#x?y", "../../etc", "a b/c%2f", "Łoś\u2028", "\x00\x7f", "\\", `\"`, "}}{{seq}}",
		"1e5", "1e333", "true", "-", "+", ".", "..", `"`, "[]", strings.Repeat("a'\"\r\n", 1000)} {
		f.Add(v, "1")
	}
	f.Fuzz(func(t *testing.T, value, other string) {
		value, other = strings.ToValidUTF8(value, "?"), strings.ToValidUTF8(other, "?")
		d := &requests.Data{Name: "d.csv", Columns: []string{"v", "w"},
			Rows: [][]requests.Value{{{Text: value}, {Text: other}}}, Lines: []int{2}}
		base := vegeta.Target{Method: "POST", URL: "http://h/a/{{v}}/b?q={{v}}&r={{w}}",
			Header: http.Header{"X-V": {"<{{v}}>"}}}
		want := url.Values{"q": {value}, "r": {other}}
		control := strings.ContainsFunc(value, func(c rune) bool {
			return c < ' ' && c != '\t' || c == 0x7f
		})
		for kind, body := range map[string]string{"application/json": `{"v":"{{v}}","x":{{v}},"w":"{{w}}"}`,
			"application/x-www-form-urlencoded": "q={{v}}&r={{w}}", "text/plain": "{{v}}"} {
			r := base
			r.Body = []byte(body)
			r.Header = r.Header.Clone()
			r.Header.Set("Content-Type", kind)
			parsed, err := checked(r, d)
			segment := value
			if control || value == "." || value == ".." {
				if err == nil || !strings.HasPrefix(err.Error(), "d.csv:2: ") {
					t.Fatalf("%q: %v, want an error about its line", value, err)
				}
				delete(r.Header, "X-V")
				r.URL, segment = "http://h/a/x{{v}}/b?q={{v}}&r={{w}}", "x"+value
				parsed, err = checked(r, d)
			}
			if err != nil {
				t.Fatal(err)
			}
			sent := framed(t, parsed, 1, 0)
			one, err := parsed.Fill(1, 0)
			if err != nil {
				t.Fatal(err)
			}
			if by := encoded(t, one); !bytes.Equal(sent, by) {
				t.Fatalf("by its frame\n%q\nby net/http\n%q", sent, by)
			}
			b := bufio.NewReader(bytes.NewReader(sent))
			got, err := http.ReadRequest(b)
			if err != nil {
				t.Fatalf("%q: %v", sent, err)
			}
			text, err := io.ReadAll(got.Body)
			if err != nil || b.Buffered() > 0 {
				t.Fatalf("%q is more than a request: %v", sent, err)
			}
			parts := strings.Split(got.URL.EscapedPath(), "/")
			if path, err := url.PathUnescape(parts[2]); len(parts) != 4 || path != segment {
				t.Fatalf("%q: the path is %q (%v)", value, parts, err)
			}
			if q := got.URL.Query(); q.Encode() != want.Encode() {
				t.Fatalf("%q: the query is %q", value, q)
			}
			if names := len(got.Header); names > 4 {
				t.Fatalf("%q: %d headers: %v", value, names, got.Header)
			}
			if v, ok := got.Header["X-V"]; ok && v[0] != "<"+value+">" {
				t.Fatalf("%q: the header is %q", value, v)
			}
			switch kind {
			case "application/json":
				var o map[string]any
				numbers := json.NewDecoder(bytes.NewReader(text))
				numbers.UseNumber() // 1e333 overflows float64
				if err := numbers.Decode(&o); err != nil || numbers.More() || len(o) != 3 ||
					o["v"] != value || o["w"] != other {
					t.Fatalf("%q: the body is %q: %v", value, text, err)
				}
			case "text/plain":
				if string(text) != value {
					t.Fatalf("%q: the body is %q", value, text)
				}
			default:
				q, err := url.ParseQuery(string(text))
				if err != nil || q.Encode() != want.Encode() {
					t.Fatalf("%q: the body is %q", value, text)
				}
			}
		}
	})
}

func FuzzTemplate(f *testing.F) {
	f.Add("http://h/{{user}}?{{seq}}", "{{uuid}}", `{"a":"{{printf "%q" user}}"}`, "user,x\na,b\n")
	f.Add("http://h/", "{{if eq seq 1}}a{{end}}", `{{range $i, $x := slice user}}{{$i}}{{end}}`, "user\n1\n")
	f.Add("http://h/{{random 1 9}}/{{raw user}}", "{{column \"a b\"}}", "{{with user}}{{.}}{{end}}", "user,a b\n1,2\n")
	f.Fuzz(func(t *testing.T, address, header, body, text string) {
		d, err := requests.ReadData("d.csv", []byte(text), requests.CSV)
		if err != nil {
			return
		}
		r, err := checked(vegeta.Target{Method: "POST", URL: address, Body: []byte(body),
			Header: http.Header{"X-H": {header}}}, d)
		if err != nil {
			return
		}
		for seq := range uint64(3) {
			one, err := r.Fill(2, seq)
			again, wrong := r.Fill(2, seq)
			if fmt.Sprint(err) != fmt.Sprint(wrong) || one.URL != again.URL ||
				!slices.Equal(one.Header["X-H"], again.Header["X-H"]) ||
				!bytes.Equal(one.Body, again.Body) {
				t.Fatalf("%+v, %v and then %+v, %v", one, err, again, wrong)
			}
			if err == nil && strings.ContainsAny(one.Header.Get("X-H"), "\r\n") {
				t.Fatalf("%q has a line break", one.Header)
			}
		}
		_, _ = r.Shown(2, 1), requests.Mask(body, r.Secrets(2, 1, nil))
	})
}

func manyRows(t testing.TB, n int, user func(i int) string) *requests.Data {
	t.Helper()
	var text strings.Builder
	text.WriteString("user,id\n")
	for i := range n {
		fmt.Fprintf(&text, "%s,%d\n", user(i), i)
	}
	return read(t, "u.csv", text.String())
}

// The first invalid row must be reported, whichever goroutine finds an error first.
func TestCheckManyRows(t *testing.T) {
	d := manyRows(t, 20_000, func(i int) string {
		if i == 4321 || i == 4400 || i == 9999 || i == 19_998 {
			return ".."
		}
		return "u"
	})
	sound := parse(t, vegeta.Target{Method: "GET", URL: "http://here/{{id}}"}, d)
	for range 2 {
		if err := sound.Check(); err != nil {
			t.Error(err)
		}
		_, err := checked(vegeta.Target{Method: "GET", URL: "http://here/{{user}}"}, d)
		if err == nil || !strings.HasPrefix(err.Error(), "u.csv:4323: ") {
			t.Errorf("the row of line 4323 is wrong: %v", err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	d := manyRows(b, 1_000_000, func(i int) string { return fmt.Sprint("user", i) })
	i := 0
	for b.Loop() {
		i++ // the result of a check is cached
		parse(b, vegeta.Target{Method: "GET",
			URL: fmt.Sprintf("http://here/{{user}}/%d?id={{id}}", i)}, d)
	}
}
