package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/poolbench/poolbench/internal/text"
)

// A Printer prints what one call of the command has to say.
type Printer struct {
	Program string    // its name begins each complaint
	Stdout  io.Writer // with a memory: see output
	Stderr  io.Writer
	screen  *os.File // stdout, where it is a terminal
}

// New returns a Printer that escapes control characters: names in its output are foreign.
func New(stdout, stderr io.Writer) *Printer {
	p := &Printer{Program: "poolbench", Stderr: text.NewPlainWriter(stderr)}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.screen = f
		if os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
			stdout = painter{f}
		}
	}
	p.Stdout = &output{to: text.NewPlainWriter(stdout)}
	return p
}

// Table prints one, folded where it is too wide.
func (p *Printer) Table(rows [][]string) error {
	return text.WriteTable(p.Stdout, rows, p.Columns())
}

// List prints rows of which the last column may be long.
func (p *Printer) List(rows [][]string) error {
	return text.WriteList(p.Stdout, rows, p.Columns())
}

// Say prints a paragraph of lines of at most so many characters, or of what the reader has.
func (p *Printer) Say(first, s string, most int) {
	if n := p.Columns(); n > 0 {
		most = min(most, n)
	}
	fmt.Fprintln(p.Stdout, text.Wrapped(first, s, most))
}

// Prose prints lines of text, each of which is broken where it is wider than the reader has.
func (p *Printer) Prose(format string, args ...any) error {
	_, err := io.WriteString(p.Stdout, text.Fit(fmt.Sprintf(format, args...), p.Columns()))
	return err
}

// JSON prints one document.
func (p *Printer) JSON(document any) error { return text.WriteJSON(p.Stdout, document) }

// Warn prints what a reader should know of results that are there.
func (p *Printer) Warn(lines []string) {
	for _, line := range lines {
		line = p.Program + ": warning: " + line
		if most := p.Columns(); most > 0 {
			line = text.Wrapped("", line, most)
		}
		fmt.Fprintln(p.Stderr, line)
	}
}

// MostLines is how many lines of one error are printed: who has made that many mistakes has
// made one of them often.
const MostLines = 20

// Complain writes an error to stderr, where there is one, a line for each line of it. An error of
// stderr itself has nobody left to be told.
func (p *Printer) Complain(err error) {
	if err == nil {
		return
	}
	// of several strategies each may complain of the same
	lines := text.Distinct(strings.Split(err.Error(), "\n"))
	if left := len(lines) - MostLines; left > 1 {
		lines = append(lines[:MostLines], fmt.Sprintf("and %d more", left))
	}
	for _, line := range lines {
		fmt.Fprintf(p.Stderr, "%s: %s\n", p.Program, line)
	}
}

// Exit says what is wrong, every complaint on a line of its own, and returns the exit code.
func (p *Printer) Exit(err error) int {
	code := Fine
	switch said, is := errors.AsType[ExitCode](err); {
	case is:
		code = said
	case err != nil && !errors.Is(err, ErrStdout):
		p.Complain(err)
		code = Unusable
	}
	if out, ok := p.Stdout.(*output); ok && out.err != nil {
		p.Complain(out.err)
		code = Severest(code, Unusable)
	}
	return int(code)
}
