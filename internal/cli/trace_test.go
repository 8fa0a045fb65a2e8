package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The whole file must be checked, not only the replayed tasks. A column without a name must not be
// named.
func TestTraceOfAPart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pandas.csv")
	if err := os.WriteFile(file, []byte(",at,took\n0,1,1\n1,2,1\n2,7.5,1\n3,7.5,1\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	o := traceOptions{column: "at", duration: "none", class: "none", at: "begin",
		unit: "auto", to: "3s"}
	d, err := o.describe(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"in the whole file, line 5: the same time as the record before"}; d.Tasks != 2 ||
		!slices.Equal(d.Notes, want) || !slices.Equal(d.Unread, []string{"took"}) {
		t.Errorf("%d tasks, %q, %q", d.Tasks, d.Notes, d.Unread)
	}
	if o.to = ""; err == nil {
		d, err = o.describe(file)
	}
	if err != nil || !slices.Equal(d.Notes, []string{"line 5: the same time as the record before"}) {
		t.Errorf("%v: %q", err, d.Notes)
	}
}
