package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Check is a condition on an answer. The zero value is no check.
type Check struct {
	text  string
	of    string
	needs Needs
	// returns "", or a reason that does not vary between answers
	fails func(*Answer) string
}

func (c Check) String() string { return c.text }

// MarshalText encodes the check as String.
func (c Check) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// UnmarshalText is Parse.
func (c *Check) UnmarshalText(text []byte) (err error) {
	*c, err = Parse(string(text))
	return err
}

// A List is checks that must all hold.
type List []Check

// Needs returns the union of the checks' needs.
func (l List) Needs() (all Needs) {
	for _, c := range l {
		all.Head, all.Body = all.Head || c.needs.Head, max(all.Body, c.needs.Body)
	}
	return all
}

// OfStatus reports whether a check is about the status.
func (l List) OfStatus() bool {
	return slices.ContainsFunc(l, func(c Check) bool { return c.of == ofStatus })
}

// Failed returns the name of the first failed check and the reason, or "".
func (l List) Failed(a *Answer) string {
	for i := range l {
		switch why := l[i].fails(a); why {
		case "":
		case untrue:
			return l[i].text
		default:
			return l[i].text + " (" + why + ")"
		}
	}
	return ""
}

// untrue is the default reason, which is omitted.
const untrue = "the condition is false"

const (
	ofStatus   = "status"
	ofResponse = "response"
	ofHeader   = "header"
	ofBody     = "body"
	ofJSON     = "json"
	ofSize     = "size"
)

// Parse parses a check:
//
//	status == 200
//	status in 2xx,304
//	response < 300ms
//	header content-type ~ json
//	body contains "ok"
//	json .items.# > 0
//	size < 100KB
//
// Operators are == != < <= > >= contains ~ (matches the regular expression) !~ and exists. A value
// may be quoted as in Go. The path after json is gjson's, with an optional leading dot.
func Parse(text string) (Check, error) {
	c := Check{text: strings.TrimSpace(text)}
	if strings.ContainsAny(c.text, "\r\n") {
		return Check{}, fmt.Errorf("%q: want one line", text)
	}
	if err := c.parse(); err != nil {
		return Check{}, fmt.Errorf("%q: %w", text, err)
	}
	return c, nil
}

func (c *Check) parse() (err error) {
	of, rest := word(c.text)
	c.of = of
	switch of {
	case ofStatus:
		c.fails, err = status(rest)
	case ofResponse:
		c.fails, err = response(rest)
	case ofHeader:
		c.needs.Head = true
		c.fails, err = header(rest)
	case ofBody:
		c.needs = Needs{Head: true, Body: MaxBody} // for the encoding
		c.fails, err = body(rest)
	case ofJSON:
		c.needs = Needs{Head: true, Body: MaxBody}
		c.fails, err = json(rest)
	case ofSize:
		c.fails, err = size(rest)
	default:
		err = fmt.Errorf("want status, response, header, body, json or size first, got %q", of)
	}
	return err
}

func word(text string) (first, rest string) {
	text = strings.TrimSpace(text)
	if quoted, err := strconv.QuotedPrefix(text); err == nil {
		first, _ = strconv.Unquote(quoted)
		return first, strings.TrimSpace(text[len(quoted):])
	}
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}

func value(text string) (v string, quoted bool, err error) {
	if text == "" {
		return "", false, fmt.Errorf("there is no value; \"\" is the empty value")
	}
	if c := text[0]; c != '"' && c != '`' && c != '\'' {
		return text, false, nil
	}
	if text[0] == '\'' { // as a shell has it
		if len(text) < 2 || strings.IndexByte(text[1:], '\'') != len(text)-2 {
			return "", false, fmt.Errorf("%s: the quotes do not match", text)
		}
		return text[1 : len(text)-1], true, nil
	}
	if v, err = strconv.Unquote(text); err != nil {
		return "", false, fmt.Errorf("%s: the quotes do not match", text)
	}
	return v, true, nil
}

func status(rest string) (func(*Answer) string, error) {
	op, text := word(rest)
	if op == "in" {
		return statusIn(text)
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 100 || number > 999 {
		return nil, fmt.Errorf("want a status from 100 to 999, got %q", text)
	}
	holds, err := compared[int64](op)
	if err != nil {
		return nil, err
	}
	return func(a *Answer) string {
		return unless(holds(int64(a.Status), int64(number)))
	}, nil
}

func statusIn(text string) (func(*Answer) string, error) {
	var statuses, classes []int
	for s := range strings.SplitSeq(text, ",") {
		s = strings.TrimSpace(s)
		digit, isClass := strings.CutSuffix(strings.ToLower(s), "xx")
		n, err := strconv.Atoi(digit)
		switch {
		case err == nil && isClass && n >= 1 && n <= 9:
			classes = append(classes, n)
		case err == nil && !isClass && n >= 100 && n <= 999:
			statuses = append(statuses, n)
		default:
			return nil, fmt.Errorf("want statuses and classes such as 2xx,304, got %q", s)
		}
	}
	return func(a *Answer) string {
		return unless(slices.Contains(statuses, a.Status) || slices.Contains(classes, a.Status/100))
	}, nil
}

func response(rest string) (func(*Answer) string, error) {
	op, text := word(rest)
	bound, err := time.ParseDuration(text)
	if err != nil || bound <= 0 {
		return nil, fmt.Errorf("want a time such as 300ms, got %q", text)
	}
	if op != "<" && op != "<=" {
		return nil, fmt.Errorf("want < or <=, got %q", op)
	}
	holds, err := compared[time.Duration](op)
	if err != nil {
		return nil, err
	}
	return func(a *Answer) string { return unless(holds(a.Response, bound)) }, nil
}

func size(rest string) (func(*Answer) string, error) {
	op, text := word(rest)
	most, err := bytesOf(text)
	if err != nil {
		return nil, err
	}
	holds, err := compared[int64](op)
	if err != nil {
		return nil, err
	}
	return func(a *Answer) string { return unless(holds(a.Size, most)) }, nil
}

func unless(holds bool) string {
	if holds {
		return ""
	}
	return untrue
}

var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"kB", 1e3}, {"B", 1},
}

// A Size is a number of bytes.
type Size int64

// ParseSize parses a size such as 100KB, 2MiB or 512.
func ParseSize(text string) (Size, error) {
	n, err := bytesOf(strings.TrimSpace(text))
	return Size(n), err
}

func (s Size) String() string {
	for _, u := range []struct {
		name  string
		shift int
	}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}} {
		if s > 0 && s%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d %s", s>>u.shift, u.name)
		}
	}
	return fmt.Sprintf("%d B", int64(s))
}

func bytesOf(text string) (int64, error) {
	number, unit := text, 1.0
	for _, u := range units {
		if before, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(before), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0) || n*unit > 1<<60 {
		return 0, fmt.Errorf("want a size such as 100KB, 2MiB or 512, got %q", text)
	}
	return int64(n * unit), nil
}
