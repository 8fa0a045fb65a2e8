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

type Printer struct {
	Program string    // prefix of each error message
	Stdout  io.Writer // an output, which keeps its first error
	Stderr  io.Writer
	screen  *os.File // stdout if it is a terminal
}

// New escapes control characters, because names in the output are untrusted.
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

func (p *Printer) Table(rows [][]string) error {
	return text.WriteTable(p.Stdout, rows, p.Columns())
}

func (p *Printer) List(rows [][]string) error {
	return text.WriteList(p.Stdout, rows, p.Columns())
}

func (p *Printer) Paragraph(first, s string, most int) {
	if n := p.Columns(); n > 0 {
		most = min(most, n)
	}
	fmt.Fprintln(p.Stdout, text.Wrapped(first, s, most))
}

func (p *Printer) Prose(format string, args ...any) error {
	_, err := io.WriteString(p.Stdout, text.Fit(fmt.Sprintf(format, args...), p.Columns()))
	return err
}

func (p *Printer) JSON(document any) error { return text.WriteJSON(p.Stdout, document) }

func (p *Printer) Warn(lines []string) {
	for _, line := range lines {
		line = p.Program + ": warning: " + line
		if most := p.Columns(); most > 0 {
			line = text.Wrapped("", line, most)
		}
		fmt.Fprintln(p.Stderr, line)
	}
}

const MaxLines = 20

func (p *Printer) Complain(err error) {
	if err == nil {
		return
	}
	// Several strategies may report the same error.
	lines := text.Distinct(strings.Split(err.Error(), "\n"))
	if left := len(lines) - MaxLines; left > 1 {
		lines = append(lines[:MaxLines], fmt.Sprintf("and %d more", left))
	}
	for _, line := range lines {
		fmt.Fprintf(p.Stderr, "%s: %s\n", p.Program, line)
	}
}

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
