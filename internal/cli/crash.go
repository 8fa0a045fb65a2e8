package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/program"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/crash"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

type crashOptions struct {
	crash.WorkerConfig
	kills    int
	kill     string
	settings []string // settings of the server
	servers  *[]registry.Server
	patience time.Duration
	format   string
	html     flags.Output
	quiet    bool
}

// Values of --kill.
const (
	killProcess = "process"
	killServer  = "server"
	killBoth    = "both"
)

func (a *app) crashCommand() *cobra.Command {
	o := crashOptions{WorkerConfig: crash.WorkerConfig{Limit: 8, Tasks: 20_000}, kills: 10}
	cmd := &cobra.Command{
		Use:               "crash STRATEGY [flags]",
		Short:             "kill a working process and count the tasks lost and done twice",
		Args:              flags.Operands("STRATEGY"),
		ValidArgsFunction: flags.CompleteArgs(false, options.StrategyNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Strategy = args[0]
			return a.crash(cmd.Context(), o)
		},
	}
	fs := cmd.Flags()
	number := func(to *int, most int, name, doc string) {
		f := flags.AtLeastOne(to, most)
		f.Show = func() string { return fmt.Sprint(*to) }
		fs.Var(f, name, doc)
	}
	number(&o.Tasks, arrivals.MaxTasks, "tasks", "number of tasks to accept")
	number(&o.kills, 10_000, "kills", "number of kills, at random moments")
	flags.Choice(cmd, &o.kill, "kill", "what to kill", killProcess, killServer, killBoth)
	fs.StringArrayVar(&o.settings, "setting", nil, "setting `NAME=VALUE` of the server that "+
		"crash starts, as in appendfsync=always (repeatable)")
	number(&o.Limit, strategies.MaxLimit, "limit", "tasks at once")
	fs.StringVar(&o.Workload, "workload", "exponential:mean=1ms", "workload of each task, by "+
		"`NAME`")
	flags.Complete(cmd, "workload", options.WorkloadNames)
	fs.Var(flags.Parsed(&o.Rate, "RATE", options.ParseRate), "rate",
		"tasks submitted per second (default 4/5 of the capacity at the limit)")
	fs.Uint64Var(&o.Seed, "seed", 1, "seed `N` of the tasks and the times of the kills")
	fs.DurationVar(&o.patience, "patience", patience,
		"end after this `TIME` without progress, even if tasks are still in the queue")
	o.servers = options.Servers(cmd)
	flags.Choice(cmd, &o.format, "format", "output format", "text", "json")
	o.html.AddTo(cmd, "html", "also write a page for a browser to this `FILE`")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
	return cmd
}

func (a *app) crashingCommand() *cobra.Command {
	return flags.Hidden("crashing [flags]",
		"work until killed (an order as JSON on stdin; for poolbench itself)",
		func(ctx context.Context, _ []string) error { return crash.Work(ctx, a.stdin, a.Stdout) })
}

type crashDocument struct {
	text.Head
	Strategy string  `json:"strategy"`
	Workload string  `json:"workload"`
	Limit    int     `json:"limit"`
	Seed     uint64  `json:"seed"`
	Kills    int     `json:"kills"` // requested kills
	command  string  // command line of this test
	Survives string  `json:"survives"`        // durability declared by the strategy
	Fault    string  `json:"fault,omitempty"` // reason if the test was given up
	Patience float64 `json:"patience_sec"`
	// features that the adapter adds to the library
	Adds []strategies.Addition `json:"added_by_poolbench,omitempty"`
	crash.Report
}

func faultOf(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), "crash: ")
}

// A caller in the same process keeps its own server.
func replaceEnv(name, value string) (restore func(), err error) {
	before, given := os.LookupEnv(name)
	if err := os.Setenv(name, value); err != nil {
		return nil, err
	}
	return func() {
		if given {
			_ = os.Setenv(name, before) // a name that has been set before can be set
		} else {
			_ = os.Unsetenv(name)
		}
	}, nil
}

