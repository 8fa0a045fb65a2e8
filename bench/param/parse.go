package param

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/text"
)

// A NameError reports a name that is not in lower_snake.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("want a name in lower_snake, as in worker_pool or hyperexp:mean=10ms,c2=16, "+
		"got %q", e.Name)
}

// Parse parses name or name:key=value,key=value without knowledge of the variant. Names joined by +
// are compositions.
func Parse(s string) (Call, error) {
	name, rest, _ := strings.Cut(s, ":")
	for one := range strings.SplitSeq(name, "+") {
		if text.IsLowerSnake(one) {
			continue
		}
		if strings.Contains(name, ",") {
			return Call{}, fmt.Errorf("want name:key=value,key=value, got the list %q before the "+
				"colon: a variant with parameters stands alone", name)
		}
		return Call{}, &NameError{name}
	}
	call := Call{Name: name}
	if rest == "" {
		return call, nil
	}
	for i, part := range dist.SplitTop(rest) {
		key, value, ok := strings.Cut(part, "=")
		if variant, _, _ := strings.Cut(part, ":"); i > 0 && text.IsLowerSnake(variant) &&
			(variant != part || !ok) {
			return Call{}, fmt.Errorf("%s: want key=value, got %q: a variant with parameters "+
				"stands alone, so give the flag again for the next", name, part)
		}
		if !ok || !isKey(key) {
			return Call{}, fmt.Errorf("%s: want key=value, got %q", name, part)
		}
		if err := checkValue(key, value); err != nil {
			return Call{}, fmt.Errorf("%s: %w", name, err)
		}
		call.Args = append(call.Args, Arg{key, value})
	}
	return call, nil
}

// ParseList parses a comma-separated list of variants. Items of the form key=value belong to the
// preceding variant with parameters.
func ParseList(s string) ([]Call, error) {
	var texts []string
	for _, part := range dist.SplitTop(s) {
		last := len(texts) - 1
		if key, _, ok := strings.Cut(part, "="); ok && isKey(key) && last >= 0 &&
			strings.Contains(texts[last], ":") {
			texts[last] += "," + part
		} else {
			texts = append(texts, part)
		}
	}
	return parseEach(texts, Parse)
}

func (c Call) String() string {
	if len(c.Args) == 0 {
		return c.Name
	}
	parts := make([]string, len(c.Args))
	for i, a := range c.Args {
		parts[i] = a.Key + "=" + a.Value
	}
	return c.Name + ":" + strings.Join(parts, ",")
}

func checkValue(key, value string) error {
	if value == "" {
		return fmt.Errorf("%s: the value is empty", key)
	}
	depth := 0
	for _, r := range value {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			return fmt.Errorf("%s: a comma outside parentheses in %q", key, value)
		case unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return fmt.Errorf("%s: white space or an unprintable character in %q", key, value)
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		return fmt.Errorf("%s: unbalanced parentheses in %q", key, value)
	}
	return nil
}

func isKey(s string) bool { return text.IsLowerSnake(s) && !strings.Contains(s, "_") }
