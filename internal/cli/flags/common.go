package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const common = "poolbench_common"

// MarkCommon makes the short help list the named flags. It panics if a flag is unknown.
func MarkCommon(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if err := cmd.Flags().SetAnnotation(name, common, nil); err != nil {
			panic(fmt.Sprintf("%s: %v", cmd.Name(), err))
		}
	}
}

func Common(cmd *cobra.Command) (named, others *pflag.FlagSet) {
	named = pflag.NewFlagSet("", pflag.ContinueOnError)
	others = pflag.NewFlagSet("", pflag.ContinueOnError)
	named.SortFlags, others.SortFlags = false, false
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, is := f.Annotations[common]; is {
			named.AddFlag(f)
		} else {
			others.AddFlag(f)
		}
	})
	return named, others
}
