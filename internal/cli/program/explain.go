package program

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/cli/flags"
)

// Help longer than shortHelp lines is shortened: it drops paragraphs at the end of the text,
// examples after the third, and flags that are not common.
const (
	shortHelp     = 60
	shortExamples = 3
	helpWidth     = 80
)

func explain(w io.Writer, c *cobra.Command, all bool) error {
	whole := explanation(c, paragraphs(cmp.Or(c.Long, c.Short)), examples(c.Example), true)
	if all || len(whole) <= shortHelp {
		return writeLines(w, whole)
	}
	more := fmt.Sprintf("All flags, with their meanings: %s help %s --all", c.Root().Name(), c.Name())
	shown := examples(c.Example)
	shown = shown[:min(shortExamples, len(shown))]
	var short []string
	for text := paragraphs(c.Long); ; text = text[:len(text)-1] {
		short = append(explanation(c, text, shown, false), "", more)
		if len(short) <= shortHelp || len(text) == 1 {
			return writeLines(w, short)
		}
	}
}

func explanation(c *cobra.Command, text, examples []string, all bool) (lines []string) {
	for _, p := range text {
		lines = append(lines, strings.Split(p, "\n")...)
		lines = append(lines, "")
	}
	lines = append(lines, "Usage:", "  "+c.UseLine())
	if len(examples) > 0 {
		lines = append(lines, "", "Examples:")
		for _, e := range examples {
			lines = append(lines, strings.Split(e, "\n")...)
		}
	}
	common, further := flags.Common(c)
	if common.HasFlags() {
		lines = append(lines, listed("Common flags", common)...)
		if all {
			lines = append(lines, listed("Further flags", further)...)
		}
		return lines
	}
	return append(lines, listed("Flags", further)...)
}

func listed(title string, set *pflag.FlagSet) []string {
	usages := strings.TrimRight(set.FlagUsagesWrapped(helpWidth), "\n")
	return append([]string{"", title + ":"}, strings.Split(usages, "\n")...)
}

func paragraphs(text string) []string { return strings.Split(strings.TrimSpace(text), "\n\n") }

// Each command of a text includes its continuation lines.
func examples(text string) (all []string) {
	continued := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if continued {
			all[len(all)-1] += "\n" + line
		} else if line != "" {
			all = append(all, line)
		}
		continued = strings.HasSuffix(line, `\`)
	}
	return all
}

func writeLines(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
