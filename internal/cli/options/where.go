package options

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/registry"
)

type LiveFlag struct {
	Address string // "" means that they are not shown
	Any     bool   // whether an address other than loopback is allowed
	Stream  flags.Output
}

func (f *LiveFlag) AddTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(flags.Parsed(&f.Address, "HOST:PORT", func(text string) (string, error) {
		return text, CheckAddress(text, true)
	}), "live", "show the runs live, as a page and for Prometheus at /metrics, at this "+
		"`HOST:PORT` (--live alone: a free port of 127.0.0.1)")
	fs.Lookup("live").NoOptDefVal = "127.0.0.1:0"
	fs.BoolVar(&f.Any, "any-address", false, "allow a --live that is not loopback")
	f.Stream.AddTo(cmd, "progress-json", "write the progress of the runs to this `FILE`: a line of JSON "+
		"each second")
}

// The zero value means this process and its children.
type WorkersFlag struct {
	Local   int    // number of processes on this machine, started by the command
	Address string // address of the NATS server of other workers
}

const MaxLocalWorkers = 256

func (f *WorkersFlag) AddTo(cmd *cobra.Command) {
	cmd.Flags().Var(flags.Parsed(f, "N|ADDRESS", parseWorkersFlag), "workers",
		"distribute the runs among `N` processes on this machine, or among the poolbench workers "+
			"at the NATS server of this address, such as "+registry.NATS.Example)
}

func parseWorkersFlag(text string) (WorkersFlag, error) {
	if _, err := strconv.Atoi(text); err == nil {
		n, err := flags.WholeNumber(1, MaxLocalWorkers, text)
		return WorkersFlag{Local: n}, err
	}
	return WorkersFlag{Address: text}, hub.Check(text)
}

type AgentsFlag struct {
	NATS      string
	Wait      time.Duration
	AllowLost bool
}

const maxAgents = 10_000

func (f *AgentsFlag) AddTo(cmd *cobra.Command, n *int) {
	fs := cmd.Flags()
	fs.Var(flags.AtLeastOne(n, maxAgents), "agents",
		"share the load among `N` poolbench workers (agents); limit, queue, requests in flight "+
			"and connections apply to each")
	fs.StringVar(&f.NATS, "nats", "", "`ADDRESS` of the NATS server to which the agents are "+
		"connected, such as "+registry.NATS.Example+" (default: N processes of this machine are started)")
	fs.DurationVar(&f.Wait, "agents-wait", 30*time.Second,
		"end if too few agents have connected after this `TIME`")
	fs.BoolVar(&f.AllowLost, "allow-lost", false,
		"accept the results without the agents that were lost: the result is SUSPECT, not INVALID")
}

func (f AgentsFlag) check(cmd *cobra.Command, agents int) error {
	if agents == 0 {
		for _, name := range []string{"nats", "agents-wait", "allow-lost"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s: give the number of agents (--agents)", name)
			}
		}
		return nil
	}
	if agents > MaxLocalWorkers && f.NATS == "" {
		return fmt.Errorf("--agents %d: want at most %d on this machine, or --nats for others",
			agents, MaxLocalWorkers)
	}
	if f.NATS != "" {
		if err := hub.Check(f.NATS); err != nil {
			return fmt.Errorf("--nats: %w", err)
		}
	}
	for _, name := range []string{"vegeta", "dead-letters"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s and --agents exclude each other: each agent would write the "+
				"file",
				name)
		}
	}
	return nil
}
