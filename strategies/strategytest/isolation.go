package strategytest

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/watchdog"
	"github.com/poolbench/poolbench/strategies"
)

// An isolation has clauses tested in child processes, one after another in the same as long as that
// lives.
type isolation struct {
	call  string
	spec  strategies.Spec
	child *child // nil: none yet, or none any more
	here  bool   // there is none to be had
}

// check tests a clause.
func (in *isolation) check(t *testing.T, c Clause) error {
	t.Helper()
	if in.child == nil && !in.here {
		var err error
		if in.child, err = in.start(t); err != nil {
			in.here = true
			t.Logf("%s: tested in this process, where one clause that crashes or hangs hides the "+
				"others: %v", in.spec.Name, err)
		}
	}
	if in.here {
		return c.Check(in.spec)
	}
	said, printed, ended := in.child.ask(c.Name)
	if ended != nil {
		in.child = nil
		return fmt.Errorf("it ended the process (%v)%s", ended, shorten(printed))
	}
	if said.Hangs {
		in.child.kill()
		in.child = nil
	}
	switch {
	case said.Error == errFailed.Error():
		return fmt.Errorf("%s%s", said.Error, shorten(printed))
	case said.Error != "":
		return errors.New(said.Error)
	}
	if printed != "" {
		t.Log(printed)
	}
	if testing.CoverMode() != "" {
		return c.Check(in.spec) // once more, for the counts: those of a child go nowhere
	}
	return nil
}

// start starts a child, unless the environment or the system are against it.
func (in *isolation) start(t *testing.T) (*child, error) {
	if os.Getenv(variable) == here {
		return nil, fmt.Errorf("%s=%s", variable, here)
	}
	patience, err := watchdog.Patience()
	if err != nil {
		return nil, err
	}
	c, err := startChild(t.Name(), in.call)
	if err != nil {
		return nil, err
	}
	// What it does before it comes to the call took this process so long, with all that other tests
	// did.
	if err := c.ready(max(patience, startLimit) + 2*time.Since(began)); err != nil {
		return nil, err
	}
	return c, nil
}

// startLimit is how long a child may need to start at least, however soon a clause is given up.
const startLimit = 30 * time.Second

// end ends the child, if there is one.
func (in *isolation) end() {
	if in.child != nil {
		in.child.end()
	}
}
