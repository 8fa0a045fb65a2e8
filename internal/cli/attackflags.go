package cli

import (
	"fmt"
	"strconv"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/strategies"
)

const drainDoc = "abandon requests open this `TIME` after the last one was due"

// atLeastOne is the flag of a number: a zero would stand for the default.
type atLeastOne struct {
	value *int
	most  int
}

func (n atLeastOne) Type() string   { return "N" }
func (n atLeastOne) String() string { return "" }

func (n atLeastOne) Set(text string) (err error) {
	*n.value, err = whole(1, n.most, text)
	return err
}

// queueSlots is the flag of a queue, and the value of its axis. A zero that is given is
// bench.NoQueue: what is not given is the default.
type queueSlots int

const queueDoc = "slots of the queue; 0: none (default: never full, or 8 × limit where the " +
	"strategy sheds)"

func (f *queueSlots) String() string { return "" }
func (f *queueSlots) Type() string   { return "N" }

func (f *queueSlots) Set(text string) error {
	n, err := whole(0, strategies.MaxSlots, text)
	if *f = queueSlots(n); n == 0 {
		*f = bench.NoQueue
	}
	return err
}

// positiveRate is the flag of a rate: a zero would stand for the default.
type positiveRate struct{ value *float64 }

func (f positiveRate) String() string { return "" }
func (f positiveRate) Type() string   { return "X" }

func (f positiveRate) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= arrivals.LeastRate) || x > 1e6 {
		return fmt.Errorf("want a number from %v to 1e6, got %q", arrivals.LeastRate, text)
	}
	*f.value = x
	return nil
}

// workers is the flag of their number.
type workers struct{ value *int }

func (f workers) String() string { return "" }
func (f workers) Type() string   { return "N" }

func (f workers) Set(text string) error {
	if text == "unlimited" {
		*f.value = attack.Unlimited
		return nil
	}
	n, err := whole(1, arrivals.MaxTasks, text)
	if err != nil {
		return fmt.Errorf("%w, or unlimited", err)
	}
	*f.value = n
	return nil
}
