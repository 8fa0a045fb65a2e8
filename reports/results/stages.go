package results

import (
	"fmt"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/metric"
)

// A Stage is a part of a run's arrivals with its own level, "200", or ramp, "0..200".
type Stage struct {
	Level      string
	Begin, End time.Duration
}

var staged = lazyregexp.New(`^stages:(?:.*,)?at=([^,]*)`)

// Stages parses an arrival process in the name of a run, or returns nil.
func Stages(arrival string) (all []Stage) {
	found := staged.FindStringSubmatch(arrival)
	if found == nil {
		return nil
	}
	begin := time.Duration(0)
	for stage := range strings.SplitSeq(found[1], "_") {
		level, length, _ := strings.Cut(stage, "x")
		d, err := time.ParseDuration(length)
		if err != nil {
			return nil
		}
		all = append(all, Stage{level, begin, begin + d})
		begin += d
	}
	return all
}

// StagesOf returns the metrics of an attack's stages, such as "0s to 30s: 0..200 /s".
func StagesOf(run *Run) (all []Part) {
	arrival := run.Key("arrival")
	per := ""
	switch {
	case strings.Contains(arrival, "unit=rate"):
		per = " /s"
	case strings.Contains(arrival, "unit=clients"):
		per = " clients"
	}
	for i, s := range Stages(arrival) {
		all = append(all, Part{Name: fmt.Sprintf("%v to %v: %s%s", s.Begin, s.End, s.Level, per),
			Prefix: metric.OfStage(i+1, "")})
	}
	return all
}
