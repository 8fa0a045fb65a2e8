package traces

import (
	"errors"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

// A logField is a variable and the text around it, such as the rt= of rt=$request_time.
type logField struct{ name, before, after string }

var (
	// variable is nginx's $name or ${name}, or Apache's %D, %>s or %{ms}T
	variable = lazyregexp.New(`\$\{?([a-zA-Z0-9_]+)\}?|%[!<>0-9,]*(\{[^}]*\})?\^?([a-zA-Z]+)`)
	// of durations that are not in seconds
	variableUnits = map[string]time.Duration{"%D": time.Microsecond, "%{us}T": time.Microsecond,
		"%{ms}T": time.Millisecond}
)

// unblank decodes a layout from a parameter, which contains no blanks.
var unblank = strings.NewReplacer("~", " ", `\"`, `"`)

// Layout encodes a log's format as a parameter.
func Layout(format string) string { return strings.ReplaceAll(format, " ", "~") }

func parseLayout(format string) (fields []logField, err error) {
	lines, some := layout{kind: accessLog}, false
	rest, more := []byte(unblank.Replace(format)), true
	for more {
		var text []byte
		if text, rest, more, err = lines.cut(rest); err != nil {
			return nil, err
		}
		f := logField{before: string(text)}
		if at := variable.FindSubmatchIndex(text); at != nil {
			part := func(i int) string {
				if at[2*i] < 0 {
					return ""
				}
				return string(text[at[2*i]:at[2*i+1]])
			}
			if f.name = part(1); f.name == "" {
				f.name = "%" + part(2) + part(3)
			}
			f.before, f.after, some = string(text[:at[0]]), string(text[at[1]:]), true
		}
		fields = append(fields, f)
	}
	if !some {
		return nil, errors.New("want a format such as '$msec $request_time' or '%t %D'")
	}
	return fields, nil
}

func (f logField) value(text []byte) []byte {
	if len(text) < len(f.before)+len(f.after) || string(text[:len(f.before)]) != f.before ||
		string(text[len(text)-len(f.after):]) != f.after {
		return text // invalid, and reported later
	}
	return text[len(f.before) : len(text)-len(f.after)]
}
