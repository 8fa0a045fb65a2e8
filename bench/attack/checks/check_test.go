package checks_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
)

// answers returns an answer as poolbench's client and as net/http represent it.
func answers(status int, head, body string) []*checks.Answer {
	header := http.Header{}
	for _, line := range strings.Split(head, "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			header.Add(name, value)
		}
	}
	wire := &checks.Answer{Status: status, Size: int64(len(body)), Most: checks.MaxBody,
		Head: []byte("HTTP/1.1 200 OK\r\n" + head + "\r\n")}
	other := &checks.Answer{Status: status, Size: int64(len(body)), Most: checks.MaxBody,
		Header: header}
	for _, a := range []*checks.Answer{wire, other} {
		a.Response = 250 * time.Millisecond
		_, _ = a.Write([]byte(body))
	}
	return []*checks.Answer{wire, other}
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

const kinds = "Content-Type: application/json; charset=utf-8\r\nX-A: 1\r\nx-a: 2\r\nX-Empty: \r\n"

func TestChecks(t *testing.T) {
	const text = `{"items":[{"id":7,"tags":["a b"]},{"id":9}],"ok":true,"name":"Łukasz","n":null,` +
		`"count":"12"}`
	long := strings.Repeat("x", checks.MaxBody) + "end"
	for _, c := range []struct{ check, head, body, failed string }{
		{`status == 207`, kinds, text, ""},
		{`status != 207`, kinds, text, "status != 207"},
		{`status < 300`, kinds, text, ""},
		{`  status >= 208 `, kinds, text, "status >= 208"},
		{`status in 2xx,304`, kinds, text, ""},
		{`status in 304, 207`, kinds, text, ""},
		{`status in 1XX,3xx,404`, kinds, text, "status in 1XX,3xx,404"},
		{`response < 300ms`, kinds, text, ""},
		{`response <= 250ms`, kinds, text, ""},
		{`response < 250ms`, kinds, text, "response < 250ms"},
		{`header content-type ~ json`, kinds, text, ""},
		{`header CONTENT-TYPE ~ ^text/`, kinds, text, "header CONTENT-TYPE ~ ^text/"},
		{`header x-a == "1, 2"`, kinds, text, ""},
		{`header x-b exists`, kinds, text, "header x-b exists"},
		{`header x-empty exists`, kinds, text, ""},
		{`header x-empty == ""`, kinds, text, ""},
		{`header x-a !~ 3`, kinds, text, ""},
		{`body contains "ok"`, kinds, text, ""},
		{`body contains Łukasz`, kinds, text, ""},
		{`body contains 'a b'`, kinds, text, ""},
		{`body ~ (?i)ŁUKASZ`, kinds, text, ""},
		{`body !~ error`, kinds, text, ""},
		{`body == {}`, kinds, text, "body == {}"},
		{`json .items.# > 1`, kinds, text, ""},
		{`json items.# > 2`, kinds, text, "json items.# > 2"},
		{`json .items.1.id == 9`, kinds, text, ""},
		{`json .items.1.id == "9"`, kinds, text, `json .items.1.id == "9"`},
		{`json .count == "12"`, kinds, text, ""},
		{`json .count == 12`, kinds, text, "json .count == 12"},
		{`json .ok == true`, kinds, text, ""},
		{`json .n == null`, kinds, text, ""},
		{`json .missing != 3`, kinds, text, "json .missing != 3"},
		{`json .missing exists`, kinds, text, "json .missing exists"},
		{`json ".items.#(tags.0==\"a b\").id" == 7`, kinds, text, ""},
		{`json . exists`, kinds, `[1]`, ""},
		{`json .name ~ ^Łu`, kinds, text, ""},
		{`json .ok == true`, kinds, "<html>", "json .ok == true (the body is not JSON)"},
		{`size < 1KB`, kinds, text, ""},
		{`size > 0.001MiB`, kinds, text, "size > 0.001MiB"},
		{`size == 3`, "", "abc", ""},
		{`body contains x`, "Content-Encoding: gzip\r\n", zipped("axb"), ""},
		{`json .a == 1`, "Content-Encoding: GZIP\r\n", zipped(`{"a":1}`), ""},
		{`body contains x`, "Content-Encoding: br\r\n", "x",
			"body contains x (the body is encoded as br, which is not supported)"},
		{`body !~ y`, "Content-Encoding: ZSTD\r\n", "x",
			"body !~ y (the body is encoded as zstd, which is not supported)"},
		{`json .a != 1`, "Content-Encoding: gzip, br\r\n", zipped(`{"a":2}`),
			"json .a != 1 (the body is encoded as several in turn, which is not supported)"},
		{`body != z`, "Content-Encoding: 8f3a\r\n", "x",
			"body != z (the body is encoded as something unknown, which is not supported)"},
		{`size == 1`, "Content-Encoding: br\r\n", "x", ""}, // size before decompression
		{`body contains x`, "Content-Encoding: deflate\r\n", deflated("axb"), ""},
		{`json .a == 1`, "Content-Encoding: deflate\r\n", deflated(`{"a":2}`), "json .a == 1"},
		{`body !~ y`, "Content-Encoding: deflate\r\n", "x",
			"body !~ y (the body is not a complete deflate)"},
		{`body contains x`, "Content-Encoding: gzip\r\n", "x",
			"body contains x (the body is not a complete gzip)"},
		// the body beyond the limit is unknown
		{`body contains x`, "", long, ""},
		{`body contains end`, "", long, "body contains end (the body is longer than 1 MiB: " +
			"raise --check-bytes)"},
		{`body !~ y`, "", long, "body !~ y (the body is longer than 1 MiB: raise --check-bytes)"},
		{`json .a exists`, "", `{"a":"` + long, "json .a exists (the body is longer than 1 MiB: raise " +
			"--check-bytes)"},
		{`json .a exists`, "Content-Encoding: gzip\r\n", zipped(`{"a":"` + long),
			"json .a exists (the body is longer than 1 MiB: raise --check-bytes)"},
		{`size > 1MiB`, "", long, ""},
	} {
		check, err := checks.Parse(c.check)
		if err != nil {
			t.Errorf("%s: %v", c.check, err)
			continue
		}
		for i, a := range answers(207, c.head, c.body) {
			if got := (checks.List{check}).Failed(a); got != c.failed {
				t.Errorf("%s on %d: failed %q, want %q", c.check, i, got, c.failed)
			}
		}
	}
}