func (a *app) crash(ctx context.Context, o crashOptions) (err error) {
	p, v, level, err := o.plan()
	if err != nil {
		return err
	}
	if err := options.CheckServers(*o.servers, v); err != nil {
		return err
	}
	ctx, done := terminal.Interruptible(ctx, func(string) {})
	defer done()
	p.Errors = a.Stderr
	kind, needed, err := serverOf(v.Spec, o.kill)
	if err != nil {
		return err
	}
	if !needed && len(o.settings) > 0 {
		return errors.New("--setting: crash starts no server here")
	}
	if needed {
		server, err := kind.Start(ctx, servers.Options{Settings: o.settings})
		if ctx.Err() != nil && err != nil {
			return terminal.Interrupted
		}
		if err != nil {
			return fmt.Errorf("crash: %w", err)
		}
		defer server.Close()
		restore, err := replaceEnv(variableOf(kind), server.Address())
		if err != nil {
			return err
		}
		defer restore()
		p.Watch = server.Gone
		if o.kill != killProcess {
			p.Server = server
		}
	}
	if !needed {
		a.CleanStores(ctx, v.Spec)
	}
	if p.Removed {
		// In the directory of the strategy's parameter dir, so it is removed however this process
		// and its child end.
		parent := v.Values.Text("dir")
		if parent == "tmp" {
			parent = ""
		}
		dir, err := files.NewScratch(parent, "crash")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, dir.Remove()) }()
		p.Strategy = withParameter(p.Strategy, "dir="+dir.Path)
		p.Watch = func() error {
			_, err := os.Stat(filepath.Join(dir.Path, p.Queue))
			return err
		}
	}
	line := terminal.NewStatusLine(a.Stderr)
	if line != nil && !o.quiet {
		p.Say = drawShare(line, 2*o.Tasks)
	}
	report, err := crash.Run(ctx, p)
	if p.Say != nil {
		line.Clear()
	}
	switch {
	case ctx.Err() != nil:
		return terminal.Interrupted
	case err != nil && report.Accepted == 0:
		return err
	}
	doc := crashDocument{text.NewHead("crash"), o.Strategy, p.Workload, p.Limit, p.Seed,
		o.kills, o.command(p), level.String(), faultOf(err), p.Patience.Seconds(), v.Spec.Adds, report}
	shown := doc.page()
	shown.Broken = report.Lost > 0 && (level == strategies.PowerSafe ||
		level == strategies.KillSafe && report.ServerRestarts == 0)
	if err := o.html.Write(func(w io.Writer) error {
		return page.WriteCrash(w, shown)
	}); err != nil {
		return err
	}
	if err := a.showCrash(doc, o.format); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	if shown.Broken {
		return terminal.Regression
	}
	return nil
}

func (o crashOptions) command(p crash.Plan) string {
	out := fmt.Sprintf("%s crash %s --tasks %d --kills %d --kill %s --limit %d "+
		"--workload %s --seed %d", program.Invocation(), shell.Quote(o.Strategy), p.Tasks, o.kills, o.kill, p.Limit,
		shell.Quote(p.Workload), p.Seed)
	if p.Rate > 0 {
		out += fmt.Sprintf(" --rate %v", p.Rate)
	}
	if p.Patience != patience {
		out += fmt.Sprintf(" --patience %v", p.Patience)
	}
	for _, s := range o.settings {
		out += " --setting " + shell.Quote(s)
	}
	return out
}

const patience = 45 * time.Second

func (o crashOptions) plan() (p crash.Plan, v strategies.Variant, level strategies.Durability,
	err error) {
	if v, err = strategies.Parse(o.Strategy); err != nil {
		return p, v, level, err
	}
	w, err := workloads.Parse(o.Workload)
	if err != nil {
		return p, v, level, fmt.Errorf("--workload: %w", err)
	}
	params := strategies.Params{Limit: o.Limit, Values: v.Values}
	if err := v.Spec.Validate(params); err != nil {
		return p, v, level, err
	}
	level = v.Spec.Survives(params)
	self, err := os.Executable()
	o.Strategy, o.Workload = v.String(), w.String()
	o.Queue = fmt.Sprintf("crash_%d_%d", os.Getpid(), time.Now().Unix())
	o.ServerKilled = o.kill != killProcess
	if o.ServerKilled && hasKey(v.Spec, "away") && !v.Values.Given("away") {
		o.Strategy = withParameter(o.Strategy, "away=1m") // tolerates the restart of the server
	}
	return crash.Plan{WorkerConfig: o.WorkerConfig, Command: []string{self, "crashing"}, Kills: o.kills,
		Spared: o.kill == killServer, Volatile: level == strategies.Volatile,
		Removed:  hasKey(v.Spec, "dir") && level != strategies.Volatile,
		Patience: o.patience}, v, level, err
}

