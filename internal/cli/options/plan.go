package options

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// The sections of a Plan run in order into one run directory.
type Plan []Section

// The heading of a Section is a study's question, a position in a scenario file, or "".
type Section struct {
	Title string
	Suite bench.Suite
	Study *studies.Study // judges the results; may be nil
	// Open means that --n, --count and --duration are all unset, so runs may continue with further
	// seeds until the objectives are decided.
	Open bool
}

// Flags override the values of the file. Without either, MakePlan returns the quick form of the
// default studies.
func MakePlan(given Words, file string) (Plan, error) {
	switch {
	case file != "":
		matrices, err := readScenarioFile(file, axisNames())
		if err != nil {
			return nil, err
		}
		var p Plan
		var complaints []error
		scenarios := 0
		for _, m := range matrices {
			words := m.override(given)
			suite, err := words.Suite(m.where)
			if scenarios += len(suite.Scenarios); scenarios > bench.MaxScenarios {
				return nil, fmt.Errorf("%s: %d scenarios, including the earlier elements; want "+
					"at most %d", m.where, scenarios, bench.MaxScenarios)
			}
			if err == nil {
				suite = words.lengthened(suite)
			}
			p = append(p, Section{Title: m.where, Suite: suite, Open: words.isOpen()})
			complaints = append(complaints, err)
		}
		return p, errors.Join(append(complaints, p.checkUnique())...)
	case len(given) > 1 || len(given) == 1 && !given.has("seed"):
		suite, err := given.Suite("")
		if err == nil {
			suite = given.lengthened(suite)
		}
		return Plan{{Suite: suite, Open: given.isOpen()}}, err
	}
	seed := uint64(FirstSeed)
	for _, v := range given["seed"] {
		var err error
		if seed, err = flags.ParseSeed(v.Text); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Where, err)
		}
	}
	in, _ := studies.Default()
	return PlanStudies(in, studies.Quick, seed, nil)
}

// also contains further strategies.
func PlanStudies(
	list []studies.Study, size studies.Size, seed uint64, also []strategies.Variant,
) (p Plan, err error) {
	for _, s := range list {
		suite, err := s.Suite(size, seed, also...)
		if err != nil {
			return nil, err
		}
		p = append(p, Section{Title: s.Name + ": " + s.Question, Suite: suite, Study: &s})
	}
	return p, nil
}

func (p Plan) Soak(all bool) error {
	if !all {
		return nil
	}
	for _, s := range p {
		if s.Study != nil {
			return errors.New("--soak is for scenarios only, because studies need records of " +
				"single tasks")
		}
		for i := range s.Suite.Scenarios {
			sc := &s.Suite.Scenarios[i]
			sc.Soak = true
			if err := sc.Validate(); err != nil {
				return fmt.Errorf("--soak: %w", err)
			}
		}
	}
	return nil
}

// SetFlightBound sets the response time above which the trace of a task is written: the highest
// bound of an objective on a tail of the response.
func (p Plan) SetFlightBound(list objectives.List) {
	bound := 0.0
	for _, o := range list {
		unit, _ := decide.Completed(o.Unit)
		if slices.Contains([]string{metric.P99Response, metric.P999Response, metric.MaxResponse},
			unit) && strings.HasPrefix(o.Op, "<") {
			bound = max(bound, o.Bound)
		}
	}
	for _, s := range p {
		for i := range s.Suite.Scenarios {
			if sc := &s.Suite.Scenarios[i]; sc.Flight > 0 {
				sc.FlightBound = time.Duration(bound * float64(time.Second))
			}
		}
	}
}

func (p Plan) Profile(set string) error {
	if set == "" {
		return nil
	}
	profiled := 0
	for _, s := range p {
		for i := range s.Suite.Scenarios {
			if sc := &s.Suite.Scenarios[i]; sc.Clock == bench.Real {
				sc.Profile = set
				profiled++
			}
		}
	}
	if profiled == 0 {
		return errors.New("--profile: all runs are under the virtual clock, which has nothing to " +
			"profile")
	}
	return nil
}

// The runs of equal scenarios in two sections would count as repetitions of one scenario.
func (p Plan) checkUnique() error {
	first := map[string]string{}
	for _, s := range p {
		for _, sc := range s.Suite.Scenarios {
			name := sc.Name()
			if before, ok := first[name]; ok {
				return fmt.Errorf("%s: %s is already in %s", s.Title, name, before)
			}
			first[name] = s.Title
		}
	}
	return nil
}

func (p Plan) Open() bool { return slices.ContainsFunc(p, func(s Section) bool { return s.Open }) }

// Continue continues with the seeds after those in the directory.
func (p Plan) Continue(dir *directory.Dir) {
	for i := range p {
		p[i].Suite = dir.Continued(p[i].Suite)
	}
}

func (p Plan) Suites() (all []bench.Suite) {
	for _, s := range p {
		all = append(all, s.Suite)
	}
	return all
}

func (p Plan) Headline() string {
	var names []string
	for _, s := range p {
		if s.Study != nil {
			names = append(names, s.Study.Name)
		}
	}
	if len(names) == 0 {
		return text.Count(p.Runs(), "run")
	}
	return "study " + strings.Join(text.Truncate(names, 4), ", ")
}

func (p Plan) Runs() (n int) {
	for _, s := range p {
		n += s.Suite.Runs()
	}
	return n
}

// Estimate is limited, because the sum may overflow a Duration.
func (p Plan) Estimate() (total time.Duration) {
	for _, s := range p {
		total = min(total+min(s.Suite.Estimate(), longestPlan), longestPlan)
	}
	return total
}

const longestPlan = 10 * arrivals.MaxSpan

// UseDatabase passes --dsn to workloads through the environment, so it does not appear in names.
func (p Plan) UseDatabase(dsn string) error {
	if dsn == "" {
		return nil
	}
	for _, s := range p {
		for _, sc := range s.Suite.Scenarios {
			if strings.Contains(sc.Workload.String(), "db=postgres") {
				return os.Setenv(registry.DSN, dsn)
			}
		}
	}
	return errors.New("--dsn: no workload is sql_query:db=postgres")
}
