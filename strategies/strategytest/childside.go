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

// An errand is the work of a child process: it tests the clauses named on stdin at one call of Run.
// Its messages are lines on stdout that begin with its secret.
type errand struct {
	call   string // "": this is no child
	secret string
	stdin  io.Reader
	stdout io.Writer
}

// variable is the environment variable with a child's errand, or here.
const variable = "POOLBENCH_STRATEGYTEST"

// here tests the clauses in the process of the test, for debuggers.
const here = "here"

// ours is read before the test or its children can take it.
var ours = takeErrand()

func takeErrand() (e errand) {
	text := os.Getenv(variable)
	if secret, call, ok := strings.Cut(text, " "); ok {
		os.Unsetenv(variable)
		e = errand{call, secret, os.Stdin, os.Stdout}
	}
	return e
}

// A message of a child reports readiness or the result of a clause.
type message struct {
	Clause string // "": it is ready
	Error  string
	Hangs  bool // the process is fit for nothing else
}

func (e errand) say(m message) {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // a struct of strings
	}
	fmt.Fprintf(e.stdout, "\n%s%s\n", e.secret, text) // in one write
}

// run tests clauses until stdin ends. If that happens during a clause the parent has died, and the
// child exits.
func (e errand) run(t *testing.T, spec strategies.Spec) {
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
	e.say(message{})
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
		e.say(m)
	}
}

// carryOut tests c. For a clause about the end of a process, the order also has the queue and the
// number of ended processes.
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

// errUntested: t.Run skips tests that -test.run does not name, and reports success.
var errUntested = errors.New("the clause was not tested")

// errFailed is the race detector's result in addition to its report.
var errFailed = errors.New("the testing package failed the clause: a data race?")
