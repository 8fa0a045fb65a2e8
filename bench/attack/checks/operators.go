package checks

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

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

func textual(op, rest string) (holding, error) {
	want, _, err := value(rest)
	if err != nil {
		return nil, err
	}
	return matching(op, want)
}

type holding func(a *Answer, text []byte) bool

func matching(op, want string) (holding, error) {
	text := []byte(want)
	switch op {
	case "==":
		return func(_ *Answer, b []byte) bool { return bytes.Equal(b, text) }, nil
	case "!=":
		return func(_ *Answer, b []byte) bool { return !bytes.Equal(b, text) }, nil
	case "contains":
		return func(_ *Answer, b []byte) bool { return bytes.Contains(b, text) }, nil
	case "~", "!~":
		e, err := CompileExpression(want)
		if err != nil {
			return nil, err
		}
		return func(a *Answer, b []byte) bool { return e.matches(a, b) == (op == "~") }, nil
	}
	return nil, fmt.Errorf("want one of == != contains ~ !~, got %q", op)
}

var (
	errPath     = errors.New("want a path such as .items.#")
	errLongPath = fmt.Errorf("want a path of at most %d bytes", maxPath)
)

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
	return func(a *Answer) string { return unless(holds(a, []byte(a.Value(name)))) }, nil
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
		found := err == nil && holds(a, text)
		switch {
		case err != nil:
			return err.Error()
		case cut && found != positive: // the missing part may change the result
			return a.tooLong()
		}
		return unless(found)
	}, nil
}

func json(rest string) (func(*Answer) string, error) {
	path, rest := word(rest)
	path, err := JSONPath(path)
	if err != nil {
		return nil, err
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
			return a.tooLong()
		case !gjson.ValidBytes(text):
			return "the body is not JSON"
		}
		return unless(holds(a, gjson.GetBytes(text, path)))
	}, nil
}

// For a missing value every operator is false, also != and !~.
func onJSON(op, rest string) (func(*Answer, gjson.Result) bool, error) {
	if op == "exists" && rest == "" {
		return func(_ *Answer, r gjson.Result) bool { return r.Exists() }, nil
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
			return nil, fmt.Errorf("%s needs a number, got %q", op, want)
		}
	}
	if isNumber {
		if holds, err := compared[float64](op); err == nil {
			return func(_ *Answer, r gjson.Result) bool {
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
	return func(a *Answer, r gjson.Result) bool {
		switch {
		case !r.Exists():
			return false
		case quoted && r.Type != gjson.String && (op == "==" || op == "!="):
			return op == "!="
		case r.Type == gjson.Null:
			return holds(a, []byte("null"))
		}
		return holds(a, []byte(r.String()))
	}, nil
}
