package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// hostile returns a suite with special characters of each format.
func hostile() *Suite {
	s := &Suite{Name: "poolbench <attack> & \"more\"", Output: "p99 1 ms\n::error::forged"}
	s.Add(Case{Name: "p99-response<50ms", Class: `Attack/target=a"b'c<d>&e`, Failure: &Text{
		Type: "missed", Message: "missed: 100 % of it, p99: 61 ms\r\n::error::forged"}})
	s.Add(Case{Name: "a,b: 50%0A", Class: "::stop-commands::x", Error: &Text{
		Type: "INVALID", Message: "\x00\x1b[31m\ufffe \u202e lag"}})
	s.Add(Case{Name: "skipped", Class: "c", Skipped: &Text{Message: "no direction"}})
	s.Add(Case{Name: "passed | <b>", Class: "c", Output: "]]> `1`"})
	return s
}

// element contains the attributes and children of an element in Jenkins' schema junit-10.xsd.
type element struct{ must, may, within []string }

var schema = map[string]element{
	"testsuites": {nil, []string{"name", "time", "tests", "failures", "errors"},
		[]string{"testsuite"}},
	"testsuite": {[]string{"name", "tests", "failures", "errors"},
		[]string{"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log",
			"url"}, []string{"testsuite", "properties", "testcase", "system-out", "system-err"}},
	"testcase": {[]string{"name"}, []string{"time", "classname", "group"}, []string{"skipped",
		"error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError", "system-out",
		"system-err"}},
	"failure":    {nil, []string{"type", "message"}, nil},
	"error":      {nil, []string{"type", "message"}, nil},
	"skipped":    {nil, []string{"type", "message"}, nil},
	"system-out": {}, "system-err": {},
}

// checkSchema validates a document and returns its number of elements.
func checkSchema(t *testing.T, document io.Reader) (elements int) {
	t.Helper()
	decode := xml.NewDecoder(document)
	within := []string{}
	for {
		token, err := decode.Token()
		if errors.Is(err, io.EOF) {
			return elements
		} else if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			elements++
			e, known := schema[name]
			switch {
			case !known:
				t.Errorf("no element is called %s", name)
			case len(within) == 0 && name != "testsuites":
				t.Errorf("the root is %s", name)
			case len(within) > 0 && !slices.Contains(schema[within[len(within)-1]].within, name):
				t.Errorf("%s is in %v", name, within)
			}
			var has []string
			for _, a := range token.Attr {
				if has = append(has, a.Name.Local); !slices.Contains(slices.Concat(e.must, e.may),
					a.Name.Local) {
					t.Errorf("%s has no attribute %s", name, a.Name.Local)
				}
			}
			for _, must := range e.must {
				if !slices.Contains(has, must) {
					t.Errorf("%s lacks %s", name, must)
				}
			}
			within = append(within, name)
		case xml.EndElement:
			within = within[:len(within)-1]
		case xml.CharData:
			if at := within; len(at) > 0 && slices.Contains([]string{"testsuites", "testsuite",
				"testcase"}, at[len(at)-1]) && strings.TrimSpace(string(token)) != "" {
				t.Errorf("text in %v: %q", within, token)
			}
		}
	}
}

// The document must be valid, and names must survive decoding.
func TestSchema(t *testing.T) {
	var b bytes.Buffer
	s := hostile()
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	if n := checkSchema(t, bytes.NewReader(b.Bytes())); n != 11 {
		t.Errorf("%d elements, want 11", n)
	}
	var got struct {
		Suites []Suite `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	g := got.Suites[0]
	if g.Tests != 4 || g.Failures != 1 || g.Errors != 1 || g.Skipped != 1 {
		t.Errorf("%+v", g)
	}
	for i, c := range g.Cases {
		if c.Name != s.Cases[i].Name || c.Class != s.Cases[i].Class {
			t.Errorf("%q of %q, want %q of %q", c.Name, c.Class, s.Cases[i].Name, s.Cases[i].Class)
		}
	}
}

func TestGitHub(t *testing.T) {
	for file, write := range map[string]func(*Suite, io.Writer) error{
		"testdata/annotations.txt": (*Suite).Annotate, "testdata/summary.md": (*Suite).Summarize,
	} {
		var b bytes.Buffer
		if err := write(hostile(), &b); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, b.String(), want)
		}
	}
}

// GitHub shows ten annotations, so the last one must contain the number of the others.
func TestManyAnnotations(t *testing.T) {
	s := &Suite{Name: "n"}
	for range 25 {
		s.Add(Case{Name: "c", Error: &Text{Message: "m"}})
	}
	var b bytes.Buffer
	if err := s.Annotate(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 10 || lines[9] != "::error title=n::and 16 more did not pass" {
		t.Errorf("%q", lines)
	}
}
