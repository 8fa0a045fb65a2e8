package options

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
)

var (
	// outputFlags change where and how results are measured and written, not the results.
	outputFlags = []string{flags.OutFlag, "force", "append", "resume", "format", "quiet", "junit",
		"live", "any-address", "progress-json", "why", "vegeta", "dead-letters", "workers"}
	// privateFlags have values that may contain a secret anywhere.
	privateFlags = []string{"body", "dsn", "nats"}
	// namedFlags have the form NAME=VALUE or 'NAME: VALUE', and the value may be a secret.
	namedFlags = []string{"header", "form", "server"}
)

const maxCommandLine = 4000

// CommandLine returns a command that repeats the results of these arguments, with … for each
// secret. It omits flags for outputs. Without a known command it returns "".
func CommandLine(program string, root *cobra.Command, args []string) string {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		return ""
	}
	words := []string{program, cmd.DisplayName()}
	var shown []string // parameters of the query whose values are shown
	var given []string
	fs := cmd.Flags()
	err = fs.ParseAll(rest, func(flag *pflag.Flag, value string) error {
		if flag.Name == "show-query" {
			shown = append(shown, value)
		}
		if !slices.Contains(outputFlags, flag.Name) {
			given = append(given, flagWords(flag, value)...)
		}
		return nil
	})
	if err != nil {
		return ""
	}
	for _, operand := range fs.Args() {
		words = append(words, shell.Quote(text.OneLine(text.DiscreetURL(operand, shown...))))
	}
	line := strings.Join(append(words, given...), " ")
	if len(line) > maxCommandLine {
		line = strings.ToValidUTF8(line[:maxCommandLine], "") + "…"
	}
	return line
}

func flagWords(flag *pflag.Flag, value string) []string {
	name := "--" + flag.Name
	if flag.Value.Type() == "bool" {
		if value == "true" {
			return []string{name}
		}
		return []string{name + "=" + shell.Quote(value)}
	}
	switch {
	case slices.Contains(privateFlags, flag.Name):
		value = secret
	case slices.Contains(namedFlags, flag.Name):
		value = nameOf(value) + secret
	default:
		value = text.DiscreetText(text.OneLine(value))
	}
	if flag.NoOptDefVal != "" {
		return []string{name + "=" + shell.Quote(value)}
	}
	return []string{name, shell.Quote(value)}
}

const secret = "…"

// nameOf returns "NAME=" or "NAME: ", or "" if there is no plain name.
func nameOf(value string) string {
	i := strings.IndexAny(value, "=:")
	if i < 1 || !plainName.MatchString(value[:i]) {
		return ""
	}
	if value[i] == ':' {
		return value[:i] + ": "
	}
	return value[:i] + "="
}

var plainName = lazyregexp.New(`^[\w-]+$`)
