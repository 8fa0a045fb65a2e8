package cli

import (
	"embed"
	"strings"
)

// What each command says of itself is a file of help/, in lines of at most 80 columns: the text,
// and after a line "Examples:" what can be pasted.
//
//go:embed help/*.txt
var helpFiles embed.FS

// helpText returns a command's text and its examples; nothing for one that has no file: hidden
// commands, and those that a line explains.
func helpText(command string) (text, examples string) {
	file, err := helpFiles.ReadFile("help/" + command + ".txt")
	if err != nil {
		return "", ""
	}
	text, examples, _ = strings.Cut(string(file), "\nExamples:\n")
	return strings.TrimRight(text, "\n"), strings.TrimRight(examples, "\n")
}
