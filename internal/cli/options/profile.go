package options

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
)

const ProfileFlag = "profile"

var ProfileDoc = "profile each real-clock run, for go tool pprof and the report: " +
	strings.Join(ProfileKinds(), ", ")

func ProfileKinds() []string {
	return text.Texts(machine.ProfileKinds, func(k machine.ProfileKind) string { return string(k) })
}

func Profile(cmd *cobra.Command, to *string) {
	cmd.Flags().Var(flags.Parsed(to, "KIND,KIND", machine.ParseProfiles), ProfileFlag, ProfileDoc)
	flags.Complete(cmd, ProfileFlag, ProfileKinds)
}
