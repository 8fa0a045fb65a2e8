package sessions

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const shop = `# what a customer does
name: shop
steps:
- name: log_in
  url: http://127.0.0.1:8080/login
  headers:
    Content-Type: application/json
    X-Two: [a, b]
  body: |
    {"user": "{{user}}"}
  check: [status == 200, 'json .token exists']
  capture:
  - token = json:.token
  - order = header:Location regexp:/orders/(\w+)
- url: http://127.0.0.1:8080/items?t={{token}}
  think: exp(1s)
  capture: csrf = regexp:name="csrf" value="([^"]+)"
`

func TestRead(t *testing.T) {
	s, err := ReadScript("dir/Some File.yaml", []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	first, second := s.Steps[0], s.Steps[1]
	got := []any{s.Name, first.Name, first.Request.Method, string(first.Request.Body),
		first.Request.Header, first.Think.String(), first.Checks[1].String(),
		first.Captures[1].String(), second.Name, second.Request.Method, second.Request.URL,
		second.Think.String(), second.Captures[0].Name, s.Names(), s.Where}
	want := []any{"shop", "log_in", "POST", "{\"user\": \"{{user}}\"}\n",
		first.Request.Header, "", "json .token exists",
		`order = header:Location regexp:/orders/(\w+)`, "step_2", "GET",
		"http://127.0.0.1:8080/items?t={{token}}", "exp(1s)", "csrf",
		[]string{"token", "order", "csrf"},
		[]string{"dir/Some File.yaml:4:7", "dir/Some File.yaml:15:6"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]string{"Content-Type": {"application/json"},
		"X-Two": {"a", "b"}}, map[string][]string(first.Request.Header)); diff != "" {
		t.Error(diff)
	}
	// A session must survive encoding, because agents receive it as JSON.
	text, err := json.Marshal(s.Session)
	if err != nil {
		t.Fatal(err)
	}
	var again Session
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	more, err := json.Marshal(again)
	if err != nil || !bytes.Equal(text, more) || again.Validate() != nil {
		t.Errorf("%v, %v: %s is %s when it was read again", err, again.Validate(), text, more)
	}
	if other, err := ReadScript("dir/Some File.yaml",
		[]byte("steps: [{url: http://127.0.0.1/}]")); err != nil || other.Name != "some_file" {
		t.Errorf("%v, %+v", err, other)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "s.yaml: empty: want a file of steps"},
		{"- url: /", "s.yaml:1:1: want name: and steps:"},
		{"name: shop", "s.yaml:1:5: there are no steps"},
		{"steps: []", `s.yaml:1:8: steps: want a list, each step beginning with "- "`},
		{"steps:\n- url: /\n  uri: x", `s.yaml:3:3: unknown key "uri" (known: name, method, url, ` +
			`headers, body, think, check, capture)`},
		{"steps:\n- method: GET", "s.yaml:2:9: the step has no url"},
		{"steps:\n- url: /\n  think: 1 s", `s.yaml:3:10: think: want a distribution such as 10ms`},
		{"steps:\n- url: /\n  check:\n  - status = 200", `s.yaml:4:5: check: "status = 200": want one`},
		{"steps:\n- url: /\n  capture: token", `s.yaml:3:12: capture: want NAME = SOURCE`},
		{"steps:\n- url: /\n  capture: Token = json:.t", `s.yaml:3:12: capture: "Token": want a name`},
		{"steps:\n- url: /\n  capture: seq = json:.t", `s.yaml:3:12: capture: seq: templates have a`},
		{"steps:\n- url: /\n  capture: t = xml:/t", `s.yaml:3:12: capture: t: want json:PATH,`},
		{"steps:\n- url: /\n  capture: t = regexp:(", "s.yaml:3:12: capture: t: error parsing regexp"},
		{"steps:\n- url: /\n  capture: t = header:A b", `s.yaml:3:12: capture: t: want nothing or`},
		{"steps:\n- url: /\n  name: Log in", `s.yaml:3:9: "Log in": want a name of small letters`},
		{"steps:\n- {name: a, url: /}\n- {name: a, url: /}", "s.yaml:3:10: two steps are named a"},
		{"steps:\n- url: &a /\n- url: *a", "s.yaml:2:8: anchors and aliases are not for steps"},
		{"steps:\n- url: /\n  url: /", `s.yaml:3:3: mapping key "url" already defined`},
		{"steps:\n- url: /\n  headers: x", "s.yaml:3:12: want headers: {Name: value}"},
	} {
		_, err := ReadScript("s.yaml", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{shop, "steps: [{url: /}]", "steps:\n- url: /\n  think: const(1s)\n",
		"steps:\n- url: |\n    /\n", "steps:\n- ? url\n  : /\n", "steps: {url: /}", "steps: [[]]",
		"steps:\n- headers: {a: [1, 0x2, ~, .inf]}\n  url: /\n", "name: 5\nsteps: [{url: 5}]",
		"steps:\n- url: /\n  capture: a = json:@this|@reverse\n  check: json .a.# > 0\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadScript("f.yaml", text)
		if err == nil {
			if err := s.Validate(); err != nil || len(s.Where) != len(s.Steps) {
				t.Errorf("%v, and %d lines", err, len(s.Where))
			}
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, "f.yaml") {
				t.Errorf("complaint %q does not begin with the file", line)
			}
		}
	})
}
