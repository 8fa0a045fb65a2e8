package page

import (
	"regexp"
	"strings"
	"time"
)

// staged matches the levels and lengths of staged arrivals: stages:at=0.6x20s_1.4x10s.
var staged = regexp.MustCompile(`^stages:(?:.*,)?at=([^,]*)`)

// stageEnds returns the times, in seconds, at which the arrivals change stage.
func stageEnds(arrival string) (ends []float64) {
	found := staged.FindStringSubmatch(arrival)
	if found == nil {
		return nil
	}
	total := 0.0
	for stage := range strings.SplitSeq(found[1], "_") {
		_, length, _ := strings.Cut(stage, "x")
		d, err := time.ParseDuration(length)
		if err != nil {
			return nil
		}
		total += d.Seconds()
		ends = append(ends, total)
	}
	return ends[:len(ends)-1]
}
