package rundir

import (
	"regexp"
	"strconv"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

// CheckGap begins the reason of a result of a run that was cut off and went on. The Gaps are in it.
const CheckGap = "gap"

// A Gap is a stretch of a run that is not in its result: so many tasks, which were due in it.
type Gap struct {
	Tasks    int
	From, To time.Duration
}

// String rounds the ends to less than a hundredth of the gap.
func (g Gap) String() string {
	unit := time.Duration(1)
	for (g.To-g.From)/unit >= 1000 {
		unit *= 10
	}
	return text.Count(g.Tasks, "task") + " due from " + g.From.Round(unit).String() + " to " +
		g.To.Round(unit).String()
}

var gap = regexp.MustCompile(`(\d+) tasks? due from (\S+) to ([^\s,;]+)`)

// ParseGaps finds the gaps in the text of a reason.
func ParseGaps(reason string) (all []Gap) {
	for _, found := range gap.FindAllStringSubmatch(reason, -1) {
		n, err := strconv.Atoi(found[1])
		from, err1 := time.ParseDuration(found[2])
		to, err2 := time.ParseDuration(found[3])
		if err == nil && err1 == nil && err2 == nil {
			all = append(all, Gap{n, from, to})
		}
	}
	return all
}

// In reports whether the gap is within a window of the run, but for what String rounds.
func (g Gap) In(start, length time.Duration) bool {
	return min(g.To, start+length)-max(g.From, start) > (g.To-g.From)/100
}
