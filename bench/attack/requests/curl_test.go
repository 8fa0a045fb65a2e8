package requests_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack/requests"
)

func TestRead(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Add(pairs[i], pairs[i+1])
		}
		return h
	}
	const form = "application/x-www-form-urlencoded"
	for text, want := range map[string]vegeta.Target{
		// Chrome
		"curl 'https://shop.example/api/cart?x=1&y=2' \\\n  -H 'accept: application/json' \\\n" +
			"  -H 'accept-language: pl,en;q=0.9' \\\n  -b 'sid=47; theme=dark' \\\n" +
			"  -H 'content-type: application/json' \\\n" +
			"  --data-raw $'{\"name\":\"it\\'s \\u0141\\\\n\",\"n\":2}' \\\n  --compressed": {
			Method: "POST", URL: "https://shop.example/api/cart?x=1&y=2",
			Header: header("Accept", "application/json", "Accept-Language", "pl,en;q=0.9", "Cookie",
				"sid=47; theme=dark", "Content-Type", "application/json", "Accept-Encoding", "gzip"),
			Body: []byte(`{"name":"it's Ł\n","n":2}`)},
		// Firefox
		"curl 'http://h:8080/a' --compressed -X PATCH -H 'User-Agent: Mozilla/5.0 (X11)' " +
			"-H 'Accept-Encoding: gzip, deflate, br, zstd' -H 'Priority: u=0' --data-raw 'a=1&b=$HOME'": {
			Method: "PATCH", URL: "http://h:8080/a", Header: header("User-Agent",
				"Mozilla/5.0 (X11)", "Accept-Encoding", "gzip, deflate, br, zstd", "Priority", "u=0",
				"Content-Type", form), Body: []byte("a=1&b=$HOME")},
		// typed by people
		"curl -sSLXPUT -uann:s3cret -dx=1 -d 'y= 2' --data-urlencode 'z=a b&c' \"h/p\"": {Method: "PUT",
			URL: "http://h/p", Header: header("Authorization", "Basic YW5uOnMzY3JldA==",
				"Content-Type", form), Body: []byte("x=1&y= 2&z=a+b%26c")},
		"curl -G http://h/s?a=1#f --data-urlencode 'q=x y' -A me -e http://r/ -H 'X-Empty;' -H 'Accept:'": {
			Method: "GET", URL: "http://h/s?a=1&q=x+y#f", Header: header("User-Agent", "me",
				"Referer", "http://r/", "X-Empty", "")},
		`curl --url http://h/ --json '{"a":' --json '1}' --header=X-A:b -o /dev/null -m5 -k=`: {},
		`curl --json '{"a":' http://h/ --json '1}' --header=X-A:b -o /dev/null -m5`: {Method: "POST",
			URL: "http://h/", Header: header("Content-Type", "application/json", "X-A", "b"),
			Body: []byte(`{"a":1}`)},
		"curl -I http://h/ # what is there": {Method: "HEAD", URL: "http://h/", Header: header()},
		"curl http://h/ --data-binary ''": {Method: "POST", URL: "http://h/",
			Header: header("Content-Type", form), Body: []byte{}},
	} {
		got, err := requests.ReadCurl([]byte(text), nil)
		if want.URL == "" {
			if err == nil {
				t.Errorf("%s: %+v, want an error", text, got)
			}
			continue
		}
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", text, got, err, want)
		}
	}
	got, err := requests.ReadCurl([]byte("curl http://h/1 ;\ncurl 'http://h/2'\n\ncurl http://h/3 &\n"), nil)
	if err != nil || len(got) != 3 || got[2].URL != "http://h/3" {
		t.Errorf("of three commands: %+v, %v", got, err)
	}
}

// Errors must not show values of headers.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "it contains no curl command",
		"curl":                              "line 1: there is no URL",
		"\nwget http://h/":                  "line 2: want curl as the first word",
		"curl http://h/ 'a":                 "line 1: reached EOF without closing quote",
		"curl http://h/\ncurl http://h/ -H": "line 2: -H: its value is missing",
		"curl http://h/ -H 'geheim'":        "line 1: -H: want 'NAME: VALUE'",
		"curl http://h/ --proxy p":          "line 1: --proxy: this option of curl is not supported",
		"curl http://h/ -F a=b":             "line 1: -F: this option of curl is not supported",
		"curl http://h/ http://i/":          "line 1: a second URL",
		"curl http://h/ -d @file":           "line 1: -d: a body in a file",
		"curl http://h/ -b jar.txt":         "line 1: -b: a file of cookies is not read",
		"curl -k http://h/":                 "line 1: -k: --insecure is a flag of attack",
		"curl http://h/ -H \"A: $geheim\"":  "line 1: variables and commands are not expanded",
		"curl http://h/ <(id)":              "line 1: variables and commands are not expanded",
		"curl http://h/$(id)":               "line 1: variables and commands are not expanded",
		"curl http://h/ > geheim":           "line 1: want a plain command",
		"A=1 curl http://h/":                "line 1: want a plain command",
		"if true; then curl h; fi":          "line 1: want a plain command",
	} {
		_, err := requests.ReadCurl([]byte(text), nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if strings.Contains(fmt.Sprint(err), "geheim") {
			t.Errorf("%q: the error shows it: %v", text, err)
		}
	}
}

// Nested shell syntax must be rejected before parsing, which could exhaust the stack. In quotes it
// is text.
func TestNesting(t *testing.T) {
	for text, want := range map[string]string{
		"curl http://h/ -d '$(' # it's\ncurl $(": "line 2: variables and commands",
		"curl 'a\nb' \\\n -d \"`\"":              "line 3: variables and commands",
		"curl http://h/ -d \\$(":                 "line 1: want a plain command",
		"curl " + strings.Repeat("curl;{ ", 50_000): "line 1: a command has more than 64 KiB " +
			"outside single quotes",
	} {
		_, err := requests.ReadCurl([]byte(text), nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	nested := strings.Repeat("$(({[`", 100_000)
	got, err := requests.ReadCurl([]byte("# it's $(\ncurl http://h/ -d '"+nested+"' -d $'it\\'s $(' "+
		"-d \"\\$(it's\" # it's (\n\tcurl http://i/\n"), nil)
	if err != nil || len(got) != 2 || string(got[0].Body) != nested+"&it's $(&$(it's" {
		t.Errorf("%d requests, %v", len(got), err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("curl 'http://h/' -H $'a: \\x41' --data-raw x")
	f.Add("\"0\"<()")
	f.Add("curl -sXPUT \"http://h/$x\" ~ {a,b} <(x) ${y:-z} $((1/0)) *")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := requests.ReadCurl([]byte(text), nil)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("%q: %v", text, err)
		}
		for _, r := range all {
			if err == nil && (r.Method == "" || r.URL == "") {
				t.Fatalf("%q: %+v", text, r)
			}
		}
	})
}
