package strategytest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

// childTask is the task of a child process: it tests the clauses named on stdin at one call of Run.
// Its messages are lines on stdout that begin with its secret.
type childTask struct {
	call   string // "" means that this process is not a child
	secret string
	stdin  io.Reader
	stdout io.Writer
}

// variable contains a child's errand, or inThisProcess.
const variable = "POOLBENCH_STRATEGYTEST"

// inThisProcess makes clauses run in the process of the test, for debuggers.
const inThisProcess = "here"

// It is read at initialization, before tests or their children can read it.
var childErrand = takeErrand()

func takeErrand() (e childTask) {
	text := os.Getenv(variable)
	if secret, call, ok := strings.Cut(text, " "); ok {
		os.Unsetenv(variable)
		e = childTask{call, secret, os.Stdin, os.Stdout}
	}
	return e
}

type message struct {
	Clause string // "" means that the child is ready
	Error  string
	Hangs  bool // the process cannot run other clauses
}

func (e childTask) send(m message) {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // unreachable: all fields are strings and bools
	}
	// in one write, so that other output does not split the line
	fmt.Fprintf(e.stdout, "\n%s%s\n", e.secret, text)
}

// If stdin ends during a clause, the parent has died, and the child exits.
func (e childTask) run(t *testing.T, spec strategies.Spec) {
	names := make(chan string)
	var busy atomic.Bool
	go func() {
		defer close(names)
		for lines := bufio.NewScanner(e.stdin); lines.Scan(); {
			names <- lines.Text()
		}
		if busy.Load() {
			os.Exit(1)
		}
	}()
	all := append(clausesOf(spec), first)
	e.send(message{})
	for order := range names {
		name, rest, _ := strings.Cut(order, " ")
		c := all[slices.IndexFunc(all, func(c Clause) bool { return c.Name == name })]
		busy.Store(true)
		err := errUntested
		passed := t.Run(name, func(*testing.T) { err = c.carryOut(spec, rest) })
		busy.Store(false)
		if err == nil && !passed {
			err = errFailed
		}
		m := message{Clause: name}
		if err != nil {
			m.Error = err.Error()
			_, m.Hangs = errors.AsType[hangError](err)
		}
		e.send(m)
	}
}

// For a clause that kills processes, order also contains the queue and the number of processes
// killed.
func (c Clause) carryOut(spec strategies.Spec, order string) error {
	if c.killed == nil {
		return c.Check(spec)
	}
	var queue string
	var ended int
	if _, err := fmt.Sscan(order, &queue, &ended); err != nil {
		return err
	}
	return c.killed(spec, queue, ended)
}

// t.Run skips a clause that -test.run does not name, and reports success.
var errUntested = errors.New("the clause was not tested")

// The race detector fails a clause without an error.
var errFailed = errors.New("the testing package failed the clause: a data race?")
