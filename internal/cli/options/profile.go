package options

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
)

// ProfileFlag is the name of the profiling flag.
const ProfileFlag = "profile"

// ProfileDoc is the help of ProfileFlag.
var ProfileDoc = "profile each real-clock run, for go tool pprof and the report: " +
	strings.Join(ProfileKinds(), ", ")

// ProfileKinds returns the values of ProfileFlag, which may be joined by commas.
func ProfileKinds() []string {
	return text.Texts(machine.ProfileKinds, func(k machine.ProfileKind) string { return string(k) })
}

// Profile declares ProfileFlag for a command with real-clock runs.
func Profile(cmd *cobra.Command, to *string) {
	cmd.Flags().Var(flags.Parsed(to, "KIND,KIND", machine.ParseProfiles), ProfileFlag, ProfileDoc)
	flags.Complete(cmd, ProfileFlag, ProfileKinds)
}
