package options

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// Servers stores addresses in the environment, where strategies and child processes read them.
// Addresses may contain passwords, so they must not appear in arguments.
func Servers(cmd *cobra.Command) (given *[]registry.Server) {
	given = new([]registry.Server)
	f := flags.Value{Kind: "NAME=ADDRESS", Take: func(str string) error {
		name, address, valued := strings.Cut(str, "=")
		all := registry.Servers()
		i := slices.IndexFunc(all, func(s registry.Server) bool { return s.Name == name })
		switch {
		case !valued || address == "":
			return errors.New("want NAME=ADDRESS, as in " + all[0].Name + "=" + all[0].Example)
		case i < 0:
			return fmt.Errorf("unknown server %q (known: %s)", name,
				strings.Join(text.Texts(all, func(s registry.Server) string { return s.Name }),
					", "))
		}
		if err := all[i].Check(address); err != nil {
			return err
		}
		*given = append(*given, all[i])
		return os.Setenv(all[i].Variable, all[i].WithScheme(address))
	}}
	words := text.Texts(registry.Servers(), func(s registry.Server) string {
		return fmt.Sprintf("%s (default $%s)", s.Name, s.Variable)
	})
	cmd.Flags().Var(f, "server", "server of strategies that need one: "+
		strings.Join(words, ", ")+" (repeatable)")
	return given
}

// CheckServers returns an error for a server of --server that none of the strategies uses.
func CheckServers(given []registry.Server, all ...strategies.Variant) error {
	for _, s := range given {
		if slices.ContainsFunc(all, func(v strategies.Variant) bool { return uses(v, s) }) {
			continue
		}
		for _, v := range all {
			if s.Name == registry.NATS.Name && serverChoice(v) == "embedded" {
				return fmt.Errorf("--server %s: %s uses its embedded server; add server=outer, as in "+
					"jetstream:server=outer", s.Name, v.Spec.Name)
			}
		}
		return fmt.Errorf("--server %s: no chosen strategy uses %s", s.Name, s.Product)
	}
	return nil
}

// CheckServers does so for the runs of a plan. Studies choose their strategies by the servers that
// are given.
func (p Plan) CheckServers(given []registry.Server) error {
	var all []bench.Scenario
	for _, s := range p {
		if s.Study != nil {
			return nil
		}
		all = append(all, s.Suite.Scenarios...)
	}
	return CheckServers(given, StrategiesOf(all)...)
}

func StrategiesOf(scenarios []bench.Scenario) (all []strategies.Variant) {
	for _, s := range scenarios {
		all = append(all, s.Strategy)
	}
	return all
}

func uses(v strategies.Variant, s registry.Server) bool {
	return v.Spec.Needs == s.Product ||
		s.Name == registry.NATS.Name && serverChoice(v) == "outer"
}

// serverChoice returns the parameter of strategies that have an embedded NATS server, or "".
func serverChoice(v strategies.Variant) string {
	if slices.ContainsFunc(v.Spec.Keys, func(k param.Key) bool { return k.Name == "server" }) {
		return v.Values.Choice("server")
	}
	return ""
}
