package options

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/text"
)

// Servers stores addresses in the environment, where strategies and child processes read them.
// Addresses may contain passwords, so they must not appear in arguments.
func Servers(cmd *cobra.Command) {
	f := flags.Value{Kind: "NAME=ADDRESS", Take: func(str string) error {
		name, address, given := strings.Cut(str, "=")
		all := registry.Servers()
		i := slices.IndexFunc(all, func(s registry.Server) bool { return s.Name == name })
		switch {
		case !given || address == "":
			return errors.New("want NAME=ADDRESS, as in " + all[0].Name + "=" + all[0].Example)
		case i < 0:
			return fmt.Errorf("unknown server %q (known: %s)", name,
				strings.Join(text.Texts(all, func(s registry.Server) string { return s.Name }),
					", "))
		}
		if err := all[i].Check(address); err != nil {
			return err
		}
		return os.Setenv(all[i].Variable, all[i].Whole(address))
	}}
	words := text.Texts(registry.Servers(), func(s registry.Server) string {
		return fmt.Sprintf("%s (default $%s)", s.Name, s.Variable)
	})
	cmd.Flags().Var(f, "server", "server of strategies that need one: "+
		strings.Join(words, ", ")+" (repeatable)")
}
