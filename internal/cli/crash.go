package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/crash"
	"github.com/poolbench/poolbench/internal/quantity"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/reports/proof"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/durable"
	"github.com/poolbench/poolbench/workloads"
)

// crashOptions are the flags of crash.
type crashOptions struct {
	crash.Order
	kills    int
	kill     string
	settings []string // of the server
	patience time.Duration
	format   string
	html     string
	quiet    bool
}

// What --kill may say.
const (
	killProcess = "process"
	killServer  = "server"
	killBoth    = "both"
)

func (a *app) crashCommand() *cobra.Command {
	o := crashOptions{Order: crash.Order{Limit: 8, Tasks: 20_000}, kills: 10}
	cmd := &cobra.Command{
		Use:               "crash STRATEGY [flags]",
		Short:             "kill a process that works, and count what was lost and done twice",
		Args:              operands("STRATEGY"),
		ValidArgsFunction: completeArgs(false, strategyNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Strategy = args[0]
			return a.crash(cmd.Context(), o)
		},
	}
	fs := cmd.Flags()
	number := func(to *int, most int, name, doc string) {
		f := atLeastOne(to, most)
		f.show = func() string { return fmt.Sprint(*to) }
		fs.Var(f, name, doc)
	}
	number(&o.Tasks, arrivals.MaxTasks, "tasks", "tasks to be accepted")
	number(&o.kills, 10_000, "kills", "how often it is killed, at random moments")
	choiceFlag(cmd, &o.kill, "kill", "what is killed", killProcess, killServer, killBoth)
	fs.StringArrayVar(&o.settings, "setting", nil, "`NAME=VALUE` in the configuration of the "+
		"server that is started, as in appendfsync=always; repeatable")
	number(&o.Limit, strategies.MaxLimit, "limit", "tasks at once")
	fs.StringVar(&o.Workload, "workload", "exponential:mean=1ms", "what a task does, by `NAME`")
	completeFlag(cmd, "workload", workloadNames)
	fs.Var(parsed(&o.Rate, "RATE", parseRate), "rate", "tasks that are submitted a second "+
		"(default 4/5 of what the limit allows)")
	fs.Uint64Var(&o.Seed, "seed", 1, "seed `N` of the tasks and of the moments of the kills")
	fs.DurationVar(&o.patience, "patience", time.Minute,
		"`TIME` in which nothing happens and after which what is left counts as lost")
	addServers(cmd)
	choiceFlag(cmd, &o.format, "format", "what is printed", "text", "json")
	fs.StringVar(&o.html, "html", "", "also write a page for a browser to this `FILE`")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
	return cmd
}

// crashingCommand is the process that is killed.
func (a *app) crashingCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "crashing [flags]",
		Short:  "work until killed (an order as JSON on stdin; for poolbench itself)",
		Hidden: true,
		Args:   operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return crash.Work(cmd.Context(), a.stdin, a.stdout)
		},
	}
}

// A crashDocument is what crash prints with --format json.
type crashDocument struct {
	head
	Strategy string `json:"strategy"`
	Workload string `json:"workload"`
	Limit    int    `json:"limit"`
	Seed     uint64 `json:"seed"`
	Survives string `json:"survives"` // what the strategy declares
	crash.Report
}

// crash is `poolbench crash`.
func (a *app) crash(ctx context.Context, o crashOptions) (err error) {
	p, spec, level, err := o.plan()
	if err != nil {
		return err
	}
	ctx, done := interruptible(ctx, func(string) {})
	defer done()
	p.Errors = a.stderr
	kind, needed, err := serverOf(spec, o.kill)
	if err != nil {
		return err
	}
	if !needed && len(o.settings) > 0 {
		return errors.New("--setting: no server is started here")
	}
	if needed {
		server, err := kind.Start(ctx, servers.Options{Settings: o.settings})
		if err != nil {
			return fmt.Errorf("crash: %w", err)
		}
		defer server.Close()
		if err := os.Setenv(variableOf(kind), server.Address()); err != nil {
			return err
		}
		if o.kill != killProcess {
			p.Server = server
		}
	}
	if !o.quiet {
		p.Say = a.crashProgress(2 * o.Tasks)
	}
	report, err := crash.Run(ctx, p)
	if p.Say != nil {
		fmt.Fprint(a.stderr, "\r\x1b[K")
	}
	switch {
	case ctx.Err() != nil:
		return exitCode(interrupted)
	case err != nil:
		return err
	}
	doc := crashDocument{newHead("crash"), p.Strategy, p.Workload, p.Limit, p.Seed,
		level.String(), report}
	shown := doc.page()
	shown.Broken = report.Lost > 0 && (level == strategies.PowerSafe ||
		level == strategies.KillSafe && report.ServerRestarts == 0)
	if o.html != "" {
		if err := rundir.Replace(o.html, func(w io.Writer) error {
			return proof.WriteCrash(w, shown)
		}); err != nil {
			return err
		}
	}
	if err := a.showCrash(doc, o.format); err != nil {
		return err
	}
	if shown.Broken {
		return exitCode(regression)
	}
	return nil
}

