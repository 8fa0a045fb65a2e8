package flags

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

const OutFlag = "out"

// The file of an Output is checked before the command starts.
type Output struct {
	Path string
	Flag string // name with the dashes; "" if no flag gave the path
}

const OutputKind = "output"

var _ pflag.Value = (*Output)(nil)

func (o *Output) AddTo(cmd *cobra.Command, name, doc string) {
	o.Flag = "--" + name
	cmd.Flags().Var(o, name, doc)
}

func (o *Output) Set(path string) error {
	o.Path = path
	return nil
}

func (o *Output) String() string { return o.Path }

func (o *Output) Type() string { return OutputKind }

// Named adds the flag to an error. It returns nil for nil.
func (o Output) Named(err error) error {
	if err == nil || o.Flag == "" {
		return err
	}
	return fmt.Errorf("%s: %w", o.Flag, err)
}

// Write writes the file atomically if a path is set.
func (o Output) Write(write func(io.Writer) error) error {
	if o.Path == "" {
		return nil
	}
	return o.Named(rundir.Replace(o.Path, write))
}

// Open opens the file for incremental writing, see files.Open.
func (o Output) Open(flag int, mode fs.FileMode) (io.WriteCloser, error) {
	w, err := files.Open(o.Path, flag, mode)
	return w, o.Named(err)
}

func (o Output) Add(write func(io.Writer) error) error {
	if o.Path == "" {
		return nil
	}
	f, err := o.Open(os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	w := text.NewPlainWriter(f)
	return o.Named(errors.Join(write(w), w.Flush(), f.Close()))
}

// checkOutput accepts a file in the directory of --out, which the command creates later.
func checkOutput(cmd *cobra.Command, o *Output) error {
	err := files.Check(o.Path)
	if out := cmd.Flags().Lookup(OutFlag); err != nil && out != nil &&
		filepath.Dir(o.Path) == filepath.Clean(out.Value.String()) {
		if _, missing := os.Stat(out.Value.String()); errors.Is(missing, fs.ErrNotExist) {
			return nil
		}
	}
	return err
}

// FreeName adds a number to the name if it exists, as for runs that start in the same second.
func FreeName(root, name string) string {
	for n, free := 2, name; ; n++ {
		if _, err := os.Lstat(filepath.Join(root, free)); errors.Is(err, fs.ErrNotExist) {
			return free
		} else if err != nil {
			return name // creating it reports the error
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}
