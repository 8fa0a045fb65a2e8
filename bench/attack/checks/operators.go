package checks

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// compared is the operator that orders values.
func compared[T cmp.Ordered](op string) (func(a, b T) bool, error) {
	switch op {
	case "==":
		return func(a, b T) bool { return a == b }, nil
	case "!=":
		return func(a, b T) bool { return a != b }, nil
	case "<":
		return func(a, b T) bool { return a < b }, nil
	case "<=":
		return func(a, b T) bool { return a <= b }, nil
	case ">":
		return func(a, b T) bool { return a > b }, nil
	case ">=":
		return func(a, b T) bool { return a >= b }, nil
	}
	return nil, fmt.Errorf("want one of == != < <= > >=, got %q", op)
}

// textual is matching with the value that stands in rest.
func textual(op, rest string) (func([]byte) bool, error) {
	want, _, err := value(rest)
	if err != nil {
		return nil, err
	}
	return matching(op, want)
}

// matching is the operator on a text.
func matching(op, want string) (func([]byte) bool, error) {
	text := []byte(want)
	switch op {
	case "==":
		return func(b []byte) bool { return bytes.Equal(b, text) }, nil
	case "!=":
		return func(b []byte) bool { return !bytes.Equal(b, text) }, nil
	case "contains":
		return func(b []byte) bool { return bytes.Contains(b, text) }, nil
	case "~", "!~":
		re, err := regexp.Compile(want)
		if err != nil {
			return nil, err
		}
		return func(b []byte) bool { return re.Match(b) == (op == "~") }, nil
	}
	return nil, fmt.Errorf("want one of == != contains ~ !~, got %q", op)
}

func header(rest string) (func(*Answer) string, error) {
	name, rest := word(rest)
	if name == "" || strings.ContainsAny(name, ":\r\n \t") {
		return nil, fmt.Errorf("want the name of a header, got %q", name)
	}
	op, rest := word(rest)
	if op == "exists" && rest == "" {
		return func(a *Answer) string { return unless(a.has(name)) }, nil
	}
	holds, err := textual(op, rest)
	if err != nil {
		return nil, err
	}
	return func(a *Answer) string { return unless(holds([]byte(a.Value(name)))) }, nil
}

func body(rest string) (func(*Answer) string, error) {
	op, rest := word(rest)
	holds, err := textual(op, rest)
	if err != nil {
		return nil, err
	}
	positive := op == "contains" || op == "~"
	return func(a *Answer) string {
		text, cut, err := a.Text()
		found := err == nil && holds(text)
		switch {
		case err != nil:
			return err.Error()
		case cut && found != positive: // what was not seen may change it
			return errLong.Error()
		}
		return unless(found)
	}, nil
}

func json(rest string) (func(*Answer) string, error) {
	path, rest := word(rest)
	if path != "." {
		path = strings.TrimPrefix(path, ".")
	} else {
		path = "@this"
	}
	if path == "" {
		return nil, fmt.Errorf("want a path such as .items.#")
	}
	op, rest := word(rest)
	holds, err := onJSON(op, rest)
	if err != nil {
		return nil, err
	}
	return func(a *Answer) string {
		text, cut, err := a.Text()
		switch {
		case err != nil:
			return err.Error()
		case cut:
			return errLong.Error()
		case !gjson.ValidBytes(text):
			return "the body is not JSON"
		}
		return unless(holds(gjson.GetBytes(text, path)))
	}, nil
}

// onJSON is the operator on a value of JSON. Of one that is not there nothing is true, != and !~
// included: whoever names it wants it there.
func onJSON(op, rest string) (func(gjson.Result) bool, error) {
	if op == "exists" && rest == "" {
		return gjson.Result.Exists, nil
	}
	want, quoted, err := value(rest)
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseFloat(want, 64)
	isNumber := err == nil && !quoted
	switch op {
	case "<", "<=", ">", ">=":
		if !isNumber {
			return nil, fmt.Errorf("%s takes a number, got %q", op, want)
		}
	}
	if isNumber {
		if holds, err := compared[float64](op); err == nil {
			return func(r gjson.Result) bool {
				if r.Type != gjson.Number {
					return op == "!=" && r.Exists()
				}
				return holds(r.Num, number)
			}, nil
		}
	}
	holds, err := matching(op, want)
	if err != nil {
		return nil, fmt.Errorf("want one of == != < <= > >= contains ~ !~ exists, got %q", op)
	}
	return func(r gjson.Result) bool {
		switch {
		case !r.Exists():
			return false
		case quoted && r.Type != gjson.String && (op == "==" || op == "!="):
			return op == "!="
		case r.Type == gjson.Null:
			return holds([]byte("null"))
		}
		return holds([]byte(r.String()))
	}, nil
}
