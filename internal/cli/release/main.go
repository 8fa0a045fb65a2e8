// Command release writes manual pages and completion scripts of poolbench and benchgate, from the
// texts of --help:
//
//	go run ./internal/cli/release bin/release
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/ci"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: release DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func programs() []*cobra.Command {
	none := strings.NewReader("")
	gate := terminal.New(io.Discard, io.Discard)
	gate.Program = "benchgate"
	return []*cobra.Command{
		cli.Root(execute.NewHost(terminal.New(io.Discard, io.Discard)), none),
		ci.Root(gate, none),
	}
}

func write(dir string) error {
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	for _, root := range programs() {
		root.DisableAutoGenTag = true // a date would make two builds of one commit differ
		verbatim(root)
		for _, c := range root.Commands() {
			verbatim(c)
		}
		header := &doc.GenManHeader{Section: "1", Source: root.Name()}
		if err := doc.GenManTree(root, header, man); err != nil {
			return err
		}
		script := filepath.Join(completions, root.Name())
		for _, err := range []error{
			root.GenBashCompletionFileV2(script+".bash", true),
			root.GenZshCompletionFile(script + ".zsh"),
			root.GenFishCompletionFile(script+".fish", true),
		} {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// verbatim marks the text as preformatted, because it is laid out for 80 columns, and the generator
// of manual pages reads Markdown.
func verbatim(c *cobra.Command) {
	var marked strings.Builder
	for line := range strings.Lines(c.Long) {
		if line != "\n" {
			marked.WriteString("    ")
		}
		marked.WriteString(line)
	}
	c.Long = marked.String()
}
