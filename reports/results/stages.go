package results

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/metric"
)

// staged matches the levels and lengths of staged arrivals: stages:at=0.6x20s_0..1.4x10s.
var staged = regexp.MustCompile(`^stages:(?:.*,)?at=([^,]*)`)

// StagesOf returns the stages of the arrivals of a run, or nil. Names are such as "0s to 30s: 0..200
// /s".
func StagesOf(run *Run) (all []Part) {
	arrival := run.Key("arrival")
	found := staged.FindStringSubmatch(arrival)
	if found == nil {
		return nil
	}
	per := ""
	if strings.Contains(arrival, "unit=rate") {
		per = " /s"
	}
	begin := time.Duration(0)
	for i, stage := range strings.Split(found[1], "_") {
		level, length, _ := strings.Cut(stage, "x")
		d, err := time.ParseDuration(length)
		if err != nil {
			return nil
		}
		all = append(all, Part{
			Name:   fmt.Sprintf("%v to %v: %s%s", begin, begin+d, level, per),
			Prefix: metric.OfStage(i+1, ""),
			number: i + 1,
		})
		begin += d
	}
	return all
}
