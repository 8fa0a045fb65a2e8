package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/strategies"
)

func (a *app) attackCommand() *cobra.Command {
	var o options.AttackOptions
	cmd := &cobra.Command{
		Use:   "attack URL [flags]",
		Short: "open-loop HTTP load, through a strategy or not",
		Args: o.File.ReadBefore(nil, func(cmd *cobra.Command, args []string) error {
			for _, instead := range []string{"targets", "curl", "session"} {
				if len(args) == 0 && cmd.Flags().Changed(instead) {
					return nil
				}
			}
			return flags.Operands("URL")(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runAttack(cmd, o.File.Operands(args), o)
		},
	}
	options.AddAttackFlags(cmd, &o)
	flags.MarkCommon(cmd, "rate", "clients", "duration", "n", "method", "header", "body",
		"session", "check", "objective", "timeout", "strategy", "limit", "count", "out")
	return cmd
}

func (a *app) runAttack(cmd *cobra.Command, args []string, o options.AttackOptions) (err error) {
	if _, err := o.Mode(); err != nil {
		return err
	}
	if err := o.CheckResume(); err != nil {
		return err
	}
	options.UntilDone(cmd, &o.Attack)
	if err := o.Read(a.stdin, cmd, args); err != nil {
		return err
	}
	attacks, err := o.Attacks()
	if err != nil {
		return err
	}
	if o.LettersFile.Path != "" && !o.DryRun {
		file, err := strategies.OpenDeadLetterFile(o.LettersFile.Path)
		if err != nil {
			return o.LettersFile.Named(err)
		}
		defer file.Close() // Add has reported any error of a write
		for i := range attacks {
			attacks[i].DeadLetters = file
		}
	}
	if o.VegetaFile.Path != "" && !o.DryRun {
		if len(attacks)*o.Count > 1 {
			return errors.New("--vegeta: a file contains a single attack: want one strategy, one " +
				"rate and no --count")
		}
		f, wrong := o.VegetaFile.Open(os.O_EXCL, 0o666)
		if wrong != nil {
			return wrong
		}
		file := &buffered{Writer: bufio.NewWriterSize(f, 64<<10), file: f, of: o.VegetaFile}
		attacks[0].Vegeta = file
		defer func() {
			if e := file.Close(); e != nil && !errors.Is(err, terminal.Interrupted) {
				a.Complain(e)
				err = terminal.Unusable
			}
		}()
	}
	// net/http logs errors of hostile servers to the standard logger, and a client cannot have
	// another logger.
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	newLoad, end, err := show.LoadsOf(cmd.Context(), a.Host, o)
	if err != nil {
		return err
	}
	defer end()
	var all []show.Load
	for _, k := range attacks {
		l := newLoad(k)
		if len(o.Rates) > 1 {
			l.Row += fmt.Sprintf(", %v /s", k.Rate)
		}
		all = append(all, l)
	}
	what := o.Show(o.Requests[0].URL)
	if strings.HasPrefix(what, "http") { // other protocols have no HTTP methods
		what = o.Requests[0].Method + " " + what
	}
	if more := len(o.Requests) - 1; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	if o.Session != nil {
		what = "sessions " + o.Session.Name + ": " + what
	}
	err = show.RunLoads(cmd.Context(), a.Host, "attack", what, all, o.LoadOptions)
	if o.DryRun && err == nil {
		err = show.Previews(a.Stdout, attacks[0])
	}
	return err
}

// buffered is written in pieces of 64 KiB and at Close. Its error names the flag and is returned
// once.
type buffered struct {
	*bufio.Writer
	file io.Closer
	of   flags.Output
	told bool
}

func (b *buffered) Write(p []byte) (int, error) {
	n, err := b.Writer.Write(p)
	b.told = b.told || err != nil
	return n, b.of.Named(files.Named(b.of.Path, err))
}

func (b *buffered) Close() error {
	err := errors.Join(b.Flush(), b.file.Close())
	if b.told {
		return nil
	}
	return b.of.Named(files.Named(b.of.Path, err))
}
