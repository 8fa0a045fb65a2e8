package flags

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/machine/profiles"
	"github.com/poolbench/poolbench/internal/text/prose"
)

// ProfileFlag is the flag that has runs profiled.
const ProfileFlag = "profile"

// ProfileDoc is its help.
var ProfileDoc = "profile each real-clock run, for go tool pprof and the report: " +
	strings.Join(ProfileKinds(), ", ")

// ProfileKinds are what it takes, with commas between.
func ProfileKinds() []string {
	return prose.Texts(profiles.Kinds, func(k profiles.Kind) string { return string(k) })
}

// Profile declares it for a command whose runs are under the real clock.
func Profile(cmd *cobra.Command, to *string) {
	cmd.Flags().Var(Parsed(to, "KIND,KIND", profiles.Parse), ProfileFlag, ProfileDoc)
	Complete(cmd, ProfileFlag, ProfileKinds)
}
