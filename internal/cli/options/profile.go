package options

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
)

// ProfileFlag is the flag that has runs profiled.
const ProfileFlag = "profile"

// ProfileDoc is its help.
var ProfileDoc = "profile each real-clock run, for go tool pprof and the report: " +
	strings.Join(ProfileKinds(), ", ")

// ProfileKinds are what it takes, with commas between.
func ProfileKinds() []string {
	return text.Texts(machine.ProfileKinds, func(k machine.ProfileKind) string { return string(k) })
}

// Profile declares it for a command whose runs are under the real clock.
func Profile(cmd *cobra.Command, to *string) {
	cmd.Flags().Var(flags.Parsed(to, "KIND,KIND", machine.ParseProfiles), ProfileFlag, ProfileDoc)
	flags.Complete(cmd, ProfileFlag, ProfileKinds)
}