func hasKey(s strategies.Spec, name string) bool {
	return slices.ContainsFunc(s.Keys, func(k param.Key) bool { return k.Name == name })
}

func withParameter(strategy, parameter string) string {
	if name, values, given := strings.Cut(strategy, ":"); given {
		all := slices.DeleteFunc(strings.Split(values, ","), func(text string) bool {
			key, _, _ := strings.Cut(parameter, "=")
			return strings.HasPrefix(text, key+"=")
		})
		return name + ":" + strings.Join(append(all, parameter), ",")
	}
	return strategy + ":" + parameter
}

// serverOf returns the server that this command must start: one that no flag or variable names, or
// that will be killed.
func serverOf(spec strategies.Spec, kill string) (kind servers.Kind, needed bool, err error) {
	i := slices.IndexFunc(servers.Kinds(), func(k servers.Kind) bool {
		return k.Product == spec.Needs
	})
	kills := kill != killProcess
	switch {
	case spec.Needs == "" && kills:
		return kind, false, fmt.Errorf("--kill: %s has no server", spec.Name)
	case spec.Needs == "":
		return kind, false, nil
	case spec.Ready() == nil && kills:
		return kind, false, fmt.Errorf("--kill: this command kills only a server that it has "+
			"started: omit the address of %s", spec.Needs)
	case spec.Ready() == nil:
		return kind, false, nil
	case i < 0:
		return kind, false, spec.Ready()
	}
	return servers.Kinds()[i], true, nil
}

func variableOf(k servers.Kind) string {
	all := registry.Servers()
	i := slices.IndexFunc(all, func(s registry.Server) bool { return s.Product == k.Product })
	return all[i].Variable
}

func drawShare(on *terminal.StatusLine, whole int) func(progress int) {
	var drawn time.Time
	return func(progress int) {
		if time.Since(drawn) < 200*time.Millisecond {
			return
		}
		drawn = time.Now()
		on.Draw(fmt.Sprintf("%3d %%", 100*progress/max(whole, 1)))
	}
}

func (d crashDocument) page() *page.Crash {
	r := d.Report
	var adds [][2]string
	for _, a := range d.Adds {
		adds = append(adds, [2]string{a.What, a.Bare})
	}
	return &page.Crash{Strategy: d.Strategy, Workload: d.Workload, Survives: d.Survives,
		Limit: d.Limit, Seed: d.Seed, Accepted: r.Accepted, Once: r.Once, Twice: r.Twice,
		Lost: r.Lost, LostBegun: r.LostBegun, Stored: r.Stored, Fault: d.Fault,
		Dead: r.Dead, Unconfirmed: r.Unconfirmed, Kills: r.Restarts,
		ServerKills: r.ServerRestarts, Asked: d.Kills, InService: r.InService, First: r.First,
		LongestFirst: r.LongestFirst,
		Repeated:     r.Repeated, Stalled: r.Stalled, Command: d.command,
		Patience:    time.Duration(d.Patience * float64(time.Second)).String(),
		Interrupted: r.Interrupted, Recovered: r.Recovered,
		Recovery: r.Recovery, LongestRecovery: r.LongestRecovery, Adds: adds}
}

func (a *app) showCrash(doc crashDocument, format string) error {
	if format == "json" {
		return a.JSON(doc)
	}
	r, shown := doc.Report, doc.page()
	a.Paragraph("", shown.Finding()+".", terminal.FallbackColumns)
	fmt.Fprintln(a.Stdout)
	var rows [][]string
	for _, outcome := range shown.Outcomes() {
		rows = append(rows, []string{outcome.Name, fmt.Sprint(outcome.Tasks), outcome.Doc})
	}
	if r.Restarts+r.ServerRestarts > 0 {
		rows = append(rows, []string{"in service", fmt.Sprint(r.InService),
			"at the times of the kills, all kills together"})
	}
	if r.Restarts > 0 && r.LongestFirst > 0 {
		rows = append(rows, []string{"first task", text.Seconds(r.First),
			"after a restart: median; longest " + text.Seconds(r.LongestFirst)})
	}
	if err := a.List(append(rows, shown.Recoveries()...)); err != nil || len(doc.Adds) == 0 {
		return err
	}
	fmt.Fprintln(a.Stdout, "\nadded by poolbench:")
	rows = nil
	for _, added := range doc.Adds {
		rows = append(rows, []string{"-", added.String()})
	}
	return a.List(rows)
}
