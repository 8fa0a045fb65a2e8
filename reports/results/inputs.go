package results

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// InputWarnings returns the warnings of all inputs, and names incomplete ones.
func InputWarnings(inputs []Input) []string {
	var lines []string
	for _, in := range inputs {
		r := in.Results
		if r.Partial != "" {
			lines = append(lines, NotWhole(r))
		}
		lines = append(lines, r.Warnings...)
	}
	return lines
}

// NotWhole reports that a file is incomplete, and why.
func NotWhole(r *Results) string { return fmt.Sprintf("%s is incomplete: %s", r.Path, r.Partial) }

// LabelsOf lists the labels of the inputs.
func LabelsOf(inputs []Input) []string {
	return text.Texts(inputs, func(in Input) string { return in.Label })
}

// MergeUnits joins the unit metadata of all inputs. Units without a Unit line get their direction
// from text.Better.
func MergeUnits(inputs []Input) (benchfmt.UnitMetadataMap, error) {
	units := make(benchfmt.UnitMetadataMap)
	saidBy := make(map[benchfmt.UnitMetadataKey]string)
	for _, in := range inputs {
		for key, meta := range in.Results.Units {
			if before, ok := units[key]; ok && before.Value != meta.Value {
				return nil, fmt.Errorf("%s has %s=%s for %s, but %s has %s", in.Results.Path,
					key.Key, meta.Value, key.Unit, saidBy[key], before.Value)
			}
			units[key], saidBy[key] = meta, in.Results.Path
		}
	}
	for _, in := range inputs {
		if in.Results.Ours() {
			continue
		}
		for _, unit := range in.Results.Metrics {
			_, said := units[benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}]
			said = said || units.GetBetter(unit) != 0
			if d := Direction(text.Better(unit)); d != 0 && !said {
				SetBetter(units, unit, d)
			}
		}
	}
	return units, nil
}

// SetBetter sets the direction of a unit, as a Unit line would.
func SetBetter(units benchfmt.UnitMetadataMap, unit string, d Direction) {
	key := benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}
	units[key] = &benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: unit, Value: d.String()}
}

// Ours reports whether the runs are poolbench's, so their Unit lines contain every direction.
func (r *Results) Ours() bool { return r.Schema > 0 || r.Runs[0].Seed != "" }

// ChooseMetrics returns the tidied names of the requested metrics, by default all. A request is a
// list of names, as in an objective also without their unit (p99, failed), or patterns, such as
// p99-*.
func ChooseMetrics(asked []string, inputs []Input) ([]string, error) {
	var all, paths []string
	for _, in := range inputs {
		all = text.Distinct(append(all, in.Results.Metrics...))
		paths = append(paths, in.Results.Path)
	}
	if len(asked) == 0 {
		return all, nil
	}
	var metrics, names []string
	for _, name := range asked {
		if _, unit := benchunit.Tidy(1, name); slices.Contains(all, unit) {
			names = append(names, name) // a name may contain a comma
		} else {
			names = append(names, strings.Split(name, ",")...)
		}
	}
	for _, name := range names {
		_, wanted := benchunit.Tidy(1, strings.TrimSpace(name))
		found := false
		short := ""
		if !slices.Contains(all, wanted) {
			short = metric.ExpandQuantile(strings.TrimSpace(name))
		}
		for _, unit := range all {
			matches := unit == wanted || short != "" && metric.Short(unit) == short
			if strings.ContainsAny(wanted, "*?[") {
				var err error
				if matches, err = path.Match(flat(wanted), flat(unit)); err != nil {
					return nil, fmt.Errorf("metric %s: %w", name, err)
				}
			}
			found = found || matches
			if matches && !slices.Contains(metrics, unit) {
				metrics = append(metrics, unit)
			}
		}
		if !found {
			return nil, fmt.Errorf("no metric %s in %s (there are %s)", name,
				strings.Join(paths, " or "), strings.Join(all, ", "))
		}
	}
	return metrics, nil
}

// * does not match slashes.
func flat(unit string) string { return strings.ReplaceAll(unit, "/", "÷") }

// Input is one input of a comparison.
type Input struct {
	Label   string // value of the key .file. Inputs with equal labels are pooled
	Results *Results
}

// A Direction is the better direction of a metric: +1 is higher, −1 lower, 0 unknown.
type Direction int

func (d Direction) String() string { return map[Direction]string{+1: "higher", -1: "lower"}[d] }

// MarshalText implements encoding.TextMarshaler.
func (d Direction) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// A Number is null in JSON if it is infinite or NaN.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	return json.Marshal(text.JSONNumber(float64(n)))
}
