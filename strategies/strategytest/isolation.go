package strategytest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
)

type isolation struct {
	test          string // name of the test that called Run
	call          string
	spec          strategies.Spec
	child         *child // nil if none is running
	inThisProcess bool   // whether no child can be started
}

func (in *isolation) check(t *testing.T, c Clause) error {
	t.Helper()
	if in.child == nil && !in.inThisProcess {
		var err error
		if in.child, err = in.start(); err != nil {
			in.inThisProcess = true
			t.Logf("%s: tested in this process, where one clause that crashes or hangs hides the "+
				"others: %v", in.spec.Name, err)
		}
	}
	order := c.Name
	switch {
	case c.killed != nil && in.inThisProcess:
		t.Skip("it needs processes of its own")
	case in.inThisProcess:
		return c.Check(in.spec)
	case c.killed != nil:
		queue := newQueue()
		for i := range c.kills {
			if err := in.kill(fmt.Sprint(c.Name, " ", queue, " ", i)); err != nil {
				return err
			}
		}
		order = fmt.Sprint(c.Name, " ", queue, " ", c.kills)
	}
	said, printed, ended := in.child.testClause(order)
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
	if testing.CoverMode() != "" && c.killed == nil {
		return c.Check(in.spec) // again in this process, because coverage of a child is not counted
	}
	return nil
}

func (in *isolation) kill(order string) error {
	said, printed, ended := in.child.testClause(order)
	if ended == nil {
		return fmt.Errorf("%s%s", said.Error, shorten(printed))
	}
	in.child = nil
	if !strings.Contains(ended.Error(), "killed") {
		return fmt.Errorf("it ended the process (%v)%s", ended, shorten(printed))
	}
	var err error
	in.child, err = in.start()
	return err
}

func (in *isolation) start() (*child, error) {
	if os.Getenv(variable) == inThisProcess {
		return nil, fmt.Errorf("%s=%s", variable, inThisProcess)
	}
	patience, err := machine.Patience()
	if err != nil {
		return nil, err
	}
	c, err := startChild(in.test, in.call)
	if err != nil {
		return nil, err
	}
	// time.Since(began) includes other tests.
	if err := c.awaitReady(max(patience, startLimit) + 2*time.Since(began)); err != nil {
		return nil, err
	}
	return c, nil
}

const startLimit = 30 * time.Second

func (in *isolation) end() {
	if in.child != nil {
		in.child.end()
	}
}
