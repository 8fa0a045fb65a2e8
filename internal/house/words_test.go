package house_test

import (
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"
)

// private are words for what the field has a word for: class pool, outcome, burst, package.
var private = regexp.MustCompile(`(?i)\b(lanes?|fates?|waves?|rooms)\b`)

// A place of a limit is a slot, wherever limits are spoken of; elsewhere things have their place.
var (
	place    = regexp.MustCompile(`(?i)\bplaces?\b`)
	ofLimits = regexp.MustCompile(`^(bench|strategies|workloads|targets|internal/studies|` +
		`internal/statistics/theory|internal/studies/evidence)/`)
	// what everybody means by it
	location = regexp.MustCompile(`(?i)\bin[ _]place\b|\b(in|takes?|took|taken|taking) ` +
		`((the|its|their|his|my) )?place\b|\bplace in the order\b`)
)

// TestWords: comments and texts have the words of the field.
func TestWords(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	eachFile(t, ".go", func(path string, text []byte) {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		if name == "internal/house/words_test.go" {
			return
		}
		set := token.NewFileSet()
		file := set.AddFile(name, -1, len(text))
		var s scanner.Scanner
		s.Init(file, text, nil, scanner.ScanComments)
		for {
			pos, tok, literal := s.Scan()
			if tok == token.EOF {
				return
			}
			if tok == token.COMMENT || tok == token.STRING {
				if found := privateWords(name, literal); found != nil {
					t.Errorf("%v: %q: say slot, class pool, outcome, burst or package",
						set.Position(pos), found)
				}
			}
		}
	})
	eachFile(t, ".txt", func(path string, text []byte) {
		if found := privateWords("bench/", string(text)); found != nil {
			t.Errorf("%s: %q", path, found)
		}
	})
}

// privateWords are those that a text of that file should not have.
func privateWords(name, text string) []string {
	found := private.FindAllString(text, -1)
	if ofLimits.MatchString(name) {
		found = append(found, place.FindAllString(location.ReplaceAllString(text, ""), -1)...)
	}
	return found
}

// TestPrivateWordsTest: the check finds what it is there for.
func TestPrivateWordsTest(t *testing.T) {
	for text, want := range map[string]int{
		"// a free place in the lane": 2, `"the fate of a wave"`: 2, "// the rooms": 1,
		"// no room; retry_in_place takes place, in its place": 0, "// replaced, planes": 0,
	} {
		if got := privateWords("strategies/serial.go", text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
	if got := privateWords("reports/charts/plane.go", "// a place of a plane"); got != nil {
		t.Errorf("%q", got)
	}
}
