package terminal

import (
	"io"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

type painter struct{ to io.Writer }

// A group for each of verdictColours. A count of zero is not coloured.
var (
	verdictWords = lazyregexp.New(`\b(?:0 [a-z]+|(INVALID|worse)|(SUSPECT|inconclusive)|` +
		`(VALID|better|no worse|gate: pass))\b`)
	verdictColours = []string{"31", "33", "32"} // red, yellow, green
)

func (p painter) Write(text []byte) (int, error) {
	var out []byte
	end := 0
	for _, at := range verdictWords.FindAllSubmatchIndex(text, -1) {
		for group, colour := range verdictColours {
			if at[2+2*group] >= 0 {
				out = append(out, text[end:at[0]]...)
				out = append(out, "\x1b["+colour+"m"...)
				out = append(out, text[at[0]:at[1]]...)
				out = append(out, "\x1b[0m"...)
				end = at[1]
			}
		}
	}
	if _, err := p.to.Write(append(out, text[end:]...)); err != nil {
		return 0, err
	}
	return len(text), nil
}
