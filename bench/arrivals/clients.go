package arrivals

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// clientStages is not registered, because only package attack implements it.
var clientStages = Spec{
	Name:     staged,
	Summary:  "clients whose number changes from stage to stage",
	Unsteady: true,
	Keys: []param.Key{
		{Name: "at", Kind: param.Text, Default: "1x1s", Doc: "clients and length of each stage"},
		{Name: "unit", Kind: param.Choice, Default: "load",
			Choices: []string{"load", "rate", unitClients}, Doc: "unit of a level"},
	},
	Stages: func(v param.Values) []Stage {
		s, _ := readStages(v) // ClientsInStages reports the error
		return s
	},
	Closed: func(v param.Values) (Clients, error) {
		s, err := readStages(v)
		return Clients{Count: MaxClients(s), Think: dist.Constant{}}, err
	},
}

const unitClients = "clients"

// ParseClientStages parses stages of clients as Ramps parses rates: "30s:0..200, 2m:200, 30s:0".
func ParseClientStages(text string) ([]Stage, error) {
	stages, err := readRamps(text)
	if err == nil {
		_, err = ClientsInStages(stages)
	}
	return stages, err
}

// ClientsInStages returns the process of clients in these stages.
func ClientsInStages(stages []Stage) (Variant, error) {
	for _, s := range stages {
		if s.Level != math.Trunc(s.Level) || s.To != math.Trunc(s.To) {
			levels, _, _ := strings.Cut(s.String(), "x")
			return Variant{}, fmt.Errorf("%s: want whole numbers of clients", levels)
		}
	}
	values, err := param.Resolve(clientStages.Keys, []param.Arg{{Key: "at", Value: joined(stages)},
		{Key: "unit", Value: unitClients}})
	if err == nil {
		_, err = clientStages.Closed(values)
	}
	return Variant{param.Variant[Spec]{Spec: clientStages, Values: values}}, err
}

// MaxClients returns the highest number of clients in the stages.
func MaxClients(stages []Stage) int {
	most := 0.0
	for _, s := range stages {
		most = max(most, s.Level, s.last())
	}
	return int(most)
}

// NextActive returns the first time, from at on, at which the level is above i, so client i sends
// requests. It returns false if there is none.
func NextActive(stages []Stage, i int, at time.Duration) (time.Duration, bool) {
	level, begin := float64(i), time.Duration(0)
	for _, s := range stages {
		end := begin + s.For
		from, to := begin, end
		if s.Level > level != (s.last() > level) { // the level passes i within the stage
			crossed := begin + time.Duration(math.Round(
				float64(s.For)*(level-s.Level)/(s.last()-s.Level)))
			if s.last() > level {
				from = crossed
			} else {
				to = crossed
			}
		} else if s.Level <= level {
			to = begin // at no time
		}
		if first := max(from, at); first < to {
			return first, true
		}
		begin = end
	}
	return 0, false
}