func TestFirst(t *testing.T) {
	var all checks.List
	for _, text := range []string{"size < 100", "body contains b", "status == 500"} {
		c, err := checks.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if got := all.Failed(answers(200, "", "a")[0]); got != "body contains b" {
		t.Errorf("failed %q", got)
	}
	if got := all.Needs(); got != (checks.Needs{Head: true, Body: checks.MaxBody}) {
		t.Errorf("they need %+v", got)
	}
	if got := all[:1].Needs(); got != (checks.Needs{}) {
		t.Errorf("a size needs %+v", got)
	}
}

// Of a gzip bomb of 64 MiB, only the checked part may be decompressed.
func TestBomb(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for range 64 {
		_, _ = w.Write(make([]byte, 1<<20))
	}
	_ = w.Close()
	check, err := checks.Parse("body contains end")
	if err != nil {
		t.Fatal(err)
	}
	a := answers(200, "Content-Encoding: gzip\r\n", b.String())[0]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := checks.List{check}.Failed(a)
	runtime.ReadMemStats(&after)
	if !strings.Contains(got, "longer than") {
		t.Errorf("failed %q", got)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "want status, response, header, body, json or size first",
		"statu == 200":          `got "statu"`,
		"status = 200":          `want one of == != < <= > >=, got "="`,
		"status == ok":          `want a status from 100 to 999, got "ok"`,
		"status == 2000":        `got "2000"`,
		"status in 2xx,ok":      `want statuses and classes such as 2xx,304, got "ok"`,
		"response < fast":       `want a time such as 300ms, got "fast"`,
		"response > 1s":         `want < or <=, got ">"`,
		"header":                "want the name of a header",
		"header a":              "there is no value",
		"header a: == b":        `want the name of a header, got "a:"`,
		"header a like b":       `want one of == != contains ~ !~, got "like"`,
		"body ~ (":              "missing closing )",
		"body contains":         "there is no value",
		`body contains "a`:      "the quotes do not match",
		`body contains 'a'b'`:   "the quotes do not match",
		"json .a > b":           `> needs a number, got "b"`,
		"json":                  "want a path",
		"json .a":               "there is no value",
		"json .a === 3":         `got "==="`,
		"size < lots":           "want a size such as 100KB",
		"size < -1":             "want a size such as 100KB",
		"size < 1e300GB":        "want a size such as 100KB",
		"status == 200\r\nX: y": "want one line",
	} {
		_, err := checks.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, text := range []string{"status == 200", "header content-type ~ json",
		`body contains "ok"`, "json .items.# > 0", "size < 100KB", `json "a.#(b==\"c d\")#" exists`,
		"json .a|@reverse|0 == 1", "body !~ ^$"} {
		f.Add(text, []byte(`{"items":[1,2],"a":[{"b":"c d"}]}`), "Content-Encoding: gzip\r\n")
	}
	f.Fuzz(func(t *testing.T, text string, body []byte, head string) {
		c, err := checks.Parse(text)
		if err != nil {
			return
		}
		again, err := checks.Parse(c.String())
		if err != nil {
			t.Fatalf("%q parses, and %q does not: %v", text, c, err)
		}
		a := answers(200, head, string(body))
		first, second := checks.List{c}.Failed(a[0]), checks.List{again}.Failed(a[0])
		if first != second {
			t.Fatalf("%q failed %q, then %q", text, first, second)
		}
		if first != "" && !strings.HasPrefix(first, c.String()) {
			t.Fatalf("%q is counted as %q", text, first)
		}
	})
}
