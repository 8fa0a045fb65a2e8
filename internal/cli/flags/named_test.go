package flags

import (
	"errors"
	"fmt"
	"testing"

	"github.com/spf13/cobra"
)

func TestNamed(t *testing.T) {
	cmd := &cobra.Command{}
	cmd.Flags().Int("n", 0, "")
	cmd.Flags().Int("rate", 0, "")
	cmd.Flags().Int("load", 0, "")
	if err := cmd.Flags().Set("n", "3"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Flags().Set("rate", "3"); err != nil {
		t.Fatal(err)
	}
	few, gone := errors.New("n: too few"), errors.New("no such file")
	for _, c := range []struct {
		err  error
		want string
	}{
		{few, "--n: too few"},
		{fmt.Errorf("run: %w", few), "run: n: too few"},
		{errors.New("n and rate exclude each other"), "--n and --rate exclude each other"},
		{errors.New("rate and n exclude each other"), "--rate and --n exclude each other"},
		{errors.New("n and load exclude each other"), "--n and load exclude each other"},
		{errors.New("n is odd and rate is even"), "--n is odd and rate is even"},
		// The user did not type a default value, so the error must not name its flag.
		{errors.New("load is too high"), "load is too high"},
		{errors.Join(gone, few), "no such file\n--n: too few"},
		{fmt.Errorf("the store failed: %w: %w", few, gone), "the store failed: n: too few: no such file"},
		{fmt.Errorf("%w: %w", few, gone), "--n: too few: no such file"},
	} {
		if err := Named(cmd, c.err); err.Error() != c.want || !errors.Is(err, c.err) &&
			!errors.Is(err, few) {
			t.Errorf("%q: %q, want %q", c.err, err, c.want)
		}
	}
	if err := Named(cmd, nil); err != nil {
		t.Error(err)
	}
}
