package text

import (
	"fmt"
	"slices"
	"strings"
)

// Equal messages have equal numbers.
type Footnotes struct{ messages []string }

// Mark returns the numbers of the messages as superscripts.
func (f *Footnotes) Mark(messages ...string) string {
	var marks []string
	for _, m := range messages {
		at := slices.Index(f.messages, m)
		if at < 0 {
			at, f.messages = len(f.messages), append(f.messages, m)
		}
		marks = append(marks, superscript(at+1))
	}
	return strings.Join(marks, " ")
}

func (f *Footnotes) Lines() []string {
	lines := make([]string, len(f.messages))
	for i, m := range f.messages {
		lines[i] = superscript(i+1) + " " + m
	}
	return lines
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵",
	"6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

func superscript(n int) string { return superscripts.Replace(fmt.Sprint(n)) }
