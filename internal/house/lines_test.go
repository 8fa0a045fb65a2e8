package house_test

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest are the columns of a line of Go, a tab being four; terminal are those of a help text.
const widest, terminal = 100, 80

// TestLines: sentences and code fit a window, help fits a terminal.
func TestLines(t *testing.T) {
	eachFile(t, ".go", func(path string, text []byte) {
		for _, complaint := range tooWide(text) {
			t.Errorf("%s:%s", path, complaint)
		}
	})
	eachFile(t, ".txt", func(path string, text []byte) {
		if filepath.Base(filepath.Dir(path)) != "help" {
			return
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > terminal {
				t.Errorf("%s:%d: %d columns, want at most %d", path, i+1, n, terminal)
			}
		}
	})
}

// eachFile hands on the files of the module with that ending, but for those of tests' data and Go
// that is generated, whose source counts.
func eachFile(t *testing.T, ending string, do func(path string, text []byte)) {
	t.Helper()
	lookAround(t)
	for _, p := range packages(t) {
		for _, in := range []string{p.Dir, filepath.Join(p.Dir, "help")} {
			paths, err := filepath.Glob(filepath.Join(in, "*"+ending))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.HasPrefix(text, []byte("// Code generated ")) {
					do(path, text)
				}
			}
		}
	}
}

// layout begins what a comment shows as it is: code, a table, a list's further lines.
var layout = regexp.MustCompile(`^//(\t|  +)`)

// tooWide names the lines of a Go file that are too wide. What a string says is not broken, so its
// inside does not count; nor does a comment that shows what something looks like, or its output.
func tooWide(text []byte) (complaints []string) {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	uncounted := map[int]int{} // by line, the columns that do not count
	output := false
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		first := file.Line(pos)
		switch {
		case tok == token.COMMENT:
			output = strings.HasPrefix(literal, "// Output:") || output &&
				strings.HasPrefix(literal, "//")
			if output || layout.MatchString(literal) || strings.HasPrefix(literal, "//go:") {
				uncounted[first] += columns(literal)
			}
		case tok == token.STRING:
			output = false
			for i, line := range strings.Split(literal, "\n") {
				uncounted[first+i] += columns(line)
			}
		default:
			output = false
		}
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if n := columns(string(line)); n > widest && n-uncounted[i+1] > slack {
			complaints = append(complaints,
				fmt.Sprintf("%d: %d columns, want at most %d", i+1, n, widest))
		}
	}
	return complaints
}

// slack is how much may stand around strings on a line that they make too wide: a row of a table.
const slack = 70

func columns(line string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
}

// TestTooWideTest: the check finds what it is there for.
func TestTooWideTest(t *testing.T) {
	long := strings.Repeat("word ", 20)
	for source, want := range map[string]int{
		"package p\n\n// " + long + "\nvar a int\n":                1,
		"package p\n\n//\t" + long + "\nvar a int\n":               0,
		"package p\n\nvar a = \"" + long + "\"\n":                  0,
		"package p\n\nvar a = `\n" + long + "\n`\n":                0,
		"package p\n\nvar a = " + strings.Repeat("1 + ", 25) + "1": 1,
	} {
		if got := tooWide([]byte(source)); len(got) != want {
			t.Errorf("%q: %q, want %d", source, got, want)
		}
	}
}
