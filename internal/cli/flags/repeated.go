package flags

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/text/prose"
)

// Repeated is a flag that may be given several times, and keeps what parse makes of each text.
func Repeated[S ~[]T, T fmt.Stringer](
	to *S, kind string, parse func(text string) (T, error),
) pflag.Value {
	return &repeated[S, T]{to, kind, parse}
}

type repeated[S ~[]T, T fmt.Stringer] struct {
	to    *S
	kind  string
	parse func(text string) (T, error)
}

var _ pflag.SliceValue = (*repeated[[]fmt.Stringer, fmt.Stringer])(nil)

// Set implements pflag.Value.
func (r *repeated[S, T]) Set(text string) error {
	v, err := r.parse(text)
	if err == nil {
		*r.to = append(*r.to, v)
	}
	return err
}

// Type implements pflag.Value.
func (r *repeated[S, T]) Type() string { return r.kind }

// String implements pflag.Value.
func (r *repeated[S, T]) String() string { return "" }

// Append implements pflag.SliceValue.
func (r *repeated[S, T]) Append(text string) error { return r.Set(text) }

// Replace implements pflag.SliceValue.
func (r *repeated[S, T]) Replace(texts []string) error {
	*r.to = nil
	for _, text := range texts {
		if err := r.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice implements pflag.SliceValue.
func (r *repeated[S, T]) GetSlice() []string { return prose.Texts(*r.to, T.String) }
