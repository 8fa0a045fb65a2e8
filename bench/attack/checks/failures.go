package checks

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/text"
)

// MaxBodies is the number of bodies kept per kind of failure.
const (
	MaxBodies = 3
	maxShown  = 2 << 10
	maxKinds  = 16
)

// ForFailures is how much of a body to keep for Failures: more than shown, so that no part of a
// secret remains at the cut.
const ForFailures = 8 << 10

// A Failure is a kind of failed answers, with the first of them.
type Failure struct {
	What   string `json:"what"` // as in Report.Errors of package attack, or a status
	Bodies []Body `json:"bodies"`
}

// A Body is the beginning of an answer's body, with secrets masked and invalid characters escaped.
type Body struct {
	Seq    uint64 `json:"seq"` // of the request
	Status int    `json:"status"`
	Type   string `json:"type,omitempty"` // Content-Type
	Text   string `json:"text"`
	Cut    bool   `json:"cut,omitempty"` // incomplete
}

// Failures are the first failed answers of each kind.
type Failures []Failure

// Collect adds the answer to request seq if it is one of the first. masked masks secrets.
func (f *Failures) Collect(
	what string, seq uint64, a *Answer, masked func(text string, cut bool) string,
) {
	if at := f.index(what); at >= 0 && len((*f)[at].Bodies) == MaxBodies ||
		at < 0 && len(*f) == maxKinds {
		return
	}
	shown, cut := a.shown()
	shown = text.Plain(masked(shown, cut))
	if end := maxShown; len(shown) > end {
		for !utf8.RuneStart(shown[end]) {
			end--
		}
		shown, cut = shown[:end], true
	}
	f.add(what, Body{Seq: seq, Status: a.Status,
		Type: text.Plain(masked(a.Value("Content-Type"), false)), Text: shown, Cut: cut})
}

// Add appends more.
func (f *Failures) Add(more Failures) {
	for _, failure := range more {
		for _, b := range failure.Bodies {
			f.add(failure.What, b)
		}
	}
}

func (f *Failures) add(what string, b Body) {
	at := f.index(what)
	if at < 0 && len(*f) < maxKinds {
		at = len(*f)
		*f = append(*f, Failure{What: what})
	}
	if at >= 0 && len((*f)[at].Bodies) < MaxBodies {
		(*f)[at].Bodies = append((*f)[at].Bodies, b)
	}
}

func (f *Failures) index(what string) int {
	return slices.IndexFunc(*f, func(o Failure) bool { return o.What == what })
}

func (a *Answer) shown() (text string, cut bool) {
	b, cut, err := a.Text()
	if err != nil {
		b, cut = a.Body, a.Cut
	}
	if a.Message != "" {
		b, cut = []byte(a.Message), false
	}
	if len(b) > ForFailures {
		b, cut = b[:ForFailures], true
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n"), cut
}
