package requests

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

// The parser needs up to 8 KiB of stack for each level of nesting.
const (
	maxCommands = 200_000
	maxBare     = 64 << 10 // bytes of a command outside single quotes
	maxStray    = 4 << 10  // bytes of a line that is not a curl command
)

var errPlain = errors.New("want a plain command: curl, its options and a URL")

// check rejects nesting before the script is parsed. Errors name the line. Text after the first
// line that is not a curl command is cut off, because the parser reports that line.
func check(text []byte) (checked []byte, err error) {
	var (
		quote    byte // the open quote; 0: none
		line     = 1
		begins   = true // at the beginning of a line that is not a continuation
		bare     = 0    // bytes of the command
		commands = 0
	)
	wrong := func(err error) ([]byte, error) { return nil, fmt.Errorf("line %d: %w", line, err) }
	for i := 0; i < len(text); i++ {
		c := text[i]
		if begins && quote == 0 && c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			begins, bare = false, 0
			switch {
			case c == '#':
				for i < len(text) && text[i] != '\n' {
					i++
				}
				i--
				begins = true
				continue
			case !bytes.HasPrefix(text[i:], []byte("curl")):
				one, _, _ := bytes.Cut(text[i:], []byte("\n"))
				return text[:i+min(len(one), maxStray)], nil
			}
			if commands++; commands > maxCommands {
				return wrong(fmt.Errorf("want at most %d commands", maxCommands))
			}
		}
		switch {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
		case quote == '$': // $'…', which has escapes
			if c == '\'' {
				quote = 0
			}
			if c == '\\' {
				i++
			}
		case c == '\\':
			i++ // also a line end
			if i < len(text) && text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
		case c == '"' && quote == '"':
			quote = 0
		case c == '$' && plainVariable.Match(text[i:min(len(text), i+maxName)]):
		case c == '`', c == '$' && i+1 < len(text) && strings.IndexByte("({[", text[i+1]) >= 0:
			return wrong(errFilled)
		case quote != 0:
			bare++
		case c == '\'' && i > 0 && text[i-1] == '$':
			quote = '$'
		case c == '\'', c == '"':
			quote = c
		case c == '(' && i > 0 && (text[i-1] == '<' || text[i-1] == '>'):
			return wrong(errFilled)
		case c == '(' || c == ')':
			return wrong(errPlain)
		case c == '#' && (text[i-1] == ' ' || text[i-1] == '\t'): // to the end of the line
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '\n':
			begins = true
		default:
			bare++
		}
		if bare > maxBare {
			return wrong(fmt.Errorf("a command has more than %d KiB outside single quotes",
				maxBare>>10))
		}
		if i < len(text) && text[i] == '\n' {
			line++
		}
	}
	return text, nil
}

var plainVariable = lazyregexp.New(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

const maxName = 256
