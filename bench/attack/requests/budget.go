package requests

import (
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

const (
	maxActions = 256 << 10 // bytes between {{ and }} of a field
	maxSteps   = 10_000    // iterations of the loops of a field
	maxFilled  = 128 << 20 // bytes of a field, and of the texts its functions make
	// iterations over all rows of the data, checked before sending
	maxChecked = 5_000_000
)

var (
	errSteps       = fmt.Errorf("its loops run more than %d iterations", maxSteps)
	errTooMuchText = fmt.Errorf("it makes more than %d MiB of text", maxFilled>>20)
)

func checkActions(text string) error {
	size := 0
	for {
		_, behind, ok := strings.Cut(text, "{{")
		if !ok {
			return nil
		}
		inside, rest, _ := strings.Cut(behind, "}}")
		if size += len(inside) + len("{{}}"); size > maxActions {
			return fmt.Errorf("there are more than %d KiB between {{ and }}", maxActions>>10)
		}
		text = rest
	}
}

func (x *executor) step() (string, error) {
	if x.steps++; x.steps > maxSteps {
		return "", errSteps
	}
	return "", nil
}

func (x *executor) spend(n int) error {
	if x.made += n; x.made > maxFilled {
		return errTooMuchText
	}
	return nil
}

func (x *executor) text(made string) (string, error) { return made, x.spend(len(made)) }

// maxEscaped is the maximum growth factor of escaping.
const maxEscaped = 6

func (x *executor) spendArgs(args []any) error {
	n := 0
	for _, a := range args {
		n += maxEscaped * lengthOf(a)
	}
	if n > maxFilled-x.made {
		return errTooMuchText
	}
	return nil
}

func lengthOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case jsonValue:
		return len(v)
	case rawValue:
		return len(v)
	}
	return 32 // of a number
}

// wide matches a width or precision above 999, or one from an argument.
var wide = lazyregexp.New(`%[^a-zA-Z%]*(?:[0-9]{4}|\*)`)

func (x *executor) printf(format string, args ...any) (string, error) {
	if wide.MatchString(format) {
		return "", errors.New("printf: want widths up to 999")
	}
	longest := 0
	for _, a := range args {
		longest = max(longest, maxEscaped*lengthOf(a))
	}
	if strings.Count(format, "%")*(999+longest)+len(format) > maxFilled-x.made {
		return "", errTooMuchText
	}
	return x.text(fmt.Sprintf(format, args...))
}

func (x *executor) bounded(f func(...any) string) func(...any) (string, error) {
	return func(args ...any) (string, error) {
		if err := x.spendArgs(args); err != nil {
			return "", err
		}
		return x.text(f(args...))
	}
}

func (x *executor) texts(to template.FuncMap) {
	to[stepName], to["printf"] = x.step, x.printf
	for name, f := range map[string]func(...any) string{"print": fmt.Sprint,
		"println": fmt.Sprintln, "html": template.HTMLEscaper, "js": template.JSEscaper,
		"urlquery": template.URLQueryEscaper} {
		to[name] = x.bounded(f)
	}
}