// plan reads what the flags say.
func (o crashOptions) plan() (p crash.Plan, s strategies.Spec, level strategies.Durability,
	err error) {
	v, err := strategies.Parse(o.Strategy)
	if err != nil {
		return p, s, level, err
	}
	w, err := workloads.Parse(o.Workload)
	if err != nil {
		return p, s, level, fmt.Errorf("--workload: %w", err)
	}
	params := strategies.Params{Limit: o.Limit, Values: v.Values}
	if err := v.Spec.Validate(params); err != nil {
		return p, s, level, err
	}
	level = v.Spec.Survives(params)
	self, err := os.Executable()
	o.Strategy, o.Workload = v.String(), w.String()
	o.Queue = fmt.Sprintf("crash_%d_%d", os.Getpid(), time.Now().Unix())
	return crash.Plan{Order: o.Order, Command: []string{self, "crashing"}, Kills: o.kills,
		Spared: o.kill == killServer, Volatile: level == strategies.Volatile,
		Patience: o.patience}, v.Spec, level, err
}

// serverOf says which server this command is to start: one that nobody has named, or that is to be
// killed.
func serverOf(spec strategies.Spec, kill string) (kind servers.Kind, needed bool, err error) {
	i := slices.IndexFunc(servers.Kinds(), func(k servers.Kind) bool {
		return k.Product == spec.Needs
	})
	kills := kill != killProcess
	switch {
	case spec.Needs == "" && kills:
		return kind, false, fmt.Errorf("--kill: %s has no server of its own", spec.Name)
	case spec.Needs == "":
		return kind, false, nil
	case spec.Ready() == nil && kills:
		return kind, false, fmt.Errorf("--kill: this command kills no server but its own: give no "+
			"address of %s", spec.Needs)
	case spec.Ready() == nil:
		return kind, false, nil
	case i < 0:
		return kind, false, spec.Ready()
	}
	return servers.Kinds()[i], true, nil
}

// variableOf is the environment variable in which strategies look for a server.
func variableOf(k servers.Kind) string {
	all := durable.Servers()
	i := slices.IndexFunc(all, func(s durable.Server) bool { return s.Product == k.Product })
	return all[i].Variable
}

// crashProgress draws a line now and then.
func (a *app) crashProgress(whole int) func(int) {
	if console(a.stderr) == nil {
		return nil
	}
	var drawn time.Time
	return func(progress int) {
		if time.Since(drawn) < 200*time.Millisecond {
			return
		}
		drawn = time.Now()
		fmt.Fprintf(a.stderr, "\r%3d %%", 100*progress/max(whole, 1))
	}
}

// page is what the page shows, and the first lines of the terminal.
func (d crashDocument) page() *proof.Crash {
	r := d.Report
	return &proof.Crash{Strategy: d.Strategy, Workload: d.Workload, Survives: d.Survives,
		Limit: d.Limit, Seed: d.Seed, Accepted: r.Accepted, Once: r.Once, Twice: r.Twice,
		Lost: r.Lost, Dead: r.Dead, Unconfirmed: r.Unconfirmed, Kills: r.Restarts,
		ServerKills: r.ServerRestarts, First: r.First, LongestFirst: r.LongestFirst,
		Command: fmt.Sprintf("poolbench crash %s --tasks %d --kills %d --limit %d "+
			"--workload %s --seed %d", d.Strategy, r.Accepted, max(r.Restarts, r.ServerRestarts),
			d.Limit, d.Workload, d.Seed)}
}

// showCrash prints the finding first.
func (a *app) showCrash(doc crashDocument, format string) error {
	if format == "json" {
		return a.json(doc)
	}
	r, shown := doc.Report, doc.page()
	a.prose("%s.\n\n", shown.Finding())
	var rows [][]string
	for _, outcome := range shown.Outcomes() {
		rows = append(rows, []string{outcome.Name, fmt.Sprint(outcome.Tasks), outcome.Doc})
	}
	if r.Restarts > 0 && r.LongestFirst > 0 {
		rows = append(rows, []string{"first task", quantity.Seconds(r.First),
			"after a restart: the median; the longest " + quantity.Seconds(r.LongestFirst)})
	}
	return a.list(rows)
}
