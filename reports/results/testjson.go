package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

// testEvents joins the lines that go test -json splits: a result line has an event for the name,
// and later one for the rest.
type testEvents struct {
	pending map[string]string // beginning of a line by package
	lines   []string          // complete lines not yet read
	open    []string          // packages without an end
	spoke   []string          // packages in the order of their first line
}

// No other line of benchmark output begins with a brace.
var testEvent = lazyregexp.New(`^\s*\{\s*"(.*")?Action"\s*:\s*"`)

func (e *testEvents) add(line []byte) error {
	var event struct{ Action, Package, Test, Output string }
	if err := json.Unmarshal(line, &event); err != nil {
		return errors.New("the line is not a complete event of go test -json")
	}
	switch event.Action {
	case "start":
		e.open = append(e.open, event.Package)
	case "pass", "fail", "skip":
		if event.Test == "" {
			e.open = slices.DeleteFunc(e.open, func(p string) bool { return p == event.Package })
			e.end(event.Package)
		}
	case "output":
		e.output(event.Package, event.Output)
	}
	return nil
}

func (e *testEvents) output(pkg, text string) {
	if e.pending == nil {
		e.pending = make(map[string]string)
	}
	text = e.pending[pkg] + text
	whole := strings.LastIndexByte(text, '\n') + 1
	for line := range strings.Lines(text[:whole]) {
		e.emit(pkg, line)
	}
	e.pending[pkg] = text[whole:]
}

// If events of two packages are mixed, emit adds a configuration line at each change.
func (e *testEvents) emit(pkg, line string) {
	if n := len(e.spoke); n == 0 || e.spoke[n-1] != pkg {
		if at := slices.Index(e.spoke, pkg); at >= 0 {
			e.lines = append(e.lines, "pkg: "+pkg+"\n")
			e.spoke = slices.Delete(e.spoke, at, at+1)
		}
		e.spoke = append(e.spoke, pkg)
	}
	e.lines = append(e.lines, line)
}

func (e *testEvents) end(pkg string) {
	if rest := e.pending[pkg]; rest != "" {
		e.emit(pkg, rest+"\n")
	}
	delete(e.pending, pkg)
}

func (e *testEvents) next() (line []byte, ok bool) {
	if len(e.lines) == 0 {
		return nil, false
	}
	line, e.lines = []byte(e.lines[0]), e.lines[1:]
	return line, true
}

func (e *testEvents) cut() string {
	if len(e.open) == 0 {
		return ""
	}
	return fmt.Sprintf("the events of go test -json contain no end of %s",
		strings.Join(e.open, ", "))
}
