package sessions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
)

// A Capture stores a value of an answer under a name. The zero value is no capture.
type Capture struct {
	Name string
	text string
	body int // bytes of the body it needs
	take func(*checks.Answer) (requests.Value, error)
}

// MaxCaptured is the maximum size of a value in bytes. A longer one fails the step.
const MaxCaptured = 64 << 10

// ParseCapture parses a capture:
//
//	token = json:.token
//	order = header:Location regexp:/orders/(\w+)
//	csrf = regexp:name="csrf" value="([^"]+)"
//
// A path is gjson's. A regular expression is matched against the body, or the preceding header. The
// value is its first group, or otherwise the whole match.
func ParseCapture(text string) (Capture, error) {
	left, source, ok := strings.Cut(text, "=")
	c := Capture{Name: strings.TrimSpace(left), text: strings.TrimSpace(text)}
	source = strings.TrimSpace(source)
	switch {
	case !ok || strings.ContainsAny(text, "\r\n"):
		return Capture{}, fmt.Errorf("want NAME = SOURCE, such as token = json:.token, got %q", text)
	case CheckName(c.Name) != nil:
		return Capture{}, CheckName(c.Name)
	case slices.Contains(requests.Reserved(), c.Name):
		return Capture{}, fmt.Errorf("%s: templates have a function of that name: choose another",
			c.Name)
	}
	kind, rest, _ := strings.Cut(source, ":")
	rest = strings.TrimSpace(rest)
	var err error
	switch {
	case kind == "json" && rest != "":
		c.body = checks.MaxBody
		c.take, err = ofJSON(rest)
	case kind == "header" && rest != "":
		c.take, err = ofHeader(rest)
	case kind == "regexp" && rest != "":
		c.body = checks.MaxBody
		c.take, err = ofBody(rest)
	default:
		err = fmt.Errorf("want json:PATH, header:NAME or regexp:EXPRESSION behind the =, got %q",
			source)
	}
	if err != nil {
		return Capture{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	return c, nil
}

func (c Capture) String() string { return c.text }

// MarshalText encodes the capture as String.
func (c Capture) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// UnmarshalText is ParseCapture.
func (c *Capture) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCapture(string(text))
	return err
}

// Take returns the value in an answer. Errors do not quote the answer.
func (c *Capture) Take(a *checks.Answer) (requests.Value, error) {
	v, err := c.take(a)
	if err == nil && len(v.Text) > MaxCaptured {
		err = errTooLong
	}
	if err != nil {
		return requests.Value{}, fmt.Errorf("capture %s: %w", c.Name, err)
	}
	return v, nil
}

var (
	errTooLong = fmt.Errorf("it is longer than %d KiB", MaxCaptured>>10)
	errNone    = errors.New("it is not there")
	errNotJSON = errors.New("the body is not JSON")
)

func cutShort(a *checks.Answer) error {
	return fmt.Errorf("it is not in the first %s of the body: raise --check-bytes", a.Limit())
}

func ofJSON(path string) (func(*checks.Answer) (requests.Value, error), error) {
	path, err := checks.JSONPath(path)
	if err != nil {
		return nil, err
	}
	return func(a *checks.Answer) (v requests.Value, err error) {
		text, cut, err := a.Text()
		switch {
		case err != nil:
			return v, err
		case cut:
			return v, cutShort(a)
		case !gjson.ValidBytes(text):
			return v, errNotJSON
		}
		switch found := gjson.GetBytes(text, path); {
		case !found.Exists():
			return v, errNone
		case found.Type == gjson.String:
			return requests.Value{Text: found.Str}, nil
		default:
			return requests.Value{Text: found.Raw, JSON: true}, nil
		}
	}, nil
}

func ofHeader(rest string) (func(*checks.Answer) (requests.Value, error), error) {
	field, pattern, has := strings.Cut(rest, " ")
	if strings.ContainsAny(field, "\":\t") {
		return nil, fmt.Errorf("want the name of a header, got %q", field)
	}
	find := func(_ *checks.Answer, text []byte) (requests.Value, bool) {
		return requests.Value{Text: string(text)}, true
	}
	if has {
		pattern, ok := strings.CutPrefix(strings.TrimSpace(pattern), "regexp:")
		if !ok {
			return nil, fmt.Errorf("want nothing or regexp:EXPRESSION behind header:%s", field)
		}
		re, err := checks.CompileExpression(strings.TrimSpace(pattern))
		if err != nil {
			return nil, err
		}
		find = matched(re)
	}
	return func(a *checks.Answer) (v requests.Value, err error) {
		text := a.Value(field)
		v, ok := find(a, []byte(text))
		if text == "" || !ok {
			return v, errNone
		}
		return v, nil
	}, nil
}

func ofBody(pattern string) (func(*checks.Answer) (requests.Value, error), error) {
	re, err := checks.CompileExpression(pattern)
	if err != nil {
		return nil, err
	}
	find := matched(re)
	return func(a *checks.Answer) (v requests.Value, err error) {
		text, cut, err := a.Text()
		if err != nil {
			return v, err
		}
		v, ok := find(a, text)
		switch {
		case !ok && cut:
			return v, cutShort(a)
		case !ok:
			return v, errNone
		}
		return v, nil
	}, nil
}

func matched(e *checks.Expression) func(*checks.Answer, []byte) (requests.Value, bool) {
	return func(a *checks.Answer, text []byte) (v requests.Value, ok bool) {
		found := e.Find(a, text)
		if found == nil {
			return v, false
		}
		if len(found) > 2 {
			found = found[2:]
		}
		if found[0] >= 0 {
			v.Text = string(text[found[0]:found[1]])
		}
		return v, true
	}
}
