package page

import (
	"regexp"
	"strings"
	"time"
)

// staged finds the levels and lengths in the name of arrivals that come in stages:
// stages:at=0.6x20s_1.4x10s.
var staged = regexp.MustCompile(`^stages:(?:.*,)?at=([^,]*)`)

// stageEnds are the seconds after the start of a run at which its arrivals go from one stage to the
// next; none where they have no stages.
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
