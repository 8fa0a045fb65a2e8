package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/text"
)

func Repeated[S ~[]T, T fmt.Stringer](
	to *S, kind string, parse func(s string) (T, error),
) pflag.Value {
	f := Value{Kind: kind, Take: func(s string) error {
		v, err := parse(s)
		if err == nil {
			*to = append(*to, v)
		}
		return err
	}}
	return repeated{f, func() []string { return text.Texts(*to, T.String) }}
}

type repeated struct {
	Value
	texts func() []string
}

var _ cobra.SliceValue = repeated{}

func (r repeated) GetSlice() []string { return r.texts() }
